//! Two stacked views as one.

use super::compare::{all_same, dot, may_be_nonzero};
use super::project::{Extent, Projected, Projection, Terms};
use super::reshape::unravel;
use super::view::leaves_nothing;
use super::{Dims, Mask, Result, View, ViewRule};
use crate::rule::State;
use crate::symbolic::{Arena, NodeId, Sint};
use smallvec::{SmallVec, smallvec};

const ZERO: Sint = Sint::Int(0);
const ONE: Sint = Sint::Int(1);

/// A merge leads to another of a simpler pair of views, at most so often; a handful suffices.
const MAX_STEPS: usize = 32;

impl View {
    /// This view read through `outer`, as one view; `None` where it takes two, or nothing simpler is known for certain.
    pub fn merge(&self, arena: &mut Arena, outer: &View) -> Result<Option<View>> {
        if !arena.rules().is_on(ViewRule::Merge) {
            return Ok(None);
        }
        // What can't be computed on the way (a quotient by something symbolic, say) takes two views, which is always right.
        let merged = self.merge_views(arena, outer, MAX_STEPS).unwrap_or(None);
        if merged.is_some() {
            arena.firings_mut().count(ViewRule::Merge);
        }
        Ok(merged)
    }

    fn merge_views(&self, arena: &mut Arena, outer: &View, steps: usize) -> Result<Option<View>> {
        let Some(steps) = steps.checked_sub(1) else { return Ok(None) };
        if let Some(merged) = self.merge_plain(arena, outer)? {
            return Ok(Some(merged));
        }
        if let Some(mask) = &outer.mask {
            return self.merge_padded(arena, outer, mask, steps);
        }
        let origin = unravel(arena, &self.shape, outer.offset)?;
        let (terms, strides) = self.project(arena, outer, &origin)?;
        let Some(extents) = self.extents(arena, outer, &origin, &terms)? else { return Ok(None) };
        let joined: Dims = extents.iter().rev().map(|extent| extent.size).collect();
        if !all_same(arena, &joined, &self.shape) {
            if !arena.rules().is_on(ViewRule::MergeJoin) {
                return Ok(None);
            }
            arena.firings_mut().count(ViewRule::MergeJoin);
            return match self.reshape(arena, &joined)? {
                Some(reshaped) => reshaped.merge_views(arena, outer, steps),
                None => Ok(None),
            };
        }
        if let Some(mask) = &self.mask {
            match (Projection { outer, mask, origin: &origin, terms: &terms, extents: &extents }).mask(arena)? {
                Projected::Inside => {}
                Projected::Masked(mask) => {
                    let masked = View::new(arena, &outer.shape, Some(&outer.strides), outer.offset, Some(&mask))?;
                    return self.merge_views(arena, &masked, steps);
                }
                Projected::Impossible => return Ok(None),
            }
        }
        let start = dot(arena, origin.iter().copied().zip(self.strides.iter().copied()))?;
        let offset = arena.sint_add(start, self.offset)?;
        Ok(Some(View::new(arena, &outer.shape, Some(&strides), offset, None)?))
    }

    /// Where one of them is plain.
    fn merge_plain(&self, arena: &mut Arena, outer: &View) -> Result<Option<View>> {
        if !arena.rules().is_on(ViewRule::MergePlain) {
            return Ok(None);
        }
        let merged = if self.contiguous {
            outer.clone()
        } else if outer.contiguous && all_same(arena, &outer.shape, &self.shape) {
            self.clone()
        } else if outer.contiguous
            && outer.size(arena) == self.size(arena)
            && let Some(reshaped) = self.reshape(arena, &outer.shape)?
        {
            reshaped
        } else {
            return Ok(None);
        };
        arena.firings_mut().count(ViewRule::MergePlain);
        Ok(Some(merged))
    }

