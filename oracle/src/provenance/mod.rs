//! The judge of provenance: whether each output element comes from the elements of the inputs that it must come from.
//!
//! Numbers may hide a wrong index: two elements may be equal, a maximum may be another one's, a rounding may swallow a
//! term. Here lanes carry no numbers but a *fingerprint* of what they came from, computed by the uops and, apart from
//! `core`, from the case itself; the two must be equal. Where they are not, both are evaluated once more with the
//! multiset of all elements that took part, and the message says which are missing and which are too many.
//!
//! # What a fingerprint is
//! Each element of each buffer is an unknown. A value is a polynomial of unknowns, and its fingerprint the polynomial at
//! a random point: modulo the prime 2^61 - 1 for floats and bools, modulo 2^bits for integers. Equal polynomials have
//! equal fingerprints; different ones have them with a probability of about their degree in 2^61 (for integers of `n`
//! bits, in 2^n; an index fault shows in many elements). So every rewrite that is right for numbers leaves the
//! fingerprint as it is: `x * 0` and `x - x` are the constant 0, of which no element is part; a sum may be taken in any
//! order and in any number of stages; what is added in each of `n` rounds may be added once, times `n`.
//!
//! - Functions, quotients, remainders and conversions are hashes of their operands' fingerprints; comparisons hash the
//!   difference, so that `-x < c` is `-c < x`. Between floats a conversion changes nothing.
//! - A maximum is the sum of the hashes of all that it is taken of: each of them counts, not only the largest. The least
//!   value of the type counts for nothing, other constants only as being there.
//!   A kernel that takes the maximum of what it computed with a maximum (`-(-max(x, y))`) is skipped.
//! - *Or* of truth values, sums and maxima of them among it, is the one operand with the greater fingerprint: terms may
//!   be counted once or many times.
//! - A WHERE whose condition follows from indices and constants alone is the branch taken; another one is a hash of all
//!   three, but for equal branches the branch. A gated load is a WHERE, so that what the gate hides counts for nothing.
//! - Constants are numbers. What a constant adds to a float is ignored, and a factor that is no whole number counts as
//!   *some* such factor: constants are folded with roundings of their own. Where an output comes from no element at all
//!   (an arange), there is nothing to compare; the values judge compares its numbers.
//!
//! # When not to rely on it
//! It does not see wrong constants, wrong operations of constants, or roundings. Lists whose control or addresses depend
//! on data, and loops of which each lane has its own count, are skipped. It runs some workgroups of a large kernel, and
//! says how many outputs it compared.

use crate::reference::program::{Op, Program};
use crate::reference::schedule::Schedule;
use crate::reference::{ReferenceError, lanes, layout, outputs};
use crate::{Finding, FindingKind, Oracle, Subject, Verdict, data};
use algebra::Algebra;
use grid::Grid;
use lane::Lane;
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::dtype::Scalar;
use run::{FIRST_BUDGETS, Machine};

mod algebra;
mod difference;
mod grid;
mod lane;
mod matrix;
mod meaning;
mod run;
#[cfg(test)]
mod tests;

const NAME: &str = "provenance";

/// From which fingerprints are drawn.
const SEED: u64 = 0x6f72_6967_696e;

/// Wrong elements that are confirmed with other fingerprints.
const CONFIRMED: usize = 16;

/// Follows elements from the inputs to the outputs.
#[derive(Clone, Copy, Debug)]
pub struct Provenance {
    /// Uop executions (one uop for one lane) after which no further workgroups are run, and step evaluations of the
    /// reference after which no further outputs are compared. The first workgroups may take twenty times as many.
    pub budget: u64,
}

impl Default for Provenance {
    /// About a millisecond a kernel.
    fn default() -> Provenance {
        Provenance { budget: 60_000 }
    }
}

/// Why there is nothing to compare: a short phrase.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("provenance is not followed: {0}")]
struct Unsupported(String);

