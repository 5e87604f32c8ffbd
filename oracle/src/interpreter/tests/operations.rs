//! Every operation in every type, against the arithmetic of Rust's own types and of `half`.

use super::{bits, inputs};
use half::{bf16, f16};
use plumb_core::ast::AluOp;
use plumb_core::dtype::Scalar;

/// The uop text of a constant with these bits.
pub(super) fn constant(scalar: Scalar, bits: u64) -> String {
    let float = |value: f64| {
        if value.is_nan() {
            "nan".to_owned()
        } else if value.is_infinite() {
            if value > 0.0 { "inf" } else { "-inf" }.to_owned()
        } else {
            format!("f:{:016x}", value.to_bits())
        }
    };
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::I8 => (bits as i8).to_string(),
        Scalar::I16 => (bits as i16).to_string(),
        Scalar::I32 => (bits as i32).to_string(),
        Scalar::I64 => (bits as i64).to_string(),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => bits.to_string(),
        Scalar::F16 => float(f16::from_bits(bits as u16).to_f64()),
        Scalar::BF16 => float(bf16::from_bits(bits as u16).to_f64()),
        Scalar::F32 => float(f64::from(f32::from_bits(bits as u32))),
        Scalar::F64 => float(f64::from_bits(bits)),
    }
}

/// What the interpreter makes of an operation on constants.
fn interpreted(op: AluOp, scalar: Scalar, operands: &[u64]) -> u64 {
    let result = if op.is_comparison() { Scalar::Bool } else { scalar };
    let mut text = format!("0 DEFINE_GLOBAL {result}* [] 0:out\n1 CONST i32 [] 0\n");
    for (n, &operand) in operands.iter().enumerate() {
        let dtype = if op == AluOp::Where && n == 0 { Scalar::Bool } else { scalar };
        text.push_str(&format!("{} CONST {dtype} [] {}\n", n + 2, constant(dtype, operand)));
    }
    let sources: Vec<String> = (2..operands.len() + 2).map(|n| n.to_string()).collect();
    let alu = operands.len() + 2;
    text.push_str(&format!("{alu} ALU {result} [{}] {op}\n{} STORE - [0,1,{alu}] -\n", sources.join(","), alu + 1));
    bits(&text, &inputs(1, &[]))[0]
}

macro_rules! integers {
    ($name:ident, $type:ty) => {
        /// `None`: undefined.
        fn $name(op: AluOp, bits: &[u64]) -> Option<u64> {
            let value = |n: usize| bits.get(n).map_or(0, |&bits| bits as $type);
            let (a, b, c) = (value(0), value(1), value(2));
            let float =
                |value: f64| Some(value.trunc()).filter(|v| *v >= <$type>::MIN as f64 && *v <= <$type>::MAX as f64);
            let result = match op {
                AluOp::Add => a.wrapping_add(b),
                AluOp::Sub => a.wrapping_sub(b),
                AluOp::Mul => a.wrapping_mul(b),
                AluOp::Div if b == 0 => return None,
                AluOp::Div => a.wrapping_div(b),
                AluOp::Mod if b == 0 => return None,
                AluOp::Mod => a.wrapping_rem(b),
                AluOp::Max => a.max(b),
                AluOp::Xor => a ^ b,
                AluOp::Neg => a.wrapping_neg(),
                AluOp::MulAcc => a.wrapping_mul(b).wrapping_add(c),
                AluOp::Where => return Some(if bits[0] != 0 { bits[1] } else { bits[2] }),
                AluOp::CmpLt => return Some(u64::from(a < b)),
                AluOp::CmpEq => return Some(u64::from(a == b)),
                AluOp::Exp2 => float((a as f64).exp2())? as $type,
                AluOp::Log2 => float((a as f64).log2())? as $type,
                AluOp::Sin => float((a as f64).sin())? as $type,
                AluOp::Sqrt => float((a as f64).sqrt())? as $type,
            };
            let mask = u64::MAX >> (64 - <$type>::BITS);
            Some(result as u64 & mask)
        }
    };
}
integers!(on_i8, i8);
integers!(on_u8, u8);
integers!(on_i16, i16);
integers!(on_u16, u16);
integers!(on_i32, i32);
integers!(on_u32, u32);
integers!(on_i64, i64);
integers!(on_u64, u64);

