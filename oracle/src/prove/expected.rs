//! The accesses that a kernel must make by what its AST says: the naive index and valid of every load and store at the
//! place that each lane of an iteration stands for.

use super::access::Memory;
use super::axes::{AxisValues, lanes};
use super::forms::{FormId, Forms, Overflow, Result};
use super::gate::Gate;
use super::matrix::{Operand, Tile};
use super::naive;
use super::structure::{AxisKind, Place, Structure};
use super::zeros;
use crate::reference::program::{Op, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// An access that must be made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Required {
    /// The memory.
    pub(super) memory: Memory,
    /// The element.
    pub(super) index: FormId,
    /// Where it is one and not padding.
    pub(super) gate: Gate,
}

/// What one lane of an output must be.
#[derive(Clone, Debug)]
pub(super) struct RequiredStore {
    /// The store itself.
    pub(super) store: Required,
    /// Places in [`Expected::loads`], ascending: what its value may depend on.
    pub(super) loads: Vec<u32>,
    /// Those of `loads`, ascending, that are not multiplied by a constant zero: what its value must depend on.
    pub(super) needed: Vec<u32>,
    /// With matrix instructions: its element of the lane's accumulator, and the products that it is the sum of.
    pub(super) tile: Option<TileStore>,
}

/// What an output's lane is with matrix instructions.
#[derive(Clone, Debug)]
pub(super) struct TileStore {
    /// Element of the lane's accumulator.
    pub(super) element: u32,
    /// For each combination of unrolled axes beyond the tile's own the fragment of A and that of B, each element by its
    /// place in [`Expected::loads`]; `None` where it is padding.
    pub(super) fragments: Vec<[Vec<Option<u32>>; 2]>,
}

/// The shape of the iterations, as the AST has it.
pub(super) struct Iterations {
    /// Sizes of all axes, before the reduction.
    full: Vec<i64>,
    /// For each axis whether the outputs have it in full size.
    kept: Vec<bool>,
}

/// All accesses that a kernel must make.
pub(super) struct Expected {
    /// The loads, each once.
    pub(super) loads: Vec<Required>,
    /// For each output and each lane of it its store, in order; those that never happen are left out.
    pub(super) stores: Vec<RequiredStore>,
    /// Number of outputs.
    pub(super) outputs: usize,
}

impl Iterations {
    /// The iterations of a program.
    pub(super) fn new(program: &Program) -> Option<Iterations> {
        let reduce = program.steps.iter().find_map(|step| match &step.op {
            Op::Reduce { source, .. } => Some((*source, &step.shape)),
            _ => None,
        });
        let store = program.steps.iter().find_map(|step| match step.op {
            Op::Store { source, .. } => Some(source),
            _ => None,
        })?;
        let (full, output) = match reduce {
            Some((source, shape)) => (&program.steps.get(source)?.shape, shape),
            None => (&program.steps.get(store)?.shape, &program.steps.get(store)?.shape),
        };
        let kept = full.iter().zip(output.iter()).map(|(a, b)| a == b).collect();
        Some(Iterations { full: full.to_vec(), kept })
    }

    /// Number of places among the kept, or among the reduced axes.
    pub(super) fn count(&self, kept: bool) -> Option<i64> {
        let sizes = self.full.iter().zip(&self.kept).filter(|(_, of)| **of == kept);
        sizes.map(|(&size, _)| size).try_fold(1i64, i64::checked_mul)
    }

    /// The coordinates of a place, one for each axis.
    pub(super) fn coordinates(&self, forms: &mut Forms, place: &Place) -> Result<Vec<FormId>> {
        let mut coordinates = vec![forms.constant(0); self.full.len()];
        for (which, flat) in [(true, place.kept), (false, place.reduced)] {
            let axes: Vec<usize> = (0..self.full.len()).filter(|&axis| self.kept[axis] == which).collect();
            let sizes: Vec<i64> = axes.iter().map(|&axis| self.full[axis]).collect();
            for (axis, coordinate) in axes.into_iter().zip(naive::unravel(forms, flat, &sizes)?) {
                coordinates[axis] = coordinate;
            }
        }
        Ok(coordinates)
    }
}

/// Values of the upcasted axes of an output.
type Lane = SmallVec<[i64; 6]>;

/// A load of the AST under an output, and whether it comes before the reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Leaf {
    /// The step.
    pub(super) step: usize,
    /// Whether it comes before the reduction.
    pub(super) early: bool,
    /// With matrix instructions the operand that it is.
    pub(super) operand: Option<Operand>,
}

struct Builder<'a> {
    program: &'a Program,
    iterations: &'a Iterations,
    structure: &'a Structure,
    axes: &'a AxisValues,
    tile: Option<&'a Tile>,
    expected: Expected,
    ids: FxHashMap<Required, u32>,
    /// For each early lane of upcasted outputs and each leaf: its loads.
    known: FxHashMap<(Leaf, Lane), Vec<Option<u32>>>,
}

