//! Runs a list of uops: workgroups of lanes, barriers, loops, gates as masks, local memory.
//!
//! A sanitizer as well: what a kernel may not do to memory, it reports with the uop, the lane and the address.
//!
//! It shares only types with `core`: no constant folding, no index or view arithmetic. What uops mean is what tinygrad
//! 0.9.0's C renderers make of them; operations are done in the order of the list.
//!
//! # How it runs
//! The list is checked, bounds of its integers are found, and it is compiled to operations that each run over all lanes
//! of a batch of workgroups, so that dispatch is paid once for hundreds of lanes. Gates, conditions and loops of which
//! each lane has its own count are masks. On a target without workgroups the outermost loops are spread over lanes;
//! should their iterations turn out to depend on each other through memory, the kernel is run again, one iteration
//! after the other.
//!
//! # What values are
//! After each operation a value is wrapped or rounded as its type asks.
//! - Integers wrap. Quotients are truncated, remainders have the sign of the dividend. Of bools, sum and maximum are
//!   *or*, the product *and*, the difference *exclusive or*, negation is *not*.
//! - `f32` and `f64` operations are those of the machine; `f16` and `bf16` are computed in `f32` and rounded to nearest,
//!   ties to even, which for `+ - * /` and the square root is correct rounding. Exp2, log2 and sin are computed in `f64`
//!   by the portable `libm`, and rounded once. A multiply-accumulate rounds its product as well as its sum.
//! - The maximum of floats is IEEE 754-2019's `maximum`: a NaN wins, and `+0` is above `-0`, so that a reduction does
//!   not depend on its order.
//! - Casts from floats truncate. Integers to `f16` and `bf16` go through `f32`. Anything but zero is `true`.
//! - A matrix instruction sums its products, exact in `f64`, in `f64`, and rounds the sum with C once.
//!
//! A value is *undefined* where C leaves it so and tinygrad does not say otherwise: a float cast to an integer type that
//! can't hold it, and an integer divided by zero. That is no fault by itself, since a kernel may select another value
//! afterwards; elements of outputs that depend on such a value are listed in [`Output::undefined`].
//!
//! # What is a fault
//! - An access outside its memory, or of several elements at an address that is no multiple of their number.
//! - A read of local memory, or of an output without previous contents, that was never written.
//! - Two lanes of a workgroup that touch one cell, one of them writing, with no barrier between; an output element that
//!   two lanes write, or one lane twice; an output element that one workgroup writes and another reads.
//! - A barrier or a matrix instruction that not all lanes of a workgroup or warp reach.
//! - An address, a gate, a condition or the bound of a loop that depends on an undefined value, or on signed
//!   arithmetic of 32 or 64 bits that overflows (narrower types are computed in C's `int`, unsigned ones wrap).
//! - A list with a wrong type, a use before or outside of the scope of its definition, a scope that is not closed or
//!   crosses another.
//!
//! Whether all output elements are written is for the comparison with the reference to say. A run stops after the batch
//! in which the first fault is found.

use crate::Finding;

use crate::data::Inputs;
use fault::Faults;
pub(crate) use grid::evaluate as launch_size;
use grid::{Grid, Share};
use interval::Facts;
use machine::{Machine, Plan, Stop};
use memory::{Input, Local, Store};
use plumb_core::dtype::Scalar;
use plumb_core::linearize::Lowered;
use plumb_core::uop::UopList;
use program::{Memory, Program, Space};
use scope::Scopes;
use std::sync::Arc;

mod access;
mod affine;
mod arithmetic;
mod cast;
mod check;
mod compile;
mod convert;
mod fault;
mod grid;
mod interval;
mod lanes;
mod machine;
mod matrix;
mod memory;
pub mod parse;
mod program;
mod scope;
mod sizes;
mod spread;
mod vector;

#[cfg(test)]
mod tests;

/// How much to run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Uop executions (one uop for one lane) after which a kernel is run only in part. A single workgroup may take
    /// two hundred and fifty times as many; beyond that a kernel is not run.
    pub uop_lanes: u64,
}

