//! Two stacked views as one.

use super::compare::{all_same, dot, maybe_less, maybe_true, same};
use super::reshape::unravel;
use super::view::is_empty;
use super::{Dims, Mask, Result, View, ViewRule};
use crate::rule::State;
use crate::symbolic::{Arena, NodeId, Sint};
use smallvec::{SmallVec, smallvec};

const ZERO: Sint = Sint::Int(0);

/// For an axis of the inner view: which axes of the outer one move along it, by how many places a step.
type Terms = SmallVec<[(usize, Sint); 4]>;

/// A group of the inner view's axes that the outer view moves along together.
struct Extent {
    size: Sint,
    /// The place along it, over the outer view's indices.
    place: NodeId,
}

impl View {
    /// This view read through `outer`, as one view; `None` where it takes two.
    pub fn merge(&self, arena: &mut Arena, outer: &View) -> Result<Option<View>> {
        if !arena.rules().is_on(ViewRule::Merge) {
            return Ok(None);
        }
        let merged = self.merge_views(arena, outer)?;
        if merged.is_some() {
            arena.firings_mut().count(ViewRule::Merge);
        }
        Ok(merged)
    }

    fn merge_views(&self, arena: &mut Arena, outer: &View) -> Result<Option<View>> {
        if self.contiguous {
            return Ok(Some(outer.clone()));
        }
        if outer.contiguous {
            if all_same(arena, &outer.shape, &self.shape) {
                return Ok(Some(self.clone()));
            }
            if outer.size(arena) == self.size(arena)
                && let Some(reshaped) = self.reshape(arena, &outer.shape)?
            {
                return Ok(Some(reshaped));
            }
        }
        if let Some(mask) = &outer.mask {
            return self.merge_masked(arena, outer, mask);
        }
        let origin = unravel(arena, &self.shape, outer.offset)?;
        let (terms, strides) = self.project(arena, outer, &origin)?;
        let Some(extents) = self.extents(arena, outer, &origin, &terms)? else { return Ok(None) };
        let joined: Dims = extents.iter().rev().map(|extent| extent.size).collect();
        if !all_same(arena, &joined, &self.shape) {
            return match self.reshape(arena, &joined)? {
                Some(reshaped) => reshaped.merge_views(arena, outer),
                None => Ok(None),
            };
        }
        if let Some(mask) = &self.mask {
            match self.project_mask(arena, outer, mask, &origin, &terms, &extents)? {
                Projected::Inside => {}
                Projected::Masked(mask) => {
                    let masked = View::new(arena, &outer.shape, Some(&outer.strides), outer.offset, Some(&mask))?;
                    return self.merge_views(arena, &masked);
                }
                Projected::Impossible => return Ok(None),
            }
        }
        let start = dot(arena, origin.iter().copied().zip(self.strides.iter().copied()))?;
        let offset = arena.sint_add(start, self.offset)?;
        Ok(Some(View::new(arena, &outer.shape, Some(&strides), offset, None)?))
    }

    /// An outer view with a mask: what the mask leaves is merged, and padded again.
    fn merge_masked(&self, arena: &mut Arena, outer: &View, mask: &Mask) -> Result<Option<View>> {
        if is_empty(arena, mask)? {
            let zeros: Dims = smallvec![ZERO; outer.shape.len()];
            let nothing: Mask = smallvec![(ZERO, ZERO); outer.shape.len()];
            return Ok(Some(View::new(arena, &outer.shape, Some(&zeros), ZERO, Some(&nothing))?));
        }
        let shown = outer.shrink(arena, mask)?;
        let Some(merged) = self.merge_views(arena, &shown)? else { return Ok(None) };
        let mut padding: Mask = SmallVec::new();
        for (&(low, high), &size) in mask.iter().zip(&outer.shape) {
            padding.push((low, arena.sint_sub(size, high)?));
        }
        Ok(Some(merged.pad(arena, &padding)?))
    }

