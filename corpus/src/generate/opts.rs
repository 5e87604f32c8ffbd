//! Which optimisations a case gets.

use super::choice::Choice;
use super::profile::Profile;
use crate::case::{Expect, Kernel as CaseKernel};
use plumb_core::kernel::{Kernel, Opt, OptError, OptOp, OptPlan};
use plumb_core::rule::Rules;
use plumb_core::symbolic::Sint;
use plumb_core::target::Target;
use std::ops::Range;
use std::sync::Arc;

/// Amounts by which axes are split.
const AMOUNTS: [i64; 15] = [4, 2, 0, 8, 3, 16, 32, 5, 7, 29, 13, 49, 64, 256, 28];
/// Multiples to which axes are padded.
const MULTIPLES: [i64; 7] = [4, 8, 32, 16, 2, 3, 5];

/// The optimisations of a case, and what is then expected of it.
pub(super) fn plan(
    choice: &mut dyn Choice,
    profile: &Profile,
    kernel: &CaseKernel,
    target: Option<Target>,
) -> (OptPlan, Expect) {
    let plans = profile.plans;
    let plan = choice.weighted(&[(plans.hand, 0u8), (plans.required, 1), (plans.list, 2)]);
    match plan {
        0 => (OptPlan::Hand, Expect::Pass),
        1 => (OptPlan::Required, Expect::Pass),
        _ => list(choice, profile, kernel, target).unwrap_or((OptPlan::Required, Expect::Pass)),
    }
}

/// A list of random optimisations that apply. `None` where the kernel is none for `core`, which lowering then reports.
fn list(
    choice: &mut dyn Choice,
    profile: &Profile,
    kernel: &CaseKernel,
    target: Option<Target>,
) -> Option<(OptPlan, Expect)> {
    let illegal = choice.chance(profile.illegal, 1000);
    let length = choice.below(profile.opts.saturating_add(1));
    let ast = Arc::new(kernel.ast().ok()?);
    let target = Arc::new(target?);
    let mut kernel = Kernel::new(&ast, &target, &Rules::default()).ok()?;
    kernel.required_optimizations().ok()?;
    let required = kernel.clone();
    let mut expect = Expect::Pass;
    for place in 0..length {
        // A matrix instruction comes first or not at all, and few kernels are made for one.
        let matrix = place == 0 && kernel.reduce.is_some() && !kernel.target.tensor_cores.is_empty();
        let opt = if matrix && choice.chance(2, 3) { matrix_instruction(choice) } else { any_opt(choice, &kernel) };
        let mut next = kernel.clone();
        match next.apply_opt(opt) {
            Ok(()) if next.is_moderate() => kernel = next,
            Err(OptError::Refused { check, .. }) if illegal => {
                // The list ends with what is refused.
                kernel.applied.push(opt);
                expect = Expect::Refused(check.info().name.to_owned());
                break;
            }
            _ => {}
        }
    }
    // Among images, what applies may still leave stores of less than a pixel, which lowering refuses.
    if kernel.ast.has_images() && expect == Expect::Pass && kernel.clone().linearize().is_err() {
        kernel = required;
    }
    Some((OptPlan::List(kernel.applied), expect))
}

/// A matrix instruction, of the first of the possible axes or others, at one of the levels.
fn matrix_instruction(choice: &mut dyn Choice) -> Opt {
    let axis = choice.pick_detail(&[0, 0, 0, 1, 2]);
    Opt { op: OptOp::Tc, axis: Some(axis), amount: Some(choice.pick_detail(&[0, 1, 2])) }
}

/// What an optimisation may be tried on: with which weight, which axes, and from where it counts them.
struct Candidate {
    weight: u32,
    op: OptOp,
    axes: Range<usize>,
    first: usize,
}

/// What may be tried on the kernel as it stands. The first is the simplest.
fn candidates(kernel: &Kernel) -> Vec<Candidate> {
    let (reduce, upcast) = (kernel.first_reduce(), kernel.shape_len().saturating_sub(kernel.upcasted));
    let grouped = reduce + kernel.group_for_reduces;
    let local = kernel.target.has_local && !kernel.dont_use_locals;
    let shared = local && kernel.target.has_shared;
    let of = |weight: u32, possible: bool, op: OptOp, axes: Range<usize>, first: usize| {
        let possible = possible && axes.start < axes.end;
        Candidate { weight: if possible { weight } else { 0 }, op, axes, first }
    };
    vec![
        of(3, true, OptOp::Upcast, 0..reduce, 0),
        of(3, true, OptOp::Unroll, reduce..upcast, reduce),
        of(4, local, OptOp::Local, 0..kernel.global_dims(), 0),
        of(2, shared, OptOp::Group, grouped..upcast, grouped),
        of(2, shared, OptOp::GroupTop, grouped..upcast, grouped),
        of(2, true, OptOp::PadTo, 0..upcast, 0),
        of(1, local, OptOp::NoLocals, 0..1, 0),
        of(1, kernel.ast.has_images(), OptOp::UpcastMid, 0..reduce, 0),
    ]
}

/// An optimisation that is likely to apply, and now and then any.
pub(crate) fn any_opt(choice: &mut dyn Choice, kernel: &Kernel) -> Opt {
    let candidates = candidates(kernel);
    let places: Vec<(u32, usize)> = candidates.iter().map(|candidate| candidate.weight).zip(0..).collect();
    let Candidate { op, ref axes, first, .. } = candidates[choice.weighted(&places)];
    if op == OptOp::NoLocals {
        return Opt { op, axis: None, amount: None };
    }
    let wild = choice.chance(1, 10);
    let axis = match wild {
        true => first + choice.index(kernel.shape_len() + 1),
        false => axes.start + choice.index(axes.len().max(1)),
    };
    let amount = match (op, kernel.full_shape().get(axis)) {
        (OptOp::PadTo, _) => choice.pick_detail(&MULTIPLES),
        (_, Some(Sint::Int(size))) if !wild => {
            let amounts: Vec<i64> = AMOUNTS.into_iter().filter(|&by| by == 0 || size % by == 0).collect();
            choice.pick_detail(&amounts)
        }
        _ => choice.pick_detail(&AMOUNTS),
    };
    Opt { op, axis: Some(axis.saturating_sub(first) as i64), amount: Some(amount) }
}
