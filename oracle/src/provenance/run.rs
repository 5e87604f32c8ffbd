//! Runs a list of uops on provenances: all lanes of some workgroups in step.

use super::Unsupported;
use super::algebra::Algebra;
use super::grid::Grid;
use super::lane::Lane;
use super::matrix::{self, WARP};
use plumb_core::ast::AluOp;
use plumb_core::dtype::{DType, Image, Scalar};
use plumb_core::linearize::Lowered;
use plumb_core::uop::{Uop, UopArg, UopId, UopKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Lanes that are run together at least, where there are as many.
const TOGETHER: usize = 64;

/// How many times the budget the first workgroup may take.
pub(super) const FIRST_BUDGETS: u64 = 20;

/// Elements of local memory of the workgroups run together.
const LOCAL_MAX: usize = 1 << 20;

/// What a kernel left in an element, and which work item did.
pub(super) type Written = BTreeMap<(u32, i64), (Lane, u64)>;

/// A list that is ready to run.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    uops: &'a [Uop],
    grid: &'a Grid,
    bindings: &'a [(String, i64)],
    /// The uop that holds a uop's value, and the first component of it: others for GEP and PHI.
    holders: Vec<(u32, u32)>,
    /// The end of each loop and IF.
    ends: Vec<u32>,
    algebra: &'a mut Algebra,
    /// Components one after the other, of all lanes each.
    values: Vec<Vec<Lane>>,
    locals: FxHashMap<u32, Vec<Lane>>,
    /// The work items run together.
    groups: Vec<u64>,
    active: Vec<bool>,
    written: Written,
    fuel: u64,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        lowered: &'a Lowered,
        grid: &'a Grid,
        bindings: &'a [(String, i64)],
        algebra: &'a mut Algebra,
    ) -> Machine<'a> {
        let uops = &lowered.uops.uops;
        let mut holders: Vec<(u32, u32)> = Vec::with_capacity(uops.len());
        let mut ends = vec![0; uops.len()];
        for (position, uop) in uops.iter().enumerate() {
            let first = || uop.sources.first().and_then(|id| holders.get(id.index())).copied();
            let holder = match (uop.kind, &uop.arg) {
                (UopKind::Phi, _) => first(),
                (UopKind::Gep, UopArg::Lane(lane)) => first().map(|(holder, component)| (holder, component + lane)),
                _ => None,
            };
            holders.push(holder.unwrap_or((position as u32, 0)));
            if matches!(uop.kind, UopKind::EndRange | UopKind::EndIf)
                && let Some(end) = uop.sources.first().and_then(|id| ends.get_mut(id.index()))
            {
                *end = position as u32;
            }
        }
        Machine {
            uops,
            grid,
            bindings,
            holders,
            ends,
            algebra,
            values: vec![Vec::new(); uops.len()],
            locals: FxHashMap::default(),
            groups: Vec::new(),
            active: Vec::new(),
            written: Written::new(),
            fuel: 0,
        }
    }

    /// Runs work items while there is budget; whether all were run.
    pub(super) fn run(&mut self, budget: u64) -> Result<(&Written, bool), Unsupported> {
        // The first few alone: one may take more than the whole budget.
        let mut together = 2;
        let mut order = self.grid.order().peekable();
        self.fuel = budget.saturating_mul(FIRST_BUDGETS);
        let mut used = 0;
        while order.peek().is_some() && used < budget {
            let groups: Vec<u64> = order.by_ref().take(together).collect();
            let before = self.fuel;
            self.run_groups(groups)?;
            used += before - self.fuel;
            together = (together * 8).min(TOGETHER / self.grid.lanes_per_group().max(1)).max(1);
        }
        let whole = order.peek().is_none();
        Ok((&self.written, whole))
    }

    /// Runs one work item, however much it takes.
    pub(super) fn run_one(&mut self, group: u64) -> Result<&Written, Unsupported> {
        self.fuel = u64::MAX;
        self.run_groups(vec![group])?;
        Ok(&self.written)
    }

    fn lanes(&self) -> usize {
        self.active.len()
    }

    fn run_groups(&mut self, groups: Vec<u64>) -> Result<(), Unsupported> {
        self.active = vec![true; groups.len() * self.grid.lanes_per_group()];
        self.groups = groups;
        self.locals.clear();
        let mut masks: Vec<Vec<bool>> = Vec::new();
        let mut loops: Vec<(i64, i64)> = Vec::new();
        let mut at = 0;
        while let Some(uop) = self.uops.get(at) {
            let cost = self.lanes() as u64 * u64::from(uop.dtype.map_or(1, DType::lanes));
            self.fuel = self.fuel.checked_sub(cost).ok_or_else(|| {
                Unsupported(format!("one workgroup alone takes more than {FIRST_BUDGETS} times the budget"))
            })?;
            match uop.kind {
                UopKind::Range if self.grid.loop_index(at, 0).is_some() => {
                    let index = |&group: &u64| self.grid.loop_index(at, group).unwrap_or(0);
                    let indices: Vec<i64> = self.groups.iter().map(index).collect();
                    self.values[at] = indices.into_iter().map(|index| Lane::of_bits(index as u32 as u64)).collect();
                }
                UopKind::Range => {
                    let (start, end) = (self.uniform(uop, 0)?, self.uniform(uop, 1)?);
                    if start >= end {
                        at = self.ends[at] as usize + 1;
                        continue;
                    }
                    loops.push((start, end));
                    self.values[at] = vec![Lane::of_bits(start as u32 as u64); self.lanes()];
                }
                UopKind::EndRange => {
                    let begin = uop.sources.first().map_or(0, |id| id.index());
                    if self.grid.loop_index(begin, 0).is_none()
                        && let Some((index, end)) = loops.last_mut()
                    {
                        *index += 1;
                        if index < end {
                            self.values[begin] = vec![Lane::of_bits(*index as u32 as u64); self.active.len()];
                            at = begin + 1;
                            continue;
                        }
                        loops.pop();
                    }
                }
                UopKind::If => {
                    masks.push(self.active.clone());
                    for lane in 0..self.lanes() {
                        self.active[lane] &= self.truth(uop, 0, lane)?;
                    }
                }
                UopKind::EndIf => self.active = masks.pop().unwrap_or_else(|| vec![true; self.lanes()]),
                _ => self.step(at, uop)?,
            }
            at += 1;
        }
        Ok(())
    }

    /// The lanes of a component of a source.
    fn source(&self, id: UopId, component: usize) -> &[Lane] {
        let (holder, first) = self.holders.get(id.index()).copied().unwrap_or_default();
        let values = self.values.get(holder as usize).map_or(&[][..], |values| values);
        let start = (first as usize + component) * self.lanes();
        // A scalar serves all lanes of a vector.
        values.get(start..start + self.lanes()).or(values.get(..self.lanes())).unwrap_or(&[])
    }

    fn lane(&self, uop: &Uop, source: usize, component: usize, lane: usize) -> Lane {
        let id = uop.sources.get(source).copied().unwrap_or(UopId(u32::MAX));
        self.source(id, component).get(lane).copied().unwrap_or(Lane::ZERO)
    }

    fn dtype(&self, uop: &Uop, source: usize) -> DType {
        uop.sources.get(source).and_then(|id| self.uops.get(id.index())?.dtype).unwrap_or(DType::I32)
    }

    fn uniform(&self, uop: &Uop, source: usize) -> Result<i64, Unsupported> {
        let scalar = self.dtype(uop, source).scalar();
        let first = self.lane(uop, source, 0, 0);
        let same = (1..self.lanes()).all(|lane| self.lane(uop, source, 0, lane) == first);
        if !first.is_constant() || !same {
            return Err(Unsupported("a loop of which each lane has its own count".to_owned()));
        }
        Ok(first.integer(scalar) as i64)
    }

    fn truth(&self, uop: &Uop, source: usize, lane: usize) -> Result<bool, Unsupported> {
        let condition = self.lane(uop, source, 0, lane);
        if condition.is_constant() {
            Ok(condition.value != 0)
        } else {
            Err(Unsupported("an IF that depends on data".to_owned()))
        }
    }

    fn step(&mut self, at: usize, uop: &Uop) -> Result<(), Unsupported> {
        let lanes = self.lanes();
        let dtype = uop.dtype.unwrap_or(DType::I32);
        let scalar = dtype.scalar();
        let mut out = std::mem::take(&mut self.values[at]);
        out.clear();
        match (uop.kind, &uop.arg) {
            (UopKind::Const, UopArg::Const(value)) => out.resize(lanes, Lane::constant(*value, scalar)),
            (UopKind::DefineVar, UopArg::Var { name, .. }) => {
                let bound = self.bindings.iter().find(|(bound, _)| **bound == **name);
                let (_, value) = bound.ok_or_else(|| Unsupported("a variable without a value".to_owned()))?;
                out.resize(lanes, Lane::of_bits(*value as u32 as u64));
            }
            (UopKind::DefineAcc, UopArg::Acc { init, .. }) => {
                out.resize(lanes * usize::from(dtype.lanes()), Lane::constant(*init, scalar));
            }
            (UopKind::Special, UopArg::Special { dim, name, .. }) => {
                let local = matches!(name, plumb_core::uop::IndexName::Local(_));
                let each = self.grid.lanes_per_group();
                for lane in 0..lanes {
                    let index = if local {
                        self.grid.lane_coordinate(self.groups[lane / each], lane % each, *dim as usize)
                    } else {
                        self.grid.group_coordinate(self.groups[lane / each], *dim as usize)
                    };
                    out.push(Lane::of_bits(index as u32 as u64));
                }
            }
            (UopKind::DefineLocal, UopArg::Local { size, .. }) => {
                let size = usize::try_from(*size).unwrap_or(usize::MAX).saturating_mul(self.groups.len());
                if size > LOCAL_MAX {
                    return Err(Unsupported("much local memory".to_owned()));
                }
                let unwritten = Lane::element(self.algebra.seed, u32::MAX, at as i64, scalar);
                self.locals.insert(at as u32, vec![unwritten; size]);
            }
            (UopKind::Alu, UopArg::Alu(op)) => {
                let operands = self.dtype(uop, usize::from(*op == AluOp::Where)).scalar();
                for component in 0..usize::from(dtype.lanes()) {
                    for lane in 0..lanes {
                        let operand = |n| self.lane(uop, n, component, lane);
                        let parts = [operand(0), operand(1), operand(2)];
                        let parts = &parts[..uop.sources.len().min(3)];
                        let result = self.algebra.alu(*op, operands, parts);
                        out.push(result.ok_or_else(|| Unsupported(format!("{op} of {} operands", parts.len())))?);
                    }
                }
            }
            (UopKind::Cast | UopKind::Bitcast, _) => {
                for source in 0..uop.sources.len() {
                    let from = self.dtype(uop, source);
                    for component in 0..usize::from(from.lanes()) {
                        for lane in 0..lanes {
                            let value = self.lane(uop, source, component, lane);
                            out.push(match uop.kind {
                                UopKind::Cast => self.algebra.cast(value, from.scalar(), scalar),
                                _ => self.algebra.bitcast(value, from.scalar(), scalar),
                            });
                        }
                    }
                }
            }
            (UopKind::Load, _) => self.load(uop, dtype, &mut out)?,
            (UopKind::Store, _) => self.store(uop)?,
            (UopKind::Phi, _) => self.assign(at, uop),
            (UopKind::Wmma, UopArg::Wmma(instruction)) => {
                let registers = usize::from(dtype.lanes());
                out.resize(lanes * registers, Lane::ZERO);
                for warp in 0..lanes / WARP {
                    let part = |source: usize| -> Vec<Lane> {
                        let registers = 0..usize::from(self.dtype(uop, source).lanes());
                        let lane = |n: usize| self.lane(uop, source, n / WARP, warp * WARP + n % WARP);
                        (0..registers.len() * WARP).map(lane).collect()
                    };
                    let [a, b, c] = [part(0), part(1), part(2)];
                    let product = matrix::multiply(self.algebra, instruction, [&a, &b, &c]);
                    let product = product.ok_or_else(|| Unsupported(instruction.name.clone()))?;
                    for (n, value) in product.into_iter().enumerate().take(registers * WARP) {
                        out[n / WARP * lanes + warp * WARP + n % WARP] = value;
                    }
                }
            }
            _ => {}
        }
        if self.holders[at].0 as usize == at {
            self.values[at] = out;
        }
        Ok(())
    }

    /// An accumulator takes a new value, in the lanes that are active.
    fn assign(&mut self, at: usize, uop: &Uop) {
        let lanes = self.lanes();
        let components = usize::from(uop.dtype.map_or(1, DType::lanes));
        let (holder, first) = self.holders[at];
        let Some(&value) = uop.sources.get(1) else { return };
        let new: Vec<Lane> = (0..components).flat_map(|n| self.source(value, n).to_vec()).collect();
        let start = first as usize * lanes;
        let Some(values) = self.values[holder as usize].get_mut(start..) else { return };
        for (number, (old, new)) in values.iter_mut().zip(new).enumerate() {
            if self.active[number % lanes] {
                *old = new;
            }
        }
    }

    /// The first element that a lane accesses; `None` outside of an image.
    fn address(&self, uop: &Uop, lane: usize) -> Result<Option<i64>, Unsupported> {
        let index = |component: usize| {
            let index = self.lane(uop, 1, component, lane);
            let scalar = self.dtype(uop, 1).scalar();
            if index.is_constant() {
                Ok(index.integer(scalar) as i64)
            } else {
                Err(Unsupported("an address that depends on data".to_owned()))
            }
        };
        let DType::Image(Image { width, height, .. }) = self.dtype(uop, 0) else { return Ok(Some(index(0)?)) };
        let accessed = if uop.kind == UopKind::Load { uop.dtype } else { Some(self.dtype(uop, 2)) };
        if self.dtype(uop, 1).lanes() != 2 || accessed.is_none_or(|dtype| dtype.lanes() != 4) {
            return Err(Unsupported("single channels of an image".to_owned()));
        }
        let (column, row) = (index(0)?, index(1)?);
        let inside = (0..i64::from(width)).contains(&column) && (0..i64::from(height)).contains(&row);
        Ok(inside.then(|| 4 * (row * i64::from(width) + column)))
    }

    /// Number of the argument that a uop accesses; `None` for local memory.
    fn argument(&self, uop: &Uop) -> Option<u32> {
        let definition = uop.sources.first().and_then(|id| self.uops.get(id.index()))?;
        match definition.arg {
            UopArg::Global { index, .. } => Some(index),
            _ => None,
        }
    }

    fn read(&mut self, uop: &Uop, element: i64, lane: usize, scalar: Scalar) -> Lane {
        if let Some(buffer) = self.argument(uop) {
            let written = self.written.get(&(buffer, element)).map(|&(value, _)| value);
            return written.unwrap_or_else(|| self.algebra.element(buffer, element, scalar));
        }
        let outside = Lane::element(self.algebra.seed, u32::MAX, element, scalar);
        self.local(uop, element, lane).map_or(outside, |cell| *cell)
    }

    /// A cell of the local memory of a lane's workgroup.
    fn local(&mut self, uop: &Uop, element: i64, lane: usize) -> Option<&mut Lane> {
        let memory = self.locals.get_mut(&uop.sources.first()?.0)?;
        let size = memory.len() / self.groups.len().max(1);
        let element = usize::try_from(element).ok().filter(|&element| element < size)?;
        memory.get_mut(lane / self.grid.lanes_per_group() * size + element)
    }

    fn load(&mut self, uop: &Uop, dtype: DType, out: &mut Vec<Lane>) -> Result<(), Unsupported> {
        let lanes = self.lanes();
        let gated = uop.sources.len() >= 4;
        let scalar = self.dtype(uop, 0).scalar();
        for component in 0..usize::from(dtype.lanes()) {
            for lane in 0..lanes {
                let gate = if gated { self.lane(uop, 2, 0, lane) } else { Lane::of_bits(1) };
                let otherwise = if gated { self.lane(uop, 3, component, lane) } else { Lane::ZERO };
                let closed = gate.is_constant() && gate.value == 0;
                let loaded = if closed || !self.active[lane] {
                    otherwise
                } else {
                    match self.address(uop, lane)? {
                        Some(first) => self.read(uop, first.wrapping_add(component as i64), lane, scalar),
                        None => Lane::ZERO,
                    }
                };
                out.push(self.algebra.select(gate, loaded, otherwise, scalar));
            }
        }
        Ok(())
    }

    fn store(&mut self, uop: &Uop) -> Result<(), Unsupported> {
        let each = self.grid.lanes_per_group();
        let gated = uop.sources.len() >= 4;
        let scalar = self.dtype(uop, 0).scalar();
        let (argument, components) = (self.argument(uop), usize::from(self.dtype(uop, 2).lanes()));
        for lane in 0..self.lanes() {
            let gate = if gated { self.lane(uop, 3, 0, lane) } else { Lane::of_bits(1) };
            if !self.active[lane] || (gate.is_constant() && gate.value == 0) {
                continue;
            }
            let Some(first) = self.address(uop, lane)? else { continue };
            for component in 0..components {
                let element = first.wrapping_add(component as i64);
                let from = self.dtype(uop, 2).scalar();
                let value = self.lane(uop, 2, component, lane);
                let mut value = self.algebra.cast(value, from, scalar);
                if !gate.is_constant() {
                    let old = self.read(uop, element, lane, scalar);
                    value = self.algebra.select(gate, value, old, scalar);
                }
                match argument {
                    Some(buffer) => {
                        self.written.insert((buffer, element), (value, self.groups[lane / each]));
                    }
                    None => {
                        if let Some(cell) = self.local(uop, element, lane) {
                            *cell = value;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
