//! The judges: each takes a case and what `core` made of it, and answers with a [`Verdict`].
//!
//! No judge calls `core`'s index or view arithmetic to compute what it expects: a judge that shares code with the
//! judged is no judge.

use plumb_core::linearize::Lowered;
use plumb_corpus::case::Case;
use std::fmt;

pub mod backend;
pub mod compare;
pub mod data;
pub mod interpreter;
pub mod launch;
pub mod layouts;
pub mod optimisations;
pub mod prove;
pub mod provenance;
pub mod reference;
pub mod same_meaning;
pub mod symbolic;
pub mod values;

/// What a judge looks at.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The case.
    pub case: &'a Case,
    /// What `core` made of it.
    pub lowered: &'a Lowered,
}

/// A judge's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing to object. `share` says so where only a part of the outputs was looked at.
    Pass {
        /// `None`: everything; otherwise which part, in words and numbers.
        share: Option<String>,
    },
    /// The kernel is wrong.
    Fail(Box<Finding>),
    /// The judge can't tell, and why.
    Unknown(String),
    /// Not this judge's business, and why: a short phrase by which skips are counted.
    Skipped(String),
}

/// What kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A value differs from the reference's.
    WrongValue,
    /// A view shows another element at a place, or padding, than its movements say.
    WrongLayout,
    /// An optimisation leaves the state of a kernel unsound, or changes it though it is refused.
    KernelState,
    /// An output element does not come from the elements that it must come from.
    WrongProvenance,
    /// Another form of the same kernel means something else: another order of its uops, it without optimisations, or
    /// rewritten again.
    OtherMeaning,
    /// An access outside its buffer.
    OutOfBounds,
    /// A read of memory that was never written.
    UninitialisedRead,
    /// Two lanes touch one cell, at least one writing, with no barrier between.
    Race,
    /// A barrier that not all lanes of a group reach.
    DivergentBarrier,
    /// An output element written twice, or never.
    OutputCoverage,
    /// An address, a gate or the bound of a loop computed by integer arithmetic that overflows or divides by zero.
    IndexArithmetic,
    /// An access of several elements at once whose address is no multiple of their number.
    Misaligned,
    /// A launch that the target can't make: dimensions or shared memory beyond its limits.
    Launch,
    /// Lowering failed or refused where it should not.
    Lowering,
    /// Lowering or a judge panicked.
    Panic,
    /// The uop list is malformed.
    Malformed,
    /// A compiler refuses the rendered source.
    Compilation,
    /// A compiled kernel, its driver or its compiler crashes or hangs.
    Crash,
}

/// What is wrong, where.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The judge that objects.
    pub oracle: &'static str,
    /// What kind of fault.
    pub kind: FindingKind,
    /// One sentence with the place and the values: expected and got.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}: {}", self.oracle, self.kind, self.message)
    }
}

/// A judge.
pub trait Oracle: Send + Sync {
    /// Its name in options and reports.
    fn name(&self) -> &'static str;
    /// One sentence on what it checks.
    fn description(&self) -> &'static str;
    /// Whether the judge looks once more at what `values` looks at, in another way: where it does not look, the case has
    /// been judged all the same.
    fn is_second_opinion(&self) -> bool {
        false
    }

    /// Judges.
    fn judge(&self, subject: Subject<'_>) -> Verdict;

    /// How many cases are best judged together.
    fn batch(&self) -> usize {
        1
    }

    /// Judges several cases: a verdict for each, in order.
    fn judge_all(&self, subjects: &[Subject<'_>]) -> Vec<Verdict> {
        subjects.iter().map(|&subject| self.judge(subject)).collect()
    }
}

/// All judges that need nothing but the case and its uops, in the order in which they are asked.
///
/// A new judge implements [`Oracle`] in a module of its own and is listed here.
pub fn judges() -> Vec<Box<dyn Oracle>> {
    vec![
        Box::new(launch::Launch),
        Box::new(values::Values::default()),
        Box::new(provenance::Provenance::default()),
        Box::new(same_meaning::SameMeaning::default()),
    ]
}

/// Judges of single parts of `core`, asked by name: what they see the others see too, most of the time, but later and
/// with less said about where.
///
/// A new one implements [`Oracle`] in a module of its own and is listed here.
pub fn judges_of_parts() -> Vec<Box<dyn Oracle>> {
    vec![
        Box::new(layouts::Layouts),
        Box::new(optimisations::Optimisations),
        Box::new(same_meaning::Rewrites::default()),
    ]
}
