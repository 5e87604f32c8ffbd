//! Stores, and vectors that are taken apart only to be put together again.

use super::Site;
use crate::ast::AluOp;
use crate::uop::{UopArg, UopId, UopKind};
use smallvec::SmallVec;

/// Whether `id` is an ungated load from there. 0.9.0 renders the index for each access, and finds out only in the second
/// round that it is the same, unless it is a mere variable.
fn is_load_of(site: &mut Site<'_>, id: UopId, buffer: UopId, index: UopId) -> bool {
    if site.sources_of(id, UopKind::Load) != Some([buffer, index]) {
        return false;
    }
    let rendered = |id: UopId| matches!(site.get(id).kind, UopKind::Alu | UopKind::Const);
    let anew = rendered(index) || site.get(index).sources.iter().any(|&part| rendered(part));
    if site.first_round && anew {
        site.held_back = true;
        return false;
    }
    true
}

/// A store of what was loaded from the same place does nothing.
pub(super) fn store_loaded(site: &mut Site<'_>) -> Option<UopId> {
    let [buffer, index, value] = site.sources()?;
    is_load_of(site, value, buffer, index).then(|| site.arena.make(UopKind::Noop, None, &[], UopArg::None))
}

/// A store of either something new or what was loaded from the same place is a gated store of the new.
pub(super) fn store_gate(site: &mut Site<'_>) -> Option<UopId> {
    let [buffer, index, value] = site.sources()?;
    let [gate, then, otherwise] = site.operands_of(value, AluOp::Where)?;
    if !is_load_of(site, otherwise, buffer, index) {
        return None;
    }
    let sources = [buffer, index, then, gate];
    let sources = if site.altered { &sources[..3] } else { &sources[..] };
    Some(site.arena.make(UopKind::Store, None, sources, UopArg::None))
}

/// A store of a vector made of all lanes, in order, of a vector is a store of the latter.
pub(super) fn store_vector(site: &mut Site<'_>) -> Option<UopId> {
    let [buffer, index, value] = site.sources()?;
    let cast = site.get(value);
    if cast.kind != UopKind::Cast || !matches!(cast.sources.len(), 2 | 4) {
        return None;
    }
    let vector = *site.get(*cast.sources.first()?).sources.first()?;
    // 0.9.0 does not look at the type: it would store four lanes for the first two.
    if site.dtype(vector) != cast.dtype && !site.altered {
        return None;
    }
    if !cast.sources.iter().zip(0..).all(|(&lane, number)| is_lane(site, lane, vector, number)) {
        return None;
    }
    Some(site.arena.make(UopKind::Store, None, &[buffer, index, vector], UopArg::None))
}

fn is_lane(site: &Site<'_>, id: UopId, vector: UopId, number: u32) -> bool {
    let uop = site.get(id);
    uop.kind == UopKind::Gep && uop.arg == UopArg::Lane(number) && uop.sources.as_slice() == [vector]
}

/// A vector of the new values of all lanes, in order, of an accumulator is the new value of the accumulator, a vector.
pub(super) fn cast_phis(site: &mut Site<'_>) -> Option<UopId> {
    let cast = site.uop();
    if !matches!(cast.sources.len(), 2 | 4) {
        return None;
    }
    let [lane, _] = site.sources_of(*cast.sources.first()?, UopKind::Phi)?;
    let [vector] = site.sources_of(lane, UopKind::Gep)?;
    let (dtype, count) = (cast.dtype?, cast.sources.len());
    if site.dtype(vector) != Some(dtype) || usize::from(dtype.lanes()) != count {
        return None;
    }
    let mut values = SmallVec::<[UopId; 4]>::new();
    for (&phi, number) in cast.sources.iter().zip(0..) {
        let [lane, value] = site.sources_of(phi, UopKind::Phi)?;
        if !is_lane(site, lane, vector, number) || site.lanes.is_collapsed(phi) {
            return None;
        }
        values.push(value);
    }
    let accumulator = site.get(vector).arg.clone();
    site.lanes.vector(accumulator);
    if site.altered {
        values.reverse();
    }
    let values = site.arena.make(UopKind::Cast, Some(dtype), &values, UopArg::None);
    Some(site.arena.make(UopKind::Phi, Some(dtype), &[vector, values], UopArg::None))
}
