//! What upcasted axes mean for a buffer: offsets of accumulators, and axes along which four elements lie together.

use super::{Kernel, OptCheck, OptError, dims, direct};
use crate::dtype::{DType, Scalar};
use crate::shape::ShapeError;
use crate::symbolic::Sint;
use smallvec::SmallVec;

/// The most combinations of upcasted places that one lane works on; with more, lowering would take gigabytes.
const MOST_PLACES: i64 = 1 << 20;

impl Kernel {
    /// (size, stride, is reduced) of each upcasted axis as buffer `i` sees it. A stride is `None` where there is no
    /// single one. Fails where a size is symbolic, or there is no buffer `i`.
    pub fn upcasted_axis(&mut self, i: usize) -> Result<Vec<(i64, Option<Sint>, bool)>, ShapeError> {
        let (first, len) = (self.first_upcast(), self.shape_len());
        let strides = self.real_strides(i, false)?;
        (first..len)
            .map(|axis| {
                let size = match self.views[i].shape().get(axis) {
                    Some(&Sint::Int(size)) => size,
                    _ => return Err(self.no_axis("upcast", axis)),
                };
                Ok((size, strides.get(axis).copied().flatten(), self.is_reduced(axis)))
            })
            .collect()
    }

    /// The accumulator of each combination of upcasted places of buffer `i`, the first axis running fastest: places
    /// that differ only along reduce axes share one.
    ///
    /// Fails where [`Kernel::upcasted_axis`] does, and with more than 2²⁰ places.
    pub fn acc_offsets(&mut self, i: usize) -> Result<Vec<usize>, ShapeError> {
        let axes = self.upcasted_axis(i)?;
        let places = axes.iter().fold(1, |places: i64, &(size, _, _)| places.saturating_mul(size));
        if places > MOST_PLACES {
            return Err(ShapeError::Argument {
                operation: "upcast",
                shape: dims::text(&self.arena, self.full_upcasted_shape()),
                argument: format!("buffer {i}"),
                reason: format!("{places} places for one lane; at most {MOST_PLACES} are supported"),
            });
        }
        let mut offsets = vec![0];
        let mut step = 1;
        for (size, _, reduced) in axes {
            let size = usize::try_from(size).unwrap_or(0);
            let stride = if reduced || size == 1 { 0 } else { step };
            let inner = offsets.len();
            offsets = (0..size).flat_map(|place| offsets[..inner].iter().map(move |o| o + place * stride)).collect();
            step *= if reduced { 1 } else { size };
        }
        Ok(offsets)
    }

    /// The upcasted axes along which neighbouring elements of buffer `i` lie together, where the target loads and
    /// stores several at once.
    pub fn get_float4_upcast_dim(&mut self, i: usize) -> Result<Vec<usize>, ShapeError> {
        let wide = matches!(self.buffer_dtype(i), Some(DType::Image(_) | DType::Scalar(Scalar::F32 | Scalar::F16)));
        if !self.target.supports_float4 || !wide || self.upcasted == 0 {
            return Ok(Vec::new());
        }
        let first = self.first_upcast();
        let axes = self.unit_stride_axes(i, false)?;
        let shape = self.views[i].shape();
        let long = |axis: usize| shape.get(axis).is_some_and(|&size| dims::may_exceed(&self.arena, size, 1));
        Ok(axes.into_iter().filter(|&axis| axis >= first && long(axis)).collect())
    }

    /// The upcasted axes of buffer `i`, counted from the first one, that have stride 1 and a multiple of 4 elements.
    pub fn float4_axis(&mut self, i: usize) -> Result<Vec<usize>, ShapeError> {
        let first = self.first_upcast();
        if self.upcasted == 0 {
            return Ok(Vec::new());
        }
        let axes = self.unit_stride_axes_of_four(i, false)?;
        Ok(axes.into_iter().filter(|&axis| axis >= first).map(|axis| axis - first).collect())
    }

    /// Number of combinations of upcasted places as buffer `i` sees them.
    pub fn shape_offsets_count(&self, i: usize) -> usize {
        let Some(view) = self.views.get(i) else { return 1 };
        let upcasted = &view.shape()[self.first_upcast().min(view.shape().len())..];
        usize::try_from(dims::product_of_numbers(upcasted)).unwrap_or(usize::MAX)
    }

    /// Makes the last axis an upcasted one.
    pub fn upcast(&mut self) -> Result<(), OptError> {
        let size = self.full_shape().last().copied();
        self.require(OptCheck::UpcastOne, size != Some(Sint::Int(1)), |_| "the last axis has size 1".to_owned())?;
        self.upcasted += 1;
        Ok(())
    }

    /// The axes of buffer `i` with stride 1 and a multiple of 4 elements.
    pub(super) fn unit_stride_axes_of_four(
        &mut self,
        i: usize,
        ignore_valid: bool,
    ) -> Result<SmallVec<[usize; 6]>, ShapeError> {
        let mut found = SmallVec::new();
        for axis in self.unit_stride_axes(i, ignore_valid)? {
            if let Some(&size) = self.views[i].shape().get(axis)
                && dims::divides(&mut self.arena, 4, size)?
            {
                found.push(axis);
            }
        }
        Ok(found)
    }

    /// The axes of buffer `i` with stride 1.
    pub(super) fn unit_stride_axes(
        &mut self,
        i: usize,
        ignore_valid: bool,
    ) -> Result<SmallVec<[usize; 6]>, ShapeError> {
        let strides = self.real_strides(i, ignore_valid)?;
        let unit = strides.iter().enumerate().filter(|(_, stride)| **stride == Some(Sint::Int(1)));
        Ok(unit.map(|(axis, _)| axis).collect())
    }

    /// The stride of each axis of buffer `i`; `None` where there is no single one or, unless `ignore_valid`, where a
    /// mask depends on the axis. Fails where there is no buffer `i`.
    pub(super) fn real_strides(
        &mut self,
        i: usize,
        ignore_valid: bool,
    ) -> Result<SmallVec<[Option<Sint>; 6]>, ShapeError> {
        let view = self.views.get(i);
        if let Some([view]) = view.map(|view| view.views.as_slice())
            && let Some(strides) = direct::strides(view, ignore_valid)
        {
            return Ok(strides);
        }
        match view {
            Some(view) => view.real_strides(&mut self.arena, ignore_valid),
            None => Err(ShapeError::Argument {
                operation: "index",
                shape: dims::text(&self.arena, self.full_shape()),
                argument: format!("buffer {i}"),
                reason: format!("the kernel has {} buffers", self.buffers.len()),
            }),
        }
    }

    /// The error of an operation on an axis that is not there or symbolic.
    pub(super) fn no_axis(&self, operation: &'static str, axis: usize) -> ShapeError {
        ShapeError::Argument {
            operation,
            shape: dims::text(&self.arena, self.full_shape()),
            argument: format!("axis {axis}"),
            reason: "there is no such axis, or its size is symbolic".to_owned(),
        }
    }
}
