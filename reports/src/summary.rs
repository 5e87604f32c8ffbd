//! The summary of a run: how many cases passed, failed, could not be told, were skipped and why, and how fast.

use crate::judging::{CaseReport, Standing};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Counts over all cases of a run.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Summary {
    cases: u64,
    passed: u64,
    /// Passed, but only a share of the outputs was looked at.
    passed_in_part: u64,
    failed: u64,
    unknown: u64,
    skipped: u64,
    unreadable: u64,
    skip_reasons: BTreeMap<String, u64>,
    unknown_reasons: BTreeMap<String, u64>,
    /// Second opinions that were not given on cases that passed: why, and how many.
    left_out: BTreeMap<String, u64>,
    seconds: f64,
}

impl Summary {
    /// Counts a judged case.
    pub(crate) fn count(&mut self, report: &CaseReport) {
        self.cases += 1;
        match report.standing() {
            Standing::Passed { whole } => {
                self.passed += 1;
                self.passed_in_part += u64::from(!whole);
                for reason in &report.left_out {
                    *self.left_out.entry(reason.clone()).or_default() += 1;
                }
            }
            Standing::Failed => self.failed += 1,
            Standing::Unknown(reason) => {
                self.unknown += 1;
                *self.unknown_reasons.entry(reason).or_default() += 1;
            }
            Standing::Skipped(reason) => {
                self.skipped += 1;
                *self.skip_reasons.entry(reason).or_default() += 1;
            }
        }
    }

    /// Counts a kernel that could not be read.
    pub(crate) fn count_unreadable(&mut self) {
        self.unreadable += 1;
    }

    /// Failed cases so far.
    pub(crate) fn failed(&self) -> u64 {
        self.failed
    }

    /// Kernels that could not be read so far.
    pub(crate) fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Ends the run, which took `elapsed`.
    pub(crate) fn finish(&mut self, elapsed: Duration) {
        self.seconds = elapsed.as_secs_f64();
    }

    /// The table that people read.
    pub(crate) fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let mut row = |name: &str, count: u64, note: String| {
            table.add_row([name.to_owned(), count.to_string(), note]);
        };
        let rate = if self.seconds > 0.0 { self.cases as f64 / self.seconds } else { 0.0 };
        row("cases", self.cases, format!("in {:.1} s, {rate:.0} cases/s", self.seconds));
        let part = match self.passed_in_part {
            0 => String::new(),
            count => format!("{count} of them on a share of their outputs, as too large to run whole"),
        };
        row("passed", self.passed, part);
        for (reason, count) in by_count(&self.left_out) {
            row("", *count, format!("of them not looked at by {reason}"));
        }
        row("failed", self.failed, String::new());
        row("unknown", self.unknown, percent(self.unknown, self.cases));
        for (reason, count) in by_count(&self.unknown_reasons) {
            row("", *count, reason.clone());
        }
        row("skipped", self.skipped, percent(self.skipped, self.cases));
        for (reason, count) in by_count(&self.skip_reasons) {
            row("", *count, reason.clone());
        }
        if self.unreadable > 0 {
            row("unreadable", self.unreadable, "see the messages above".to_owned());
        }
        if let Some(column) = table.column_mut(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.trim_fmt()
    }
}

fn percent(part: u64, whole: u64) -> String {
    if part == 0 { String::new() } else { format!("{:.2} %", 100.0 * part as f64 / whole.max(1) as f64) }
}

/// The most frequent reason first; equally frequent ones by name.
fn by_count(reasons: &BTreeMap<String, u64>) -> Vec<(&String, &u64)> {
    let mut reasons: Vec<_> = reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    reasons
}
