//! The `.kernel` text of a case: printing and parsing, round-tripping exactly. `corpus/README.md` has the grammar.

mod layout;
mod parse;
mod print;
mod step;
#[cfg(test)]
mod strategies;
#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::scan::Scanner;
use plumb_core::kernel::OptPlan;

/// The first line of every case; the number is raised when texts change their meaning.
pub const VERSION_LINE: &str = "plumb case 1";

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

/// Characters before and after the fault that [`ParseError::show`] prints of a long line.
const AROUND: usize = 60;

impl ParseError {
    /// The error with the part of `text` (all of what was parsed) that is wrong, and carets below it.
    pub fn show(&self, text: &str) -> String {
        let first = self.column.saturating_sub(1).saturating_sub(AROUND);
        let line = text.lines().nth(self.line.saturating_sub(1)).unwrap_or("");
        // Tabs would move the carets.
        let part: String = line.chars().skip(first).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let shown: String = part.chars().take(2 * AROUND).collect();
        let indent = self.column.saturating_sub(1) - first;
        let carets = self.length.clamp(1, (2 * AROUND).saturating_sub(indent).max(1));
        format!("{self}\n  {}\n  {}{}", shown.trim_end(), " ".repeat(indent), "^".repeat(carets))
    }
}

/// Prints a case in the canonical form. It reads back as the same case, if that is [well-formed](Case::check).
pub fn print(case: &Case) -> String {
    print::case(case)
}

/// Parses a case, and [checks](Case::check) it.
///
/// # Errors
/// The first thing that is wrong, with line and column, and what was expected.
pub fn parse(text: &str) -> Result<Case, ParseError> {
    parse_at(text, 1)
}

/// As [`parse`], for a case that begins on line `first_line` (from 1) of its file.
pub fn parse_at(text: &str, first_line: usize) -> Result<Case, ParseError> {
    parse::case(text, first_line)
}

/// Prints a plan as it stands after `opts`: `hand`, `none`, `UPCAST:0:4 LOCAL:0:2`, `[]` for the empty list.
pub fn print_plan(plan: &OptPlan) -> String {
    print::plan(plan)
}

/// Parses what [`print_plan`] prints.
///
/// # Errors
/// What is neither; the line is 1.
pub fn parse_plan(text: &str) -> Result<OptPlan, ParseError> {
    let mut scanner = Scanner::new(text, 1);
    let plan = parse::plan(&mut scanner)?;
    if scanner.at_end() { Ok(plan) } else { Err(scanner.expected("an optimisation or the end")) }
}
