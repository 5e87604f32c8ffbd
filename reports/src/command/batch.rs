//! Many cases on all threads: judged in parallel, reported in order.
//!
//! What is printed, saved and counted does not depend on the number of threads: cases are taken in chunks, a chunk is
//! judged in parallel, and its reports are read in the order of its cases.

use crate::arguments::JudgeOptions;
use crate::finding;
use crate::judging::{CaseReport, Judging, Standing};
use crate::progress::Progress;
use crate::summary::Summary;
use crate::{Failure, Outcome};
use plumb_corpus::case::Case;
use plumb_oracle::Verdict;
use rayon::prelude::*;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Cases in a chunk, for each thread: enough to keep all threads busy, few enough to report soon.
const CHUNK_PER_THREAD: usize = 64;

/// A case ready to be judged, or why there is none.
pub(super) struct Prepared {
    /// Where the case comes from, as people would name it: `sops.gz kernel 17`, `sweep --seed 1, case 17`.
    pub(super) origin: String,
    /// The case, or what is wrong with what was to become one.
    pub(super) case: Result<Case, String>,
}

/// Judges all of `sources`, prepared by `prepare` on the threads, until they end or `stop` says so.
pub(super) fn judge_all<S: Send>(
    options: &JudgeOptions,
    total: Option<u64>,
    mut sources: impl Iterator<Item = S>,
    prepare: impl Fn(S) -> Prepared + Sync,
    stop: impl Fn() -> bool,
) -> Result<Outcome, Failure> {
    let judging = Judging::new(&options.oracles, options.rules.rules()).map_err(Failure::Usage)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.unwrap_or(0))
        .build()
        .map_err(|error| Failure::Usage(format!("can't start the threads: {error}")))?;
    let started = Instant::now();
    let mut run = Run { options, progress: Progress::new(total), summary: Summary::default() };
    let chunk_size = CHUNK_PER_THREAD * pool.current_num_threads();
    while !stop() && !run.is_full() {
        let chunk: Vec<S> = sources.by_ref().take(chunk_size).collect();
        if chunk.is_empty() {
            break;
        }
        let judged: Vec<(Prepared, Option<CaseReport>)> = pool.install(|| {
            let groups: Vec<Vec<S>> = grouped(chunk, judging.group());
            groups.into_par_iter().flat_map_iter(|group| judge_group(&judging, group, &prepare)).collect()
        });
        let cases = judged.len() as u64;
        for (prepared, report) in &judged {
            if run.is_full() {
                break;
            }
            run.take(prepared, report.as_ref())?;
        }
        run.progress.advance(cases, run.summary.failed());
    }
    run.finish(started)
}

/// `items` in groups of at most `size`.
fn grouped<T>(items: Vec<T>, size: usize) -> Vec<Vec<T>> {
    let mut items = items.into_iter();
    std::iter::from_fn(|| Some(items.by_ref().take(size.max(1)).collect()).filter(|group: &Vec<T>| !group.is_empty()))
        .collect()
}

/// Prepares and judges the cases of a group together.
fn judge_group<S>(
    judging: &Judging,
    group: Vec<S>,
    prepare: &(impl Fn(S) -> Prepared + Sync),
) -> Vec<(Prepared, Option<CaseReport>)> {
    let prepared: Vec<Prepared> = group.into_iter().map(prepare).collect();
    let cases: Vec<&Case> = prepared.iter().filter_map(|prepared| prepared.case.as_ref().ok()).collect();
    let mut reports = judging.judge(&cases).into_iter();
    let reports: Vec<Option<CaseReport>> =
        prepared.iter().map(|prepared| prepared.case.is_ok().then(|| reports.next()).flatten()).collect();
    prepared.into_iter().zip(reports).collect()
}

struct Run<'a> {
    options: &'a JudgeOptions,
    progress: Progress,
    summary: Summary,
}