/// What one output buffer holds after a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Number of the kernel's argument.
    pub buffer: u32,
    /// Type of its elements.
    pub dtype: Scalar,
    /// The elements written, ascending by element: (element, the bits of the value in the buffer's type).
    pub written: Vec<(i64, u64)>,
    /// Those of the written elements, ascending, whose value the kernel leaves undefined: it depends on a cast from a
    /// float that the integer type can't hold, or on an integer division by zero.
    pub undefined: Vec<i64>,
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The outputs, in the order of their argument numbers.
    pub outputs: Vec<Output>,
    /// `None`: the whole kernel ran; otherwise which share of its workgroups or outermost iterations, in words and
    /// numbers.
    pub share: Option<String>,
}

/// Why nothing was run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The kernel does something that a kernel may not do.
    #[error("{} fault(s), first: {}", .0.len(), .0.first().map(ToString::to_string).unwrap_or_default())]
    Faults(Vec<Finding>),
    /// Something that is not interpreted (yet): a short phrase.
    #[error("not interpreted: {0}")]
    Unsupported(String),
}

/// Runs a kernel on inputs, whole or, beyond the budget, in part.
pub fn run(lowered: &Lowered, inputs: &Inputs, budget: Budget) -> Result<Run, RunError> {
    Prepared::new(lowered, inputs, budget)?.run()
}

/// A kernel, compiled for one launch on inputs that stand in memory: it can be run several times.
#[derive(Debug)]
pub struct Prepared<'a> {
    list: &'a UopList,
    program: Program,
    grid: Grid,
    share: Share,
    /// The memories that no run changes.
    inputs: Vec<Option<Arc<Input>>>,
    /// Size, contents before the run, of the memories that are outputs.
    outputs: Vec<Option<sizes::Given>>,
    fuel: u64,
}

/// A run that has ended without a fault: what it left in memory.
#[derive(Debug)]
pub struct Executed<'a> {
    prepared: &'a Prepared<'a>,
    stores: Vec<Store>,
}

impl<'a> Prepared<'a> {
    /// Checks and compiles a kernel.
    ///
    /// # Errors
    /// [`RunError::Faults`] where the list is malformed, [`RunError::Unsupported`] where it is not interpreted.
    pub fn new(lowered: &'a Lowered, inputs: &Inputs, budget: Budget) -> Result<Prepared<'a>, RunError> {
        let mut faults = Faults::default();
        let list = &lowered.uops;
        let variable = |name: &str| inputs.bindings.iter().find(|(bound, _)| bound == name).map(|&(_, value)| value);
        if lowered.global_size.is_none() && check::has_channel_access(list) {
            // 0.9.0 makes such lists, but has no target that could run them.
            return Err(RunError::Unsupported("an image on a target without vectors".to_owned()));
        }
        let scopes = Scopes::of(list, &mut faults);
        check::check(list, &mut faults);
        if !faults.is_empty() {
            return Err(RunError::Faults(faults.into_findings()));
        }
        let mut grid = Grid::of(lowered, &variable, &mut faults)?;
        let facts = Facts::of(list, &|uop| grid::special_max(lowered, &variable, uop), &variable);
        let spread = if grid.launched { Vec::new() } else { spread::spread(list, &scopes, &facts) };
        if !grid.launched {
            grid.groups = spread.iter().rev().map(|spread| spread.count).collect();
        }
        let size = |argument: u32| sizes::size_of(inputs, argument);
        let source =
            compile::Source { list, scopes: &scopes, facts: &facts, spread: &spread, variable: &variable, size: &size };
        let program = compile::compile(source, &mut faults)?;
        if !faults.is_empty() {
            return Err(RunError::Faults(faults.into_findings()));
        }
        let cost = program.cost.saturating_mul(grid.lanes_per_group() as u64);
        let share = Share::of(grid.group_count(), cost, budget)?;
        // Far more than the uops foreseen: loops whose bounds depend on data can run for longer than was counted.
        let fuel = budget.uop_lanes.saturating_mul(1000).saturating_add(1 << 20);
        let items = share.len().saturating_mul(grid.lanes_per_group() as u64);
        let outputs = sizes::outputs(&program, inputs)?;
        let inputs = sizes::inputs(&program, inputs, items)?;
        Ok(Prepared { list, program, grid, share, inputs, outputs, fuel })
    }

    /// Uop executions of a run: one uop for one lane, the iterations of its loops counted.
    pub fn uop_lanes(&self) -> u64 {
        self.items().saturating_mul(self.program.cost)
    }

    /// Lanes that run, in all workgroups.
    fn items(&self) -> u64 {
        self.share.len().saturating_mul(self.grid.lanes_per_group() as u64)
    }

    /// Runs the kernel.
    ///
    /// # Errors
    /// [`RunError::Faults`] with what the kernel does that it may not do; [`RunError::Unsupported`] where its loops
    /// have no end in sight.
    pub fn run(&self) -> Result<Run, RunError> {
        let executed = self.execute()?;
        Ok(Run { outputs: executed.outputs(), share: share_text(&self.grid, &self.share) })
    }

    /// Runs the kernel, and leaves what it wrote in memory.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn execute(&self) -> Result<Executed<'_>, RunError> {
        self.execute_in(None)
    }

