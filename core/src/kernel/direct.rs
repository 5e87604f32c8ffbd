//! Shortcuts for the movements that optimisations make most: on views of numbers, in one step, with the same result as
//! [`View`]'s own movement operations. Where a shortcut does not apply it answers `None`.

use super::movement::Shift;
use crate::rule::{Rules, State};
use crate::shape::{Dims, Mask, View, ViewRule};
use crate::symbolic::Sint;
use smallvec::SmallVec;

const ZERO: Sint = Sint::Int(0);
const ONE: Sint = Sint::Int(1);

/// Whether shortcuts may be taken: all rules of views are on, none is altered.
pub(super) fn allowed(rules: &Rules) -> bool {
    ViewRule::TABLE.iter().all(|rule| rules.state(rule.id) == State::On)
}

/// The view with a part of an axis taken from it and put elsewhere: of an axis of which the mask leaves all, or the
/// whole of one.
pub(super) fn shift(view: &View, shift: Shift) -> Option<View> {
    let Shift { axis, amount, top, insert_before, truncate } = shift;
    let (size, stride) = (view.shape.get(axis)?.int()?, view.strides.get(axis)?.int()?);
    if truncate || amount < 1 || size < 1 || (size % amount != 0 && size != 1) || !is_numeric(view) {
        return None;
    }
    let (rest, part) = if size == 1 { (1, 1) } else { (size / amount, amount) };
    let (rest_step, part_step) = if top { (1, rest) } else { (part, 1) };
    let canonical = |size: i64, step: i64| if size == 1 { Some(0) } else { stride.checked_mul(step) };
    let (rest_stride, part_stride) = (canonical(rest, rest_step)?, canonical(part, part_step)?);
    let mut moved = copy(view);
    moved.shape[axis] = Sint::Int(rest);
    moved.shape.insert(insert_before, Sint::Int(part));
    moved.strides[axis] = Sint::Int(rest_stride);
    moved.strides.insert(insert_before, Sint::Int(part_stride));
    if let Some(mask) = &mut moved.mask {
        let (low, high) = (mask[axis].0.int()?, mask[axis].1.int()?);
        let whole = low == 0 && high == size;
        if !whole && (rest != 1 || low >= high) {
            return None;
        }
        mask[axis] = (ZERO, Sint::Int(rest));
        let part = if whole { (ZERO, Sint::Int(part)) } else { (Sint::Int(low), Sint::Int(high)) };
        mask.insert(insert_before, part);
    }
    moved.contiguous = is_contiguous(&moved)?;
    Some(moved)
}

/// The view without these axes, all of size 1.
pub(super) fn without(view: &View, ones: &[bool]) -> Option<View> {
    let kept = |axis: usize| !ones[axis];
    let masked = |mask: &Mask| mask.iter().zip(ones).any(|(&range, &one)| one && range != (ZERO, ONE));
    if !is_numeric(view) {
        return None;
    }
    if view.shape.iter().zip(ones).any(|(&size, &one)| one && size != ONE) || view.mask.as_ref().is_some_and(masked) {
        return None;
    }
    Some(View {
        shape: pick(&view.shape, kept),
        strides: pick(&view.strides, kept),
        offset: view.offset,
        mask: view.mask.as_ref().map(|mask| pick(mask, kept)),
        contiguous: view.contiguous,
    })
}

/// The view with its axes in the order `axes`, which names each once.
pub(super) fn permute(view: &View, axes: &[usize]) -> Option<View> {
    let mut permuted = View {
        shape: gather(&view.shape, axes)?,
        strides: gather(&view.strides, axes)?,
        offset: view.offset,
        mask: match &view.mask {
            Some(mask) => Some(gather(mask, axes)?),
            None => None,
        },
        contiguous: false,
    };
    permuted.contiguous = is_contiguous(&permuted)?;
    Some(permuted)
}

