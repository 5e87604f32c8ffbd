//! A backend as a judge: what the compiled kernel writes, against the reference.

use super::memory::element;
use super::{Argument, Backend, BackendError, Job, arguments};
use crate::compare::compare;
use crate::data::{Inputs, inputs};
use crate::interpreter::{self, Budget, Output, Run, RunError};
use crate::reference::{Precision, Reference};
use crate::values::verdict;
use crate::{Finding, FindingKind, Oracle, Subject, Verdict};
use plumb_core::constant::Constant;
use plumb_core::render::render;
use plumb_core::symbolic::Sint;
use plumb_core::uop::{UopArg, UopKind};

/// Work (uops times lanes and iterations) beyond which a kernel is not run: about a second of compiled code.
const MOST_WORK: f64 = 2e9;

/// Asks a backend.
pub struct BackendJudge {
    backend: Box<dyn Backend>,
    budget: Budget,
}

/// A kernel that is ready to run.
struct Prepared {
    inputs: Inputs,
    arguments: Vec<Argument>,
    /// What the interpreter wrote: which elements there are to compare, and which of them are undefined.
    interpreted: Run,
}

impl BackendJudge {
    /// The judge that asks this backend.
    pub fn new(backend: Box<dyn Backend>) -> BackendJudge {
        BackendJudge { backend, budget: crate::values::Values::default().budget }
    }

    fn prepare(&self, subject: &Subject<'_>) -> Result<Prepared, Verdict> {
        let skipped = |error: &dyn std::fmt::Display| Verdict::Skipped(error.to_string());
        let source = render(subject.lowered, self.backend.language(), None).map_err(|error| skipped(&error))?;
        if work(subject) > MOST_WORK {
            return Err(Verdict::Skipped("too much work to run whole".to_owned()));
        }
        let inputs = inputs(subject.case).map_err(|error| skipped(&error))?;
        let interpreted = interpreter::run(subject.lowered, &inputs, self.budget).map_err(|error| match error {
            RunError::Faults(_) => Verdict::Skipped("the interpreter objects to it".to_owned()),
            error => skipped(&error),
        })?;
        let arguments = arguments(&source.parameters, &inputs).map_err(|error| skipped(&error))?;
        Ok(Prepared { inputs, arguments, interpreted })
    }

    /// What the compiled kernel wrote, in place of what the interpreter did.
    fn compared(&self, subject: &Subject<'_>, prepared: &Prepared, results: &[Vec<u8>]) -> Verdict {
        let written = prepared.arguments.iter().filter_map(|argument| match argument {
            Argument::Buffer { index, output: true, .. } => Some(*index),
            _ => None,
        });
        let results: Vec<(u32, &Vec<u8>)> = written.zip(results).collect();
        let mut outputs = Vec::with_capacity(results.len());
        for Output { buffer, dtype, written, undefined } in &prepared.interpreted.outputs {
            let Some((_, bytes)) = results.iter().find(|(number, _)| number == buffer) else {
                return Verdict::Unknown(format!("no results for buffer {buffer}"));
            };
            let written: Option<Vec<(i64, u64)>> =
                written.iter().map(|&(at, _)| Some((at, element(bytes, at, *dtype)?))).collect();
            let Some(written) = written else {
                return Verdict::Unknown(format!("buffer {buffer} is smaller than what the interpreter wrote"));
            };
            // What the kernel leaves undefined differs from one machine to another.
            let defined = written.into_iter().filter(|(at, _)| undefined.binary_search(at).is_err()).collect();
            outputs.push(Output { buffer: *buffer, dtype: *dtype, written: defined, undefined: Vec::new() });
        }
        let skipped = prepared.interpreted.outputs.iter().any(|output| !output.undefined.is_empty());
        let share = match (&prepared.interpreted.share, skipped) {
            (Some(share), _) => Some(share.clone()),
            (None, true) => Some("all elements but those left undefined".to_owned()),
            (None, false) => None,
        };
        let run = Run { outputs, share };
        let comparison = Reference::new(subject.case, &prepared.inputs, Precision::OPENCL)
            .and_then(|reference| compare(&reference, &run));
        match comparison {
            Err(error) => Verdict::Skipped(error.to_string()),
            Ok(comparison) => match verdict(comparison, run.share) {
                Verdict::Fail(finding) => Verdict::Fail(Box::new(Finding { oracle: self.backend.name(), ..*finding })),
                other => other,
            },
        }
    }

    fn failed(&self, error: BackendError) -> Verdict {
        let kind = match error {
            BackendError::Missing(_) | BackendError::Unsupported(_) => return Verdict::Skipped(error.to_string()),
            BackendError::Environment(_) => return Verdict::Unknown(error.to_string()),
            BackendError::Refused(_) => FindingKind::Compilation,
            BackendError::Crashed(_) | BackendError::TimedOut(_) => FindingKind::Crash,
        };
        Verdict::Fail(Box::new(Finding { oracle: self.backend.name(), kind, message: error.to_string() }))
    }
}

impl Oracle for BackendJudge {
    fn name(&self) -> &'static str {
        self.backend.name()
    }

    fn description(&self) -> &'static str {
        self.backend.description()
    }

    fn batch(&self) -> usize {
        self.backend.batch()
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        self.judge_all(&[subject]).pop().unwrap_or_else(|| Verdict::Unknown("no answer".to_owned()))
    }

    fn judge_all(&self, subjects: &[Subject<'_>]) -> Vec<Verdict> {
        if let Err(missing) = self.backend.find() {
            return subjects.iter().map(|_| Verdict::Skipped(missing.to_string())).collect();
        }
        let prepared: Vec<Result<Prepared, Verdict>> = subjects.iter().map(|subject| self.prepare(subject)).collect();
        let mut jobs = Vec::with_capacity(subjects.len());
        for (subject, prepared) in subjects.iter().zip(&prepared) {
            if let Ok(prepared) = prepared {
                jobs.push(Job { lowered: subject.lowered, arguments: &prepared.arguments });
            }
        }
        let mut results = self.backend.run(&jobs).into_iter();
        subjects
            .iter()
            .zip(&prepared)
            .map(|(subject, prepared)| match prepared {
                Err(verdict) => verdict.clone(),
                Ok(prepared) => match results.next() {
                    Some(Ok(outputs)) => self.compared(subject, prepared, &outputs),
                    Some(Err(error)) => self.failed(error),
                    None => Verdict::Unknown("the backend did not answer".to_owned()),
                },
            })
            .collect()
    }
}

/// Executions of uops, at most: loops at their largest counts.
fn work(subject: &Subject<'_>) -> f64 {
    let lowered = subject.lowered;
    let (mut total, mut times, mut open) = (0.0, 1.0, Vec::new());
    for uop in &lowered.uops.uops {
        total += times;
        match (uop.kind, &uop.arg) {
            (UopKind::Special, UopArg::Special { size, .. }) => {
                times *= match *size {
                    Sint::Int(size) => size as f64,
                    Sint::Node(node) => lowered.arena.max_int(node) as f64,
                };
            }
            (UopKind::Range, _) => {
                open.push(times);
                let end = uop.sources.get(1).and_then(|id| lowered.uops.uops.get(id.index()));
                times *= match end.map(|end| &end.arg) {
                    Some(UopArg::Const(Constant::Int(end))) => *end as f64,
                    Some(UopArg::Var { max, .. }) => *max as f64,
                    _ => 64.0,
                };
            }
            (UopKind::EndRange, _) => times = open.pop().unwrap_or(1.0),
            _ => {}
        }
    }
    total
}
