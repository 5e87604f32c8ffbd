//! The judge of values: the interpreter's results against the reference's.

use crate::compare::{Comparison, compare};
use crate::data::{End, Inputs, inputs, inputs_at};
use crate::interpreter::{self, Budget, RunError};
use crate::reference::{Precision, Reference, ReferenceError};
use crate::{Oracle, Subject, Verdict};

/// Runs the kernel with the interpreter and compares every element it writes with the reference.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    /// How much of a kernel is run.
    pub budget: Budget,
}

impl Default for Values {
    /// A budget of some milliseconds a kernel.
    fn default() -> Values {
        Values { budget: Budget { uop_lanes: 2_000_000 } }
    }
}

impl Oracle for Values {
    fn name(&self) -> &'static str {
        "values"
    }

    fn description(&self) -> &'static str {
        "runs the uops and compares what they write with an ndarray evaluation of the kernel, at both ends of its variables too"
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        let inputs = match inputs(subject.case) {
            Ok(inputs) => inputs,
            Err(error) => return without_reference(error),
        };
        let drawn = self.judge_on(subject, &inputs);
        if !matches!(drawn, Verdict::Pass { .. }) {
            return drawn;
        }
        // A kernel must be right at the ends of its variables' ranges, too, as far as it is one there.
        for end in [End::Smallest, End::Largest] {
            let Some(Ok(at_end)) = inputs_at(subject.case, end) else { continue };
            if at_end.bindings != inputs.bindings
                && let Verdict::Fail(mut finding) = self.judge_on(subject, &at_end)
            {
                let values = at_end.bindings.iter().map(|(name, value)| format!("{name} = {value}"));
                let values = values.collect::<Vec<_>>().join(", ");
                finding.message = format!("with {values}: {}", finding.message);
                return Verdict::Fail(finding);
            }
        }
        drawn
    }
}

impl Values {
    /// The verdict on one choice of inputs.
    fn judge_on(&self, subject: Subject<'_>, inputs: &Inputs) -> Verdict {
        let run = match interpreter::run(subject.lowered, inputs, self.budget) {
            Ok(run) => run,
            Err(RunError::Faults(mut findings)) if !findings.is_empty() => {
                return Verdict::Fail(Box::new(findings.swap_remove(0)));
            }
            Err(error) => return Verdict::Skipped(error.to_string()),
        };
        match compare_run(subject, inputs, &run) {
            Ok(comparison) => verdict(comparison, run.share),
            Err(error) => without_reference(error),
        }
    }
}

fn compare_run(subject: Subject<'_>, inputs: &Inputs, run: &interpreter::Run) -> Result<Comparison, ReferenceError> {
    compare(&Reference::new(subject.case, inputs, Precision::INTERPRETER)?, run)
}

fn without_reference(error: ReferenceError) -> Verdict {
    match error {
        ReferenceError::Unsupported(_) => Verdict::Skipped(error.to_string()),
        ReferenceError::Invalid(_) => Verdict::Unknown(error.to_string()),
    }
}

/// What a comparison says: that most elements are undecided is no pass.
pub(crate) fn verdict(comparison: Comparison, share: Option<String>) -> Verdict {
    let Comparison { elements, written, undecided, finding } = comparison;
    if let Some(finding) = finding {
        return Verdict::Fail(Box::new(finding));
    }
    if undecided * 2 > elements {
        return Verdict::Unknown(format!("{undecided} of {elements} elements undecided"));
    }
    let undecided = (undecided > 0).then(|| format!("{undecided} of {elements} elements undecided"));
    let sampled = (elements < written).then(|| format!("{elements} of {written} written elements compared"));
    let parts: Vec<String> = share.into_iter().chain(sampled).chain(undecided).collect();
    Verdict::Pass { share: (!parts.is_empty()).then(|| parts.join("; ")) }
}
