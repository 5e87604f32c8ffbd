//! Movement of all views of a kernel at once. Each function answers with new views and leaves the kernel alone.

use super::{Kernel, dims, direct};
use crate::shape::{Dims, ShapeError, ShapeTracker, View};
use crate::symbolic::{Arena, Sint};
use smallvec::{SmallVec, smallvec};

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
        self.moved(|view| direct::permute(view, axes), |arena, view| view.permute(arena, axes))
    }

    /// The views without the axes of size 1 that `ones` names.
    pub(super) fn without_ones(&mut self, ones: &[bool]) -> Result<Vec<ShapeTracker>, ShapeError> {
        self.moved(
            |view| direct::without(view, ones),
            |arena, view| {
                let kept = view.shape().iter().zip(ones).filter(|&(_, &one)| !one);
                let shape: Dims = kept.map(|(&size, _)| size).collect();
                view.reshape(arena, &shape)
            },
        )
    }

    /// The views with axes merged into the ones before them; `merges[i]` says whether axis `i + 1` is.
    pub(super) fn merged(&mut self, merges: &[bool]) -> Result<Vec<ShapeTracker>, ShapeError> {
        let direct = self.direct_views;
        let Kernel { arena, views, .. } = self;
        views
            .iter()
            .map(|view| {
                // Of stacked views only the whole stack is known to continue.
                if let ([view], true) = (view.views.as_slice(), direct)
                    && let Some(view) = direct::merge(view, merges)
                {
                    return Ok(ShapeTracker { views: smallvec![view] });
                }
                let mut merged = Dims::new();
                for (axis, &size) in view.shape().iter().enumerate() {
                    match merged.last_mut() {
                        Some(last) if axis > 0 && merges[axis - 1] => *last = arena.sint_mul(*last, size)?,
                        _ => merged.push(size),
                    }
                }
                view.reshape(arena, &merged)
            })
            .collect()
    }

    /// The views in the shapes that `shape` makes of theirs.
    pub(super) fn reshaped(&mut self, shape: impl Fn(&[Sint]) -> Dims) -> Result<Vec<ShapeTracker>, ShapeError> {
        let Kernel { arena, views, .. } = self;
        views.iter().map(|view| view.reshape(arena, &shape(view.shape()))).collect()
    }

    /// The views after a shift.
    pub(super) fn shifted(&mut self, shift: Shift) -> Result<Vec<ShapeTracker>, ShapeError> {
        let len = self.shape_len();
        let Shift { axis, amount, top, insert_before, .. } = shift;
        if axis >= len || insert_before > len || amount <= 0 {
            return Err(ShapeError::Argument {
                operation: "split",
                shape: dims::text(&self.arena, self.full_shape()),
                argument: format!("axis {axis} amount {amount} before {insert_before}"),
                reason: format!("there are {len} axes, and an amount is positive"),
            });
        }
        let taken = if top { axis } else { axis + 1 };
        // The order of the axes after the split: without the part taken they number as before it.
        let mut order: SmallVec<[usize; 8]> = (0..=len).filter(|&other| other != taken).collect();
        order.insert(insert_before, taken);
        self.moved(
            |view| direct::shift(view, shift),
            |arena, view| {
                let cut = if shift.truncate { truncated(arena, view, axis, amount)? } else { None };
                let view = cut.as_ref().unwrap_or(view);
                let shape = split(arena, view.shape(), axis, amount, top)?;
                view.reshape(arena, &shape)?.permute(arena, &order)
            },
        )
    }

    /// The views moved: the last of each stack by `direct` where it applies, otherwise the stack by `general`.
    fn moved(
        &mut self,
        direct: impl Fn(&View) -> Option<View>,
        general: impl Fn(&mut Arena, &ShapeTracker) -> Result<ShapeTracker, ShapeError>,
    ) -> Result<Vec<ShapeTracker>, ShapeError> {
        let allowed = self.direct_views;
        let Kernel { arena, views, .. } = self;
        let mut moved = Vec::with_capacity(views.len() + 1);
        for view in views.iter() {
            let last = if allowed { view.views.last().and_then(&direct) } else { None };
            moved.push(match (last, view.views.as_slice()) {
                (Some(last), [_]) => ShapeTracker { views: smallvec![last] },
                (Some(last), [inner @ .., _]) => ShapeTracker { views: inner.iter().cloned().chain([last]).collect() },
                _ => general(arena, view)?,
            });
        }
        Ok(moved)
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

/// The view with `axis` cut down to a multiple of `amount`; `None` where it is one.
fn truncated(
    arena: &mut Arena,
    view: &ShapeTracker,
    axis: usize,
    amount: i64,
) -> Result<Option<ShapeTracker>, ShapeError> {
    match view.shape().get(axis) {
        Some(&Sint::Int(size)) if size > 1 && size % amount != 0 => {
            let mut keep: SmallVec<[(Sint, Sint); 6]> = view.shape().iter().map(|&size| (Sint::Int(0), size)).collect();
            keep[axis].1 = Sint::Int(size / amount * amount);
            view.shrink(arena, &keep).map(Some)
        }
        _ => Ok(None),
    }
}
