//! Arithmetic on constants, exact in each type: integers wrap around in their own width, floats are rounded to theirs.

use super::round::{round, round_integer};
use crate::ast::AluOp;
use crate::constant::{Constant, wrap};
use crate::dtype::{DType, Scalar};

/// One operation on constants of type `dtype` (a comparison: of operands of that type; its result is a bool).
///
/// `None` where the result is not defined (division by zero), differs between devices (the maximum of a NaN, a fused
/// multiply-add of floats) or the operation does not exist in the type. Integers wrap around, integer division rounds
/// towards zero and the remainder has the sign of the dividend. A constant of a float type stands for its value rounded
/// to the type; the result is rounded, too, to the nearest or, in `f32`, perhaps the next value.
pub fn evaluate_alu(op: AluOp, dtype: DType, operands: &[Constant]) -> Option<Constant> {
    evaluate_within(op, dtype, operands, 1)
}

/// As [`evaluate_alu`]; in `f32` at most `units` in the last place from the nearest value.
pub(super) fn evaluate_within(op: AluOp, dtype: DType, operands: &[Constant], units: u32) -> Option<Constant> {
    if operands.len() != op.arity() {
        return None;
    }
    let scalar = dtype.scalar();
    if let (AluOp::Where, [gate, then, otherwise]) = (op, operands) {
        return Some(if gate.is_zero() { *otherwise } else { *then });
    }
    if operands.iter().any(|operand| matches!(operand, Constant::Float(_))) {
        let mut values = [0.0; 3];
        for (value, operand) in values.iter_mut().zip(operands) {
            let Constant::Float(operand) = operand.cast(Scalar::F64) else { return None };
            *value = operand;
        }
        return float_constant(op, scalar, values, units);
    }
    let mut values = [0; 3];
    for (value, operand) in values.iter_mut().zip(operands) {
        *value = wrap(operand.as_int()?, if scalar.is_int() { scalar } else { Scalar::I64 });
    }
    match (operands[0], op) {
        (_, AluOp::CmpLt) => Some(Constant::Bool(values[0] < values[1])),
        (_, AluOp::CmpEq) => Some(Constant::Bool(values[0] == values[1])),
        (Constant::Bool(_), _) => boolean(op, values),
        _ if scalar.is_int() => Some(Constant::Int(wrap(integer(op, values)?, scalar))),
        _ => None,
    }
}

/// On floats as constants spell them, which stand for their values rounded to the type.
///
/// The result is that of the rounded operands. Where 0.9.0, which does not round the operands, nor results of the
/// 16-bit types, spells it differently but means the same, or in `f32` a value `units` away, its spelling is kept.
fn float_constant(op: AluOp, scalar: Scalar, spelled: [f64; 3], units: u32) -> Option<Constant> {
    let Constant::Float(result) = float(op, spelled.map(|value| round(value, scalar)))? else {
        return float(op, spelled.map(|value| round(value, scalar)));
    };
    let result = round(result, scalar);
    let unrounded = match (op, spelled) {
        (AluOp::Exp2, [x, ..]) => libm::exp(x * std::f64::consts::LN_2),
        _ => match float(op, spelled)? {
            Constant::Float(value) => value,
            _ => return None,
        },
    };
    let as_before = if scalar == Scalar::F32 { round(unrounded, scalar) } else { unrounded };
    let same = if scalar == Scalar::F32 {
        (result as f32).to_bits().abs_diff((as_before as f32).to_bits()) <= units
    } else {
        result.to_bits() == round(as_before, scalar).to_bits()
    };
    Some(Constant::Float(if same { as_before } else { result }))
}

/// On the exact values of floats; the caller rounds.
fn float(op: AluOp, [x, y, _]: [f64; 3]) -> Option<Constant> {
    Some(Constant::Float(match op {
        AluOp::Exp2 => libm::exp2(x),
        AluOp::Log2 => libm::log2(x),
        AluOp::Sin => libm::sin(x),
        AluOp::Sqrt => x.sqrt(),
        AluOp::Neg => -x,
        AluOp::Add => x + y,
        AluOp::Sub => x - y,
        AluOp::Mul => x * y,
        AluOp::Div => x / y,
        // Which one of a NaN and a number is the larger is the device's choice; of two zeros it is the positive one.
        AluOp::Max if x > y || x == y && x.is_sign_positive() => x,
        AluOp::Max if x <= y => y,
        AluOp::CmpLt => return Some(Constant::Bool(x < y)),
        AluOp::CmpEq => return Some(Constant::Bool(x == y)),
        AluOp::Max | AluOp::Mod | AluOp::Xor | AluOp::Where | AluOp::MulAcc => return None,
    }))
}

/// On the values of integers of at most 64 bits, exact or, where a product exceeds 128 bits, right in its lower ones; the
/// caller wraps.
fn integer(op: AluOp, [x, y, z]: [i128; 3]) -> Option<i128> {
    match op {
        AluOp::Neg => Some(-x),
        AluOp::Add => Some(x + y),
        AluOp::Sub => Some(x - y),
        AluOp::Mul => Some(x.wrapping_mul(y)),
        AluOp::Div => x.checked_div(y),
        AluOp::Mod => x.checked_rem(y),
        AluOp::Max => Some(x.max(y)),
        AluOp::Xor => Some(x ^ y),
        AluOp::MulAcc => Some(x.wrapping_mul(y).wrapping_add(z)),
        _ => None,
    }
}

/// On truth values, as C converts the results of its integer operators to bool: a sum is true unless both are false.
fn boolean(op: AluOp, [x, y, z]: [i128; 3]) -> Option<Constant> {
    let value = match op {
        AluOp::Neg => x == 0,
        other => integer(other, [x, y, z])? != 0,
    };
    Some(Constant::Bool(value))
}

/// A constant of the type `from` converted to `to`, as C converts values; `None` where a float has no value there.
///
/// A constant of a float type stands for its value rounded to that type. It is left unrounded where it stands for the
/// same in both types, as 0.9.0 leaves it.
pub(super) fn convert(value: Constant, from: Scalar, to: Scalar) -> Option<Constant> {
    let rounded = match value {
        Constant::Float(value) => Constant::Float(round(value, from)),
        other => other,
    };
    match (rounded, value) {
        (Constant::Float(rounded), Constant::Float(value)) if to.is_float() => {
            let same = round(value, to).to_bits() == round(rounded, to).to_bits();
            Some(Constant::Float(if same { value } else { rounded }))
        }
        (Constant::Float(rounded), _) if to.is_int() => {
            let (low, high) = to.int_range()?;
            let whole = rounded.trunc();
            let fits = whole >= low as f64 && whole <= high as f64 && (low..=high).contains(&(whole as i128));
            fits.then_some(Constant::Int(whole as i128))
        }
        (Constant::Int(value), _) if to.is_float() => Some(Constant::Float(round_integer(value, to))),
        (value, _) => Some(value.spelled(to)),
    }
}
