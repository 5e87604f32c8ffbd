//! Whether every output lane is stored once, from a value that is made of what the AST makes it of: all loads of the
//! unrolled lanes of the reduction, of both stages, and no others.

use super::decide::{Decision, How, never_open, same_place};
use super::expected::{Required, TileStore};
use super::extract::Index;
use super::flow::Dependencies;
use super::forms::Forms;
use super::kernel::{Ending, Kind, Work};
use plumb_core::ast::AluOp;
use plumb_core::uop::{Uop, UopArg, UopId, UopKind};
use rustc_hash::{FxHashMap, FxHashSet};

impl Work<'_> {
    /// Adds the obligations on stored lanes and on what they are made of.
    pub(super) fn wiring(&mut self, forms: &mut Forms) {
        self.stored_lanes();
        self.loops();
        self.terms();
        let mut endings = Vec::new();
        for place in 0..self.accesses.len() {
            let access = &self.accesses[place];
            let (true, Some(number)) = (access.store, self.matched[place]) else { continue };
            let found = self.flow().of_store(access.uop, access.lane, &self.through);
            let uop = access.uop;
            endings.push((uop, self.value(forms, number, &found)));
        }
        for (uop, ending) in endings {
            self.add(Kind::Reduction, Some(uop), ending);
        }
    }

    /// A loop that the list does not have is one over which nothing is summed but what is counted or multiplied instead.
    fn loops(&mut self) {
        for needed in self.axes.missing.clone() {
            if let Index::Loop(depth, _) = needed.index
                && depth > 1
            {
                let why = "a reduction in closed form instead of a loop".to_owned();
                self.add(Kind::Reduction, None, Ending::Unknown(why));
                self.unread.set(true);
            }
        }
    }

    /// An accumulator takes no term twice.
    fn terms(&mut self) {
        let uops = &self.lowered.uops.uops;
        let mut found = Vec::new();
        for (number, uop) in uops.iter().enumerate().filter(|(_, uop)| uop.kind == UopKind::Phi) {
            let (Some(&accumulator), Some(&value)) = (uop.sources.first(), uop.sources.get(1)) else { continue };
            let Some(terms) = takes_each_once(uops, accumulator, value) else { continue };
            let ending = if terms {
                Ending::Proved(How::Arithmetic)
            } else {
                // Right where the AST does not depend on an unrolled axis; the values tell.
                self.unread.set(true);
                Ending::Unknown("an accumulator takes one term twice".to_owned())
            };
            found.push((number as u32, ending));
        }
        for (uop, ending) in found {
            self.add(Kind::Reduction, Some(uop), ending);
        }
    }

    /// Every lane of every output is stored once.
    fn stored_lanes(&mut self) {
        let mut times = vec![0u32; self.expected.stores.len()];
        for (access, matched) in self.accesses.iter().zip(&self.matched) {
            if let (true, Some(number)) = (access.store, matched) {
                times[*number as usize] += 1;
            }
        }
        for (number, times) in times.into_iter().enumerate() {
            let ending = match times {
                1 => Ending::Proved(How::Arithmetic),
                0 if self.is_unchanged(number) => {
                    self.unread.set(true);
                    Ending::Unknown("an element that is to hold what it held is not stored".to_owned())
                }
                times => Ending::Refuted(format!("lane {number} of the outputs is stored {times} times")),
            };
            self.add(Kind::Coverage, None, ending);
        }
    }

    /// Whether an output lane is made of the element that it is stored to: what is added to it may be zero.
    fn is_unchanged(&self, number: usize) -> bool {
        let required = &self.expected.stores[number];
        required.loads.iter().any(|&load| {
            let load = &self.expected.loads[load as usize];
            load.memory == required.store.memory && load.index == required.store.index
        })
    }

    /// Whether a stored value is made of what output lane `number` must be made of.
    fn value(&self, forms: &mut Forms, number: u32, found: &Dependencies) -> Ending {
        let required = &self.expected.stores[number as usize];
        let mut loads = Vec::with_capacity(found.loads.len());
        let mut foreign = Vec::new();
        for &load in &found.loads {
            match self.matched[load as usize] {
                Some(matched) if required.loads.binary_search(&matched).is_ok() => loads.push(matched),
                _ => foreign.push(load),
            }
        }
        loads.sort_unstable();
        loads.dedup();
        let mut how = How::Arithmetic;
        let missing: Vec<u32> =
            required.needed.iter().filter(|load| loads.binary_search(load).is_err()).copied().collect();
        // What has another form may be the same access, and what is missing may never happen.
        for load in foreign {
            let access = &self.accesses[load as usize];
            let same = |work: &Work<'_>, forms: &mut Forms, other: &Required| {
                other.memory == access.memory
                    && matches!(
                        same_place(forms, (access.index, &access.gate), (other.index, &other.gate), work.decider),
                        Decision::Proved(_)
                    )
            };
            let known = required.loads.iter().any(|&other| same(self, forms, &self.expected.loads[other as usize]));
            let never = matches!(never_open(forms, &access.gate, self.decider), Decision::Proved(_));
            if !known && !never && self.matched[load as usize].is_none() {
                return Ending::Unknown("an access that a value is made of is unknown".to_owned());
            }
            if !known && !never {
                return Ending::Refuted(format!(
                    "output lane {number} is made of the load of uop {}, with which it has nothing to do",
                    access.uop
                ));
            }
            how = How::Enumeration;
        }
        for load in missing {
            let wanted = &self.expected.loads[load as usize];
            if matches!(never_open(forms, &wanted.gate, self.decider), Decision::Proved(_)) {
                how = how.max(How::Enumeration);
                continue;
            }
            let same = found.loads.iter().any(|&other| {
                let other = &self.accesses[other as usize];
                other.memory == wanted.memory
                    && matches!(
                        same_place(forms, (other.index, &other.gate), (wanted.index, &wanted.gate), self.decider),
                        Decision::Proved(_)
                    )
            });
            if !same {
                self.unread.set(true);
                return Ending::Unknown(format!(
                    "an output lane is not made of the load of {:?} at {} that the AST makes",
                    wanted.memory,
                    forms.show(wanted.index)
                ));
            }
            how = how.max(How::Enumeration);
        }
        match &required.tile {
            Some(tile) => self.products(forms, tile, found).unwrap_or(Ending::Proved(how)),
            None if found.matrices.is_empty() => Ending::Proved(how),
            None => Ending::Refuted("a matrix instruction where the AST has no such product".to_owned()),
        }
    }

    /// Whether the matrix instructions multiply the fragments that belong together, each pair once; `None`: they do.
    fn products(&self, forms: &mut Forms, tile: &TileStore, found: &Dependencies) -> Option<Ending> {
        let mut open: Vec<&[Vec<Option<u32>>; 2]> = tile.fragments.iter().collect();
        let nothing = FxHashMap::default();
        for &(uop, lane) in &found.matrices {
            if lane != tile.element {
                return Some(Ending::Refuted(format!(
                    "element {} of the accumulator is made of element {lane} of uop {uop}",
                    tile.element
                )));
            }
            let sources = &self.lowered.uops.uops[uop as usize].sources;
            let fragment = |place: usize, size: usize| -> Vec<Option<u32>> {
                let element = |lane: usize| {
                    let source = sources.get(place).copied().unwrap_or(UopId(0));
                    let loads = self.flow().of_value(source, Some(lane as u32), &nothing).loads;
                    match loads[..] {
                        [load] => self.matched[load as usize],
                        _ => None,
                    }
                };
                (0..size).map(element).collect()
            };
            let place = open.iter().position(|pair| {
                pair.iter().enumerate().all(|(operand, wanted)| {
                    let found = fragment(operand, wanted.len());
                    found.iter().zip(wanted).all(|(&a, &b)| self.one_load(forms, a, b))
                })
            });
            match place {
                Some(place) => {
                    open.remove(place);
                }
                None => {
                    return Some(Ending::Refuted(format!(
                        "the matrix instruction of uop {uop} multiplies fragments that do not belong together"
                    )));
                }
            }
        }
        (!open.is_empty()).then(|| Ending::Refuted(format!("{} products of fragments are missing", open.len())))
    }

    /// Whether two loads of the AST are one, in whatever form.
    fn one_load(&self, forms: &mut Forms, a: Option<u32>, b: Option<u32>) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return a == b };
        if a == b {
            return true;
        }
        let (a, b) = (&self.expected.loads[a as usize], &self.expected.loads[b as usize]);
        a.memory == b.memory
            && matches!(same_place(forms, (a.index, &a.gate), (b.index, &b.gate), self.decider), Decision::Proved(_))
    }
}

