//! Constant values, as the AST and the uops carry them.

use crate::dtype::Scalar;
use std::hash::{Hash, Hasher};

/// A constant. Floats compare and hash by their bits, so that `0.0` and `-0.0` stay two constants and a NaN equals
/// itself (tinygrad 0.9.0 merges the zeros; known fault N21).
#[derive(Clone, Copy, Debug)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// An integer of any type, by value.
    Int(i128),
    /// A float of any type, by value.
    Float(f64),
}

impl Constant {
    /// The constant as a value of `scalar`'s kind, as Python's `int()`, `float()` and `bool()` convert. An integer is
    /// wrapped to the type's width (0.9.0 leaves it unwrapped).
    pub fn cast(self, scalar: Scalar) -> Constant {
        if scalar == Scalar::Bool {
            Constant::Bool(match self {
                Constant::Bool(value) => value,
                Constant::Int(value) => value != 0,
                Constant::Float(value) => value != 0.0,
            })
        } else if scalar.is_float() {
            Constant::Float(match self {
                Constant::Bool(value) => f64::from(u8::from(value)),
                Constant::Int(value) => value as f64,
                Constant::Float(value) => value,
            })
        } else {
            let value = match self {
                Constant::Bool(value) => i128::from(value),
                Constant::Int(value) => value,
                Constant::Float(value) => value as i128,
            };
            Constant::Int(wrap(value, scalar))
        }
    }

    /// As [`Constant::cast`], but that an integer of an unsigned or a narrow type keeps its spelling, in the type's range
    /// or not, as in 0.9.0: `u8` -1 stands for 255. What it stands for is what [`Constant::cast`] makes of it.
    pub fn spelled(self, scalar: Scalar) -> Constant {
        match self {
            Constant::Int(_) if scalar.is_unsigned() || matches!(scalar, Scalar::I8 | Scalar::I16) => self,
            value => value.cast(scalar),
        }
    }

    /// Whether the value is zero (either zero) or false.
    pub fn is_zero(self) -> bool {
        match self {
            Constant::Bool(value) => !value,
            Constant::Int(value) => value == 0,
            Constant::Float(value) => value == 0.0,
        }
    }

    /// The value as an integer, where it is one or a bool.
    pub fn as_int(self) -> Option<i128> {
        match self {
            Constant::Bool(value) => Some(i128::from(value)),
            Constant::Int(value) => Some(value),
            Constant::Float(_) => None,
        }
    }

    fn key(self) -> (u8, i128) {
        match self {
            Constant::Bool(value) => (0, i128::from(value)),
            Constant::Int(value) => (1, value),
            Constant::Float(value) if value.is_nan() => (2, i128::from(f64::NAN.to_bits())),
            Constant::Float(value) => (2, i128::from(value.to_bits())),
        }
    }
}

/// `value` reduced to the two's complement range of an integer type (a bool: to its lowest bit); floats leave it as it is.
pub fn wrap(value: i128, scalar: Scalar) -> i128 {
    if scalar.is_float() {
        return value;
    }
    let unused = i128::BITS - scalar.bits();
    let aligned = value << unused;
    if scalar.is_int() && !scalar.is_unsigned() { aligned >> unused } else { (aligned as u128 >> unused) as i128 }
}

impl std::fmt::Display for Constant {
    /// As texts have it: floats have a point, an exponent or letters, so that they differ from integers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Constant::Bool(value) => write!(f, "{value}"),
            Constant::Int(value) => write!(f, "{value}"),
            Constant::Float(value) if value.is_nan() => f.write_str("nan"),
            Constant::Float(value) => write!(f, "{value:?}"),
        }
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Constant) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Constant {}

impl Hash for Constant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}
