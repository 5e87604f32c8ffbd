//! Layouts as raw views: strides, offsets and masks that no short chain of movements makes.

use super::chain::dims;
use super::choice::Choice;
use crate::case::{Dim, Layout, RawView};

/// Strides that are drawn besides those of row-major order.
const STRIDES: [i64; 10] = [0, 1, 2, -1, 3, -2, 4, 5, 8, -3];

/// One view of a shape, or two of which the second sees the first one row-major. All that is seen where the masks hold
/// is at or after the buffer's beginning, and below `limit`.
pub(super) fn layout(choice: &mut dyn Choice, shape: &[i64], limit: i64) -> Layout {
    let (outer, reach) = view(choice, shape, limit);
    if !choice.chance(1, 2) {
        return Layout::Views(vec![outer]);
    }
    let inner = shape_of(choice, reach);
    let (inner, _) = view(choice, &inner, limit.max(inner.iter().product()));
    Layout::Views(vec![inner, outer])
}

/// A shape of at least `elements` elements, and few more.
fn shape_of(choice: &mut dyn Choice, elements: i64) -> Vec<i64> {
    let mut shape = Vec::new();
    let mut left = elements;
    for _ in 0..choice.below(3) {
        let size = choice.range(1, left.min(9));
        shape.push(size);
        left = (left + size - 1) / size;
    }
    let place = choice.index(shape.len() + 1);
    shape.insert(place, left);
    shape
}

/// A view and one more than the largest index that it sees.
fn view(choice: &mut dyn Choice, shape: &[i64], limit: i64) -> (RawView, i64) {
    let ranges: Vec<(i64, i64)> = shape
        .iter()
        .map(|&size| {
            if !choice.chance(1, 4) {
                return (0, size);
            }
            let begin = choice.range(0, size - 1);
            (begin, choice.range(begin + 1, size))
        })
        .collect();
    let mut natural = 1;
    let mut strides: Vec<i64> = Vec::with_capacity(shape.len());
    for &size in shape.iter().rev() {
        strides.push(if choice.chance(1, 3) { choice.pick_detail(&STRIDES) } else { natural });
        natural *= size;
    }
    strides.reverse();
    let ends = |strides: &[i64]| {
        ranges.iter().zip(strides).fold((0, 0), |(low, high), (&(begin, end), stride)| {
            let (first, last) = (begin * stride, (end - 1) * stride);
            (low + first.min(last), high + first.max(last))
        })
    };
    let (mut low, mut high) = ends(&strides);
    if high - low >= limit {
        // Seeing one element everywhere always fits.
        strides.fill(0);
        (low, high) = ends(&strides);
    }
    let offset = choice.range(0, 3.min(limit - 1 - (high - low))) - low;
    let masked = ranges.iter().zip(shape).any(|(&range, &size)| range != (0, size));
    let mask = ranges.iter().map(|&(begin, end)| (Dim::Int(begin), Dim::Int(end))).collect();
    let view =
        RawView { shape: dims(shape), strides: dims(&strides), offset: Dim::Int(offset), mask: masked.then_some(mask) };
    (view, high + offset + 1)
}
