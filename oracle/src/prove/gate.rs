//! Conditions on indices: conjunctions of linear forms that are at least zero, each in its own normal form.

use super::forms::{Atom, Bounds, FormId, Forms, Result, gcd};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A conjunction of forms that are at least zero, ascending, each once; or one that never holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Gate {
    /// Whether it never holds.
    pub(super) never: bool,
    /// The forms.
    pub(super) forms: SmallVec<[FormId; 4]>,
}

impl Gate {
    /// What never holds.
    pub(super) fn never() -> Gate {
        Gate { never: true, forms: SmallVec::new() }
    }

    /// Whether it holds for all values, as it stands.
    pub(super) fn is_always(&self) -> bool {
        !self.never && self.forms.is_empty()
    }

    /// Adds `form >= 0`.
    pub(super) fn require(&mut self, forms: &mut Forms, form: FormId) -> Result<()> {
        if self.never {
            return Ok(());
        }
        let form = normal(forms, form)?;
        let (low, high) = forms.bounds(form);
        if high < 0 {
            *self = Gate::never();
        } else if low < 0
            && let Err(place) = self.forms.binary_search(&form)
        {
            self.forms.insert(place, form);
        }
        Ok(())
    }

    /// Adds all that `other` asks for.
    pub(super) fn require_all(&mut self, forms: &mut Forms, other: &Gate) -> Result<()> {
        if other.never {
            *self = Gate::never();
        }
        for &form in &other.forms {
            self.require(forms, form)?;
        }
        Ok(())
    }

    /// Both.
    pub(super) fn and(&self, forms: &mut Forms, other: &Gate) -> Result<Gate> {
        let mut both = self.clone();
        both.require_all(forms, other)?;
        Ok(both)
    }

    /// Whether it holds nowhere, as far as the bounds of single variables tell.
    pub(super) fn is_empty(&self, forms: &Forms) -> bool {
        self.never || self.forms.len() > 1 && narrowed(forms, self).is_none()
    }

    /// The contrary, where it is a conjunction.
    pub(super) fn negated(&self, forms: &mut Forms) -> Result<Option<Gate>> {
        let mut negated = Gate::default();
        match self.forms[..] {
            _ if self.never => {}
            [] => negated = Gate::never(),
            [form] => {
                let contrary = forms.scale(form, -1)?;
                let contrary = forms.offset(contrary, -1)?;
                negated.require(forms, contrary)?;
            }
            _ => return Ok(None),
        }
        Ok(Some(negated))
    }
}

/// Another form that is at least zero exactly where this one is: without a common factor, and without low digits that
/// make no difference.
fn normal(forms: &mut Forms, form: FormId) -> Result<FormId> {
    let mut form = form;
    loop {
        // `f >= 0` exactly where `f // g >= 0`, for any g above 0.
        let terms = forms.form(form).terms.clone();
        let mut factors: SmallVec<[i64; 4]> = terms.iter().map(|&(_, c)| c.saturating_abs()).collect();
        let common = factors.iter().fold(0, |common, &c| gcd(common, c));
        factors.push(common);
        factors.sort_unstable_by_key(|&g| std::cmp::Reverse(g));
        factors.dedup();
        let mut next = None;
        for g in factors.into_iter().filter(|&g| g > 1) {
            let quotient = forms.quotient(form, g)?;
            let fewer = forms.form(quotient).terms.len() < terms.len();
            if fewer || (g == common && forms.form(quotient).terms.len() == terms.len()) {
                next = Some(quotient);
                break;
            }
        }
        match next {
            Some(quotient) => form = quotient,
            None => return Ok(form),
        }
    }
}

/// The bounds that a gate leaves the variables that it speaks of; `None` where it leaves nothing.
pub(super) fn narrowed(forms: &Forms, gate: &Gate) -> Option<FxHashMap<u32, Bounds>> {
    let mut bounds: FxHashMap<u32, Bounds> = FxHashMap::default();
    for _ in 0..2 {
        for &form in &gate.forms {
            tighten(forms, form, &mut bounds);
            if bounds.values().any(|(low, high)| low > high) {
                return None;
            }
        }
    }
    Some(bounds)
}

/// Narrows the bounds of the variables in a form that is at least zero.
fn tighten(forms: &Forms, form: FormId, bounds: &mut FxHashMap<u32, Bounds>) {
    let form = forms.form(form);
    let of = |atom, bounds: &FxHashMap<u32, Bounds>| match forms.atom_info(atom) {
        (Atom::Variable(number), plain) => (Some(number), bounds.get(&number).copied().unwrap_or(plain)),
        (_, plain) => (None, plain),
    };
    for &(atom, c) in &form.terms {
        let (Some(number), (mut low, mut high)) = of(atom, bounds) else { continue };
        // c·x >= -(all others at their largest).
        let others = form.terms.iter().filter(|(other, _)| *other != atom).fold(form.constant, |sum, &(other, c)| {
            let (low, high) = of(other, bounds).1;
            sum.saturating_add(low.saturating_mul(c).max(high.saturating_mul(c)))
        });
        let least = others.saturating_neg();
        if c > 0 {
            low = low.max(least.div_euclid(c) + i64::from(least.rem_euclid(c) != 0));
        } else {
            high = high.min(others.div_euclid(c.saturating_neg()));
        }
        bounds.insert(number, (low, high));
    }
}
