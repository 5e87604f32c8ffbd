//! Quotients, rounded down.

use super::error::{checked_div, checked_mod, checked_mul, checked_neg, checked_sub};
use super::{Arena, Node, NodeId, Result, Sint, SymbolicError, SymbolicRule};
use crate::rule::State;
use smallvec::SmallVec;

/// How a quotient is asked for: whether factors may be taken out of a sum, by default or not. 0.9.0 remembers the ways of
/// asking apart, and so the order of terms in the answer may depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// As the kind of numerator does by default: all but products allow it.
    Plainly,
    /// Passing on what the caller was asked.
    PassingOn(bool),
    /// After a numerator was made non-negative: no more.
    AfterOffset,
}

impl Asked {
    fn factoring(self, default: bool) -> bool {
        match self {
            Asked::Plainly => default,
            Asked::PassingOn(allowed) => allowed,
            Asked::AfterOffset => false,
        }
    }

    const fn memo(self) -> u8 {
        match self {
            Asked::Plainly => 1,
            Asked::PassingOn(false) => 2,
            Asked::PassingOn(true) => 3,
            Asked::AfterOffset => 4,
        }
    }
}

/// Greatest common divisor, not negative.
pub(super) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

impl Arena {
    /// `a // b`, rounded down.
    ///
    /// # Errors
    /// Division by zero; [`SymbolicError::Unsupported`] where `b` is symbolic and `a` not known to be a multiple of it or
    /// smaller than it.
    pub fn floor_div(&mut self, a: NodeId, b: Sint) -> Result<NodeId> {
        self.div(a, b, Asked::Plainly)
    }

    fn div(&mut self, a: NodeId, b: Sint, asked: Asked) -> Result<NodeId> {
        if self.plain(b) == Sint::Int(0) {
            return Err(SymbolicError::DivisionByZero(self.describe(a)));
        }
        match self.node(a) {
            Node::Sum(_) => self.div_sum(a, b, asked),
            &Node::Mul(node, factor) => {
                if self.on(SymbolicRule::DivMulExact) && self.divides(b, factor)? {
                    self.fired(SymbolicRule::DivMulExact);
                    let factor = self.sint_floor_div(factor, b)?;
                    return self.mul(node, factor);
                }
                if self.on(SymbolicRule::DivMulCancel) && self.smallest(factor) > 0 && self.divides(factor, b)? {
                    self.fired(SymbolicRule::DivMulCancel);
                    let divisor = self.quotient_operand(b, factor)?;
                    return self.div(node, divisor, Asked::Plainly);
                }
                self.div_any(a, b, asked.factoring(false))
            }
            // A negative divisor can't be merged: floor(floor(a/2)/-3) is not floor(a/-6).
            &Node::Div(node, divisor) if self.on(SymbolicRule::DivOfDiv) => {
                if self.smallest(b) > 0 || self.altered(SymbolicRule::DivOfDiv) {
                    self.fired(SymbolicRule::DivOfDiv);
                    let divisor = match b {
                        Sint::Int(b) => Sint::Int(checked_mul(divisor, b)?),
                        Sint::Node(b) => Sint::Node(self.mul(b, Sint::Int(divisor))?),
                    };
                    return self.div(node, divisor, Asked::Plainly);
                }
                self.div_any(a, b, asked.factoring(true))
            }
            &Node::Mod(node, modulus) if self.on(SymbolicRule::DivOfMod) => {
                if self.smallest(b) > 0 && self.divides(b, Sint::Int(modulus))? {
                    self.fired(SymbolicRule::DivOfMod);
                    let quotient = self.div(node, b, Asked::Plainly)?;
                    if self.altered(SymbolicRule::DivOfMod) {
                        return Ok(quotient);
                    }
                    let modulus = self.quotient_operand(Sint::Int(modulus), b)?;
                    return self.modulo(quotient, modulus);
                }
                self.div_any(a, b, asked.factoring(true))
            }
            _ => self.div_any(a, b, asked.factoring(true)),
        }
    }

