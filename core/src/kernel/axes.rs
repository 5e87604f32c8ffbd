//! What the axes of a kernel are.

use super::{Kernel, dims};
use crate::symbolic::Sint;

impl Kernel {
    /// Number of axes.
    pub fn shape_len(&self) -> usize {
        self.output_shape().len()
    }

    /// Sizes of the axes, as the buffers see them that have all axes.
    pub fn full_shape(&self) -> &[Sint] {
        self.views.get(self.full_buffer).map_or(&[], |view| view.shape())
    }

    /// Sizes of the axes as the outputs see them: reduce axes have size 1.
    pub fn output_shape(&self) -> &[Sint] {
        self.views.first().map_or(&[], |view| view.shape())
    }

    /// Number of axes that are not upcasted; the upcasted ones stand behind them.
    pub fn first_upcast(&self) -> usize {
        self.shape_len().saturating_sub(self.upcasted)
    }

    /// The first axis that is reduced, upcasted ones left out; where there is none, the first upcasted one.
    pub fn first_reduce(&self) -> usize {
        let end = self.first_upcast();
        let (output, full) = (self.output_shape(), self.full_shape());
        output.iter().zip(full).take(end).position(|(&a, &b)| !dims::same(&self.arena, a, b)).unwrap_or(end)
    }

    /// Number of axes of the launch grid, which stand first.
    pub fn global_dims(&self) -> usize {
        self.first_reduce().saturating_sub(self.local_dims)
    }

    /// The axis behind those of lanes that share a reduction: the first reduce loop.
    pub fn first_reduce_loop(&self) -> usize {
        self.first_reduce() + self.group_for_reduces
    }

    /// Sizes of the axes that are not upcasted.
    pub(super) fn full_unupcasted_shape(&self) -> &[Sint] {
        let full = self.full_shape();
        &full[..self.first_upcast().min(full.len())]
    }

    /// Sizes of the upcasted axes.
    pub(super) fn full_upcasted_shape(&self) -> &[Sint] {
        let full = self.full_shape();
        &full[self.first_upcast().min(full.len())..]
    }

    /// The axes of lanes between the two stages of a reduction that are no reduce axes.
    pub fn upcast_in_mid_reduce_axes(&self) -> Vec<usize> {
        let first = self.first_reduce();
        (first..first + self.group_for_reduces).filter(|&axis| !self.is_reduced(axis)).collect()
    }

    /// Whether the axis has another size in the outputs than in the full shape.
    pub(super) fn is_reduced(&self, axis: usize) -> bool {
        match (self.output_shape().get(axis), self.full_shape().get(axis)) {
            (Some(&output), Some(&full)) => !dims::same(&self.arena, output, full),
            _ => false,
        }
    }
}
