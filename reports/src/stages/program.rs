//! The rules that fired, and the program record.

use super::heading;
use crate::terminal::{DIM, styled};
use plumb_core::ast::Ast;
use plumb_core::linearize::Lowered;
use plumb_core::program::{Estimate, Program};
use plumb_core::rule;
use std::fmt::Write;

/// Rules and record of a lowered kernel.
pub(super) fn show(text: &mut String, ast: &Ast, lowered: &Lowered) {
    heading(text, "Rules that fired");
    let fired: Vec<_> =
        rule::all().map(|rule| (rule, lowered.firings.of(rule.id))).filter(|(_, count)| *count > 0).collect();
    let width = fired.iter().map(|(rule, _)| rule.name.len()).max().unwrap_or_default();
    for (rule, count) in fired {
        // What it means to switch a rule off belongs to the list of rules.
        let sentence = rule.sentence.split(';').next().unwrap_or_default();
        let _ = writeln!(text, "  {count:>5}  {:width$}  {}", rule.name, styled(DIM, sentence));
    }
    heading(text, "Program");
    match lowered.program(ast) {
        Ok(program) => record(text, lowered, &program),
        Err(error) => {
            let _ = writeln!(text, "  no record: {error}");
        }
    }
}

fn record(text: &mut String, lowered: &Lowered, program: &Program) {
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<11} {value}");
    };
    row("launch", lowered.head().replace("local=", " local="));
    let buffers = program
        .buffers
        .iter()
        .map(|buffer| format!("buf{} {}{}", buffer.index, buffer.dtype, if buffer.output { " out" } else { "" }));
    let variables =
        program.variables.iter().map(|variable| format!("{} {}..{}", variable.name, variable.min, variable.max));
    row("arguments", buffers.chain(variables).collect::<Vec<_>>().join(", "));
    let estimate = |estimate: &Estimate| {
        let of_uops = estimate.uops.map_or_else(|| "unknown".to_owned(), |uops| program.text(uops));
        let parts = format!("(AST {}, uops {of_uops})", program.text(estimate.ast));
        format!("{} {}", program.text(estimate.estimate), styled(DIM, parts))
    };
    row("operations", estimate(&program.operations));
    row("bytes", estimate(&program.bytes));
    row("digest", lowered.digest());
}
