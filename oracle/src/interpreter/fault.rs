//! Collecting findings: at most one for each uop and kind, a handful in all, in the order in which they occur.

use crate::{Finding, FindingKind};
use plumb_core::constant::Constant;
use plumb_core::uop::{UopArg, UopList};
use std::fmt::Write;

/// Findings after which a run stops.
const LIMIT: usize = 8;

/// The findings so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    findings: Vec<Finding>,
    places: Vec<(u32, FindingKind)>,
}

impl Faults {
    /// Whether a finding of this kind at this uop would be new; otherwise its message need not be made.
    pub(super) fn wants(&self, uop: u32, kind: FindingKind) -> bool {
        self.findings.len() < LIMIT && !self.places.contains(&(uop, kind))
    }

    /// Adds a finding; `what` goes on after the uop's text.
    pub(super) fn add(&mut self, list: &UopList, uop: u32, kind: FindingKind, what: &str) {
        if self.wants(uop, kind) {
            self.places.push((uop, kind));
            let message = format!("uop {}{what}", describe(list, uop as usize));
            self.findings.push(Finding { oracle: "interpreter", kind, message });
        }
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// The findings.
    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}

/// A uop: its number, and the rest of its line in the uop text.
pub(super) fn describe(list: &UopList, position: usize) -> String {
    let Some(uop) = list.uops.get(position) else { return format!("{position} (beyond the list)") };
    let mut text = format!("{position} `{} ", uop.kind.name());
    match uop.dtype {
        Some(dtype) => write!(text, "{dtype}"),
        None => write!(text, "-"),
    }
    .and_then(|()| write!(text, " ["))
    .ok();
    for (i, source) in uop.sources.iter().enumerate() {
        write!(text, "{}{}", if i > 0 { "," } else { "" }, source.0).ok();
    }
    text.push_str("] ");
    match &uop.arg {
        UopArg::None => write!(text, "-"),
        UopArg::Alu(op) => write!(text, "{op}"),
        UopArg::Const(value) => write!(text, "{}", constant(*value)),
        UopArg::Global { index, output } => write!(text, "{index}:{}", if *output { "out" } else { "in" }),
        UopArg::Local { name, size } => write!(text, "{name}:{size}"),
        UopArg::Var { name, min, max } => write!(text, "{name}[{min},{max}]"),
        UopArg::Acc { init, buffer, number } => write!(text, "{}:{buffer}:{number}", constant(*init)),
        UopArg::Special { dim, name, size } => match size.int() {
            Some(size) => write!(text, "{dim}:{name}:{size}"),
            None => write!(text, "{dim}:{name}:(symbolic)"),
        },
        UopArg::Range { depth, number } => write!(text, "{depth}:{number}"),
        UopArg::Lane(lane) => write!(text, "{lane}"),
        UopArg::Wmma(wmma) => write!(text, "{}", wmma.name),
    }
    .ok();
    text.push('`');
    text
}

/// A constant in decimal: unlike in the uop text, floats too, for people.
fn constant(value: Constant) -> String {
    match value {
        Constant::Bool(value) => value.to_string(),
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) => format!("{value:?}"),
    }
}
