//! Rounding to the floating-point types, to nearest and ties to even, the same on every machine.

use crate::dtype::Scalar;

/// `value` rounded to the float type `scalar`; other types leave it as it is.
pub(super) fn round(value: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F32 => f64::from(value as f32),
        Scalar::F16 => round_to(value, 11, -14, 65504.0),
        Scalar::BF16 => round_to(value, 8, -126, f64::from(f32::from_bits(0x7f7f_0000))),
        _ => value,
    }
}

/// To `precision` significant bits, fewer below two to the power of `min_exponent`; infinite beyond `max`.
fn round_to(value: f64, precision: i32, min_exponent: i32, max: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let quantum = power_of_two(exponent.max(min_exponent) - (precision - 1));
    let rounded = (value / quantum).round_ties_even() * quantum;
    if rounded.abs() > max { f64::INFINITY.copysign(value) } else { rounded }
}

/// Two to the power of `exponent`, which is one of a normal binary64.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The number that stands for an integer in a float type: itself where binary64 holds it, otherwise one that rounds to
/// the type as the integer itself would.
pub(super) fn round_integer(value: i128, scalar: Scalar) -> f64 {
    let magnitude = value.unsigned_abs();
    let excess = (u128::BITS - magnitude.leading_zeros()).saturating_sub(53);
    if scalar == Scalar::F64 || excess == 0 {
        return value as f64;
    }
    // Round to odd: what is cut off is kept as a last bit, so that rounding once more can't go wrong.
    let cut_off = magnitude & ((1 << excess) - 1) != 0;
    let kept = (magnitude >> excess | u128::from(cut_off)) as f64 * power_of_two(excess as i32);
    round(if value < 0 { -kept } else { kept }, scalar)
}
