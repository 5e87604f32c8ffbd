//! Reshaping a view in place, where its strides and mask allow it.

use super::compare::{all_same, dot, product, surely_at_most, surely_less};
use super::error::{ShapeError, argument, list};
use super::mask::{Reshaped, reshape_mask};
use super::view::{canonical_strides, leaves_nothing};
use super::{Dims, Mask, Result, View, ViewRule};
use crate::rule::State;
use crate::symbolic::{Arena, Sint, SymbolicError};
use smallvec::{SmallVec, smallvec};

const ZERO: Sint = Sint::Int(0);
const ONE: Sint = Sint::Int(1);

/// Neighbouring axes that walk the buffer as one.
struct Run {
    /// Number of places.
    size: Sint,
    /// Stride of the innermost axis.
    stride: Sint,
    /// Number of places without those that only repeat (of stride 0).
    distinct: Sint,
}

/// The axes of a view, joined where they walk the buffer as one axis.
fn runs(arena: &mut Arena, view: &View) -> Result<SmallVec<[Run; 6]>> {
    let mut runs: SmallVec<[Run; 6]> = SmallVec::new();
    // Whether the next axis joins whatever its stride: the run so far is a single place.
    let mut joins = false;
    for (axis, (&size, &stride)) in view.shape.iter().zip(&view.strides).enumerate() {
        if axis > 0 && size == ONE {
            continue;
        }
        let distinct = if stride == ZERO { ZERO } else { size };
        let span = arena.sint_mul(size, stride)?;
        match runs.last_mut() {
            Some(run) if joins || arena.same_sint(run.stride, span) => {
                let inner = if joins { size } else { arena.sint_mul(run.distinct, size)? };
                *run = Run {
                    size: arena.sint_mul(run.size, size)?,
                    stride,
                    distinct: if stride == ZERO { ZERO } else { inner },
                };
            }
            _ => runs.push(Run { size, stride, distinct }),
        }
        joins = stride == ZERO
            && match &view.mask {
                Some(mask) => arena.sint_sub(mask[axis].1, mask[axis].0)? == ONE,
                None => size == ONE,
            };
    }
    Ok(runs)
}

impl View {
    /// The view in as few axes as can express it.
    pub fn minify(&self, arena: &mut Arena) -> Result<View> {
        if !arena.rules().is_on(ViewRule::Minify) {
            return Ok(self.clone());
        }
        let shape: Dims = runs(arena, self)?.iter().map(|run| run.size).collect();
        match self.reshape_places(arena, &shape)? {
            Some(view) => {
                if view.shape.len() < self.shape.len() {
                    arena.firings_mut().count(ViewRule::Minify);
                }
                Ok(view)
            }
            None => Ok(self.clone()),
        }
    }

    /// The view with its places, in row-major order, in another shape; `None` where one view can't express it.
    ///
    /// # Errors
    /// [`ShapeError::Argument`] where the shapes do not have as many places. Symbolic ones must have so for all values of
    /// their variables, or those be bound.
    pub fn reshape(&self, arena: &mut Arena, shape: &[Sint]) -> Result<Option<View>> {
        if all_same(arena, &self.shape, shape) {
            return Ok(Some(self.clone()));
        }
        self.check_reshape(arena, shape)?;
        self.reshape_places(arena, shape)
    }

    /// [`View::reshape`] to a shape that has as many places.
    fn reshape_places(&self, arena: &mut Arena, shape: &[Sint]) -> Result<Option<View>> {
        if all_same(arena, &self.shape, shape) {
            return Ok(Some(self.clone()));
        }
        if self.has_no_places() {
            return View::new(arena, shape, None, ZERO, None).map(Some);
        }
        if shape.is_empty()
            && let Some(mask) = &self.mask
            && leaves_nothing(arena, mask)?
        {
            arena.firings_mut().count(ViewRule::ReshapeScalar);
            // A scalar has no mask to say that it is padding.
            return match arena.rules().state(ViewRule::ReshapeScalar) {
                State::On | State::Off => Ok(None),
                State::Altered => View::new(arena, shape, None, self.offset, None).map(Some),
            };
        }
        if self.contiguous && arena.rules().is_on(ViewRule::ReshapePlain) {
            arena.firings_mut().count(ViewRule::ReshapePlain);
            return View::new(arena, shape, None, ZERO, None).map(Some);
        }
        if !arena.rules().is_on(ViewRule::Reshape) {
            return Ok(None);
        }
        match self.reshape_in_place(arena, shape) {
            // Where it can't be told what the view becomes, a second one says the same.
            Err(ShapeError::Symbolic(SymbolicError::Unsupported(_))) => Ok(None),
            reshaped => reshaped,
        }
    }

