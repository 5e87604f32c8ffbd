//! Sharing a reduction over the lanes of a workgroup, where there are few outputs.

use crate::kernel::{Kernel, OptError, OptOp, dims};
use crate::symbolic::Sint;

/// The most outputs with which a reduction is shared.
const MOST_OUTPUTS: i64 = 2048;
/// The most outputs with which many lanes share a reduction.
const MOST_OUTPUTS_OF_MANY_LANES: i64 = 32;

impl Kernel {
    /// Shares the reduction over 256 or 16 lanes where that fits, and for images upcasts pixels between its stages.
    pub(super) fn group_reduction(&mut self) -> Result<(), OptError> {
        let first_reduce = self.first_reduce();
        let outputs = &self.output_shape()[..first_reduce];
        if !self.target.has_local || !self.target.has_shared || outputs.iter().any(|size| size.int().is_none()) {
            return Ok(());
        }
        let outputs = dims::product_of_numbers(outputs);
        if first_reduce > 2 || !self.float4_axis(0)?.is_empty() {
            return Ok(());
        }
        if first_reduce < self.shape_len() && outputs <= MOST_OUTPUTS {
            let many: &[i64] = if outputs <= MOST_OUTPUTS_OF_MANY_LANES { &[256, 16] } else { &[16] };
            for &lanes in many {
                // Too many lanes may be refused, for want of shared memory.
                if self.all_divide(first_reduce, lanes)? && self.choose(OptOp::GroupTop, 0, lanes).is_ok() {
                    break;
                }
            }
        }
        self.upcast_between_stages()
    }

    /// Upcasts the channels of a stored image between the stages of a shared reduction.
    fn upcast_between_stages(&mut self) -> Result<(), OptError> {
        if !self.stores_image() || self.group_for_reduces == 0 || self.first_reduce() > 2 {
            return Ok(());
        }
        let outputs = self.output_size()?;
        if !dims::may_exceed(&self.arena, outputs, 1) || !self.float4_axis(0)?.is_empty() {
            return Ok(());
        }
        if let &[axis] = self.unit_stride_axes(0, false)?.as_slice()
            && self.unit_stride_axes_of_four(0, false)?.contains(&axis)
        {
            self.choose(OptOp::UpcastMid, axis, 4)?;
        }
        Ok(())
    }

    /// Whether `amount` divides `axis` in every view that has it.
    fn all_divide(&mut self, axis: usize, amount: i64) -> Result<bool, OptError> {
        for view in &self.views {
            match view.shape().get(axis) {
                Some(&size) if size != Sint::Int(1) && !dims::divides(&mut self.arena, amount, size)? => {
                    return Ok(false);
                }
                _ => {}
            }
        }
        Ok(true)
    }
}
