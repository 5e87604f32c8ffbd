//! `plumb rules`: the rules, checks and lowering steps by name.

use crate::arguments::{ListFormat, RulesList};
use crate::{Failure, Outcome};
use plumb_core::rule;
use std::io::Write;

/// Runs the command.
pub(crate) fn run(options: &RulesList) -> Result<Outcome, Failure> {
    let filter = options.filter.as_deref().unwrap_or_default();
    let listed: Vec<_> = rule::all().filter(|rule| rule.name.contains(filter)).collect();
    let mut out = std::io::stdout().lock();
    match options.format {
        ListFormat::Text => {
            let width = listed.iter().map(|rule| rule.name.len()).max().unwrap_or_default();
            for rule in &listed {
                writeln!(out, "{:width$}  {}", rule.name, rule.sentence)?;
                if let Some(altered) = rule.altered {
                    writeln!(out, "{:width$}  altered: {altered}", "")?;
                }
            }
        }
        ListFormat::Json => {
            for rule in &listed {
                let line = serde_json::json!({
                    "name": rule.name, "sentence": rule.sentence, "altered": rule.altered,
                });
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(Outcome::Clean)
}
