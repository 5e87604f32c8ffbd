//! The judges that lower a kernel in other forms, or follow its views and optimisations, do so for the target that it was
//! lowered for and by the rules in force, whatever the case's name of a target says.

mod support;

use plumb_core::kernel::OptPlan;
use plumb_core::linearize::lower;
use plumb_core::rule::{self, Group, Rules, State};
use plumb_core::target::Target;
use plumb_corpus::text::parse;
use plumb_oracle::{FindingKind, Subject, Verdict, judges, judges_of_parts};
use std::collections::BTreeSet;
use std::sync::Arc;

const PADDED: &str = "plumb case 1\ntarget opencl\n%0 = load f32 buf1 (3,5) |> pad((0,0),(1,2)) |> stride(1,-1)\n\
                      %1 = sum %0 axis(1)\nstore f32 buf0 (3,1) %1\nopts UPCAST:0:3\ndata exact seed 1\nexpect pass\n";

/// A name that is no built-in target's was a reason to skip, and limits of a target of that name were not seen.
#[test]
fn a_made_up_target_reaches_every_judge() {
    let mut case = parse(PADDED).unwrap_or_else(|error| panic!("{error}"));
    "made-up".clone_into(&mut case.target);
    let ast = Arc::new(case.kernel.ast_with(&Rules::default()).unwrap_or_else(|error| panic!("{error}")));
    let target = Arc::new(Target::unlimited("made-up"));
    let mut lowered = lower(&ast, &target, &case.opts, &Rules::default()).unwrap_or_else(|error| panic!("{error}"));
    let parts = judges_of_parts();
    for judge in judges().iter().chain(&parts) {
        let verdict = judge.judge(Subject { case: &case, lowered: &lowered });
        assert_eq!(verdict, Verdict::Pass { share: None }, "{}", judge.name());
    }
    case.opts = OptPlan::Required;
    lowered = lower(&ast, &target, &case.opts, &Rules::default()).unwrap_or_else(|error| panic!("{error}"));
    lowered.target = Arc::new(Target { global_max: Some(vec![2, 2, 2]), ..Target::unlimited("made-up") });
    let found = judges().iter().any(|judge| {
        let verdict = judge.judge(Subject { case: &case, lowered: &lowered });
        matches!(verdict, Verdict::Fail(finding) if finding.kind == FindingKind::Launch)
    });
    assert!(found, "a grid of 3 on a target that takes 2");
}

/// The judge of layouts looked at views made by the default rules, so that no fault planted in a rule was seen by it.
#[test]
fn the_judge_of_layouts_sees_planted_faults_of_views() {
    let case = parse(PADDED).unwrap_or_else(|error| panic!("{error}"));
    let lowered = support::lowered(&case, Rules::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut found = BTreeSet::new();
    for info in rule::all().filter(|info| info.altered.is_some() && info.id.group == Group::View) {
        let mut lowered = lowered.clone();
        lowered.rules = Rules::default().with(info.id, State::Altered);
        for judge in judges_of_parts() {
            if let Verdict::Fail(finding) = judge.judge(Subject { case: &case, lowered: &lowered })
                && finding.kind == FindingKind::WrongLayout
            {
                found.insert(info.name);
            }
        }
    }
    assert!(!found.is_empty(), "none is seen");
}
