//! The judge of sameness: what must not make a difference makes none.
//!
//! - *Order*: the uops in another order, drawn among all that their sources allow, write the same bits. A value that is
//!   used before or after it changes by luck alone, or a load that no barrier holds back, shows.
//! - *Optimisations*: the kernel lowered without those that it could do without writes the same: bit by bit where the
//!   inputs are such that every result is exact, otherwise within the reference's bounds, as the optimised one must
//!   ([`values`](crate::values) sees to that).
//! - *Again*: what the rewrite rules make of a list that they have made writes the same. (It mostly is the same list. That
//!   it always is isn't asked.)
//!
//! A form that the interpreter can't run, or that is not lowered, is not compared.
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
use std::sync::Arc;

mod again;
mod reorder;
#[cfg(test)]
mod tests;
mod unrewritten;

pub use unrewritten::Rewrites;

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
    fn is_second_opinion(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "compares with other orders of the uops, with the kernel without optimisations, and with simplifying twice"
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        let Subject { case, lowered } = subject;
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
        if let Some(difference) = self.rewritten_again(subject, &inputs, &run) {
            return fail(format!("rewritten again, {difference}"));
        }
        match self.without_optimisations(subject, &inputs, &run) {
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
            Ok(other) => difference(run, &other, inputs),
            Err(interpreter::RunError::Faults(faults)) => {
                Some(faults.first().map_or("it has a fault".to_owned(), ToString::to_string))
            }
            Err(interpreter::RunError::Unsupported(_)) => None,
        }
    }

    fn rewritten_again(&self, subject: Subject<'_>, inputs: &Inputs, run: &Run) -> Option<String> {
        let Subject { lowered, .. } = subject;
        let uops = match again::rewritten(lowered, lowered.rules) {
            Ok(list) if again::is_same(lowered, &list) => return None,
            Ok(list) => list,
            Err(error) => return Some(error.to_string()),
        };
        let other = Lowered { uops, ..lowered.clone() };
        match interpreter::run(&other, inputs, self.budget) {
            Ok(other) => self.differs(subject, inputs, run, &other),
            Err(interpreter::RunError::Faults(faults)) => faults.first().map(ToString::to_string),
            Err(interpreter::RunError::Unsupported(_)) => None,
        }
    }

    /// How another form of the kernel differs: bit by bit, or from the reference where results are not exact.
    fn differs(&self, subject: Subject<'_>, inputs: &Inputs, run: &Run, other: &Run) -> Option<String> {
        let reference = Reference::new(subject.case, inputs, Precision::INTERPRETER).ok()?;
        if reference.inexact().is_none() {
            return difference(run, other, inputs);
        }
        compare(&reference, other).ok()?.finding.map(|finding| finding.message)
    }

    fn without_optimisations(&self, subject: Subject<'_>, inputs: &Inputs, run: &Run) -> Option<String> {
        let Subject { case, lowered } = subject;
        if lowered.applied.is_empty() || case.opts == OptPlan::Required {
            return None;
        }
        let ast = Arc::new(case.kernel.ast_with(&lowered.rules).ok()?);
        let plain = lower(&ast, &lowered.target, &OptPlan::Required, &lowered.rules).ok()?;
        let other = match interpreter::run(&plain, inputs, self.budget) {
            Ok(other) => other,
            Err(interpreter::RunError::Faults(faults)) => return faults.first().map(ToString::to_string),
            Err(interpreter::RunError::Unsupported(_)) => return None,
        };
        self.differs(subject, inputs, run, &other)
    }
}

/// The first element that two runs left different, among those that both wrote; where both ran whole, also one that
/// only one of them wrote, but of a buffer that the kernel reads: what it holds already need not be written.
fn difference(run: &Run, other: &Run, inputs: &Inputs) -> Option<String> {
    let whole = run.share.is_none() && other.share.is_none();
    for output in &run.outputs {
        let buffer = output.buffer;
        let found = other.outputs.iter().find(|other| other.buffer == buffer);
        let written = found.map_or(&[][..], |found| &found.written);
        let is_read = inputs.buffers.iter().any(|(read, _)| *read == buffer);
        if whole && !is_read && written.len() != output.written.len() {
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
    fail_of(NAME, message)
}

fn fail_of(oracle: &'static str, message: String) -> Verdict {
    Verdict::Fail(Box::new(Finding { oracle, kind: FindingKind::OtherMeaning, message }))
}
