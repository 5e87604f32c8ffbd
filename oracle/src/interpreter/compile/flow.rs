//! Control flow: loops, conditions, accumulators.

use super::super::lanes::{Bank, Literal, NONE, Register};
use super::super::program::{Code, Comparison, FloatOp, Index, IntOp, LaneLoop, Loop};
use super::value::code;
use super::{Compiler, Component, Source, Value};
use crate::interpreter::convert;
use plumb_core::ast::AluOp;
use plumb_core::dtype::{DType, Scalar};
use plumb_core::uop::{Uop, UopArg, UopKind};
use smallvec::SmallVec;

/// An open RANGE or IF.
pub(super) enum Open {
    /// Spread over lanes: nothing to do at its end.
    Spread,
    /// The same for all lanes; number of the loop.
    Loop(u32, u64),
    /// A count for each lane: head and exit in the table of targets, number of the loop, the mask outside.
    LaneLoop { head: u32, exit: u32, number: usize, outside: Register, trips: u64 },
    /// A condition: its end in the table of targets, the mask outside.
    If { end: u32, outside: Register },
}

impl Compiler<'_> {
    fn target(&mut self, op: usize) -> u32 {
        self.program.targets.push(op as u32);
        self.program.targets.len() as u32 - 1
    }

    pub(super) fn begin_range(&mut self, uop: &Uop) -> Value {
        let [start, end] = [0, 1].map(|n| self.value(uop, n).first().copied());
        let (Some(start), Some(end)) = (start, end) else { return Value::new() };
        let outer_trips = self.trips;
        let spread = self.source.spread.iter().position(|spread| spread.uop == self.uop);
        if let Some(number) = spread {
            self.open.push(Open::Spread);
            return self.index(Index::Iteration(number as u32));
        }
        let bounds = |n: usize| {
            uop.sources.get(n).and_then(|id| self.source.facts.bounds.get(id.index())).copied().unwrap_or((0, 0))
        };
        let trips = u64::try_from(bounds(1).1 - bounds(0).0).unwrap_or(0);
        self.trips = self.trips.saturating_mul(trips);
        self.refuse(start.mark, self.mask);
        self.refuse(end.mark, self.mask);
        let count = self.register(Bank::Word);
        if uop.sources.iter().all(|id| self.uniform.get(id.index()).copied().unwrap_or(false)) {
            let number = self.program.loops.len() as u32;
            self.program.loops.push(Loop { uop: self.uop, exit: 0, body: self.program.ops.len() as u32 + 1 });
            self.emit(Code::LoopBegin, Bank::Word, count, [start.register, end.register, NONE], number);
            self.open.push(Open::Loop(number, outer_trips));
        } else {
            self.emit(Code::Copy, Bank::Word, count, [start.register, NONE, NONE], 0);
            let head = self.program.ops.len();
            let head = self.target(head);
            let compare = Code::Compare(Comparison::Less);
            let within = self.make(compare, Bank::Word, Bank::Word, [count, end.register, NONE], 0);
            let outside = self.mask;
            self.mask = self.both(outside, within);
            let exit = self.target(0);
            self.emit(Code::SkipUnless, Bank::Word, NONE, [self.mask, NONE, NONE], exit);
            let begin = self.program.ops.len() as u32;
            self.program.lane_loops.push(LaneLoop { uop: self.uop, begin, end: begin, count });
            let number = self.program.lane_loops.len() - 1;
            self.open.push(Open::LaneLoop { head, exit, number, outside, trips: outer_trips });
        }
        SmallVec::from_elem(Component { register: count, mark: NONE }, 1)
    }

    pub(super) fn begin_if(&mut self, uop: &Uop) -> Value {
        let condition = self.truth(uop, 0);
        self.refuse(condition.mark, self.mask);
        let outside = self.mask;
        // A copy: the condition may be an accumulator, which can change while the mask is in force.
        let condition = self.make(Code::Copy, Bank::Word, Bank::Word, [condition.register, NONE, NONE], 0);
        self.mask = self.both(outside, condition);
        let end = self.target(0);
        self.emit(Code::SkipUnless, Bank::Word, NONE, [self.mask, NONE, NONE], end);
        self.open.push(Open::If { end, outside });
        Value::new()
    }

    pub(super) fn end_scope(&mut self) -> Value {
        match self.open.pop() {
            Some(Open::Loop(number, trips)) => {
                let exit = self.program.ops.len() as u32 + 1;
                let Some(begin) = self.program.loops.get(number as usize).map(|found| found.body - 1) else {
                    return Value::new();
                };
                let count = self.program.ops[begin as usize].d;
                self.emit(Code::LoopEnd, Bank::Word, count, [NONE; 3], number);
                self.program.loops[number as usize].exit = exit;
                self.trips = trips;
            }
            Some(Open::LaneLoop { head, exit, number, outside, trips }) => {
                let count = self.program.lane_loops[number].count;
                self.emit(Code::Increment, Bank::Word, count, [NONE; 3], 0);
                self.emit(Code::Repeat, Bank::Word, NONE, [NONE; 3], head);
                let end = self.program.ops.len() as u32;
                self.program.targets[exit as usize] = end;
                self.program.lane_loops[number].end = end;
                self.mask = outside;
                self.trips = trips;
            }
            Some(Open::If { end, outside }) => {
                self.program.targets[end as usize] = self.program.ops.len() as u32;
                self.mask = outside;
            }
            Some(Open::Spread) | None => {}
        }
        Value::new()
    }

    pub(super) fn define_accumulator(&mut self, uop: &Uop) -> Value {
        let (UopArg::Acc { init, .. }, Some(dtype)) = (&uop.arg, uop.dtype) else { return Value::new() };
        let bank = Bank::of(dtype.scalar());
        let literal = convert::literal(*init, dtype.scalar());
        let marked = self.marked.accumulators.contains(&self.uop);
        (0..dtype.lanes())
            .map(|_| {
                let register = self.register(bank);
                self.fill(register, bank, literal);
                let mark = if marked { self.literal(Literal::Word(0)) } else { NONE };
                Component { register, mark }
            })
            .collect()
    }

    /// Assigns to an accumulator, or says what is wrong.
    pub(super) fn phi(&mut self, uop: &Uop) -> Result<Value, &'static str> {
        let list = self.source.list;
        let Some(place) = uop.sources.first().and_then(|&id| Place::of(self.source, id.0)) else {
            return Err(": its first source is no accumulator");
        };
        let target = self.value(uop, 0);
        let Some(&source) = uop.sources.get(1) else { return Ok(target) };
        let scalar = self.scalar(uop, 0);
        let bank = Bank::of(scalar);
        if self.fused[source.index()] {
            let alu = &list.uops[source.index()];
            let other = usize::from(Place::of(self.source, alu.sources[0].0) == Some(place));
            let operand = self.value(alu, other);
            let operation = match alu.arg {
                UopArg::Alu(op) => code(op, scalar),
                _ => None,
            };
            let operation = match operation {
                Some(Code::Int(op)) => Code::IntInto(op),
                Some(Code::Float(op)) => Code::FloatInto(op),
                _ => return Ok(target),
            };
            for (target, operand) in target.iter().zip(operand) {
                self.emit(operation, bank, target.register, [operand.register, NONE, NONE], 0);
                if convert::is_narrow(scalar) {
                    self.emit(Code::Narrow(scalar), bank, target.register, [NONE; 3], 0);
                }
                let mark = self.either(target.mark, operand.mark);
                self.assign_mark(place, target.mark, mark, NONE);
            }
            return Ok(target);
        }
        let same_mask = mask_scope(self.source, &self.uniform, self.uop)
            == mask_scope(self.source, &self.uniform, place.accumulator);
        let mask = if same_mask { NONE } else { self.mask };
        for (target, operand) in target.iter().zip(self.value(uop, 1)) {
            if target.register != operand.register {
                self.assign(bank, target.register, operand.register, mask);
                self.assign_mark(place, target.mark, operand.mark, mask);
            }
        }
        Ok(target)
    }

    fn assign(&mut self, bank: Bank, target: Register, value: Register, mask: Register) {
        if mask == NONE {
            self.emit(Code::Copy, bank, target, [value, NONE, NONE], 0);
        } else {
            self.emit(Code::Blend, bank, target, [mask, value, NONE], 0);
        }
    }

    fn assign_mark(&mut self, place: Place, target: Register, mark: Register, mask: Register) {
        match (target, mark) {
            (NONE, NONE) => {}
            (NONE, _) if self.found.accumulators.contains(&place.accumulator) => {}
            (NONE, _) => self.found.accumulators.push(place.accumulator),
            (target, NONE) => {
                let zero = self.literal(Literal::Word(0));
                self.assign(Bank::Word, target, zero, mask);
            }
            (target, mark) if target != mark => self.assign(Bank::Word, target, mark, mask),
            _ => {}
        }
    }
}