/// The view with axes merged into the ones before them, which they continue and of which the mask leaves all:
/// `merges[i]` says whether axis `i + 1` is.
pub(super) fn merge(view: &View, merges: &[bool]) -> Option<View> {
    if !is_numeric(view) {
        return None;
    }
    let mut merged =
        View { shape: Dims::new(), strides: Dims::new(), offset: view.offset, mask: None, contiguous: false };
    let mut mask = view.mask.as_ref().map(|_| Mask::new());
    for (axis, (&size, &stride)) in view.shape.iter().zip(&view.strides).enumerate() {
        let range = view.mask.as_ref().map_or((ZERO, size), |mask| mask[axis]);
        if axis > 0 && merges[axis - 1] {
            let last = merged.shape.last_mut()?;
            let product = Sint::Int(last.int()?.checked_mul(size.int()?)?);
            if let Some(mask) = &mut mask {
                if range != (ZERO, size) || mask.last() != Some(&(ZERO, *last)) {
                    return None;
                }
                *mask.last_mut()? = (ZERO, product);
            }
            *last = product;
            *merged.strides.last_mut()? = stride;
        } else {
            merged.shape.push(size);
            merged.strides.push(stride);
            if let Some(mask) = &mut mask {
                mask.push(range);
            }
        }
    }
    merged.mask = mask;
    merged.contiguous = is_contiguous(&merged)?;
    Some(merged)
}

/// The stride of each axis; `None` for one along which the mask is not the same everywhere, unless `ignore_valid`.
/// This needs numbers only, or no mask.
pub(super) fn strides(view: &View, ignore_valid: bool) -> Option<SmallVec<[Option<Sint>; 6]>> {
    let Some(mask) = view.mask.as_ref().filter(|_| !ignore_valid) else {
        let numbers = view.mask.is_none() || view.strides.iter().chain(&view.shape).all(|size| size.int().is_some());
        return numbers.then(|| view.strides.iter().map(|&stride| Some(stride)).collect());
    };
    let masked = masked_axes(view, mask)?;
    let numbers = view.strides.iter().all(|stride| stride.int().is_some());
    let axes = view.strides.iter().zip(&masked);
    numbers.then(|| axes.map(|(&stride, &masked)| (!masked).then_some(stride)).collect())
}

/// For each axis whether some of it is masked, but not all of the view. This needs numbers only.
pub(super) fn masked_axes(view: &View, mask: &Mask) -> Option<SmallVec<[bool; 8]>> {
    let mut masked = SmallVec::new();
    let mut nothing = false;
    for (&size, &(low, high)) in view.shape.iter().zip(mask) {
        let (size, low, high) = (size.int()?, low.int()?, high.int()?);
        // An index that can't be in the range makes the whole valid false, which depends on no axis.
        nothing |= low >= size || high <= 0 || low >= high;
        masked.push(size > 1 && (low > 0 || high < size));
    }
    if nothing {
        masked.fill(false);
    }
    Some(masked)
}

/// Whether shape, strides and mask are numbers. A reshape of a symbolic mask stacks a view, as in 0.9.0.
fn is_numeric(view: &View) -> bool {
    let masked = view.mask.iter().flatten().flat_map(|(low, high)| [low, high]);
    view.shape.iter().chain(&view.strides).chain(masked).all(|value| value.int().is_some())
}

fn copy(view: &View) -> View {
    View {
        shape: Dims::from_slice(&view.shape),
        strides: Dims::from_slice(&view.strides),
        offset: view.offset,
        mask: view.mask.as_ref().map(|mask| Mask::from_slice(mask)),
        contiguous: view.contiguous,
    }
}

fn pick<T: Copy>(items: &SmallVec<[T; 6]>, kept: impl Fn(usize) -> bool) -> SmallVec<[T; 6]> {
    let mut picked = SmallVec::new();
    for (axis, &item) in items.iter().enumerate() {
        if kept(axis) {
            picked.push(item);
        }
    }
    picked
}

fn gather<T: Copy>(items: &SmallVec<[T; 6]>, axes: &[usize]) -> Option<SmallVec<[T; 6]>> {
    let mut gathered = SmallVec::with_capacity(axes.len());
    for &axis in axes {
        gathered.push(*items.get(axis)?);
    }
    Some(gathered)
}

/// Whether the view is the plain row-major one; `None` where it is symbolic or too large.
fn is_contiguous(view: &View) -> Option<bool> {
    let mut contiguous = view.offset == ZERO && view.mask.is_none();
    let mut step = 1i64;
    for (&size, &stride) in view.shape.iter().zip(&view.strides).rev() {
        let (size, stride) = (size.int()?, stride.int()?);
        contiguous &= stride == if size == 1 { 0 } else { step };
        step = step.checked_mul(size)?;
    }
    Some(contiguous)
}
