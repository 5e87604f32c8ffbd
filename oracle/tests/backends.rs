//! Compiled kernels against the reference. A backend that is not on this machine is skipped, and says so.

mod support;

use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use plumb_corpus::case::Case;
use plumb_oracle::backend::{Backend, BackendError, BackendJudge, Cc, Job, arguments};
use plumb_oracle::data::inputs;
use plumb_oracle::{Oracle, Subject, Verdict};
use std::path::Path;
use std::sync::Arc;

/// Captured kernels, of which so many are run.
const KERNELS: usize = 48;

fn lowered(case: &Case) -> plumb_core::linearize::Lowered {
    let ast = Arc::new(case.kernel.ast().unwrap());
    lower(&ast, &Arc::new(Target::named(&case.target).unwrap()), &case.opts, &Rules::default()).unwrap()
}

/// A spread share of the captured kernels, and all regressions that are for the target: compiled as C, they write what
/// the reference says.
#[test]
fn captured_kernels_pass_on_a_c_compiler() {
    let cc = Cc::default();
    if let Err(missing) = cc.find() {
        eprintln!("SKIPPED: {missing}");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/kernels");
    let files = support::kernel_files(&folder);
    let mut cases: Vec<Case> = files.iter().step_by(files.len() / KERNELS).map(|file| support::case(file)).collect();
    cases.iter_mut().for_each(|case| "clang".clone_into(&mut case.target));
    let lowered: Vec<_> = cases.iter().map(lowered).collect();
    let subjects: Vec<Subject<'_>> =
        cases.iter().zip(&lowered).map(|(case, lowered)| Subject { case, lowered }).collect();
    let verdicts = BackendJudge::new(Box::new(cc)).judge_all(&subjects);
    let passed = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Pass { .. })).count();
    for (verdict, lowered) in verdicts.iter().zip(&lowered) {
        match verdict {
            Verdict::Pass { .. } => {}
            Verdict::Skipped(reason) => assert_eq!(reason, "c has no images", "{}", lowered.name),
            other => panic!("{}: {other:?}", lowered.name),
        }
    }
    assert!(passed >= KERNELS - 4, "{passed} of {KERNELS}");
}

/// A kernel that reads far outside of its buffers dies alone, and those that were compiled with it are run.
#[test]
fn a_crash_is_a_finding_and_the_others_go_on() {
    let cc = Cc::default();
    if let Err(missing) = cc.find() {
        eprintln!("SKIPPED: {missing}");
        return;
    }
    let text = |offset: i64| {
        format!(
            "plumb case 1\ntarget clang\n%0 = load i32 buf1 view((4):(1)+{offset})\n%1 = add %0 %0\n\
             store i32 buf0 (4) %1\nopts none\ndata exact seed 1\nexpect pass\n"
        )
    };
    let right = plumb_corpus::text::parse(&text(0)).unwrap();
    let wrong = plumb_corpus::text::parse(&text(500_000_000)).unwrap();
    let (right_lowered, wrong_lowered) = (lowered(&right), lowered(&wrong));
    // The arguments of the small kernel: the large one's access is far beyond their end.
    let source = plumb_core::render::render(&right_lowered, cc.language(), None).unwrap();
    let arguments = arguments(&source.parameters, &inputs(&right).unwrap()).unwrap();
    let job = |lowered| Job { lowered, arguments: &arguments };
    let results = cc.run(&[job(&right_lowered), job(&wrong_lowered), job(&right_lowered)]);
    assert!(matches!(results[1], Err(BackendError::Crashed(_))), "{:?}", results[1]);
    assert!(results[0].is_ok());
    assert_eq!(results[0], results[2]);
}

/// A fault that only the source has (an operator exchanged) is seen by the backend alone.
#[test]
fn a_wrong_result_is_a_finding() {
    let cc = Cc::default();
    if let Err(missing) = cc.find() {
        eprintln!("SKIPPED: {missing}");
        return;
    }
    let text = |op: &str| {
        format!(
            "plumb case 1\ntarget clang\n%0 = load i32 buf1 (40)\n%1 = load i32 buf2 (40)\n%2 = {op} %0 %1\n\
             store i32 buf0 (40) %2\nopts none\ndata exact seed 1\nexpect pass\n"
        )
    };
    let case = plumb_corpus::text::parse(&text("sub")).unwrap();
    let other = lowered(&plumb_corpus::text::parse(&text("add")).unwrap());
    let judge = BackendJudge::new(Box::new(cc));
    let own = lowered(&case);
    assert_eq!(judge.judge(Subject { case: &case, lowered: &own }), Verdict::Pass { share: None });
    let verdict = judge.judge(Subject { case: &case, lowered: &other });
    let Verdict::Fail(finding) = verdict else { panic!("{verdict:?}") };
    assert_eq!(finding.oracle, "cc");
    assert!(finding.message.contains("buffer 0"), "{finding}");
}