impl Run<'_> {
    /// Whether as many cases have failed as were asked for.
    fn is_full(&self) -> bool {
        self.options.max_failures > 0 && self.summary.failed() >= self.options.max_failures as u64
    }

    fn take(&mut self, prepared: &Prepared, report: Option<&CaseReport>) -> Result<(), Failure> {
        match (&prepared.case, report) {
            (Ok(case), Some(report)) => {
                self.summary.count(report);
                let saved = match report.standing() {
                    Standing::Failed => Some(finding::save(&self.options.out, case, report, &prepared.origin)?),
                    _ => None,
                };
                if self.options.json {
                    self.print_json(prepared, report, saved.as_deref())?;
                } else if let Some(path) = saved {
                    self.print_failure(prepared, report, &path)?;
                }
            }
            (Err(message), _) => {
                self.summary.count_unreadable();
                self.progress.suspend(|| eprintln!("plumb: {}: {message}", prepared.origin));
            }
            (Ok(_), None) => {}
        }
        Ok(())
    }

    fn print_failure(&self, prepared: &Prepared, report: &CaseReport, path: &Path) -> Result<(), Failure> {
        self.progress.suspend(|| {
            let mut out = std::io::stdout().lock();
            writeln!(out, "FAILED {}", prepared.origin)?;
            for finding in report.findings() {
                writeln!(out, "  {finding}")?;
            }
            Ok(writeln!(out, "  replay: {}", self.replay(path))?)
        })
    }

    /// The command that judges the saved case again.
    fn replay(&self, path: &Path) -> String {
        // The wrapper says by what name it was called.
        let command = std::env::var("PLUMB_COMMAND").unwrap_or_else(|_| "plumb".to_owned());
        format!("{command} check {}{}", path.display(), self.options.rules.replay())
    }

    fn print_json(&self, prepared: &Prepared, report: &CaseReport, saved: Option<&Path>) -> Result<(), Failure> {
        let (standing, reason) = match report.standing() {
            Standing::Passed { whole: true } => return Ok(()),
            Standing::Passed { whole: false } => ("passed in part", None),
            Standing::Failed => ("failed", None),
            Standing::Unknown(reason) => ("unknown", Some(reason)),
            Standing::Skipped(reason) => ("skipped", Some(reason)),
        };
        let verdicts: Vec<_> = report
            .verdicts
            .iter()
            .map(|(oracle, verdict)| {
                let (name, detail) = match verdict {
                    Verdict::Pass { share } => ("pass", share.clone()),
                    Verdict::Fail(finding) => ("fail", Some(finding.message.clone())),
                    Verdict::Unknown(reason) => ("unknown", Some(reason.clone())),
                    Verdict::Skipped(reason) => ("skipped", Some(reason.clone())),
                };
                let kind = match verdict {
                    Verdict::Fail(finding) => Some(finding::kind_name(finding.kind)),
                    _ => None,
                };
                serde_json::json!({ "oracle": oracle, "verdict": name, "kind": kind, "detail": detail })
            })
            .collect();
        let line = serde_json::json!({
            "case": prepared.origin,
            "standing": standing,
            "reason": reason,
            "verdicts": verdicts,
            "left_out": report.left_out,
            "replay": saved.map(|path| self.replay(path)),
        });
        self.progress.suspend(|| Ok(writeln!(std::io::stdout(), "{line}")?))
    }

    fn finish(mut self, started: Instant) -> Result<Outcome, Failure> {
        self.progress.finish();
        self.summary.finish(started.elapsed());
        let mut out = std::io::stdout().lock();
        if self.options.json {
            writeln!(out, "{}", serde_json::json!({ "summary": self.summary }))?;
        } else {
            writeln!(out, "{}", self.summary.table())?;
            if self.is_full() {
                writeln!(out, "stopped after {} failures (--max-failures)", self.options.max_failures)?;
            }
        }
        Ok(if self.summary.failed() > 0 {
            Outcome::Objected
        } else if self.summary.unreadable() > 0 {
            Outcome::BadInput
        } else {
            Outcome::Clean
        })
    }
}
