//! `plumb rules`: the rules, checks and lowering steps by name, and how often they fire.

use super::count::{self, Counts};
use crate::arguments::{ListFormat, RulesList};
use crate::terminal::{self, DIM, HEADING, NEW, WRONG, padded, styled};
use crate::{Failure, Outcome};
use anstyle::Style;
use plumb_core::differences;
use plumb_core::rule::{self, Group, RuleInfo};
use plumb_core::uop::UopRule;
use std::io::Write;

/// A line of the list.
struct Listed {
    rule: &'static RuleInfo,
    /// Holds only where all floats are finite, or but for rounding and the sign of zero.
    finite_only: bool,
    /// Where core differs from 0.9.0 in what the rule is about: titles of `core/DIFFERENCES.md`.
    differs: Vec<&'static str>,
}

/// Runs the command.
pub(crate) fn run(options: &RulesList) -> Result<Outcome, Failure> {
    let filter = options.filter.as_deref().unwrap_or_default();
    let listed: Vec<Listed> = rule::all().filter(|rule| rule.name.contains(filter)).map(listed).collect();
    let counts = count::count(options)?;
    let mut out = terminal::stdout();
    match options.format {
        ListFormat::Text => print(&mut out, &listed, counts.as_ref())?,
        ListFormat::Json => {
            for line in &listed {
                writeln!(out, "{}", json(line, counts.as_ref()))?;
            }
        }
    }
    out.flush()?;
    let unreadable = counts.map(|counts| counts.unreadable).unwrap_or_default();
    for message in &unreadable {
        eprintln!("plumb: {message}");
    }
    Ok(if unreadable.is_empty() { Outcome::Clean } else { Outcome::BadInput })
}

fn listed(rule: &'static RuleInfo) -> Listed {
    Listed {
        rule,
        finite_only: UopRule::FINITE_FLOAT_ONLY.iter().any(|only| only.info().id == rule.id),
        differs: differences::of_rule(rule.name).map(|entry| entry.title).collect(),
    }
}

/// The list for people, with counts in front where there are any.
fn print(out: &mut impl Write, listed: &[Listed], counts: Option<&Counts>) -> std::io::Result<()> {
    let width = listed.iter().map(|line| line.rule.name.len()).max().unwrap_or_default();
    if let Some(counts) = counts {
        writeln!(out, "{} kernels lowered, {} refused\n", counts.lowered, counts.refused)?;
        let heading = format!("{:>9} {:>7} {:>9}  {:width$}", "fired", "kernels", "passed", "rule");
        writeln!(out, "{}", styled(HEADING, heading))?;
    }
    for line in listed {
        let mut never = false;
        if let Some(counts) = counts {
            let id = line.rule.id;
            let (fired, passed) = (counts.firings.of(id), counts.firings.passed(id));
            never = fired == 0 && passed == 0;
            // Only checks let something pass.
            let passed = if id.group == Group::Opt { passed.to_string() } else { String::new() };
            let text = format!("{fired:>9} {:>7} {passed:>9}  ", counts.kernels(id));
            write!(out, "{}", if never { styled(DIM, text) } else { text })?;
        }
        let style = if never { DIM } else { Style::new() };
        let marks = [(line.finite_only, "F", WRONG), (!line.differs.is_empty(), "D", NEW)];
        let marks: String =
            marks.map(|(is, mark, style)| if is { styled(style, mark) } else { " ".to_owned() }).concat();
        writeln!(out, "{} {marks} {}", padded(style, line.rule.name, width), line.rule.sentence)?;
        if let (Some(altered), None) = (line.rule.altered, counts) {
            writeln!(out, "{:width$}    {}", "", styled(DIM, format_args!("altered: {altered}")))?;
        }
    }
    let marked = |is: fn(&Listed) -> bool| listed.iter().filter(|line| is(line)).count();
    let (finite, differ) = (marked(|line| line.finite_only), marked(|line| !line.differs.is_empty()));
    writeln!(out)?;
    writeln!(out, "{} rules", listed.len())?;
    if finite > 0 {
        writeln!(
            out,
            "{}  {finite} of floats, right only for finite ones, or but for rounding and the sign of zero",
            styled(WRONG, "F")
        )?;
    }
    if differ > 0 {
        writeln!(
            out,
            "{}  {differ} about which core differs from tinygrad 0.9.0 (core/DIFFERENCES.md)",
            styled(NEW, "D")
        )?;
    }
    if counts.is_some() {
        writeln!(out, "A check (opt/) fires when it refuses an optimisation; heuristics try some in vain.")?;
    }
    Ok(())
}

fn json(line: &Listed, counts: Option<&Counts>) -> serde_json::Value {
    let Listed { rule, finite_only, differs } = line;
    let mut value = serde_json::json!({
        "name": rule.name, "sentence": rule.sentence, "altered": rule.altered,
        "finite_floats_only": finite_only, "differs": differs,
    });
    if let Some(counts) = counts {
        value["fired"] = counts.firings.of(rule.id).into();
        value["kernels"] = counts.kernels(rule.id).into();
        if rule.id.group == Group::Opt {
            value["passed"] = counts.firings.passed(rule.id).into();
        }
    }
    value
}