macro_rules! floats {
    ($name:ident, $type:ty, $bits:ty, $to:expr, $from:expr) => {
        fn $name(op: AluOp, bits: &[u64]) -> Option<u64> {
            let value = |n: usize| <$type>::from_bits(bits.get(n).map_or(0, |&bits| bits as $bits));
            let (a, b, c) = (value(0), value(1), value(2));
            let through = |f: fn(f64) -> f64| $from(f($to(a)));
            let result = match op {
                AluOp::Add => a + b,
                AluOp::Sub => a - b,
                AluOp::Mul => a * b,
                AluOp::Div => a / b,
                AluOp::MulAcc => a * b + c,
                AluOp::Neg => -a,
                AluOp::Max if $to(a).is_nan() || $to(b).is_nan() => $from(f64::NAN),
                AluOp::Max if a == b => {
                    if a.is_sign_negative() {
                        b
                    } else {
                        a
                    }
                }
                AluOp::Max => {
                    if a > b {
                        a
                    } else {
                        b
                    }
                }
                AluOp::Where => return Some(if bits[0] != 0 { bits[1] } else { bits[2] }),
                AluOp::CmpLt => return Some(u64::from(a < b)),
                AluOp::CmpEq => return Some(u64::from(a == b)),
                AluOp::Exp2 => through(f64::exp2),
                AluOp::Log2 => through(f64::log2),
                AluOp::Sin => through(f64::sin),
                AluOp::Sqrt => through(f64::sqrt),
                AluOp::Mod | AluOp::Xor => return None,
            };
            Some(u64::from(result.to_bits()))
        }
    };
}
floats!(on_f16, f16, u16, f16::to_f64, |value: f64| f16::from_f32(value as f32));
floats!(on_bf16, bf16, u16, bf16::to_f64, |value: f64| bf16::from_f32(value as f32));
floats!(on_f32, f32, u32, f64::from, |value: f64| value as f32);
floats!(on_f64, f64, u64, |value: f64| value, |value: f64| value);

fn on_bool(op: AluOp, bits: &[u64]) -> Option<u64> {
    let value = |n: usize| bits.get(n).is_some_and(|&bits| bits != 0);
    let (a, b, c) = (value(0), value(1), value(2));
    let result = match op {
        AluOp::Add | AluOp::Max => a | b,
        AluOp::Mul => a & b,
        AluOp::Sub | AluOp::Xor => a ^ b,
        AluOp::Neg => !a,
        AluOp::MulAcc => (a & b) | c,
        AluOp::Div if b => a,
        AluOp::Mod if b => false,
        AluOp::Div | AluOp::Mod => return None,
        AluOp::CmpLt => !a & b,
        AluOp::CmpEq => a == b,
        AluOp::Where => return Some(if bits[0] != 0 { bits[1] } else { bits[2] }),
        // 2^0 = 1, log2 0 = -inf, sin 1 = 0.84.
        AluOp::Exp2 | AluOp::Log2 => true,
        AluOp::Sin | AluOp::Sqrt => a,
    };
    Some(u64::from(if op == AluOp::Log2 && a { false } else { result }))
}

/// Bits that are telling in a type: bounds, neighbours of zero, ties, specials.
pub(super) fn telling(scalar: Scalar) -> Vec<u64> {
    match scalar {
        Scalar::Bool => vec![0, 1],
        Scalar::F16 => vec![0, 0x8000, 0x3c00, 0xbc00, 0x3555, 0x7bff, 0xfbff, 0x0001, 0x0400, 0x7c00, 0x7e00, 0x5640],
        Scalar::BF16 => vec![0, 0x8000, 0x3f80, 0xbf80, 0x3eab, 0x7f7f, 0xff7f, 0x0001, 0x0080, 0x7f80, 0x7fc0, 0x42c8],
        Scalar::F32 => [0.0, -0.0, 1.0, -1.0, 1.0 / 3.0, f32::MAX, f32::MIN, 1e-45, f32::INFINITY, f32::NAN, 100.5]
            .map(|value| u64::from(value.to_bits()))
            .to_vec(),
        Scalar::F64 => {
            [0.0, -0.0, 1.0, -1.0, 1.0 / 3.0, f64::MAX, f64::MIN, 5e-324, f64::NEG_INFINITY, f64::NAN, 100.5]
                .map(f64::to_bits)
                .to_vec()
        }
        _ => {
            let mask = u64::MAX >> (64 - scalar.bits());
            let top = 1u64 << (scalar.bits() - 1);
            [0, 1, 2, 3, 7, 100, top - 1, top, top + 1, mask, mask - 1, mask / 3].map(|bits| bits & mask).to_vec()
        }
    }
}

/// Whether two bit patterns are the same value: all NaNs are one.
pub(super) fn same(scalar: Scalar, a: u64, b: u64) -> bool {
    let nan = |bits: u64| match scalar {
        Scalar::F16 => f16::from_bits(bits as u16).is_nan(),
        Scalar::BF16 => bf16::from_bits(bits as u16).is_nan(),
        Scalar::F32 => f32::from_bits(bits as u32).is_nan(),
        Scalar::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    };
    a == b || nan(a) && nan(b)
}

