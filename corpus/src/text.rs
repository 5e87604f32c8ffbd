//! The `.kernel` text of a case (DESIGN.md sketches it): printing and parsing, round-tripping exactly.

use crate::case::Case;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// How many characters are wrong there; at least 1.
    pub length: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// Prints a case.
pub fn print(_case: &Case) -> String {
    unimplemented!()
}

/// Parses a case. Errors name line and column.
pub fn parse(_text: &str) -> Result<Case, ParseError> {
    unimplemented!()
}