    /// Whether `b` divides `a` for certain; what can't be told does not.
    pub(super) fn divides(&mut self, b: Sint, a: Sint) -> Result<bool> {
        match (a, self.plain(b)) {
            (_, Sint::Int(0)) => Ok(false),
            (Sint::Int(a), Sint::Int(b)) => Ok(checked_mod(a, b)? == 0),
            _ => {
                let a = self.lift(a);
                match self.modulo(a, b) {
                    Ok(rest) => Ok(*self.node(rest) == Node::Number(0)),
                    Err(SymbolicError::Unsupported(_)) => Ok(false),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// `a // b` as an operand: a node stays a node even where it is a number, as Python's operators have it.
    fn quotient_operand(&mut self, a: Sint, b: Sint) -> Result<Sint> {
        if let (Sint::Int(a), Sint::Int(b)) = (a, b) {
            return checked_div(a, b).map(Sint::Int);
        }
        let a = self.lift(a);
        self.floor_div(a, b).map(Sint::Node)
    }

    /// A quotient that no rule of the numerator's kind takes care of.
    fn div_any(&mut self, a: NodeId, b: Sint, factoring: bool) -> Result<NodeId> {
        let b = match b {
            Sint::Int(b) => b,
            Sint::Node(id) => match *self.node(id) {
                Node::Number(b) => return self.div(a, Sint::Int(b), Asked::PassingOn(factoring)),
                _ => return self.div_symbolic(a, id),
            },
        };
        if b < 0 {
            self.fired(SymbolicRule::DivNegative);
            return self.div_negative(a, b, factoring);
        }
        if b == 1 && self.on(SymbolicRule::DivOne) {
            self.fired(SymbolicRule::DivOne);
            return Ok(a);
        }
        let min = self.min(a);
        if min >= 0 {
            return self.create(Node::Div(a, b));
        }
        self.fired(SymbolicRule::DivOffset);
        let state = self.rules().state(SymbolicRule::DivOffset);
        let mut offset = checked_div(min, b)?;
        if state == State::Off {
            offset = checked_sub(offset, 1)?;
        }
        let raised = self.add_number(a, checked_mul(checked_neg(offset)?, b)?)?;
        let quotient = self.div(raised, Sint::Int(b), Asked::AfterOffset)?;
        if state == State::Altered { Ok(quotient) } else { self.add_number(quotient, offset) }
    }

    fn div_negative(&mut self, a: NodeId, b: i64, factoring: bool) -> Result<NodeId> {
        let positive = checked_neg(b)?;
        match self.rules().state(SymbolicRule::DivNegative) {
            State::On => {
                let negative = self.neg(a)?;
                self.div(negative, Sint::Int(positive), Asked::PassingOn(factoring))
            }
            // floor(a/-b) = -ceil(a/b) = -floor((a+b-1)/b)
            State::Off => {
                let raised = self.add_number(a, positive - 1)?;
                let quotient = self.div(raised, Sint::Int(positive), Asked::Plainly)?;
                self.neg(quotient)
            }
            State::Altered => {
                let quotient = self.div(a, Sint::Int(positive), Asked::Plainly)?;
                self.neg(quotient)
            }
        }
    }

    fn div_symbolic(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        if self.on(SymbolicRule::DivSelf) && self.same(a, b) {
            self.fired(SymbolicRule::DivSelf);
            return Ok(self.number(1));
        }
        if self.on(SymbolicRule::DivSmall) && self.min(a) >= 0 && self.surely_less(a, b)? {
            self.fired(SymbolicRule::DivSmall);
            return Ok(self.number(0));
        }
        Err(SymbolicError::Unsupported(format!("{} // {}", self.describe(a), self.describe(b))))
    }

    fn div_sum(&mut self, a: NodeId, b: Sint, asked: Asked) -> Result<NodeId> {
        let key = self.memo_key(a, b, asked.memo());
        if let Some(&result) = self.memo.get(&key) {
            return Ok(result);
        }
        let result = match b {
            Sint::Node(id) => self.div_sum_by_node(a, id)?,
            Sint::Int(1) if self.on(SymbolicRule::DivOne) => {
                self.fired(SymbolicRule::DivOne);
                a
            }
            Sint::Int(b) if asked.factoring(true) => self.div_sum_by_number(a, b)?,
            Sint::Int(_) => self.div_any(a, b, false)?,
        };
        self.remember(key, result);
        Ok(result)
    }

    fn div_sum_by_node(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        if self.on(SymbolicRule::DivSelf) && self.same(a, b) {
            self.fired(SymbolicRule::DivSelf);
            return Ok(self.number(1));
        }
        let b = Sint::Node(b);
        let (mut divided, mut rest) = (SmallVec::new(), SmallVec::new());
        if self.on(SymbolicRule::DivTerms) {
            for term in self.flat_terms(a) {
                if self.divides(b, Sint::Node(term))? {
                    divided.push(self.floor_div(term, b)?);
                } else {
                    rest.push(term);
                }
            }
        }
        if !divided.is_empty() {
            let divided = self.create(Node::Sum(divided))?;
            if *self.node(divided) != Node::Number(0) {
                self.fired(SymbolicRule::DivTerms);
                if rest.is_empty() {
                    return Ok(divided);
                }
                let rest = self.create(Node::Sum(rest))?;
                let quotient = self.floor_div(rest, b)?;
                return self.add(divided, quotient);
            }
        }
        self.div_any(a, b, false)
    }

    fn div_sum_by_number(&mut self, a: NodeId, b: i64) -> Result<NodeId> {
        let (mut divided, mut rest) = (SmallVec::<[NodeId; 8]>::new(), SmallVec::<[NodeId; 8]>::new());
        let (mut common, mut factor) = (b, 1);
        let by_terms = self.rules().state(SymbolicRule::DivTerms);
        for term in self.flat_terms(a) {
            let count = match *self.node(term) {
                Node::Number(value) => {
                    let (quotient, left) = (checked_div(value, b)?, checked_mod(value, b)?);
                    if by_terms == State::Off || (quotient == 0 && left != 0) {
                        rest.push(term);
                    } else {
                        divided.push(self.number(quotient));
                        if left == 0 || by_terms == State::Altered {
                            continue;
                        }
                        rest.push(self.number(left));
                    }
                    common = gcd(common, left);
                    continue;
                }
                Node::Mul(_, count) => count,
                _ => Sint::Int(1),
            };
            if count != Sint::Int(1) && by_terms != State::Off && self.divides(Sint::Int(b), count)? {
                divided.push(self.floor_div(term, Sint::Int(b))?);
                continue;
            }
            rest.push(term);
            match count {
                Sint::Int(count) => {
                    common = gcd(common, count);
                    let fits = checked_mod(b, count)? == 0 || (count < b && self.altered(SymbolicRule::DivFactor));
                    if factor == 1 && fits {
                        factor = count;
                    }
                }
                Sint::Node(_) => common = 1,
            }
        }
        if !divided.is_empty() {
            self.fired(SymbolicRule::DivTerms);
        }
        let divided = self.sum(&divided)?;
        let rest = self.sum(&rest)?;
        // Dividing in two steps relies on the first one to take terms out; otherwise the steps would be merged again.
        let stepwise = by_terms != State::Off;
        let by = if stepwise && common > 1 && self.on(SymbolicRule::DivGcd) {
            self.fired(SymbolicRule::DivGcd);
            common
        // Rounding twice is right only where the second divisor is positive too.
        } else if stepwise && factor > 1 && b > 0 && self.on(SymbolicRule::DivFactor) {
            self.fired(SymbolicRule::DivFactor);
            factor
        } else {
            let quotient = self.div_any(rest, Sint::Int(b), true)?;
            return self.add(divided, quotient);
        };
        let quotient = self.div(rest, Sint::Int(by), Asked::Plainly)?;
        let quotient = self.div(quotient, Sint::Int(checked_div(b, by)?), Asked::Plainly)?;
        self.add(divided, quotient)
    }
}
