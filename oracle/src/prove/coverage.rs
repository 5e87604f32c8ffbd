//! Whether what is stored, and what is reduced, is everything and nothing twice.

use super::decide::How;
use super::forms::{Atom, FormId, Forms, Result};
use super::gate::Gate;
use super::kernel::{Ending, Kind, Work};
use super::naive;
use super::structure::AxisKind;
use crate::reference::program::Op;

/// Domains of at most so many points are enumerated to see whether a map takes each value once.
const ENUMERATED: i64 = 1 << 24;

/// Whether a form takes each number once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Once {
    /// It does.
    Yes(How),
    /// It does not: a sentence.
    No(String),
    /// Nobody can tell.
    Unknown(String),
}

/// Whether `form`, over all values of `variables` (each with its size) where `gate` holds, takes each of the numbers
/// from 0 to below `count` exactly once; with `onto` false: none of them twice.
pub(super) fn takes_once(
    forms: &Forms,
    form: FormId,
    gate: &Gate,
    variables: &[(FormId, i64)],
    count: i64,
    onto: bool,
) -> Once {
    if gate.is_always()
        && let Some(once) = mixed_radix(forms, form, variables, count, onto)
    {
        return once;
    }
    enumerate(forms, form, gate, variables, count, onto)
}

/// By strides: sorted, each the product of the sizes before it. `None` where that does not tell.
fn mixed_radix(forms: &Forms, form: FormId, variables: &[(FormId, i64)], count: i64, onto: bool) -> Option<Once> {
    let form = forms.form(form);
    if form.constant != 0 && onto {
        return None;
    }
    let mut digits: Vec<(i64, i64)> = Vec::new();
    for &(variable, size) in variables.iter().filter(|(_, size)| *size != 1) {
        let &[(atom, 1)] = &forms.form(variable).terms[..] else { return None };
        let stride = form.terms.iter().find(|(other, _)| *other == atom)?.1;
        digits.push((stride.abs(), size));
        if onto && stride < 0 {
            return None;
        }
    }
    if form.terms.iter().any(|&(atom, _)| !matches!(forms.atom_info(atom).0, Atom::Variable(_)))
        || form.terms.len() != digits.len()
    {
        return None;
    }
    digits.sort_unstable();
    let mut next = 1i64;
    for (stride, size) in digits {
        if stride < next || (onto && stride != next) {
            return None;
        }
        next = stride.checked_mul(size)?;
    }
    (!onto || next == count).then_some(Once::Yes(How::Arithmetic))
}

