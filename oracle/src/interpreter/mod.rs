//! Runs a list of uops: workgroups of lanes, barriers, loops, gates as masks, local memory.
//!
//! A sanitizer as well: what a kernel may not do to memory, it reports with the uop, the lane and the address.

use crate::data::Inputs;
use crate::{Finding, FindingKind};
use plumb_core::dtype::Scalar;
use plumb_core::linearize::Lowered;

/// How much to run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Uop executions (one uop for one lane) after which a kernel is run only in part.
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
    #[error("{} fault(s), first: {}", .0.len(), .0[0])]
    Faults(Vec<Finding>),
    /// Something that is not interpreted (yet): a short phrase.
    #[error("not interpreted: {0}")]
    Unsupported(String),
}

/// Runs a kernel on inputs, whole or, beyond the budget, in part.
pub fn run(_lowered: &Lowered, _inputs: &Inputs, _budget: Budget) -> Result<Run, RunError> {
    let _ = FindingKind::Race;
    unimplemented!()
}
