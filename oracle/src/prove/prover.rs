//! Proofs of whole kernels, one after the other, with what was decided before at hand.

use super::cache::{Cache, Counts, Record, checksum, read_counts, write_counts};
use super::decide::{Decider, ENUMERATED, How, Verdict};
use super::kernel::{self, Ending, Kind, Obligation};
use super::question::Question;
use super::structure::Template;
use super::worker::Workers;
use crate::interpreter::Budget;
use crate::reference::program::Program;
use crate::values::Values;
use crate::{Oracle, Subject};
use plumb_core::linearize::Lowered;
use plumb_core::rule::Rules;
use plumb_corpus::case::{Case, Dim, DimExpr, Layout, Movement, Step};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Domains of at most so many points are enumerated where Z3 can't tell.
const LAST_RESORT: u64 = 1 << 23;

/// Kernels with more combinations of values of the variables of shapes than this are not proved.
const BINDINGS: usize = 4096;

/// Proves kernels. One serves all threads.
#[derive(Default)]
pub struct Prover {
    decided: Mutex<FxHashMap<Question, Verdict>>,
    workers: Workers,
    cache: Option<Cache>,
}

impl Prover {
    /// A prover that remembers nothing yet, and asks Z3 in this way.
    pub fn new(workers: Workers) -> Prover {
        Prover { workers, ..Prover::default() }
    }

    /// The same, with proofs on disk.
    #[must_use]
    pub fn with_cache(self, cache: Cache) -> Prover {
        Prover { cache: Some(cache), ..self }
    }

    /// The obligations of a lowered case, and how each ended; of a kernel with symbolic shapes for all values of their
    /// variables. `Err`: why there are none.
    ///
    /// # Errors
    /// What the prover can't read, in a sentence.
    pub fn prove(&self, case: &Case, lowered: &Lowered, rules: &Rules) -> Result<Vec<Obligation>, String> {
        let Some(cache) = &self.cache else { return self.prove_anew(case, lowered, rules) };
        let key = key(case, lowered);
        let known = cache.answer(Record::Kernel, &key).and_then(read_counts);
        if let (Some(counts), false) = (known, cache.verifies()) {
            return Ok(remembered(&counts));
        }
        let obligations = self.prove_anew(case, lowered, rules)?;
        let proved = obligations.iter().all(|obligation| matches!(obligation.ending, Ending::Proved(_)));
        let counts =
            Kind::ALL.map(|kind| obligations.iter().filter(|obligation| obligation.kind == kind).count() as u64);
        match known {
            Some(known) if !proved || known != counts => {
                return Err("the cache says that all obligations are proved, which is wrong: drop it".to_owned());
            }
            None if proved => cache.add(Record::Kernel, &key, &write_counts(&counts)),
            _ => {}
        }
        Ok(obligations)
    }

    fn prove_anew(&self, case: &Case, lowered: &Lowered, rules: &Rules) -> Result<Vec<Obligation>, String> {
        let ast = case.kernel.ast_with(rules).map_err(|error| error.to_string())?;
        let template = Template::new(&Arc::new(ast), &lowered.target, rules, &lowered.applied)
            .map_err(|error| format!("the optimisations can't be followed: {error}"))?;
        let mut obligations = Vec::new();
        for bindings in bindings(case)? {
            let program = Program::new(&case.kernel, &bindings.all).map_err(|error| error.to_string())?;
            let mut proofs = kernel::prove(lowered, &program, &template, &bindings.shapes, self)?;
            if proofs.waits && bindings.shapes.is_empty() {
                by_run(case, lowered, &mut proofs.obligations);
            }
            obligations.extend(proofs.obligations);
        }
        if obligations.iter().any(|obligation| matches!(obligation.ending, Ending::Refuted(_))) {
            confirm(case, lowered, &mut obligations);
        }
        Ok(obligations)
    }
}