    /// How a step along each of the outer view's axes moves along this view's axes, and through the buffer.
    fn project(&self, arena: &mut Arena, outer: &View, origin: &Dims) -> Result<(Vec<Terms>, Dims)> {
        let mut terms: Vec<Terms> = vec![SmallVec::new(); origin.len()];
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
        let mut size = Sint::Int(1);
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
            if !may_reach(arena, place, size)? && !may_be_negative(arena, place)? {
                extents.push(Extent { size, place });
                size = Sint::Int(1);
                place = arena.number(0);
            }
        }
        Ok((!maybe_true(arena, place)).then_some(extents))
    }

    /// This view's mask, seen through the outer view.
    fn project_mask(
        &self,
        arena: &mut Arena,
        outer: &View,
        mask: &Mask,
        origin: &Dims,
        terms: &[Terms],
        extents: &[Extent],
    ) -> Result<Projected> {
        if arena.rules().state(ViewRule::MergeMask) == State::Altered {
            return Ok(Projected::Inside);
        }
        let mut low: Dims = smallvec![ZERO; outer.shape.len()];
        let mut high: Dims = outer.shape.clone();
        let mut impossible = false;
        for (axis, (&(begin, end), extent)) in mask.iter().zip(extents.iter().rev()).enumerate() {
            let (least, most) = (arena.min(extent.place), arena.max(extent.place));
            let leaves = maybe_less(arena, Sint::Int(least), begin)? || !maybe_less(arena, most, end)?;
            if !leaves {
                continue;
            }
            let (Some(start), Some(begin), Some(end)) = (origin[axis].int(), begin.int(), end.int()) else {
                impossible = true;
                continue;
            };
            let [(outer_axis, step)] = terms[axis][..] else {
                // Always outside: nothing is shown. Moved along by several axes: no mask can say where it is outside.
                match high.first_mut() {
                    Some(first) if terms[axis].is_empty() => *first = ZERO,
                    _ => impossible = true,
                }
                continue;
            };
            let (Some(step), Some(old_low), Some(old_high)) =
                (step.int(), low[outer_axis].int(), high[outer_axis].int())
            else {
                impossible = true;
                continue;
            };
            let (first, last) =
                if step > 0 { (begin - start, end - start - 1) } else { (end - start - 1, begin - start) };
            low[outer_axis] = Sint::Int(old_low.max(divide_up(first, step)));
            high[outer_axis] = Sint::Int(old_high.min(divide_down(last, step) + 1));
        }
        let changed =
            (0..outer.shape.len()).any(|axis| low[axis] != ZERO || !same(arena, high[axis], outer.shape[axis]));
        if changed {
            arena.firings_mut().count(ViewRule::MergeMask);
            return Ok(Projected::Masked(low.into_iter().zip(high).collect()));
        }
        Ok(if impossible { Projected::Impossible } else { Projected::Inside })
    }
}

/// What becomes of the inner view's mask.
enum Projected {
    /// The outer view sees nothing of what it masks.
    Inside,
    /// The outer view sees padding outside this mask of its own.
    Masked(Mask),
    /// No mask can express it.
    Impossible,
}

/// Whether `place >= size` can be true.
fn may_reach(arena: &mut Arena, place: NodeId, size: Sint) -> Result<bool> {
    let negated = arena.neg(place)?;
    let bound = arena.sint_sub(Sint::Int(1), size)?;
    let less = arena.less(negated, bound)?;
    Ok(maybe_true(arena, less))
}

/// Whether `place < 0` can be true.
fn may_be_negative(arena: &mut Arena, place: NodeId) -> Result<bool> {
    let less = arena.less(place, ZERO)?;
    Ok(maybe_true(arena, less))
}

fn divide_down(a: i64, b: i64) -> i64 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

fn divide_up(a: i64, b: i64) -> i64 {
    -divide_down(-a, b)
}

/// The variable `idx<axis>` over an axis of this size, by which views are asked for their index expressions.
pub(super) fn index_variable(arena: &mut Arena, axis: usize, size: Sint) -> Result<NodeId> {
    const NAMES: [&str; 12] =
        ["idx0", "idx1", "idx2", "idx3", "idx4", "idx5", "idx6", "idx7", "idx8", "idx9", "idx10", "idx11"];
    let last = arena.sint_sub(size, Sint::Int(1))?;
    Ok(match NAMES.get(axis) {
        Some(name) => arena.variable(name, 0, last, None)?,
        None => arena.variable(&format!("idx{axis}"), 0, last, None)?,
    })
}
