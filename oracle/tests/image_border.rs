//! Gates of image loads that reading zeros outside of an image makes needless, over the image kernels of real models: how
//! many are left out, and that the values stay what they were.

mod support;

use plumb_core::linearize::Lowered;
use plumb_core::rule::Rules;
use plumb_core::target::IMAGE_BORDER;
use plumb_core::uop::UopKind;
use plumb_corpus::case::{Case, Step};
use plumb_oracle::{Subject, Verdict, judges};

/// Gated and all loads from images.
fn image_loads(lowered: &Lowered) -> [usize; 2] {
    let list = &lowered.uops.uops;
    let of_image = |id: &plumb_core::uop::UopId| {
        list.get(id.index()).and_then(|uop| uop.dtype).is_some_and(plumb_core::dtype::DType::is_image)
    };
    let loads = list.iter().filter(|uop| uop.kind == UopKind::Load && uop.sources.first().is_some_and(of_image));
    loads.fold([0, 0], |[gated, all], load| [gated + usize::from(load.sources.len() >= 4), all + 1])
}

fn reads_image(case: &Case) -> bool {
    case.kernel.steps.iter().any(|step| matches!(step, Step::Load { dtype, .. } if dtype.is_image()))
}

#[test]
fn gates_are_left_out_where_the_border_is_zero() {
    let Some(source) = support::shared("sops.gz") else { return };
    let (mut kernels, mut judged) = (0, 0);
    let (mut before, mut after, mut loads) = (0, 0, [0, 0]);
    for (number, piece) in source.pieces().into_iter().enumerate() {
        let case = piece.read().unwrap_or_else(|error| panic!("line {number}: {error}")).into_case("opencl");
        if !reads_image(&case) {
            continue;
        }
        let Ok(plain) = support::lowered(&case, Rules::default()) else { continue };
        let case = Case { target: format!("opencl{IMAGE_BORDER}"), ..case };
        let bordered =
            support::lowered(&case, Rules::default()).unwrap_or_else(|error| panic!("line {number}: {error}"));
        let ([gated, all], [left, all_after]) = (image_loads(&plain), image_loads(&bordered));
        kernels += 1;
        before += gated;
        after += left;
        loads = [loads[0] + all, loads[1] + all_after];
        if gated == left {
            assert_eq!(plain.digest(), bordered.digest(), "line {number}: nothing is left out, and all else stays");
            continue;
        }
        judged += 1;
        if judged % support::every(16) != 0 {
            continue;
        }
        for judge in judges().iter().filter(|judge| judge.name() == "values") {
            if let Verdict::Fail(finding) = judge.judge(Subject { case: &case, lowered: &bordered }) {
                panic!("line {number}: {finding}");
            }
        }
    }
    eprintln!(
        "{kernels} kernels with {loads:?} loads from images: {} of {before} gates are left out, in {judged} kernels",
        before - after
    );
    assert_eq!((before - after, before), (425, 475), "gates left out, and all");
}
