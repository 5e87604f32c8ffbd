//! The judge of rewrites: a kernel lowered without any rewrite of its uops writes the same as with them.
//!
//! What rules do away with (arithmetic on constants, loops, gates) the kernel without them still computes, so that this
//! judge sees what a rule changes without asking a reference. The few rules that lowering relies on stay on.

use super::{SameMeaning, fail_of};
use crate::data::inputs;
use crate::interpreter::{self, RunError};
use crate::{Oracle, Subject, Verdict};
use plumb_core::linearize::lower;
use plumb_core::rule::{Group, State, all};
use plumb_core::uop::UopRule;
use std::sync::Arc;

const NAME: &str = "rewrites";

/// An accumulator of a reduction that is unrolled whole stands before all loops, and would add up over the loops of the
/// outputs: these rules do away with it.
const RELIED_ON: [UopRule; 3] = [UopRule::AccumulatorNoLoop, UopRule::PhiNoLoop, UopRule::PhiConstant];

/// Compares a kernel with itself, not rewritten.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rewrites {
    forms: SameMeaning,
}

impl Oracle for Rewrites {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "compares with the kernel lowered without rewriting its uops"
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        let Subject { case, lowered } = subject;
        let rules = lowered.rules;
        let rewrites = all().filter(|info| info.id.group == Group::Uop);
        let unwritten = rewrites.fold(rules, |rules, info| rules.with(info.id, State::Off));
        let unwritten = RELIED_ON.iter().fold(unwritten, |off, &rule| off.with(rule, rules.state(rule)));
        let plain = case.kernel.ast_with(&rules).map_err(|error| error.to_string()).and_then(|ast| {
            lower(&Arc::new(ast), &lowered.target, &case.opts, &unwritten).map_err(|error| error.to_string())
        });
        let plain = match plain {
            Ok(plain) => plain,
            Err(error) => return Verdict::Skipped(format!("without rewriting it is not lowered: {error}")),
        };
        let inputs = match inputs(case) {
            Ok(inputs) => inputs,
            Err(error) => return Verdict::Skipped(error.to_string()),
        };
        let runs = [lowered, &plain].map(|lowered| interpreter::run(lowered, &inputs, self.forms.budget));
        match runs {
            [Ok(run), Ok(other)] => match self.forms.differs(subject, &inputs, &run, &other) {
                Some(difference) => fail_of(NAME, format!("without rewriting its uops, {difference}")),
                None => Verdict::Pass { share: run.share },
            },
            [Err(RunError::Faults(faults)), _] => {
                fail_of(NAME, faults.first().map_or_else(String::new, ToString::to_string))
            }
            [_, Err(RunError::Faults(faults))] => {
                let fault = faults.first().map_or_else(String::new, ToString::to_string);
                fail_of(NAME, format!("without rewriting its uops it has a fault, with it none: {fault}"))
            }
            [Err(error), _] | [_, Err(error)] => Verdict::Skipped(error.to_string()),
        }
    }
}
