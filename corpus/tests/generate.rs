//! The generator: what it makes is valid, the same everywhere, and reaches every feature.

use plumb_core::ast::AluOp;
use plumb_core::dtype::Scalar;
use plumb_core::kernel::OptPlan;
use plumb_corpus::case::{Case, Dim, Step};
use plumb_corpus::generate::{self, Choice, Features, Profile, Seeded, describe};
use plumb_corpus::text;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

/// Fails with the text of a case that is not valid, or that its text does not give back.
fn assert_valid(case: &Case) {
    let printed = text::print(case);
    let checked = case.check().and_then(|()| case.kernel.ast().map(drop));
    assert!(checked.is_ok(), "{checked:?}\n{printed}");
    assert_eq!(text::parse(&printed).as_ref(), Ok(case), "{printed}");
}

#[test]
fn twenty_thousand_cases_are_valid_and_round_trip() {
    for number in 0..20_000 {
        assert_valid(&generate::case(1, number));
    }
}

#[test]
fn every_feature_is_reached() {
    let mut features = Features::default();
    for number in 0..5_000 {
        features.count_case(&describe(&generate::case(2, number)));
    }
    let reached = |least: u64, name: &str| {
        assert!(features.of(name) >= least, "{name}: {} of 5000 cases, expected {least}", features.of(name));
    };
    for line in include_str!("generate/features.txt").lines().filter(|line| !line.starts_with(';')) {
        let (least, names) = line.split_once(' ').expect("a number and a name");
        names.split(", ").for_each(|name| reached(least.parse().expect("a number"), name));
    }
    for from in Scalar::ALL {
        reached(100, &format!("dtype:{from}"));
        reached(10, &format!("reduce:SUM:{from}"));
        reached(10, &format!("reduce:MAX:{from}"));
        Scalar::ALL.into_iter().filter(|to| *to != from).for_each(|to| reached(1, &format!("cast:{from}->{to}")));
        let same_size = |to: &Scalar| to.size() == from.size() && *to != from && *to != Scalar::Bool;
        for to in Scalar::ALL.into_iter().filter(same_size).filter(|to| !(from.is_float() && to.is_float())) {
            reached(if from == Scalar::Bool { 0 } else { 3 }, &format!("bitcast:{from}->{to}"));
        }
        for op in AluOp::ALL {
            let suits = match op {
                AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt => from.is_float(),
                AluOp::Mod => from.is_int(),
                AluOp::Xor => !from.is_float(),
                AluOp::Neg => !from.is_unsigned(),
                AluOp::Div | AluOp::Sub | AluOp::MulAcc => from != Scalar::Bool,
                _ => true,
            };
            reached(if suits { 5 } else { 0 }, &format!("alu:{op}:{from}"));
        }
    }
}

#[test]
fn kernels_keep_to_the_profile() {
    let profile = Profile { work: 500, elements: 600, axes: 3, loads: 2, outputs: 2, ..Profile::sweep() };
    for number in 0..2_000 {
        let case = generate::from_choices(&mut Seeded::new(5, number), &profile);
        assert_valid(&case);
        let features = describe(&case);
        assert_eq!(features.of("outputs:3"), 0);
        for shape in case.kernel.shapes().expect("valid") {
            let elements: i64 = shape.iter().map(|size| if let Dim::Int(size) = size { *size } else { 1 }).product();
            assert!(elements <= 500, "{}", text::print(&case));
        }
        assert_eq!((4..7).map(|axes| features.of(&format!("axes:{axes}"))).sum::<u64>(), 0, "{}", text::print(&case));
    }
}

#[test]
fn cases_are_the_same_everywhere() {
    // A change of the grammar changes this digest, and says so in its commit: cases of old sweeps are then others.
    // Without the optimisations, which also depend on what `core` refuses.
    let mut hash = Sha256::new();
    for number in 0..50 {
        let case = Case { opts: OptPlan::Hand, ..generate::case(1, number) };
        hash.update(text::print(&case));
    }
    let digest: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, "6ace33cb6045b35d");
    assert_eq!(generate::case(1, 7), generate::case(1, 7));
    assert_ne!(generate::case(1, 7).kernel, generate::case(2, 7).kernel);
}

#[test]
fn no_bytes_make_the_simplest_case() {
    let case = generate::from_bytes(&mut arbitrary::Unstructured::new(&[])).expect("any bytes make a case");
    let expected = "plumb case 1\ntarget clang\n%0 = load f32 buf1 ()\nstore f32 buf0 () %0\nopts hand\n\
        data auto seed 0\nexpect pass\n";
    assert_eq!(text::print(&case), expected);
}

/// What the steps do, without sizes and constants.
fn structure(case: &Case) -> Vec<String> {
    let of = |step: &Step| match step {
        Step::Load { buffer, dtype, .. } => format!("load {buffer} {dtype}"),
        Step::Constant { dtype, .. } => format!("constant {dtype}"),
        Step::Alu(op, operands) => format!("{op} {operands:?}"),
        Step::Cast(to, source) | Step::Bitcast(to, source) => format!("cast {source} {to}"),
        Step::Reduce(op, source, axes) => format!("{op:?} {source} {axes:?}"),
        Step::Store { buffer, source, .. } => format!("store {buffer} {source}"),
    };
    case.kernel.steps.iter().map(of).collect()
}

#[test]
fn a_byte_of_details_leaves_the_structure() {
    let case = |bytes: &[u8]| generate::from_bytes(&mut arbitrary::Unstructured::new(bytes)).expect("a case");
    let mut source = Seeded::new(8, 8);
    let (mut kept, mut changed) = (0, 0);
    for _ in 0..1000 {
        let mut bytes: Vec<u8> = (0..600).map(|_| source.below(256) as u8).collect();
        let before = case(&bytes);
        // Beyond the seed of the data, sizes, widths of padding and constants are read from the end.
        let place = bytes.len() - 5 - source.below(20) as usize;
        bytes[place] = bytes[place].wrapping_add(1);
        let after = case(&bytes);
        kept += u32::from(structure(&before) == structure(&after));
        changed += u32::from(before.kernel != after.kernel);
    }
    assert!(kept > 800 && changed > 300, "of 1000: structure kept {kept}, kernel changed {changed}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_make_a_valid_case(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let case = |bytes: &[u8]| generate::from_bytes(&mut arbitrary::Unstructured::new(bytes)).expect("a case");
        let first = case(&bytes);
        assert_valid(&first);
        prop_assert_eq!(case(&bytes), first);
    }
}
