//! Generated cases through lowering: each is lowered, or refused where it says so.

use plumb_core::kernel::OptPlan;
use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use plumb_core::target::{NAMES, Target};
use plumb_corpus::case::{Case, Expect};
use plumb_corpus::generate::{self, Profile, Seeded};
use plumb_corpus::text;
use std::sync::Arc;

/// Lowers a case for a target with a plan; the error's text where it is refused.
fn lowered(case: &Case, target: &str, plan: &OptPlan) -> Result<(), String> {
    let ast = Arc::new(case.kernel.ast().expect("generated kernels are valid"));
    let target = Arc::new(Target::named(target).expect("a built-in target"));
    lower(&ast, &target, plan, &Rules::default()).map(drop).map_err(|error| error.to_string())
}

#[test]
fn every_case_is_lowered() {
    for number in 0..3000 {
        let case = generate::case(3, number);
        let result = lowered(&case, &case.target, &case.opts);
        assert_eq!(result, Ok(()), "{}", text::print(&case));
    }
}

#[test]
fn every_kernel_is_lowered_for_every_target() {
    for number in 0..300 {
        let case = generate::case(4, number);
        for target in NAMES {
            for plan in [OptPlan::Hand, OptPlan::Required] {
                assert_eq!(lowered(&case, target, &plan), Ok(()), "{target} {plan:?}\n{}", text::print(&case));
            }
        }
    }
}

#[test]
fn what_is_expected_to_be_refused_is() {
    let mut profile = Profile { illegal: 1000, ..Profile::sweep() };
    profile.plans.hand = 0;
    let mut refused = 0;
    for number in 0..1000 {
        let case = generate::from_choices(&mut Seeded::new(6, number), &profile);
        let result = lowered(&case, &case.target, &case.opts);
        match &case.expect {
            Expect::Pass => assert_eq!(result, Ok(()), "{}", text::print(&case)),
            Expect::Refused(with) => {
                refused += 1;
                let error = result.expect_err(&text::print(&case));
                assert!(error.contains(with), "{error}\n{}", text::print(&case));
            }
        }
    }
    assert!(refused > 200, "{refused}");
}
