//! The reader of kernel logs as tinygrad prints them: Python source, one kernel a line (FORMATS.md §1).
//!
//! A line is an AST, a tuple of ASTs (one for each output), or a pair of such and a list of optimisations. It is read
//! by a parser of its own, never by running Python. A line repeats its subtrees, so that one kernel may be megabytes
//! of text; the kernel read from it has each only once.

mod ast;
mod buffers;
#[cfg(test)]
mod tests;
mod variables;

use crate::case::Kernel;
use crate::scan::Scanner;
use crate::text::ParseError;
use ast::Builder;
use buffers::{argument, items, require};
use plumb_core::kernel::{Opt, OptOp};

/// A kernel of a log, and the optimisations logged with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The kernel.
    pub kernel: Kernel,
    /// The optimisations, where the line is a pair.
    pub opts: Option<Vec<Opt>>,
}

/// Parses one line; `line` is its number from 1, for errors.
///
/// The steps of the kernel stand in the order in which their text ends, equal ones once: operands before what uses
/// them, outputs in the log's order.
pub fn parse_line(text: &str, line: usize) -> Result<Logged, ParseError> {
    let mut scanner = Scanner::new(text, line);
    let mut builder = Builder::default();
    let mut opts = None;
    if scanner.eat("(") {
        if scanner.eat("(") {
            asts(&mut scanner, &mut builder, false)?;
            scanner.expect(",")?;
            opts = Some(opt_list(&mut scanner)?);
            scanner.eat(",");
            scanner.expect(")")?;
        } else {
            opts = asts(&mut scanner, &mut builder, true)?;
        }
    } else {
        builder.node(&mut scanner)?;
    }
    if !scanner.at_end() {
        return Err(scanner.expected("the end of the line"));
    }
    Ok(Logged { kernel: builder.finish(), opts })
}

/// ASTs up to the `)` of their tuple; where `pair`, a list of optimisations may stand as the second item.
fn asts(scanner: &mut Scanner<'_>, builder: &mut Builder, pair: bool) -> Result<Option<Vec<Opt>>, ParseError> {
    builder.node(scanner)?;
    let mut more = 0;
    while scanner.eat(",") {
        match scanner.peek() {
            Some(b')') => break,
            Some(b'[') if pair && more == 0 => {
                let opts = opt_list(scanner)?;
                scanner.eat(",");
                scanner.expect(")")?;
                return Ok(Some(opts));
            }
            _ => builder.node(scanner)?,
        }
        more += 1;
    }
    if scanner.eat(")") { Ok(None) } else { Err(scanner.expected("`,` or `)`")) }
}

/// `[Opt(op=OptOps.LOCAL, axis=0, amt=8), …]`
fn opt_list(scanner: &mut Scanner<'_>) -> Result<Vec<Opt>, ParseError> {
    scanner.expect("[")?;
    items(scanner, "]", opt)
}

fn opt(scanner: &mut Scanner<'_>) -> Result<Opt, ParseError> {
    const NAMES: [&str; 3] = ["op", "axis", "amt"];
    scanner.skip_blanks();
    let start = scanner.at();
    scanner.expect("Opt")?;
    scanner.expect("(")?;
    let mut opt = Opt { op: OptOp::Tc, axis: None, amount: None };
    let mut given = 0;
    while let Some(index) = argument(scanner, &NAMES, &mut given)? {
        match index {
            0 => {
                scanner.expect("OptOps.")?;
                let at = scanner.at();
                let name = scanner.word().unwrap_or("");
                let known = OptOp::from_name(name);
                opt.op = known.ok_or_else(|| scanner.error_since(at, format!("`{name}` is no optimisation")))?;
            }
            1 => opt.axis = optional(scanner, "an axis")?,
            _ => opt.amount = optional(scanner, "an amount")?,
        }
    }
    require(scanner, "Opt", &NAMES, given, 1, start)?;
    Ok(opt)
}

fn optional(scanner: &mut Scanner<'_>, what: &str) -> Result<Option<i64>, ParseError> {
    if scanner.eat_word("None") { Ok(None) } else { scanner.integer(what).map(Some) }
}
