//! Sums: like terms collected, the numbers last.

use super::error::checked_add;
use super::{Arena, Node, NodeId, Result, Sint, SymbolicRule};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Sums with more terms look like terms up by hash instead of one by one.
const SHORT: usize = 16;

/// The terms of a sum while they are collected.
#[derive(Default)]
struct Terms {
    /// An expression and how many times it counts, in order of first occurrence.
    multiples: SmallVec<[(NodeId, Sint); 8]>,
    /// Where each hash stands in `multiples`, once there are many.
    places: FxHashMap<u64, usize>,
    number: i64,
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
        for (node, count) in multiples {
            match self.plain(count) {
                Sint::Int(0) => {}
                Sint::Int(1) => terms.push(node),
                count => terms.push(self.intern(Node::Mul(node, count))?),
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

    /// Adds `term`, and what it is a sum of, to `collected`.
    fn collect(&mut self, term: NodeId, collected: &mut Terms) -> Result<()> {
        match self.node(term) {
            Node::Sum(nodes) if self.on(SymbolicRule::SumFlatten) => {
                let nodes = nodes.clone();
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
            &Node::Mul(node, count) => self.collect_multiple(node, count, collected),
            _ => self.collect_multiple(term, Sint::Int(1), collected),
        }
    }

    fn collect_multiple(&mut self, node: NodeId, count: Sint, collected: &mut Terms) -> Result<()> {
        if !self.on(SymbolicRule::SumCollect) {
            collected.multiples.push((node, count));
            return Ok(());
        }
        let place = if collected.multiples.len() < SHORT {
            collected.multiples.iter().position(|&(known, _)| self.same(known, node))
        } else {
            if collected.places.is_empty() {
                let hashes = collected.multiples.iter().enumerate();
                collected.places = hashes.map(|(place, &(node, _))| (self.entry(node).hash(), place)).collect();
            }
            let place = collected.places.get(&self.entry(node).hash()).copied();
            place.filter(|&place| self.same(collected.multiples[place].0, node))
        };
        match place {
            Some(place) => {
                self.fired(SymbolicRule::SumCollect);
                if !self.altered(SymbolicRule::SumCollect) {
                    let known = collected.multiples[place].1;
                    collected.multiples[place].1 = self.sint_add(known, count)?;
                }
            }
            None => {
                if collected.multiples.len() >= SHORT {
                    collected.places.insert(self.entry(node).hash(), collected.multiples.len());
                }
                collected.multiples.push((node, count));
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
