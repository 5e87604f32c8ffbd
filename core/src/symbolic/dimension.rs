//! Arithmetic on dimensions: plain numbers where both are, index expressions otherwise.

use super::error::{checked_add, checked_div, checked_mod, checked_mul, checked_neg, checked_sub};
use super::{Arena, NodeId, Result, Sint};

impl Arena {
    fn nodes(&mut self, a: Sint, b: Sint) -> (NodeId, NodeId) {
        (self.lift(a), self.lift(b))
    }

    /// `a + b`.
    ///
    /// # Errors
    /// Overflow of 64 bits, as all of these.
    #[inline]
    pub fn sint_add(&mut self, a: Sint, b: Sint) -> Result<Sint> {
        if let (Sint::Int(a), Sint::Int(b)) = (a, b) {
            return checked_add(a, b).map(Sint::Int);
        }
        // Python adds an int from the left as `node + int`.
        let (a, b) = if a.int().is_some() { self.nodes(b, a) } else { self.nodes(a, b) };
        let sum = self.add(a, b)?;
        Ok(self.lower(sum))
    }

    /// `a - b`.
    #[inline]
    pub fn sint_sub(&mut self, a: Sint, b: Sint) -> Result<Sint> {
        if let (Sint::Int(a), Sint::Int(b)) = (a, b) {
            return checked_sub(a, b).map(Sint::Int);
        }
        let negative = self.sint_neg(b)?;
        self.sint_add(a, negative)
    }

    /// `-a`.
    #[inline]
    pub fn sint_neg(&mut self, a: Sint) -> Result<Sint> {
        match a {
            Sint::Int(a) => checked_neg(a).map(Sint::Int),
            Sint::Node(a) => {
                let negative = self.neg(a)?;
                Ok(self.lower(negative))
            }
        }
    }

    /// `a * b`.
    #[inline]
    pub fn sint_mul(&mut self, a: Sint, b: Sint) -> Result<Sint> {
        let product = match (a, b) {
            (Sint::Int(a), Sint::Int(b)) => return checked_mul(a, b).map(Sint::Int),
            (Sint::Int(_), Sint::Node(b)) => self.mul(b, a)?,
            (Sint::Node(a), _) => self.mul(a, b)?,
        };
        Ok(self.lower(product))
    }

    /// `a // b`, rounded down.
    ///
    /// # Errors
    /// Division by zero, or by something symbolic that `a` is not known to be a multiple of or smaller than.
    pub fn sint_floor_div(&mut self, a: Sint, b: Sint) -> Result<Sint> {
        if let (Sint::Int(a), Sint::Int(b)) = (a, b) {
            return checked_div(a, b).map(Sint::Int);
        }
        let a = self.lift(a);
        let quotient = self.floor_div(a, b)?;
        Ok(self.lower(quotient))
    }

    /// `a % b`, with the sign of `b`.
    ///
    /// # Errors
    /// As [`Arena::sint_floor_div`]; a negative divisor of something symbolic is not supported.
    pub fn sint_mod(&mut self, a: Sint, b: Sint) -> Result<Sint> {
        if let (Sint::Int(a), Sint::Int(b)) = (a, b) {
            return checked_mod(a, b).map(Sint::Int);
        }
        let a = self.lift(a);
        let rest = self.modulo(a, b)?;
        Ok(self.lower(rest))
    }
}
