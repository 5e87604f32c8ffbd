//! Runs a compiled list: batch after batch of workgroups, each operation over all lanes of a batch.

use super::affine::Addresses;
use super::arithmetic;
use super::fault::Faults;
use super::grid::{Grid, Share};
use super::lanes::{Lane, NONE, Register, Registers};
use super::memory::Store;
use super::program::{Code, Index, Memory, Op, Program, Space};
use crate::FindingKind;
use plumb_core::uop::UopList;

/// Bytes of registers that a batch should not exceed, so that they stay in the fast caches.
const BATCH_BYTES: usize = 1 << 18;

/// Most lanes of a batch, unless a single workgroup has more.
const BATCH_LANES: usize = 1024;

/// Most elements of local memory of a batch, unless a single workgroup has more.
const BATCH_SHARED: usize = 1 << 20;

/// Why a run ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Iterations that were run side by side depend on each other: they must be run one after the other.
    Dependent,
    /// An output element is written twice, by whom was not noted: that must be, to tell.
    Detailed,
    /// More operations than foreseen.
    Exhausted,
}

/// What is run.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) list: &'a UopList,
    pub(super) program: &'a Program,
    pub(super) grid: &'a Grid,
    pub(super) share: &'a Share,
    /// Whether workgroups run one after the other.
    pub(super) sequential: bool,
    /// Whether it is noted who writes an element of an output.
    pub(super) detailed: bool,
    /// Operations over lanes after which the run ends.
    pub(super) fuel: u64,
}

impl Plan<'_> {
    /// Workgroups of a batch.
    pub(super) fn batch_groups(&self) -> usize {
        if self.sequential {
            return 1;
        }
        let bytes: usize = self.program.registers.iter().zip([4, 8, 4, 8]).map(|(count, size)| count * size).sum();
        let lanes = (BATCH_BYTES / bytes.max(1)).clamp(64, BATCH_LANES);
        let shared = |memory: &Memory| if let Space::Local(size) = memory.space { size as usize } else { 0 };
        let shared: usize = self.program.memories.iter().map(shared).sum();
        let groups = (lanes / self.grid.lanes_per_group().max(1)).min(BATCH_SHARED / shared.max(1));
        groups.min(usize::try_from(self.share.len()).unwrap_or(usize::MAX)).max(1)
    }
}

/// A running kernel.
pub(super) struct Machine<'a> {
    pub(super) list: &'a UopList,
    pub(super) program: &'a Program,
    pub(super) grid: &'a Grid,
    pub(super) share: &'a Share,
    pub(super) faults: &'a mut Faults,
    pub(super) registers: Registers,
    pub(super) stores: Vec<Store>,
    /// Lanes in a workgroup.
    pub(super) group_lanes: usize,
    /// Workgroups in a full batch.
    batch_groups: usize,
    /// Lanes in the current batch.
    pub(super) lanes: usize,
    /// The first workgroup of the current batch, among those that run.
    pub(super) first_group: u64,
    /// For each workgroup of the batch how many barriers it has passed, counted on from batch to batch.
    pub(super) time: Vec<u32>,
    /// The time at which the current batch began.
    pub(super) began: u32,
    /// Count and end of each loop.
    counts: Vec<(i32, i32)>,
    /// Whether iterations run one after the other.
    pub(super) sequential: bool,
    /// Why the kernel must be run again.
    pub(super) again: Option<Stop>,
    /// Operations over lanes that may still be run.
    fuel: u64,
    /// For each lane of a batch its workgroup.
    groups: Vec<u32>,
    /// What is known of the addresses of the access that is under way.
    pub(super) addresses: Addresses,
}

