//! (signatures only, to be replaced by the implementation)
#![allow(unused_variables, missing_docs, dead_code, clippy::all)]
use super::*;
use crate::ast::{Ast, AstId, BufferId};
use crate::rule::{Firings, Rules};
use crate::shape::{ShapeError, ShapeTracker};
use crate::symbolic::{Arena, NodeId, Sint};
use crate::target::{Target, TensorCore};
use std::sync::Arc;

/// A buffer of a kernel: one of the AST's, or local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelBuffer {
    Ast(BufferId),
    Local { name: crate::uop::LocalName, size: i64, dtype: crate::dtype::DType },
}
/// 0.9.0's Kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub ast: Arc<Ast>,
    pub target: Arc<Target>,
    pub rules: Rules,
    pub arena: Arena,
    pub firings: Firings,
    pub reduce: Option<AstId>,
    pub buffers: Vec<KernelBuffer>,
    /// Outputs come first in `buffers`.
    pub outputs: usize,
    /// Which buffers are read before the reduction.
    pub early_buffers: Vec<bool>,
    pub full_buffer: usize,
    pub variables: Vec<NodeId>,
    pub views: Vec<ShapeTracker>,
    pub applied: Vec<Opt>,
    pub group_for_reduces: usize,
    pub upcasted: usize,
    pub local_dims: usize,
    /// (buffer number, its local alias' buffer number)
    pub local_alias: Vec<(usize, usize)>,
    pub tensor_core: Option<TensorCore>,
    pub tensor_core_opts: Option<TensorCoreOpts>,
    pub dont_use_locals: bool,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorCoreOpts {
    pub buffers: [usize; 2],
    pub axes: [usize; 2],
    pub axes_exist: [bool; 2],
}

/// Why an optimisation is refused: the check's name and what it found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptError {
    #[error("{}: {message}", .check.info().name)]
    Refused { check: OptCheck, message: String },
    #[error(transparent)]
    Shape(#[from] ShapeError),
}
/// Why a kernel can't be lowered.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The AST is not one that 0.9.0's kernels can be (no store, two reductions, shapes that differ, …).
    #[error("invalid kernel: {0}")]
    Invalid(String),
    /// Not (yet) supported.
    #[error("not supported: {0}")]
    Unsupported(String),
    #[error("{opt}: {error}")]
    Opt { opt: Opt, error: OptError },
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Uop(#[from] crate::uop::UopError),
}
impl LowerError {
    /// One word for `plumb uops --digest`'s error lines: `Invalid`, `Unsupported`, `KernelOptError`, …
    pub fn kind(&self) -> &'static str {
        unimplemented!()
    }
}
impl Kernel {
    pub fn new(ast: &Arc<Ast>, target: &Arc<Target>, rules: &Rules) -> Result<Kernel, LowerError> {
        unimplemented!()
    }
    /// Applies one optimisation, or leaves the kernel as it was.
    pub fn apply_opt(&mut self, opt: Opt) -> Result<(), OptError> {
        unimplemented!()
    }
    pub fn apply_plan(&mut self, plan: &OptPlan) -> Result<(), LowerError> {
        unimplemented!()
    }
    pub fn required_optimizations(&mut self) -> Result<(), OptError> {
        unimplemented!()
    }
    pub fn hand_coded_optimizations(&mut self) -> Result<(), OptError> {
        unimplemented!()
    }
    /// use_tensor_cores=1, tc_opt=0, hand-coded follow-ups; whether it applied.
    pub fn apply_tensor_cores(&mut self) -> bool {
        unimplemented!()
    }
    pub fn shape_len(&self) -> usize {
        unimplemented!()
    }
    pub fn full_shape(&self) -> &[Sint] {
        unimplemented!()
    }
    pub fn output_shape(&self) -> &[Sint] {
        unimplemented!()
    }
    pub fn first_reduce(&self) -> usize {
        unimplemented!()
    }
    pub fn global_dims(&self) -> usize {
        unimplemented!()
    }
    pub fn upcast_in_mid_reduce_axes(&self) -> Vec<usize> {
        unimplemented!()
    }
    /// (size, stride, is reduce) of each upcasted axis as buffer `i` sees it.
    pub fn upcasted_axis(&mut self, i: usize) -> Result<Vec<(i64, Option<Sint>, bool)>, ShapeError> {
        unimplemented!()
    }
    pub fn acc_offsets(&mut self, i: usize) -> Result<Vec<usize>, ShapeError> {
        unimplemented!()
    }
    pub fn get_float4_upcast_dim(&mut self, i: usize) -> Result<Vec<usize>, ShapeError> {
        unimplemented!()
    }
    pub fn float4_axis(&mut self, i: usize) -> Result<Vec<usize>, ShapeError> {
        unimplemented!()
    }
    pub fn shape_offsets_count(&self, i: usize) -> usize {
        unimplemented!()
    }
    /// Moves each view: first to the shape that `new_shape` gives for its shape, then permuted.
    pub fn permute_all(&mut self, axes: &[usize]) -> Result<(), ShapeError> {
        unimplemented!()
    }
    pub fn upcast(&mut self) -> Result<(), OptError> {
        unimplemented!()
    }
    pub fn limit_dims_to_max(&mut self) -> Result<(), LowerError> {
        unimplemented!()
    }
    pub fn alias_buffer(&mut self, i: usize, pattern: &[usize]) -> Result<(), ShapeError> {
        unimplemented!()
    }
    /// Colour of each axis, as 0.9.0 (`blue`, `cyan`, `green`, `white`, `red`, `magenta`, `yellow`, `BLUE`).
    pub fn colors(&self) -> Vec<&'static str> {
        unimplemented!()
    }
    /// The kernel's name without colours and uniqueness suffix: `r_3_16_8_20`.
    pub fn name(&self) -> String {
        unimplemented!()
    }
}
