//! The order between uops of a graph: which of two comes first where nothing else decides.

use super::arena::UopArena;
use super::key::{compare, is_exact_key, key};
use super::subgraph::Subgraph;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::cmp::Ordering;

/// The order between the nodes of a graph.
pub(super) struct Comparison<'a> {
    arena: &'a UopArena,
    graph: &'a Subgraph,
    /// The key of each node.
    keys: &'a [u128],
    /// What long descents into sources found, for the pairs on their way: a later descent may end there.
    known: RefCell<FxHashMap<(u32, u32), Ordering>>,
}

/// Descents this deep are remembered.
const DEEP: usize = 8;

impl<'a> Comparison<'a> {
    /// The order of the nodes of `graph`, in the memory of `keys`.
    pub(super) fn new(arena: &'a UopArena, graph: &'a Subgraph, keys: &'a mut Vec<u128>) -> Comparison<'a> {
        keys.clear();
        keys.extend(graph.nodes.iter().map(|&id| key(arena.get(id))));
        Comparison { arena, graph, keys, known: RefCell::default() }
    }

    /// Compares by kind, argument, type, then sources one by one.
    ///
    /// 0.9.0 takes uops for equal that differ in what arithmetic they do, or in the sign of a zero, and leaves their order
    /// to chance (known fault N39); here they come in the order of their nodes. Only the same node compares equal.
    #[inline]
    pub(super) fn compare(&self, left: u32, right: u32) -> Ordering {
        match self.keys[left as usize].cmp(&self.keys[right as usize]) {
            Ordering::Equal => self.descend(left, right),
            order => order,
        }
    }

    /// Compares nodes whose keys are equal.
    fn descend(&self, left: u32, right: u32) -> Ordering {
        let mut pair = (left, right);
        for _ in 0..DEEP {
            match self.compare_shallow(pair) {
                Ok(order) => return order,
                Err(sources) => pair = sources,
            }
        }
        self.descend_deep(pair)
    }

    /// Compares nodes that stand far below those whose order is asked for, and remembers what it finds.
    #[cold]
    fn descend_deep(&self, pair: (u32, u32)) -> Ordering {
        let mut known = self.known.borrow_mut();
        let (mut pair, mut passed) = (pair, SmallVec::<[(u32, u32); 32]>::new());
        let order = loop {
            if let Some(&order) = known.get(&pair) {
                break order;
            }
            match self.compare_shallow(pair) {
                Ok(order) => break order,
                Err(sources) => {
                    passed.push(pair);
                    pair = sources;
                }
            }
        };
        for pair in passed {
            known.insert(pair, order);
            known.insert((pair.1, pair.0), order.reverse());
        }
        order
    }

    /// The order of two nodes, or the sources whose order it is.
    #[inline(always)]
    fn compare_shallow(&self, (left, right): (u32, u32)) -> Result<Ordering, (u32, u32)> {
        let key = self.keys[left as usize];
        let mut order = key.cmp(&self.keys[right as usize]);
        if order.is_eq() && !is_exact_key(key) && left != right {
            order = compare(self.graph.uop(self.arena, left as usize), self.graph.uop(self.arena, right as usize));
        }
        if order.is_ne() {
            return Ok(order);
        }
        let (a, b) = (self.graph.sources(left as usize), self.graph.sources(right as usize));
        match a.iter().zip(b).find(|(x, y)| x != y) {
            Some((&x, &y)) => Err((x, y)),
            None => Ok(a.len().cmp(&b.len()).then_with(|| left.cmp(&right))),
        }
    }
}
