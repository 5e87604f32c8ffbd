//! Values between types: rounding to the short floats, wrapping to the narrow integers, casts and bit patterns.

use super::lanes::{Bank, Literal};
use half::{bf16, f16};
use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;

/// An `f32` rounded to the nearest `f16`, ties to even.
#[inline(always)]
pub(super) fn round_f16(value: f32) -> f32 {
    let bits = value.to_bits();
    let (sign, magnitude) = (bits & 0x8000_0000, bits & 0x7fff_ffff);
    // Below 2^-14 halves are the multiples of 2^-24, which is what an f32 in [0.5, 1) can hold.
    let small = (f32::from_bits(magnitude) + 0.5 - 0.5).to_bits();
    let rounded = magnitude.wrapping_add(0xfff + ((magnitude >> 13) & 1)) & !0x1fff;
    let large = if rounded >= 0x4780_0000 { 0x7f80_0000 } else { rounded };
    let finite = if magnitude < 0x3880_0000 { small } else { large };
    f32::from_bits(sign | if magnitude > 0x7f80_0000 { 0x7fc0_0000 } else { finite })
}

/// An `f32` rounded to the nearest `bf16`, ties to even.
#[inline(always)]
pub(super) fn round_bf16(value: f32) -> f32 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) & 0xffff_0000;
    f32::from_bits(if value.is_nan() { 0x7fc0_0000 } else { rounded })
}

/// An `f64` as the `f32` that, rounded to nearest, gives what rounding the `f64` itself to a short float gives: the
/// truncated value, its last bit set where anything was cut off.
fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) == value || !nearest.is_finite() {
        return nearest;
    }
    let bits = nearest.to_bits();
    let towards_zero = if f64::from(nearest).abs() > value.abs() { bits - 1 } else { bits };
    f32::from_bits(towards_zero | 1)
}

/// An `f64` rounded once to a float type of the bank [`Bank::Single`].
pub(super) fn round_f64(value: f64, scalar: Scalar) -> f32 {
    match scalar {
        Scalar::F16 => round_f16(to_odd(value)),
        Scalar::BF16 => round_bf16(to_odd(value)),
        _ => value as f32,
    }
}

/// An `f32` rounded to a float type of the bank [`Bank::Single`].
#[inline(always)]
pub(super) fn round_f32(value: f32, scalar: Scalar) -> f32 {
    match scalar {
        Scalar::F16 => round_f16(value),
        Scalar::BF16 => round_bf16(value),
        _ => value,
    }
}

/// An integer of 32 bits wrapped to a type of the bank [`Bank::Word`]; of `bool`: whether it is not zero.
#[inline(always)]
pub(super) fn wrap_word(value: i32, scalar: Scalar) -> i32 {
    match scalar {
        Scalar::Bool => i32::from(value != 0),
        Scalar::I8 => i32::from(value as i8),
        Scalar::U8 => i32::from(value as u8),
        Scalar::I16 => i32::from(value as i16),
        Scalar::U16 => i32::from(value as u16),
        _ => value,
    }
}

/// Whether a value has to be rounded or wrapped after an operation in its machine type.
pub(super) const fn is_narrow(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Bool | Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::BF16)
}

/// Whether a float, truncated, is a value of the integer type; everything is a `bool`.
#[inline(always)]
pub(super) fn fits(value: f64, to: Scalar) -> bool {
    // The bounds are powers of two or, below 53 bits, exact: the comparisons are exact.
    let truncated = value.trunc();
    let (low, end) = integer_bounds(to);
    to == Scalar::Bool || (truncated >= low && truncated < end)
}

/// The smallest value of an integer type, and the first beyond its largest.
fn integer_bounds(scalar: Scalar) -> (f64, f64) {
    let bits = scalar.bits() as i32;
    if scalar.is_unsigned() || scalar == Scalar::Bool {
        (0.0, f64::powi(2.0, bits))
    } else {
        (-f64::powi(2.0, bits - 1), f64::powi(2.0, bits - 1))
    }
}

/// A float truncated to an integer type of the bank [`Bank::Word`]; what does not fit becomes the nearest bound, NaN 0.
#[inline(always)]
pub(super) fn truncate_word(value: f64, to: Scalar) -> i32 {
    match to {
        Scalar::Bool => i32::from(value != 0.0),
        Scalar::I8 => i32::from(value as i8),
        Scalar::U8 => i32::from(value as u8),
        Scalar::I16 => i32::from(value as i16),
        Scalar::U16 => i32::from(value as u16),
        Scalar::U32 => value as u32 as i32,
        _ => value as i32,
    }
}

/// A constant as a value of a type in its bank.
pub(super) fn literal(value: Constant, scalar: Scalar) -> Literal {
    let integer = || match value {
        Constant::Bool(value) => i128::from(value),
        Constant::Int(value) => value,
        Constant::Float(value) => value as i128,
    };
    let float = || match value {
        Constant::Bool(value) => f64::from(u8::from(value)),
        Constant::Int(value) => value as f64,
        Constant::Float(value) => value,
    };
    match Bank::of(scalar) {
        Bank::Word if scalar == Scalar::Bool => Literal::Word(i32::from(!value.is_zero())),
        Bank::Word => Literal::Word(wrap_word(integer() as i32, scalar)),
        Bank::Long => Literal::Long(integer() as i64),
        Bank::Single => Literal::Single(round_f64(float(), scalar)),
        Bank::Double => Literal::Double(float()),
    }
}

