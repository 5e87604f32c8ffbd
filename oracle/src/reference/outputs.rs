//! Which elements of memory a store writes, and from which of its places.

use super::ReferenceError;
use super::lanes::{Coordinates, size_of};
use super::layout::{Layout, PADDING, View};
use rustc_hash::FxHashMap;

/// Stores through a layout that has no direct inverse are inverted by going through all places, of at most so many.
const ENUMERATED: i64 = 1 << 22;

/// Places visited together.
const BLOCK: i64 = 1 << 14;

/// The place that is stored to each of `elements`; `None` for one that the store does not write.
pub(crate) fn places(layout: &Layout, elements: &[i64]) -> Result<Vec<Option<i64>>, ReferenceError> {
    let size = size_of(layout.shape())?;
    if layout.is_identity() {
        return Ok(elements.iter().map(|&element| (0..size).contains(&element).then_some(element)).collect());
    }
    if let Some(inverse) = single_view(layout).and_then(Inverse::new) {
        return Ok(elements.iter().map(|&element| inverse.place(element)).collect());
    }
    let wanted: FxHashMap<i64, usize> =
        elements.iter().enumerate().map(|(number, &element)| (element, number)).collect();
    let mut places = vec![None; elements.len()];
    for_all(layout, size, |place, element| {
        if let Some(&number) = wanted.get(&element) {
            places[number] = Some(place);
        }
    })?;
    Ok(places)
}

/// How many elements the store writes.
pub(crate) fn count(layout: &Layout) -> Result<u64, ReferenceError> {
    let size = size_of(layout.shape())?;
    if layout.is_identity() {
        return Ok(size as u64);
    }
    if let Some(view) = single_view(layout).filter(|view| Inverse::new(view).is_some()) {
        return Ok(view.valid().map(|(low, high)| (high - low).max(0) as u64).product());
    }
    let mut written = Vec::new();
    for_all(layout, size, |_, element| written.push(element))?;
    written.sort_unstable();
    if written.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(ReferenceError::Invalid("a store that writes an element twice".to_owned()));
    }
    Ok(written.len() as u64)
}

fn single_view(layout: &Layout) -> Option<&View> {
    match layout {
        Layout::Views(views) => match views.as_slice() {
            [only] => Some(only),
            _ => None,
        },
        Layout::Chain { .. } => None,
    }
}

fn for_all(layout: &Layout, size: i64, mut visit: impl FnMut(i64, i64)) -> Result<(), ReferenceError> {
    if size > ENUMERATED {
        return Err(ReferenceError::Unsupported("a large store through several movements".to_owned()));
    }
    let mut elements = Vec::new();
    let mut start = 0;
    while start < size {
        let end = size.min(start + BLOCK);
        layout.locate(&Coordinates::of_range(layout.shape(), start..end), &mut elements)?;
        for (place, &element) in (start..end).zip(&elements).filter(|(_, element)| **element != PADDING) {
            visit(place, element);
        }
        start = end;
    }
    Ok(())
}

impl View {
    /// The range of valid numbers along each axis.
    fn valid(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.shape.iter().enumerate().map(|(axis, &size)| {
            self.mask.as_ref().map_or((0, size), |mask| (mask[axis].0.max(0), mask[axis].1.min(size)))
        })
    }
}

/// The inverse of a view whose axes nest: each step along one is longer than all of the axes with shorter steps.
struct Inverse<'a> {
    view: &'a View,
    /// The axes with more than one place, longest steps first.
    axes: Vec<usize>,
}

impl<'a> Inverse<'a> {
    fn new(view: &'a View) -> Option<Inverse<'a>> {
        let mut axes: Vec<usize> = (0..view.shape.len()).filter(|&axis| view.shape[axis] > 1).collect();
        axes.sort_by_key(|&axis| -view.strides[axis]);
        let mut below = 1;
        for &axis in axes.iter().rev() {
            if view.strides[axis] < below {
                return None;
            }
            below = view.strides[axis].checked_mul(view.shape[axis])?;
        }
        Some(Inverse { view, axes })
    }

    fn place(&self, element: i64) -> Option<i64> {
        let view = self.view;
        let mut rest = element.checked_sub(view.offset).filter(|rest| *rest >= 0)?;
        let mut along = vec![0; view.shape.len()];
        for &axis in &self.axes {
            along[axis] = rest / view.strides[axis];
            rest %= view.strides[axis];
        }
        let inside = along.iter().zip(view.valid()).all(|(&place, (low, high))| low <= place && place < high);
        let place = along.iter().zip(&view.shape).fold(0, |place, (along, size)| place * size + along);
        (rest == 0 && inside).then_some(place)
    }
}
