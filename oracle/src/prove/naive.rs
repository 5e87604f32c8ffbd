//! What a layout says of a place: the element of memory and whether there is one, as forms, from its movements or raw
//! views alone.

use super::forms::{FormId, Forms, Overflow, Result};
use super::gate::Gate;
use crate::reference::layout::{Layout, Move};

/// The element of memory at `place`, one coordinate for each axis, and where it is one and not padding.
pub(super) fn locate(forms: &mut Forms, layout: &Layout, place: &[FormId]) -> Result<(FormId, Gate)> {
    let mut gate = Gate::default();
    let index = match layout {
        Layout::Chain { base, moves } => {
            let mut place = place.to_vec();
            for (number, (step, shape)) in moves.iter().enumerate().rev() {
                let from = number.checked_sub(1).and_then(|before| moves.get(before)).map_or(base, |(_, shape)| shape);
                place = before(forms, step, from, shape, place, &mut gate)?;
            }
            ravel(forms, &place, base)?
        }
        Layout::Views(views) => {
            let mut place = place.to_vec();
            let mut index = forms.constant(0);
            for (number, view) in views.iter().enumerate().rev() {
                index = forms.constant(view.offset);
                for ((&coordinate, &stride), &size) in place.iter().zip(&view.strides).zip(&view.shape) {
                    if size != 1 {
                        index = forms.add_scaled(index, coordinate, stride)?;
                    }
                }
                for (axis, &(low, high)) in view.mask.iter().flatten().enumerate() {
                    let Some(&coordinate) = place.get(axis) else { return Err(Overflow) };
                    inside(forms, &mut gate, coordinate, low, high)?;
                }
                if let Some(below) = number.checked_sub(1).and_then(|below| views.get(below)) {
                    place = unravel(forms, index, &below.shape)?;
                }
            }
            index
        }
    };
    Ok((index, gate))
}

/// Whether every place that a layout takes for valid lies within what is below it, view by view: then no valid place
/// leads beyond the buffer.
pub(super) fn fits(layout: &Layout) -> bool {
    let Layout::Views(views) = layout else { return true };
    let mut room: Option<i64> = None;
    views.iter().all(|view| {
        let (mut low, mut high) = (view.offset, view.offset);
        let mut empty = false;
        for (axis, (&size, &stride)) in view.shape.iter().zip(&view.strides).enumerate() {
            let mask = view.mask.as_ref().and_then(|mask| mask.get(axis)).copied();
            let (begin, end) = mask.map_or((0, size), |(begin, end)| (begin.max(0), end.min(size)));
            empty |= begin >= end;
            let ends = [begin.saturating_mul(stride), (end - 1).saturating_mul(stride)];
            low = low.saturating_add(ends[0].min(ends[1]));
            high = high.saturating_add(ends[0].max(ends[1]));
        }
        let inside = empty || low >= 0 && room.is_none_or(|room| high < room);
        room = view.shape.iter().try_fold(1i64, |room, &size| room.checked_mul(size));
        inside && room.is_some()
    })
}

/// Adds to `gate` that `low <= coordinate < high`.
fn inside(forms: &mut Forms, gate: &mut Gate, coordinate: FormId, low: i64, high: i64) -> Result<()> {
    let above = forms.offset(coordinate, low.checked_neg().ok_or(Overflow)?)?;
    gate.require(forms, above)?;
    let limit = forms.constant(high.checked_sub(1).ok_or(Overflow)?);
    let below = forms.sub(limit, coordinate)?;
    gate.require(forms, below)
}

/// Where a place of a movement's result stood before it.
fn before(
    forms: &mut Forms,
    step: &Move,
    from: &[i64],
    shape: &[i64],
    mut place: Vec<FormId>,
    gate: &mut Gate,
) -> Result<Vec<FormId>> {
    match step {
        Move::Reshape => {
            let flat = ravel(forms, &place, shape)?;
            return unravel(forms, flat, from);
        }
        Move::Permute(order) => {
            let mut moved = place.clone();
            for (&coordinate, &axis) in place.iter().zip(order) {
                *moved.get_mut(axis).ok_or(Overflow)? = coordinate;
            }
            return Ok(moved);
        }
        Move::Expand => {
            for (coordinate, (before, after)) in place.iter_mut().zip(from.iter().zip(shape)) {
                if before != after {
                    *coordinate = forms.constant(0);
                }
            }
        }
        Move::Pad(pads) => {
            for ((coordinate, &(before, _)), &size) in place.iter_mut().zip(pads).zip(from) {
                *coordinate = forms.offset(*coordinate, before.checked_neg().ok_or(Overflow)?)?;
                inside(forms, gate, *coordinate, 0, size)?;
            }
        }
        Move::Shrink(ranges) => {
            for (coordinate, &(start, _)) in place.iter_mut().zip(ranges) {
                *coordinate = forms.offset(*coordinate, start)?;
            }
        }
        Move::Stride(steps) => {
            for ((coordinate, &step), &size) in place.iter_mut().zip(steps).zip(from) {
                let origin = forms.constant(if step < 0 { size - 1 } else { 0 });
                *coordinate = forms.add_scaled(origin, *coordinate, step)?;
            }
        }
    }
    Ok(place)
}

/// The row-major number of a place of a shape.
pub(super) fn ravel(forms: &mut Forms, place: &[FormId], shape: &[i64]) -> Result<FormId> {
    let mut flat = forms.constant(0);
    let mut stride = 1i64;
    for (&coordinate, &size) in place.iter().zip(shape).rev() {
        if size != 1 {
            flat = forms.add_scaled(flat, coordinate, stride)?;
        }
        stride = stride.checked_mul(size).ok_or(Overflow)?;
    }
    Ok(flat)
}

/// The place of a shape that has this row-major number.
pub(super) fn unravel(forms: &mut Forms, flat: FormId, shape: &[i64]) -> Result<Vec<FormId>> {
    let zero = forms.constant(0);
    let mut place = vec![zero; shape.len()];
    let outermost = shape.iter().position(|&size| size != 1);
    let mut rest = flat;
    for (axis, &size) in shape.iter().enumerate().rev().filter(|&(_, &size)| size != 1) {
        if Some(axis) == outermost {
            place[axis] = rest;
        } else {
            place[axis] = forms.remainder(rest, size)?;
            rest = forms.quotient(rest, size)?;
        }
    }
    Ok(place)
}
