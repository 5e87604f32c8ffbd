//! The launch grid, the lanes of a workgroup, and loops: where the indices of the axes come from.

use super::LowerStep;
use super::state::{AxisIndices, GLOBAL, Indices, LOCAL, Lowering};
use crate::dtype::DType;
use crate::kernel::LowerError;
use crate::rule::State;
use crate::symbolic::{NodeId, Sint};
use crate::uop::{IndexName, UopArg, UopId, UopKind};
use smallvec::SmallVec;

/// The most dimensions of a launch.
const DIMENSIONS: usize = 3;

/// The indices of some axes, and the variables that they are made of.
#[derive(Debug, Default)]
pub(super) struct GroupedAxes {
    pub(super) indices: Indices,
    /// Each with the number in its name; axes of size 1 have none.
    pub(super) variables: SmallVec<[(u32, NodeId); 4]>,
}

/// Launch dimensions as a driver gets them; `None` where the list of uops holds all loops.
#[derive(Debug, Default)]
pub(super) struct LaunchSizes {
    pub(super) global: Option<Vec<Sint>>,
    pub(super) local: Option<Vec<Sint>>,
}

impl Lowering {
    /// How many of so many axes share each dimension of a launch: where there are more than it has, the first ones share one.
    fn plain_groups(&self, axes: usize) -> SmallVec<[usize; 12]> {
        if self.kernel.target.has_local && axes > DIMENSIONS {
            SmallVec::from_slice(&[axes - (DIMENSIONS - 1), 1, 1])
        } else {
            SmallVec::from_elem(1, axes)
        }
    }