    /// An outer view with a mask: what the mask leaves is merged, and padded again.
    fn merge_padded(&self, arena: &mut Arena, outer: &View, mask: &Mask, steps: usize) -> Result<Option<View>> {
        if leaves_nothing(arena, mask)? {
            return View::nothing(arena, &outer.shape).map(Some);
        }
        let state = arena.rules().state(ViewRule::MergePadded);
        if state == State::Off {
            return Ok(None);
        }
        let shown = outer.shrink(arena, mask)?;
        let Some(merged) = self.merge_views(arena, &shown, steps)? else { return Ok(None) };
        arena.firings_mut().count(ViewRule::MergePadded);
        let mut padding: Mask = SmallVec::new();
        for (&(low, high), &size) in mask.iter().zip(&outer.shape) {
            padding.push((low, arena.sint_sub(size, high)?));
        }
        if state == State::Altered
            && let Some((before, Sint::Int(after))) = padding.iter_mut().find(|(_, after)| *after != ZERO)
        {
            (*before, *after) = (arena.sint_add(*before, ONE)?, *after - 1);
        }
        Ok(Some(merged.pad(arena, &padding)?))
    }

    /// How a step along each of the outer view's axes moves along this view's axes, and through the buffer.
    fn project(&self, arena: &mut Arena, outer: &View, origin: &Dims) -> Result<(SmallVec<[Terms; 6]>, Dims)> {
        let mut terms: SmallVec<[Terms; 6]> = smallvec![Terms::new(); origin.len()];
        let mut strides: Dims = smallvec![ZERO; outer.shape.len()];
        for (outer_axis, &stride) in outer.strides.iter().enumerate() {
            if stride == ZERO {
                continue;
            }
            let next = arena.sint_add(outer.offset, stride)?;
            let moved = unravel(arena, &self.shape, next)?;
            for axis in 0..origin.len() {
                let step = arena.sint_sub(moved[axis], origin[axis])?;
                if step == ZERO {
                    continue;
                }
                terms[axis].push((outer_axis, step));
                let distance = arena.sint_mul(step, self.strides[axis])?;
                strides[outer_axis] = arena.sint_add(strides[outer_axis], distance)?;
            }
        }
        Ok((terms, strides))
    }

    /// This view's axes, innermost first, joined until no index of the outer view carries over from one group to the
    /// next; `None` where that never comes out.
    fn extents(
        &self,
        arena: &mut Arena,
        outer: &View,
        origin: &Dims,
        terms: &[Terms],
    ) -> Result<Option<SmallVec<[Extent; 6]>>> {
        let mut indices: SmallVec<[NodeId; 6]> = SmallVec::new();
        for (axis, &size) in outer.shape.iter().enumerate() {
            indices.push(index_variable(arena, axis, size)?);
        }
        let mut extents = SmallVec::new();
        let mut size = ONE;
        let mut place = arena.number(0);
        for axis in (0..self.shape.len()).rev() {
            let mut parts: SmallVec<[NodeId; 6]> = SmallVec::new();
            for &(outer_axis, step) in &terms[axis] {
                let factor = arena.sint_mul(step, size)?;
                parts.push(arena.mul(indices[outer_axis], factor)?);
            }
            let moved = arena.sum(&parts)?;
            let start = arena.sint_mul(origin[axis], size)?;
            let start = arena.lift(start);
            let moved = arena.add(moved, start)?;
            place = arena.add(place, moved)?;
            size = arena.sint_mul(size, self.shape[axis])?;
            let end = arena.lift(size);
            if arena.min(place) >= 0 && arena.surely_less(place, end)? {
                extents.push(Extent { size, place });
                size = ONE;
                place = arena.number(0);
            }
        }
        Ok((!may_be_nonzero(arena, place)).then_some(extents))
    }
}

/// The variable `idx<axis>` over an axis of this size, by which views are asked for their index expressions: none of a
/// user's, whatever their names.
pub(super) fn index_variable(arena: &mut Arena, axis: usize, size: Sint) -> Result<NodeId> {
    if let Some(&known) = arena.axis_variables.get(&(axis, size)) {
        return Ok(known);
    }
    let last = arena.sint_sub(size, ONE)?;
    let variable = arena.variable(&format!(".idx{axis}"), 0, last, None)?;
    arena.axis_variables.insert((axis, size), variable);
    Ok(variable)
}