impl Oracle for Provenance {
    fn is_second_opinion(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "follows which elements of which buffers each output element comes from"
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        let judged = data::bindings(subject.case).map_err(Stop::from).and_then(|(bindings, program)| {
            let outputs = Outputs::of(&program)?;
            let (bindings, program) = (&bindings, &program);
            Comparison { subject, bindings, program, outputs, budget: self.budget }.judge()
        });
        match judged {
            Ok(verdict) => verdict,
            Err(Stop::Reference(error @ ReferenceError::Invalid(_))) => Verdict::Unknown(error.to_string()),
            Err(other) => Verdict::Skipped(other.to_string()),
        }
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum Stop {
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
}

/// The stores of a kernel.
struct Outputs<'a> {
    stores: Vec<Store<'a>>,
}

struct Store<'a> {
    buffer: u32,
    layout: &'a layout::Layout,
    scalar: Scalar,
    shape: &'a [i64],
    /// Of the store itself, whose value is the source's, converted.
    schedule: Schedule,
}

impl<'a> Outputs<'a> {
    fn of(program: &'a Program) -> Result<Outputs<'a>, ReferenceError> {
        if maximum_of_computed(program) {
            let what = "a maximum of what was computed with a maximum";
            return Err(ReferenceError::Unsupported(what.to_owned()));
        }
        let mut stores: Vec<Store<'a>> = Vec::new();
        for (number, step) in program.steps.iter().enumerate() {
            let Op::Store { buffer, layout, .. } = step.op else { continue };
            if stores.iter().any(|store| store.buffer == buffer) {
                return Err(ReferenceError::Unsupported("several stores to one buffer".to_owned()));
            }
            let schedule = Schedule::new(program, number)?;
            let (layout, shape) = (&*program.layouts[layout], &*step.shape);
            stores.push(Store { buffer, layout, scalar: step.scalar, shape, schedule });
        }
        Ok(Outputs { stores })
    }
}

/// Whether a maximum is taken of the result of arithmetic on another maximum. Rewriting may do away with the arithmetic,
/// and then the two are one.
fn maximum_of_computed(program: &Program) -> bool {
    let is_maximum = |op: &Op| matches!(op, Op::Alu(AluOp::Max, _) | Op::Reduce { op: ReduceOp::Max, .. });
    let mut holds: Vec<bool> = Vec::with_capacity(program.steps.len());
    for step in &program.steps {
        let operands = step.op.operands();
        let computed = |&operand: &usize| holds[operand] && !is_maximum(&program.steps[operand].op);
        if is_maximum(&step.op) && operands.iter().any(computed) {
            return true;
        }
        let hashes = matches!(
            step.op,
            Op::Alu(AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt | AluOp::CmpLt | AluOp::CmpEq, _)
        );
        holds.push(is_maximum(&step.op) || !hashes && operands.iter().any(|&operand| holds[operand]));
    }
    false
}

/// A kernel and what to compare it with.
struct Comparison<'a> {
    subject: Subject<'a>,
    bindings: &'a [(String, i64)],
    program: &'a Program,
    outputs: Outputs<'a>,
    budget: u64,
}

/// An output element that comes from elsewhere than it must.
struct Wrong {
    element: i64,
    group: u64,
}

