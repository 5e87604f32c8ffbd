//! Which loops of a list without a launch grid can be spread over lanes, and which values are the same in all lanes.
//!
//! On a target without workgroups the outermost loops walk over the output. They are independent of each other, and
//! running many iterations at once, as lanes, takes a fraction of the time.

use super::interval::Facts;
use super::program::Spread;
use super::scope::Scopes;
use plumb_core::uop::{UopKind, UopList};

/// The loops that can be spread, outermost first: nested directly in each other, with fixed bounds, nothing carried
/// from one iteration to the next but through memory (which is watched when they run).
pub(super) fn spread(list: &UopList, scopes: &Scopes, facts: &Facts) -> Vec<Spread> {
    let mut chain: Vec<Spread> = Vec::new();
    if list.uops.iter().any(|uop| matches!(uop.kind, UopKind::Special | UopKind::DefineLocal | UopKind::Barrier)) {
        return chain;
    }
    let mut from = 0;
    let mut end = list.uops.len();
    'outer: while let Some(range) = (from..end).find(|&at| opens(list, at)) {
        let uop = &list.uops[range];
        if uop.kind != UopKind::Range {
            break;
        }
        // Nothing around the loop may have an effect, or carry a value into the next iteration.
        let inner_end = scopes.end[range] as usize;
        let around = (from..range).chain(inner_end + 1..end);
        for at in around {
            match list.uops[at].kind {
                UopKind::Store | UopKind::DefineAcc | UopKind::Phi | UopKind::Range | UopKind::If => break 'outer,
                _ => {}
            }
        }
        let (start, last) = (facts.bounds[uop.sources[0].index()], facts.bounds[uop.sources[1].index()]);
        if start.0 != start.1 || last.0 != last.1 {
            break;
        }
        let count = (last.0 - start.0).max(0);
        let product = chain.iter().map(|spread| i128::from(spread.count)).product::<i128>() * count;
        if product >= 1 << 62 {
            break;
        }
        chain.push(Spread { uop: range as u32, start: start.0 as i64, count: count as i64 });
        (from, end) = (range + 1, inner_end);
    }
    chain
}

fn opens(list: &UopList, at: usize) -> bool {
    matches!(list.uops[at].kind, UopKind::Range | UopKind::If)
}

/// For each uop whether its value is the same in all lanes.
pub(super) fn uniform(list: &UopList, spread: &[Spread]) -> Vec<bool> {
    let mut uniform = vec![false; list.uops.len()];
    for (position, uop) in list.uops.iter().enumerate() {
        uniform[position] = match uop.kind {
            UopKind::Const | UopKind::DefineVar => true,
            UopKind::Range if spread.iter().any(|spread| spread.uop as usize == position) => false,
            UopKind::Range | UopKind::Alu | UopKind::Cast | UopKind::Bitcast | UopKind::Gep => {
                uop.sources.iter().all(|source| uniform[source.index()])
            }
            _ => false,
        };
    }
    uniform
}
