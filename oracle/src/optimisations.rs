//! The judge of optimisations: the state of a kernel under a case's list, step by step.
//!
//! After each step of the list others are tried: each is applied, and leaves a sound state, or is refused for a reason
//! that has a name, and leaves the state as it was.

use crate::data::mix;
use crate::{Finding, FindingKind, Oracle, Subject, Verdict};
use plumb_core::kernel::{Kernel, Opt, OptError, OptOp, OptPlan};
use plumb_core::linearize::Lowered;
use plumb_core::symbolic::Sint;
use std::sync::Arc;

const NAME: &str = "optimisations";

/// How many others are tried after each step.
const OTHERS: u64 = 4;

/// Watches the state of the kernel under its optimisations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Optimisations;

impl Oracle for Optimisations {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "applies the optimisations one by one, and others beside them: each leaves a sound state, or the state as it was"
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        let case = subject.case;
        let Lowered { target, rules, .. } = subject.lowered;
        let kernel = case.kernel.ast_with(rules).map_err(|error| error.to_string());
        let kernel =
            kernel.and_then(|ast| Kernel::new(&Arc::new(ast), target, rules).map_err(|error| error.to_string()));
        let mut kernel = match kernel {
            Ok(kernel) => kernel,
            Err(error) => return Verdict::Skipped(error),
        };
        if let Err(error) = kernel.required_optimizations() {
            return Verdict::Skipped(error.to_string());
        }
        let list = match &case.opts {
            OptPlan::List(list) => list.clone(),
            _ => subject.lowered.applied.clone(),
        };
        // What was required stands at the head of what was applied.
        let list = list.strip_prefix(&kernel.applied[..]).unwrap_or(&list);
        match walk(&mut kernel, list, case.data.seed) {
            Ok(()) => Verdict::Pass { share: None },
            Err(message) => Verdict::Fail(Box::new(Finding { oracle: NAME, kind: FindingKind::KernelState, message })),
        }
    }
}

fn walk(kernel: &mut Kernel, list: &[Opt], seed: u64) -> Result<(), String> {
    sound(kernel)?;
    let mut draw = 0;
    let mut next = |below: u64| {
        draw += 1;
        mix(seed, draw) % below
    };
    for place in 0..=list.len() {
        for _ in 0..OTHERS {
            let other = random_opt(kernel, &mut next);
            attempt(&mut kernel.clone(), other)?;
        }
        let Some(&opt) = list.get(place) else { break };
        attempt(kernel, opt)?;
    }
    Ok(())
}

/// Applies an optimisation, or sees that its refusal leaves the state as it was.
fn attempt(kernel: &mut Kernel, opt: Opt) -> Result<(), String> {
    let before = kernel.clone();
    match kernel.apply_opt(opt) {
        Ok(()) => {
            sound(kernel).map_err(|fault| format!("{opt} after {}: {fault}", listed(&before)))?;
            let [from, to] = [&before, &*kernel].map(iterations);
            let pads = matches!(opt.op, OptOp::PadTo | OptOp::Tc);
            if from.is_some() && to.is_some() && from != to && !(pads && from < to) {
                return Err(format!("{opt} after {} makes {to:?} iterations of {from:?}", listed(&before)));
            }
            Ok(())
        }
        Err(OptError::Refused { .. } | OptError::Shape(_)) if kernel.same_state(&before) => Ok(()),
        Err(OptError::Refused { check, .. }) => {
            Err(format!("{opt} after {} is refused by {}, and changes the state", listed(&before), check.info().name))
        }
        Err(error) => Err(format!("{opt} after {}: {error}", listed(&before))),
    }
}

fn listed(kernel: &Kernel) -> String {
    let opts: Vec<String> = kernel.applied.iter().map(ToString::to_string).collect();
    if opts.is_empty() { "none".to_owned() } else { opts.join(" ") }
}

/// The product of the sizes of all axes, where they are numbers. A matrix instruction's own axes count too.
fn iterations(kernel: &Kernel) -> Option<i64> {
    kernel.full_shape().iter().try_fold(1i64, |product, size| match size {
        Sint::Int(size) => product.checked_mul(*size),
        Sint::Node(_) => None,
    })
}

/// Whether what must hold of every state holds.
fn sound(kernel: &Kernel) -> Result<(), String> {
    let axes = kernel.shape_len();
    if let Some((number, view)) = kernel.views.iter().enumerate().find(|(_, view)| view.shape().len() != axes) {
        return Err(format!("buffer {number} has {} axes, the kernel {axes}", view.shape().len()));
    }
    let reduce = kernel.first_reduce();
    if reduce > axes || kernel.local_dims > reduce || reduce + kernel.group_for_reduces > axes || kernel.upcasted > axes
    {
        return Err(format!(
            "of {axes} axes {reduce} come before the reduction, {} are local, {} grouped, {} upcasted",
            kernel.local_dims, kernel.group_for_reduces, kernel.upcasted
        ));
    }
    Ok(())
}

/// An optimisation that may well apply, or not.
fn random_opt(kernel: &Kernel, next: &mut impl FnMut(u64) -> u64) -> Opt {
    const AMOUNTS: [i64; 14] = [0, 1, 2, 3, 4, 4, 5, 7, 8, 8, 16, 29, 32, i64::MAX];
    let op = OptOp::ALL[next(OptOp::ALL.len() as u64) as usize];
    let axis = next(kernel.shape_len() as u64 + 1) as i64;
    let amount = AMOUNTS[next(AMOUNTS.len() as u64) as usize];
    Opt { op, axis: (next(16) > 0).then_some(axis), amount: (next(16) > 0).then_some(amount) }
}