#[test]
fn every_operation_in_every_type() {
    let mut tested = 0;
    for scalar in Scalar::ALL {
        let expected = match scalar {
            Scalar::Bool => on_bool,
            Scalar::I8 => on_i8,
            Scalar::U8 => on_u8,
            Scalar::I16 => on_i16,
            Scalar::U16 => on_u16,
            Scalar::I32 => on_i32,
            Scalar::U32 => on_u32,
            Scalar::I64 => on_i64,
            Scalar::U64 => on_u64,
            Scalar::F16 => on_f16,
            Scalar::BF16 => on_bf16,
            Scalar::F32 => on_f32,
            Scalar::F64 => on_f64,
        };
        let values = telling(scalar);
        for op in AluOp::ALL {
            let second: &[u64] = if op.arity() > 1 { &values } else { &values[..1] };
            for &a in &values {
                for &b in second {
                    let third = values[(a ^ b) as usize % values.len()];
                    let operands = match op {
                        AluOp::Where => vec![a & 1, a, b],
                        _ => [a, b, third][..op.arity()].to_vec(),
                    };
                    let Some(expected) = expected(op, &operands) else { continue };
                    let got = interpreted(op, scalar, &operands);
                    let result = if op.is_comparison() { Scalar::Bool } else { scalar };
                    assert!(same(result, got, expected), "{op} {scalar} {operands:x?}: {got:x}, not {expected:x}");
                    tested += 1;
                }
            }
        }
    }
    assert!(tested > 10_000, "{tested}");
}

/// Known values, written down rather than computed, of kinds that have gone wrong elsewhere.
#[test]
fn known_values() {
    let f16 = |value: f32| u64::from(f16::from_f32(value).to_bits());
    for (op, scalar, operands, expected) in [
        // Narrow integers are truncated after every operation (200 + 200 = 400 = 144 modulo 256).
        (AluOp::Add, Scalar::U8, vec![200, 200], 144),
        // Division of 64-bit integers does not go through floats.
        (AluOp::Div, Scalar::I64, vec![3 * (1 << 55) + 3, 3], (1 << 55) + 1),
        // Quotients are truncated, remainders have the sign of the dividend.
        (AluOp::Div, Scalar::I32, vec![-7i32 as u32 as u64, 2], -3i32 as u32 as u64),
        (AluOp::Mod, Scalar::I32, vec![-7i32 as u32 as u64, 3], -1i32 as u32 as u64),
        (AluOp::Mod, Scalar::I32, vec![7, -3i32 as u32 as u64], 1),
        // Half products overflow to infinity: 2000 * 2000.
        (AluOp::Mul, Scalar::F16, vec![f16(2000.0), f16(2000.0)], 0x7c00),
        // 2048 + 1 is a tie between 2048 and 2050.
        (AluOp::Add, Scalar::F16, vec![f16(2048.0), f16(1.0)], f16(2048.0)),
        (AluOp::Add, Scalar::F16, vec![f16(2050.0), f16(1.0)], f16(2052.0)),
        // The bool x - y is exclusive or, as C's conversion of the difference makes it.
        (AluOp::Sub, Scalar::Bool, vec![0, 1], 1),
        (AluOp::Exp2, Scalar::F32, vec![u64::from(10f32.to_bits())], u64::from(1024f32.to_bits())),
        (AluOp::Log2, Scalar::F64, vec![8f64.to_bits()], 3f64.to_bits()),
    ] {
        assert_eq!(interpreted(op, scalar, &operands), expected, "{op} {scalar} {operands:?}");
    }
}

/// The quotient by a constant is computed by multiplication: all divisors that need a different one.
#[test]
fn division_by_constants() {
    let dividends: Vec<i32> = [0, 1, 2, 3, 5, 6, 7, 99, 100, 101, 65535, 1 << 20, i32::MAX - 1, i32::MAX]
        .into_iter()
        .flat_map(|x| [x, -x])
        .collect();
    for divisor in
        (1..130).chain([255, 256, 257, 1000, 4095, 65536, 46341, 1 << 30, (1 << 30) + 1, i32::MAX - 1, i32::MAX])
    {
        // Loaded from a loop's count, so that bounds are known and multiplication is used.
        let mut text = "0 DEFINE_GLOBAL i32* [] 0:out\n".to_owned();
        text.push_str(&format!("1 CONST i32 [] {divisor}\n"));
        let mut at = 2;
        for (n, dividend) in dividends.iter().enumerate() {
            text.push_str(&format!("{at} CONST i32 [] {dividend}\n"));
            text.push_str(&format!("{} ALU i32 [{at},1] DIV\n", at + 1));
            text.push_str(&format!("{} ALU i32 [{at},1] MOD\n", at + 2));
            text.push_str(&format!("{} CONST i32 [] {}\n{} CONST i32 [] {}\n", at + 3, 2 * n, at + 4, 2 * n + 1));
            text.push_str(&format!("{} STORE - [0,{},{}] -\n", at + 5, at + 3, at + 1));
            text.push_str(&format!("{} STORE - [0,{},{}] -\n", at + 6, at + 4, at + 2));
            at += 7;
        }
        let expected: Vec<u64> =
            dividends.iter().flat_map(|x| [x / divisor, x % divisor]).map(|x| u64::from(x as u32)).collect();
        assert_eq!(bits(&text, &inputs(2 * dividends.len() as i64, &[])), expected, "by {divisor}");
    }
}
