//! What a lane carries in place of a number: a constant, or a fingerprint of the elements it came from.

use crate::data::mix;
use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;

/// Fingerprints of floats and bools are numbers modulo this prime, 2^61 - 1.
pub(super) const PRIME: u64 = (1 << 61) - 1;

/// The place of a value's operands in a trace; 0: nothing was traced.
pub(super) type TraceId = u32;

/// What a lane carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// A constant's bits (an integer's value, a float's `f64` bits, 0 or 1), otherwise the fingerprint.
    pub(super) value: u64,
    /// What it is.
    pub(super) kind: Kind,
    /// Where it came from.
    pub(super) trace: TraceId,
}

/// What a lane's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number that follows from no element of a buffer.
    Constant,
    /// A fingerprint: a polynomial of the elements at a random point.
    Element,
    /// The sum of the hashes of what a maximum is taken of.
    Maximum,
    /// The same, with constants among it.
    MaximumWithConstant,
}

impl PartialEq for Lane {
    fn eq(&self, other: &Lane) -> bool {
        (self.value, self.kind) == (other.value, other.kind)
    }
}

impl Lane {
    pub(super) const ZERO: Lane = Lane { value: 0, kind: Kind::Constant, trace: 0 };

    /// A constant of the type.
    pub(super) fn constant(value: Constant, scalar: Scalar) -> Lane {
        match value.cast(scalar) {
            Constant::Bool(truth) => Lane::of_bits(u64::from(truth)),
            Constant::Int(whole) => Lane::of_bits(whole as u64 & mask(scalar)),
            Constant::Float(value) => Lane::of_float(value),
        }
    }

    pub(super) const fn of_bits(value: u64) -> Lane {
        Lane { value, kind: Kind::Constant, trace: 0 }
    }

    pub(super) fn of_float(value: f64) -> Lane {
        // The sign of a zero is nothing that comes from an element.
        Lane::of_bits(if value == 0.0 { 0 } else { value.to_bits() })
    }

    /// The element of a buffer, as yet without a trace.
    pub(super) fn element(seed: u64, buffer: u32, element: i64, scalar: Scalar) -> Lane {
        let hash = mix(mix(seed, u64::from(buffer)), element as u64);
        Lane { value: reduce(hash, scalar), kind: Kind::Element, trace: 0 }.settled()
    }

    pub(super) fn is_constant(self) -> bool {
        self.kind == Kind::Constant
    }

    /// A polynomial that is 0 is the constant: x - x.
    pub(super) fn settled(self) -> Lane {
        if self.value == 0 && self.kind == Kind::Element { Lane::ZERO } else { self }
    }

    /// The float that a constant is.
    pub(super) fn float(self) -> f64 {
        f64::from_bits(self.value)
    }

    /// The integer of type `scalar` that a constant is.
    pub(super) fn integer(self, scalar: Scalar) -> i128 {
        plumb_core::constant::wrap(i128::from(self.value), scalar)
    }

    /// What stands for the lane in a hash. Constant floats count where they are whole numbers, but for rounding.
    pub(super) fn key(self, scalar: Scalar) -> u64 {
        match self.kind {
            Kind::Constant if scalar.is_float() => match whole(self.float()) {
                Some(whole) => mix(1, whole as u64),
                None => mix(2, 0),
            },
            Kind::Constant => mix(1, self.value),
            _ => mix(3, self.ring(scalar)),
        }
    }

    /// The lane as a number in which sums and products can be computed.
    pub(super) fn ring(self, scalar: Scalar) -> u64 {
        match self.kind {
            Kind::Constant if scalar.is_float() => match whole(self.float()) {
                Some(whole) if whole < 0 => PRIME - whole.unsigned_abs(),
                Some(whole) => whole as u64,
                None => reduce(mix(2, 0), scalar),
            },
            Kind::Constant | Kind::Element => self.value,
            Kind::Maximum => reduce(mix(4, self.value), scalar),
            Kind::MaximumWithConstant => reduce(mix(5, self.value), scalar),
        }
    }
}

/// The whole number that a float is, but for what rounding may have done to it.
pub(super) fn whole(value: f64) -> Option<i64> {
    let nearest = value.round();
    // Roundings in f16 are this large; the bound itself is no number that people write.
    let near = (value - nearest).abs() <= 0.737e-3 * nearest.abs().clamp(1e-3, 1e3);
    (near && nearest.abs() < (1u64 << 53) as f64).then_some(nearest as i64)
}

/// The bits that an integer type has.
pub(super) fn mask(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - scalar.bits().min(64))
}

/// A hash as a fingerprint of the type.
pub(super) fn reduce(hash: u64, scalar: Scalar) -> u64 {
    if scalar.is_int() { hash & mask(scalar) } else { fold(hash) }
}

/// Modulo [`PRIME`].
fn fold(value: u64) -> u64 {
    let folded = (value & PRIME) + (value >> 61);
    if folded >= PRIME { folded - PRIME } else { folded }
}

pub(super) fn add(a: u64, b: u64, scalar: Scalar) -> u64 {
    if scalar.is_int() { a.wrapping_add(b) & mask(scalar) } else { fold(a + b) }
}

pub(super) fn negate(a: u64, scalar: Scalar) -> u64 {
    if scalar.is_int() { a.wrapping_neg() & mask(scalar) } else { fold(PRIME - a) }
}

pub(super) fn multiply(a: u64, b: u64, scalar: Scalar) -> u64 {
    if scalar.is_int() {
        return a.wrapping_mul(b) & mask(scalar);
    }
    let product = u128::from(a) * u128::from(b);
    fold((product as u64 & PRIME) + (product >> 61) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_of_floats_form_a_field() {
        let f = Scalar::F32;
        let numbers = [0, 1, 2, PRIME - 1, PRIME / 2, 123_456_789_012_345];
        for a in numbers {
            assert_eq!(add(a, negate(a, f), f), 0);
            for b in numbers {
                let expected = (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64;
                assert_eq!(multiply(a, b, f), expected);
                assert_eq!(add(a, b, f), (a + b) % PRIME);
            }
        }
    }

    #[test]
    fn near_whole_numbers_count_as_whole() {
        assert_eq!(whole(0.1 + 0.2 - 0.3), Some(0));
        assert_eq!(whole(-3.0000001), Some(-3));
        assert_eq!(whole(0.5), None);
        assert_eq!(whole(f64::INFINITY), None);
        assert_eq!(whole(f64::NAN), None);
        assert_eq!(whole(0.001), None);
    }
}
