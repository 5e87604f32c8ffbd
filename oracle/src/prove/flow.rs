//! What a stored value is made of: the accesses that it depends on, through arithmetic, accumulators and local memory.

use super::access::{Access, Channels, Choice};
use super::extract::{Extracted, Value};
use super::forms::{Forms, Result};
use super::gate::Gate;
use plumb_core::ast::AluOp;
use plumb_core::dtype::DType;
use plumb_core::linearize::Lowered;
use plumb_core::uop::{Uop, UopArg, UopId, UopKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// One lane of a uop's value; `None`: all of them.
pub(super) type Lane = Option<u32>;

/// What a value depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    /// Places in the list of accesses, ascending: loads.
    pub(super) loads: Vec<u32>,
    /// Matrix instructions with the lane of their result, ascending.
    pub(super) matrices: Vec<(u32, u32)>,
}

/// Follows values back.
pub(super) struct Flow<'a> {
    pub(super) lowered: &'a Lowered,
    pub(super) accesses: &'a [Access],
    pub(super) channels: &'a Channels,
}

/// Finds which channels of pixels the stored values use.
pub(super) fn channels(forms: &mut Forms, lowered: &Lowered, extracted: &Extracted) -> Result<Channels> {
    let uops = &lowered.uops.uops;
    let mut channels = Channels::default();
    let is_image = |load: &Uop| {
        let memory = load.sources.first().and_then(|memory| uops.get(memory.index()));
        memory.is_some_and(|memory| memory.dtype.is_some_and(DType::is_image))
    };
    channels.pixels.extend(
        uops.iter()
            .enumerate()
            .filter(|(_, uop)| uop.kind == UopKind::Load && is_image(uop))
            .map(|(number, _)| number as u32),
    );
    if channels.pixels.is_empty() {
        return Ok(channels);
    }
    let mut seen: FxHashSet<(u32, Lane)> = FxHashSet::default();
    let mut stack: Vec<(UopId, Lane)> = Vec::new();
    for uop in uops.iter().filter(|uop| uop.kind == UopKind::Store) {
        stack.extend(uop.sources.get(2).map(|&value| (value, None)));
    }
    while let Some((id, lane)) = stack.pop() {
        let Some(uop) = uops.get(id.index()) else { continue };
        if !seen.insert((id.0, lane)) {
            continue;
        }
        if channels.pixels.contains(&id.0) {
            match lane {
                Some(lane) => channels.lanes.extend([(id.0, lane)]),
                None => channels.lanes.extend((0..4).map(|lane| (id.0, lane))),
            }
            continue;
        }
        match (uop.kind, &uop.arg) {
            (UopKind::Gep, &UopArg::Lane(lane)) => {
                stack.extend(uop.sources.first().map(|&source| (source, Some(lane))));
            }
            (UopKind::Alu, UopArg::Alu(AluOp::Where)) => match choice(forms, uops, extracted, id, &channels)? {
                Some((load, choice)) => channels.chosen.entry(load).or_default().push(choice),
                None => stack.extend(uop.sources.iter().map(|&source| (source, None))),
            },
            _ => stack.extend(uop.sources.iter().map(|&source| (source, None))),
        }
    }
    channels.chosen.values_mut().for_each(|choices| choices.sort_by_key(|choice| choice.uop));
    Ok(channels)
}

/// A `WHERE` as a choice among the channels of one pixel, where it is one.
fn choice(
    forms: &mut Forms,
    uops: &[Uop],
    extracted: &Extracted,
    root: UopId,
    channels: &Channels,
) -> Result<Option<(u32, Choice)>> {
    let mut found = Choice { uop: root.0, channels: Vec::new() };
    let mut load = None;
    let mut stack = vec![(root, Gate::default())];
    while let Some((id, path)) = stack.pop() {
        let Some(uop) = uops.get(id.index()) else { return Ok(None) };
        match (uop.kind, &uop.arg, &uop.sources[..]) {
            (UopKind::Gep, &UopArg::Lane(lane), &[pixel]) if channels.pixels.contains(&pixel.0) => {
                if *load.get_or_insert(pixel.0) != pixel.0 {
                    return Ok(None);
                }
                found.channels.push((lane, path));
            }
            (UopKind::Alu, UopArg::Alu(AluOp::Where), &[condition, yes, no]) => {
                let Some(Value::Condition(gate)) = extracted.values.get(condition.index()) else { return Ok(None) };
                let Some(contrary) = gate.negated(forms)? else { return Ok(None) };
                stack.push((yes, path.and(forms, gate)?));
                stack.push((no, path.and(forms, &contrary)?));
            }
            _ => return Ok(None),
        }
    }
    Ok(load.map(|load| (load, found)))
}

impl Flow<'_> {
    /// What lane `lane` of the value that `uop` stores depends on. Loads of local memory are followed where `through`
    /// says which stores they get their values from.
    pub(super) fn of_store(&self, uop: u32, lane: u32, through: &FxHashMap<u32, u32>) -> Dependencies {
        match self.lowered.uops.uops.get(uop as usize).and_then(|store| store.sources.get(2)) {
            Some(&value) => self.of_value(value, Some(lane), through),
            None => Dependencies::default(),
        }
    }

    /// What a lane of a value depends on.
    pub(super) fn of_value(&self, value: UopId, lane: Lane, through: &FxHashMap<u32, u32>) -> Dependencies {
        let uops = &self.lowered.uops.uops;
        let mut found = Dependencies::default();
        let mut seen: FxHashSet<(u32, Lane)> = FxHashSet::default();
        let mut stack = vec![(value, lane)];
        while let Some((id, lane)) = stack.pop() {
            let Some(uop) = uops.get(id.index()) else { continue };
            let lanes = uop.dtype.map_or(1, |dtype| u32::from(dtype.lanes()));
            let lane = if lanes == 1 { None } else { lane };
            if !seen.insert((id.0, lane)) {
                continue;
            }
            match (uop.kind, &uop.arg) {
                (UopKind::Load, _) => {
                    let places = self.channels.first.get(&id.0).map_or(&[][..], Vec::as_slice);
                    for &(_, load) in places.iter().filter(|(own, _)| lane.is_none_or(|lane| *own == lane)) {
                        match through.get(&load) {
                            Some(&store) => {
                                let access = &self.accesses[store as usize];
                                let value = uops.get(access.uop as usize).and_then(|store| store.sources.get(2));
                                stack.extend(value.map(|&value| (value, Some(access.lane))));
                            }
                            _ => found.loads.push(load),
                        }
                    }
                }
                (UopKind::Gep, &UopArg::Lane(lane)) => {
                    stack.extend(uop.sources.first().map(|&source| (source, Some(lane))));
                }
                (UopKind::Cast, _) if uop.sources.len() > 1 => match lane {
                    Some(lane) => stack.extend(uop.sources.get(lane as usize).map(|&source| (source, None))),
                    None => stack.extend(uop.sources.iter().map(|&source| (source, None))),
                },
                (UopKind::Wmma, _) => {
                    found.matrices.extend(lane.map(|lane| (id.0, lane)));
                    stack.extend(uop.sources.iter().take(2).map(|&source| (source, None)));
                    stack.extend(uop.sources.get(2).map(|&source| (source, lane)));
                }
                (UopKind::DefineAcc, _) => {}
                _ => match self.channels.places.get(&id.0) {
                    Some(&choice) => found.loads.push(choice),
                    None => stack.extend(uop.sources.iter().map(|&source| (source, lane))),
                },
            }
        }
        found.loads.sort_unstable();
        found.loads.dedup();
        found.matrices.sort_unstable();
        found.matrices.dedup();
        found
    }
}
