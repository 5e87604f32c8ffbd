//! `plumb prove FILE…`: every obligation of every kernel of case files and logs.

use crate::arguments::Prove;
use crate::input::{self, Entry};
use crate::judging::{Judging, workers};
use crate::{Failure, Outcome};
use comfy_table::{Table, presets};
use plumb_oracle::prove::cache::Cache;
use plumb_oracle::prove::{Ending, How, Kind, Obligation, Prover};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// How obligations of one kind ended.
#[derive(Clone, Copy, Default)]
struct Counts {
    proved: [u64; 5],
    refuted: u64,
    unknown: u64,
}

/// What the run found.
#[derive(Default)]
struct Tally {
    kernels: u64,
    skipped: BTreeMap<String, u64>,
    counts: BTreeMap<Kind, Counts>,
    reasons: BTreeMap<String, u64>,
    refuted: Vec<(String, Obligation)>,
    examples: BTreeMap<String, String>,
}

/// Runs the command.
pub(crate) fn run(options: &Prove) -> Result<Outcome, Failure> {
    let files: Vec<PathBuf> = options.what.iter().map(PathBuf::from).collect();
    let inputs = input::open(&files)?;
    let asked = |entry: &Entry<'_>| {
        options.every.is_none_or(|every| entry.number().is_multiple_of(every))
            && options.kernel.is_none_or(|kernel| entry.number() == kernel)
    };
    let entries: Vec<Entry<'_>> = inputs.iter().flat_map(|input| input.entries()).filter(asked).collect();
    let judging = Judging::new(&[], options.rules.rules()).map_err(Failure::Usage)?;
    let mut prover = Prover::new(workers());
    if let Some(folder) = &options.cache {
        let unusable = |error| Failure::File { path: folder.display().to_string(), error };
        if options.drop_cache {
            Cache::drop_in(folder).map_err(unusable)?;
        }
        prover = prover.with_cache(Cache::open(folder, options.verify_cache).map_err(unusable)?);
    }
    let started = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs.unwrap_or(0)).build();
    let pool = pool.map_err(|error| Failure::Usage(error.to_string()))?;
    let answers: Vec<(String, Result<Vec<Obligation>, String>)> = pool.install(|| {
        entries.par_iter().map(|entry| (entry.origin(), prove(entry, options, &judging, &prover))).collect()
    });
    let mut tally = Tally::default();
    for (origin, answer) in answers {
        tally.count(origin, answer);
    }
    tally.print(started.elapsed().as_secs_f64(), options)
}

fn prove(entry: &Entry<'_>, options: &Prove, judging: &Judging, prover: &Prover) -> Result<Vec<Obligation>, String> {
    let case = entry.case(&options.lowering)?;
    let rules = case.rules(options.rules.rules());
    let ast = Arc::new(case.kernel.ast_with(&rules).map_err(|error| error.to_string())?);
    let lowered =
        judging.lower_ast(&ast, &case.target, &case.opts, &rules).map_err(|error| format!("not lowered: {error}"))?;
    prover.prove(&case, &lowered, &rules)
}

impl Tally {
    fn count(&mut self, origin: String, answer: Result<Vec<Obligation>, String>) {
        self.kernels += 1;
        let obligations = match answer {
            Ok(obligations) => obligations,
            Err(why) => {
                self.examples.entry(why.clone()).or_insert(origin);
                *self.skipped.entry(why).or_default() += 1;
                return;
            }
        };
        for obligation in obligations {
            let counts = self.counts.entry(obligation.kind).or_default();
            match &obligation.ending {
                Ending::Proved(how) => counts.proved[*how as usize] += 1,
                Ending::Refuted(_) => {
                    counts.refuted += 1;
                    self.refuted.push((origin.clone(), obligation));
                }
                Ending::Unknown(why) => {
                    counts.unknown += 1;
                    let why = format!("{}: {why}", obligation.kind.name());
                    self.examples.entry(why.clone()).or_insert_with(|| origin.clone());
                    *self.reasons.entry(why).or_default() += 1;
                }
            }
        }
    }

    fn print(&self, seconds: f64, options: &Prove) -> Result<Outcome, Failure> {
        let mut out = std::io::stdout().lock();
        for (origin, obligation) in self.refuted.iter().take(options.show) {
            let Ending::Refuted(why) = &obligation.ending else { continue };
            let uop = obligation.uop.map_or(String::new(), |uop| format!(" uop {uop}"));
            writeln!(out, "REFUTED {origin}: {}{uop}: {why}", obligation.kind.name())?;
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(["", "proved", "arithmetic", "enumeration", "Z3", "run", "known", "refuted", "unknown"]);
        let mut all = Counts::default();
        for (kind, counts) in &self.counts {
            row(&mut table, kind.name(), counts);
            for (sum, count) in all.proved.iter_mut().zip(counts.proved) {
                *sum += count;
            }
            all.refuted += counts.refuted;
            all.unknown += counts.unknown;
        }
        row(&mut table, "all", &all);
        writeln!(out, "{}", table.trim_fmt())?;
        for (why, count) in self.skipped.iter().chain(&self.reasons) {
            writeln!(out, "{count:8}  {why}  (first: {})", self.examples.get(why).map_or("", String::as_str))?;
        }
        writeln!(out, "{} kernels in {seconds:.1} s", self.kernels)?;
        let total = all.proved.iter().sum::<u64>() + all.refuted + all.unknown;
        let percent = 100.0 * all.unknown as f64 / total.max(1) as f64;
        let over = percent > options.max_unknown;
        if over {
            writeln!(
                out,
                "{percent:.3} % of the obligations are unknown, more than {} % (--max-unknown)",
                options.max_unknown
            )?;
        }
        Ok(if all.refuted > 0 || over { Outcome::Objected } else { Outcome::Clean })
    }
}

fn row(table: &mut Table, name: &str, counts: &Counts) {
    let proved: u64 = counts.proved.iter().sum();
    let of = |how: How| counts.proved[how as usize].to_string();
    table.add_row([
        name.to_owned(),
        proved.to_string(),
        of(How::Arithmetic),
        of(How::Enumeration),
        of(How::Solver),
        of(How::Run),
        of(How::Remembered),
        counts.refuted.to_string(),
        counts.unknown.to_string(),
    ]);
}
