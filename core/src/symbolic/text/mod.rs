//! Index expressions as people write them, for `plumb sym`.
//!
//! Python's syntax and meaning: `*`, `//` and `%` bind tighter than `+` and `-`, comparisons loosest; chains associate to
//! the left; numbers are folded before they meet a variable. Comparisons can't be chained.

mod evaluate;
mod lexer;
mod parser;
mod ranges;

use super::{Arena, Sint};
use crate::rule::Rules;
use evaluate::Value;

/// What is wrong with the text given to `plumb sym`: where (byte column, from 1) and what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct ExpressionError {
    /// Byte column, from 1, in the expression; in the ranges, where the message says so.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl ExpressionError {
    fn new(column: usize, message: impl Into<String>) -> ExpressionError {
        ExpressionError { column, message: message.into() }
    }
}

/// What `plumb sym` answers: `ranges` such as `x[0,9] y[0,3]` and an expression over those variables give the simplified
/// expression and its bounds, `(x%3) min=0 max=2`.
///
/// # Errors
/// Text that is no expression, an unknown name, and whatever the arithmetic can't do; each with its place.
pub fn simplify_text(ranges: &str, expression: &str, rules: &Rules) -> Result<String, ExpressionError> {
    let mut arena = Arena::new(*rules);
    let variables = ranges::variables(&mut arena, ranges)?;
    let tokens = lexer::tokens(expression)?;
    let value = parser::Parser::new(&mut arena, &variables, &tokens).parse()?;
    let (text, min, max) = match value {
        Value::Bool(value) => {
            let name = if value { "True" } else { "False" };
            (name.to_owned(), name.to_owned(), name.to_owned())
        }
        Value::Int(value) => (value.to_string(), value.to_string(), value.to_string()),
        Value::Node(id) => {
            let max: Sint = arena.max(id);
            (arena.render(id), arena.min(id).to_string(), arena.render_sint(max))
        }
    };
    Ok(format!("{text} min={min} max={max}"))
}
