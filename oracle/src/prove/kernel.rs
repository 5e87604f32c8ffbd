//! The obligations of one kernel.

use super::access::{Access, Channels, Memory, accesses};
use super::axes::AxisValues;
use super::decide::{Decider, Decision, How, at_least_zero, never_open, same_place};
use super::expected::{Expected, Iterations, Required, expected};
use super::extract::{Extracted, Value, extract};
use super::flow::{Flow, channels};
use super::forms::{FormId, Forms, Overflow};
use super::matrix::Tile;
use super::naive;
use super::structure::{Structure, Template};
use crate::reference::program::{Op, Program};
use plumb_core::linearize::Lowered;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeMap;

/// What an obligation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An access lies within its memory where its gate holds.
    Bounds,
    /// Index and gate of an access are those of the AST at the place that the iteration stands for.
    Index,
    /// An integer that an access depends on keeps within 32 bits.
    Overflow,
    /// Every element of an output is stored exactly once.
    Coverage,
    /// Loops, unrolled lanes and stages cover the reduce range exactly once.
    Reduction,
    /// No two lanes touch one cell of local memory without a barrier between.
    Barrier,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 6] =
        [Kind::Bounds, Kind::Index, Kind::Overflow, Kind::Coverage, Kind::Reduction, Kind::Barrier];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Bounds => "bounds",
            Kind::Index => "index and gate",
            Kind::Overflow => "32 bits",
            Kind::Coverage => "stored once",
            Kind::Reduction => "reduced once",
            Kind::Barrier => "barriers",
        }
    }
}

/// How an obligation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It holds, and how that was decided.
    Proved(How),
    /// It does not, and the counterexample.
    Refuted(String),
    /// Nobody can tell, and why.
    Unknown(String),
}

/// An obligation and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// What it says.
    pub kind: Kind,
    /// The uop that it is about; `None`: the kernel.
    pub uop: Option<u32>,
    /// How it ended.
    pub ending: Ending,
}

/// The obligations of a kernel for some values of its variables.
pub(super) struct Proofs {
    pub(super) obligations: Vec<Obligation>,
    /// Whether what is unknown of [`Kind::Reduction`] can be decided by a run.
    pub(super) waits: bool,
}

/// What a proof of one kernel works on.
pub(super) struct Work<'a> {
    pub(super) lowered: &'a Lowered,
    pub(super) program: &'a Program,
    pub(super) iterations: Iterations,
    pub(super) structure: Structure,
    pub(super) extracted: Extracted,
    pub(super) accesses: Vec<Access>,
    pub(super) axes: AxisValues,
    pub(super) expected: Expected,
    pub(super) channels: Channels,
    pub(super) decider: &'a dyn Decider,
    /// For each access which of the expected ones it is: a load's place in `loads`, a store's in `stores`.
    pub(super) matched: Vec<Option<u32>>,
    /// For each load of local memory the store that it reads.
    pub(super) through: FxHashMap<u32, u32>,
    /// Whether an obligation waits for a run of the kernel.
    pub(super) unread: Cell<bool>,
    pub(super) obligations: Vec<Obligation>,
}

