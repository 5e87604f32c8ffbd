//! The movement operations that one view can always express: pad, shrink, expand, permute, stride.

use super::compare::{dot, larger, smaller, surely_at_most, surely_less};
use super::error::{argument, list, pairs};
use super::{Dims, Mask, Result, View};
use crate::symbolic::{Arena, Sint};
use smallvec::SmallVec;

const ZERO: Sint = Sint::Int(0);

impl View {
    /// Padding before and after each axis.
    pub fn pad(&self, arena: &mut Arena, arg: &[(Sint, Sint)]) -> Result<View> {
        let refuse = |arena: &Arena, reason: &str| argument(arena, "pad", &self.shape, pairs(arena, arg), reason);
        if arg.len() != self.shape.len() {
            return Err(refuse(arena, "one pair is needed for each axis"));
        }
        for &(before, after) in arg {
            if !surely_at_most(arena, ZERO, before)? || !surely_at_most(arena, ZERO, after)? {
                return Err(refuse(arena, "padding can't be negative"));
            }
        }
        if arg.iter().all(|&pair| pair == (ZERO, ZERO)) {
            return Ok(self.clone());
        }
        let mut ranges: Mask = SmallVec::new();
        let mut mask: Mask = SmallVec::new();
        for (&size, &(before, after)) in self.shape.iter().zip(arg) {
            ranges.push((arena.sint_sub(ZERO, before)?, arena.sint_add(size, after)?));
            mask.push((before, arena.sint_add(size, before)?));
        }
        self.resize(arena, &ranges, Some(mask))
    }

    /// The half-open range of each axis.
    pub fn shrink(&self, arena: &mut Arena, arg: &[(Sint, Sint)]) -> Result<View> {
        let refuse = |arena: &Arena, reason: &str| argument(arena, "shrink", &self.shape, pairs(arena, arg), reason);
        if arg.len() != self.shape.len() {
            return Err(refuse(arena, "one range is needed for each axis"));
        }
        for (&size, &(low, high)) in self.shape.iter().zip(arg) {
            // Whether a symbolic range fits may depend on the variable's value; that is the caller's to know.
            if surely_less(arena, low, ZERO)? || surely_less(arena, high, low)? || surely_less(arena, size, high)? {
                return Err(refuse(arena, "a range lies outside its axis or ends before it starts"));
            }
        }
        self.resize(arena, arg, None)
    }

    /// Moves the bounds of each axis to `ranges`, which may lie outside; `mask` says what is then padding.
    fn resize(&self, arena: &mut Arena, ranges: &[(Sint, Sint)], mask: Option<Mask>) -> Result<View> {
        let moved = dot(arena, self.strides.iter().zip(ranges).map(|(&stride, &(low, _))| (stride, low)))?;
        let offset = arena.sint_add(self.offset, moved)?;
        let mut shape: Dims = SmallVec::new();
        for &(low, high) in ranges {
            shape.push(arena.sint_sub(high, low)?);
        }
        let mask = match &self.mask {
            None => mask,
            Some(old) => {
                let mut combined: Mask = SmallVec::new();
                for (axis, (&(old_low, old_high), &(low, _))) in old.iter().zip(ranges).enumerate() {
                    let mut bound = |bound: Sint| -> Result<Sint> {
                        let moved = arena.sint_sub(bound, low)?;
                        let below = smaller(arena, moved, shape[axis])?;
                        larger(arena, ZERO, below)
                    };
                    let (mut start, mut end) = (bound(old_low)?, bound(old_high)?);
                    if let Some(new) = &mask {
                        start = larger(arena, start, new[axis].0)?;
                        end = smaller(arena, end, new[axis].1)?;
                    }
                    combined.push((start, end));
                }
                Some(combined)
            }
        };
        View::new(arena, &shape, Some(&self.strides), offset, mask.as_deref())
    }

