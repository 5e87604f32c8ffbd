//! The mask of a reshaped view.

use super::compare::{surely_at_most, surely_less};
use super::{Mask, Result, View, ViewRule};
use crate::rule::State;
use crate::symbolic::{Arena, Sint};
use smallvec::smallvec;

/// What becomes of a mask.
#[expect(clippy::large_enum_variant, reason = "a value of a moment, taken apart where it is made")]
pub(super) enum Reshaped {
    /// The mask of the new shape; `None`: nothing is masked.
    Mask(Option<Mask>),
    /// No mask of the new shape can express it, or none that can be told.
    Impossible,
}

const ONE: Sint = Sint::Int(1);

/// The innermost range and size that are left, taken from inside out. A shape has as many leading axes of size 1 as asked.
struct Inward<'a> {
    ranges: &'a [(Sint, Sint)],
    sizes: &'a [Sint],
}

impl Inward<'_> {
    fn range(&mut self) -> (Sint, Sint) {
        let Some((&range, rest)) = self.ranges.split_last() else { return (Sint::Int(0), ONE) };
        self.ranges = rest;
        range
    }

    fn size(&mut self) -> Sint {
        let Some((&size, rest)) = self.sizes.split_last() else { return ONE };
        self.sizes = rest;
        size
    }
}

/// The mask of `view`, reshaped to `shape`, which has as many places.
///
/// Walks both shapes from the innermost axis, splitting an old axis over several new ones and joining several old ones
/// into a new one. The mask must be numbers; sizes may be symbolic, as long as it is certain which way to go.
pub(super) fn reshape_mask(arena: &mut Arena, view: &View, shape: &[Sint]) -> Result<Reshaped> {
    let Some(mask) = &view.mask else { return Ok(Reshaped::Mask(None)) };
    if mask.iter().any(|(low, high)| low.int().is_none() || high.int().is_none()) {
        return Ok(Reshaped::Impossible);
    }
    let nothing = Reshaped::Mask(Some(smallvec![(Sint::Int(0), Sint::Int(0)); shape.len()]));
    let mut old = Inward { ranges: mask, sizes: &view.shape };
    let mut new = Inward { ranges: &[], sizes: shape };
    let mut ranges = Mask::new();
    // The new axis in the making covers `step` places of the old one for each of its own.
    let mut step = ONE;
    let (mut size, mut wanted, mut range) = (old.size(), new.size(), old.range());
    if is_empty(range) {
        return Ok(nothing);
    }
    while ranges.len() < shape.len() {
        let next_step = arena.sint_mul(wanted, step)?;
        if arena.same_sint(size, next_step) {
            ranges.push(steps(arena, range, step)?);
            (step, size, wanted, range) = (ONE, old.size(), new.size(), old.range());
            if is_empty(range) {
                return Ok(nothing);
            }
        } else if surely_less(arena, next_step, size)? {
            if !may_split(arena, range, size, next_step)? {
                return Ok(Reshaped::Impossible);
            }
            let last = arena.sint_sub(range.1, ONE)?;
            let low = arena.sint_mod(range.0, next_step)?;
            let last = arena.sint_mod(last, next_step)?;
            let high = arena.sint_add(last, ONE)?;
            ranges.push(steps(arena, (low, high), step)?);
            (step, wanted) = (next_step, new.size());
        } else if surely_at_most(arena, size, next_step)? {
            let outer = old.range();
            let whole = range.0 == Sint::Int(0) && arena.same_sint(range.1, size);
            let single = arena.sint_sub(outer.1, outer.0)? == ONE;
            match arena.rules().state(ViewRule::ReshapeMaskMerge) {
                State::On if !whole && !single => return Ok(Reshaped::Impossible),
                State::Off => return Ok(Reshaped::Impossible),
                _ => arena.firings_mut().count(ViewRule::ReshapeMaskMerge),
            }
            let start = arena.sint_mul(outer.0, size)?;
            let low = arena.sint_add(start, range.0)?;
            let last = arena.sint_sub(outer.1, ONE)?;
            let end = arena.sint_mul(last, size)?;
            range = (low, arena.sint_add(end, range.1)?);
            size = arena.sint_mul(size, old.size())?;
        } else {
            return Ok(Reshaped::Impossible);
        }
    }
    // What is left of the old shape are leading axes of size 1.
    if old.ranges.iter().any(|&range| range != (Sint::Int(0), ONE)) {
        return Ok(nothing);
    }
    ranges.reverse();
    Ok(Reshaped::Mask(Some(ranges)))
}

fn is_empty((low, high): (Sint, Sint)) -> bool {
    matches!((low, high), (Sint::Int(low), Sint::Int(high)) if high <= low)
}

/// A range in steps of so many places: those steps of which a place is in it.
fn steps(arena: &mut Arena, (low, high): (Sint, Sint), step: Sint) -> Result<(Sint, Sint)> {
    let low = arena.sint_floor_div(low, step)?;
    let last = arena.sint_sub(high, ONE)?;
    let last = arena.sint_floor_div(last, step)?;
    Ok((low, arena.sint_add(last, ONE)?))
}

/// Whether an axis of `size` can be split, with its masked `range`, into rows of `row` places: rows must come out even, and
/// the range be whole rows or stay within one.
fn may_split(arena: &mut Arena, (low, high): (Sint, Sint), size: Sint, row: Sint) -> Result<bool> {
    let zero = Sint::Int(0);
    let last = arena.sint_sub(high, ONE)?;
    let whole_rows = arena.sint_mod(low, row)? == zero && arena.sint_mod(high, row)? == zero;
    let one_row = {
        let (first, last) = (arena.sint_floor_div(low, row)?, arena.sint_floor_div(last, row)?);
        arena.same_sint(first, last)
    };
    let even = arena.sint_mod(size, row)? == zero;
    let holds = |arena: &mut Arena, rule: ViewRule, holds: bool| match arena.rules().state(rule) {
        State::On => holds,
        State::Altered => true,
        State::Off => false,
    };
    let splits = holds(arena, ViewRule::ReshapeMaskRows, whole_rows || one_row)
        && holds(arena, ViewRule::ReshapeMaskSplit, even);
    if splits {
        arena.firings_mut().count(ViewRule::ReshapeMaskSplit);
        arena.firings_mut().count(ViewRule::ReshapeMaskRows);
    }
    Ok(splits)
}
