//! Local aliases of buffers, which the operands of matrix instructions are read through.

use super::{Kernel, KernelBuffer};
use crate::dtype::DType;
use crate::shape::{Dims, ShapeError, ShapeTracker, View};
use crate::symbolic::Sint;
use crate::uop::LocalName;
use smallvec::smallvec;

impl Kernel {
    /// Adds a local buffer `ldata<i>` that stands for buffer `i` within a workgroup. `pattern` has a number for each
    /// axis: along an axis with 0 all lanes see the same, the others lie in memory in the order of their numbers,
    /// except that an axis along which buffer `i` has stride 0 takes no place.
    ///
    /// Fails where the pattern has not one number for each axis, or there is no buffer `i`.
    pub fn alias_buffer(&mut self, i: usize, pattern: &[usize]) -> Result<(), ShapeError> {
        let strides = self.real_strides(i, false)?;
        if pattern.len() != self.shape_len() || strides.len() != pattern.len() {
            return Err(self.no_axis("alias", pattern.len()));
        }
        let sizes = Dims::from_slice(self.views[i].shape());
        let shape: Dims =
            sizes.iter().zip(pattern).map(|(&size, &order)| if order == 0 { Sint::Int(1) } else { size }).collect();
        let mut alias: Dims = smallvec![Sint::Int(0); pattern.len()];
        let mut step = Sint::Int(1);
        for order in 1..=pattern.iter().copied().max().unwrap_or(0) {
            for (axis, _) in pattern.iter().enumerate().filter(|&(_, &other)| other == order) {
                if strides[axis] != Some(Sint::Int(0)) {
                    alias[axis] = step;
                    step = self.arena.sint_mul(step, shape[axis])?;
                }
            }
        }
        let view = View::new(&mut self.arena, &shape, Some(&alias), Sint::Int(0), None)?;
        let view = ShapeTracker { views: smallvec![view] };
        let size = view.size(&self.arena);
        self.views.push(view);
        let number = u32::try_from(i).unwrap_or(u32::MAX);
        self.buffers.push(KernelBuffer::Local { name: LocalName::Alias(number), size, dtype: DType::F32 });
        self.early_buffers.push(false);
        self.local_alias.push((i, self.buffers.len() - 1));
        Ok(())
    }
}
