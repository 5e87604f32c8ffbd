//! The accesses of a list: which element of which memory, where gated by what, one for each lane of a vector.

use super::extract::{Extracted, Value};
use super::forms::{FormId, Forms, Overflow, Result};
use super::gate::Gate;
use plumb_core::constant::Constant;
use plumb_core::dtype::DType;
use plumb_core::linearize::Lowered;
use plumb_core::uop::{Uop, UopArg, UopId, UopKind};
use std::collections::{BTreeMap, BTreeSet};

/// A memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Memory {
    /// The kernel's argument of this number.
    Argument(u32),
    /// The local buffer that this uop defines.
    Local(u32),
}

/// One lane of a load or store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// The load or store.
    pub(super) uop: u32,
    /// The lane of its vector; 0 for a scalar.
    pub(super) lane: u32,
    /// The memory.
    pub(super) memory: Memory,
    /// Whether it is a store.
    pub(super) store: bool,
    /// The element.
    pub(super) index: FormId,
    /// Where it happens, IFs included.
    pub(super) gate: Gate,
    /// Elements of a local memory or of an image.
    pub(super) size: Option<i64>,
    /// Of a choice among the channels of a pixel: each channel's element, and where it is chosen.
    pub(super) pieces: Vec<(FormId, Gate)>,
}

/// The accesses of a list, in its order; of pixels those channels that are used. `Err`: what can't be read.
pub(super) fn accesses(
    forms: &mut Forms,
    lowered: &Lowered,
    extracted: &Extracted,
    channels: &mut Channels,
) -> std::result::Result<Vec<Access>, String> {
    let mut found = Vec::new();
    for (number, uop) in lowered.uops.uops.iter().enumerate() {
        if matches!(uop.kind, UopKind::Load | UopKind::Store) {
            let read = access(forms, lowered, extracted, number, uop, &mut found);
            read.map_err(|Overflow| {
                format!("the access of uop {number}, whose index or gate is no function of indices")
            })?;
        }
    }
    found.retain(|access| {
        let pixel = channels.pixels.contains(&access.uop);
        !pixel || channels.lanes.contains(&(access.uop, access.lane)) || channels.chosen.contains_key(&access.uop)
    });
    let chosen: Vec<(u32, Vec<Choice>)> = channels.chosen.iter().map(|(&load, all)| (load, all.clone())).collect();
    let mut chosen_accesses = Vec::new();
    for (load, choices) in chosen {
        let Some(first) = found.iter().find(|access| access.uop == load).cloned() else { continue };
        let start = forms.offset(first.index, -i64::from(first.lane)).map_err(|Overflow| "an index".to_owned())?;
        found.retain(|access| access.uop != load || channels.lanes.contains(&(load, access.lane)));
        for choice in choices {
            let mut access = Access { index: start, pieces: Vec::new(), ..first.clone() };
            for (channel, gate) in &choice.channels {
                let index = forms.offset(start, i64::from(*channel)).map_err(|Overflow| "an index".to_owned())?;
                access.pieces.push((index, gate.clone()));
            }
            chosen_accesses.push((choice.uop, access));
        }
    }
    for (uop, access) in chosen_accesses {
        channels.places.insert(uop, found.len() as u32);
        found.push(access);
    }
    // Places are those of the finished list.
    for (place, access) in found.iter().enumerate().filter(|(_, access)| access.pieces.is_empty()) {
        channels.first.entry(access.uop).or_default().push((access.lane, place as u32));
    }
    Ok(found)
}

/// A choice among the channels of a pixel: `where(…)` of lanes of one load.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The outermost `WHERE`.
    pub(super) uop: u32,
    /// The channels, and where each is chosen.
    pub(super) channels: Vec<(u32, Gate)>,
}

/// Which channels of pixels are used, and how.
#[derive(Debug, Default)]
pub(super) struct Channels {
    /// Loads of pixels.
    pub(super) pixels: BTreeSet<u32>,
    /// Lanes of pixels that are used as such.
    pub(super) lanes: BTreeSet<(u32, u32)>,
    /// For each load of a pixel the choices among its channels.
    pub(super) chosen: BTreeMap<u32, Vec<Choice>>,
    /// For each choice its place in the list of accesses.
    pub(super) places: BTreeMap<u32, u32>,
    /// For each load and store its lanes, and their places in the list of accesses.
    pub(super) first: BTreeMap<u32, Vec<(u32, u32)>>,
}

fn access(
    forms: &mut Forms,
    lowered: &Lowered,
    extracted: &Extracted,
    number: usize,
    uop: &Uop,
    found: &mut Vec<Access>,
) -> Result<()> {
    let uops = &lowered.uops.uops;
    let source = |place: usize| uop.sources.get(place).copied();
    let pointer = source(0).ok_or(Overflow)?;
    let definition = uops.get(pointer.index()).ok_or(Overflow)?;
    let store = uop.kind == UopKind::Store;
    let value = match store {
        true => source(2).and_then(|value| uops.get(value.index())).and_then(|value| value.dtype),
        false => uop.dtype,
    };
    let lanes = value.map_or(1, |dtype| u32::from(dtype.lanes()));
    let (memory, mut size) = match definition.arg {
        UopArg::Global { index, .. } => (Memory::Argument(index), None),
        UopArg::Local { size, .. } => (Memory::Local(pointer.0), Some(size)),
        _ => return Err(Overflow),
    };
    let integer = |id: UopId| match extracted.values.get(id.index()) {
        Some(Value::Integer(form)) => Some(*form),
        _ => None,
    };
    let place = source(1).ok_or(Overflow)?;
    let first = match (definition.dtype, uops.get(place.index())) {
        (Some(DType::Image(image)), Some(pair)) => {
            let (width, height) = (i64::from(image.width), i64::from(image.height));
            size = width.checked_mul(height).and_then(|pixels| pixels.checked_mul(4));
            let (column, row) = match (&pair.sources[..], &pair.arg) {
                (&[column, row], _) => (integer(column).ok_or(Overflow)?, integer(row).ok_or(Overflow)?),
                (_, UopArg::Const(Constant::Int(value))) => {
                    let value = forms.constant(i64::try_from(*value).map_err(|_| Overflow)?);
                    (value, value)
                }
                _ => return Err(Overflow),
            };
            let start = forms.scale(column, 4)?;
            forms.add_scaled(start, row, width.checked_mul(4).ok_or(Overflow)?)?
        }
        _ => integer(place).ok_or(Overflow)?,
    };
    let mut gate = extracted.inside.get(number).cloned().flatten().ok_or(Overflow)?;
    if let Some(own) = source(if store { 3 } else { 2 })
        && uops.get(own.index()).and_then(|own| own.dtype) == Some(DType::BOOL)
    {
        match extracted.values.get(own.index()) {
            Some(Value::Condition(own)) => gate.require_all(forms, own)?,
            _ => return Err(Overflow),
        }
    }
    for lane in 0..lanes {
        let index = forms.offset(first, i64::from(lane))?;
        let (uop, gate) = (number as u32, gate.clone());
        found.push(Access { uop, lane, memory, store, index, gate, size, pieces: Vec::new() });
    }
    Ok(())
}
