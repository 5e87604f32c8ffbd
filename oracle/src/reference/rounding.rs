//! Rounding of `f64` values to the floating-point types: to nearest as IEEE 754 does, and to either side.

use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;

/// Parameters of a floating-point type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Format {
    /// Bits of the significand, the hidden one included.
    pub(crate) precision: i32,
    /// Exponent of the smallest positive number, a subnormal one: 2^least.
    pub(crate) least: i32,
    /// The largest finite number.
    pub(crate) largest: f64,
}

impl Format {
    /// The parameters of a type; of an integer type those of `f64`.
    pub(crate) const fn of(scalar: Scalar) -> Format {
        match scalar {
            Scalar::F16 => Format { precision: 11, least: -24, largest: 65504.0 },
            Scalar::BF16 => Format { precision: 8, least: -133, largest: 255.0 * (1u128 << 120) as f64 },
            Scalar::F32 => Format { precision: 24, least: -149, largest: f32::MAX as f64 },
            _ => Format { precision: 53, least: -1074, largest: f64::MAX },
        }
    }

    /// Unit roundoff: half the distance from 1 to the next number.
    pub(crate) fn roundoff(self) -> f64 {
        2f64.powi(-self.precision)
    }

    /// The distance between neighbouring numbers at `value`, in units of which a number of the format is whole.
    fn quantum(self, value: f64) -> f64 {
        // The exponent of a subnormal f64 reads -1023, below what any narrower format resolves.
        let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(self.least + self.precision - 1);
        power_of_two(exponent - self.precision + 1)
    }

    fn round_with(self, value: f64, round: impl Fn(f64) -> f64) -> f64 {
        if !value.is_finite() || self.precision == 53 {
            return value;
        }
        let quantum = self.quantum(value);
        // Both the division and the product are by powers of two: exact.
        let rounded = round(value / quantum) * quantum;
        if rounded == 0.0 { 0f64.copysign(value) } else { rounded }
    }

    /// The number of the format nearest to `value`, ties to even; an infinity where that is beyond the largest.
    #[inline]
    pub(crate) fn nearest(self, value: f64) -> f64 {
        if self.precision == 24 {
            return f64::from(value as f32);
        }
        let rounded = self.round_with(value, f64::round_ties_even);
        if rounded.abs() > self.largest { f64::INFINITY.copysign(value) } else { rounded }
    }

    /// The smallest number of the format that is not below `value`.
    #[inline]
    pub(crate) fn up(self, value: f64) -> f64 {
        let rounded = self.round_with(value, f64::ceil);
        if rounded > self.largest {
            f64::INFINITY
        } else if rounded < -self.largest && rounded.is_finite() {
            -self.largest
        } else {
            rounded
        }
    }

    /// The largest number of the format that is not above `value`.
    #[inline]
    pub(crate) fn down(self, value: f64) -> f64 {
        -self.up(-value)
    }
}

/// 2^`exponent`, from -1074 to 1023.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    if exponent >= -1022 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else {
        f64::from_bits(1 << (exponent + 1074).max(0))
    }
}

/// `value` converted to `scalar` and rounded to its precision.
pub(crate) fn constant(value: Constant, scalar: Scalar) -> Constant {
    match value.cast(scalar) {
        Constant::Float(float) => Constant::Float(Format::of(scalar).nearest(float)),
        other => other,
    }
}

/// The bits of `value`, a number of the type, as memory holds it.
pub(crate) fn float_bits(value: f64, scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => u64::from(half::f16::from_f64(value).to_bits()),
        Scalar::BF16 => u64::from(half::bf16::from_f64(value).to_bits()),
        Scalar::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// The value of a float's bits.
pub(crate) fn float_from_bits(bits: u64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => half::f16::from_bits(bits as u16).to_f64(),
        Scalar::BF16 => half::bf16::from_bits(bits as u16).to_f64(),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_rounds_to_the_nearest_of_all_its_numbers() {
        for scalar in [Scalar::F16, Scalar::BF16] {
            let format = Format::of(scalar);
            // Neighbouring bit patterns are neighbouring numbers.
            for bits in 0..0x7bffu64 {
                let (low, high) = (float_from_bits(bits, scalar), float_from_bits(bits + 1, scalar));
                if !high.is_finite() {
                    break;
                }
                let middle = (low + high) / 2.0;
                let even = if bits % 2 == 0 { low } else { high };
                for sign in [1.0, -1.0] {
                    let nearest = |value: f64| format.nearest(value * sign) * sign;
                    assert_eq!(nearest(low), low);
                    assert_eq!(nearest(middle), even, "{scalar} {bits:x}");
                    assert_eq!(nearest(middle.next_down()), low);
                    assert_eq!(nearest(middle.next_up()), high);
                }
                assert_eq!((format.up(middle), format.down(middle)), (high, low));
                assert_eq!((format.up(-middle), format.down(-middle)), (-low, -high));
                assert_eq!((format.up(low), format.down(low)), (low, low));
                assert_eq!(float_bits(low, scalar), bits);
            }
        }
    }

    #[test]
    fn beyond_the_largest_number() {
        let half = Format::of(Scalar::F16);
        assert_eq!(half.nearest(65519.9), 65504.0);
        assert_eq!(half.nearest(65520.0), f64::INFINITY);
        assert_eq!((half.up(65505.0), half.down(1e9)), (f64::INFINITY, 65504.0));
        assert_eq!((half.up(-1e9), half.down(-65505.0)), (-65504.0, f64::NEG_INFINITY));
        assert_eq!((half.up(f64::NEG_INFINITY), half.down(f64::INFINITY)), (f64::NEG_INFINITY, f64::INFINITY));
        let single = Format::of(Scalar::F32);
        assert_eq!((single.up(1e39), single.down(1e39)), (f64::INFINITY, f64::from(f32::MAX)));
    }

    #[test]
    fn single_precision_to_either_side() {
        let single = Format::of(Scalar::F32);
        let mut bits = 1u32;
        while bits < f32::INFINITY.to_bits() - 1 {
            let (low, high) = (f64::from(f32::from_bits(bits)), f64::from(f32::from_bits(bits + 1)));
            let between = low + (high - low) * 0.3;
            assert_eq!((single.down(between), single.up(between)), (low, high));
            assert_eq!((single.down(low), single.up(low)), (low, low));
            bits = bits.wrapping_mul(3) / 2 + 1;
        }
    }
}
