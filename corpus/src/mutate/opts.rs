//! Changes of what a kernel is lowered for, and how.

use crate::case::{Case, Expect};
use crate::generate::{Choice, any_opt};
use plumb_core::kernel::{Kernel, OptOp, OptPlan};
use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use plumb_core::target::{NAMES, Target};
use std::sync::Arc;

/// Most optimisations of a list.
const LENGTH: usize = 12;

/// The kernel under the optimisations of a case, those left out that don't apply.
fn optimised(case: &Case) -> Option<Kernel> {
    let ast = Arc::new(case.kernel.ast().ok()?);
    let target = Arc::new(Target::named(&case.target)?);
    let mut kernel = Kernel::new(&ast, &target, &Rules::default()).ok()?;
    let list = match &case.opts {
        OptPlan::List(list) => &list[..],
        _ => {
            kernel.required_optimizations().ok()?;
            &[]
        }
    };
    for &opt in list {
        let mut next = kernel.clone();
        if next.apply_opt(opt).is_ok() {
            kernel = next;
        }
    }
    Some(kernel)
}

/// Leaves out what does not apply. False where the case is not lowered all the same.
pub(super) fn keep_legal(case: &mut Case) -> bool {
    case.expect = Expect::Pass;
    if let OptPlan::List(list) = &mut case.opts {
        list.truncate(LENGTH);
        let Some(kernel) = optimised(case) else { return false };
        case.opts = OptPlan::List(kernel.applied);
    }
    let Some(target) = Target::named(&case.target) else { return false };
    let Ok(ast) = case.kernel.ast() else { return false };
    lower(&Arc::new(ast), &Arc::new(target), &case.opts, &case.rules(Rules::default())).is_ok()
}

/// One more optimisation.
pub(super) fn add(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    let Some(mut kernel) = optimised(case) else { return false };
    let opt = any_opt(choice, &kernel);
    if kernel.apply_opt(opt).is_err() || !kernel.is_moderate() {
        return false;
    }
    case.opts = OptPlan::List(kernel.applied);
    true
}

/// One optimisation less.
pub(super) fn drop_one(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    match &mut case.opts {
        OptPlan::List(list) if !list.is_empty() => {
            let place = choice.below(list.len() as u32) as usize;
            list.remove(place);
            true
        }
        _ => false,
    }
}

/// Another way to choose them.
pub(super) fn plan(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    case.opts = match choice.below(3) {
        0 => OptPlan::Hand,
        1 => OptPlan::Required,
        _ => match &case.opts {
            OptPlan::List(list) => {
                // A matrix instruction must come first.
                let mut list = list.clone();
                let first = usize::from(list.first().is_some_and(|opt| opt.op == OptOp::Tc));
                list[first..].reverse();
                OptPlan::List(list)
            }
            _ => return false,
        },
    };
    true
}

/// Another target.
pub(super) fn target(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    let name = NAMES[choice.below(NAMES.len() as u32) as usize];
    let other = case.target != name;
    case.target = name.to_owned();
    other
}