impl Decider for Prover {
    fn decide(&self, question: &Question) -> Verdict {
        if let Ok(decided) = self.decided.lock()
            && let Some(known) = decided.get(question)
        {
            return match known {
                Verdict::Proved(_) => Verdict::Proved(How::Remembered),
                other => other.clone(),
            };
        }
        let text = self.cache.as_ref().map(|_| question.text());
        let known = self.cache.as_ref().zip(text.as_ref()).and_then(|(cache, text)| {
            cache.answer(Record::Question, text).filter(|answer| *answer == "proved" && !cache.verifies())
        });
        let verdict = match known {
            Some(_) => Verdict::Proved(How::Remembered),
            None => self.ask(question),
        };
        if let (Some(cache), Some(text), Verdict::Proved(_)) = (&self.cache, &text, &verdict) {
            cache.add(Record::Question, text, "proved");
        }
        if let Ok(mut decided) = self.decided.lock() {
            decided.insert(question.clone(), verdict.clone());
        }
        verdict
    }
}

impl Prover {
    fn ask(&self, question: &Question) -> Verdict {
        let points = question.points().unwrap_or(u64::MAX);
        if points <= ENUMERATED {
            return enumerate(question);
        }
        match self.workers.ask(question) {
            Verdict::Unknown(_) if points <= LAST_RESORT => enumerate(question),
            verdict => verdict,
        }
    }
}

fn enumerate(question: &Question) -> Verdict {
    let mut point: Vec<i64> = question.ranges.iter().map(|range| range.0).collect();
    let mut room = Vec::with_capacity(question.nodes.len());
    loop {
        match question.holds(&point, &mut room) {
            Some(true) => {}
            Some(false) => return Verdict::Refuted(point),
            None => return Verdict::Unknown("the arithmetic leaves 64 bits".to_owned()),
        }
        let Some(place) = (0..point.len()).rev().find(|&place| point[place] < question.ranges[place].1) else {
            return Verdict::Proved(How::Enumeration);
        };
        point[place] += 1;
        for (value, range) in point.iter_mut().zip(&question.ranges).skip(place + 1) {
            *value = range.0;
        }
    }
}

/// All that the proof of a kernel depends on, in 128 bits.
fn key(case: &Case, lowered: &Lowered) -> String {
    let text = format!("{}\n{}\n{}", case.target, plumb_corpus::text::print(case), lowered.text());
    let own = checksum(text.as_bytes());
    let turned: Vec<u8> = text.bytes().rev().collect();
    format!("{own:016x}{:016x}", checksum(&turned))
}

/// Obligations that were proved before.
fn remembered(counts: &Counts) -> Vec<Obligation> {
    let of = |(&kind, &count): (&Kind, &u64)| {
        let count = usize::try_from(count).unwrap_or(0).min(1 << 24);
        std::iter::repeat_n(Obligation { kind, uop: None, ending: Ending::Proved(How::Remembered) }, count)
    };
    Kind::ALL.iter().zip(counts).flat_map(of).collect()
}

/// Elements and lanes that a run goes through to decide or confirm something.
const RUN: Budget = Budget { uop_lanes: 50_000_000 };

/// Decides what is unknown of how a reduction is covered by running the whole kernel.
fn by_run(case: &Case, lowered: &Lowered, obligations: &mut [Obligation]) {
    let verdict = Values { budget: RUN }.judge(Subject { case, lowered });
    let decidable = |obligation: &&mut Obligation| matches!(obligation.kind, Kind::Reduction | Kind::Coverage);
    for obligation in obligations.iter_mut().filter(decidable) {
        let Ending::Unknown(why) = &obligation.ending else { continue };
        obligation.ending = match &verdict {
            crate::Verdict::Pass { share: None } => Ending::Proved(How::Run),
            crate::Verdict::Fail(finding) => Ending::Refuted(format!("{why}; {}", finding.message)),
            crate::Verdict::Pass { share: Some(_) } => Ending::Unknown("too large to run whole: a closed form".into()),
            other => Ending::Unknown(format!("{why}; {other:?}")),
        };
    }
}

