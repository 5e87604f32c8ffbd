//! How often each rule fires while kernels are lowered, for `plumb rules`.

use crate::Failure;
use crate::arguments::RulesList;
use crate::input::{self, Entry};
use crate::judging::Judging;
use plumb_core::kernel::{Kernel, LowerError};
use plumb_core::rule::{self, Firings, RuleId};
use plumb_corpus::case::Case;
use plumb_corpus::generate;
use rayon::prelude::*;
use std::sync::Arc;

/// Counts over all kernels of a run.
#[derive(Default)]
pub(super) struct Counts {
    /// How often each rule fired.
    pub(super) firings: Firings,
    /// For each rule, in the order of [`rule::all`], in how many kernels it fired.
    kernels: Vec<u64>,
    /// Kernels that were lowered.
    pub(super) lowered: u64,
    /// Kernels that were refused.
    pub(super) refused: u64,
    /// What could not be read.
    pub(super) unreadable: Vec<String>,
}

impl Counts {
    /// In how many kernels the rule fired.
    pub(super) fn kernels(&self, id: RuleId) -> u64 {
        let place = rule::all().position(|rule| rule.id == id);
        place.and_then(|place| self.kernels.get(place)).copied().unwrap_or(0)
    }

    /// The counts of both; the order does not matter but for what could not be read.
    fn and(mut self, other: Counts) -> Counts {
        self.firings.merge(&other.firings);
        self.kernels.resize(self.kernels.len().max(other.kernels.len()), 0);
        for (count, more) in self.kernels.iter_mut().zip(other.kernels) {
            *count += more;
        }
        self.lowered += other.lowered;
        self.refused += other.refused;
        self.unreadable.extend(other.unreadable);
        self
    }

    fn of(firings: Firings, refused: bool) -> Counts {
        let kernels = rule::all().map(|rule| u64::from(firings.of(rule.id) > 0)).collect();
        Counts { firings, kernels, lowered: u64::from(!refused), refused: u64::from(refused), unreadable: Vec::new() }
    }
}

/// Lowers the kernels that are asked for, on all cores; `None` where nothing is asked for.
pub(super) fn count(options: &RulesList) -> Result<Option<Counts>, Failure> {
    if options.count.is_empty() && options.cases.is_none() {
        return Ok(None);
    }
    let judging = Judging::new(&[], options.rules.rules()).map_err(Failure::Usage)?;
    let inputs = input::open(&options.count)?;
    let every = options.every.unwrap_or(1);
    let entries = inputs.iter().flat_map(|input| input.entries()).filter(|entry| entry.number().is_multiple_of(every));
    let entries: Vec<Entry<'_>> = entries.collect();
    let of_files = entries.par_iter().map(|entry| match entry.case(&options.lowering) {
        Ok(case) => lower(&judging, options, &case),
        Err(message) => Counts { unreadable: vec![format!("{}: {message}", entry.origin())], ..Counts::default() },
    });
    let generated = (0..options.cases.unwrap_or(0)).into_par_iter();
    let generated = generated.map(|number| lower(&judging, options, &generate::case(options.seed, number)));
    Ok(Some(of_files.chain(generated).reduce(Counts::default, Counts::and)))
}

/// Lowers a kernel; of a refused one counts what fired until then.
fn lower(judging: &Judging, options: &RulesList, case: &Case) -> Counts {
    let rules = case.rules(options.rules.rules());
    let Ok(ast) = case.kernel.ast_with(&rules) else { return Counts::of(Firings::default(), true) };
    let start = |target| Kernel::new(&Arc::new(ast), target, &rules);
    let mut kernel = match judging.target(&case.target).and_then(start) {
        Ok(kernel) => kernel,
        Err(_) => return Counts::of(Firings::default(), true),
    };
    let planned: Result<(), LowerError> = kernel.apply_plan(&case.opts);
    if planned.is_err() {
        let mut firings = kernel.firings;
        firings.merge(kernel.arena.firings());
        return Counts::of(firings, true);
    }
    match kernel.linearize() {
        Ok(lowered) => Counts::of(lowered.firings, false),
        Err(_) => Counts::of(Firings::default(), true),
    }
}