    /// Runs the kernel, in the memory of an earlier run if there is one.
    fn execute_in(&self, stores: Option<Vec<Store>>) -> Result<Executed<'_>, RunError> {
        let mut faults = Faults::default();
        let Prepared { list, program, grid, share, fuel, .. } = self;
        let detailed = program.memories.iter().any(|memory| matches!(memory.space, Space::Output(_)) && memory.loaded);
        let mut plan = Plan { list, program, grid, share, sequential: false, detailed, fuel: *fuel };
        let mut stores = stores.unwrap_or_else(|| self.memories(plan));
        let stores = loop {
            let mut machine = Machine::new(plan, stores, &mut faults);
            match machine.run() {
                Ok(()) => break machine.stores,
                Err(Stop::Dependent) => plan.sequential = true,
                Err(Stop::Detailed) => plan.detailed = true,
                Err(Stop::Exhausted) if machine.faults.is_empty() => {
                    return Err(RunError::Unsupported(format!(
                        "more than {fuel} operations, in loops without fixed bounds"
                    )));
                }
                Err(Stop::Exhausted) => break machine.stores,
            }
            faults = Faults::default();
            stores = self.memories(plan);
        };
        if faults.is_empty() {
            Ok(Executed { prepared: self, stores })
        } else {
            Err(RunError::Faults(faults.into_findings()))
        }
    }

    /// The memories, as they are before a run.
    fn memories(&self, plan: Plan<'_>) -> Vec<Store> {
        let groups = plan.batch_groups();
        let whole = matches!(self.share, Share::All(_)).then(|| self.items());
        let make = |(number, memory): (usize, &Memory)| match memory.space {
            Space::Input(_) => self.inputs[number].clone().map_or(Store::Nothing, Store::Input),
            Space::Output(_) => {
                let (size, before) = self.outputs[number].unwrap_or_default();
                let marked = self.program.memories.iter().any(|memory| memory.space == Space::Marks(number as u32));
                Store::Output(memory::Output::new(size, memory, before, marked, whole, plan.detailed))
            }
            Space::Local(size) => Store::Local(Local::new(size as usize, memory.scalar, groups)),
            Space::Marks(of) => match self.program.memories.get(of as usize).map(|memory| memory.space) {
                Some(Space::Local(size)) => Store::LocalMarks(size as usize, vec![0; size as usize * groups]),
                _ => Store::OutputMarks(of),
            },
        };
        self.program.memories.iter().enumerate().map(make).collect()
    }
}

impl<'a> Executed<'a> {
    /// Runs the kernel again in the same memory.
    ///
    /// # Errors
    /// As [`Prepared::run`].
    pub fn again(mut self) -> Result<Executed<'a>, RunError> {
        self.stores.iter_mut().for_each(Store::reset);
        self.prepared.execute_in(Some(self.stores))
    }

    /// What was written, in the order of the argument numbers.
    pub fn outputs(&self) -> Vec<Output> {
        let output = |(memory, store): (&Memory, &Store)| match (memory.space, store) {
            (Space::Output(buffer), Store::Output(output)) => {
                let (written, undefined) = output.written();
                Some(Output { buffer, dtype: memory.scalar, written, undefined })
            }
            _ => None,
        };
        let stores = self.prepared.program.memories.iter().zip(&self.stores);
        let mut outputs: Vec<Output> = stores.filter_map(output).collect();
        outputs.sort_by_key(|output| output.buffer);
        outputs
    }
}

/// Which share ran, for people.
fn share_text(grid: &Grid, share: &Share) -> Option<String> {
    let Share::Some(groups) = share else { return None };
    let what = if grid.launched { "workgroups" } else { "iterations of the outer loops" };
    Some(format!(
        "{} of {} {what}: the first, the last, and one at a hashed place in each of equal stretches between them",
        groups.len(),
        grid.group_count()
    ))
}