/// A counterexample counts where the interpreter objects, too.
fn confirm(case: &Case, lowered: &Lowered, obligations: &mut [Obligation]) {
    let verdict = Values { budget: RUN }.judge(Subject { case, lowered });
    for obligation in obligations.iter_mut() {
        let Ending::Refuted(why) = &obligation.ending else { continue };
        obligation.ending = match &verdict {
            crate::Verdict::Fail(finding) => {
                Ending::Refuted(format!("{why}; {}: {:?}: {}", finding.oracle, finding.kind, finding.message))
            }
            _ => Ending::Unknown(format!("a counterexample that the interpreter does not confirm: {why}")),
        };
    }
}

/// Values of variables: of those that shapes depend on, and of all.
struct Bindings {
    shapes: Vec<(String, i64)>,
    all: Vec<(String, i64)>,
}

/// All values of the variables that shapes depend on.
fn bindings(case: &Case) -> Result<Vec<Bindings>, String> {
    let mut names = BTreeSet::new();
    for layout in case.kernel.steps.iter().filter_map(Step::layout) {
        each_dim(layout, &mut |dim| variables(dim, &mut names));
    }
    let mut all: Vec<Vec<(String, i64)>> = vec![Vec::new()];
    for variable in case.kernel.variables.iter().filter(|variable| names.contains(variable.name.as_str())) {
        let values = variable.max.checked_sub(variable.min).and_then(|values| usize::try_from(values + 1).ok());
        if values.and_then(|values| values.checked_mul(all.len())).is_none_or(|count| count > BINDINGS) {
            return Err(format!("more than {BINDINGS} combinations of values of the variables of shapes"));
        }
        all = all
            .iter()
            .flat_map(|bound| {
                (variable.min..=variable.max).map(|value| {
                    let mut bound = bound.clone();
                    bound.push((variable.name.clone(), value));
                    bound
                })
            })
            .collect();
    }
    let rest: Vec<(String, i64)> = case
        .kernel
        .variables
        .iter()
        .filter(|variable| !names.contains(variable.name.as_str()))
        .map(|variable| (variable.name.clone(), variable.min))
        .collect();
    Ok(all.into_iter().map(|shapes| Bindings { all: shapes.iter().chain(&rest).cloned().collect(), shapes }).collect())
}

fn each_dim<'a>(layout: &'a Layout, visit: &mut dyn FnMut(&'a Dim)) {
    match layout {
        Layout::Chain { base, movements } => {
            base.iter().for_each(&mut *visit);
            for movement in movements {
                match movement {
                    Movement::Reshape(shape) | Movement::Expand(shape) => shape.iter().for_each(&mut *visit),
                    Movement::Pad(pairs) | Movement::Shrink(pairs) => {
                        pairs.iter().flat_map(|(low, high)| [low, high]).for_each(&mut *visit);
                    }
                    Movement::Permute(_) | Movement::Stride(_) => {}
                }
            }
        }
        Layout::Views(views) => {
            for view in views {
                let mask = view.mask.iter().flatten().flat_map(|(low, high)| [low, high]);
                view.shape.iter().chain(&view.strides).chain([&view.offset]).chain(mask).for_each(&mut *visit);
            }
        }
    }
}

fn variables<'a>(dim: &'a Dim, names: &mut BTreeSet<&'a str>) {
    let Dim::Expr(expression) = dim else { return };
    let mut stack: Vec<&'a DimExpr> = vec![expression];
    while let Some(expression) = stack.pop() {
        match expression {
            DimExpr::Int(_) => {}
            DimExpr::Variable(name) => {
                names.insert(name);
            }
            DimExpr::Add(a, b)
            | DimExpr::Mul(a, b)
            | DimExpr::FloorDiv(a, b)
            | DimExpr::Mod(a, b)
            | DimExpr::Less(a, b) => stack.extend([&**a, &**b]),
        }
    }
}
