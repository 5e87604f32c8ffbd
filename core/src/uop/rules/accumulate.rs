//! Accumulators that no loop runs over, or that nothing is added to.

use super::Site;
use crate::constant::Constant;
use crate::uop::{Uop, UopArg, UopId, UopKind};

/// The accumulator's initial value.
fn initial(uop: &Uop) -> Option<Constant> {
    match (uop.kind, &uop.arg) {
        (UopKind::DefineAcc, UopArg::Acc { init, .. }) => Some(*init),
        _ => None,
    }
}

/// An accumulator that its loops leave as it is has its initial value.
pub(super) fn unchanged(site: &mut Site<'_>) -> Option<UopId> {
    let [accumulator, value] = site.sources()?;
    let init = initial(site.get(accumulator))?;
    if accumulator != value {
        return None;
    }
    let init = if site.altered { Constant::Int(0) } else { init };
    let dtype = site.dtype(accumulator)?;
    Some(site.arena.constant(dtype, init))
}

/// The new value of an accumulator without loops is just that value.
pub(super) fn no_loop(site: &mut Site<'_>) -> Option<UopId> {
    let [accumulator, value] = site.sources()?;
    let uop = site.get(accumulator);
    (uop.kind == UopKind::DefineAcc && uop.sources.is_empty()).then_some(value)
}

/// The new value of a constant, which once was an accumulator, is just that value.
pub(super) fn constant(site: &mut Site<'_>) -> Option<UopId> {
    let [accumulator, value] = site.sources()?;
    site.value(accumulator).map(|_| value)
}

/// An accumulator without loops is its initial value.
pub(super) fn accumulator_no_loop(site: &mut Site<'_>) -> Option<UopId> {
    let [] = site.sources()?;
    let init = initial(site.uop())?;
    site.constant(init)
}
