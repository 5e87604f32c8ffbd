//! Which output axes one lane works on several places of.

use crate::kernel::{Kernel, OptError, OptOp, dims, direct};
use crate::shape::View;
use crate::symbolic::{Arena, Sint};
use smallvec::SmallVec;

/// The longest masked axis that is upcasted.
const LONGEST_MASKED: i64 = 7;
/// The most elements that upcasting masked axes may lead to.
const MOST_MASKED: i64 = 49;
/// The fewest outputs with which reused axes are upcasted.
const FEWEST_OUTPUTS: i64 = 1024;
/// By how much the last axis is upcasted if nothing else is.
const LAST_AXIS: i64 = 4;

/// A way to upcast a reused axis; the one that comes first is taken.
#[derive(Clone, Copy)]
struct Choice {
    /// Number of buffers that step along the axis.
    stepping: usize,
    /// Sum of the buffers' strides.
    strides: Sint,
    axis: usize,
    amount: i64,
}

impl Choice {
    fn comes_before(&self, other: &Choice, arena: &Arena) -> bool {
        if self.stepping != other.stepping {
            self.stepping < other.stepping
        } else if !dims::same(arena, self.strides, other.strides) {
            // As in 0.9.0, one that may be smaller counts as smaller.
            match (self.strides, other.strides) {
                (Sint::Int(a), Sint::Int(b)) => a < b,
                (a, b) => dims::least(arena, a) < dims::most(arena, b),
            }
        } else {
            (self.axis, self.amount) < (other.axis, other.amount)
        }
    }
}

impl Kernel {
    /// Upcasts short axes of which a part is padding: whole lanes would do little there.
    pub(super) fn upcast_masked_axes(&mut self) -> Result<(), OptError> {
        let mut elements = dims::product_of_numbers(self.full_upcasted_shape());
        let mut chosen: SmallVec<[usize; 8]> = SmallVec::new();
        for axis in 0..self.first_reduce() {
            let Some(&Sint::Int(size)) = self.full_shape().get(axis) else { continue };
            let more = elements.saturating_mul(size);
            if size <= LONGEST_MASKED && more <= MOST_MASKED && self.is_masked(axis)? {
                chosen.push(axis);
                elements = more;
            }
        }
        for axis in chosen.into_iter().rev() {
            self.choose(OptOp::Upcast, axis, 0)?;
        }
        Ok(())
    }

    /// Whether a part of the axis is padding in some buffer.
    fn is_masked(&mut self, axis: usize) -> Result<bool, OptError> {
        let Kernel { arena, views, .. } = self;
        for view in views.iter() {
            if view.views.iter().all(|view| view.mask.is_none()) {
                continue;
            }
            let direct = match view.views.as_slice() {
                [single @ View { mask: Some(mask), .. }] => direct::masked_axes(single, mask),
                _ => None,
            };
            let masked = match direct {
                Some(masked) => masked.get(axis) == Some(&true),
                None => view.axis_is_masked(arena, axis)?,
            };
            if masked {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Upcasts, while there are many outputs, axes along which some buffer shows the same element, so that it is
    /// loaded once for several outputs.
    pub(super) fn upcast_reused_axes(&mut self) -> Result<(), OptError> {
        let mut done: SmallVec<[usize; 8]> = SmallVec::new();
        loop {
            let first_reduce = self.first_reduce();
            let outputs = Sint::Int(1);
            let Kernel { arena, views, .. } = self;
            let outputs = (views.first().map_or(&[][..], |view| view.shape()).iter().take(first_reduce))
                .try_fold(outputs, |product, &size| arena.sint_mul(product, size))
                .map_err(OptError::from)?;
            if dims::most(arena, outputs) < FEWEST_OUTPUTS {
                return Ok(());
            }
            let Some(choice) = self.best_reused_axis(&done)? else { return Ok(()) };
            self.choose(OptOp::Upcast, choice.axis, choice.amount)?;
            done.push(choice.axis);
        }
    }

    fn best_reused_axis(&mut self, done: &[usize]) -> Result<Option<Choice>, OptError> {
        let mut fresh: SmallVec<[bool; 8]> = SmallVec::new();
        for buffer in 0..self.views.len() {
            // Along no axis that is upcasted already the buffer shows the same element.
            let strides = if self.upcasted > 0 { self.upcasted_axis(buffer)? } else { Vec::new() };
            fresh.push(strides.iter().all(|&(_, stride, _)| stride != Some(Sint::Int(0))));
        }
        let mut best: Option<Choice> = None;
        for axis in (0..self.first_reduce()).filter(|axis| !done.contains(axis)) {
            let Some(&Sint::Int(size)) = self.full_shape().get(axis) else { continue };
            let Kernel { arena, views, .. } = self;
            let last = |view: &crate::shape::ShapeTracker| {
                view.views.last().and_then(|view| view.strides.get(axis).copied()).unwrap_or(Sint::Int(0))
            };
            let reused = views.iter().zip(&fresh).any(|(view, &fresh)| fresh && last(view) == Sint::Int(0));
            for amount in [3, 4] {
                if !reused || size % amount != 0 {
                    continue;
                }
                let stepping = views.iter().filter(|view| dims::may_exceed(arena, last(view), 0)).count();
                let strides = views.iter().try_fold(Sint::Int(0), |sum, view| arena.sint_add(sum, last(view)))?;
                let choice = Choice { stepping, strides, axis, amount };
                if best.is_none_or(|best| choice.comes_before(&best, arena)) {
                    best = Some(choice);
                }
            }
        }
        Ok(best)
    }

    /// Upcasts the last axis by 4, if it is long enough and nothing is upcasted.
    pub(super) fn upcast_last_axis(&mut self) -> Result<(), OptError> {
        let shape = self.full_unupcasted_shape();
        let (Some(&size), len) = (shape.last(), shape.len()) else { return Ok(()) };
        if self.upcasted == 0 && dims::divides(&mut self.arena, LAST_AXIS, size)? {
            self.choose(OptOp::Upcast, len - 1, LAST_AXIS)?;
        }
        Ok(())
    }
}
