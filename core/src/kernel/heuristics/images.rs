//! Pixels of images: their four channels are loaded and stored at once.

use crate::dtype::DType;
use crate::kernel::{Kernel, OptError, OptOp, dims};

impl Kernel {
    /// Upcasts the channels of an image that is stored. Fails where no axis has stride 1 in it and a multiple of 4
    /// elements: such a kernel can't store pixels.
    pub fn required_optimizations(&mut self) -> Result<(), OptError> {
        if !self.stores_image() {
            return Ok(());
        }
        let axes = self.unit_stride_axes_of_four(0, true)?;
        if axes.is_empty() {
            let shape = dims::text(&self.arena, self.output_shape());
            return Err(OptError::Impossible(format!("an image stored without an axis of channels in shape {shape}")));
        }
        if self.may_upcast_pixel(&axes) {
            self.choose(OptOp::Upcast, axes[0], 4)?;
        }
        Ok(())
    }

    /// Upcasts, or unrolls, the channels of each image that is loaded.
    pub(super) fn upcast_image_pixels(&mut self) -> Result<(), OptError> {
        for buffer in 0..self.buffers.len() {
            if !self.buffer_dtype(buffer).is_some_and(DType::is_image) {
                continue;
            }
            let axes = self.unit_stride_axes_of_four(buffer, true)?;
            if !self.may_upcast_pixel(&axes) {
                continue;
            }
            match axes[0].checked_sub(self.first_reduce()) {
                None => self.choose(OptOp::Upcast, axes[0], 4)?,
                Some(reduce_axis) => self.choose(OptOp::Unroll, reduce_axis, 4)?,
            }
        }
        Ok(())
    }

    /// Whether there is an axis of channels, and none is upcasted already.
    fn may_upcast_pixel(&self, axes: &[usize]) -> bool {
        let end = self.first_upcast();
        axes.first().is_some_and(|first| !self.upcast_in_mid_reduce_axes().contains(first))
            && axes.iter().all(|&axis| axis < end)
    }
}
