//! The order between uops of a graph: which of two comes first where nothing else decides.

use super::subgraph::Subgraph;
use super::{IndexName, LocalName, UopArg, UopId, UopKind};
use crate::constant::Constant;
use crate::dtype::DType;
use crate::symbolic::Sint;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::cmp::Ordering;

/// The order between the uops of a graph.
pub(super) struct Comparison<'a> {
    graph: &'a Subgraph<'a>,
    /// What long descents into sources found, for the pairs on their way: a later descent may end there.
    known: RefCell<FxHashMap<(UopId, UopId), Ordering>>,
}

/// Descents this deep are remembered.
const DEEP: usize = 8;

impl<'a> Comparison<'a> {
    /// The order of the uops of `graph`.
    pub(super) fn new(graph: &'a Subgraph<'a>) -> Comparison<'a> {
        Comparison { graph, known: RefCell::default() }
    }

    /// Compares by kind, argument, type, then sources one by one.
    ///
    /// 0.9.0 takes uops for equal that differ in what arithmetic they do, or in the sign of a zero, and leaves their order
    /// to chance (known fault N39); here they come in the order of their numbers in the graph. Only the same uop compares equal.
    pub(super) fn compare(&self, left: UopId, right: UopId) -> Ordering {
        let (mut left, mut right) = (left, right);
        let mut passed: SmallVec<[(UopId, UopId); DEEP]> = SmallVec::new();
        let order = loop {
            if passed.len() >= DEEP
                && let Some(&order) = self.known.borrow().get(&(left, right))
            {
                break order;
            }
            match self.compare_shallow(left, right) {
                Ok(order) => break order,
                Err(sources) => {
                    passed.push((left, right));
                    (left, right) = sources;
                }
            }
        };
        if passed.len() > DEEP {
            let mut known = self.known.borrow_mut();
            for pair in passed.drain(DEEP..) {
                known.insert(pair, order);
                known.insert((pair.1, pair.0), order.reverse());
            }
        }
        order
    }

    /// The order of two uops, or the sources whose order it is.
    fn compare_shallow(&self, left: UopId, right: UopId) -> Result<Ordering, (UopId, UopId)> {
        if left == right {
            return Ok(Ordering::Equal);
        }
        let (a, b) = (self.graph.arena.get(left), self.graph.arena.get(right));
        let mut order = a.kind.cmp(&b.kind);
        if order.is_eq() && a.kind != UopKind::Alu {
            order = compare_args(&a.arg, &b.arg);
        }
        if order.is_eq() && a.dtype != b.dtype {
            order = dtype_key(a.dtype).cmp(&dtype_key(b.dtype));
        }
        if order.is_ne() {
            return Ok(order);
        }
        match a.sources.iter().zip(&b.sources).find(|(x, y)| x != y) {
            Some((&x, &y)) => Err((x, y)),
            None => {
                let number = |id| self.graph.node(id);
                Ok(a.sources.len().cmp(&b.sources.len()).then_with(|| number(left).cmp(&number(right))))
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
