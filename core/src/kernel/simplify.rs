//! Simplifications of all views of a kernel: axes of size 1 are dropped, neighbours are merged.

use super::{Kernel, LowerError, dims};
use crate::dtype::{DType, Image};
use crate::shape::{Dims, ShapeError, row_major_strides};
use crate::symbolic::{Arena, Sint};
use smallvec::SmallVec;

/// The stride of each axis; `None` where there is no single one.
type Strides = SmallVec<[Option<Sint>; 6]>;

impl Kernel {
    /// Drops the axes that have size 1 in the full shape, and says whether there were any.
    pub(super) fn simplify_ones(&mut self) -> Result<bool, ShapeError> {
        let ones: SmallVec<[bool; 8]> = self.full_shape().iter().map(|&size| size == Sint::Int(1)).collect();
        if !ones.contains(&true) {
            return Ok(false);
        }
        let count = |from: usize, to: usize| ones[from.min(to)..to].iter().filter(|&&one| one).count();
        let (first_reduce, first_upcast, len) = (self.first_reduce(), self.first_upcast(), ones.len());
        let local_ones = count(first_reduce.saturating_sub(self.local_dims), first_reduce);
        let upcast_ones = count(first_upcast, len);
        self.views = self.without_ones(&ones)?;
        self.local_dims -= local_ones;
        self.upcasted -= upcast_ones;
        Ok(true)
    }

    /// Merges each axis with the one before it where every buffer allows it, except across the border between kept
    /// and reduced axes and, where an image is stored, between its rows, pixels and channels.
    pub(super) fn merge_adjacent_axes(&mut self) -> Result<(), LowerError> {
        let len = self.shape_len();
        if len == 0 {
            return Ok(());
        }
        let first_reduce = self.first_reduce();
        let image = self.image_strides()?;
        let strides: SmallVec<[Strides; 8]> =
            (0..self.views.len()).map(|buffer| self.real_strides(buffer, false)).collect::<Result<_, _>>()?;
        let Kernel { arena, views, .. } = self;
        let mut merges: SmallVec<[bool; 8]> = SmallVec::new();
        for axis in 1..len {
            let mut merge = axis != first_reduce;
            for (view, strides) in views.iter().zip(&strides) {
                merge = merge && continues(arena, view.shape(), strides, axis)?;
            }
            if let (true, Some(strides), Some(view)) = (merge, &image, views.first()) {
                merge = continues(arena, view.shape(), strides, axis)?;
            }
            merges.push(merge);
        }
        if !merges.contains(&true) {
            return Ok(());
        }
        self.views = self.merged(&merges)?;
        Ok(())
    }

    /// Strides over the output's axes as if rows, pixels and channels of the image were three buffers, so that no
    /// merge crosses their borders; `None` where no image is stored or its borders are not at borders of axes.
    fn image_strides(&mut self) -> Result<Option<Strides>, LowerError> {
        let Some(DType::Image(Image { height, width, .. })) = self.buffer_dtype(0) else { return Ok(None) };
        let base = [i64::from(height), i64::from(width), 4];
        let shape = Dims::from_slice(self.output_shape());
        let Some(starts) = contraction(&mut self.arena, &shape, &base)? else { return Ok(None) };
        let ends = [starts[1], starts[2], shape.len()];
        let mut strides = Strides::new();
        for ((start, end), size) in starts.into_iter().zip(ends).zip(base) {
            let piece = shape.get(start..end).unwrap_or(&[]);
            if dims::product(&mut self.arena, piece)? != Sint::Int(size) {
                return Err(LowerError::Invalid(format!(
                    "an output of shape {} stored to an image of {height} rows of {width} pixels",
                    dims::text(&self.arena, &shape)
                )));
            }
            strides.extend(row_major_strides(&mut self.arena, piece)?.into_iter().map(Some));
        }
        Ok((strides.len() == shape.len()).then_some(strides))
    }
}

/// Whether, in one buffer, `axis` goes on where the axis before it steps.
fn continues(arena: &mut Arena, shape: &[Sint], strides: &Strides, axis: usize) -> Result<bool, ShapeError> {
    let (Some(Some(before)), Some(Some(here))) = (strides.get(axis - 1), strides.get(axis)) else {
        return Ok(false);
    };
    if *here == Sint::Int(0) {
        return Ok(*before == Sint::Int(0));
    }
    let step = arena.sint_mul(shape[axis], *here)?;
    Ok(dims::same(arena, *before, step))
}

/// Where the axes of `shape` start that make up each of three axes of sizes `base`, if each is made up of whole ones.
fn contraction(arena: &mut Arena, shape: &[Sint], base: &[i64; 3]) -> Result<Option<[usize; 3]>, ShapeError> {
    let mut running = Sint::Int(1);
    let mut products = Dims::new();
    for &size in shape {
        running = arena.sint_mul(running, size)?;
        products.push(running);
    }
    let mut starts = [0; 3];
    let mut total = 1i64;
    for (place, &size) in base.iter().enumerate() {
        total = total.saturating_mul(size);
        let end = match products.iter().position(|&product| product == Sint::Int(total)) {
            _ if total == 1 => 0,
            Some(axis) => axis + 1,
            None => return Ok(None),
        };
        if place < 2 {
            starts[place + 1] = end;
        }
    }
    Ok(Some(starts))
}
