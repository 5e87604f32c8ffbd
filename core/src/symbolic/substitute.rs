//! Variables replaced, listed and looked for.

use super::arena::for_each_child;
use super::{Arena, Node, NodeId, Result, Sint};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Larger expressions may share so much that walks must remember what they have seen.
pub(super) const PLAIN_WALK: u32 = 64;

/// What to put in place of what.
struct Substitution<'a> {
    replacements: &'a [(NodeId, NodeId)],
    /// The [`Entry::variables`](super::arena::Entry) of what is replaced.
    mask: u64,
    done: FxHashMap<NodeId, NodeId>,
}

impl Arena {
    /// `id` with variables replaced, simplified anew; each pair is a variable's node and its replacement (a number or a
    /// variable).
    ///
    /// # Errors
    /// Those of the arithmetic that rebuilds the expression.
    pub fn substitute(&mut self, id: NodeId, replacements: &[(NodeId, NodeId)]) -> Result<NodeId> {
        let mask = replacements.iter().fold(0, |mask, &(variable, _)| mask | self.entry(variable).variables);
        self.replace(id, &mut Substitution { replacements, mask, done: FxHashMap::default() })
    }

    fn replace(&mut self, id: NodeId, substitution: &mut Substitution<'_>) -> Result<NodeId> {
        let entry = self.entry(id);
        match entry.node {
            Node::Number(_) => return Ok(id),
            Node::Variable(_) => {
                let found = substitution.replacements.iter().find(|&&(variable, _)| variable == id);
                return Ok(found.map_or(id, |&(_, replacement)| replacement));
            }
            _ => {}
        }
        // What holds none of the variables is rebuilt all the same: that may still change it, but always alike.
        let untouched = entry.variables & substitution.mask == 0;
        let remembered = entry.size > PLAIN_WALK;
        let known = match remembered {
            _ if untouched => entry.rebuilt,
            true => substitution.done.get(&id).copied(),
            false => None,
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let result = self.replace_below(id, substitution)?;
        if untouched {
            self.entry_mut(id).rebuilt = Some(result);
        } else if remembered {
            substitution.done.insert(id, result);
        }
        Ok(result)
    }

    fn replace_below(&mut self, id: NodeId, substitution: &mut Substitution<'_>) -> Result<NodeId> {
        match *self.node(id) {
            Node::Number(_) | Node::Variable(_) => Ok(id),
            Node::Mul(a, b) => {
                let (a, b) = (self.replace(a, substitution)?, self.replace_sint(b, substitution)?);
                self.mul(a, b)
            }
            Node::Div(a, b) => {
                let a = self.replace(a, substitution)?;
                self.floor_div(a, Sint::Int(b))
            }
            Node::Mod(a, b) => {
                let a = self.replace(a, substitution)?;
                self.modulo(a, Sint::Int(b))
            }
            Node::Less(a, b) => {
                let (a, b) = (self.replace(a, substitution)?, self.replace_sint(b, substitution)?);
                let b = self.plain(b);
                self.create_less(a, b)
            }
            Node::Sum(ref terms) => {
                let terms: SmallVec<[NodeId; 8]> = SmallVec::from_slice(terms);
                let mut replaced: SmallVec<[NodeId; 8]> = SmallVec::new();
                for &term in &terms {
                    replaced.push(self.replace(term, substitution)?);
                }
                self.sum(&replaced)
            }
            Node::And(ref terms) => {
                let terms: SmallVec<[NodeId; 8]> = SmallVec::from_slice(terms);
                let mut replaced: SmallVec<[NodeId; 8]> = SmallVec::new();
                for &term in &terms {
                    let term = self.replace(term, substitution)?;
                    if self.is_zero(term) {
                        return Ok(self.number(0));
                    }
                    replaced.push(term);
                }
                self.ands(&replaced)
            }
        }
    }

    fn replace_sint(&mut self, value: Sint, substitution: &mut Substitution<'_>) -> Result<Sint> {
        match value {
            Sint::Int(_) => Ok(value),
            Sint::Node(id) => self.replace(id, substitution).map(Sint::Node),
        }
    }

    /// The variables below `id`, each once, in order of first occurrence.
    pub fn variables(&self, id: NodeId) -> SmallVec<[NodeId; 4]> {
        let mut found = SmallVec::new();
        self.walk(id, |id| {
            if matches!(self.node(id), Node::Variable(_)) && !found.contains(&id) {
                found.push(id);
            }
            true
        });
        found
    }

    /// Whether `variable` occurs in `id`.
    pub fn contains(&self, id: NodeId, variable: NodeId) -> bool {
        let mask = self.entry(variable).variables;
        let may = self.entry(id).variables & mask != 0;
        if !may || (self.has_few_variables() && matches!(self.node(variable), Node::Variable(_))) {
            return may;
        }
        let mut found = false;
        self.walk(id, |id| {
            found |= id == variable;
            !found && self.entry(id).variables & mask != 0
        });
        found
    }

    /// Visits `id` and what is below, a node before its parts; below a node only where `visit` says so.
    fn walk(&self, id: NodeId, mut visit: impl FnMut(NodeId) -> bool) {
        let mut seen = (self.entry(id).size > PLAIN_WALK).then(FxHashSet::default);
        let mut stack: SmallVec<[NodeId; 16]> = SmallVec::from_slice(&[id]);
        while let Some(id) = stack.pop() {
            if seen.as_mut().is_some_and(|seen| !seen.insert(id)) || !visit(id) {
                continue;
            }
            let first = stack.len();
            for_each_child(self.node(id), |child| stack.push(child));
            stack[first..].reverse();
        }
    }
}
