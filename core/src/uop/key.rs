//! Keys of uops: numbers in the order of kinds, arguments and types.

use super::{IndexName, LocalName, Uop, UopArg, UopKind};
use crate::constant::Constant;
use crate::dtype::DType;
use crate::symbolic::Sint;
use std::cmp::Ordering;

/// Bits of a type.
const DTYPE_BITS: u32 = 27;
/// Bits of an argument.
const ARG_BITS: u32 = 96;

/// A number such that of two uops that differ in it the one with the lesser number comes first by kind, argument and
/// type. Of uops with the same number [`compare`] tells, unless their kind's keys [are exact](is_exact).
///
/// From the top: the kind, the argument, the type. Where the bits of the argument do not tell all of it, those below are 0.
pub(super) fn key(uop: &Uop) -> u128 {
    let (arg, told) = match (uop.kind, &uop.arg) {
        (UopKind::Gep, UopArg::Lane(lane)) => (u128::from(*lane), true),
        (UopKind::Const, UopArg::Const(value)) => {
            let (value, told) = constant_bits(*value);
            (u128::from(value), told)
        }
        (UopKind::DefineAcc, UopArg::Acc { init, buffer, number }) => {
            let (value, told) = constant_bits(*init);
            let (rest, rest_told) = accumulator_bits(*buffer, *number);
            (u128::from(value) << 32 | if told { u128::from(rest) } else { 0 }, told && rest_told)
        }
        (UopKind::DefineGlobal, UopArg::Global { index, output }) => {
            (u128::from(*index) << 1 | u128::from(*output), true)
        }
        (UopKind::Special, UopArg::Special { dim, name, .. }) => {
            let (kind, number) = index_key(*name);
            (u128::from(*dim) << 34 | u128::from(kind) << 32 | u128::from(number), false)
        }
        (UopKind::Range, UopArg::Range { depth, number }) => (u128::from(*depth) << 32 | u128::from(*number), true),
        (kind, _) => (0, is_exact(kind)),
    };
    let dtype = if told { u128::from(dtype_bits(uop.dtype)) } else { 0 };
    (uop.kind as u128) << (ARG_BITS + DTYPE_BITS) | arg << DTYPE_BITS | dtype
}

/// Whether uops of the kind that have the same key have the same argument and type. Their types are no images, which only
/// arguments of the kernel have, and what arithmetic they do does not count.
pub(super) const fn is_exact(kind: UopKind) -> bool {
    !matches!(
        kind,
        UopKind::DefineGlobal
            | UopKind::DefineVar
            | UopKind::DefineLocal
            | UopKind::DefineAcc
            | UopKind::Const
            | UopKind::Special
            | UopKind::Wmma
            | UopKind::Range
    )
}

/// The kind of the uop that a key is of, if its keys are exact.
pub(super) const fn is_exact_key(key: u128) -> bool {
    const INEXACT: u32 = {
        let mut kinds = 0;
        let mut kind = 0;
        while kind < UopKind::ALL.len() {
            if !is_exact(UopKind::ALL[kind]) {
                kinds |= 1 << UopKind::ALL[kind] as u32;
            }
            kind += 1;
        }
        kinds
    };
    INEXACT >> (key >> (ARG_BITS + DTYPE_BITS)) & 1 == 0
}

/// Compares by argument and type two uops of a kind.
pub(super) fn compare(left: &Uop, right: &Uop) -> Ordering {
    compare_args(&left.arg, &right.arg).then_with(|| dtype_key(left.dtype).cmp(&dtype_key(right.dtype)))
}

/// By promotion priority of the element, then size; images last.
fn dtype_key(dtype: Option<DType>) -> (bool, Option<(u8, usize, DType)>) {
    let image = matches!(dtype, Some(DType::Image(_)));
    (image, dtype.map(|dtype| (dtype.scalar() as u8, dtype.size(), dtype)))
}

/// A number in the same order, but that it is the same for images that differ only in height and width.
const fn dtype_bits(dtype: Option<DType>) -> u32 {
    let Some(dtype) = dtype else { return 0 };
    let (image, form) = match dtype {
        DType::Scalar(_) => (0, 0),
        DType::Vector(..) => (0, 1),
        DType::Pointer(_) => (0, 2),
        DType::Image(_) => (1, 3),
    };
    image << 19 | 1 << 18 | (dtype.scalar() as u32) << 14 | (dtype.size() as u32) << 2 | form
}

