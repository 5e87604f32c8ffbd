//! Conversions over lanes, by value and by bits.
//!
//! Integers to the short floats go through `f32`; `f64` to a short float is rounded once. A float that an integer type
//! can't hold becomes the nearest bound (NaN: 0), and is marked undefined elsewhere. Everything but zero is `true`.

use super::convert::{bits, from_bits, round_bf16, round_f16, round_f32, round_f64, truncate_word, wrap_word};
use super::lanes::{Bank, Lane, Literal, Registers};
use super::program::Op;
use plumb_core::dtype::Scalar;

/// Value conversion in the first `n` lanes.
pub(super) fn cast(r: &mut Registers, op: &Op, from: Scalar, to: Scalar, n: usize) {
    let Op { d, a, .. } = *op;
    let unsigned = from.is_unsigned();
    let truth = to == Scalar::Bool;
    match (Bank::of(from), Bank::of(to)) {
        (Bank::Word, Bank::Word) => r.unary(d, a, n, |x| wrap_word(x, to)),
        (Bank::Word, Bank::Long) if unsigned => r.unary(d, a, n, |x: i32| i64::from(x as u32)),
        (Bank::Word, Bank::Long) => r.unary(d, a, n, |x: i32| i64::from(x)),
        (Bank::Word, Bank::Single) if unsigned => r.unary(d, a, n, |x: i32| round_f32(x as u32 as f32, to)),
        (Bank::Word, Bank::Single) => r.unary(d, a, n, |x: i32| round_f32(x as f32, to)),
        (Bank::Word, Bank::Double) if unsigned => r.unary(d, a, n, |x: i32| f64::from(x as u32)),
        (Bank::Word, Bank::Double) => r.unary(d, a, n, |x: i32| f64::from(x)),
        (Bank::Long, Bank::Word) if truth => r.unary(d, a, n, |x: i64| i32::from(x != 0)),
        (Bank::Long, Bank::Word) => r.unary(d, a, n, |x: i64| wrap_word(x as i32, to)),
        (Bank::Long, Bank::Long) => r.unary(d, a, n, |x: i64| x),
        (Bank::Long, Bank::Single) if unsigned => r.unary(d, a, n, |x: i64| round_f32(x as u64 as f32, to)),
        (Bank::Long, Bank::Single) => r.unary(d, a, n, |x: i64| round_f32(x as f32, to)),
        (Bank::Long, Bank::Double) if unsigned => r.unary(d, a, n, |x: i64| x as u64 as f64),
        (Bank::Long, Bank::Double) => r.unary(d, a, n, |x: i64| x as f64),
        (Bank::Single, Bank::Word) => r.unary(d, a, n, |x: f32| truncate_word(f64::from(x), to)),
        (Bank::Single, Bank::Long) if to == Scalar::U64 => r.unary(d, a, n, |x: f32| x as u64 as i64),
        (Bank::Single, Bank::Long) => r.unary(d, a, n, |x: f32| x as i64),
        (Bank::Single, Bank::Single) => match to {
            Scalar::F16 => r.unary(d, a, n, round_f16),
            Scalar::BF16 => r.unary(d, a, n, round_bf16),
            _ => r.unary(d, a, n, |x: f32| x),
        },
        (Bank::Single, Bank::Double) => r.unary(d, a, n, |x: f32| f64::from(x)),
        (Bank::Double, Bank::Word) => r.unary(d, a, n, |x: f64| truncate_word(x, to)),
        (Bank::Double, Bank::Long) if to == Scalar::U64 => r.unary(d, a, n, |x: f64| x as u64 as i64),
        (Bank::Double, Bank::Long) => r.unary(d, a, n, |x: f64| x as i64),
        (Bank::Double, Bank::Single) => r.unary(d, a, n, |x: f64| round_f64(x, to)),
        (Bank::Double, Bank::Double) => r.unary(d, a, n, |x: f64| x),
    }
}

/// The same bits as another type of the same size, in the first `n` lanes.
pub(super) fn bitcast(r: &mut Registers, op: &Op, from: Scalar, to: Scalar, n: usize) {
    let Op { d, a, .. } = *op;
    match (Bank::of(from), Bank::of(to)) {
        (Bank::Word, Bank::Word) => r.unary(d, a, n, |x| reinterpret::<i32>(Literal::Word(x), from, to)),
        (Bank::Word, Bank::Single) => r.unary(d, a, n, |x| reinterpret::<f32>(Literal::Word(x), from, to)),
        (Bank::Single, Bank::Word) => r.unary(d, a, n, |x| reinterpret::<i32>(Literal::Single(x), from, to)),
        (Bank::Single, Bank::Single) => r.unary(d, a, n, |x| reinterpret::<f32>(Literal::Single(x), from, to)),
        (Bank::Long, Bank::Long) => r.unary(d, a, n, |x: i64| x),
        (Bank::Long, Bank::Double) => r.unary(d, a, n, |x: i64| f64::from_bits(x as u64)),
        (Bank::Double, Bank::Long) => r.unary(d, a, n, |x: f64| x.to_bits() as i64),
        (Bank::Double, Bank::Double) => r.unary(d, a, n, |x: f64| x),
        // Types of different sizes, which the check of the list refuses.
        _ => {}
    }
}

fn reinterpret<T: Lane>(value: Literal, from: Scalar, to: Scalar) -> T {
    T::from_literal(from_bits(bits(value, from), to))
}

/// Integers as words, the nearest bound where they are beyond, in the first `n` lanes.
pub(super) fn saturate(r: &mut Registers, op: &Op, from: Scalar, n: usize) {
    let Op { d, a, .. } = *op;
    let clamp = |x: i64| x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
    match from {
        Scalar::U32 => r.unary(d, a, n, |x: i32| clamp(i64::from(x as u32))),
        Scalar::U64 => r.unary(d, a, n, |x: i64| if x < 0 { i32::MAX } else { clamp(x) }),
        Scalar::I64 => r.unary(d, a, n, clamp),
        _ => r.unary(d, a, n, |x: i32| x),
    }
}
