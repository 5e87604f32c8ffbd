//! Whether 0.9.0's first round of rewriting changes anything, where that depends on which uops are the same object to it.
//!
//! 0.9.0 compares uops by identity. Loads, stores, conversions and the like are entered once, but arithmetic and constants
//! anew each time, so that two equal ones are two objects until a round has replaced both by the one that it met first:
//! x - x or a choice between 0 and 0 is simplified in the second round, which takes place if the first changed anything.
//! Within the first, it does so only when it looks at a uop once more, having forgotten it: it remembers the 128 results
//! that it used last. A graph of [objects](super::UopGraph::objects) is what 0.9.0 builds, object by object; here its
//! first round is followed up to the first rule that applies.

use super::arena::UopArena;
use super::rules::{AccumulatorLanes, Rewrite, Site, rules_for};
use super::{Uop, UopId, UopKind};
use crate::rule::{Rules, State};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// How many results 0.9.0 remembers within a round.
const REMEMBERED: usize = 128;

/// How often uops are looked at, for each that there is, before this is given up: a graph of which nearly everything is
/// forgotten again and again.
const PATIENCE: usize = 64;

/// The results used last.
#[derive(Default)]
struct Memory {
    /// For each uop its result, and when it was last used.
    results: FxHashMap<UopId, (UopId, u64)>,
    /// The uses, the oldest first; those of which a later one is known are of no meaning.
    uses: VecDeque<(UopId, u64)>,
    clock: u64,
}

impl Memory {
    /// The result of `id`, which is then the one used last.
    fn recall(&mut self, id: UopId) -> Option<UopId> {
        let (result, used) = self.results.get_mut(&id)?;
        self.clock += 1;
        *used = self.clock;
        self.uses.push_back((id, self.clock));
        Some(*result)
    }

    /// Remembers a result, and forgets the one that was not used for longest. One that was found out meanwhile stays.
    fn remember(&mut self, id: UopId, result: UopId) {
        if self.results.contains_key(&id) {
            return;
        }
        while self.results.len() >= REMEMBERED {
            let Some((oldest, used)) = self.uses.pop_front() else { break };
            if self.results.get(&oldest).is_some_and(|&(_, last)| last == used) {
                self.results.remove(&oldest);
            }
        }
        self.clock += 1;
        self.results.insert(id, (result, self.clock));
        self.uses.push_back((id, self.clock));
    }
}

/// A uop whose sources are being looked at.
struct Frame {
    id: UopId,
    sources: SmallVec<[UopId; 4]>,
    results: SmallVec<[UopId; 4]>,
}

/// Whether any rule applies in the first round on a graph of objects. `None` where that takes too long to tell.
pub(super) fn anything_fires(mut arena: UopArena, stores: &[UopId], rules: Rules) -> Option<bool> {
    let root = arena.fresh(Uop {
        kind: UopKind::Sink,
        dtype: None,
        sources: stores.iter().copied().collect(),
        arg: super::UopArg::None,
    });
    let mut known: FxHashMap<Uop, UopId> = FxHashMap::default();
    for id in arena.entered() {
        known.insert(arena.get(id).clone(), id);
    }
    let mut memory = Memory::default();
    let mut patience = PATIENCE * arena.len();
    let mut stack: Vec<Frame> = Vec::new();
    let mut next = Some(root);
    loop {
        if let Some(id) = next.take() {
            patience = patience.checked_sub(1)?;
            match memory.recall(id) {
                Some(result) => match stack.last_mut() {
                    Some(frame) => frame.results.push(result),
                    None => return Some(false),
                },
                None if applies(&mut arena, id, rules) => return Some(true),
                None => stack.push(Frame { id, sources: arena.get(id).sources.clone(), results: SmallVec::new() }),
            }
        }
        let Some(frame) = stack.last() else { return Some(false) };
        if let Some(&source) = frame.sources.get(frame.results.len()) {
            next = Some(source);
            continue;
        }
        let Some(frame) = stack.pop() else { return Some(false) };
        arena.set_sources(frame.id, frame.results);
        let result = *known.entry(arena.get(frame.id).clone()).or_insert(frame.id);
        memory.remember(frame.id, result);
        match stack.last_mut() {
            Some(user) => user.results.push(result),
            None => return Some(false),
        }
    }
}

fn applies(arena: &mut UopArena, id: UopId, rules: Rules) -> bool {
    let uop = arena.get(id);
    // Sources were put in place of equal ones, so that what they show may be out of date: all rules are tried.
    rules_for(uop.kind, &uop.arg).iter().any(|&Rewrite { rule, apply, .. }| {
        let state = rules.state(rule);
        let (altered, lanes) = (state == State::Altered, &mut AccumulatorLanes::default());
        let mut site = Site { arena, id, altered, first_round: false, lanes, held_back: false };
        state != State::Off && apply(&mut site).is_some_and(|rewritten| rewritten != id)
    })
}
