//! The values of a kernel's axes in the lowered list: launch indices, loops, and numbers for the lanes that are unrolled.

use super::extract::{Extracted, Index, index_name};
use super::forms::{FormId, Forms, Overflow, Result};
use super::structure::{AxisKind, Structure};
use plumb_core::uop::IndexName;
use smallvec::SmallVec;

/// The most dimensions of a launch.
const DIMENSIONS: usize = 3;

/// An index that an axis needs, and how many values it has to have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needed {
    /// Which index.
    pub(super) index: Index,
    /// How many values.
    pub(super) size: i64,
}

/// The values of the axes.
pub(super) struct AxisValues {
    /// For each axis its value before the reduction's end; of unrolled and upcasted axes 0.
    pub(super) early: Vec<FormId>,
    /// For each axis that is reduced by a second stage its loop there; otherwise as `early`.
    pub(super) late_loops: Vec<FormId>,
    /// For each launch index the axes that it is made of, with their weights.
    pub(super) parts: Vec<(FormId, Vec<(usize, i64)>)>,
    /// The indices that stand in these.
    pub(super) needed: Vec<Needed>,
    /// Those of `needed` that the list does not have.
    pub(super) missing: Vec<Needed>,
}

impl AxisValues {
    /// Finds the values of the axes of `structure` in a list.
    pub(super) fn new(forms: &mut Forms, structure: &Structure, extracted: &Extracted) -> Result<AxisValues> {
        let zero = forms.constant(0);
        let count = structure.axes.len();
        let mut values = AxisValues {
            early: vec![zero; count],
            late_loops: vec![zero; count],
            parts: Vec::new(),
            needed: Vec::new(),
            missing: Vec::new(),
        };
        let global = structure.of_kind(&[AxisKind::Global]);
        let lanes = structure.of_kind(&[AxisKind::Local, AxisKind::Grouped, AxisKind::Middle]);
        if structure.launched {
            let flat = structure.flat;
            let of_grid =
                |number| Index::Launch(if flat { IndexName::Flat(number) } else { IndexName::Global(number) });
            values.launch(forms, structure, extracted, &global, 0, &of_grid)?;
            let of_lane = |number| Index::Launch(IndexName::Local(number));
            values.launch(forms, structure, extracted, &lanes, global.len() as u32, &of_lane)?;
        } else {
            let long = global.iter().chain(&lanes).filter(|&&axis| structure.axes[axis].size != 1);
            for (number, &axis) in long.enumerate() {
                let size = structure.axes[axis].size;
                values.early[axis] = values.index(forms, extracted, Index::Loop(1, number as u32), size);
            }
        }
        values.late_loops.clone_from(&values.early);
        let first_loop = global.len() + lanes.len();
        for (axis, &super::structure::Axis { kind, size }) in structure.axes.iter().enumerate() {
            match kind {
                AxisKind::Loop => {
                    let number = axis.checked_sub(first_loop).ok_or(Overflow)? as u32;
                    values.early[axis] = values.index(forms, extracted, Index::Loop(2, number), size);
                }
                AxisKind::Grouped => {
                    values.late_loops[axis] = values.index(forms, extracted, Index::Loop(3, axis as u32), size);
                }
                _ => {}
            }
        }
        Ok(values)
    }

    /// Axes of the launch grid, or of lanes, numbered from `first`; where there are more than dimensions, the first ones
    /// share an index, the very first running fastest.
    fn launch(
        &mut self,
        forms: &mut Forms,
        structure: &Structure,
        extracted: &Extracted,
        axes: &[usize],
        first: u32,
        name: &dyn Fn(u32) -> Index,
    ) -> Result<()> {
        let size = |axis: usize| structure.axes[axis].size;
        let merged = if axes.len() > DIMENSIONS { axes.len() - (DIMENSIONS - 1) } else { 0 };
        let (merged, alone) = axes.split_at(merged);
        let mut number = first;
        if !merged.is_empty() {
            let all = merged.iter().try_fold(1i64, |all, &axis| all.checked_mul(size(axis))).ok_or(Overflow)?;
            let mut rest = self.index(forms, extracted, name(number), all);
            let mut parts = Vec::with_capacity(merged.len());
            let mut weight = 1i64;
            for &axis in merged {
                parts.push((axis, weight));
                weight = weight.checked_mul(size(axis)).ok_or(Overflow)?;
            }
            self.parts.push((rest, parts));
            for &axis in merged {
                self.early[axis] = forms.remainder(rest, size(axis))?;
                rest = forms.quotient(rest, size(axis))?;
            }
            number += 1;
        }
        for &axis in alone {
            self.early[axis] = self.index(forms, extracted, name(number), size(axis));
            self.parts.push((self.early[axis], vec![(axis, 1)]));
            number += 1;
        }
        Ok(())
    }

    fn index(&mut self, forms: &mut Forms, extracted: &Extracted, index: Index, size: i64) -> FormId {
        if size == 1 {
            return forms.constant(0);
        }
        let needed = Needed { index, size };
        self.needed.push(needed);
        match extracted.indices.get(&index) {
            Some(definition) => definition.form,
            None => {
                self.missing.push(needed);
                forms.variable(&index_name(index), (0, size - 1))
            }
        }
    }
}

/// All combinations of values of some axes, the last running fastest.
pub(super) fn lanes(structure: &Structure, axes: &[usize]) -> Vec<SmallVec<[i64; 6]>> {
    let mut all: Vec<SmallVec<[i64; 6]>> = vec![SmallVec::new()];
    for &axis in axes {
        let size = structure.axes[axis].size;
        let longer = |lane: &SmallVec<[i64; 6]>| {
            let lane = lane.clone();
            (0..size).map(move |value| {
                let mut lane = lane.clone();
                lane.push(value);
                lane
            })
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