/// All obligations of a kernel for these values of its variables. `Err`: why there are none.
pub(super) fn prove(
    lowered: &Lowered,
    program: &Program,
    template: &Template,
    bindings: &[(String, i64)],
    decider: &dyn Decider,
) -> Result<Proofs, String> {
    let mut forms = Forms::default();
    let overflow = |Overflow| "index arithmetic that leaves 64 bits".to_owned();
    if lowered.global_size.is_none() && has_images(lowered) {
        return Err("an image on a target without vectors, which no renderer takes".to_owned());
    }
    let structure = template.bind(bindings).ok_or("a size without a value")?;
    let iterations = Iterations::new(program).ok_or("the kernel stores nothing")?;
    let extracted = extract(&mut forms, lowered, bindings)?;
    let mut channels = channels(&mut forms, lowered, &extracted).map_err(overflow)?;
    let accesses = accesses(&mut forms, lowered, &extracted, &mut channels)?;
    let axes = AxisValues::new(&mut forms, &structure, &extracted).map_err(overflow)?;
    let tile = Tile::new(&mut forms, &structure, lowered, &extracted).map_err(overflow)?;
    let expected = expected(&mut forms, program, &iterations, &structure, &axes, tile.as_ref()).map_err(overflow)?;
    let matched = vec![None; accesses.len()];
    let mut work = Work {
        lowered,
        program,
        iterations,
        structure,
        extracted,
        accesses,
        axes,
        expected,
        channels,
        decider,
        matched,
        through: FxHashMap::default(),
        unread: Cell::new(false),
        obligations: Vec::new(),
    };
    work.match_accesses(&mut forms);
    work.bounds(&mut forms)?;
    work.overflows(&mut forms);
    work.coverage(&mut forms).map_err(overflow)?;
    work.locals(&mut forms).map_err(overflow)?;
    work.wiring(&mut forms);
    Ok(Proofs { obligations: work.obligations, waits: work.unread.get() })
}

fn has_images(lowered: &Lowered) -> bool {
    lowered.uops.uops.iter().any(|uop| uop.dtype.is_some_and(plumb_core::dtype::DType::is_image))
}

