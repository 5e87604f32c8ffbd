//! What lowering carries along.

use super::LowerStep;
use super::expand::Expansions;
use super::load::{LoadKey, Place};
use super::render::LastSum;
use super::trace::Noted;
use crate::dtype::DType;
use crate::kernel::{Kernel, KernelBuffer, LowerError};
use crate::rule::State;
use crate::symbolic::{NodeId, Sint};
use crate::uop::{UopGraph, UopId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt::Write;

/// Index expressions, one for each axis of a view.
pub(super) type Indices = SmallVec<[NodeId; 12]>;

/// A kernel on its way to uops.
pub(super) struct Lowering {
    pub(super) kernel: Kernel,
    pub(super) graph: UopGraph,
    /// For each buffer of the kernel its pointer, image or local memory; constants have none.
    pub(super) pointers: Vec<Option<UopId>>,
    /// For each node of the arena its uop, where it was rendered or, for a variable, defined.
    pub(super) rendered: Vec<Option<UopId>>,
    /// The variables of upcasted axes: what accesses are expanded over.
    pub(super) upcast_variables: SmallVec<[NodeId; 12]>,
    pub(super) expansions: Expansions,
    /// The loads of the current stage.
    pub(super) loads: FxHashMap<LoadKey, UopId>,
    /// What is loaded from, and of which type, by number: a [`LoadKey`] has it.
    pub(super) load_places: FxHashMap<(Place, DType), u32>,
    /// The sum that was rendered last.
    pub(super) last_sum: LastSum,
    /// The accesses so far, where somebody looks.
    pub(super) noted: Option<Vec<Noted>>,
    name: String,
}

/// The indices of the axes, part by part.
#[derive(Clone, Debug, Default)]
pub(super) struct AxisIndices {
    /// Of the launch grid.
    pub(super) global: Indices,
    /// Of lanes: those of output axes, then those that share a reduction.
    pub(super) local: Indices,
    /// Of reduce loops.
    pub(super) reduce: Indices,
    /// Of upcasted axes.
    pub(super) upcast: Indices,
}

impl AxisIndices {
    /// One index for each axis.
    pub(super) fn all(&self) -> Indices {
        [&self.global, &self.local, &self.reduce, &self.upcast].into_iter().flatten().copied().collect()
    }
}

impl Lowering {
    pub(super) fn new(kernel: Kernel) -> Lowering {
        let graph = UopGraph::new(kernel.rules);
        Lowering {
            kernel,
            graph,
            pointers: Vec::new(),
            rendered: Vec::new(),
            upcast_variables: SmallVec::new(),
            expansions: Expansions::default(),
            loads: FxHashMap::default(),
            load_places: FxHashMap::default(),
            last_sum: LastSum::default(),
            noted: None,
            name: String::new(),
        }
    }

    /// Whether `step` is to be done; counted where it is.
    pub(super) fn does(&mut self, step: LowerStep) -> bool {
        let on = self.kernel.rules.is_on(step);
        if on {
            self.kernel.firings.count(step);
        }
        on
    }

    /// How `step` stands; counted unless it is off.
    pub(super) fn state(&mut self, step: LowerStep) -> State {
        self.does(step);
        self.kernel.rules.state(step)
    }

    /// The variable `prefix` `number` that runs over an axis of this size, or the number 0 for size 1.
    ///
    /// The prefix starts with a character that a user's variable can't have, so that no user's variable is taken for
    /// a loop's (known fault N30).
    pub(super) fn axis_variable(&mut self, prefix: &str, number: usize, size: Sint) -> Result<NodeId, LowerError> {
        let last = self.kernel.arena.sint_sub(size, Sint::Int(1))?;
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        let _ = write!(name, "{prefix}{number}");
        let variable = self.kernel.arena.variable(&name, 0, last, None);
        self.name = name;
        Ok(variable?)
    }

    /// As [`Lowering::axis_variable`], for an upcasted axis.
    pub(super) fn upcast_variable(&mut self, number: usize, size: Sint) -> Result<NodeId, LowerError> {
        let variable = self.axis_variable(UPCAST, number, size)?;
        self.expand_over(variable);
        Ok(variable)
    }

    /// Makes `variable` one over which accesses are expanded, unless it is a number.
    pub(super) fn expand_over(&mut self, variable: NodeId) {
        if self.is_variable(variable) && !self.upcast_variables.contains(&variable) {
            self.upcast_variables.push(variable);
            self.expansions.forget_lists();
        }
    }

    /// Whether the node is a variable (an axis of size 1 has a number instead).
    pub(super) fn is_variable(&self, node: NodeId) -> bool {
        matches!(self.kernel.arena.node(node), crate::symbolic::Node::Variable(_))
    }

    /// The number 0.
    pub(super) fn zero(&mut self) -> NodeId {
        self.kernel.arena.number(0)
    }

    /// As many zeros as `like` has indices.
    pub(super) fn zeros(&mut self, like: &[NodeId]) -> Indices {
        let zero = self.zero();
        like.iter().map(|_| zero).collect()
    }

    /// The buffer numbered `buffer`.
    pub(super) fn buffer(&self, buffer: usize) -> Result<&KernelBuffer, LowerError> {
        self.kernel.buffers.get(buffer).ok_or_else(|| LowerError::Invalid(format!("there is no buffer {buffer}")))
    }

    /// The pointer of a buffer in memory.
    pub(super) fn pointer(&self, buffer: usize) -> Result<UopId, LowerError> {
        self.pointers
            .get(buffer)
            .copied()
            .flatten()
            .ok_or_else(|| LowerError::Invalid(format!("buffer {buffer} is not in memory")))
    }
}

/// Prefixes of index variables' names.
pub(super) const GLOBAL: &str = ".gidx";
pub(super) const LOCAL: &str = ".lidx";
pub(super) const REDUCE: &str = ".ridx";
pub(super) const LATE: &str = ".tidx";
pub(super) const UPCAST: &str = "._uidx";
