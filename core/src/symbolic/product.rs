//! Products by a number or something symbolic.

use super::error::checked_mul;
use super::{Arena, Node, NodeId, Result, Sint, SymbolicRule};
use smallvec::SmallVec;

/// The number of this operation in memo keys.
const MEMO: u8 = 0;

impl Arena {
    /// `a * b`.
    pub fn mul(&mut self, a: NodeId, b: Sint) -> Result<NodeId> {
        match self.node(a) {
            &Node::Number(value) => match b {
                Sint::Int(factor) => Ok(self.number(checked_mul(value, factor)?)),
                Sint::Node(b) => self.mul(b, Sint::Int(value)),
            },
            &Node::Mul(node, factor) if self.on(SymbolicRule::MulOfMul) => {
                self.fired(SymbolicRule::MulOfMul);
                let factor = self.sint_mul(factor, b)?;
                self.mul(node, factor)
            }
            Node::Sum(_) if self.on(SymbolicRule::MulDistribute) => self.distribute(a, b),
            _ => match self.plain(b) {
                Sint::Int(0) if self.on(SymbolicRule::MulZero) => {
                    self.fired(SymbolicRule::MulZero);
                    Ok(self.number(0))
                }
                Sint::Int(1) if self.on(SymbolicRule::MulOne) => {
                    self.fired(SymbolicRule::MulOne);
                    Ok(a)
                }
                b => self.create(Node::Mul(a, b)),
            },
        }
    }

    /// `-a`.
    pub fn neg(&mut self, a: NodeId) -> Result<NodeId> {
        self.mul(a, Sint::Int(-1))
    }

    fn distribute(&mut self, sum: NodeId, b: Sint) -> Result<NodeId> {
        let key = self.memo_key(sum, b, MEMO);
        if let Some(&result) = self.memo.get(&key) {
            return Ok(result);
        }
        self.fired(SymbolicRule::MulDistribute);
        let Node::Sum(terms) = self.node(sum) else { return self.create(Node::Mul(sum, b)) };
        let terms: SmallVec<[NodeId; 8]> = SmallVec::from_slice(terms);
        let mut products: SmallVec<[NodeId; 8]> = SmallVec::new();
        for &term in &terms {
            products.push(self.mul(term, b)?);
        }
        let result = self.sum(&products)?;
        self.remember(key, result);
        Ok(result)
    }
}