    /// Axes of size 1, repeated to the sizes of `shape`.
    pub fn expand(&self, arena: &mut Arena, shape: &[Sint]) -> Result<View> {
        let refuse = |arena: &Arena, reason: &str| argument(arena, "expand", &self.shape, list(arena, shape), reason);
        if shape.len() != self.shape.len() {
            return Err(refuse(arena, "the number of axes can't change"));
        }
        if shape.iter().any(|dim| dim.int().is_some_and(|dim| dim < 0)) {
            return Err(refuse(arena, "a size is negative"));
        }
        if self.has_no_places() {
            for (&old, &new) in self.shape.iter().zip(shape) {
                let fits = if old == ZERO { new == ZERO } else { arena.same_sint(old, new) || old == Sint::Int(1) };
                if !fits {
                    return Err(refuse(arena, "an axis without places stays one"));
                }
            }
            return View::new(arena, shape, None, ZERO, None);
        }
        for (axis, (&old, &new)) in self.shape.iter().zip(shape).enumerate() {
            if !arena.same_sint(old, new) && (old != Sint::Int(1) || self.strides[axis] != ZERO) {
                return Err(refuse(arena, "only axes of size 1 can be expanded"));
            }
        }
        let mask: Option<Mask> = self.mask.as_ref().map(|mask| {
            let ranges = mask.iter().zip(self.shape.iter().zip(shape));
            ranges
                .map(|(&range, (&old, &new))| match range {
                    _ if arena.same_sint(old, new) => range,
                    (ZERO, Sint::Int(1)) => (ZERO, new),
                    _ => (ZERO, ZERO),
                })
                .collect()
        });
        View::new(arena, shape, Some(&self.strides), self.offset, mask.as_deref())
    }

    /// Axis `i` of the result is axis `axes[i]`.
    pub fn permute(&self, arena: &mut Arena, axes: &[usize]) -> Result<View> {
        let mut seen: SmallVec<[bool; 6]> = SmallVec::from_elem(false, self.shape.len());
        let valid = axes.len() == self.shape.len()
            && axes.iter().all(|&axis| seen.get_mut(axis).is_some_and(|seen| !std::mem::replace(seen, true)));
        if !valid {
            let reason = "each axis must occur once";
            return Err(argument(arena, "permute", &self.shape, format!("{axes:?}"), reason));
        }
        let shape: Dims = axes.iter().map(|&axis| self.shape[axis]).collect();
        let strides: Dims = axes.iter().map(|&axis| self.strides[axis]).collect();
        let mask: Option<Mask> = self.mask.as_ref().map(|mask| axes.iter().map(|&axis| mask[axis]).collect());
        View::new(arena, &shape, Some(&strides), self.offset, mask.as_deref())
    }

    /// Every `n`-th place of each axis; a negative step walks from the end.
    pub fn stride(&self, arena: &mut Arena, steps: &[i64]) -> Result<View> {
        if steps.len() != self.shape.len() || steps.iter().any(|&step| step == 0 || step == i64::MIN) {
            let reason = "one step other than 0 is needed for each axis";
            return Err(argument(arena, "stride", &self.shape, format!("{steps:?}"), reason));
        }
        let mut shape: Dims = SmallVec::new();
        let mut strides: Dims = SmallVec::new();
        let mut mask: Option<Mask> = self.mask.as_ref().map(|_| SmallVec::new());
        let mut offset = self.offset;
        for (axis, &step) in steps.iter().enumerate() {
            let (size, stride) = (self.shape[axis], self.strides[axis]);
            shape.push(divide_up(arena, size, step.abs())?);
            strides.push(arena.sint_mul(stride, Sint::Int(step))?);
            if step < 0 {
                let last = arena.sint_sub(size, Sint::Int(1))?;
                let moved = arena.sint_mul(last, stride)?;
                offset = arena.sint_add(offset, moved)?;
            }
            if let (Some(old), Some(new)) = (&self.mask, &mut mask) {
                let (low, high) = old[axis];
                let (low, high) = match step > 0 {
                    true => (low, high),
                    false => (arena.sint_sub(size, high)?, arena.sint_sub(size, low)?),
                };
                new.push((divide_up(arena, low, step.abs())?, divide_up(arena, high, step.abs())?));
            }
        }
        View::new(arena, &shape, Some(&strides), offset, mask.as_deref())
    }
}

fn divide_up(arena: &mut Arena, value: Sint, divisor: i64) -> Result<Sint> {
    let raised = arena.sint_add(value, Sint::Int(divisor - 1))?;
    Ok(arena.sint_floor_div(raised, Sint::Int(divisor))?)
}
