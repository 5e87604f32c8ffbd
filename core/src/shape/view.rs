//! One strided, masked view of a buffer, in the form in which equal views are equal.

use super::compare::{all_same, dot, surely_at_most};
use super::error::{argument, list, pairs};
use super::{Dims, Mask, Result, ViewRule};
use crate::rule::State;
use crate::symbolic::{Arena, NodeId, Sint};
use smallvec::{SmallVec, smallvec};

const ZERO: Sint = Sint::Int(0);
const ONE: Sint = Sint::Int(1);

/// One strided, masked view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// Size of each axis.
    pub shape: Dims,
    /// Elements from one place to the next along each axis (0 where the axis has size 1).
    pub strides: Dims,
    /// Element at the origin.
    pub offset: Sint,
    /// The part that holds elements, where that is not all.
    pub mask: Option<Mask>,
    /// Whether the view is the plain row-major one.
    pub contiguous: bool,
}

/// Strides of a plain row-major buffer of this shape, in elements; 0 where an axis has size 1.
///
/// # Errors
/// Overflow of 64 bits, as all operations on views.
pub fn row_major_strides(arena: &mut Arena, shape: &[Sint]) -> Result<Dims> {
    let mut strides: Dims = smallvec![ZERO; shape.len()];
    let mut stride = ONE;
    for axis in (0..shape.len()).rev() {
        if shape[axis] != ONE {
            strides[axis] = stride;
        }
        // The outermost size plays no part: it may be anything, also too large to multiply.
        if axis > 0 {
            stride = arena.sint_mul(stride, shape[axis])?;
        }
    }
    Ok(strides)
}

/// `strides` with 0 where an axis has size 1.
pub(super) fn canonical_strides(shape: &[Sint], strides: &[Sint]) -> Dims {
    shape.iter().zip(strides).map(|(&size, &stride)| if size == ONE { ZERO } else { stride }).collect()
}

impl View {
    /// The view of this shape, in the form in which equal views are equal; `strides` of `None` are the row-major ones.
    ///
    /// A mask that leaves everything is dropped; one that leaves nothing is `(0, 0)` on every axis; along an axis of
    /// which it leaves one place the stride is 0, and the offset accounts for the place.
    ///
    /// # Errors
    /// [`ShapeError::Argument`](super::ShapeError::Argument) where strides or mask have another number of axes, or a size
    /// is negative.
    pub fn new(
        arena: &mut Arena,
        shape: &[Sint],
        strides: Option<&[Sint]>,
        offset: Sint,
        mask: Option<&[(Sint, Sint)]>,
    ) -> Result<View> {
        check(arena, shape, strides, mask)?;
        let mask = mask.filter(|mask| !leaves_all(arena, mask, shape));
        let from_start = offset == ZERO && mask.is_none();
        let (mut strides, contiguous) = match strides {
            None => (row_major_strides(arena, shape)?, from_start),
            Some(strides) => {
                let strides = canonical_strides(shape, strides);
                let row_major = if from_start { Some(row_major_strides(arena, shape)?) } else { None };
                let contiguous = row_major.is_some_and(|row_major| all_same(arena, &strides, &row_major));
                (strides, contiguous)
            }
        };
        let mut view =
            View { shape: SmallVec::from_slice(shape), strides: SmallVec::new(), offset, mask: None, contiguous };
        if let Some(mask) = mask {
            let mut mask: Mask = SmallVec::from_slice(mask);
            if leaves_nothing(arena, &mask)? {
                strides.fill(ZERO);
                view.offset = ZERO;
                mask.fill((ZERO, ZERO));
            } else {
                fold_single_places(arena, &mut strides, &mut view.offset, &mask)?;
            }
            view.mask = Some(mask);
        }
        view.strides = strides;
        Ok(view)
    }

    /// A view of this shape that shows nothing.
    pub(super) fn nothing(arena: &mut Arena, shape: &[Sint]) -> Result<View> {
        let zeros: Dims = smallvec![ZERO; shape.len()];
        let mask: Mask = smallvec![(ZERO, ZERO); shape.len()];
        View::new(arena, shape, Some(&zeros), ZERO, Some(&mask))
    }

    /// Number of places, the largest where the shape is symbolic; at most `i64::MAX`.
    pub fn size(&self, arena: &Arena) -> i64 {
        self.shape.iter().fold(1i64, |size, &dim| size.saturating_mul(arena.largest(dim)))
    }