/// Whether the terms that are combined with the accumulator are all different; `None` where it is no sum or maximum of
/// it and terms.
fn takes_each_once(uops: &[Uop], accumulator: UopId, value: UopId) -> Option<bool> {
    let operation = |id: UopId| match &uops.get(id.index())?.arg {
        UopArg::Alu(op @ (AluOp::Add | AluOp::Max)) => Some(*op),
        UopArg::Alu(AluOp::MulAcc) => Some(AluOp::Add),
        _ => None,
    };
    let whole = operation(value)?;
    let is_accumulator = |id: UopId| {
        let mut id = id;
        while let Some(uop) = uops.get(id.index()).filter(|uop| uop.kind == UopKind::Phi) {
            id = *uop.sources.first()?;
        }
        Some(id == accumulator)
    };
    // Only the branch that leads to the accumulator is one of terms; what it meets are whole terms.
    let mut reaches: FxHashMap<u32, bool> = FxHashMap::default();
    let mut stack = vec![(value, false)];
    while let Some((id, done)) = stack.pop() {
        if reaches.contains_key(&id.0) {
            continue;
        }
        let parts: &[UopId] = match operation(id) {
            Some(op) if op == whole => &uops[id.index()].sources,
            _ => &[],
        };
        if done || parts.is_empty() {
            let own = is_accumulator(id)? || parts.iter().any(|part| reaches.get(&part.0) == Some(&true));
            reaches.insert(id.0, own);
        } else {
            stack.push((id, true));
            stack.extend(parts.iter().map(|&part| (part, false)));
        }
    }
    if reaches.get(&value.0) != Some(&true) {
        return None;
    }
    let mut seen: FxHashSet<UopId> = FxHashSet::default();
    let mut stack = vec![value];
    while let Some(id) = stack.pop() {
        if is_accumulator(id)? {
            continue;
        }
        // A part that stands twice makes all terms below it stand twice.
        if !seen.insert(id) {
            return Some(false);
        }
        if operation(id) == Some(whole) {
            let sources = &uops[id.index()].sources;
            let summands = if uops[id.index()].arg == UopArg::Alu(AluOp::MulAcc) { 2 } else { 0 };
            stack.extend(sources.iter().skip(summands));
        }
    }
    Some(true)
}
