//! The mask of an inner view, as the outer one sees it.

use super::compare::{surely_at_most, surely_less};
use super::{Dims, Mask, Result, View, ViewRule};
use crate::rule::State;
use crate::symbolic::{Arena, NodeId, Sint};
use smallvec::{SmallVec, smallvec};

const ZERO: Sint = Sint::Int(0);
const ONE: Sint = Sint::Int(1);

/// For an axis of the inner view: which axes of the outer one move along it, by how many places a step.
pub(super) type Terms = SmallVec<[(usize, Sint); 2]>;

/// A group of the inner view's axes that the outer view moves along together.
pub(super) struct Extent {
    /// Number of places.
    pub(super) size: Sint,
    /// The place along it, over the outer view's indices.
    pub(super) place: NodeId,
}

/// What becomes of the inner view's mask.
pub(super) enum Projected {
    /// The outer view sees nothing of what it masks.
    Inside,
    /// The outer view sees padding outside this mask of its own.
    Masked(Mask),
    /// No mask can express it.
    Impossible,
}

/// An outer view over the axes of an inner one.
pub(super) struct Projection<'a> {
    pub(super) outer: &'a View,
    /// The inner view's.
    pub(super) mask: &'a Mask,
    /// The inner view's place where the outer view starts.
    pub(super) origin: &'a Dims,
    /// For each axis of the inner view.
    pub(super) terms: &'a [Terms],
    /// For each axis of the inner view, innermost first.
    pub(super) extents: &'a [Extent],
}

impl Projection<'_> {
    /// The mask that the inner view's mask is to the outer view.
    pub(super) fn mask(&self, arena: &mut Arena) -> Result<Projected> {
        let state = arena.rules().state(ViewRule::MergeMask);
        if state == State::Altered {
            return Ok(Projected::Inside);
        }
        let mut low: Dims = smallvec![ZERO; self.outer.shape.len()];
        let mut high: Dims = self.outer.shape.clone();
        let mut impossible = false;
        for (axis, (&range, extent)) in self.mask.iter().zip(self.extents.iter().rev()).enumerate() {
            if !self.stays_inside(arena, extent, range)?
                && !self.project_axis(arena, axis, range, &mut low, &mut high)?
            {
                impossible = true;
            }
        }
        let outer_shape = self.outer.shape.iter();
        let changed = low.iter().zip(&high).zip(outer_shape).any(|((&low, &high), &size)| low != ZERO || high != size);
        if changed {
            if state == State::Off {
                return Ok(Projected::Impossible);
            }
            arena.firings_mut().count(ViewRule::MergeMask);
            return Ok(Projected::Masked(low.into_iter().zip(high).collect()));
        }
        Ok(if impossible { Projected::Impossible } else { Projected::Inside })
    }

    /// Whether the outer view sees only elements along this axis.
    fn stays_inside(&self, arena: &mut Arena, extent: &Extent, (begin, end): (Sint, Sint)) -> Result<bool> {
        let least = Sint::Int(arena.min(extent.place));
        let most = arena.max(extent.place);
        Ok(surely_at_most(arena, begin, least)? && surely_less(arena, most, end)?)
    }

    /// Narrows the outer view's mask to where it sees elements along one axis of the inner view. Whether it could.
    fn project_axis(
        &self,
        arena: &mut Arena,
        axis: usize,
        (begin, end): (Sint, Sint),
        low: &mut Dims,
        high: &mut Dims,
    ) -> Result<bool> {
        let (start @ Sint::Int(_), Sint::Int(_), Sint::Int(_)) = (self.origin[axis], begin, end) else {
            return Ok(false);
        };
        let [(outer_axis, step)] = self.terms[axis][..] else {
            // Always outside: nothing is shown. Moved along by several axes: no mask can say where it is outside.
            return Ok(match high.first_mut() {
                Some(first) if self.terms[axis].is_empty() => {
                    *first = ZERO;
                    true
                }
                _ => false,
            });
        };
        let (Sint::Int(size), Sint::Int(old_low), Sint::Int(old_high)) = (step, low[outer_axis], high[outer_axis])
        else {
            return Ok(false);
        };
        let first = arena.sint_sub(begin, start)?;
        let last = arena.sint_sub(end, start)?;
        let last = arena.sint_sub(last, ONE)?;
        let (first, last) = if size > 0 { (first, last) } else { (last, first) };
        // Rounded up, and rounded down.
        let first = arena.sint_neg(first)?;
        let first = arena.sint_floor_div(first, step)?;
        let first = arena.sint_neg(first)?;
        let last = arena.sint_floor_div(last, step)?;
        let end = arena.sint_add(last, ONE)?;
        low[outer_axis] = Sint::Int(old_low.max(first.int().unwrap_or(old_low)));
        high[outer_axis] = Sint::Int(old_high.min(end.int().unwrap_or(old_high)));
        Ok(true)
    }
}