/// The bits of a value in its type, zero-extended.
pub(super) fn bits(value: Literal, scalar: Scalar) -> u64 {
    match (value, scalar) {
        (Literal::Word(value), Scalar::I8 | Scalar::U8 | Scalar::Bool) => u64::from(value as u8),
        (Literal::Word(value), Scalar::I16 | Scalar::U16) => u64::from(value as u16),
        (Literal::Word(value), _) => u64::from(value as u32),
        (Literal::Long(value), _) => value as u64,
        (Literal::Single(value), Scalar::F16) => u64::from(f16::from_f32(value).to_bits()),
        (Literal::Single(value), Scalar::BF16) => u64::from(bf16::from_f32(value).to_bits()),
        (Literal::Single(value), _) => u64::from(value.to_bits()),
        (Literal::Double(value), _) => value.to_bits(),
    }
}

/// The value of a type with these bits.
pub(super) fn from_bits(bits: u64, scalar: Scalar) -> Literal {
    match scalar {
        Scalar::F16 => Literal::Single(f16::from_bits(bits as u16).to_f32()),
        Scalar::BF16 => Literal::Single(bf16::from_bits(bits as u16).to_f32()),
        Scalar::F32 => Literal::Single(f32::from_bits(bits as u32)),
        Scalar::F64 => Literal::Double(f64::from_bits(bits)),
        Scalar::I64 | Scalar::U64 => Literal::Long(bits as i64),
        _ => Literal::Word(wrap_word(bits as i32, scalar)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values of the short floats, and what lies just beside the middle between two of them.
    #[test]
    fn rounding_agrees_with_an_independent_implementation() {
        for bits in 0..=u16::MAX {
            let (half, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
            for (value, next) in [
                (half.to_f32(), f16::from_bits(bits.wrapping_add(1)).to_f32()),
                (brain.to_f32(), bf16::from_bits(bits.wrapping_add(1)).to_f32()),
            ] {
                let middle = value / 2.0 + next / 2.0;
                for delta in -2i32..=2 {
                    let x = f32::from_bits(middle.to_bits().wrapping_add_signed(delta));
                    let expected = (f16::from_f32(x).to_f32(), bf16::from_f32(x).to_f32());
                    let got = (round_f16(x), round_bf16(x));
                    assert!(expected.0.is_nan() && got.0.is_nan() || expected.0.to_bits() == got.0.to_bits(), "{x:e}");
                    assert!(expected.1.is_nan() && got.1.is_nan() || expected.1.to_bits() == got.1.to_bits(), "{x:e}");
                }
            }
        }
    }

    /// 1 + 2^-11 lies between two halves; a bit far below must decide, though f32 can't hold it.
    #[test]
    fn doubles_are_rounded_once() {
        let tie = 1.0 + f64::powi(2.0, -11);
        assert_eq!(round_f64(tie, Scalar::F16), 1.0);
        assert_eq!(round_f64(tie + f64::powi(2.0, -50), Scalar::F16), 1.0 + f32::powi(2.0, -10));
        assert_eq!(round_f64(tie - f64::powi(2.0, -50), Scalar::F16), 1.0);
        let tie = -(1.0 + f64::powi(2.0, -8));
        assert_eq!(round_f64(tie, Scalar::BF16), -1.0);
        assert_eq!(round_f64(tie - f64::powi(2.0, -50), Scalar::BF16), -1.0 - f32::powi(2.0, -7));
        assert_eq!(round_f64(65519.999999, Scalar::F16), 65504.0);
        assert_eq!(round_f64(65520.0, Scalar::F16), f32::INFINITY);
        assert_eq!(round_f64(1e300, Scalar::BF16), f32::INFINITY);
    }

    #[test]
    fn what_fits_an_integer_type() {
        for (value, scalar, expected) in [
            (127.9, Scalar::I8, true),
            (128.0, Scalar::I8, false),
            (-128.9, Scalar::I8, true),
            (-129.0, Scalar::I8, false),
            (-0.9, Scalar::U8, true),
            (-1.0, Scalar::U8, false),
            (2147483647.5, Scalar::I32, true),
            (2147483648.0, Scalar::I32, false),
            (9223372036854775808.0, Scalar::I64, false),
            (-9223372036854775808.0, Scalar::I64, true),
            (18446744073709549568.0, Scalar::U64, true),
            (18446744073709551616.0, Scalar::U64, false),
            (f64::NAN, Scalar::I64, false),
            (f64::NAN, Scalar::Bool, true),
        ] {
            assert_eq!(fits(value, scalar), expected, "{value} {scalar}");
        }
    }
}