impl Work<'_> {
    pub(super) fn add(&mut self, kind: Kind, uop: Option<u32>, ending: Ending) {
        self.obligations.push(Obligation { kind, uop, ending });
    }

    /// Finds for each access of an argument the expected one that it is.
    fn match_accesses(&mut self, forms: &mut Forms) {
        let mut loads: FxHashMap<Required, u32> = FxHashMap::default();
        for (place, required) in self.expected.loads.iter().enumerate() {
            loads.entry(required.clone()).or_insert(place as u32);
        }
        let mut stores: FxHashMap<Required, u32> = FxHashMap::default();
        for (place, required) in self.expected.stores.iter().enumerate() {
            stores.entry(required.store.clone()).or_insert(place as u32);
        }
        let mut open = Vec::new();
        for place in 0..self.accesses.len() {
            let access = &self.accesses[place];
            if matches!(access.memory, Memory::Local(_)) {
                continue;
            }
            let key = Required { memory: access.memory, index: access.index, gate: access.gate.clone() };
            let found = match (access.store, access.pieces.is_empty()) {
                (true, _) => stores.get(&key),
                (false, true) => loads.get(&key),
                (false, false) => None,
            };
            self.matched[place] = found.copied();
            match found {
                Some(_) => {
                    let uop = Some(access.uop);
                    self.add(Kind::Index, uop, Ending::Proved(How::Arithmetic));
                }
                None => open.push(place),
            }
        }
        for place in open {
            let ending = self.search(forms, place);
            self.add(Kind::Index, Some(self.accesses[place].uop), ending);
        }
    }

    /// Decides which of the expected accesses one is whose form is not that of any.
    fn search(&mut self, forms: &mut Forms, place: usize) -> Ending {
        let access = self.accesses[place].clone();
        let taken: Vec<u32> = self
            .matched
            .iter()
            .zip(&self.accesses)
            .filter(|(_, other)| other.store == access.store)
            .filter_map(|(matched, _)| *matched)
            .collect();
        let candidates: Vec<(u32, Required)> = match access.store {
            true => {
                self.expected.stores.iter().map(|required| &required.store).cloned().enumerate().collect::<Vec<_>>()
            }
            false => self.expected.loads.iter().cloned().enumerate().collect(),
        }
        .into_iter()
        .map(|(number, required)| (number as u32, required))
        .filter(|(_, required)| required.memory == access.memory)
        .collect();
        let mut refuted: Option<(u32, BTreeMap<u32, i64>)> = None;
        let mut unknown = None;
        // Those that no other access is come first.
        let (free, known): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|(number, _)| !taken.contains(number));
        let first = free.first().or(known.first()).cloned();
        for (number, required) in free.into_iter().chain(known) {
            match self.same(forms, &access, &required) {
                Decision::Proved(how) => {
                    self.matched[place] = Some(number);
                    return Ending::Proved(how);
                }
                Decision::Refuted(values) => {
                    refuted.get_or_insert((number, values));
                }
                Decision::Unknown(why) => {
                    unknown.get_or_insert(why);
                }
            }
        }
        match (unknown, refuted, first) {
            (Some(why), ..) => Ending::Unknown(why),
            (None, Some((number, values)), _) => {
                let required = match access.store {
                    true => &self.expected.stores[number as usize].store,
                    false => &self.expected.loads[number as usize],
                };
                Ending::Refuted(format!(
                    "{}: the access is at {}, of the AST's none; the nearest is {}",
                    show(forms, &values),
                    self.at(forms, access.index, &access.gate, &values),
                    self.at(forms, required.index, &required.gate, &values),
                ))
            }
            _ => match never_open(forms, &access.gate, self.decider) {
                Decision::Proved(how) => Ending::Proved(how),
                Decision::Refuted(values) => Ending::Refuted(format!(
                    "{}: the access is at {}, of a memory that the AST does not touch so",
                    show(forms, &values),
                    self.at(forms, access.index, &access.gate, &values)
                )),
                Decision::Unknown(why) => Ending::Unknown(why),
            },
        }
    }

    /// Whether an access is an expected one; of a choice among channels, whether each is where it is chosen.
    fn same(&self, forms: &mut Forms, access: &Access, required: &Required) -> Decision {
        if access.pieces.is_empty() {
            let (own, other) = ((access.index, &access.gate), (required.index, &required.gate));
            return same_place(forms, own, other, self.decider);
        }
        let mut how = How::Arithmetic;
        for (index, path) in &access.pieces {
            let gates = access.gate.and(forms, path).and_then(|own| Ok((own, required.gate.and(forms, path)?)));
            let Ok((own, other)) = gates else { return Decision::Unknown("the arithmetic leaves 64 bits".to_owned()) };
            match same_place(forms, (*index, &own), (required.index, &other), self.decider) {
                Decision::Proved(by) => how = how.max(by),
                other => return other,
            }
        }
        Decision::Proved(how)
    }

    /// An index and whether its gate holds, at values of the variables (others at their least).
    fn at(&self, forms: &Forms, index: FormId, gate: &super::gate::Gate, values: &BTreeMap<u32, i64>) -> String {
        let value = |form: FormId| forms.evaluate(form, &|number| values.get(&number).copied());
        let open = !gate.never && gate.forms.iter().all(|&form| value(form).is_some_and(|value| value >= 0));
        let index = value(index).map_or("?".to_owned(), |value| value.to_string());
        if open { format!("element {index}") } else { format!("element {index}, but gated off") }
    }

    /// Each access within its memory.
    fn bounds(&mut self, forms: &mut Forms) -> Result<(), String> {
        let mut sizes: FxHashMap<u32, (i64, bool)> = FxHashMap::default();
        for step in &self.program.steps {
            if let Op::Load { buffer, layout, .. } | Op::Store { buffer, layout, .. } = step.op {
                let layout = &self.program.layouts[layout];
                let reach = layout.reach().map_err(|error| error.to_string())?;
                let (size, fits) = sizes.entry(buffer).or_insert((0, true));
                *size = reach.max(*size);
                *fits &= naive::fits(layout);
            }
        }
        let proved: Vec<bool> = {
            let ending = |place: usize| {
                let access = &self.accesses[place];
                // Of each access there is one obligation of this kind.
                self.matched[place].is_some() && access.pieces.is_empty()
            };
            (0..self.accesses.len()).map(ending).collect()
        };
        for (place, &is_expected) in proved.iter().enumerate() {
            let access = self.accesses[place].clone();
            let known = match access.memory {
                Memory::Argument(number) => sizes.get(&number).copied(),
                Memory::Local(_) => None,
            };
            let size = access.size.or(known.map(|(size, _)| size));
            // What equals the AST's own index is where the AST's layouts lead, which keep within their buffer.
            let follows =
                is_expected && known.is_some_and(|(reach, fits)| fits && size.is_some_and(|size| size >= reach));
            if follows {
                self.add(Kind::Bounds, Some(access.uop), Ending::Proved(How::Arithmetic));
                continue;
            }
            let ending = match size.map(|size| self.within(forms, &access, size)) {
                Some(Ok(ending)) => ending,
                Some(Err(Overflow)) => Ending::Unknown("index arithmetic that leaves 64 bits".to_owned()),
                None => Ending::Refuted(format!("the AST has no such memory: {:?}", access.memory)),
            };
            self.add(Kind::Bounds, Some(access.uop), ending);
        }
        Ok(())
    }

    fn within(&self, forms: &mut Forms, access: &Access, size: i64) -> Result<Ending, Overflow> {
        // A pixel is read as a whole.
        let channels = if access.pieces.is_empty() { 1 } else { 4 };
        let last = forms.constant(size.checked_sub(channels).ok_or(Overflow)?);
        let room = forms.sub(last, access.index)?;
        let mut how = How::Arithmetic;
        for form in [access.index, room] {
            match at_least_zero(forms, form, &access.gate, self.decider) {
                Decision::Proved(by) => how = how.max(by),
                Decision::Refuted(values) => {
                    return Ok(Ending::Refuted(format!(
                        "{}: {} of {size}",
                        show(forms, &values),
                        self.at(forms, access.index, &access.gate, &values)
                    )));
                }
                Decision::Unknown(why) => return Ok(Ending::Unknown(why)),
            }
        }
        Ok(Ending::Proved(how))
    }

    /// Each integer that is a function of indices within 32 bits.
    fn overflows(&mut self, forms: &mut Forms) {
        for number in 0..self.extracted.values.len() {
            let Value::Integer(form) = self.extracted.values[number] else { continue };
            if self.lowered.uops.uops[number].kind != plumb_core::uop::UopKind::Alu {
                continue;
            }
            let (low, high) = forms.bounds(form);
            let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
            let ending = if low >= least && high <= most {
                Ending::Proved(How::Arithmetic)
            } else {
                self.fits(forms, form, least, most)
            };
            self.add(Kind::Overflow, Some(number as u32), ending);
        }
    }

    fn fits(&self, forms: &mut Forms, form: FormId, least: i64, most: i64) -> Ending {
        let always = super::gate::Gate::default();
        for (bound, factor) in [(-least, 1), (most, -1)] {
            let Ok(room) = forms.scale(form, factor).and_then(|form| forms.offset(form, bound)) else {
                return Ending::Unknown("index arithmetic that leaves 64 bits".to_owned());
            };
            match at_least_zero(forms, room, &always, self.decider) {
                Decision::Proved(_) => {}
                Decision::Refuted(values) => {
                    return Ending::Refuted(format!(
                        "{}: the value is {}, beyond 32 bits",
                        show(forms, &values),
                        self.at(forms, form, &always, &values)
                    ));
                }
                Decision::Unknown(why) => return Ending::Unknown(why),
            }
        }
        Ending::Proved(How::Arithmetic)
    }

    /// The flow of values through the list.
    pub(super) fn flow(&self) -> Flow<'_> {
        Flow { lowered: self.lowered, accesses: &self.accesses, channels: &self.channels }
    }
}

/// Values of variables, for people.
pub(super) fn show(forms: &Forms, values: &BTreeMap<u32, i64>) -> String {
    let variables = forms.variables();
    let shown: Vec<String> = values
        .iter()
        .filter_map(|(&number, value)| Some(format!("{}={value}", variables.get(number as usize)?.name)))
        .collect();
    if shown.is_empty() { "always".to_owned() } else { shown.join(" ") }
}
