//! Remainders of the division that rounds down.

use super::error::{checked_div, checked_mod, checked_mul, checked_sub};
use super::{Arena, Node, NodeId, Result, Sint, SymbolicError, SymbolicRule};
use crate::rule::State;
use smallvec::SmallVec;

/// The number of this operation in memo keys.
const MEMO: u8 = 5;

impl Arena {
    /// `a % b`, not negative.
    ///
    /// # Errors
    /// A divisor of zero or below; [`SymbolicError::Unsupported`] where `b` is symbolic and `a` not known to be a multiple
    /// of it or smaller than it.
    pub fn modulo(&mut self, a: NodeId, b: Sint) -> Result<NodeId> {
        match self.plain(b) {
            Sint::Int(0) => return Err(SymbolicError::DivisionByZero(self.describe(a))),
            Sint::Int(b) if b < 0 => {
                return Err(SymbolicError::Unsupported(format!("{} % {b}, a negative divisor", self.describe(a))));
            }
            _ => {}
        }
        match self.node(a) {
            Node::Sum(_) => self.modulo_sum(a, b),
            &Node::Mul(node, factor) => match self.reduced(factor, b)? {
                Some(factor) => {
                    self.fired(SymbolicRule::ModOfMul);
                    let product = self.mul(node, factor)?;
                    self.modulo_any(product, b)
                }
                None => self.modulo_any(a, b),
            },
            &Node::Mod(node, modulus) => {
                if let Sint::Int(b) = b
                    && self.on(SymbolicRule::ModOfMod)
                    && (checked_mod(modulus, b)? == 0 || self.altered(SymbolicRule::ModOfMod))
                {
                    self.fired(SymbolicRule::ModOfMod);
                    return self.modulo(node, Sint::Int(b));
                }
                self.modulo_any(a, b)
            }
            _ => self.modulo_any(a, b),
        }
    }

    /// A factor modulo `b`, as an operand; None where that can't be told, or the rule is off.
    fn reduced(&mut self, factor: Sint, b: Sint) -> Result<Option<Sint>> {
        if !self.on(SymbolicRule::ModOfMul) {
            return Ok(None);
        }
        if let (Sint::Int(factor), Sint::Int(b)) = (factor, b) {
            return checked_mod(factor, b).map(|factor| Some(Sint::Int(factor)));
        }
        let factor = self.lift(factor);
        match self.modulo(factor, b) {
            Ok(rest) => Ok(Some(Sint::Node(rest))),
            Err(SymbolicError::Unsupported(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A remainder that no rule of the dividend's kind takes care of.
    fn modulo_any(&mut self, a: NodeId, b: Sint) -> Result<NodeId> {
        let b = match b {
            Sint::Int(b) => b,
            Sint::Node(id) => match *self.node(id) {
                Node::Number(b) => return self.modulo(a, Sint::Int(b)),
                _ => return self.modulo_symbolic(a, id),
            },
        };
        if b == 1 && self.on(SymbolicRule::ModOne) {
            self.fired(SymbolicRule::ModOne);
            return Ok(self.number(0));
        }
        let min = self.min(a);
        if let Sint::Int(max) = self.max(a) {
            let small = self.rules().state(SymbolicRule::ModSmall);
            let limit = if small == State::Altered { b.saturating_add(1) } else { b };
            if small != State::Off && min >= 0 && max < limit {
                self.fired(SymbolicRule::ModSmall);
                return Ok(a);
            }
            let quotient = checked_div(min, b)?;
            if self.on(SymbolicRule::ModSameQuotient) && quotient == checked_div(max, b)? {
                self.fired(SymbolicRule::ModSameQuotient);
                return self.add_number(a, checked_sub(0, checked_mul(b, quotient)?)?);
            }
        }
        // Only where rules that reduce factors and numbers are off is there anything negative left.
        if min < 0 {
            let raise = checked_sub(0, checked_mul(checked_div(min, b)?, b)?)?;
            let raised = self.add_number(a, raise)?;
            return self.modulo_any(raised, Sint::Int(b));
        }
        self.create(Node::Mod(a, b))
    }

    fn modulo_symbolic(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        if self.on(SymbolicRule::ModSelf) && self.same(a, b) {
            self.fired(SymbolicRule::ModSelf);
            return Ok(self.number(0));
        }
        if self.on(SymbolicRule::ModSmall) && self.min(a) >= 0 && self.surely_less(a, b)? {
            self.fired(SymbolicRule::ModSmall);
            return Ok(a);
        }
        Err(SymbolicError::Unsupported(format!("{} % {}", self.describe(a), self.describe(b))))
    }

    fn modulo_sum(&mut self, a: NodeId, b: Sint) -> Result<NodeId> {
        let key = self.memo_key(a, b, MEMO);
        if let Some(&result) = self.memo.get(&key) {
            return Ok(result);
        }
        let result = self.modulo_sum_anew(a, b)?;
        self.remember(key, result);
        Ok(result)
    }

    fn modulo_sum_anew(&mut self, a: NodeId, b: Sint) -> Result<NodeId> {
        if let Sint::Node(id) = b {
            if self.on(SymbolicRule::ModSelf) && self.same(a, id) {
                self.fired(SymbolicRule::ModSelf);
                return Ok(self.number(0));
            }
            if self.on(SymbolicRule::ModSmall) && self.min(a) >= 0 && self.surely_less(a, id)? {
                self.fired(SymbolicRule::ModSmall);
                return Ok(a);
            }
        }
        let state = self.rules().state(SymbolicRule::ModTerms);
        let Node::Sum(terms) = self.node(a) else { return self.modulo_any(a, b) };
        if state == State::Off {
            return self.modulo_any(a, b);
        }
        let terms: SmallVec<[NodeId; 8]> = SmallVec::from_slice(terms);
        let mut reduced: SmallVec<[NodeId; 8]> = SmallVec::new();
        for &term in &terms {
            let keep = match self.node(term) {
                Node::Mul(..) if state == State::Altered => continue,
                Node::Mul(..) => !self.on(SymbolicRule::ModOfMul),
                Node::Number(_) => false,
                _ => true,
            };
            if keep {
                reduced.push(term);
                continue;
            }
            match self.modulo(term, b) {
                Ok(rest) => reduced.push(rest),
                // Left as it is, which is congruent too.
                Err(SymbolicError::Unsupported(_)) => reduced.push(term),
                Err(error) => return Err(error),
            }
        }
        let sum = self.sum(&reduced)?;
        if sum != a {
            self.fired(SymbolicRule::ModTerms);
        }
        self.modulo_any(sum, b)
    }
}
