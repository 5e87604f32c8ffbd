//! The prover as a judge.

use super::kernel::{Ending, Kind, Obligation};
use super::prover::Prover;
use crate::{Finding, FindingKind, Oracle, Subject, Verdict};
use plumb_core::rule::Rules;

/// Proves every obligation of a kernel, for all iterations.
#[derive(Default)]
pub struct Prove {
    prover: Prover,
}

impl Prove {
    /// A judge that proves with this prover.
    pub fn new(prover: Prover) -> Prove {
        Prove { prover }
    }
}

impl Oracle for Prove {
    fn is_second_opinion(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "prove"
    }

    fn description(&self) -> &'static str {
        "proves for all iterations that accesses are the AST's, in bounds, and cover outputs and reductions once"
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        let rules = subject.case.rules(Rules::default());
        match self.prover.prove(subject.case, subject.lowered, &rules) {
            Ok(obligations) => verdict(&obligations),
            Err(why) => Verdict::Skipped(why),
        }
    }
}

/// The worst of the endings.
fn verdict(obligations: &[Obligation]) -> Verdict {
    let refuted = obligations.iter().find_map(|obligation| match &obligation.ending {
        Ending::Refuted(why) => Some((obligation, why)),
        _ => None,
    });
    if let Some((obligation, why)) = refuted {
        let kind = match obligation.kind {
            Kind::Bounds => FindingKind::OutOfBounds,
            Kind::Index | Kind::Reduction => FindingKind::WrongValue,
            Kind::Overflow => FindingKind::IndexArithmetic,
            Kind::Coverage => FindingKind::OutputCoverage,
            Kind::Barrier => FindingKind::Race,
        };
        let uop = obligation.uop.map_or(String::new(), |uop| format!("uop {uop}: "));
        let message = format!("{}: {uop}{why}", obligation.kind.name());
        return Verdict::Fail(Box::new(Finding { oracle: "prove", kind, message }));
    }
    let unknown = obligations.iter().find_map(|obligation| match &obligation.ending {
        Ending::Unknown(why) => Some(format!("{}: {why}", obligation.kind.name())),
        _ => None,
    });
    unknown.map_or(Verdict::Pass { share: None }, Verdict::Unknown)
}