    fn reshape_in_place(&self, arena: &mut Arena, shape: &[Sint]) -> Result<Option<View>> {
        let Some(strides) = self.reshaped_strides(arena, shape)? else { return Ok(None) };
        let Reshaped::Mask(mask) = reshape_mask(arena, self, shape)? else { return Ok(None) };
        let strides = match &mask {
            None => canonical_strides(shape, &strides),
            Some(mask) => {
                let extents = mask.iter().map(|&(low, high)| Ok(arena.sint_sub(high, low)?));
                let extents = extents.collect::<Result<Dims>>()?;
                canonical_strides(&extents, &strides)
            }
        };
        let Some(offset) = self.reshaped_offset(arena, &strides, mask.as_ref())? else { return Ok(None) };
        arena.firings_mut().count(ViewRule::Reshape);
        View::new(arena, shape, Some(&strides), offset, mask.as_deref()).map(Some)
    }

    fn check_reshape(&self, arena: &mut Arena, shape: &[Sint]) -> Result<()> {
        let refuse = |arena: &Arena, reason: &str| argument(arena, "reshape", &self.shape, list(arena, shape), reason);
        if shape.iter().any(|&dim| arena.largest(dim) < 0) {
            return Err(refuse(arena, "a size is negative"));
        }
        if self.has_no_places() {
            return match shape.contains(&ZERO) {
                true => Ok(()),
                false => Err(refuse(arena, "a shape without places stays one")),
            };
        }
        let (places, wanted) = (product(arena, &self.shape)?, product(arena, shape)?);
        if arena.same_sint(places, wanted) {
            return Ok(());
        }
        match (bound_value(arena, places), bound_value(arena, wanted)) {
            (Some(places), Some(wanted)) if places == wanted => Ok(()),
            (Some(places), Some(wanted)) => Err(refuse(arena, &format!("{places} places can't be {wanted}"))),
            _ => {
                Err(refuse(arena, "the sizes differ, or their variables are not bound to values for which they don't"))
            }
        }
    }

    /// Strides of the new axes, or `None` where a new axis would have to walk several runs of the old ones.
    fn reshaped_strides(&self, arena: &mut Arena, shape: &[Sint]) -> Result<Option<Dims>> {
        let mut strides: Dims = SmallVec::new();
        let mut sizes = shape.iter().rev().copied();
        for run in runs(arena, self)?.iter().rev() {
            let mut covered = ONE;
            let mut stride = run.stride;
            while !arena.same_sint(covered, run.size) {
                if surely_less(arena, run.size, covered)? {
                    return Ok(None);
                }
                let Some(size) = sizes.next() else { return Ok(None) };
                strides.push(stride);
                if size == ONE {
                    continue;
                }
                covered = arena.sint_mul(covered, size)?;
                stride = if arena.same_sint(covered, run.distinct) || surely_less(arena, run.distinct, covered)? {
                    ZERO
                } else if surely_at_most(arena, covered, run.distinct)? {
                    arena.sint_mul(stride, size)?
                } else {
                    return Ok(None);
                };
            }
        }
        for size in sizes {
            if size != ONE {
                return Ok(None);
            }
            strides.push(ZERO);
        }
        strides.reverse();
        Ok(Some(strides))
    }

    /// The new offset: where masks start is counted with the strides, old and new, and must come out the same.
    fn reshaped_offset(&self, arena: &mut Arena, strides: &Dims, mask: Option<&Mask>) -> Result<Option<Sint>> {
        let start = |arena: &mut Arena, mask: Option<&Mask>, strides: &Dims| {
            dot(arena, mask.into_iter().flatten().zip(strides).map(|(&(low, _), &stride)| (low, stride)))
        };
        let before = start(arena, self.mask.as_ref(), &self.strides)?;
        let after = start(arena, mask, strides)?;
        let moved = arena.sint_sub(before, after)?;
        if moved == ZERO {
            return Ok(Some(self.offset));
        }
        arena.firings_mut().count(ViewRule::ReshapeOffset);
        match arena.rules().state(ViewRule::ReshapeOffset) {
            State::On => Ok(Some(arena.sint_add(self.offset, moved)?)),
            State::Off => Ok(None),
            State::Altered => Ok(Some(arena.sint_sub(self.offset, after)?)),
        }
    }
}

/// A number, or the value of an expression whose variables are all bound.
fn bound_value(arena: &Arena, value: Sint) -> Option<i64> {
    match value {
        Sint::Int(value) => Some(value),
        Sint::Node(node) => arena.evaluate(node, &|_| None),
    }
}

/// The place of element `offset` of a plain row-major buffer of `shape`.
pub(super) fn unravel(arena: &mut Arena, shape: &[Sint], offset: Sint) -> Result<Dims> {
    let mut place: Dims = smallvec![ZERO; shape.len()];
    let mut rest = offset;
    for (here, stride) in place.iter_mut().zip(super::row_major_strides(arena, shape)?) {
        if stride != ZERO {
            *here = arena.sint_floor_div(rest, stride)?;
            let passed = arena.sint_mul(*here, stride)?;
            rest = arena.sint_sub(rest, passed)?;
        }
    }
    Ok(place)
}