fn compare_args(left: &UopArg, right: &UopArg) -> Ordering {
    match (left, right) {
        (UopArg::Const(a), UopArg::Const(b)) => compare_constants(*a, *b),
        (UopArg::Global { index: a, output: c }, UopArg::Global { index: b, output: d }) => (a, c).cmp(&(b, d)),
        (UopArg::Local { name: a, size: c }, UopArg::Local { name: b, size: d }) => {
            (local_key(*a), c).cmp(&(local_key(*b), d))
        }
        (UopArg::Var { name: a, min: c, max: e }, UopArg::Var { name: b, min: d, max: f }) => (a, c, e).cmp(&(b, d, f)),
        (UopArg::Acc { init: a, buffer: c, number: e }, UopArg::Acc { init: b, buffer: d, number: f }) => {
            compare_constants(*a, *b).then_with(|| (c, e).cmp(&(d, f)))
        }
        (UopArg::Special { dim: a, name: c, size: e }, UopArg::Special { dim: b, name: d, size: f }) => {
            (a, index_key(*c), size_key(*e)).cmp(&(b, index_key(*d), size_key(*f)))
        }
        (UopArg::Range { depth: a, number: c }, UopArg::Range { depth: b, number: d }) => (a, c).cmp(&(b, d)),
        (UopArg::Lane(a), UopArg::Lane(b)) => a.cmp(b),
        (UopArg::Wmma(a), UopArg::Wmma(b)) => a.cmp(b),
        // Two of a kind carry arguments of a kind.
        _ => Ordering::Equal,
    }
}

/// By value, whatever the types: false is 0, true is 1, NaN is the largest. Both zeros are equal here.
fn compare_constants(left: Constant, right: Constant) -> Ordering {
    match (left.as_int(), right.as_int()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => {
            let (a, b) = (float(left), float(right));
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
    }
}

fn float(value: Constant) -> f64 {
    match value {
        Constant::Float(value) => value,
        other => other.as_int().unwrap_or(0) as f64,
    }
}

/// A number in the same order, and whether constants with the same number are equal.
fn constant_bits(value: Constant) -> (u64, bool) {
    // Larger integers may be rounded to the same number.
    const EXACT: f64 = (1i64 << f64::MANTISSA_DIGITS) as f64;
    let value = float(value);
    if value.is_nan() {
        return (u64::MAX, true);
    }
    // A negative zero becomes a positive one.
    let bits = (value + 0.0).to_bits();
    let in_order = if value < 0.0 { !bits } else { bits | 1 << 63 };
    (in_order, value.abs() < EXACT || value.is_infinite())
}

/// A number in the order of an accumulator's buffer and number, and whether it tells both.
fn accumulator_bits(buffer: i32, number: u32) -> (u32, bool) {
    const MOST_BUFFERS: u32 = (1 << 12) - 1;
    const MOST_NUMBERS: u32 = (1 << 20) - 1;
    let buffer = u32::try_from(i64::from(buffer) + 2).unwrap_or(0).min(MOST_BUFFERS);
    if buffer == 0 || buffer == MOST_BUFFERS {
        return (buffer << 20, false);
    }
    (buffer << 20 | number.min(MOST_NUMBERS), number < MOST_NUMBERS)
}

/// In the order of their texts.
fn local_key(name: LocalName) -> (u32, u32) {
    match name {
        LocalName::Alias(buffer) => (0, buffer),
        LocalName::Temp => (1, 0),
    }
}

/// In the order of their texts.
fn index_key(name: IndexName) -> (u32, u32) {
    match name {
        IndexName::Global(number) => (0, number),
        IndexName::Flat(number) => (1, number),
        IndexName::Local(number) => (2, number),
    }
}

fn size_key(size: Sint) -> (u8, i64) {
    match size {
        Sint::Int(size) => (0, size),
        Sint::Node(node) => (1, i64::from(node.0)),
    }
}