impl Comparison<'_> {
    fn judge(&self) -> Result<Verdict, Stop> {
        let grid = Grid::of(self.subject.lowered, self.bindings)?;
        let mut algebra = Algebra::new(SEED);
        let mut machine = Machine::new(self.subject.lowered, &grid, self.bindings, &mut algebra);
        let (written, whole) = machine.run(self.budget)?;
        let mut compared = 0;
        for store in &self.outputs.stores {
            let range = (store.buffer, i64::MIN)..=(store.buffer, i64::MAX);
            let elements: Vec<_> =
                written.range(range).map(|(&(_, element), &(lane, group))| (element, lane, group)).collect();
            let cost = store.schedule.cost(self.program).max(1);
            if cost > self.budget * FIRST_BUDGETS {
                return Err(Unsupported("one output alone comes from too much".to_owned()).into());
            }
            let affordable = usize::try_from(self.budget * 4 / cost).unwrap_or(usize::MAX).max(1);
            let step = elements.len().div_ceil(affordable).max(1);
            let sample: Vec<_> = elements.into_iter().step_by(step).collect();
            compared += sample.len();
            let wrong = self.wrong(store, &sample, SEED)?;
            if let Some(message) = self.confirm(store, &grid, &wrong)? {
                return Ok(fail(message));
            }
        }
        let all = whole && compared == written.len();
        Ok(Verdict::Pass { share: (!all).then(|| format!("provenance of {compared} output elements compared")) })
    }

    /// Those of the elements whose provenance is not the reference's.
    fn wrong(&self, store: &Store<'_>, sample: &[(i64, Lane, u64)], seed: u64) -> Result<Vec<Wrong>, ReferenceError> {
        let elements: Vec<i64> = sample.iter().map(|&(element, ..)| element).collect();
        let places = outputs::places(store.layout, &elements)?;
        let inside: Vec<i64> = places.iter().copied().flatten().collect();
        let expected = meaning::evaluate(&mut Algebra::new(seed), self.program, &store.schedule, &inside)?;
        let mut expected = expected.into_iter();
        let mut wrong = Vec::new();
        for (&(element, lane, group), place) in sample.iter().zip(places) {
            let right = match place {
                None => false,
                Some(_) => expected.next().is_some_and(|expected| same(expected, lane, store.scalar)),
            };
            if !right {
                wrong.push(Wrong { element, group });
            }
        }
        Ok(wrong)
    }

    /// What is wrong with the first of the elements that is so with other fingerprints, too.
    fn confirm(&self, store: &Store<'_>, grid: &Grid, wrong: &[Wrong]) -> Result<Option<String>, Unsupported> {
        for Wrong { element, group } in wrong.iter().take(CONFIRMED) {
            let place =
                outputs::places(store.layout, &[*element]).ok().and_then(|places| places.first().copied().flatten());
            let Some(place) = place else {
                return Ok(Some(format!("writes buf{}[{element}], which is no output of the kernel", store.buffer)));
            };
            let again = [SEED ^ 0xabcd, SEED ^ 0x1234_5678];
            let mut description = String::new();
            let confirmed = again.into_iter().try_fold(true, |confirmed, seed| {
                let (mut got, mut expected) = (Algebra::tracing(seed), Algebra::tracing(seed));
                let mut machine = Machine::new(self.subject.lowered, grid, self.bindings, &mut got);
                let lane = machine.run_one(*group)?.get(&(store.buffer, *element)).map(|&(lane, _)| lane);
                let reference = meaning::evaluate(&mut expected, self.program, &store.schedule, &[place]);
                let (Some(lane), Ok(Some(reference))) = (lane, reference.map(|lanes| lanes.first().copied())) else {
                    return Ok(false);
                };
                description = difference::describe(
                    &difference::elements(expected.trace(), reference.trace),
                    &difference::elements(got.trace(), lane.trace),
                );
                Ok(confirmed && !same(reference, lane, store.scalar))
            })?;
            if confirmed {
                let axes = lanes::Coordinates::of(store.shape, &[place]).axes;
                let place: Vec<String> = axes.iter().filter_map(|axis| Some(axis.first()?.to_string())).collect();
                let others = if wrong.len() > 1 { format!(" ({} such elements)", wrong.len()) } else { String::new() };
                let buffer = store.buffer;
                return Ok(Some(format!(
                    "output ({}), buf{buffer}[{element}], {description}{others}",
                    place.join(",")
                )));
            }
        }
        Ok(None)
    }
}

/// Whether two lanes have the same provenance. Of constants nothing is asked.
fn same(a: Lane, b: Lane, scalar: Scalar) -> bool {
    a == b || a.is_constant() == b.is_constant() && (a.is_constant() || a.ring(scalar) == b.ring(scalar))
}

fn fail(message: String) -> Verdict {
    Verdict::Fail(Box::new(Finding { oracle: NAME, kind: FindingKind::WrongProvenance, message }))
}
