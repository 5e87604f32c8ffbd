//! Arithmetic on constants, type by type.

use crate::ast::AluOp::{self, *};
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::uop::evaluate::{convert, evaluate_alu};
use crate::uop::round::{round, round_integer};
use half::{bf16, f16};

fn int(op: AluOp, scalar: Scalar, operands: &[i128]) -> Option<i128> {
    let operands: Vec<Constant> = operands.iter().map(|&value| Constant::Int(value)).collect();
    match evaluate_alu(op, DType::Scalar(scalar), &operands)? {
        Constant::Int(value) => Some(value),
        Constant::Bool(value) => Some(i128::from(value)),
        Constant::Float(value) => panic!("{value} of {op} in {scalar}"),
    }
}

fn float(op: AluOp, scalar: Scalar, operands: &[f64]) -> Option<f64> {
    let operands: Vec<Constant> = operands.iter().map(|&value| Constant::Float(value)).collect();
    match evaluate_alu(op, DType::Scalar(scalar), &operands)? {
        Constant::Float(value) => Some(value),
        other => panic!("{other:?} of {op} in {scalar}"),
    }
}

#[test]
fn integers_wrap_around_in_their_width() {
    use Scalar::*;
    for (op, scalar, operands, expected) in [
        (Add, U8, &[200, 100][..], 44),
        (Add, I8, &[100, 100], -56),
        (Sub, U16, &[0, 1], 65535),
        (Mul, I16, &[300, 300], 24464),
        (Mul, U64, &[u64::MAX.into(), u64::MAX.into()], 1),
        (Mul, I64, &[i64::MIN.into(), -1], i64::MIN.into()),
        (Neg, U32, &[1], 4294967295),
        (Neg, I32, &[i32::MIN.into()], i32::MIN.into()),
        (MulAcc, U8, &[20, 20, 20], 164),
        (Xor, I8, &[-1, 1], -2),
        (Max, I8, &[-1, -5], -1),
    ] {
        assert_eq!(int(op, scalar, operands), Some(expected), "{op} of {operands:?} in {scalar}");
    }
}

/// 0.9.0 divides integers as floats (known fault N19), and fails where the divisor is zero.
#[test]
fn integers_are_divided_exactly_towards_zero() {
    use Scalar::*;
    for (op, scalar, operands, expected) in [
        (Div, I64, [3 * (1 << 55) + 3, 3], Some(36028797018963969)),
        (Div, I32, [-7, 2], Some(-3)),
        (Div, I32, [7, -2], Some(-3)),
        (Div, I8, [-128, -1], Some(-128)),
        (Div, U8, [255, 2], Some(127)),
        (Div, I32, [7, 0], None),
        (Mod, I32, [-7, 2], Some(-1)),
        (Mod, I32, [7, -2], Some(1)),
        (Mod, I32, [i32::MIN.into(), -1], Some(0)),
        (Mod, U64, [u64::MAX.into(), 10], Some(5)),
        (Mod, I32, [7, 0], None),
        (CmpLt, I64, [-1, 0], Some(1)),
        (CmpEq, U8, [3, 4], Some(0)),
    ] {
        assert_eq!(int(op, scalar, &operands), expected, "{op} of {operands:?} in {scalar}");
    }
}

#[test]
fn bools() {
    for (op, expected) in [
        (Add, [false, true, true, true]),
        (Mul, [false, false, false, true]),
        (Sub, [false, true, true, false]),
        (Xor, [false, true, true, false]),
        (Max, [false, true, true, true]),
        (CmpLt, [false, true, false, false]),
        (CmpEq, [true, false, false, true]),
    ] {
        let operands = [[false, false], [false, true], [true, false], [true, true]];
        let found = operands.map(|operands| evaluate_alu(op, DType::BOOL, &operands.map(Constant::Bool)));
        assert_eq!(found, expected.map(|value| Some(Constant::Bool(value))), "{op}");
    }
    for value in [false, true] {
        assert_eq!(evaluate_alu(Neg, DType::BOOL, &[Constant::Bool(value)]), Some(Constant::Bool(!value)));
    }
}

/// 0.9.0 fails on some of these (known fault N20).
#[test]
fn special_floats() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (op, operands, expected) in [
        (Sin, &[inf][..], Some(nan)),
        (Sin, &[nan], Some(nan)),
        (Log2, &[-1.0], Some(nan)),
        (Log2, &[0.0], Some(-inf)),
        (Sqrt, &[-1.0], Some(nan)),
        (Exp2, &[-inf], Some(0.0)),
        (Exp2, &[5000.0], Some(inf)),
        (Exp2, &[3.0], Some(8.0)),
        (Div, &[1.0, 0.0], Some(inf)),
        (Div, &[1.0, -0.0], Some(-inf)),
        (Div, &[0.0, 0.0], Some(nan)),
        (Mul, &[inf, 0.0], Some(nan)),
        (Max, &[nan, 1.0], None),
        (Max, &[1.0, nan], None),
        (Max, &[-0.0, 0.0], Some(0.0)),
        (Max, &[-0.0, -0.0], Some(-0.0)),
        (Mod, &[1.0, 1.0], None),
        (Xor, &[1.0, 1.0], None),
        (MulAcc, &[1.0, 1.0, 1.0], None),
    ] {
        for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
            let found = float(op, scalar, operands).map(|value| round(value, scalar));
            let same = match (found, expected) {
                (Some(found), Some(expected)) => Constant::Float(found) == Constant::Float(expected),
                (found, expected) => found.is_none() && expected.is_none(),
            };
            assert!(same, "{op} of {operands:?} in {scalar} is {found:?} instead of {expected:?}");
        }
    }
}

