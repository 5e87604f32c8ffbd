//! Reordering keeps what a list means, and shows where it hangs on luck.

use super::reorder::reorder;
use super::*;
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use plumb_core::uop::UopKind;
use plumb_corpus::text::parse;

const SUMS: &str = "plumb case 1\ntarget opencl\n%0 = load f32 buf1 (4,32)\n%1 = sum %0 axis(1)\n\
                    %2 = load f32 buf2 (4,1)\n%3 = mul %1 %2\nstore f32 buf0 (4,1) %3\n\
                    opts GROUPTOP:0:8 UNROLL:0:2\ndata exact seed 1\nexpect pass\n";

fn lowered(text: &str) -> (plumb_corpus::case::Case, Lowered) {
    let case = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let rules = Rules::default();
    let ast = Arc::new(case.kernel.ast_with(&rules).unwrap_or_else(|error| panic!("{error}")));
    let target = Arc::new(Target::named(&case.target).unwrap_or_else(|| panic!("no target")));
    let lowered = lower(&ast, &target, &case.opts, &rules).unwrap_or_else(|error| panic!("{error}"));
    (case, lowered)
}

fn judged(case: &plumb_corpus::case::Case, lowered: &Lowered) -> Verdict {
    SameMeaning::default().judge(Subject { case, lowered })
}

#[test]
fn orders_differ_and_mean_the_same() {
    let (case, lowered) = lowered(SUMS);
    assert_eq!(judged(&case, &lowered), Verdict::Pass { share: None });
    let orders: Vec<_> = (0..4).filter_map(|seed| reorder(&lowered.uops, seed)).collect();
    assert_eq!(orders.len(), 4);
    assert!(orders.iter().all(|order| *order != lowered.uops) && orders[0] != orders[1]);
    let head = lowered.head();
    for order in &orders {
        assert_eq!(order.digest(&lowered.arena, &head), lowered.digest());
        assert!(order.verify().is_ok());
    }
}

#[test]
fn a_barrier_that_waits_for_no_store_hangs_on_luck() {
    let (case, mut lowered) = lowered(SUMS);
    let inputs = inputs(&case).unwrap_or_else(|error| panic!("{error}"));
    let barrier = lowered.uops.uops.iter_mut().find(|uop| uop.kind == UopKind::Barrier);
    let Some(barrier) = barrier else { panic!("no barrier") };
    barrier.sources.clear();
    let values = interpreter::run(&lowered, &inputs, Budget { uop_lanes: 1 << 20 });
    assert!(values.is_ok(), "as it stands, it is right");
    let found = (0..16).any(|seed| {
        let Some(uops) = reorder(&lowered.uops, seed) else { return false };
        interpreter::run(&Lowered { uops, ..lowered.clone() }, &inputs, Budget { uop_lanes: 1 << 20 }).is_err()
    });
    assert!(found, "no order shows it");
}

#[test]
fn what_can_be_simplified_is_found() {
    let (case, mut lowered) = lowered(
        "plumb case 1\ntarget opencl\n%0 = load i32 buf1 (4)\n%1 = load i32 buf2 (4)\n%2 = add %0 %1\n\
         store i32 buf0 (4) %2\nopts none\ndata exact seed 1\nexpect pass\n",
    );
    let rules = Rules::default();
    let again = |lowered: &Lowered| again::rewritten(lowered, rules).unwrap_or_else(|error| panic!("{error}"));
    assert!(again::is_same(&lowered, &again(&lowered)));
    assert_eq!(judged(&case, &lowered), Verdict::Pass { share: None });
    let Some(sum) = lowered.uops.uops.iter().rposition(|uop| uop.kind == UopKind::Alu) else { panic!("no sum") };
    lowered.uops.uops[sum].sources[1] = lowered.uops.uops[sum].sources[0];
    lowered.uops.uops[sum].arg = plumb_core::uop::UopArg::Alu(plumb_core::ast::AluOp::Sub);
    assert!(!again::is_same(&lowered, &again(&lowered)));
    // A rule that is wrong changes what it is applied to once more.
    let judge = SameMeaning::default();
    let inputs = inputs(&case).unwrap_or_else(|error| panic!("{error}"));
    let run = interpreter::run(&lowered, &inputs, judge.budget).unwrap_or_else(|error| panic!("{error}"));
    let subject = Subject { case: &case, lowered: &lowered };
    assert_eq!(judge.rewritten_again(subject, &inputs, &run), None);
}
