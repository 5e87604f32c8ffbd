//! Reshaping a view in place, where its strides and mask allow it.

use super::compare::{all_same, dot, maybe_at_most, maybe_less, same};
use super::error::{argument, list};
use super::mask::{Reshaped, reshape_mask};
use super::view::canonical_strides;
use super::{Dims, Mask, Result, View, ViewRule};
use crate::rule::State;
use crate::symbolic::{Arena, Node, Sint};
use smallvec::{SmallVec, smallvec};

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
    let zero = Sint::Int(0);
    // Whether the next axis joins whatever its stride: the run so far is a single place.
    let mut joins = false;
    for (axis, (&size, &stride)) in view.shape.iter().zip(&view.strides).enumerate() {
        if axis > 0 && size == Sint::Int(1) {
            continue;
        }
        let distinct = if stride == zero { zero } else { size };
        let span = arena.sint_mul(size, stride)?;
        match runs.last_mut() {
            Some(run) if joins || same(arena, run.stride, span) => {
                let inner = if joins { size } else { arena.sint_mul(run.distinct, size)? };
                *run = Run {
                    size: arena.sint_mul(run.size, size)?,
                    stride,
                    distinct: if stride == zero { zero } else { inner },
                };
            }
            _ => runs.push(Run { size, stride, distinct }),
        }
        joins = stride == zero
            && match &view.mask {
                Some(mask) => arena.sint_sub(mask[axis].1, mask[axis].0)? == Sint::Int(1),
                None => size == Sint::Int(1),
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
        match self.reshape(arena, &shape)? {
            Some(view) => {
                arena.firings_mut().count(ViewRule::Minify);
                Ok(view)
            }
            None => Ok(self.clone()),
        }
    }

    /// The view with its places, in row-major order, in another shape; `None` where one view can't express it.
    pub fn reshape(&self, arena: &mut Arena, shape: &[Sint]) -> Result<Option<View>> {
        if all_same(arena, &self.shape, shape) {
            return Ok(Some(self.clone()));
        }
        self.check_reshape(arena, shape)?;
        if self.has_no_places() {
            return Ok(Some(View::new(arena, shape, None, Sint::Int(0), None)?));
        }
        if shape.is_empty() && self.mask.as_ref().is_some_and(|mask| mask.iter().any(|(low, high)| low == high)) {
            match arena.rules().state(ViewRule::ReshapeScalar) {
                State::On => return Ok(None),
                State::Off | State::Altered => {
                    let view = View::new(arena, shape, None, self.offset, None)?;
                    return Ok(Some(view));
                }
            }
        }
        if self.contiguous {
            return Ok(Some(View::new(arena, shape, None, Sint::Int(0), None)?));
        }
        if !arena.rules().is_on(ViewRule::Reshape) {
            return Ok(None);
        }
        let Some(strides) = self.reshaped_strides(arena, shape)? else { return Ok(None) };
        let Reshaped::Mask(mask) = reshape_mask(arena, self, shape) else { return Ok(None) };
        let strides = match &mask {
            None => canonical_strides(shape, &strides),
            Some(mask) => {
                let extents =
                    mask.iter().map(|&(low, high)| Ok(arena.sint_sub(high, low)?)).collect::<Result<Dims>>()?;
                canonical_strides(&extents, &strides)
            }
        };
        let offset = self.reshaped_offset(arena, &strides, mask.as_ref())?;
        arena.firings_mut().count(ViewRule::Reshape);
        Ok(Some(View::new(arena, shape, Some(&strides), offset, mask.as_deref())?))
    }

    fn check_reshape(&self, arena: &mut Arena, shape: &[Sint]) -> Result<()> {
        let refuse = |arena: &Arena, reason: &str| argument(arena, "reshape", &self.shape, list(arena, shape), reason);
        if shape.iter().any(|dim| dim.int().is_some_and(|dim| dim < 0)) {
            return Err(refuse(arena, "a size is negative"));
        }
        if self.has_no_places() {
            return match shape.contains(&Sint::Int(0)) {
                true => Ok(()),
                false => Err(refuse(arena, "a shape without places stays one")),
            };
        }
        let Some(places) = size_of(&self.shape, |dim| dim.int()) else { return Ok(()) };
        let fixed = size_of(shape, |dim| match dim {
            Sint::Int(dim) => Some(dim),
            Sint::Node(node) => match arena.node(node) {
                Node::Variable(variable) => arena.variable_info(*variable).value,
                _ => None,
            },
        });
        match fixed {
            Some(size) if size == places => Ok(()),
            Some(size) => Err(refuse(arena, &format!("{places} places can't be {size}"))),
            None => Err(refuse(arena, "sizes are neither numbers nor bound variables")),
        }
    }

    /// Strides of the new axes, or `None` where a new axis would have to walk several runs of the old ones.
    fn reshaped_strides(&self, arena: &mut Arena, shape: &[Sint]) -> Result<Option<Dims>> {
        let mut strides: Dims = SmallVec::new();
        let mut sizes = shape.iter().rev().copied();
        for run in runs(arena, self)?.iter().rev() {
            let mut covered = Sint::Int(1);
            let mut stride = run.stride;
            while maybe_at_most(arena, covered, run.size)? && !same(arena, covered, run.size) {
                let Some(size) = sizes.next() else { break };
                strides.push(stride);
                if size != Sint::Int(1) {
                    covered = arena.sint_mul(covered, size)?;
                    stride = match maybe_less(arena, covered, run.distinct)? {
                        true => arena.sint_mul(stride, size)?,
                        false => Sint::Int(0),
                    };
                }
            }
            if !same(arena, covered, run.size) {
                return Ok(None);
            }
        }
        strides.resize(shape.len(), Sint::Int(0));
        strides.reverse();
        Ok(Some(strides))
    }

    /// The new offset: where masks start is counted with the strides, old and new, and must come out the same.
    fn reshaped_offset(&self, arena: &mut Arena, strides: &Dims, mask: Option<&Mask>) -> Result<Sint> {
        if arena.rules().state(ViewRule::ReshapeOffset) != State::On {
            return Ok(self.offset);
        }
        let start = |arena: &mut Arena, mask: Option<&Mask>, strides: &Dims| {
            dot(arena, mask.into_iter().flatten().zip(strides).map(|(&(low, _), &stride)| (low, stride)))
        };
        let before = start(arena, self.mask.as_ref(), &self.strides)?;
        let after = start(arena, mask, strides)?;
        let moved = arena.sint_sub(before, after)?;
        Ok(arena.sint_add(self.offset, moved)?)
    }
}

fn size_of(shape: &[Sint], number: impl Fn(Sint) -> Option<i64>) -> Option<i64> {
    shape.iter().try_fold(1i64, |size, &dim| size.checked_mul(number(dim)?))
}

/// The place of element `offset` of a plain row-major buffer of `shape`.
pub(super) fn unravel(arena: &mut Arena, shape: &[Sint], offset: Sint) -> Result<Dims> {
    let strides = super::row_major_strides(arena, shape)?;
    let mut place: Dims = smallvec![Sint::Int(0); shape.len()];
    let mut rest = offset;
    for (here, &stride) in place.iter_mut().zip(&strides) {
        if stride != Sint::Int(0) {
            *here = arena.sint_floor_div(rest, stride)?;
            let passed = arena.sint_mul(*here, stride)?;
            rest = arena.sint_sub(rest, passed)?;
        }
    }
    Ok(place)
}
