//! Conversions between types: by value, and of bits.

use super::column::{Column, Ints, Mode};
use super::enclosure::Enclosure;
use super::integers::wrap;
use super::rounding::{Format, float_bits, float_from_bits};
use plumb_core::dtype::Scalar;

/// Conversion by value, as C does it: floats are cut off towards zero, and where an integer type can't hold the result
/// it is undecided.
pub(crate) fn cast(column: &Column, from: Scalar, to: Scalar, mode: Mode) -> Column {
    let format = Format::of(to);
    match column {
        Column::Int(ints) if to.is_float() => match mode {
            Mode::Exact => Column::Exact(ints.values.iter().map(|&value| whole_to_f64(value, from)).collect()),
            Mode::Bounded => {
                let value = |value: Option<i64>| value.map_or(Enclosure::ANY, |value| whole_to_float(value, from, to));
                Column::Bounded(ints.iter().map(value).collect())
            }
        },
        Column::Int(ints) => {
            let convert = |value: i64| if to == Scalar::Bool { i64::from(value != 0) } else { wrap(value, to) };
            let values = ints.values.iter().map(|&value| convert(value)).collect();
            Column::Int(Ints { values, undecided: ints.undecided.clone() })
        }
        Column::Exact(floats) if to.is_float() => Column::Exact(floats.clone()),
        Column::Exact(floats) => {
            let value = |&value: &f64| float_to_whole(Enclosure::point(value), to);
            Column::Int(Ints::collect(floats.iter().map(value)))
        }
        Column::Bounded(floats) if to.is_float() => {
            Column::Bounded(floats.iter().map(|value| value.nearest(format)).collect())
        }
        Column::Bounded(floats) => Column::Int(Ints::collect(floats.iter().map(|&value| float_to_whole(value, to)))),
    }
}

/// Reinterpretation of bits; both types have the same size. The bits of a NaN are undecided.
pub(crate) fn bitcast(column: &Column, from: Scalar, to: Scalar, mode: Mode) -> Column {
    let to_whole = |bits: u64| if to == Scalar::Bool { i64::from(bits != 0) } else { wrap(bits as i64, to) };
    let to_float = |bits: u64| float_from_bits(bits, to);
    match column {
        Column::Int(ints) if to.is_float() => match mode {
            Mode::Exact => Column::Exact(ints.values.iter().map(|&value| to_float(value as u64)).collect()),
            Mode::Bounded => {
                let point = |value: i64| Enclosure::point(to_float(value as u64));
                Column::Bounded(ints.iter().map(|value| value.map_or(Enclosure::ANY, point)).collect())
            }
        },
        Column::Int(ints) => {
            let values = ints.values.iter().map(|&value| to_whole(value as u64)).collect();
            Column::Int(Ints { values, undecided: ints.undecided.clone() })
        }
        Column::Exact(floats) if to.is_float() => {
            Column::Exact(floats.iter().map(|&value| to_float(float_bits(value, from))).collect())
        }
        Column::Exact(floats) => {
            Column::Int(Ints::decided(floats.iter().map(|&value| to_whole(float_bits(value, from))).collect()))
        }
        Column::Bounded(floats) if to.is_float() => {
            let value = |value: &Enclosure| {
                value.as_point().map_or(Enclosure::ANY, |value| Enclosure::point(to_float(float_bits(value, from))))
            };
            Column::Bounded(floats.iter().map(value).collect())
        }
        Column::Bounded(floats) => {
            let value = |value: &Enclosure| value.as_point().map(|value| to_whole(float_bits(value, from)));
            Column::Int(Ints::collect(floats.iter().map(value)))
        }
    }
}

fn whole_to_f64(value: i64, from: Scalar) -> f64 {
    if from == Scalar::U64 { value as u64 as f64 } else { value as f64 }
}

/// Rounded to nearest in the type; of 64-bit integers into a narrow type also what rounding to f32 or f64 in between
/// gives.
fn whole_to_float(value: i64, from: Scalar, to: Scalar) -> Enclosure {
    if to == Scalar::F32 {
        let rounded = if from == Scalar::U64 { value as u64 as f32 } else { value as f32 };
        return Enclosure::point(f64::from(rounded));
    }
    let float = whole_to_f64(value, from);
    if to == Scalar::F64 || float.abs() <= f64::from(1 << 24) {
        return Enclosure::point(Format::of(to).nearest(float));
    }
    let single = Format::of(Scalar::F32);
    Enclosure::between(single.down(float.next_down()), single.up(float.next_up())).nearest(Format::of(to))
}

/// Cut off towards zero, where all of the enclosure's numbers give the same and the type holds it; a truth value tells
/// whether the number is not zero.
fn float_to_whole(value: Enclosure, to: Scalar) -> Option<i64> {
    if to == Scalar::Bool {
        return match value {
            _ if value.is_empty() || value.low > 0.0 || value.high < 0.0 => Some(1),
            Enclosure { low: 0.0, high: 0.0, nan: false } => Some(0),
            _ => None,
        };
    }
    let whole = value.low.trunc();
    if value.nan || whole != value.high.trunc() {
        return None;
    }
    let (least, largest) = to.int_range()?;
    // Both bounds are exact as floats, one beyond the largest value included.
    (whole >= least as f64 && whole < (largest + 1) as f64).then_some(whole as i128 as i64)
}
