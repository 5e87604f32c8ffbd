//! The reader of kernel logs as tinygrad prints them: Python source, one kernel a line (FORMATS.md §1).

use crate::case::Kernel;
use crate::text::ParseError;
use plumb_core::kernel::Opt;

/// A kernel of a log, and the optimisations logged with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The kernel.
    pub kernel: Kernel,
    /// The optimisations, where the line is a pair.
    pub opts: Option<Vec<Opt>>,
}

/// Parses one line; `line` is its number from 1, for errors.
pub fn parse_line(_text: &str, _line: usize) -> Result<Logged, ParseError> {
    unimplemented!()
}
