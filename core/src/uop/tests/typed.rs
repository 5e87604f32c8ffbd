//! Arithmetic in Rust's own types, to compare the rewritten with the original: nothing here is shared with the rules.

use crate::ast::AluOp;
use crate::dtype::Scalar;
use half::{bf16, f16};

/// A value, by its bits. Floats have one NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value(pub(super) u64);

/// A type that values are computed in.
trait Native: Copy {
    fn of(value: Value) -> Self;
    fn value(self) -> Value;
    fn alu(op: AluOp, x: Self, y: Self) -> Self;
    fn less(x: Self, y: Self) -> bool;
    fn equal(x: Self, y: Self) -> bool;
}

macro_rules! native_int {
    ($($ty:ty),*) => {$(
        impl Native for $ty {
            fn of(value: Value) -> $ty {
                value.0 as $ty
            }
            fn value(self) -> Value {
                Value(self as i128 as u64)
            }
            fn alu(op: AluOp, x: $ty, y: $ty) -> $ty {
                match op {
                    AluOp::Neg => x.wrapping_neg(),
                    AluOp::Add => x.wrapping_add(y),
                    AluOp::Sub => x.wrapping_sub(y),
                    AluOp::Mul => x.wrapping_mul(y),
                    AluOp::Div => if y == 0 { 77 } else { x.wrapping_div(y) },
                    AluOp::Mod => if y == 0 { 77 } else { x.wrapping_rem(y) },
                    AluOp::Max => x.max(y),
                    AluOp::Xor => x ^ y,
                    _ => unreachable!("{op} on integers"),
                }
            }
            fn less(x: $ty, y: $ty) -> bool {
                x < y
            }
            fn equal(x: $ty, y: $ty) -> bool {
                x == y
            }
        }
    )*};
}

native_int!(i8, u8, i16, u16, i32, u32, i64, u64);

macro_rules! native_float {
    ($ty:ty, $wide:ty, $from:path, $into:path) => {
        impl Native for $ty {
            fn of(value: Value) -> $ty {
                <$ty>::from_bits(value.0 as _)
            }
            fn value(self) -> Value {
                if self.is_nan() { Value(<$ty>::NAN.to_bits().into()) } else { Value(self.to_bits().into()) }
            }
            fn alu(op: AluOp, x: $ty, y: $ty) -> $ty {
                let (x, y): ($wide, $wide) = ($into(x), $into(y));
                $from(match op {
                    AluOp::Neg => -x,
                    AluOp::Add => x + y,
                    AluOp::Sub => x - y,
                    AluOp::Mul => x * y,
                    AluOp::Div => x / y,
                    AluOp::Sqrt => x.sqrt(),
                    AluOp::Max if x == y && x.is_sign_negative() => y,
                    AluOp::Max => {
                        if x >= y {
                            x
                        } else {
                            y
                        }
                    }
                    _ => unreachable!("{op} on floats"),
                })
            }
            fn less(x: $ty, y: $ty) -> bool {
                x < y
            }
            fn equal(x: $ty, y: $ty) -> bool {
                x == y
            }
        }
    };
}

native_float!(f32, f32, std::convert::identity, std::convert::identity);
native_float!(f64, f64, std::convert::identity, std::convert::identity);
native_float!(f16, f32, f16::from_f32, f16::to_f32);
native_float!(bf16, f32, bf16::from_f32, bf16::to_f32);

/// Runs `$body` with `$ty` standing for the native type of a scalar other than bool.
macro_rules! with_native {
    ($scalar:expr, $ty:ident => $body:expr) => {
        match $scalar {
            Scalar::Bool => unreachable!("bools are apart"),
            Scalar::I8 => {
                type $ty = i8;
                $body
            }
            Scalar::U8 => {
                type $ty = u8;
                $body
            }
            Scalar::I16 => {
                type $ty = i16;
                $body
            }
            Scalar::U16 => {
                type $ty = u16;
                $body
            }
            Scalar::I32 => {
                type $ty = i32;
                $body
            }
            Scalar::U32 => {
                type $ty = u32;
                $body
            }
            Scalar::I64 => {
                type $ty = i64;
                $body
            }
            Scalar::U64 => {
                type $ty = u64;
                $body
            }
            Scalar::F16 => {
                type $ty = f16;
                $body
            }
            Scalar::BF16 => {
                type $ty = bf16;
                $body
            }
            Scalar::F32 => {
                type $ty = f32;
                $body
            }
            Scalar::F64 => {
                type $ty = f64;
                $body
            }
        }
    };
}

