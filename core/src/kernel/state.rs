//! The state of a kernel.

use super::Opt;
use crate::ast::{Ast, AstId, BufferId};
use crate::dtype::DType;
use crate::rule::{Firings, Rules};
use crate::shape::ShapeTracker;
use crate::symbolic::{Arena, NodeId};
use crate::target::{Target, TensorCore};
use crate::uop::LocalName;
use std::sync::Arc;

/// A buffer of a kernel: one of the AST's, or local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelBuffer {
    /// A buffer or constant of the AST.
    Ast(BufferId),
    /// Memory of a workgroup.
    Local {
        /// Its name.
        name: LocalName,
        /// Number of elements.
        size: i64,
        /// Type of an element.
        dtype: DType,
    },
}

/// A kernel under optimisation.
///
/// Equality of two kernels' states is that of all fields but `arena` and `firings`, which only grow: an arena
/// remembers what was computed, the firings count refusals.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What the kernel computes.
    pub ast: Arc<Ast>,
    /// What it is lowered for.
    pub target: Arc<Target>,
    /// Which rules are on.
    pub rules: Rules,
    /// The nodes of symbolic sizes and of index expressions.
    pub arena: Arena,
    /// How often each check refused something.
    pub firings: Firings,
    /// The reduction, where there is one.
    pub reduce: Option<AstId>,
    /// Outputs first, then what is read, each once, in the AST's order; local memory last. An output that is also
    /// read, through an equal view, stands here twice.
    pub buffers: Vec<KernelBuffer>,
    /// Number of outputs.
    pub outputs: usize,
    /// For each of `buffers` whether it is read before the reduction.
    pub early_buffers: Vec<bool>,
    /// The buffer whose view has all axes in full size.
    pub full_buffer: usize,
    /// The variables that sizes, strides and constants depend on, ordered by name.
    pub variables: Vec<NodeId>,
    /// For each of `buffers` the view under optimisation.
    pub views: Vec<ShapeTracker>,
    /// The optimisations so far.
    pub applied: Vec<Opt>,
    /// Number of axes of lanes that share a reduction.
    pub group_for_reduces: usize,
    /// Number of upcasted axes.
    pub upcasted: usize,
    /// Number of axes of lanes.
    pub local_dims: usize,
    /// Pairs of a buffer's number and its local alias' number.
    pub local_alias: Vec<(usize, usize)>,
    /// The matrix instruction in use.
    pub tensor_core: Option<TensorCore>,
    /// What the matrix instruction works on.
    pub tensor_core_opts: Option<TensorCoreOpts>,
    /// Whether workgroups are given up.
    pub dont_use_locals: bool,
    /// Whether views may be moved by shortcuts.
    pub(super) direct_views: bool,
}

/// What a matrix instruction works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorCoreOpts {
    /// Numbers of the buffers of A and B.
    pub buffers: [usize; 2],
    /// Where the rests of the original axes N and M are.
    pub axes: [usize; 2],
    /// Whether there is a rest.
    pub axes_exist: [bool; 2],
}

impl TensorCoreOpts {
    /// Follows the removal of an axis.
    pub(super) fn axis_removed(&mut self, removed: usize) {
        for (axis, exists) in self.axes.iter_mut().zip(&mut self.axes_exist) {
            if !*exists {
                continue;
            }
            match removed.cmp(axis) {
                std::cmp::Ordering::Less => *axis -= 1,
                std::cmp::Ordering::Equal => *exists = false,
                std::cmp::Ordering::Greater => {}
            }
        }
    }
}

/// The parts of the state that an optimisation changes, to return to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Checkpoint {
    views: Vec<ShapeTracker>,
    counts: Counts,
    applied: usize,
    tensor_core: Option<TensorCore>,
    tensor_core_opts: Option<TensorCoreOpts>,
}

/// How many axes of each kind there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) group_for_reduces: usize,
    pub(super) upcasted: usize,
    pub(super) local_dims: usize,
    pub(super) dont_use_locals: bool,
}

impl Kernel {
    pub(super) fn counts(&self) -> Counts {
        Counts {
            group_for_reduces: self.group_for_reduces,
            upcasted: self.upcasted,
            local_dims: self.local_dims,
            dont_use_locals: self.dont_use_locals,
        }
    }

    pub(super) fn set_counts(&mut self, counts: Counts) {
        self.group_for_reduces = counts.group_for_reduces;
        self.upcasted = counts.upcasted;
        self.local_dims = counts.local_dims;
        self.dont_use_locals = counts.dont_use_locals;
    }

    /// The state that [`Kernel::restore`] returns to.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            views: self.views.clone(),
            counts: self.counts(),
            applied: self.applied.len(),
            tensor_core: self.tensor_core.clone(),
            tensor_core_opts: self.tensor_core_opts.clone(),
        }
    }

    pub(super) fn restore(&mut self, checkpoint: Checkpoint) {
        self.views = checkpoint.views;
        self.set_counts(checkpoint.counts);
        self.applied.truncate(checkpoint.applied);
        self.tensor_core = checkpoint.tensor_core;
        self.tensor_core_opts = checkpoint.tensor_core_opts;
    }

    /// Whether both stand at the same point of optimisation: all but the arena and the firings are equal.
    pub fn same_state(&self, other: &Kernel) -> bool {
        self.reduce == other.reduce
            && self.buffers == other.buffers
            && self.outputs == other.outputs
            && self.early_buffers == other.early_buffers
            && self.full_buffer == other.full_buffer
            && self.variables == other.variables
            && self.local_alias == other.local_alias
            && self.applied == other.applied
            && self.checkpoint() == other.checkpoint()
    }

    /// The number of a buffer of the AST; the first, where it stands twice.
    pub(super) fn buffer_number(&self, buffer: BufferId) -> Option<usize> {
        self.buffers.iter().position(|other| *other == KernelBuffer::Ast(buffer))
    }

    /// Type of a buffer's elements, or its image.
    pub fn buffer_dtype(&self, buffer: usize) -> Option<DType> {
        match self.buffers.get(buffer)? {
            KernelBuffer::Ast(id) => Some(self.ast.buffer(*id).dtype),
            KernelBuffer::Local { dtype, .. } => Some(*dtype),
        }
    }

    /// Whether the first output is an image.
    pub(super) fn stores_image(&self) -> bool {
        self.buffer_dtype(0).is_some_and(DType::is_image)
    }
}
