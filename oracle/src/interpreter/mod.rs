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
use program::{Memory, Program, Space};
use scope::Scopes;

mod access;
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
mod spread;

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
    let source = compile::Source { list, scopes: &scopes, facts: &facts, spread: &spread, variable: &variable };
    let program = compile::compile(source, &mut faults)?;
    if !faults.is_empty() {
        return Err(RunError::Faults(faults.into_findings()));
    }
    let cost = program.cost.saturating_mul(grid.lanes_per_group() as u64);
    let share = Share::of(grid.group_count(), cost, budget)?;
    // Far more than the uops foreseen: loops whose bounds depend on data can run for longer than was counted.
    let fuel = budget.uop_lanes.saturating_mul(1000).saturating_add(1 << 20);
    let mut plan = Plan { list, program: &program, grid: &grid, share: &share, sequential: false, fuel };
    let stores = loop {
        let mut machine = Machine::new(plan, memories(plan, inputs)?, &mut faults);
        match machine.run() {
            Ok(()) => break machine.stores,
            Err(Stop::Dependent) => plan.sequential = true,
            Err(Stop::Exhausted) if machine.faults.is_empty() => {
                return Err(RunError::Unsupported(format!(
                    "more than {fuel} operations, in loops without fixed bounds"
                )));
            }
            Err(Stop::Exhausted) => break machine.stores,
        }
    };
    if !faults.is_empty() {
        return Err(RunError::Faults(faults.into_findings()));
    }
    Ok(Run { outputs: outputs(&program, &stores), share: share_text(&grid, &share) })
}

/// The memories of a program, as they are before it runs.
fn memories(plan: Plan<'_>, inputs: &Inputs) -> Result<Vec<Store>, RunError> {
    let program = plan.program;
    let groups = plan.batch_groups();
    let items = plan.share.len().saturating_mul(plan.grid.lanes_per_group() as u64);
    let make = |(number, memory): (usize, &Memory)| -> Result<Store, RunError> {
        let loads = program.loads.get(number).copied().unwrap_or(0);
        let contents = |argument: u32| {
            let found = inputs.buffers.iter().find(|(number, _)| *number == argument);
            found.map(|&(_, mut buffer)| {
                // A pixel is read as a whole, even if the views reach only some of its channels.
                buffer.size = image_size(memory).unwrap_or(buffer.size);
                buffer
            })
        };
        Ok(match memory.space {
            Space::Input(argument) => {
                let buffer = contents(argument)
                    .ok_or_else(|| RunError::Unsupported(format!("no contents for argument {argument}")))?;
                Store::Input(Input::new(buffer, memory.scalar, loads.saturating_mul(items)))
            }
            Space::Output(argument) => {
                let given = inputs.outputs.iter().find(|(number, _)| *number == argument);
                let before = contents(argument);
                let size = image_size(memory).or(given.map(|given| given.1)).or(before.map(|before| before.size));
                let size = size.ok_or_else(|| RunError::Unsupported(format!("no size for argument {argument}")))?;
                let marked = program.memories.iter().any(|memory| memory.space == Space::Marks(number as u32));
                Store::Output(memory::Output::new(size, memory.scalar, before, memory.loaded, marked))
            }
            Space::Local(size) => Store::Local(Local::new(size as usize, memory.scalar, groups)),
            Space::Marks(of) => match program.memories.get(of as usize).map(|memory| memory.space) {
                Some(Space::Local(size)) => Store::LocalMarks(size as usize, vec![0; size as usize * groups]),
                _ => Store::OutputMarks(of),
            },
        })
    };
    program.memories.iter().enumerate().map(make).collect()
}

/// Elements of a memory that is an image.
fn image_size(memory: &Memory) -> Option<i64> {
    memory.image.map(|image| i64::from(image.width) * i64::from(image.height) * 4)
}

/// What was written.
fn outputs(program: &Program, stores: &[Store]) -> Vec<Output> {
    let output = |(memory, store): (&Memory, &Store)| match (memory.space, store) {
        (Space::Output(buffer), Store::Output(output)) => {
            let (written, undefined) = output.written();
            Some(Output { buffer, dtype: memory.scalar, written, undefined })
        }
        _ => None,
    };
    let mut outputs: Vec<Output> = program.memories.iter().zip(stores).filter_map(output).collect();
    outputs.sort_by_key(|output| output.buffer);
    outputs
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
