//! Products of a matrix and a vector.

use crate::ast::{AluOp, AstOp, ReduceOp};
use crate::kernel::{Kernel, OptError, OptOp, dims};
use crate::symbolic::Sint;

/// Lanes that share a row.
const LANES_PER_ROW: i64 = 8;
/// Rows of a workgroup, for each of which there are [`LANES_PER_ROW`].
const ROW_BLOCKS: i64 = 4;
/// Rows that each lane works on.
const ROWS_PER_LANE: i64 = 4;

impl Kernel {
    /// Optimises a sum of products of two loads of which the first runs along the rows, and says whether it was one.
    pub(super) fn optimize_matrix_vector_product(&mut self) -> Result<bool, OptError> {
        if !self.target.has_local || !self.target.has_shared || self.shape_len() < 2 {
            return Ok(false);
        }
        let Some([matrix, vector]) = self.loaded_factors() else { return Ok(false) };
        let first_reduce = self.first_reduce();
        let Some(&reduced) = self.full_shape().get(first_reduce) else { return Ok(false) };
        let strides = self.real_strides(matrix, false)?;
        if strides.get(first_reduce) != Some(&Some(Sint::Int(1)))
            || (self.has_expanded_axis(matrix)? && self.has_expanded_axis(vector)?)
            || !dims::divides(&mut self.arena, LANES_PER_ROW, reduced)?
        {
            return Ok(false);
        }
        for axis in 0..self.global_dims() {
            let rows = self.full_shape()[axis];
            if dims::divides(&mut self.arena, ROW_BLOCKS * ROWS_PER_LANE, rows)? {
                self.choose(OptOp::Group, 0, LANES_PER_ROW)?;
                self.choose(OptOp::Local, axis, ROW_BLOCKS)?;
                self.choose(OptOp::Upcast, axis, ROWS_PER_LANE)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The buffers of both factors, where the reduction is a sum of products of loads.
    fn loaded_factors(&self) -> Option<[usize; 2]> {
        let reduce = self.ast.node(self.reduce?);
        if !matches!(reduce.op, AstOp::Reduce(ReduceOp::Sum, _)) {
            return None;
        }
        let product = self.ast.node(*reduce.sources.first()?);
        let &[a, b] = product.sources.as_slice() else { return None };
        match (&product.op, &self.ast.node(a).op, &self.ast.node(b).op) {
            (AstOp::Alu(AluOp::Mul), &AstOp::Load(a), &AstOp::Load(b)) => {
                Some([self.buffer_number(a)?, self.buffer_number(b)?])
            }
            _ => None,
        }
    }

    /// Whether the buffer has an axis of more than one place that all show the same element.
    fn has_expanded_axis(&mut self, buffer: usize) -> Result<bool, OptError> {
        let strides = self.real_strides(buffer, false)?;
        let mut axes = self.views[buffer].shape().iter().zip(strides);
        Ok(axes.any(|(&size, stride)| dims::may_exceed(&self.arena, size, 1) && stride == Some(Sint::Int(0))))
    }
}
