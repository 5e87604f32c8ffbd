//! Arithmetic of integers and truth values, held in 64 bits each.
//!
//! A value is kept sign-extended, one of an unsigned type zero-extended; of a `u64` the 64 bits are kept as they are.

use plumb_core::ast::AluOp;
use plumb_core::dtype::Scalar;

/// `value` reduced to the type's width.
#[inline]
pub(crate) fn wrap(value: i64, scalar: Scalar) -> i64 {
    match scalar {
        Scalar::Bool => value & 1,
        Scalar::I8 => i64::from(value as i8),
        Scalar::U8 => i64::from(value as u8),
        Scalar::I16 => i64::from(value as i16),
        Scalar::U16 => i64::from(value as u16),
        Scalar::I32 => i64::from(value as i32),
        Scalar::U32 => i64::from(value as u32),
        _ => value,
    }
}

/// The larger of two values of the type.
#[inline]
pub(crate) fn max(a: i64, b: i64, scalar: Scalar) -> i64 {
    if less(a, b, scalar) { b } else { a }
}

/// Whether the first value is smaller.
#[inline]
pub(crate) fn less(a: i64, b: i64, scalar: Scalar) -> bool {
    if scalar == Scalar::U64 { (a as u64) < (b as u64) } else { a < b }
}

/// One operation of two operands of type `scalar`; `None` where the result is undefined: a division by zero, or of the
/// least value by -1.
#[inline]
pub(crate) fn binary(op: AluOp, a: i64, b: i64, scalar: Scalar) -> Option<i64> {
    if scalar == Scalar::Bool {
        return match op {
            AluOp::Add | AluOp::Max => Some(a | b),
            AluOp::Mul => Some(a & b),
            AluOp::Sub | AluOp::Xor => Some(a ^ b),
            AluOp::CmpLt => Some(i64::from(a < b)),
            AluOp::CmpEq => Some(i64::from(a == b)),
            AluOp::Div => (b != 0).then_some(a),
            AluOp::Mod => (b != 0).then_some(0),
            _ => None,
        };
    }
    let wrapped = |value: i64| Some(wrap(value, scalar));
    match op {
        AluOp::Add => wrapped(a.wrapping_add(b)),
        AluOp::Sub => wrapped(a.wrapping_sub(b)),
        AluOp::Mul => wrapped(a.wrapping_mul(b)),
        AluOp::Max => Some(max(a, b, scalar)),
        AluOp::Xor => Some(a ^ b),
        AluOp::CmpLt => Some(i64::from(less(a, b, scalar))),
        AluOp::CmpEq => Some(i64::from(a == b)),
        AluOp::Div if scalar == Scalar::U64 => (a as u64).checked_div(b as u64).map(|quotient| quotient as i64),
        AluOp::Mod if scalar == Scalar::U64 => (a as u64).checked_rem(b as u64).map(|rest| rest as i64),
        // The quotient of the least value by -1 does not fit.
        AluOp::Div => a.checked_div(b).filter(|&quotient| wrap(quotient, scalar) == quotient),
        AluOp::Mod => {
            let fits = a.checked_div(b).is_some_and(|quotient| wrap(quotient, scalar) == quotient);
            if fits { a.checked_rem(b) } else { None }
        }
        _ => None,
    }
}

/// The negative of an integer, the complement of a truth value.
#[inline]
pub(crate) fn neg(value: i64, scalar: Scalar) -> i64 {
    if scalar == Scalar::Bool { value ^ 1 } else { wrap(value.wrapping_neg(), scalar) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_core::constant;

    /// What 64-bit arithmetic with wrapping gives is what wide integers give, for every type.
    #[test]
    fn agrees_with_wide_integers() {
        let values = [0i128, 1, 2, 3, 5, 7, 100, 127, 128, 200, 255, 256, 32767, 65535, 1 << 31, 1 << 32, 1 << 63];
        let values: Vec<i128> = values.into_iter().flat_map(|value| [value, -value, value + 1, -value - 1]).collect();
        for scalar in Scalar::ALL.into_iter().filter(|scalar| scalar.is_int()) {
            let narrow = |value: i128| value as i64;
            let wide = |value: i64| if scalar == Scalar::U64 { i128::from(value as u64) } else { i128::from(value) };
            for &a in &values {
                for &b in &values {
                    let (a, b) = (constant::wrap(a, scalar), constant::wrap(b, scalar));
                    let check = |op: AluOp, expected: Option<i128>| {
                        let got = binary(op, narrow(a), narrow(b), scalar).map(wide);
                        assert_eq!(got, expected, "{scalar} {a} {op} {b}");
                    };
                    let wrap = |value: i128| Some(constant::wrap(value, scalar));
                    check(AluOp::Add, wrap(a + b));
                    check(AluOp::Sub, wrap(a - b));
                    check(AluOp::Mul, wrap(a.wrapping_mul(b)));
                    check(AluOp::Max, Some(a.max(b)));
                    check(AluOp::Xor, Some(a ^ b));
                    let fits = b != 0 && constant::wrap(a / b, scalar) == a / b;
                    check(AluOp::Div, fits.then(|| a / b));
                    check(AluOp::Mod, fits.then(|| a % b));
                    let got = binary(AluOp::CmpLt, narrow(a), narrow(b), scalar);
                    assert_eq!(got, Some(i64::from(a < b)), "{scalar} {a} < {b}");
                    assert_eq!(wide(neg(narrow(a), scalar)), constant::wrap(-a, scalar));
                }
            }
        }
    }

    /// What the operations mean on truth values; the complement is what known fault N17 got wrong.
    #[test]
    fn truth_values() {
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert_eq!(binary(AluOp::Add, a, b, Scalar::Bool), Some(a | b));
            assert_eq!(binary(AluOp::Mul, a, b, Scalar::Bool), Some(a & b));
            assert_eq!(binary(AluOp::Max, a, b, Scalar::Bool), Some(a | b));
        }
        assert_eq!((neg(0, Scalar::Bool), neg(1, Scalar::Bool)), (1, 0));
    }
}
