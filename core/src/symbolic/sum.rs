//! Sums: like terms collected, the numbers last.

use super::error::checked_add;
use super::{Arena, Node, NodeId, Result, Sint, SymbolicRule};
use crate::rule::State;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Sums with more terms look like terms up by hash instead of one by one.
const SHORT: usize = 16;

/// An expression and how many times it counts.
struct Multiple {
    node: NodeId,
    count: Sint,
    /// The node of the whole term, as long as nothing was added to it.
    term: Option<NodeId>,
}

/// The terms of a sum while they are collected.
#[derive(Default)]
struct Terms {
    /// In order of first occurrence.
    multiples: SmallVec<[Multiple; 8]>,
    /// Where each canonical node stands in `multiples`, once there are many.
    places: FxHashMap<NodeId, usize>,
    number: i64,
}

/// A sum whose terms are collected, to which numbers are to be added.
pub(crate) struct SumBase {
    terms: SmallVec<[NodeId; 4]>,
    number: i64,
    /// The sum itself.
    node: NodeId,
}

impl Arena {
    /// `a + b`.
    ///
    /// # Errors
    /// Overflow of 64 bits by a value or a bound, as all arithmetic here.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.sum(&[a, b])
    }

    /// `a - b`.
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        let negative = self.neg(b)?;
        self.sum(&[a, negative])
    }

    /// `a + number`.
    pub(super) fn add_number(&mut self, a: NodeId, number: i64) -> Result<NodeId> {
        let number = self.number(number);
        self.sum(&[a, number])
    }

    /// The sum of `terms`; 0 if there are none.
    pub fn sum(&mut self, terms: &[NodeId]) -> Result<NodeId> {
        let mut kept: SmallVec<[NodeId; 8]> = SmallVec::new();
        for &term in terms {
            if self.is_zero(term) && self.on(SymbolicRule::SumZero) {
                self.fired(SymbolicRule::SumZero);
            } else {
                kept.push(term);
            }
        }
        match kept.as_slice() {
            [] => return Ok(self.number(0)),
            [term] => return Ok(*term),
            _ => {}
        }
        let mut collected = Terms::default();
        for &term in &kept {
            self.collect(term, &mut collected)?;
        }
        let Terms { multiples, number, .. } = collected;
        let mut terms: SmallVec<[NodeId; 4]> = SmallVec::new();
        for Multiple { node, count, term } in multiples {
            match (self.plain(count), term) {
                (Sint::Int(0), _) => {}
                (Sint::Int(1), _) => terms.push(node),
                (_, Some(term)) => terms.push(term),
                (count, None) => terms.push(self.intern(Node::Mul(node, count))?),
            }
        }
        if number != 0 {
            terms.push(self.number(number));
        }
        match terms.as_slice() {
            [] => Ok(self.number(0)),
            [term] => Ok(*term),
            _ => self.create(Node::Sum(terms)),
        }
    }

    /// The sum of `terms`, to add numbers to: what comes out is what [`Arena::sum`] makes of the terms and the number.
    /// `None` where a rule that this relies on is off or altered.
    pub(crate) fn sum_base(&mut self, terms: &[NodeId]) -> Result<Option<SumBase>> {
        const RELIED_ON: [SymbolicRule; 4] =
            [SymbolicRule::SumZero, SymbolicRule::SumFlatten, SymbolicRule::SumConstants, SymbolicRule::SumCollect];
        if RELIED_ON.iter().any(|&rule| self.rules().state(rule) != State::On) {
            return Ok(None);
        }
        let node = self.sum(terms)?;
        let mut base = SumBase { terms: SmallVec::new(), number: 0, node };
        match self.node(node) {
            Node::Sum(terms) => base.terms = SmallVec::from_slice(terms),
            _ => base.terms.push(node),
        }
        if let Some(&last) = base.terms.last()
            && let Node::Number(number) = *self.node(last)
        {
            base.number = number;
            base.terms.pop();
        }
        // Only a sum whose number stands last, and that holds no further sums, was collected.
        let plain = |&term: &NodeId| !matches!(self.node(term), Node::Sum(_) | Node::Number(_)) && !self.is_zero(term);
        Ok(base.terms.iter().all(plain).then_some(base))
    }

    /// The sum of `base` and a number.
    pub(crate) fn add_to_base(&mut self, base: &SumBase, number: i64) -> Result<NodeId> {
        if number == 0 {
            return Ok(base.node);
        }
        let total = checked_add(base.number, number)?;
        if base.terms.is_empty() {
            return Ok(self.number(total));
        }
        let mut terms = base.terms.clone();
        if total != 0 {
            if base.number != 0 {
                self.fired(SymbolicRule::SumConstants);
            }
            terms.push(self.number(total));
        } else if let [term] = terms[..] {
            return Ok(term);
        }
        self.create(Node::Sum(terms))
    }

    /// Adds `term`, and what it is a sum of, to `collected`.
    fn collect(&mut self, term: NodeId, collected: &mut Terms) -> Result<()> {
        match self.node(term) {
            Node::Sum(nodes) if self.on(SymbolicRule::SumFlatten) => {
                let nodes: SmallVec<[NodeId; 8]> = SmallVec::from_slice(nodes);
                self.fired(SymbolicRule::SumFlatten);
                nodes.iter().try_for_each(|&node| self.collect(node, collected))
            }
            &Node::Number(value) if self.on(SymbolicRule::SumConstants) => {
                if collected.number != 0 {
                    self.fired(SymbolicRule::SumConstants);
                }
                collected.number = checked_add(collected.number, value)?;
                Ok(())
            }
            &Node::Mul(node, count) => self.collect_multiple(Multiple { node, count, term: Some(term) }, collected),
            _ => self.collect_multiple(Multiple { node: term, count: Sint::Int(1), term: Some(term) }, collected),
        }
    }

    fn collect_multiple(&mut self, multiple: Multiple, collected: &mut Terms) -> Result<()> {
        let Terms { multiples, places, .. } = collected;
        if !self.on(SymbolicRule::SumCollect) {
            multiples.push(multiple);
            return Ok(());
        }
        let node = self.canonical(multiple.node);
        let place = if multiples.len() < SHORT {
            multiples.iter().position(|known| self.canonical(known.node) == node)
        } else {
            if places.is_empty() {
                let known = multiples.iter().enumerate();
                *places = known.map(|(place, known)| (self.canonical(known.node), place)).collect();
            }
            places.get(&node).copied()
        };
        match place {
            Some(place) => {
                self.fired(SymbolicRule::SumCollect);
                if !self.altered(SymbolicRule::SumCollect) {
                    let known = &mut multiples[place];
                    known.count = self.sint_add(known.count, multiple.count)?;
                    known.term = None;
                }
            }
            None => {
                if multiples.len() >= SHORT {
                    places.insert(node, multiples.len());
                }
                multiples.push(multiple);
            }
        }
        Ok(())
    }

    /// The terms of a sum, and of sums within it; anything else is its own only term.
    pub(super) fn flat_terms(&self, id: NodeId) -> SmallVec<[NodeId; 8]> {
        let mut terms = SmallVec::new();
        let mut stack: SmallVec<[NodeId; 8]> = SmallVec::from_slice(&[id]);
        while let Some(id) = stack.pop() {
            match self.node(id) {
                Node::Sum(nodes) => stack.extend(nodes.iter().rev().copied()),
                _ => terms.push(id),
            }
        }
        terms
    }
}
