//! Comparisons.

use super::division::gcd;
use super::error::{checked_add, checked_div, checked_sub, overflow};
use super::{Arena, Node, NodeId, Result, Sint, SymbolicRule};
use crate::rule::State;
use smallvec::SmallVec;

impl Arena {
    /// Python's `a < b`: folded where the bounds decide it, otherwise as it stands.
    pub fn less(&mut self, a: NodeId, b: Sint) -> Result<NodeId> {
        let b = self.plain(b);
        self.create(Node::Less(a, b))
    }

    /// `a < b`, simplified (0.9.0's `create_lt_node`): what indices are checked with.
    pub fn create_less(&mut self, a: NodeId, b: Sint) -> Result<NodeId> {
        match (self.node(a), b) {
            (Node::Sum(_), Sint::Int(b)) => {
                let (a, b) = self.reduce_less(a, b)?;
                match self.node(a) {
                    Node::Sum(_) => self.create(Node::Less(a, Sint::Int(b))),
                    _ => self.create_less(a, Sint::Int(b)),
                }
            }
            (&Node::Mul(node, Sint::Int(factor)), Sint::Int(b)) if factor != -1 && factor != 0 => {
                let state = self.rules().state(SymbolicRule::LessMul);
                if state == State::Off {
                    return self.create(Node::Less(a, Sint::Int(b)));
                }
                self.fired(SymbolicRule::LessMul);
                let size = factor.checked_abs().ok_or_else(|| overflow("*", factor, -1))?;
                let limit = match state {
                    State::Altered => checked_div(b, size)?,
                    _ => checked_div(checked_add(b, size - 1)?, size)?,
                };
                let node = self.mul(node, Sint::Int(factor.signum()))?;
                self.create(Node::Less(node, Sint::Int(limit)))
            }
            _ => self.less(a, b),
        }
    }

    /// `a >= b`, simplified (0.9.0's `create_ge_node`).
    pub fn create_at_least(&mut self, a: NodeId, b: Sint) -> Result<NodeId> {
        let a = self.neg(a)?;
        let b = self.sint_neg(b)?;
        let b = self.sint_add(b, Sint::Int(1))?;
        self.create_less(a, b)
    }

    /// Sides of a comparison that say the same as `sum < b` more simply.
    fn reduce_less(&mut self, sum: NodeId, mut b: i64) -> Result<(NodeId, i64)> {
        let mut sum = sum;
        if self.on(SymbolicRule::LessNumber)
            && let Node::Sum(terms) = self.node(sum)
        {
            let terms: SmallVec<[NodeId; 8]> = SmallVec::from_slice(terms);
            let mut kept: SmallVec<[NodeId; 8]> = SmallVec::new();
            for &term in &terms {
                match *self.node(term) {
                    Node::Number(value) => {
                        self.fired(SymbolicRule::LessNumber);
                        b = checked_sub(b, value)?;
                    }
                    _ => kept.push(term),
                }
            }
            sum = self.sum(&kept)?;
        }
        if !self.on(SymbolicRule::LessGcd) {
            return Ok((sum, b));
        }
        let (mut multiples, mut others) = (SmallVec::<[NodeId; 8]>::new(), SmallVec::<[NodeId; 8]>::new());
        let mut common = b;
        let terms: SmallVec<[NodeId; 8]> = match self.node(sum) {
            Node::Sum(terms) => SmallVec::from_slice(terms),
            _ => SmallVec::from_slice(&[sum]),
        };
        for term in terms {
            match *self.node(term) {
                Node::Mul(_, Sint::Node(_)) => return Ok((sum, b)),
                Node::Mul(_, Sint::Int(factor)) if factor > 0 && self.max_int(term) >= b => {
                    common = gcd(common, factor);
                    multiples.push(term);
                }
                _ => others.push(term),
            }
        }
        if multiples.is_empty() || common == 0 {
            return Ok((sum, b));
        }
        let others = self.sum(&others)?;
        let limit = if self.altered(SymbolicRule::LessGcd) { checked_add(common, 1)? } else { common };
        if self.min(others) < 0 || self.max_int(others) >= limit {
            return Ok((sum, b));
        }
        if common > 1 {
            self.fired(SymbolicRule::LessGcd);
        }
        let mut quotients: SmallVec<[NodeId; 8]> = SmallVec::new();
        for multiple in multiples {
            quotients.push(self.floor_div(multiple, Sint::Int(common))?);
        }
        Ok((self.sum(&quotients)?, checked_div(b, common)?))
    }
}
