//! What 0.9.0 does by itself: the optimisations that images require, and the hand-coded ones.

mod group;
mod images;
mod lanes;
mod matvec;
mod unroll;
mod upcast;

use super::{Kernel, Opt, OptError, OptOp};

impl Kernel {
    /// Chooses and applies optimisations for the kernel and its target, as 0.9.0 does without a search.
    ///
    /// Fails only where [`Kernel::required_optimizations`] does, or where a check that is altered lets through what
    /// can't be done.
    pub fn hand_coded_optimizations(&mut self) -> Result<(), OptError> {
        self.required_optimizations()?;
        if self.optimize_matrix_vector_product()? {
            return Ok(());
        }
        self.group_reduction()?;
        self.upcast_image_pixels()?;
        if self.group_for_reduces > 0 {
            return Ok(());
        }
        self.upcast_masked_axes()?;
        self.upcast_reused_axes()?;
        self.unroll_reduction()?;
        self.upcast_last_axis()?;
        self.add_lanes()
    }

    /// Applies one on `axis`.
    fn choose(&mut self, op: OptOp, axis: usize, amount: i64) -> Result<(), OptError> {
        self.apply_opt(Opt { op, axis: Some(axis as i64), amount: Some(amount) })
    }
}