/// One operation on values of a type; `scalar` is that of the operands, of a choice that of the chosen.
pub(super) fn alu(op: AluOp, scalar: Scalar, values: &[Value]) -> Value {
    let (x, y) = (values[0], values.get(1).copied().unwrap_or(Value(0)));
    if op == AluOp::Where {
        return if x.0 != 0 { values[1] } else { values[2] };
    }
    if scalar == Scalar::Bool {
        let (x, y) = (x.0 != 0, y.0 != 0);
        return Value(u64::from(match op {
            AluOp::Neg => !x,
            AluOp::Add | AluOp::Max => x || y,
            AluOp::Mul => x && y,
            AluOp::Sub | AluOp::Xor => x != y,
            AluOp::CmpLt => !x && y,
            AluOp::CmpEq => x == y,
            AluOp::Div => x,
            AluOp::Mod => false,
            _ => unreachable!("{op} on bools"),
        }));
    }
    with_native!(scalar, T => {
        let (x, y) = (T::of(x), T::of(y));
        match op {
            AluOp::CmpLt => Value(u64::from(T::less(x, y))),
            AluOp::CmpEq => Value(u64::from(T::equal(x, y))),
            _ => T::alu(op, x, y).value(),
        }
    })
}

/// A number, which may be too large or too fine for the type, as a value of it.
pub(super) fn number(value: f64, scalar: Scalar) -> Value {
    match scalar {
        Scalar::Bool => Value(u64::from(value != 0.0)),
        Scalar::F16 => f16::from_f64(value).value(),
        Scalar::BF16 => bf16::from_f64(value).value(),
        Scalar::F32 => (value as f32).value(),
        Scalar::F64 => value.value(),
        _ => integer(value as i128, scalar),
    }
}

/// An integer, wrapped around, as a value of an integer type or bool.
pub(super) fn integer(value: i128, scalar: Scalar) -> Value {
    if scalar == Scalar::Bool {
        return Value(u64::from(value != 0));
    }
    if scalar.is_float() {
        return number(value as f64, scalar);
    }
    with_native!(scalar, T => T::of(Value(value as u64)).value())
}

/// The number that a value is, where that is not too large for binary64.
fn to_number(value: Value, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => f16::of(value).to_f64(),
        Scalar::BF16 => bf16::of(value).to_f64(),
        Scalar::F32 => f64::from(f32::of(value)),
        Scalar::F64 => f64::of(value),
        _ if scalar.is_unsigned() || scalar == Scalar::Bool => value.0 as f64,
        _ => value.0 as i64 as f64,
    }
}

/// A value converted as Rust's `as` does, which is what C does where that is defined.
pub(super) fn cast(value: Value, from: Scalar, to: Scalar) -> Value {
    if from.is_float() {
        return number(to_number(value, from), to);
    }
    let unsigned = from.is_unsigned() || from == Scalar::Bool;
    integer(if unsigned { i128::from(value.0) } else { i128::from(value.0 as i64) }, to)
}

/// Whether a value is no float, or an integer small enough for its sum with another to be exact.
pub(super) fn is_exact(value: Value, scalar: Scalar) -> bool {
    let most = match scalar {
        Scalar::F16 => 1024.0,
        Scalar::BF16 => 128.0,
        Scalar::F32 | Scalar::F64 => 8388608.0,
        _ => return true,
    };
    let number = to_number(value, scalar);
    number.fract() == 0.0 && number.abs() <= most
}

/// The value, a zero of either sign as the positive one.
pub(super) fn unsigned_zero(value: Value, scalar: Scalar) -> Value {
    if scalar.is_float() && to_number(value, scalar) == 0.0 { Value(0) } else { value }
}
