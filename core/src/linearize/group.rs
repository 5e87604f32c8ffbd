//! The second stage of a reduction that the lanes of a workgroup share: each leaves its partial results in local
//! memory, and the first lane combines them.

use super::LowerStep;
use super::launch::Bound;
use super::load::Accumulator;
use super::reduce::Reduction;
use super::state::{AxisIndices, Indices, LATE, Lowering};
use crate::kernel::{KernelBuffer, LowerError};
use crate::rule::State;
use crate::shape::ShapeTracker;
use crate::symbolic::{NodeId, Sint};
use crate::uop::{LocalName, UopArg, UopId, UopKind};
use smallvec::SmallVec;

impl Lowering {
    /// Adds the local memory for the partial results, as the kernel's last buffer.
    pub(super) fn add_partial_results(&mut self, dtype: crate::dtype::DType) -> Result<(), LowerError> {
        let kernel = &mut self.kernel;
        let (global, first_loop, loops_end) = (kernel.global_dims(), kernel.first_reduce_loop(), kernel.first_upcast());
        let upcasted = kernel.upcasted_axis(0)?;
        let lanes = kernel.full_shape().get(global..first_loop);
        let lanes = lanes.ok_or_else(|| LowerError::Invalid("lanes without axes".into()))?;
        let mut shape: SmallVec<[Sint; 12]> = SmallVec::from_elem(Sint::Int(1), global);
        shape.extend_from_slice(lanes);
        shape.resize(loops_end.max(shape.len()), Sint::Int(1));
        shape.extend(upcasted.iter().map(|&(size, ..)| Sint::Int(size)));

        let view = ShapeTracker::from_shape(&mut kernel.arena, &shape)?;
        let size = view.size(&kernel.arena);
        kernel.views.push(view);
        kernel.buffers.push(KernelBuffer::Local { name: LocalName::Temp, size, dtype });
        kernel.early_buffers.push(false);
        let arg = UopArg::Local { name: LocalName::Temp, size };
        let pointer = crate::dtype::DType::Pointer(dtype.scalar());
        let pointer = self.graph.add(UopKind::DefineLocal, Some(pointer), &[], arg);
        self.pointers.push(Some(pointer));
        Ok(())
    }

    /// Stores the partial results, waits for the other lanes' and combines them in the first. Leaves in `axes` the
    /// indices that hold behind it.
    pub(super) fn second_stage(
        &mut self,
        reduction: Reduction,
        axes: &mut AxisIndices,
        partial: &[UopId],
    ) -> Result<Vec<UopId>, LowerError> {
        let temp = self.kernel.buffers.len().saturating_sub(1);
        let local_dims = self.kernel.local_dims;
        let grouped: Indices = axes.local.get(local_dims..).unwrap_or(&[]).into();
        let mut cells = AxisIndices { global: self.zeros(&axes.global), ..axes.clone() };
        let own_cells = self.does(LowerStep::LocalIndex);
        let zero = self.zero();
        if !own_cells {
            cells.local.iter_mut().take(local_dims).for_each(|index| *index = zero);
        }
        let stores = self.store(temp, &cells.all(), partial)?;
        let wait = self.wait_for_partial_results(temp, &grouped, &stores)?;

        let mut late = self.late_indices()?;
        cells.local.truncate(local_dims);
        cells.local.extend_from_slice(late.get(axes.global.len() + local_dims..).unwrap_or(&[]));
        for axis in self.kernel.upcast_in_mid_reduce_axes() {
            let order = (0..self.kernel.shape_len()).filter(|&other| other != axis).chain([axis]);
            let order: SmallVec<[usize; 12]> = order.collect();
            self.kernel.permute_all(&order)?;
            self.kernel.upcast().map_err(|error| LowerError::Unsupported(error.to_string()))?;
            self.kernel.group_for_reduces -= 1;
            cells.local.pop();
            late.pop();
            let output: SmallVec<[Sint; 12]> = SmallVec::from_slice(self.kernel.output_shape());
            cells.upcast = self.upcast_indices(self.kernel.first_upcast(), &output)?;
        }

        let bound = Bound::from(self.state(LowerStep::LateLoop));
        let loops = self.render_loops(&late, 3, bound)?;
        let start = Accumulator { dtype: reduction.dtype, init: reduction.init, loops: &loops };
        let indices = cells.all();
        let mut accumulators = self.accumulators(0, &indices, start)?;
        let values = self.load(temp, &indices, wait)?;
        let offsets = self.kernel.acc_offsets(temp)?;
        self.accumulate(reduction.op, &values, &offsets, &mut accumulators)?;
        self.loads.clear();

        axes.local.truncate(local_dims);
        axes.local.resize(local_dims + self.kernel.group_for_reduces, zero);
        axes.upcast = cells.upcast;
        Ok(accumulators)
    }

    /// What the second stage waits for: the barrier, and being the first lane.
    fn wait_for_partial_results(
        &mut self,
        temp: usize,
        grouped: &[NodeId],
        stores: &[UopId],
    ) -> Result<Option<UopId>, LowerError> {
        let waits = self.does(LowerStep::LateBarrier);
        let barrier = if waits { Some(self.graph.add(UopKind::Barrier, None, stores, UopArg::None)) } else { None };
        let step = self.state(LowerStep::FirstLane);
        if step == State::Off || !self.kernel.target.has_local {
            return Ok(barrier.or(stores.last().copied()));
        }
        let lanes = self.kernel.global_dims() + self.kernel.local_dims;
        let zero = self.zero();
        let mut indices: Indices = SmallVec::from_elem(zero, self.kernel.shape_len());
        let asked = if step == State::Altered { 1 } else { grouped.len() };
        for (index, &lane) in indices.iter_mut().skip(lanes).zip(&grouped[..asked.min(grouped.len())]) {
            *index = lane;
        }
        let (cell, _) = self.index_and_valid(temp, &indices)?;
        let first = self.kernel.arena.create_less(cell, Sint::Int(1))?;
        let first = self.render(first)?;
        let mut sources: SmallVec<[UopId; 4]> = SmallVec::from_slice(&[first]);
        match barrier {
            Some(barrier) => sources.push(barrier),
            None => sources.extend_from_slice(stores),
        }
        let wait = self.graph.add(UopKind::If, None, &sources, UopArg::None);
        if self.does(LowerStep::OneLane) {
            self.graph.store_in(wait);
        }
        Ok(Some(wait))
    }

    /// An index for each axis of the grid and of lanes: a loop variable for those that share the reduction, 0 for the
    /// others.
    fn late_indices(&mut self) -> Result<Indices, LowerError> {
        let kernel = &self.kernel;
        let (first_reduce, first_loop) = (kernel.first_reduce(), kernel.first_reduce_loop());
        let mid = kernel.upcast_in_mid_reduce_axes();
        let full: SmallVec<[Sint; 12]> = SmallVec::from_slice(kernel.full_shape());
        (0..first_loop)
            .map(|axis| {
                let looped = axis >= first_reduce && !mid.contains(&axis);
                let size = full.get(axis).copied().filter(|_| looped);
                self.axis_variable(LATE, axis, size.unwrap_or(Sint::Int(1)))
            })
            .collect()
    }
}