fn enumerate(forms: &Forms, form: FormId, gate: &Gate, variables: &[(FormId, i64)], count: i64, onto: bool) -> Once {
    let points = variables.iter().try_fold(1i64, |points, (_, size)| points.checked_mul(*size));
    let Some(points) = points.filter(|&points| points <= ENUMERATED && count <= ENUMERATED) else {
        return Once::Unknown(format!("a map of more than {ENUMERATED} points that is not of mixed radix"));
    };
    let numbers: Vec<Option<u32>> = variables
        .iter()
        .map(|&(variable, _)| match forms.form(variable).terms[..] {
            [(atom, 1)] => match forms.atom_info(atom).0 {
                Atom::Variable(number) => Some(number),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let mut seen = vec![false; count.max(0) as usize];
    let mut taken = 0;
    let mut values = vec![0i64; variables.len()];
    for _ in 0..points {
        let of = |number: u32| {
            let place = numbers.iter().position(|&other| other == Some(number))?;
            values.get(place).copied()
        };
        let open =
            !gate.never && gate.forms.iter().all(|&form| forms.evaluate(form, &of).is_some_and(|value| value >= 0));
        if open {
            let value = forms.evaluate(form, &of).unwrap_or(-1);
            match usize::try_from(value).ok().and_then(|value| seen.get_mut(value)) {
                None => return Once::No(format!("{value} is none of the {count}")),
                Some(true) => return Once::No(format!("{value} twice")),
                Some(seen) => *seen = true,
            }
            taken += 1;
        }
        for (value, &(_, size)) in values.iter_mut().zip(variables).rev() {
            *value += 1;
            if *value < size {
                break;
            }
            *value = 0;
        }
    }
    if onto && taken != count {
        let missing = seen.iter().position(|seen| !seen).unwrap_or(0);
        return Once::No(format!("{missing} never"));
    }
    Once::Yes(How::Enumeration)
}

impl Work<'_> {
    /// Every element of an output stored once, and every place of the reduction reduced once.
    pub(super) fn coverage(&mut self, forms: &mut Forms) -> Result<()> {
        self.ranges();
        self.places(forms)?;
        self.outputs(forms)
    }

    /// Launch indices and loops have the sizes of their axes.
    fn ranges(&mut self) {
        for needed in self.axes.needed.clone() {
            let kind = match needed.index {
                super::extract::Index::Launch(_) | super::extract::Index::Loop(1, _) => Kind::Coverage,
                super::extract::Index::Loop(..) => Kind::Reduction,
            };
            let Some(found) = self.extracted.indices.get(&needed.index) else { continue };
            let ending = if found.range == (0, needed.size) {
                Ending::Proved(How::Arithmetic)
            } else {
                Ending::Refuted(format!(
                    "{} runs from {} to below {}, its axis has {} places",
                    super::extract::index_name(needed.index),
                    found.range.0,
                    found.range.1,
                    needed.size
                ))
            };
            self.add(kind, Some(found.uop), ending);
        }
    }

    /// The axes stand for every place of the outputs and of the reduction, each once.
    fn places(&mut self, forms: &mut Forms) -> Result<()> {
        let mut values = Vec::with_capacity(self.structure.axes.len());
        for (number, axis) in self.structure.axes.clone().iter().enumerate() {
            values.push(forms.variable(&format!("axis{number}"), (0, axis.size - 1)));
        }
        for kept in [true, false] {
            let of_kind = |kind: AxisKind| match kind {
                AxisKind::Global | AxisKind::Local | AxisKind::Middle | AxisKind::Upcasted => kept,
                AxisKind::Grouped | AxisKind::Loop | AxisKind::Unrolled => !kept,
            };
            let zero = forms.constant(0);
            let axes = self.structure.axes.iter().zip(&values);
            let own: Vec<(FormId, i64)> =
                axes.clone().filter(|(axis, _)| of_kind(axis.kind)).map(|(axis, &value)| (value, axis.size)).collect();
            let set: Vec<FormId> = axes.map(|(axis, &value)| if of_kind(axis.kind) { value } else { zero }).collect();
            let place = self.structure.place(forms, &set)?;
            let form = if kept { place.kept } else { place.reduced };
            let Some(count) = self.iterations.count(kept) else { continue };
            if !kept && count == 1 && own.is_empty() {
                continue;
            }
            let once = takes_once(forms, form, &place.valid, &own, count, true);
            let what = if kept { "a place of the outputs" } else { "a place of the reduction" };
            let ending = match once {
                Once::Yes(how) => Ending::Proved(how),
                Once::No(why) => Ending::Refuted(format!("{what}: {why}")),
                Once::Unknown(why) => Ending::Unknown(why),
            };
            self.add(if kept { Kind::Coverage } else { Kind::Reduction }, None, ending);
        }
        Ok(())
    }

    /// No two places of an output are one element.
    fn outputs(&mut self, forms: &mut Forms) -> Result<()> {
        let layouts: Vec<usize> = self
            .program
            .steps
            .iter()
            .filter_map(|step| match step.op {
                Op::Store { layout, .. } => Some(layout),
                _ => None,
            })
            .collect();
        for layout in layouts {
            let Some(layout) = self.program.layouts.get(layout) else { continue };
            let shape = layout.shape();
            let place: Vec<FormId> = shape
                .iter()
                .enumerate()
                .map(|(axis, &size)| forms.variable(&format!("place{axis}"), (0, size - 1)))
                .collect();
            let (index, gate) = naive::locate(forms, layout, &place)?;
            let own: Vec<(FormId, i64)> = place.into_iter().zip(shape.iter().copied()).collect();
            let reach = layout.reach().unwrap_or(0);
            let ending = match takes_once(forms, index, &gate, &own, reach, false) {
                Once::Yes(how) => Ending::Proved(how),
                Once::No(why) => Ending::Refuted(format!("an output's own layout: element {why}")),
                Once::Unknown(why) => Ending::Unknown(why),
            };
            self.add(Kind::Coverage, None, ending);
        }
        Ok(())
    }
}
