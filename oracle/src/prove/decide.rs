//! Deciding what normal forms leave open: tightening by what a gate says, enumeration of small domains, and then Z3.

use super::forms::{Bounds, FormId, Forms, Overflow};
use super::gate::{Gate, narrowed};
use super::question::{Question, Side};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Domains of at most so many points are enumerated.
pub(super) const ENUMERATED: u64 = 1 << 21;

/// How an obligation was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// By linear arithmetic: equal normal forms, bounds.
    Arithmetic,
    /// By enumeration of all values of the variables that matter.
    Enumeration,
    /// By Z3.
    Solver,
    /// By running the whole kernel: of values computed from indices alone, which a run goes through completely.
    Run,
    /// By an equal obligation that was decided before, in this run or in one whose cache is used.
    Remembered,
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// It holds.
    Proved(How),
    /// It does not, for these values of variables.
    Refuted(BTreeMap<u32, i64>),
    /// Nobody can tell, and why.
    Unknown(String),
}

/// Who is asked what arithmetic can't decide.
pub(super) trait Decider {
    /// Decides a question.
    fn decide(&self, question: &Question) -> Verdict;
}

/// A decider's answer to a question; values are those of the question's variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It holds.
    Proved(How),
    /// It does not, for these values.
    Refuted(Vec<i64>),
    /// Nobody can tell, and why.
    Unknown(String),
}

/// Whether two places are the same: the gates hold for the same values and, where they do, the indices are equal.
pub(super) fn same_place(forms: &mut Forms, a: (FormId, &Gate), b: (FormId, &Gate), decider: &dyn Decider) -> Decision {
    if a.1 == b.1 {
        if a.0 == b.0 || a.1.never {
            return Decision::Proved(How::Arithmetic);
        }
        if let Ok(true) = same_where(forms, a.0, b.0, a.1) {
            return Decision::Proved(How::Arithmetic);
        }
    }
    let difference = match forms.sub(a.0, b.0) {
        Ok(difference) => difference,
        Err(Overflow) => return overflow(),
    };
    ask(forms, difference, a.1, b.1, decider)
}

/// Whether a gate holds nowhere.
pub(super) fn never_open(forms: &mut Forms, gate: &Gate, decider: &dyn Decider) -> Decision {
    if gate.is_empty(forms) {
        return Decision::Proved(How::Arithmetic);
    }
    let zero = forms.constant(0);
    ask(forms, zero, gate, &Gate::never(), decider)
}

/// Whether a form is at least zero wherever the gate holds.
pub(super) fn at_least_zero(forms: &mut Forms, form: FormId, gate: &Gate, decider: &dyn Decider) -> Decision {
    if gate.never || forms.bounds(form).0 >= 0 {
        return Decision::Proved(How::Arithmetic);
    }
    if let Ok((tight, _)) = tightened(forms, &[form], gate)
        && forms.bounds(tight[0]).0 >= 0
    {
        return Decision::Proved(How::Arithmetic);
    }
    let mut all = gate.clone();
    if all.require(forms, form).is_err() {
        return overflow();
    }
    if all == *gate {
        return Decision::Proved(How::Arithmetic);
    }
    let zero = forms.constant(0);
    ask(forms, zero, gate, &all, decider)
}

fn overflow() -> Decision {
    Decision::Unknown("the arithmetic leaves 64 bits".to_owned())
}

fn ask(forms: &Forms, difference: FormId, a: &Gate, b: &Gate, decider: &dyn Decider) -> Decision {
    let question = Question::between(forms, difference, Side::from(a), Side::from(b));
    let variables = question.variables.clone();
    match decider.decide(&question.question) {
        Verdict::Proved(how) => Decision::Proved(how),
        Verdict::Refuted(values) => Decision::Refuted(variables.into_iter().zip(values).collect()),
        Verdict::Unknown(why) => Decision::Unknown(why),
    }
}

fn same_where(forms: &mut Forms, a: FormId, b: FormId, gate: &Gate) -> super::forms::Result<bool> {
    if gate.forms.is_empty() {
        return Ok(false);
    }
    let (tight, changed) = tightened(forms, &[a, b], gate)?;
    Ok(changed && tight[0] == tight[1])
}

/// The forms over variables with the bounds that the gate leaves them, and whether it leaves less than there was.
fn tightened(forms: &mut Forms, of: &[FormId], gate: &Gate) -> super::forms::Result<(Vec<FormId>, bool)> {
    let Some(bounds) = narrowed(forms, gate) else {
        // Nothing is left: whatever is said holds.
        let zero = forms.constant(0);
        return Ok((vec![zero; of.len()], true));
    };
    let mut replaced: FxHashMap<u32, FormId> = FxHashMap::default();
    let mut numbers: Vec<(u32, Bounds)> = bounds.into_iter().collect();
    numbers.sort_unstable();
    for (number, tight) in numbers {
        if forms.variables()[number as usize].bounds != tight {
            let name = forms.variables()[number as usize].name.clone();
            replaced.insert(number, forms.variable_like(number, &name, tight));
        }
    }
    let mut memo = FxHashMap::default();
    let result = of.iter().map(|&form| forms.substitute(form, &|number| replaced.get(&number).copied(), &mut memo));
    Ok((result.collect::<super::forms::Result<_>>()?, !replaced.is_empty()))
}
