//! Which nodes are the same, although terms stand in another order.

use super::arena::MemoKey;
use super::{Arena, Node, NodeId, Sint};

impl Arena {
    /// Python's `==` of nodes: equal up to the order of a sum's or conjunction's terms, and of two variables multiplied.
    #[inline]
    pub fn same(&self, a: NodeId, b: NodeId) -> bool {
        a == b || self.canonical(a) == self.canonical(b)
    }

    /// The first node entered that is the [same](Arena::same) as `id`: one for all of them.
    #[inline]
    pub fn canonical(&self, id: NodeId) -> NodeId {
        self.entry(id).class
    }

    /// Whether two nodes are the same, of whose children this is known.
    pub(super) fn same_structure(&self, a: NodeId, b: NodeId) -> bool {
        let (left, right) = (self.entry(a), self.entry(b));
        if left.hash() != right.hash() {
            return false;
        }
        match (&left.node, &right.node) {
            (Node::Mul(a, Sint::Node(b)), Node::Mul(c, Sint::Node(d))) => {
                let swapped = self.is_variable(*a) && self.is_variable(*b) && a == d && b == c;
                swapped || (self.same(*a, *c) && self.same(*b, *d))
            }
            (Node::Mul(a, b), Node::Mul(c, d)) | (Node::Less(a, b), Node::Less(c, d)) => {
                self.same_sint(*b, *d) && self.same(*a, *c)
            }
            (Node::Div(a, b), Node::Div(c, d)) | (Node::Mod(a, b), Node::Mod(c, d)) => b == d && self.same(*a, *c),
            (Node::Sum(a), Node::Sum(b)) | (Node::And(a), Node::And(b)) => self.same_terms(a, b),
            _ => false,
        }
    }

    /// Whether the two lists hold the same nodes, in any order. Equal hashes are all but proof; the search is short.
    fn same_terms(&self, a: &[NodeId], b: &[NodeId]) -> bool {
        if a.len() != b.len() {
            return false;
        }
        let mut left = b.to_vec();
        a.iter().all(|&term| match left.iter().position(|&other| self.same(term, other)) {
            Some(place) => {
                left.swap_remove(place);
                true
            }
            None => false,
        })
    }

    /// Python's `==` of dimensions.
    #[inline]
    pub fn same_sint(&self, a: Sint, b: Sint) -> bool {
        if let (Sint::Int(a), Sint::Int(b)) = (a, b) {
            return a == b;
        }
        match (self.plain(a), self.plain(b)) {
            (Sint::Int(a), Sint::Int(b)) => a == b,
            (Sint::Node(a), Sint::Node(b)) => self.same(a, b),
            _ => false,
        }
    }

    fn is_variable(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::Variable(_))
    }

    /// The key of an operation on a sum.
    pub(super) fn memo_key(&self, sum: NodeId, operand: Sint, operation: u8) -> MemoKey {
        // A number and its node are equal here, as they are in Python.
        let operand = match self.plain(operand) {
            Sint::Node(id) => Sint::Node(self.canonical(id)),
            number => number,
        };
        (self.canonical(sum), operand, operation)
    }
}