    /// The variables in its shape, strides, offset and mask, each once.
    pub fn vars(&self, arena: &Arena) -> Vec<NodeId> {
        let masked = self.mask.iter().flatten().flat_map(|&(low, high)| [low, high]);
        let parts = self.shape.iter().chain(&self.strides).copied().chain([self.offset]).chain(masked);
        let mut found = Vec::new();
        for part in parts {
            if let Sint::Node(node) = part {
                for variable in arena.variables(node) {
                    if !found.contains(&variable) {
                        found.push(variable);
                    }
                }
            }
        }
        found
    }

    /// Whether an axis has size 0.
    pub(super) fn has_no_places(&self) -> bool {
        self.shape.contains(&ZERO)
    }

    /// The view with every symbolic part replaced.
    pub(super) fn substitute(&self, arena: &mut Arena, replacements: &[(NodeId, NodeId)]) -> Result<View> {
        let mut replace = |value: Sint| -> Result<Sint> {
            Ok(match value {
                Sint::Int(value) => Sint::Int(value),
                Sint::Node(node) => {
                    let replaced = arena.substitute(node, replacements)?;
                    arena.lower(replaced)
                }
            })
        };
        let shape = self.shape.iter().map(|&dim| replace(dim)).collect::<Result<Dims>>()?;
        let strides = self.strides.iter().map(|&stride| replace(stride)).collect::<Result<Dims>>()?;
        let offset = replace(self.offset)?;
        let mut pair = |&(low, high): &(Sint, Sint)| Ok((replace(low)?, replace(high)?));
        let mask = self.mask.as_ref().map(|mask| mask.iter().map(&mut pair).collect::<Result<Mask>>()).transpose()?;
        View::new(arena, &shape, Some(&strides), offset, mask.as_deref())
    }
}

fn check(arena: &Arena, shape: &[Sint], strides: Option<&[Sint]>, mask: Option<&[(Sint, Sint)]>) -> Result<()> {
    if let Some(strides) = strides
        && strides.len() != shape.len()
    {
        return Err(argument(arena, "view", shape, list(arena, strides), "one stride is needed for each axis"));
    }
    if let Some(mask) = mask
        && mask.len() != shape.len()
    {
        return Err(argument(arena, "view", shape, pairs(arena, mask), "one range is needed for each axis"));
    }
    if shape.iter().any(|dim| dim.int().is_some_and(|dim| dim < 0)) {
        return Err(argument(arena, "view", shape, "no strides".to_owned(), "a size is negative"));
    }
    Ok(())
}

/// Whether the mask hides nothing.
fn leaves_all(arena: &mut Arena, mask: &[(Sint, Sint)], shape: &[Sint]) -> bool {
    let axes = match arena.rules().state(ViewRule::WholeMask) {
        State::On => mask.len(),
        // A view without axes has an empty mask, which is none.
        State::Off if mask.is_empty() => 0,
        State::Off => return false,
        State::Altered => 1,
    };
    let whole =
        mask.iter().zip(shape).take(axes).all(|(&(low, high), &size)| low == ZERO && arena.same_sint(high, size));
    if whole {
        arena.firings_mut().count(ViewRule::WholeMask);
    }
    whole
}

/// Whether the mask leaves nothing for certain.
pub(super) fn leaves_nothing(arena: &mut Arena, mask: &[(Sint, Sint)]) -> Result<bool> {
    for &(low, high) in mask {
        if surely_at_most(arena, high, low)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Moves the strides of the axes of which the mask leaves one place into the offset.
fn fold_single_places(arena: &mut Arena, strides: &mut Dims, offset: &mut Sint, mask: &[(Sint, Sint)]) -> Result<()> {
    let state = arena.rules().state(ViewRule::StrideFold);
    if state == State::Off {
        return Ok(());
    }
    let mut single: SmallVec<[usize; 6]> = SmallVec::new();
    for (axis, &(low, high)) in mask.iter().enumerate() {
        let next = arena.sint_add(low, ONE)?;
        if surely_at_most(arena, high, next)? {
            single.push(axis);
        }
    }
    if single.iter().any(|&axis| strides[axis] != ZERO) {
        arena.firings_mut().count(ViewRule::StrideFold);
    }
    if state == State::On {
        let distance = dot(arena, single.iter().map(|&axis| (strides[axis], mask[axis].0)))?;
        *offset = arena.sint_add(*offset, distance)?;
    }
    for axis in single {
        strides[axis] = ZERO;
    }
    Ok(())
}
