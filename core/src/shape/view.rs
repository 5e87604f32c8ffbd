//! One strided, masked view of a buffer.

use super::compare::{all_same, dot, maybe_less, product, same};
use super::{Dims, Mask, Result, ViewRule};
use crate::rule::State;
use crate::symbolic::{Arena, NodeId, Sint};
use smallvec::{SmallVec, smallvec};

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
pub fn row_major_strides(arena: &mut Arena, shape: &[Sint]) -> Result<Dims> {
    let mut strides: Dims = smallvec![Sint::Int(0); shape.len()];
    let mut stride = Sint::Int(1);
    for axis in (0..shape.len()).rev() {
        if shape[axis] != Sint::Int(1) {
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
    shape.iter().zip(strides).map(|(&size, &stride)| if size == Sint::Int(1) { Sint::Int(0) } else { stride }).collect()
}

impl View {
    /// The view of this shape, in the form in which equal views are equal; `strides` of `None` are the row-major ones.
    ///
    /// A mask that leaves everything is dropped; one that leaves nothing is `(0, 0)` on every axis; along an axis of
    /// which it leaves one place the stride is 0, and the offset accounts for the place.
    pub fn new(
        arena: &mut Arena,
        shape: &[Sint],
        strides: Option<&[Sint]>,
        offset: Sint,
        mask: Option<&[(Sint, Sint)]>,
    ) -> Result<View> {
        let row_major = row_major_strides(arena, shape)?;
        let mut strides = match strides {
            Some(strides) => canonical_strides(shape, strides),
            None => row_major.clone(),
        };
        let whole = |arena: &Arena, mask: &[(Sint, Sint)]| {
            mask.iter().zip(shape).all(|(&(low, high), &size)| low == Sint::Int(0) && same(arena, high, size))
        };
        let mut mask: Option<Mask> = mask.filter(|mask| !whole(arena, mask)).map(SmallVec::from_slice);
        let mut offset = offset;
        let contiguous = offset == Sint::Int(0) && mask.is_none() && all_same(arena, &strides, &row_major);
        if let Some(ranges) = &mut mask {
            let single = single_places(arena, ranges)?;
            if single.contains(&true) {
                if is_empty(arena, ranges)? {
                    strides.fill(Sint::Int(0));
                    offset = Sint::Int(0);
                    ranges.fill((Sint::Int(0), Sint::Int(0)));
                }
                fold_single(arena, &single, &mut strides, &mut offset, ranges)?;
            }
        }
        Ok(View { shape: SmallVec::from_slice(shape), strides, offset, mask, contiguous })
    }

    /// Number of places, the largest where the shape is symbolic.
    pub fn size(&self, arena: &Arena) -> i64 {
        self.shape.iter().fold(1i64, |size, &dim| {
            size.saturating_mul(match dim {
                Sint::Int(dim) => dim,
                Sint::Node(dim) => arena.max_int(dim),
            })
        })
    }

    /// The variables in its shape, strides, offset and mask, each once.
    pub fn vars(&self, arena: &mut Arena) -> Vec<NodeId> {
        let masked = self.mask.iter().flatten().flat_map(|&(low, high)| [low, high]);
        let parts: SmallVec<[Sint; 24]> =
            self.shape.iter().chain(&self.strides).copied().chain([self.offset]).chain(masked).collect();
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
        self.shape.contains(&Sint::Int(0))
    }

    /// The view with every symbolic part replaced.
    pub(super) fn map(&self, arena: &mut Arena, replacements: &[(NodeId, NodeId)]) -> Result<View> {
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
        let mask = match &self.mask {
            None => None,
            Some(mask) => {
                Some(mask.iter().map(|&(low, high)| Ok((replace(low)?, replace(high)?))).collect::<Result<Mask>>()?)
            }
        };
        View::new(arena, &shape, Some(&strides), offset, mask.as_deref())
    }

    /// The inverse: a view of this view's places, in buffer order, as a plain buffer of `out_shape`. `None` where this
    /// view leaves out or repeats elements.
    pub fn invert(&self, arena: &mut Arena, out_shape: &[Sint]) -> Result<Option<View>> {
        let mut inverse = View::new(arena, &self.shape, None, Sint::Int(0), None)?;
        if let Some(mask) = &self.mask {
            inverse = inverse.shrink(arena, mask)?;
        }
        let Some(strides) = self.strides.iter().map(|stride| stride.int()).collect::<Option<Vec<i64>>>() else {
            return Ok(None);
        };
        let signs = arena.rules().state(ViewRule::InvertSign) == State::On;
        let steps: Vec<i64> = strides.iter().map(|&stride| if stride < 0 && signs { -1 } else { 1 }).collect();
        let mut axes: Vec<usize> = (0..strides.len()).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(strides[axis].unsigned_abs()));
        let inverse = inverse.stride(arena, &steps)?.permute(arena, &axes)?;
        let (size, wanted) = (product(arena, &inverse.shape)?, product(arena, out_shape)?);
        Ok(same(arena, size, wanted).then_some(inverse))
    }
}

/// For each axis whether the mask leaves at most one place of it.
fn single_places(arena: &mut Arena, mask: &[(Sint, Sint)]) -> Result<SmallVec<[bool; 6]>> {
    let mut single = SmallVec::new();
    for &(low, high) in mask {
        let next = arena.sint_add(low, Sint::Int(1))?;
        single.push(!maybe_less(arena, next, high)?);
    }
    Ok(single)
}

/// Whether the mask leaves nothing at all.
pub(super) fn is_empty(arena: &mut Arena, mask: &[(Sint, Sint)]) -> Result<bool> {
    for &(low, high) in mask {
        if !maybe_less(arena, low, high)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Moves the strides of the axes of `single` into the offset.
fn fold_single(
    arena: &mut Arena,
    single: &[bool],
    strides: &mut Dims,
    offset: &mut Sint,
    mask: &[(Sint, Sint)],
) -> Result<()> {
    let state = arena.rules().state(ViewRule::StrideFold);
    if state == State::Off {
        return Ok(());
    }
    arena.firings_mut().count(ViewRule::StrideFold);
    let folded = single.iter().enumerate().filter(|(_, single)| **single).map(|(axis, _)| axis);
    let moved: SmallVec<[(Sint, Sint); 6]> = folded.clone().map(|axis| (strides[axis], mask[axis].0)).collect();
    if state == State::On {
        let distance = dot(arena, moved)?;
        *offset = arena.sint_add(*offset, distance)?;
    }
    for axis in folded {
        strides[axis] = Sint::Int(0);
    }
    Ok(())
}
