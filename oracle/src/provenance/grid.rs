//! Which work is done: workgroups of a launch or, in a list that holds all loops, iterations of the outer ones.

use super::Unsupported;
use super::algebra::Algebra;
use super::lane::Lane;
use crate::data::mix;
use crate::interpreter::launch_size;
use plumb_core::dtype::Scalar;
use plumb_core::linearize::Lowered;
use plumb_core::uop::{IndexName, UopArg, UopKind};
use rustc_hash::FxHashSet;

/// Most lanes of a workgroup.
const LANES_MAX: usize = 4096;

/// Where the sizes of workgroups begin.
const LOCAL: usize = 3;

/// Where the lengths of loops begin.
const LOOPS: usize = 6;

/// Work items that can be done in any order, each by some lanes.
#[derive(Debug)]
pub(super) struct Grid {
    /// Sizes of the three launch dimensions, of the three of a workgroup whose lanes need not be run together, of the
    /// loops.
    sizes: Vec<i64>,
    /// Lanes of a workgroup in each dimension that are run together, as they share memory.
    lanes: [i64; 3],
    /// The loops whose iterations are work items: the RANGE and its first index.
    loops: Vec<(u32, i64)>,
}

impl Grid {
    pub(super) fn of(lowered: &Lowered, bindings: &[(String, i64)]) -> Result<Grid, Unsupported> {
        let uops = &lowered.uops.uops;
        let mut grid = Grid { sizes: vec![1; LOOPS], lanes: [1; 3], loops: Vec::new() };
        let shares = |kind| matches!(kind, UopKind::DefineLocal | UopKind::Barrier | UopKind::Wmma);
        let together = uops.iter().any(|uop| shares(uop.kind));
        for uop in uops.iter().filter(|uop| uop.kind == UopKind::Special) {
            let UopArg::Special { dim, name, size } = uop.arg else { continue };
            let variable = |name: &str| bindings.iter().find(|(bound, _)| bound == name).map(|&(_, value)| value);
            let size = launch_size(&lowered.arena, size, &variable).map_err(|error| Unsupported(error.to_string()))?;
            let local = matches!(name, IndexName::Local(_));
            let place = match local {
                true if together => grid.lanes.get_mut(dim as usize),
                true => grid.sizes[LOCAL..LOOPS].get_mut(dim as usize),
                false => grid.sizes[..LOCAL].get_mut(dim as usize),
            };
            *place.ok_or_else(|| Unsupported("a launch dimension beyond the third".to_owned()))? = size.max(0);
        }
        if grid.lanes_per_group() > LANES_MAX {
            return Err(Unsupported(format!("a workgroup of more than {LANES_MAX} lanes")));
        }
        if lowered.global_size.is_none() {
            grid.spread(lowered, bindings);
        }
        Ok(grid)
    }

    /// Takes loops over outputs as work items: those in which no accumulator from outside lives on.
    fn spread(&mut self, lowered: &Lowered, bindings: &[(String, i64)]) {
        let uops = &lowered.uops.uops;
        let known = known_integers(lowered, bindings);
        let accumulates = |range: usize| {
            let is_it = |id: &plumb_core::uop::UopId| id.index() == range;
            uops.iter().any(|uop| uop.kind == UopKind::DefineAcc && uop.sources.iter().any(is_it))
        };
        for (position, uop) in uops.iter().enumerate() {
            if !matches!(uop.arg, UopArg::Range { depth: 1, .. }) || accumulates(position) {
                continue;
            }
            if let [Some(start), Some(end)] = [0, 1].map(|n| known.get(uop.sources.get(n)?.index()).copied().flatten())
            {
                self.loops.push((position as u32, start));
                self.sizes.push((end - start).max(0));
            }
        }
    }

    /// Lanes of one work item: of a workgroup, or one.
    pub(super) fn lanes_per_group(&self) -> usize {
        self.lanes.iter().map(|&size| usize::try_from(size).unwrap_or(0)).fold(1, usize::saturating_mul)
    }

    /// Work items.
    pub(super) fn groups(&self) -> u64 {
        self.sizes.iter().map(|&size| size as u64).fold(1, u64::saturating_mul)
    }

    /// The number of a work item in a launch dimension.
    pub(super) fn group_coordinate(&self, group: u64, dimension: usize) -> i64 {
        let below: u64 = self.sizes.iter().take(dimension).map(|&size| size as u64).product();
        self.sizes.get(dimension).map_or(0, |&size| (group / below.max(1) % (size as u64).max(1)) as i64)
    }

    /// The number of a work item's lane in a dimension of its workgroup.
    pub(super) fn lane_coordinate(&self, group: u64, lane: usize, dimension: usize) -> i64 {
        let below: i64 = self.lanes.iter().take(dimension).product();
        let lane = self.lanes.get(dimension).map_or(0, |&size| lane as i64 / below.max(1) % size.max(1));
        // Either lanes are work items or they are not: one of both is 0.
        lane + self.group_coordinate(group, LOCAL + dimension)
    }

    /// The index of a loop whose iterations are work items; `None` for another.
    pub(super) fn loop_index(&self, range: usize, group: u64) -> Option<i64> {
        let number = self.loops.iter().position(|&(uop, _)| uop as usize == range)?;
        Some(self.loops[number].1 + self.group_coordinate(group, LOOPS + number))
    }

    /// Work items in the order in which they are done while there is budget: the first, the last, others at random, none
    /// twice.
    pub(super) fn order(&self) -> impl Iterator<Item = u64> {
        let count = self.groups();
        let mut done = FxHashSet::default();
        let ends = [0, count.saturating_sub(1)].into_iter();
        // Where few are left to draw, the rest comes in order.
        let drawn =
            (0..count.min(1 << 16)).map(move |n| ((u128::from(mix(0x9ab, n)) * u128::from(count)) >> 64) as u64);
        let rest = 0..if count <= 1 << 16 { count } else { 0 };
        ends.chain(drawn).chain(rest).filter(move |&group| group < count && done.insert(group))
    }
}

/// The uops whose values follow from constants and variables: bounds of loops.
fn known_integers(lowered: &Lowered, bindings: &[(String, i64)]) -> Vec<Option<i64>> {
    let uops = &lowered.uops.uops;
    let mut algebra = Algebra::new(0);
    let mut known: Vec<Option<i64>> = Vec::with_capacity(uops.len());
    for uop in uops {
        let value = match (&uop.arg, uop.kind) {
            (UopArg::Const(value), _) => value.as_int().and_then(|value| i64::try_from(value).ok()),
            (UopArg::Var { name, .. }, _) => {
                bindings.iter().find(|(bound, _)| **bound == **name).map(|&(_, value)| value)
            }
            (UopArg::Alu(op), UopKind::Alu) => {
                let operand = |id: &plumb_core::uop::UopId| {
                    let value = known.get(id.index()).copied().flatten()?;
                    Some(Lane::of_bits(value as u64))
                };
                let operands: Option<Vec<Lane>> = uop.sources.iter().map(operand).collect();
                operands.and_then(|operands| algebra.alu(*op, Scalar::I64, &operands)).map(|lane| lane.value as i64)
            }
            _ => None,
        };
        known.push(value);
    }
    known
}