/// An accumulator or one component of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    accumulator: u32,
    component: Option<u32>,
}

impl Place {
    /// What a uop names: an accumulator, its component, or a PHI, which is what it assigns to.
    pub(super) fn of(source: Source<'_>, uop: u32) -> Option<Place> {
        let mut at = uop;
        let mut component = None;
        // Sources come before uses, except an accumulator's, where the walk ends.
        loop {
            let uop = source.list.uops.get(at as usize)?;
            match (uop.kind, &uop.arg) {
                (UopKind::DefineAcc, _) => return Some(Place { accumulator: at, component }),
                (UopKind::Phi, _) => {}
                (UopKind::Gep, UopArg::Lane(lane)) if component.is_none() => component = Some(*lane),
                _ => return None,
            }
            at = uop.sources.first()?.0;
        }
    }
}

/// The innermost scope around a uop in which some lanes may be inactive.
fn mask_scope(source: Source<'_>, uniform: &[bool], uop: u32) -> Option<u32> {
    source.scopes.enclosing(uop).find(|&scope| {
        let opener = &source.list.uops[scope as usize];
        opener.kind == UopKind::If
            || (!source.spread.iter().any(|spread| spread.uop == scope)
                && !opener.sources.iter().all(|id| uniform.get(id.index()).copied().unwrap_or(false)))
    })
}

