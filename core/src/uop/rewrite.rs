//! Rewriting of a graph by its rules, to a fixed point.
//!
//! A round takes each uop that is needed: rules are tried on it until none applies, then the same is done to its
//! sources, and it is made anew of what became of them. As uops never change, what becomes of a uop is computed once;
//! rounds go on until one changes nothing. What no rule can apply to, nor to anything that it is made of, is seen when it is
//! entered, and not looked at.
//!
//! A change may take a round for each step on its way from a constant up to a store. So that a deep graph does not take as
//! many rounds as it is deep, after some of them what was made anew is not left for the next, but looked at again at once.
//! That is not done from the start, as rules are tried in another order then, and what they leave may look different
//! from what 0.9.0 leaves.

use super::arena::UopArena;
use super::rules::{AccumulatorLanes, Rewrite, Site, rules_for};
use super::{UopError, UopId, UopKind, UopRule};
use crate::rule::{Firings, Rules, State};
use smallvec::SmallVec;

/// From this round on a uop is looked at again at once. Real kernels take up to 20 rounds; 0.9.0 gives up after 100.
const PATIENCE: usize = 24;

/// Rewrites in progress.
pub(super) struct Rewriter<'a> {
    arena: &'a mut UopArena,
    rules: Rules,
    firings: Firings,
    /// What becomes of each uop in a round, where that is known.
    result: Vec<Option<UopId>>,
    /// How many more rules may fire.
    budget: usize,
    /// How many uops there may be before what was made anew is looked at again at once.
    patience: usize,
    /// Whether that is done.
    at_once: bool,
    /// Whether this is the first round.
    first_round: bool,
    /// Whether a rule waits for the second round.
    held_back: bool,
    /// How accumulators are written back so far.
    lanes: AccumulatorLanes,
}

/// A uop whose sources are being rewritten.
struct Frame {
    original: UopId,
    /// What the rules made of it.
    rewritten: UopId,
    /// How many of its sources are done.
    done: usize,
}

impl<'a> Rewriter<'a> {
    /// A rewriter of a graph by `rules`.
    pub(super) fn new(arena: &'a mut UopArena, rules: Rules) -> Rewriter<'a> {
        let budget = 1000 + 100 * arena.len();
        let patience = 10_000 + 8 * arena.len();
        let lanes = AccumulatorLanes::of(arena);
        Rewriter {
            arena,
            rules,
            firings: Firings::default(),
            result: Vec::new(),
            budget,
            patience,
            at_once: false,
            first_round: true,
            held_back: false,
            lanes,
        }
    }

    /// What becomes of `roots`, and how often each rule fired. Where the first round changes nothing, but holds back
    /// what takes two uops for one, `fires` decides whether there is a second.
    ///
    /// # Errors
    /// [`UopError::Endless`] where the rules don't come to an end.
    pub(super) fn run(
        mut self,
        roots: &[UopId],
        fires: &mut dyn FnMut() -> bool,
    ) -> Result<(Vec<UopId>, Firings), UopError> {
        let mut roots = roots.to_vec();
        for round in 0.. {
            let mut changed = false;
            self.at_once = round >= PATIENCE || self.arena.len() > self.patience;
            for root in &mut roots {
                let result = self.round(*root).ok_or(UopError::Endless { rounds: round + 1 })?;
                changed |= std::mem::replace(root, result) != result;
            }
            let again = changed || (self.first_round && self.held_back && fires());
            if !again {
                break;
            }
            if std::mem::take(&mut self.held_back) {
                // What was computed is not what would be computed now.
                self.result.clear();
            }
            self.first_round = false;
        }
        Ok((roots, self.firings))
    }

    /// What becomes of `root` in one round; `None` where the budget is spent.
    fn round(&mut self, root: UopId) -> Option<UopId> {
        let mut stack: Vec<Frame> = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(id) = next.take()
                && self.known(id).is_none()
            {
                let rewritten = self.apply_rules(id)?;
                stack.push(Frame { original: id, rewritten, done: 0 });
            }
            let Some(frame) = stack.last_mut() else { break };
            let sources = &self.arena.get(frame.rewritten).sources;
            match sources.get(frame.done) {
                Some(&source) => {
                    frame.done += 1;
                    next = Some(source);
                }
                None => {
                    let (original, rewritten) = (frame.original, frame.rewritten);
                    stack.pop();
                    let result = self.rebuild(rewritten);
                    match self.known(result) {
                        Some(known) if self.at_once => self.remember(original, known),
                        None if self.at_once && result != rewritten => {
                            let rewritten = self.apply_rules(result)?;
                            stack.push(Frame { original, rewritten, done: 0 });
                        }
                        _ => self.remember(original, result),
                    }
                }
            }
        }
        self.known(root)
    }

    fn known(&self, id: UopId) -> Option<UopId> {
        if self.arena.is_settled(id) { Some(id) } else { self.result.get(id.index()).copied().flatten() }
    }

    fn remember(&mut self, id: UopId, result: UopId) {
        if self.result.len() <= id.index() {
            self.result.resize(self.arena.len().max(id.index() + 1), None);
        }
        self.result[id.index()] = Some(result);
    }

    /// Tries rules on a uop until none applies.
    fn apply_rules(&mut self, id: UopId) -> Option<UopId> {
        let mut id = id;
        while let Some((rule, rewritten)) = self.apply_one(id) {
            self.firings.count(rule);
            self.budget = self.budget.checked_sub(1)?;
            id = rewritten;
        }
        Some(id)
    }

    fn apply_one(&mut self, id: UopId) -> Option<(UopRule, UopId)> {
        let uop = self.arena.get(id);
        let marks = self.arena.marks_of_sources(id);
        rules_for(uop.kind, &uop.arg).iter().filter(|rewrite| marks.have(rewrite.needs)).find_map(|rewrite| {
            let &Rewrite { rule, apply, .. } = rewrite;
            let altered = match self.rules.state(rule) {
                State::Off => return None,
                State::On => false,
                State::Altered => true,
            };
            let first_round = self.first_round;
            let mut site =
                Site { arena: self.arena, id, altered, first_round, lanes: &mut self.lanes, held_back: false };
            let rewritten = apply(&mut site);
            self.held_back |= site.held_back;
            rewritten.filter(|&rewritten| rewritten != id).map(|rewritten| (rule, rewritten))
        })
    }

    /// The uop with its sources replaced by what became of them.
    fn rebuild(&mut self, id: UopId) -> UopId {
        let uop = self.arena.get(id);
        let became = |&source: &UopId| self.known(source).unwrap_or(source);
        if uop.sources.iter().all(|source| became(source) == *source) {
            return id;
        }
        let mut sources: SmallVec<[UopId; 4]> = uop.sources.iter().map(became).collect();
        if uop.kind == UopKind::Barrier {
            // A store that turned out to do nothing is nothing to wait for.
            sources.retain(|source| self.arena.get(*source).kind != UopKind::Noop);
        }
        let (kind, dtype, arg) = (uop.kind, uop.dtype, uop.arg.clone());
        self.arena.make(kind, dtype, &sources, arg)
    }
}
