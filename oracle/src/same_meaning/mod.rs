//! The judge of sameness: what must not make a difference makes none.
//!
//! - *Order*: the uops in another order, drawn among all that their sources allow, write the same bits. A value that is
//!   used before or after it changes by luck alone, or a load that no barrier holds back, shows.
//! - *Optimisations*: the kernel lowered without those that it could do without writes the same: bit by bit where the
//!   inputs are such that every result is exact, otherwise within the reference's bounds, as the optimised one must
//!   ([`values`](crate::values) sees to that).
//! - *Again*: the rewrite rules leave what they have made as it is.
//!
//! It sees no fault that is the same with and without optimisations; the other judges do.

use crate::compare::compare;
use crate::data::{Inputs, inputs};
use crate::interpreter::{self, Budget, Run};
use crate::reference::rounding::{float_bits, float_from_bits};
use crate::reference::{Precision, Reference};
use crate::{Finding, FindingKind, Oracle, Subject, Verdict};
use plumb_core::dtype::Scalar;
use plumb_core::kernel::OptPlan;
use plumb_core::linearize::{Lowered, lower};
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::sync::Arc;

mod again;
mod reorder;
#[cfg(test)]
mod tests;

const NAME: &str = "same-meaning";

/// Compares a kernel with itself in other forms.
#[derive(Clone, Copy, Debug)]
pub struct SameMeaning {
    /// How much of each form is run.
    pub budget: Budget,
}

impl Default for SameMeaning {
    /// A budget of a fraction of a millisecond a form.
    fn default() -> SameMeaning {
        SameMeaning { budget: Budget { uop_lanes: 200_000 } }
    }
}

impl Oracle for SameMeaning {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "compares with other orders of the uops, with the kernel without optimisations, and with simplifying twice"
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        let Subject { case, lowered } = subject;
        let rules = case.rules(Rules::default());
        if let Some(difference) = not_idempotent(lowered, rules) {
            return fail(difference);
        }
        let inputs = match inputs(case) {
            Ok(inputs) => inputs,
            Err(error) => return Verdict::Skipped(error.to_string()),
        };
        let run = match interpreter::run(lowered, &inputs, self.budget) {
            Ok(run) => run,
            Err(error) => return Verdict::Skipped(error.to_string()),
        };
        if let Some(difference) = self.other_order(subject, &inputs, &run) {
            return fail(format!("in another order that its graph allows, {difference}"));
        }
        match self.without_optimisations(subject, rules, &inputs, &run) {
            Some(difference) => fail(format!("without optimisations, {difference}")),
            None => Verdict::Pass { share: run.share },
        }
    }
}

impl SameMeaning {
    fn other_order(&self, subject: Subject<'_>, inputs: &Inputs, run: &Run) -> Option<String> {
        let seed = subject.case.data.seed ^ 0x6f72_6465;
        let uops = reorder::reorder(&subject.lowered.uops, seed)?;
        let other = Lowered { uops, ..subject.lowered.clone() };
        match interpreter::run(&other, inputs, self.budget) {
            Ok(other) => difference(run, &other, run.share.is_none() && other.share.is_none()),
            Err(interpreter::RunError::Faults(faults)) => {
                Some(faults.first().map_or("it has a fault".to_owned(), ToString::to_string))
            }
            Err(interpreter::RunError::Unsupported(_)) => None,
        }
    }

    fn without_optimisations(&self, subject: Subject<'_>, rules: Rules, inputs: &Inputs, run: &Run) -> Option<String> {
        let Subject { case, lowered } = subject;
        if lowered.applied.is_empty() || case.opts == OptPlan::Required {
            return None;
        }
        let ast = Arc::new(case.kernel.ast_with(&rules).ok()?);
        let plain = lower(&ast, &Arc::new(Target::named(&case.target)?), &OptPlan::Required, &rules).ok()?;
        let other = match interpreter::run(&plain, inputs, self.budget) {
            Ok(other) => other,
            Err(interpreter::RunError::Faults(faults)) => return faults.first().map(ToString::to_string),
            Err(interpreter::RunError::Unsupported(_)) => return None,
        };
        let reference = Reference::new(case, inputs, Precision::INTERPRETER).ok()?;
        if reference.inexact().is_none() {
            return difference(run, &other, run.share.is_none() && other.share.is_none());
        }
        compare(&reference, &other).ok()?.finding.map(|finding| finding.message)
    }
}

/// How the rules change a list that they have made, if they do.
fn not_idempotent(lowered: &Lowered, rules: Rules) -> Option<String> {
    match again::rewritten(lowered, rules) {
        Ok(list) => {
            let head = lowered.head();
            let (before, after) = (lowered.uops.digest(&lowered.arena, &head), list.digest(&lowered.arena, &head));
            let count = (lowered.uops.uops.len(), list.uops.len());
            (before != after).then(|| format!("rewritten again, its {} uops become {} others", count.0, count.1))
        }
        Err(error) => Some(format!("rewritten again, {error}")),
    }
}

/// The first element that two runs left different, among those that both wrote; where both were `whole`, also one that
/// only one of them wrote.
fn difference(run: &Run, other: &Run, whole: bool) -> Option<String> {
    for output in &run.outputs {
        let buffer = output.buffer;
        let found = other.outputs.iter().find(|other| other.buffer == buffer);
        let written = found.map_or(&[][..], |found| &found.written);
        if whole && written.len() != output.written.len() {
            return Some(format!(
                "it writes {} elements of buffer {buffer}, not {}",
                written.len(),
                output.written.len()
            ));
        }
        for &(element, bits) in &output.written {
            let Ok(at) = written.binary_search_by_key(&element, |&(element, _)| element) else { continue };
            if !same(bits, written[at].1, output.dtype) && output.undefined.binary_search(&element).is_err() {
                let [a, b] = [bits, written[at].1].map(|bits| shown(bits, output.dtype));
                return Some(format!("element {element} of buffer {buffer} is {b}, not {a}"));
            }
        }
    }
    None
}

/// Whether bits mean the same: of a zero the sign, of a NaN all bits don't count.
fn same(a: u64, b: u64, scalar: Scalar) -> bool {
    if a == b || !scalar.is_float() {
        return a == b;
    }
    let [a, b] = [a, b].map(|bits| float_from_bits(bits, scalar));
    a == b || a.is_nan() && b.is_nan()
}

fn shown(bits: u64, scalar: Scalar) -> String {
    if !scalar.is_float() {
        return bits.to_string();
    }
    let value = float_from_bits(bits, scalar);
    debug_assert!(value.is_nan() || float_bits(value, scalar) == bits);
    value.to_string()
}

fn fail(message: String) -> Verdict {
    Verdict::Fail(Box::new(Finding { oracle: NAME, kind: FindingKind::OtherMeaning, message }))
}
