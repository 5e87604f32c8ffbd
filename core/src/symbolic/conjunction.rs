//! Conjunctions of comparisons: whether an element is there.

use super::{Arena, Node, NodeId, Result, SymbolicRule};
use crate::rule::State;
use smallvec::SmallVec;

impl Arena {
    /// 1 where all of `terms` are 1, otherwise 0; 1 if there are none.
    pub fn ands(&mut self, terms: &[NodeId]) -> Result<NodeId> {
        match terms {
            [] => return Ok(self.number(1)),
            [term] => return Ok(*term),
            _ => {}
        }
        if self.on(SymbolicRule::AndFalse) && terms.iter().any(|&term| self.is_zero(term)) {
            self.fired(SymbolicRule::AndFalse);
            return Ok(self.number(0));
        }
        let state = self.rules().state(SymbolicRule::AndTrue);
        let mut kept: SmallVec<[NodeId; 4]> = SmallVec::new();
        for &term in terms {
            let certain = self.min(term) == self.max_int(term) && !self.is_zero(term);
            if state != State::Off && certain {
                self.fired(SymbolicRule::AndTrue);
            } else {
                if state == State::Altered {
                    kept.clear();
                }
                kept.push(term);
            }
        }
        match kept.as_slice() {
            [] => Ok(self.number(1)),
            [term] => Ok(*term),
            _ => self.create(Node::And(kept)),
        }
    }
}