    /// Indices of axes of these sizes, numbered from `first`. `groups` says how many neighbours share a variable and are what
    /// remains of it, the very first running fastest.
    fn grouped_axes(
        &mut self,
        prefix: &str,
        first: usize,
        sizes: &[Sint],
        groups: &[usize],
    ) -> Result<GroupedAxes, LowerError> {
        let mut grouped = GroupedAxes::default();
        let mut rest = sizes;
        for (number, &count) in (first..).zip(groups) {
            let (group, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            let mut size = Sint::Int(1);
            for &axis in group {
                size = self.kernel.arena.sint_mul(size, axis)?;
            }
            let variable = self.axis_variable(prefix, number, size)?;
            grouped.push(number, variable, self.is_variable(variable));
            match group {
                [_] => grouped.indices.push(variable),
                _ => self.divide_among(variable, group, &mut grouped.indices)?,
            }
        }
        Ok(grouped)
    }

    /// What remains of `variable` for each of the axes that share it.
    fn divide_among(&mut self, variable: NodeId, axes: &[Sint], indices: &mut Indices) -> Result<(), LowerError> {
        let step = self.state(LowerStep::MergedAxes);
        let mut rest = variable;
        for &axis in axes {
            let index = self.kernel.arena.modulo(rest, axis)?;
            indices.push(index);
            rest = match step {
                State::On => self.kernel.arena.floor_div(rest, axis)?,
                State::Altered => self.kernel.arena.floor_div(variable, axis)?,
                State::Off => self.zero(),
            };
        }
        Ok(())
    }

    /// Defines the indices of the launch grid and of lanes: as indices of the launch, or as loops.
    pub(super) fn define_launch(&mut self) -> Result<(AxisIndices, LaunchSizes), LowerError> {
        let kernel = &self.kernel;
        let (global_dims, first_loop) = (kernel.global_dims(), kernel.first_reduce_loop());
        let full: SmallVec<[Sint; 12]> = SmallVec::from_slice(kernel.full_shape());
        let part = |from: usize, to: usize| {
            full.get(from..to).ok_or_else(|| LowerError::Invalid(format!("axes {from} to {to} of {}", full.len())))
        };
        let (grid, lanes) = (part(0, global_dims)?, part(global_dims, first_loop)?);
        let global = self.grouped_axes(GLOBAL, 0, grid, &self.plain_groups(grid.len()))?;
        let groups = self.lane_groups(lanes)?;
        let local = self.grouped_axes(LOCAL, global_dims, lanes, &groups)?;

        let mut sizes = LaunchSizes::default();
        if self.kernel.dont_use_locals {
            sizes.global = Some(self.define_grid(&global, IndexName::Flat)?);
        } else if self.kernel.target.has_local {
            sizes.global = Some(self.define_grid(&global, IndexName::Global)?);
            sizes.local = Some(self.define_lanes(&local)?);
        } else {
            let both: SmallVec<[NodeId; 8]> =
                global.variables.iter().chain(&local.variables).map(|&(_, variable)| variable).collect();
            self.render_loops(&both, 1, Bound::Whole)?;
        }
        let indices = AxisIndices { global: global.indices, local: local.indices, ..AxisIndices::default() };
        Ok((indices, sizes))
    }

    /// Dimensions of the grid count from the last axis.
    fn define_grid(&mut self, grid: &GroupedAxes, name: fn(u32) -> IndexName) -> Result<Vec<Sint>, LowerError> {
        let mut sizes = Vec::with_capacity(DIMENSIONS);
        for (place, &(number, variable)) in grid.variables.iter().enumerate() {
            let dim = grid.variables.len() - 1 - place;
            sizes.push(self.define_special(dim, name(number), variable)?);
        }
        if self.does(LowerStep::LaunchOrder) {
            sizes.reverse();
        }
        sizes.resize(sizes.len().max(DIMENSIONS), Sint::Int(1));
        Ok(sizes)
    }

    fn define_lanes(&mut self, lanes: &GroupedAxes) -> Result<Vec<Sint>, LowerError> {
        let mut sizes = Vec::with_capacity(DIMENSIONS);
        for (dim, &(number, variable)) in lanes.variables.iter().enumerate() {
            sizes.push(self.define_special(dim, IndexName::Local(number), variable)?);
        }
        sizes.resize(sizes.len().max(DIMENSIONS), Sint::Int(1));
        Ok(sizes)
    }

    /// How many neighbouring axes of lanes share each dimension of a workgroup: the plain way where that keeps within the
    /// target's limits, otherwise the first way in which most dimensions are used. Lanes keep their order, which matrix
    /// instructions rely on.
    fn lane_groups(&mut self, sizes: &[Sint]) -> Result<SmallVec<[usize; 12]>, LowerError> {
        let plain = self.plain_groups(sizes.len());
        let target = std::sync::Arc::clone(&self.kernel.target);
        let Some(limits) = target.local_max.as_deref().filter(|_| target.has_local) else { return Ok(plain) };
        let arena = &self.kernel.arena;
        let most = |size: &Sint| match *size {
            Sint::Int(size) => size,
            Sint::Node(node) => arena.max_int(node),
        };
        let most: SmallVec<[i64; 12]> = sizes.iter().map(most).collect();
        // Axes of size 1 take no dimension; limits are listed the other way round.
        let fits = |groups: &[usize]| {
            let mut rest = &most[..];
            let mut limits = limits.iter().rev();
            groups.iter().all(|&count| {
                let (group, others) = rest.split_at(count.min(rest.len()));
                rest = others;
                let size = group.iter().copied().fold(1, i64::saturating_mul);
                size == 1 || limits.next().is_some_and(|&limit| size <= limit)
            })
        };
        if fits(&plain) || !self.does(LowerStep::LaneDimensions) {
            return Ok(plain);
        }
        let len = sizes.len();
        let three =
            (1..len).flat_map(|second| (second + 1..len).map(move |third| [second, third - second, len - third]));
        let two = (1..len).map(|second| [second, len - second, 0]);
        for groups in three.chain(two).chain([[len, 0, 0]]) {
            let groups: SmallVec<[usize; 12]> = groups.into_iter().filter(|&count| count > 0).collect();
            if fits(&groups) {
                return Ok(groups);
            }
        }
        let sizes: Vec<String> = most.iter().map(ToString::to_string).collect();
        let sizes = sizes.join("×");
        Err(LowerError::Unsupported(format!(
            "a workgroup of {sizes} lanes, where the target has the limits {limits:?}"
        )))
    }

    fn define_special(&mut self, dim: usize, name: IndexName, variable: NodeId) -> Result<Sint, LowerError> {
        let size = self.size_of(variable)?;
        let arg = UopArg::Special { dim: dim as u32, name, size };
        let uop = self.graph.add(UopKind::Special, Some(DType::I32), &[], arg);
        self.define(variable, uop);
        Ok(size)
    }

    /// How many values a variable has, where its least is 0.
    fn size_of(&mut self, variable: NodeId) -> Result<Sint, LowerError> {
        let last = self.kernel.arena.max(variable);
        Ok(self.kernel.arena.sint_add(last, Sint::Int(1))?)
    }

    /// Opens a loop for each variable. Returns the loops.
    pub(super) fn render_loops(
        &mut self,
        indices: &[NodeId],
        depth: u32,
        bound: Bound,
    ) -> Result<SmallVec<[UopId; 4]>, LowerError> {
        let mut loops = SmallVec::new();
        for (number, &index) in indices.iter().enumerate() {
            if !self.is_variable(index) {
                continue;
            }
            let start = self.index_constant(self.kernel.arena.min(index))?;
            if bound == Bound::None {
                self.define(index, start);
                continue;
            }
            let mut size = self.size_of(index)?;
            if bound == Bound::Short {
                size = self.kernel.arena.sint_sub(size, Sint::Int(1))?;
            }
            let end = self.render_sint(size)?;
            let arg = UopArg::Range { depth, number: number as u32 };
            let uop = self.graph.add(UopKind::Range, Some(DType::I32), &[start, end], arg);
            self.define(index, uop);
            loops.push(uop);
        }
        Ok(loops)
    }
}

/// How far a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// Over the whole size.
    Whole,
    /// One iteration less (a planted fault).
    Short,
    /// No loop at all, the index is its least value (a planted fault).
    None,
}

impl From<State> for Bound {
    fn from(state: State) -> Bound {
        match state {
            State::On => Bound::Whole,
            State::Altered => Bound::Short,
            State::Off => Bound::None,
        }
    }
}

impl GroupedAxes {
    fn push(&mut self, number: usize, node: NodeId, variable: bool) {
        if variable {
            self.variables.push((number as u32, node));
        }
    }
}
