//! The order between uops of a graph: which of two comes first where nothing else decides.

use super::arena::UopArena;
use super::{IndexName, LocalName, UopArg, UopId, UopKind};
use crate::constant::Constant;
use crate::dtype::DType;
use crate::symbolic::Sint;
use std::cmp::Ordering;

impl UopArena {
    /// Compares by kind, argument, type, then sources one by one.
    ///
    /// 0.9.0 takes uops for equal that differ in what arithmetic they do, or in the sign of a zero, and leaves their order
    /// to chance (known fault N39); here they come in the order of their `number`s. Only the same uop compares equal.
    pub(super) fn compare(&self, left: UopId, right: UopId, number: impl Fn(UopId) -> usize) -> Ordering {
        let (mut left, mut right) = (left, right);
        loop {
            if left == right {
                return Ordering::Equal;
            }
            let (a, b) = (self.get(left), self.get(right));
            let mut order = a.kind.cmp(&b.kind);
            if order.is_eq() && a.kind != UopKind::Alu {
                order = compare_args(&a.arg, &b.arg);
            }
            if order.is_eq() && a.dtype != b.dtype {
                order = dtype_key(a.dtype).cmp(&dtype_key(b.dtype));
            }
            if order.is_ne() {
                return order;
            }
            match a.sources.iter().zip(&b.sources).find(|(x, y)| x != y) {
                Some((&x, &y)) => (left, right) = (x, y),
                None => return a.sources.len().cmp(&b.sources.len()).then_with(|| number(left).cmp(&number(right))),
            }
        }
    }
}

/// By promotion priority of the element, then size; images last.
fn dtype_key(dtype: Option<DType>) -> (bool, Option<(u8, usize, DType)>) {
    let image = matches!(dtype, Some(DType::Image(_)));
    (image, dtype.map(|dtype| (dtype.scalar() as u8, dtype.size(), dtype)))
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
    let number = |value: Constant| match value {
        Constant::Float(value) => value,
        other => other.as_int().unwrap_or(0) as f64,
    };
    match (left.as_int(), right.as_int()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => {
            let (a, b) = (number(left), number(right));
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
    }
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