/// Sums, products and quotients of 16-bit floats mean what the half crate computes.
#[test]
fn small_floats_are_rounded() {
    let numbers = [0.1, 0.3, 1.0, 3.0, 2000.0, 60000.0, 1e-5, 6e-8, -7.7, 1e30, 3e38, 1e-40];
    for (x, y) in numbers.iter().flat_map(|&x| numbers.map(|y| (x, y))) {
        let half = |value: f64| f16::from_f64_const(value);
        let brain = |value: f64| bf16::from_f64_const(value);
        for op in [Add, Sub, Mul, Div] {
            let value = float(op, Scalar::F16, &[x, y]).expect("a value");
            let (a, b) = (half(x), half(y));
            let expected = match op {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                _ => a / b,
            };
            assert!(half(value) == expected || expected.is_nan() && value.is_nan(), "{x} {op} {y} in f16");
            let value = float(op, Scalar::BF16, &[x, y]).expect("a value");
            let (a, b) = (brain(x), brain(y));
            let expected = match op {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                _ => a / b,
            };
            assert!(brain(value) == expected || expected.is_nan() && value.is_nan(), "{x} {op} {y} in bf16");
        }
    }
}

/// 0.9.0 keeps the unrounded 0.1 of a half where it becomes a float.
#[test]
fn conversions() {
    use Scalar::*;
    let float = Constant::Float;
    for (value, from, to, expected) in [
        (float(0.1), F16, F32, Some(float(0.0999755859375))),
        (float(0.1), F32, F64, Some(float(0.10000000149011612))),
        (float(0.1), F64, F32, Some(float(0.1))),
        (float(0.1), F32, F16, Some(float(0.1))),
        (float(1e-10), F16, Bool, Some(Constant::Bool(false))),
        (float(f64::NAN), F32, Bool, Some(Constant::Bool(true))),
        (float(f64::NAN), F32, I32, None),
        (float(f64::INFINITY), F32, I64, None),
        (float(-2.9), F32, I8, Some(Constant::Int(-2))),
        (float(255.9), F32, U8, Some(Constant::Int(255))),
        (float(256.0), F32, U8, None),
        (float(-1.0), F32, U8, None),
        (float(-0.9), F32, U8, Some(Constant::Int(0))),
        (float(9223372036854775808.0), F64, I64, None),
        (float(9223372036854775808.0), F64, U64, Some(Constant::Int(1 << 63))),
        // The spelling is kept; it stands for the wrapped value.
        (Constant::Int(300), I32, U8, Some(Constant::Int(300))),
        (Constant::Int(-1), I8, U64, Some(Constant::Int(-1))),
        (Constant::Int(1 << 40), I64, I32, Some(Constant::Int(0))),
        (Constant::Int(-1), I8, Bool, Some(Constant::Bool(true))),
        (Constant::Bool(true), Bool, F16, Some(float(1.0))),
        (Constant::Int(16777217), I32, F32, Some(float(16777217.0))),
    ] {
        assert_eq!(convert(value, from, to), expected, "{value:?} from {from} to {to}");
    }
    assert_eq!(Constant::Int(300).cast(U8), Constant::Int(44));
}

#[test]
fn rounding_is_to_nearest_and_even() {
    for bits in 0..=u16::MAX {
        for (scalar, value) in
            [(Scalar::F16, f16::from_bits(bits).to_f64()), (Scalar::BF16, bf16::from_bits(bits).to_f64())]
        {
            if value.is_nan() {
                continue;
            }
            assert_eq!(round(value, scalar).to_bits(), value.to_bits());
            // Between this and the next of the same sign, and at the largest one's edge to infinity.
            let next = match scalar {
                Scalar::F16 => f16::from_bits(bits.wrapping_add(1)).to_f64(),
                _ => bf16::from_bits(bits.wrapping_add(1)).to_f64(),
            };
            if next.is_finite() && value.is_finite() && next.signum() == value.signum() {
                let middle = (value + next) / 2.0;
                let even = if bits % 2 == 0 { value } else { next };
                assert_eq!(round(middle, scalar).to_bits(), even.to_bits());
                assert_eq!(round(middle.next_up(), scalar), value.max(next));
                assert_eq!(round(middle.next_down(), scalar), value.min(next));
            }
        }
    }
    assert_eq!(round(65519.99, Scalar::F16), 65504.0);
    assert_eq!(round(65520.0, Scalar::F16), f64::INFINITY);
    assert_eq!(round(-1e300, Scalar::BF16), f64::NEG_INFINITY);
    assert_eq!(round(f64::from_bits(1), Scalar::F16).to_bits(), 0);
}

#[test]
fn integers_are_rounded_once() {
    for value in [
        0,
        1,
        -1,
        16777217,
        (1 << 53) + 1,
        i64::MAX.into(),
        i64::MIN.into(),
        u64::MAX.into(),
        (1 << 60) + (1 << 36) + 1,
    ] {
        assert_eq!(round_integer(value, Scalar::F32) as f32, value as f32, "{value}");
        assert_eq!(round_integer(-value, Scalar::F32) as f32, -value as f32, "{value}");
        assert_eq!(round_integer(value, Scalar::F64), value as f64, "{value}");
    }
    // Half-way between two bf16 and one more, which binary64 does not see.
    let value = (1 << 62) + (1 << 54) + 1;
    assert_eq!(round(round_integer(value, Scalar::BF16), Scalar::BF16), ((1i128 << 62) + (1 << 55)) as f64);
}
