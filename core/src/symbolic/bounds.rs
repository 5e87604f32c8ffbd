//! Bounds of index expressions, from the bounds of their parts.

use super::error::{checked_add, checked_div, checked_mul};
use super::{Arena, Node, NodeId, Result, Sint, SymbolicRule};
use crate::rule::State;

/// Inclusive bounds of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) min: i64,
    /// Symbolic where a variable's bound is.
    pub(super) max: Sint,
    /// The largest number that `max` can be.
    pub(super) max_int: i64,
}

impl Bounds {
    pub(super) const fn exactly(value: i64) -> Bounds {
        Bounds { min: value, max: Sint::Int(value), max_int: value }
    }

    const fn between(min: i64, max: i64) -> Bounds {
        Bounds { min, max: Sint::Int(max), max_int: max }
    }
}

impl Arena {
    /// Bounds of a node that is about to be entered.
    ///
    /// 0.9.0 lets both bounds be symbolic and takes a comparison of them that nothing decides as true. Here the lower bound
    /// is always a number, and what nothing decides stays open.
    pub(super) fn bounds(&mut self, node: &Node) -> Result<Bounds> {
        match node {
            Node::Number(value) => Ok(Bounds::exactly(*value)),
            // Variables are entered with their bounds.
            Node::Variable(number) => {
                let variable = self.variable_info(*number);
                let (min, max) = (variable.min, variable.max);
                Ok(Bounds { min, max, max_int: self.largest(max) })
            }
            Node::Mul(a, b) => self.product_bounds(*a, *b),
            Node::Div(a, b) => {
                let min = checked_div(self.min(*a), *b)?;
                let max = self.max(*a);
                let max = self.sint_floor_div(max, Sint::Int(*b))?;
                Ok(Bounds { min, max, max_int: self.largest(max) })
            }
            Node::Mod(a, b) => self.remainder_bounds(*a, *b),
            Node::Less(a, b) => self.less_bounds(*a, *b),
            Node::Sum(terms) => {
                let (mut min, mut max, mut symbolic) = (0, 0, false);
                for &term in terms {
                    let bounds = &self.entry(term).bounds;
                    min = checked_add(min, bounds.min)?;
                    max = checked_add(max, bounds.max_int)?;
                    symbolic |= bounds.max.int().is_none();
                }
                if !symbolic {
                    return Ok(Bounds::between(min, max));
                }
                let mut max = Sint::Int(0);
                for &term in terms {
                    let bound = self.max(term);
                    max = self.sint_add(max, bound)?;
                }
                Ok(Bounds { min, max, max_int: self.largest(max) })
            }
            Node::And(terms) => {
                let min = terms.iter().map(|&term| self.min(term)).min().unwrap_or(1);
                let max = terms.iter().map(|&term| self.max_int(term)).max().unwrap_or(1);
                Ok(Bounds::between(min, max))
            }
        }
    }

    /// The largest number that `value` can be.
    pub fn largest(&self, value: Sint) -> i64 {
        match value {
            Sint::Int(value) => value,
            Sint::Node(id) => self.max_int(id),
        }
    }

    /// The smallest number that `value` can be.
    pub fn smallest(&self, value: Sint) -> i64 {
        match value {
            Sint::Int(value) => value,
            Sint::Node(id) => self.min(id),
        }
    }

    fn product_bounds(&mut self, a: NodeId, b: Sint) -> Result<Bounds> {
        let (low, high) = (self.min(a), self.max(a));
        let (factor_low, factor_high) = match b {
            Sint::Int(factor) => (factor, b),
            Sint::Node(id) => (self.min(id), self.max(id)),
        };
        if let (true, true, true) = (low >= 0, factor_low >= 0, high.int().is_none() || factor_high.int().is_none()) {
            let max = self.sint_mul(high, factor_high)?;
            return Ok(Bounds { min: checked_mul(low, factor_low)?, max, max_int: self.largest(max) });
        }
        let (high, factor_high) = (self.largest(high), self.largest(factor_high));
        let corners = [
            checked_mul(low, factor_low)?,
            checked_mul(low, factor_high)?,
            checked_mul(high, factor_low)?,
            checked_mul(high, factor_high)?,
        ];
        let min = corners.iter().copied().fold(i64::MAX, i64::min);
        Ok(Bounds::between(min, corners.iter().copied().fold(i64::MIN, i64::max)))
    }

    fn remainder_bounds(&mut self, a: NodeId, b: i64) -> Result<Bounds> {
        let (min, max) = (self.min(a), self.max_int(a));
        let whole = Bounds::between(0, b - 1);
        if self.max(a).int().is_none() || max.checked_sub(min).is_none_or(|range| range >= b) {
            return Ok(whole);
        }
        let (first, last) = (min.rem_euclid(b), max.rem_euclid(b));
        Ok(if min != max && first >= last { whole } else { Bounds::between(first, last) })
    }

    fn less_bounds(&mut self, a: NodeId, b: Sint) -> Result<Bounds> {
        if let Sint::Node(b) = b
            && self.on(SymbolicRule::LessSame)
            && self.same(a, b)
        {
            self.fired(SymbolicRule::LessSame);
            return Ok(Bounds::exactly(i64::from(self.altered(SymbolicRule::LessSame))));
        }
        let state = self.rules().state(SymbolicRule::LessBounds);
        if state == State::Off {
            return Ok(Bounds::between(0, 1));
        }
        let planted = state == State::Altered && self.min(a) < self.smallest(b);
        let decided = if planted || self.surely_less_by_bounds(a, b)? {
            Some(true)
        } else if self.min(a) >= self.largest(b) {
            Some(false)
        } else {
            None
        };
        match decided {
            Some(value) => {
                self.fired(SymbolicRule::LessBounds);
                Ok(Bounds::exactly(i64::from(value)))
            }
            None => Ok(Bounds::between(0, 1)),
        }
    }

    /// Whether the largest value of `a` is below the smallest of `b`. A variable that ends at `n-1` is below `n`: where the
    /// largest value is symbolic, the terms that make it so are put at theirs, and the rest is left as it is.
    fn surely_less_by_bounds(&mut self, a: NodeId, b: Sint) -> Result<bool> {
        if self.max_int(a) < self.smallest(b) {
            return Ok(true);
        }
        let Sint::Node(max) = self.max(a) else { return Ok(false) };
        if self.min(max) >= self.smallest(b) {
            return Ok(false);
        }
        let mut highest = Sint::Int(0);
        for term in self.flat_terms(a) {
            let bound = self.max(term);
            let term = if bound.int().is_none() { bound } else { self.lower(term) };
            highest = self.sint_add(highest, term)?;
        }
        let difference = self.sint_sub(b, highest)?;
        Ok(self.smallest(difference) > 0)
    }

    /// Whether `a < b` for all values, by the bounds of the difference.
    pub(crate) fn surely_less(&mut self, a: NodeId, b: NodeId) -> Result<bool> {
        let difference = self.sub(b, a)?;
        if self.min(difference) > 0 {
            return Ok(true);
        }
        self.surely_less_by_bounds(a, Sint::Node(b))
    }
}
