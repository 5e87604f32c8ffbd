//! Places of a shape, many at once: one column of numbers for each axis.

use super::ReferenceError;
use std::ops::Range;

/// Places of a shape: column `a` holds the number along axis `a` of each of the places (lanes).
#[derive(Clone, Debug, Default)]
pub(crate) struct Coordinates {
    /// One column for each axis.
    pub(crate) axes: Vec<Vec<i64>>,
    /// How many places.
    pub(crate) lanes: usize,
}

impl Coordinates {
    /// The places of `shape` with these row-major numbers.
    pub(crate) fn of(shape: &[i64], places: &[i64]) -> Coordinates {
        let mut axes = Vec::new();
        unravel_into(places, shape, &mut axes);
        Coordinates { axes, lanes: places.len() }
    }

    /// The places of `shape` with row-major numbers in `range`.
    pub(crate) fn of_range(shape: &[i64], range: Range<i64>) -> Coordinates {
        Coordinates::of(shape, &range.collect::<Vec<_>>())
    }
}

/// Number of places of a shape.
///
/// # Errors
/// For sizes below 1 and for products beyond 2^62.
pub(crate) fn size_of(shape: &[i64]) -> Result<i64, ReferenceError> {
    let mut size = 1i64;
    for &axis in shape {
        let product = size.checked_mul(axis).filter(|&product| product > 0 && product <= 1 << 62);
        size = product.ok_or_else(|| ReferenceError::Invalid(format!("a shape {shape:?} of no or too many places")))?;
    }
    Ok(size)
}

/// Row-major numbers of the places `axes` in `shape`.
pub(crate) fn ravel(axes: &[Vec<i64>], shape: &[i64], lanes: usize, places: &mut Vec<i64>) {
    places.clear();
    places.resize(lanes, 0);
    let mut stride = 1;
    for (column, &size) in axes.iter().zip(shape).rev().filter(|(_, size)| **size != 1) {
        places.iter_mut().zip(column).for_each(|(place, along)| *place += along * stride);
        stride *= size;
    }
}

/// The inverse of [`ravel`]; reuses the columns of `axes`.
pub(crate) fn unravel_into(places: &[i64], shape: &[i64], axes: &mut Vec<Vec<i64>>) {
    axes.resize(shape.len(), Vec::new());
    let mut rest = places.to_vec();
    let outermost = shape.iter().position(|&size| size != 1);
    for (axis, (column, &size)) in axes.iter_mut().zip(shape).enumerate().rev() {
        column.clear();
        if size == 1 {
            column.resize(places.len(), 0);
        } else if Some(axis) == outermost {
            column.extend_from_slice(&rest);
        } else if size & (size - 1) == 0 {
            let shift = size.trailing_zeros();
            column.extend(rest.iter().map(|place| place & (size - 1)));
            rest.iter_mut().for_each(|place| *place >>= shift);
        } else if rest.last().is_some_and(|_| rest.iter().all(|&place| place <= i64::from(u32::MAX))) {
            // Division of 32-bit numbers is several times faster.
            let divisor = size as u32;
            for place in &mut rest {
                let quotient = *place as u32 / divisor;
                column.push(i64::from(*place as u32 - quotient * divisor));
                *place = i64::from(quotient);
            }
        } else {
            column.extend(rest.iter().map(|place| place % size));
            rest.iter_mut().for_each(|place| *place /= size);
        }
    }
}
