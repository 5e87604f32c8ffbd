//! Movement of all views of a kernel at once. Each function answers with new views and leaves the kernel alone.

use super::{Kernel, dims};
use crate::shape::{Dims, ShapeError, ShapeTracker};
use crate::symbolic::{Arena, Sint};
use smallvec::SmallVec;

/// How a part of an axis is taken from it and put elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    /// The axis.
    pub(super) axis: usize,
    /// Size of the part.
    pub(super) amount: i64,
    /// Whether the part is the outer one (its neighbours are far apart) instead of the inner one.
    pub(super) top: bool,
    /// The axis (in the numbering before) in front of which the part comes to stand.
    pub(super) insert_before: usize,
    /// Whether what is left over beyond a multiple of `amount` is cut off first.
    pub(super) truncate: bool,
}

impl Kernel {
    /// The views with their axes in the order `axes`.
    pub(super) fn permuted(&mut self, axes: &[usize]) -> Result<Vec<ShapeTracker>, ShapeError> {
        let Kernel { arena, views, .. } = self;
        views.iter().map(|view| view.permute(arena, axes)).collect()
    }

    /// The views in the shapes that `shape` makes of theirs.
    pub(super) fn reshaped(
        &mut self,
        mut shape: impl FnMut(&mut Arena, &[Sint]) -> Result<Dims, ShapeError>,
    ) -> Result<Vec<ShapeTracker>, ShapeError> {
        let Kernel { arena, views, .. } = self;
        views
            .iter()
            .map(|view| {
                let shape = shape(arena, view.shape())?;
                view.reshape(arena, &shape)
            })
            .collect()
    }

    /// The views after a shift.
    pub(super) fn shifted(&mut self, shift: Shift) -> Result<Vec<ShapeTracker>, ShapeError> {
        let len = self.shape_len();
        let Shift { axis, amount, top, insert_before, truncate } = shift;
        if axis >= len || insert_before > len || amount <= 0 {
            return Err(ShapeError::Argument {
                operation: "split",
                shape: dims::text(&self.arena, self.full_shape()),
                argument: format!("axis {axis} amount {amount} before {insert_before}"),
                reason: format!("there are {len} axes, and an amount is positive"),
            });
        }
        let moved = if top { axis } else { axis + 1 };
        // The order of the axes after the split: without `moved` they number as before it.
        let mut order: SmallVec<[usize; 8]> = (0..=len).filter(|&other| other != moved).collect();
        order.insert(insert_before, moved);
        let Kernel { arena, views, .. } = self;
        views
            .iter()
            .map(|view| {
                let cut;
                let view = match view.shape().get(axis) {
                    Some(&Sint::Int(size)) if truncate && size > 1 && size % amount != 0 => {
                        let keep: SmallVec<[(Sint, Sint); 6]> = (view.shape().iter().enumerate())
                            .map(|(other, &whole)| {
                                let end = if other == axis { Sint::Int(size / amount * amount) } else { whole };
                                (Sint::Int(0), end)
                            })
                            .collect();
                        cut = view.shrink(arena, &keep)?;
                        &cut
                    }
                    _ => view,
                };
                let shape = split(arena, view.shape(), axis, amount, top)?;
                view.reshape(arena, &shape)?.permute(arena, &order)
            })
            .collect()
    }

    /// Permutes all views.
    pub fn permute_all(&mut self, axes: &[usize]) -> Result<(), ShapeError> {
        self.views = self.permuted(axes)?;
        Ok(())
    }
}

/// The shape with `amount` split off `axis`; an axis of size 1 becomes two.
fn split(arena: &mut Arena, shape: &[Sint], axis: usize, amount: i64, top: bool) -> Result<Dims, ShapeError> {
    let mut parts = Dims::with_capacity(shape.len() + 1);
    for (other, &size) in shape.iter().enumerate() {
        if other != axis {
            parts.push(size);
        } else if dims::may_exceed(arena, size, 1) {
            let amount = Sint::Int(amount);
            let rest = arena.sint_floor_div(size, amount)?;
            parts.extend(if top { [amount, rest] } else { [rest, amount] });
        } else {
            parts.extend([Sint::Int(1), Sint::Int(1)]);
        }
    }
    Ok(parts)
}
