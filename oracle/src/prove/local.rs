//! Local memory: each lane writes cells of its own, all are written before the barrier and read behind it, and what is
//! read is what the lane in question wrote.

use super::access::Memory;
use super::coverage::{Once, takes_once};
use super::decide::{Decision, How, same_place};
use super::extract::Index;
use super::forms::{Form, FormId, Forms, Result};
use super::gate::Gate;
use super::kernel::{Ending, Kind, Work};
use super::structure::AxisKind;
use plumb_core::uop::{IndexName, UopKind};
use rustc_hash::FxHashMap;

impl Work<'_> {
    /// Adds the obligations on local memory, and finds which store each load of it reads.
    pub(super) fn locals(&mut self, forms: &mut Forms) -> Result<()> {
        let mut memories: Vec<Memory> = self.accesses.iter().map(|access| access.memory).collect();
        memories.retain(|memory| matches!(memory, Memory::Local(_)));
        memories.sort_unstable();
        memories.dedup();
        for memory in memories {
            let own = |store: bool| {
                let accesses = self.accesses.iter().enumerate();
                let own = accesses.filter(move |(_, access)| access.memory == memory && access.store == store);
                own.map(|(place, _)| place).collect::<Vec<usize>>()
            };
            let (stores, loads) = (own(true), own(false));
            let ending = self.order(&stores, &loads);
            self.add(Kind::Barrier, None, ending);
            let ending = self.own_cells(forms, &stores)?;
            self.add(Kind::Barrier, None, ending);
            for place in loads {
                let ending = self.source(forms, place, &stores)?;
                let uop = self.accesses[place].uop;
                self.add(Kind::Reduction, Some(uop), ending);
            }
        }
        Ok(())
    }

    /// All stores, a barrier, all loads, none of them within a loop together with another.
    fn order(&self, stores: &[usize], loads: &[usize]) -> Ending {
        let uops = &self.lowered.uops.uops;
        let of = |places: &[usize]| places.iter().map(|&place| self.accesses[place].uop as usize).collect::<Vec<_>>();
        let (stores, loads) = (of(stores), of(loads));
        let (Some(&last), Some(&first)) = (stores.iter().max(), loads.iter().min()) else {
            return Ending::Refuted("local memory that is only written, or only read".to_owned());
        };
        let barrier = (last..first).find(|&number| uops[number].kind == UopKind::Barrier);
        if barrier.is_none() {
            return Ending::Refuted(format!(
                "a lane may write local memory (uop {last}) while another reads it (uop {first}): there is no barrier \
                 between"
            ));
        }
        let begin = stores.iter().min().copied().unwrap_or(last);
        let mut depth = 0i32;
        for uop in &uops[begin..first] {
            match uop.kind {
                UopKind::EndRange => depth -= 1,
                UopKind::Range if depth < 0 => depth += 1,
                _ => {}
            }
        }
        // A loop that is open at a store and ends before the loads runs the stores several times.
        if depth < 0 {
            return Ending::Unknown("local memory is written in a loop".to_owned());
        }
        let open = |at: usize| {
            let mut open = 0;
            for uop in &uops[..at] {
                match uop.kind {
                    UopKind::Range => open += 1,
                    UopKind::EndRange => open -= 1,
                    _ => {}
                }
            }
            open
        };
        if open(begin) != 0 {
            return Ending::Unknown("local memory is written and read in a loop".to_owned());
        }
        Ending::Proved(How::Arithmetic)
    }

    /// No two lanes, and no two stores of one lane, write one cell.
    fn own_cells(&self, forms: &mut Forms, stores: &[usize]) -> Result<Ending> {
        let mut variables: Vec<(FormId, i64)> = Vec::new();
        let mut indices: Vec<(&Index, _)> = self.extracted.indices.iter().collect();
        indices.sort_unstable_by_key(|(_, definition)| definition.uop);
        for (index, definition) in indices {
            if let Index::Launch(IndexName::Local(_)) = index {
                variables.push((definition.form, definition.range.1));
            }
        }
        for needed in &self.axes.missing {
            if let Index::Launch(IndexName::Local(_)) = needed.index {
                return Ok(Ending::Refuted(
                    "lanes that differ in an index that no cell depends on write one cell".into(),
                ));
            }
        }
        // The stores of a lane differ by numbers.
        let Some(&first) = stores.first() else { return Ok(Ending::Proved(How::Arithmetic)) };
        let (base, mut offsets) = (self.accesses[first].index, Vec::new());
        let mut size = 1;
        for &place in stores {
            let access = &self.accesses[place];
            let difference = forms.sub(access.index, base)?;
            let (Some(difference), true) = (forms.number(difference), access.gate.is_always()) else {
                return Ok(Ending::Unknown("stores to local memory that differ by more than a number".to_owned()));
            };
            offsets.push(difference);
            size = access.size.unwrap_or(1);
        }
        offsets.sort_unstable();
        let step = offsets.get(1).map_or(1, |second| second - offsets[0]);
        let even = offsets.windows(2).all(|pair| pair[1] - pair[0] == step);
        if step == 0 {
            return Ok(Ending::Refuted("one lane writes one cell twice".to_owned()));
        }
        let count = offsets.len() as i64;
        let lane = forms.variable("store", (0, count - 1));
        let lowest = forms.offset(base, offsets[0])?;
        let once = if even {
            let all = forms.add_scaled(lowest, lane, step)?;
            variables.push((lane, count));
            takes_once(forms, all, &Gate::default(), &variables, size, false)
        } else {
            Once::Unknown("stores to local memory at uneven distances".to_owned())
        };
        Ok(match once {
            Once::Yes(how) => Ending::Proved(how),
            Once::No(why) => Ending::Refuted(format!("cell {why} among the lanes of a workgroup")),
            Once::Unknown(why) => Ending::Unknown(why),
        })
    }

    /// Which store a load reads: the one whose cell it is, with the lanes that share the reduction replaced by the loops
    /// of the second stage.
    fn source(&mut self, forms: &mut Forms, place: usize, stores: &[usize]) -> Result<Ending> {
        let grouped = self.structure.of_kind(&[AxisKind::Grouped]);
        let middle = self.structure.of_kind(&[AxisKind::Middle]);
        let load = self.accesses[place].clone();
        for lane in super::axes::lanes(&self.structure, &middle) {
            let replace = self.replacements(forms, &grouped, &middle, &lane)?;
            for &store in stores {
                let mut memo = FxHashMap::default();
                let index = self.accesses[store].index;
                let cell = forms.substitute(index, &|number| replace.get(&number).copied(), &mut memo)?;
                if cell == load.index {
                    self.through.insert(place as u32, store as u32);
                    return Ok(Ending::Proved(How::Arithmetic));
                }
            }
        }
        let replace = self.replacements(forms, &grouped, &[], &[])?;
        for &store in stores {
            let mut memo = FxHashMap::default();
            let index = self.accesses[store].index;
            let cell = forms.substitute(index, &|number| replace.get(&number).copied(), &mut memo)?;
            // Behind the barrier only the first lane reads: the gate of the load itself is what counts.
            if let Decision::Proved(how) = same_place(forms, (cell, &load.gate), (load.index, &load.gate), self.decider)
            {
                self.through.insert(place as u32, store as u32);
                return Ok(Ending::Proved(how));
            }
        }
        Ok(Ending::Refuted(format!("uop {} reads a cell of local memory that no lane wrote for it", load.uop)))
    }

    /// What stands for each launch index in the second stage: loops for the lanes that share the reduction, numbers for
    /// those in the middle.
    fn replacements(
        &self,
        forms: &mut Forms,
        grouped: &[usize],
        middle: &[usize],
        lane: &[i64],
    ) -> Result<FxHashMap<u32, FormId>> {
        let mut replace: FxHashMap<u32, FormId> = FxHashMap::default();
        for (index, parts) in &self.axes.parts {
            let Some(number) = variable(forms, *index) else { continue };
            let mut sum = forms.constant(0);
            for &(axis, weight) in parts {
                let value = match middle.iter().position(|&other| other == axis).and_then(|place| lane.get(place)) {
                    Some(&value) => forms.constant(value),
                    None if grouped.contains(&axis) => self.axes.late_loops[axis],
                    None => self.axes.early[axis],
                };
                sum = forms.add_scaled(sum, value, weight)?;
            }
            if sum != *index {
                replace.insert(number, sum);
            }
        }
        Ok(replace)
    }
}

/// The variable that a form is.
fn variable(forms: &Forms, form: FormId) -> Option<u32> {
    match forms.form(form) {
        Form { constant: 0, terms } => match terms[..] {
            [(atom, 1)] => match forms.atom_info(atom).0 {
                super::forms::Atom::Variable(number) => Some(number),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
