//! Proofs over all values of all variables, where a sample would only try some.
//!
//! So far: whether two index expressions are equal over their variables' ranges ([`identity`]), and whether what
//! `core` makes of an expression equals it and lies within the bounds that `core` states ([`simplification`]).

mod access;
mod axes;
pub mod cache;
mod coverage;
mod decide;
mod expected;
pub mod expression;
mod extract;
mod flow;
mod forms;
mod gate;
mod judge;
mod kernel;
mod local;
mod matrix;
mod naive;
mod prover;
mod question;
mod solve;
mod structure;
mod wiring;
pub mod worker;
mod zeros;

use expression::{Expression, Range, TextError, parse_ranges};
use plumb_core::rule::Rules;
use plumb_core::symbolic::{ExpressionError, simplify_text};

pub use decide::How;
pub use judge::Prove;
pub use kernel::{Ending, Kind, Obligation};
pub use prover::Prover;
pub use solve::Effort;

/// What became of an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Holds for all values.
    Proved,
    /// Does not hold for these values of the variables, in the order of the ranges. They were tried: see
    /// [`Expression::evaluate`].
    Refuted(Vec<i64>),
    /// Could not be decided, and why.
    Unknown(String),
}

/// Why there is nothing to prove.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// A text is wrong.
    #[error(transparent)]
    Text(#[from] TextError),
    /// `core` refuses the expression.
    #[error("core refuses the expression: {0}")]
    Core(#[from] ExpressionError),
    /// `core`'s answer is not of the form `expression min=… max=…`.
    #[error("core's answer can't be read: {0}")]
    Answer(String),
}

/// Whether `left` equals `right` for all values of the variables in `ranges` (`x[0,9] y[0,3]`). Where one of them
/// divides by zero, both must.
pub fn identity(ranges: &str, left: &str, right: &str, effort: Effort) -> Result<Proof, ProveError> {
    let ranges = parse_ranges(ranges)?;
    let (left, right) = (Expression::parse(left, &ranges)?, Expression::parse(right, &ranges)?);
    Ok(solve::equal(&ranges, &left, &right, effort))
}

/// `x=3 y=0: 4 and 5`: the values of the variables, and what both sides come to.
pub fn values_of_sides(ranges: &str, left: &str, right: &str, values: &[i64]) -> Result<String, ProveError> {
    let ranges = parse_ranges(ranges)?;
    let (left, right) = (Expression::parse(left, &ranges)?, Expression::parse(right, &ranges)?);
    let bound = ranges.iter().zip(values).map(|(range, value)| format!("{}={value}", range.name));
    let value = |side: &Expression| side.evaluate(values).map_or("undefined".to_owned(), |value| value.to_string());
    Ok(format!("{}: {} and {}", bound.collect::<Vec<_>>().join(" "), value(&left), value(&right)))
}

/// Whether what `core`, with `rules`, makes of `text` equals it for all values, and whether the value never leaves
/// the bounds that `core` states.
pub fn simplification(ranges: &str, text: &str, rules: &Rules, effort: Effort) -> Result<Proof, ProveError> {
    let answer = simplify_text(ranges, text, rules)?;
    let ranges = parse_ranges(ranges)?;
    let naive = Expression::parse(text, &ranges)?;
    let (simplified, low, high) = read_answer(&answer, &ranges)?;
    let proof = solve::equal(&ranges, &naive, &simplified, effort);
    if proof != Proof::Proved {
        return Ok(proof);
    }
    Ok(solve::within(&ranges, &naive, low, high, effort))
}

fn read_answer(answer: &str, ranges: &[Range]) -> Result<(Expression, i64, i64), ProveError> {
    let unreadable = || ProveError::Answer(answer.to_owned());
    let (text, bounds) = answer.rsplit_once(" min=").ok_or_else(unreadable)?;
    let (low, high) = bounds.split_once(" max=").ok_or_else(unreadable)?;
    let number = |text: &str| match text {
        "True" => Ok(1),
        "False" => Ok(0),
        digits => digits.parse().map_err(|_| unreadable()),
    };
    let text = match text {
        "True" => "1",
        "False" => "0",
        other => other,
    };
    Ok((Expression::parse(text, ranges)?, number(low)?, number(high)?))
}