impl<'a> Machine<'a> {
    /// A machine with memory `stores`, made for batches of the plan's size, ready to run.
    pub(super) fn new(plan: Plan<'a>, stores: Vec<Store>, faults: &'a mut Faults) -> Machine<'a> {
        let (group_lanes, batch_groups) = (plan.grid.lanes_per_group(), plan.batch_groups());
        Machine {
            list: plan.list,
            program: plan.program,
            grid: plan.grid,
            share: plan.share,
            faults,
            registers: Registers::new(plan.program.registers, group_lanes * batch_groups),
            stores,
            group_lanes,
            batch_groups,
            lanes: 0,
            first_group: 0,
            time: vec![0; batch_groups],
            began: 1,
            counts: vec![(0, 0); plan.program.loops.len()],
            sequential: plan.sequential,
            again: None,
            fuel: plan.fuel,
            groups: (0..batch_groups as u32).flat_map(|group| std::iter::repeat_n(group, group_lanes)).collect(),
            addresses: Addresses::Masked,
        }
    }

    /// The workgroup of a lane, within the batch.
    #[inline]
    pub(super) fn group_in_batch(&self, lane: usize) -> usize {
        self.groups.get(lane).map_or(0, |&group| group as usize)
    }

    /// Runs all workgroups, until there is something to find fault with.
    pub(super) fn run(&mut self) -> Result<(), Stop> {
        let groups = self.share.len();
        while self.first_group < groups && self.faults.is_empty() && self.group_lanes > 0 {
            let count = (groups - self.first_group).min(self.batch_groups as u64) as usize;
            self.lanes = count * self.group_lanes;
            self.began = self.time.iter().copied().max().unwrap_or(0) + 1;
            self.time.fill(self.began);
            self.run_batch()?;
            if let Some(stop) = self.again {
                return Err(stop);
            }
            self.first_group += count as u64;
        }
        Ok(())
    }

    fn run_batch(&mut self) -> Result<(), Stop> {
        let program = self.program;
        let mut at = 0;
        while let Some(op) = program.ops.get(at) {
            at += 1;
            if arithmetic::execute(&mut self.registers, program, op, self.lanes) {
                continue;
            }
            match op.code {
                Code::Load => match self.load_vector(op, &program.ops[at..]) {
                    0 => self.load(op),
                    done => at += done,
                },
                Code::Store => match self.store_vector(op, &program.ops[at..]) {
                    0 => self.store(op),
                    done => at += done,
                },
                Code::Check => self.check(op),
                Code::Refuse => self.refuse(op),
                Code::Index => self.index(op),
                Code::LoopBegin => {
                    let [start, end] = [op.a, op.b].map(|register| self.first_lane(register));
                    let number = op.extra as usize;
                    self.counts[number] = (start, end);
                    if start < end {
                        self.registers.get_mut::<i32>(op.d)[..self.lanes].fill(start);
                    } else {
                        at = program.loops[number].exit as usize;
                    }
                }
                Code::LoopEnd => {
                    let number = op.extra as usize;
                    let (count, end) = &mut self.counts[number];
                    // Below its end, so that there is no overflow.
                    *count += 1;
                    if *count < *end {
                        self.registers.get_mut::<i32>(op.d)[..self.lanes].fill(*count);
                        let body = program.loops[number].body as usize;
                        self.burn(at - body)?;
                        at = body;
                    }
                }
                Code::Repeat => {
                    let head = program.targets[op.extra as usize] as usize;
                    self.burn(at - head)?;
                    at = head;
                }
                Code::SkipUnless if self.any(op.a) => {}
                Code::SkipUnless => at = program.targets[op.extra as usize] as usize,
                Code::Barrier => self.barrier(op),
                Code::Matrix => self.matrix(op),
                _ => {}
            }
        }
        self.burn(program.ops.len())
    }

    /// Counts operations against the fuel.
    fn burn(&mut self, operations: usize) -> Result<(), Stop> {
        let spent = operations as u64 * self.lanes as u64;
        self.fuel = self.fuel.checked_sub(spent).ok_or(Stop::Exhausted)?;
        Ok(())
    }

    /// The value of a register that is the same in all lanes.
    fn first_lane(&self, register: Register) -> i32 {
        self.registers.get::<i32>(register).first().copied().unwrap_or(0)
    }

    /// The active lanes of a mask; `None`: all.
    pub(super) fn mask(&self, mask: Register) -> Option<&[i32]> {
        (mask != NONE).then(|| &self.registers.get::<i32>(mask)[..self.lanes])
    }

    fn any(&self, mask: Register) -> bool {
        self.mask(mask).is_none_or(|mask| mask.iter().any(|&active| active != 0))
    }

    /// The first active lane for which `f` holds.
    pub(super) fn find(&self, mask: Register, f: impl Fn(usize) -> bool) -> Option<usize> {
        let mask = self.mask(mask);
        (0..self.lanes).find(|&lane| mask.is_none_or(|mask| mask[lane] != 0) && f(lane))
    }

    fn index(&mut self, op: &Op) {
        let Some(&index) = self.program.indices.get(op.extra as usize) else { return };
        let mut out = self.registers.take::<i32>(op.d);
        let lanes = &mut out[..self.lanes];
        match index {
            Index::Lane(dimension) => self.grid.fill_lane_coordinates(dimension as usize, lanes),
            Index::Group(dimension) => self.fill_group_coordinates(dimension as usize, 0, lanes),
            Index::Iteration(number) => {
                let number = number as usize;
                let start = self.program.spread.get(number).map_or(0, |spread| spread.start);
                let dimension = self.program.spread.len().saturating_sub(1 + number);
                self.fill_group_coordinates(dimension, start, lanes);
            }
        }
        self.registers.put(op.d, out);
    }

    /// Coordinates of the workgroups of the batch, `start` added, for each of their lanes.
    fn fill_group_coordinates(&self, dimension: usize, start: i64, out: &mut [i32]) {
        let (grid, lanes) = (self.grid, self.group_lanes);
        if let Share::All(_) = self.share {
            return grid.fill_group_coordinates(self.first_group, dimension, start, out);
        }
        for (group, out) in (self.first_group..).zip(out.chunks_mut(lanes)) {
            out.fill((start + grid.group_coordinate(self.share.group(group), dimension)) as i32);
        }
    }

    fn refuse(&mut self, op: &Op) {
        let marks = self.registers.get::<i32>(op.a);
        let Some(lane) = self.find(op.c, |lane| marks[lane] != 0) else { return };
        let origin = marks[lane] - 1;
        if self.faults.wants(op.uop, FindingKind::IndexArithmetic) {
            let origin = super::fault::describe(self.list, origin as usize);
            let what = format!(
                "{}: its address, gate, condition or bound is undefined, by overflow, division by zero or a cast out of range \
                 in uop {origin}",
                self.place(op, lane)
            );
            self.faults.add(self.list, op.uop, FindingKind::IndexArithmetic, &what);
        }
    }

    fn barrier(&mut self, op: &Op) {
        let mask = self.mask(op.c);
        let mut divergent = None;
        let mut passing = Vec::new();
        for group in 0..self.lanes / self.group_lanes {
            let lanes = group * self.group_lanes..(group + 1) * self.group_lanes;
            let active =
                mask.map_or(self.group_lanes, |mask| mask[lanes.clone()].iter().filter(|&&on| on != 0).count());
            if active == self.group_lanes {
                passing.push(group);
            } else if active > 0 && divergent.is_none() {
                let missing = lanes.clone().find(|&lane| mask.is_some_and(|mask| mask[lane] == 0));
                divergent = Some((active, missing.unwrap_or(lanes.start)));
            }
        }
        for group in passing {
            self.time[group] += 1;
        }
        if let Some((active, missing)) = divergent {
            let what = format!(
                "{}: not reached by this lane, but by {active} of the {} of its workgroup",
                self.place(op, missing),
                self.group_lanes
            );
            self.faults.add(self.list, op.uop, FindingKind::DivergentBarrier, &what);
        }
    }

    /// Number of a lane of the batch among all that run, as memory notes it: from 1, below [`super::memory::MANY`].
    pub(super) fn toucher(&self, lane: usize) -> u32 {
        let number = self.first_group * self.group_lanes as u64 + lane as u64;
        (number % (u64::from(u32::MAX) - 1)) as u32 + 1
    }

    /// Number of the workgroup, among all that run, of a lane that memory noted.
    pub(super) fn group_of(&self, toucher: u32) -> u64 {
        u64::from(toucher.saturating_sub(1)) / self.group_lanes as u64
    }

    /// Where a lane stands: ` in workgroup (2,0,0) lane (3,1,0) with loop 12 = 4`.
    pub(super) fn place(&self, op: &Op, lane: usize) -> String {
        let group = self.share.group(self.first_group + (lane / self.group_lanes) as u64);
        let mut text = self.describe_item(group, lane % self.group_lanes);
        let ops = self.program.ops.iter();
        let at = ops.clone().position(|other| std::ptr::eq(other, op)).unwrap_or(0) as u32;
        for (number, found) in self.program.loops.iter().enumerate() {
            if found.body <= at && at < found.exit {
                text.push_str(&format!(", loop {} = {}", found.uop, self.counts[number].0));
            }
        }
        for found in &self.program.lane_loops {
            if found.begin <= at && at < found.end {
                text.push_str(&format!(", loop {} = {}", found.uop, self.registers.get::<i32>(found.count)[lane]));
            }
        }
        text
    }

    /// A work item: its workgroup and lane, or the iterations that it is.
    pub(super) fn describe_item(&self, group: u64, lane: usize) -> String {
        if self.grid.launched {
            let [x, y, z] = [0, 1, 2].map(|dimension| self.grid.group_coordinate(group, dimension));
            let [a, b, c] = [0, 1, 2].map(|dimension| self.grid.lane_coordinate(lane, dimension));
            return format!(" in workgroup ({x},{y},{z}) lane ({a},{b},{c})");
        }
        let loops = self.program.spread.iter().enumerate().map(|(number, spread)| {
            format!("loop {} = {}", spread.uop, iteration(self.program, self.grid, group, number as u32))
        });
        let loops: Vec<String> = loops.collect();
        if loops.is_empty() { String::new() } else { format!(" with {}", loops.join(", ")) }
    }

    /// The work item that memory noted.
    pub(super) fn describe_toucher(&self, toucher: u32) -> String {
        if toucher == super::memory::MANY {
            return " in several lanes".to_owned();
        }
        let lane = toucher.saturating_sub(1) as usize % self.group_lanes;
        self.describe_item(self.share.group(self.group_of(toucher)), lane)
    }

    /// The lanes of a register in the current batch.
    pub(super) fn lanes_of<T: Lane>(&self, register: Register) -> &[T] {
        &self.registers.get::<T>(register)[..self.lanes]
    }
}

/// The count of the loop `number` of those that are spread, in a workgroup that is one iteration of all of them.
fn iteration(program: &Program, grid: &Grid, group: u64, number: u32) -> i64 {
    let number = number as usize;
    let Some(spread) = program.spread.get(number) else { return 0 };
    spread.start + grid.group_coordinate(group, program.spread.len() - 1 - number)
}