/// For each uop whether it is an accumulation `accumulator op value` that only its PHI uses, and that can be done when
/// the PHI comes: nothing in between touches the accumulator, and no lane that runs it is inactive at the PHI.
pub(super) fn fusable(source: Source<'_>, uniform: &[bool]) -> Vec<bool> {
    let list = source.list;
    let mut uses = vec![0u32; list.uops.len()];
    for id in list.uops.iter().flat_map(|uop| &uop.sources) {
        uses[id.index()] += 1;
    }
    // For each accumulator and component the last uop that touched it.
    let mut touched = vec![SmallVec::<[u32; 4]>::new(); list.uops.len()];
    let mut touch = |place: Place, by: u32| -> Option<u32> {
        let lanes = list.uops[place.accumulator as usize].dtype.map_or(1, DType::lanes);
        let last = &mut touched[place.accumulator as usize];
        last.resize(usize::from(lanes), u32::MAX);
        match place.component.and_then(|n| last.get_mut(n as usize)) {
            Some(last) => Some(std::mem::replace(last, by)),
            None => {
                let before = last.first().copied().filter(|first| last.iter().all(|other| other == first));
                last.fill(by);
                before
            }
        }
    };
    let mut fusable = vec![false; list.uops.len()];
    for (position, uop) in list.uops.iter().enumerate() {
        let number = position as u32;
        match uop.kind {
            // These only name a place.
            UopKind::Gep | UopKind::DefineAcc => {}
            UopKind::Phi => {
                let (Some(place), Some(&new)) = (Place::of(source, uop.sources[0].0), uop.sources.get(1)) else {
                    continue;
                };
                let direct = Place::of(source, new.0);
                if let Some(direct) = direct {
                    touch(direct, number);
                }
                let last = touch(place, number);
                fusable[new.index()] = last == Some(new.0)
                    && uses[new.index()] == 1
                    && is_accumulation(source, new.index(), place)
                    && source.scopes.parent[new.index()] == source.scopes.parent[position]
                    && mask_scope(source, uniform, number) == mask_scope(source, uniform, place.accumulator);
            }
            _ => {
                for id in &uop.sources {
                    if let Some(place) = Place::of(source, id.0) {
                        touch(place, number);
                    }
                }
            }
        }
    }
    fusable
}

/// Whether a uop is `place op value` or `value op place`, where the order does not matter and the value is no
/// accumulator.
fn is_accumulation(source: Source<'_>, position: usize, place: Place) -> bool {
    let uop = &source.list.uops[position];
    let (UopKind::Alu, UopArg::Alu(op), Some(dtype)) = (uop.kind, &uop.arg, uop.dtype) else { return false };
    let places: SmallVec<[Option<Place>; 2]> = uop.sources.iter().map(|id| Place::of(source, id.0)).collect();
    let commutes = matches!(
        code(*op, dtype.scalar()),
        Some(
            Code::Int(IntOp::Add | IntOp::Max | IntOp::MaxUnsigned | IntOp::Or | IntOp::And | IntOp::Mul)
                | Code::Float(FloatOp::Add | FloatOp::Mul | FloatOp::Max)
        )
    );
    // An index that might overflow is watched where it is computed.
    let watched = source.facts.index[position] && dtype.scalar() != Scalar::Bool;
    commutes
        && *op != AluOp::MulAcc
        && !watched
        && (places.as_slice() == [Some(place), None] || places.as_slice() == [None, Some(place)])
}
