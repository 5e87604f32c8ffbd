//! Another order of a list of uops: any that its graph allows.

use crate::data::mix;
use plumb_core::uop::{Uop, UopId, UopKind, UopList};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What stands in a scope: a uop, or a whole scope.
#[derive(Debug)]
struct Item {
    /// The uop, or the one that opens the scope.
    first: usize,
    /// The uop that closes the scope; a single uop itself.
    last: usize,
}

/// The uops of `list` in an order drawn by `seed`: each after those that it takes, loops and IFs with all that is in
/// them; accesses of one buffer of the kernel, one of them a store, as they were. Local memory is ordered by nothing but
/// the barriers that loads and stores name. `None` for a list whose scopes don't nest.
pub(super) fn reorder(list: &UopList, seed: u64) -> Option<UopList> {
    let uops = &list.uops;
    let ends = ends(uops)?;
    let stored = stored(uops);
    let mut order = Vec::with_capacity(uops.len());
    // Scopes whose uops are to be put in order, and the uops that close them.
    let mut work = vec![Work::Scope(0, uops.len())];
    let mut owner = vec![usize::MAX; uops.len()];
    while let Some(next) = work.pop() {
        match next {
            Work::Place(position) => order.push(position),
            Work::Scope(start, end) => {
                let items = items(&ends, start, end);
                let sorted = sort(uops, &stored, &items, &mut owner, seed);
                for number in sorted.into_iter().rev() {
                    let Item { first, last } = items[number];
                    if last != first {
                        work.push(Work::Place(last));
                        work.push(Work::Scope(first + 1, last));
                    }
                    work.push(Work::Place(first));
                }
            }
        }
    }
    if order.len() != uops.len() {
        return None;
    }
    let mut places = vec![UopId(0); uops.len()];
    for (place, &position) in (0..).zip(&order) {
        places[position] = UopId(place);
    }
    let moved = |&position: &usize| {
        let mut uop = uops[position].clone();
        uop.sources.iter_mut().for_each(|source| *source = places.get(source.index()).copied().unwrap_or(*source));
        uop
    };
    Some(UopList { uops: order.iter().map(moved).collect() })
}

enum Work {
    Place(usize),
    Scope(usize, usize),
}

/// For each uop the one that closes what it opens, or itself.
fn ends(uops: &[Uop]) -> Option<Vec<usize>> {
    let mut ends: Vec<usize> = (0..uops.len()).collect();
    let mut open = Vec::new();
    for (position, uop) in uops.iter().enumerate() {
        match uop.kind {
            UopKind::Range | UopKind::If => open.push(position),
            UopKind::EndRange | UopKind::EndIf => {
                let begin = open.pop().filter(|begin| uop.sources.first().is_some_and(|id| id.index() == *begin))?;
                ends[begin] = position;
            }
            _ => {}
        }
    }
    open.is_empty().then_some(ends)
}

/// What stands directly in a scope.
fn items(ends: &[usize], start: usize, end: usize) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = start;
    while at < end {
        items.push(Item { first: at, last: ends[at] });
        at = ends[at] + 1;
    }
    items
}

/// The items in an order drawn by `seed`.
fn sort(uops: &[Uop], stored: &[bool], items: &[Item], owner: &mut [usize], seed: u64) -> Vec<usize> {
    for (number, item) in items.iter().enumerate() {
        owner[item.first..=item.last].fill(number);
    }
    let range = items.first().map_or(0, |item| item.first)..=items.last().map_or(0, |item| item.last);
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    let mut missing = vec![0usize; items.len()];
    // For each buffer of the kernel the items that loaded it since it was stored to, and the one that stored.
    let mut loaded: Vec<(usize, Vec<usize>, Option<usize>)> = Vec::new();
    for (number, item) in items.iter().enumerate() {
        let mut after = |before: usize| {
            if before != number {
                users[before].push(number);
                missing[number] += 1;
            }
        };
        for uop in &uops[item.first..=item.last] {
            // An accumulator's loops come after it.
            let sources = uop.sources.iter().filter(|_| uop.kind != UopKind::DefineAcc);
            for source in sources.map(|id| id.index()).filter(|source| range.contains(source)) {
                after(owner[source]);
            }
            for (buffer, changes) in accesses(uops, stored, uop).into_iter().flatten() {
                let place = loaded.iter().position(|(known, ..)| *known == buffer).unwrap_or_else(|| {
                    loaded.push((buffer, Vec::new(), None));
                    loaded.len() - 1
                });
                let (_, loads, store) = &mut loaded[place];
                if let Some(store) = *store {
                    after(store);
                }
                if changes {
                    loads.drain(..).for_each(&mut after);
                    *store = Some(number);
                } else {
                    loads.push(number);
                }
            }
        }
    }
    let drawn = |number: usize| Reverse((mix(seed, items[number].first as u64), number));
    let mut ready: BinaryHeap<_> = (0..items.len()).filter(|&number| missing[number] == 0).map(drawn).collect();
    let mut order = Vec::with_capacity(items.len());
    while let Some(Reverse((_, number))) = ready.pop() {
        order.push(number);
        for &user in &users[number] {
            missing[user] -= 1;
            if missing[user] == 0 {
                ready.push(drawn(user));
            }
        }
    }
    order
}

/// What stands for all that a barrier holds back.
const BARRIER: usize = usize::MAX;

/// What a uop does to the order of accesses: the buffers of the kernel that it accesses, among those that are `stored`
/// to, and whether it changes them. A barrier holds back all such accesses.
fn accesses(uops: &[Uop], stored: &[bool], uop: &Uop) -> [Option<(usize, bool)>; 2] {
    let store = match uop.kind {
        UopKind::Barrier => return [Some((BARRIER, true)), None],
        UopKind::Store => true,
        UopKind::Load => false,
        _ => return [None; 2],
    };
    let Some(definition) = uop.sources.first().map(|id| id.index()) else { return [None; 2] };
    let is_global = uops.get(definition).is_some_and(|found| found.kind == UopKind::DefineGlobal);
    if !is_global || !stored.get(definition).copied().unwrap_or(false) {
        return [None; 2];
    }
    [Some((definition, store)), Some((BARRIER, false))]
}

/// For each uop whether something is stored to what it defines.
fn stored(uops: &[Uop]) -> Vec<bool> {
    let mut stored = vec![false; uops.len()];
    for uop in uops.iter().filter(|uop| uop.kind == UopKind::Store) {
        if let Some(stored) = uop.sources.first().and_then(|id| stored.get_mut(id.index())) {
            *stored = true;
        }
    }
    stored
}