/// The accesses that `program` must make in a kernel of this structure.
pub(super) fn expected(
    forms: &mut Forms,
    program: &Program,
    iterations: &Iterations,
    structure: &Structure,
    axes: &AxisValues,
    tile: Option<&Tile>,
) -> Result<Expected> {
    let expected = Expected { loads: Vec::new(), stores: Vec::new(), outputs: 0 };
    let mut builder = Builder {
        program,
        iterations,
        structure,
        axes,
        tile,
        expected,
        ids: FxHashMap::default(),
        known: FxHashMap::default(),
    };
    for step in 0..program.steps.len() {
        if let Op::Store { .. } = program.steps[step].op {
            builder.output(forms, step)?;
        }
    }
    Ok(builder.expected)
}

impl Builder<'_> {
    /// The loads under an output.
    fn leaves(&mut self, root: usize) -> Vec<Leaf> {
        let operands = self.tile.and_then(|_| self.factors());
        let mut seen: FxHashSet<Leaf> = FxHashSet::default();
        let mut leaves = Vec::new();
        let mut stack = vec![Leaf { step: root, early: false, operand: None }];
        while let Some(leaf) = stack.pop() {
            let Some(step) = self.program.steps.get(leaf.step) else { continue };
            if !seen.insert(leaf) {
                continue;
            }
            match &step.op {
                Op::Load { .. } => leaves.push(leaf),
                Op::Reduce { source, .. } => match operands {
                    Some([a, b]) => {
                        stack.push(Leaf { step: a, early: true, operand: Some(Operand::A) });
                        stack.push(Leaf { step: b, early: true, operand: Some(Operand::B) });
                    }
                    None => stack.push(Leaf { step: *source, early: true, ..leaf }),
                },
                other => stack.extend(other.operands().iter().map(|&operand| Leaf { step: operand, ..leaf })),
            }
        }
        leaves.sort_unstable();
        leaves
    }

    /// The factors of the product that is summed.
    fn factors(&self) -> Option<[usize; 2]> {
        let mut step = self.program.steps.iter().find_map(|step| match step.op {
            Op::Reduce { source, .. } => Some(source),
            _ => None,
        })?;
        loop {
            match &self.program.steps.get(step)?.op {
                Op::Cast(source) => step = *source,
                Op::Alu(_, factors) => return factors.get(..2)?.try_into().ok(),
                _ => return None,
            }
        }
    }

    fn output(&mut self, forms: &mut Forms, number: usize) -> Result<()> {
        let Op::Store { buffer, layout, source, .. } = self.program.steps[number].op else { return Ok(()) };
        let leaves = self.leaves(source);
        let tile_axes = self.tile.map_or(&[][..], |tile| &tile.upcasted);
        let mut upcasted = self.structure.of_kind(&[AxisKind::Upcasted, AxisKind::Middle]);
        upcasted.retain(|axis| !tile_axes.contains(axis));
        let alone = self.structure.of_kind(&[AxisKind::Grouped]);
        let elements = self.tile.map_or(1, |tile| tile.sizes[2]);
        for lane in lanes(self.structure, &upcasted) {
            for element in 0..elements {
                let mut values = self.late_values(forms, &upcasted, &lane)?;
                if let Some(tile) = self.tile {
                    let place = tile.place(forms, Operand::C, element)?;
                    tile.set(forms, self.structure, place, &mut values)?;
                }
                let place = self.structure.place(forms, &values)?;
                let mut store = self.located(forms, Memory::Argument(buffer), layout, &place, false)?;
                // Of lanes that share a reduction the first one stores.
                for &axis in &alone {
                    let others = forms.scale(self.axes.early[axis], -1)?;
                    store.gate.require(forms, others)?;
                }
                if store.gate.never {
                    continue;
                }
                let mut of_leaves = Vec::with_capacity(leaves.len());
                for &leaf in &leaves {
                    of_leaves.push((leaf, self.leaf(forms, leaf, &upcasted, &lane, &place)?));
                }
                let loads = sorted(of_leaves.iter().flat_map(|(_, loads)| loads.iter().flatten().copied()));
                let needed = match self.tile {
                    Some(_) => loads.clone(),
                    None => sorted(zeros::needed(self.program, source, &of_leaves).into_iter()),
                };
                let tile = match self.tile {
                    Some(tile) => {
                        let element = element as u32;
                        Some(TileStore { element, fragments: self.fragments(forms, tile, &leaves, &upcasted, &lane)? })
                    }
                    None => None,
                };
                self.expected.stores.push(RequiredStore { store, loads, needed, tile });
            }
        }
        self.expected.outputs += 1;
        Ok(())
    }

    /// The fragments whose products a lane of an output is the sum of.
    fn fragments(
        &mut self,
        forms: &mut Forms,
        tile: &Tile,
        leaves: &[Leaf],
        upcasted: &[usize],
        lane: &[i64],
    ) -> Result<Vec<[Vec<Option<u32>>; 2]>> {
        let of = |operand: Operand| leaves.iter().find(move |leaf| leaf.operand == Some(operand)).copied();
        let (Some(a), Some(b)) = (of(Operand::A), of(Operand::B)) else { return Ok(Vec::new()) };
        let place = Place { kept: forms.constant(0), reduced: forms.constant(0), valid: Gate::default() };
        let a = self.leaf(forms, a, upcasted, lane, &place)?;
        let b = self.leaf(forms, b, upcasted, lane, &place)?;
        let (a, b) = (a.chunks(tile.sizes[0].max(1) as usize), b.chunks(tile.sizes[1].max(1) as usize));
        Ok(a.zip(b).map(|(a, b)| [a.to_vec(), b.to_vec()]).collect())
    }

    /// The values of the axes behind the reduction.
    fn late_values(&self, forms: &mut Forms, upcasted: &[usize], lane: &[i64]) -> Result<Vec<FormId>> {
        let zero = forms.constant(0);
        let mut values = self.axes.early.clone();
        for (axis, value) in values.iter_mut().enumerate() {
            if matches!(self.structure.axes[axis].kind, AxisKind::Grouped | AxisKind::Loop) {
                *value = zero;
            }
        }
        for (&axis, &number) in upcasted.iter().zip(lane) {
            values[axis] = forms.constant(number);
        }
        Ok(values)
    }

    /// The loads of a leaf for a lane of an output: for each combination of unrolled axes, and within it for each
    /// element of a fragment; `None` where there is only padding.
    fn leaf(
        &mut self,
        forms: &mut Forms,
        leaf: Leaf,
        upcasted: &[usize],
        lane: &[i64],
        place: &Place,
    ) -> Result<Vec<Option<u32>>> {
        let Op::Load { buffer, layout, .. } = self.program.steps[leaf.step].op else { return Ok(Vec::new()) };
        let memory = Memory::Argument(buffer);
        if !leaf.early {
            let required = self.located(forms, memory, layout, place, false)?;
            return Ok(vec![self.enter(forms, required)?]);
        }
        // Before the reduction the axes between the stages are lanes of the launch.
        let own: SmallVec<[(usize, i64); 6]> = upcasted
            .iter()
            .zip(lane)
            .filter(|&(&axis, _)| self.structure.axes[axis].kind == AxisKind::Upcasted)
            .map(|(&axis, &value)| (axis, value))
            .collect();
        let key = (leaf, own.iter().map(|&(_, value)| value).collect());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let mut unrolled = self.structure.of_kind(&[AxisKind::Unrolled]);
        let fragment = self.tile.zip(leaf.operand);
        unrolled.retain(|&axis| fragment.is_none_or(|(tile, _)| axis != tile.k));
        let elements = fragment.map_or(1, |(tile, operand)| tile.sizes[operand as usize]);
        let mut found = Vec::new();
        for reduced in lanes(self.structure, &unrolled) {
            for element in 0..elements {
                let mut values = self.axes.early.clone();
                for (axis, number) in own.iter().copied().chain(unrolled.iter().copied().zip(reduced.iter().copied())) {
                    values[axis] = forms.constant(number);
                }
                if let Some((tile, operand)) = fragment {
                    let place = tile.place(forms, operand, element)?;
                    tile.set(forms, self.structure, place, &mut values)?;
                }
                let place = self.structure.place(forms, &values)?;
                let required = self.located(forms, memory, layout, &place, true)?;
                found.push(self.enter(forms, required)?);
            }
        }
        self.known.insert(key, found.clone());
        Ok(found)
    }

    /// The place of a load in the list; `None` where its gate never holds.
    fn enter(&mut self, forms: &mut Forms, required: Required) -> Result<Option<u32>> {
        if required.gate.is_empty(forms) {
            return Ok(None);
        }
        let next = self.expected.loads.len() as u32;
        let id = *self.ids.entry(required.clone()).or_insert(next);
        if id == next {
            self.expected.loads.push(required);
        }
        Ok(Some(id))
    }

    fn located(
        &self,
        forms: &mut Forms,
        memory: Memory,
        layout: usize,
        place: &Place,
        early: bool,
    ) -> Result<Required> {
        let layout = self.program.layouts.get(layout).ok_or(Overflow)?;
        let mut coordinates = self.iterations.coordinates(forms, place)?;
        if !early {
            // Reduced axes have size 1 behind the reduction.
            let zero = forms.constant(0);
            for (coordinate, kept) in coordinates.iter_mut().zip(&self.iterations.kept) {
                if !kept {
                    *coordinate = zero;
                }
            }
        }
        let (index, mut gate) = naive::locate(forms, layout, &coordinates)?;
        gate.require_all(forms, &place.valid)?;
        Ok(Required { memory, index, gate })
    }
}

fn sorted(loads: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut loads: Vec<u32> = loads.collect();
    loads.sort_unstable();
    loads.dedup();
    loads
}
