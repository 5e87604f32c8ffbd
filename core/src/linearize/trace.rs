//! What lowering does on its way, for those who want to look.

use super::Lowered;
use super::state::{Indices, Lowering};
use crate::kernel::{Kernel, LowerError};
use crate::symbolic::NodeId;
use crate::uop::GraphStages;

/// The way of a kernel to its uops, as far as it got.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The kernel as it is lowered: its axes within the launch's limits, local memory among its buffers.
    pub kernel: Option<Kernel>,
    /// Which elements of which buffers are accessed, in the order of lowering.
    pub accesses: Vec<TracedAccess>,
    /// The uops before and after rewriting.
    pub graph: GraphStages,
}

/// What an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// A load, or a constant under its mask.
    Load,
    /// An accumulator, which stands for an element of its buffer.
    Accumulator,
    /// A store.
    Store,
}

impl AccessKind {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::Accumulator => "accumulator",
            AccessKind::Store => "store",
        }
    }
}

/// One buffer's access before its expansion over the upcasted axes, whose variables are `_uidx…`; those of the launch grid are
/// `gidx…`, of lanes `lidx…`, of reduce loops `ridx…`, of the second stage's `tidx…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedAccess {
    /// What it is.
    pub kind: AccessKind,
    /// The buffer's number in the kernel.
    pub buffer: usize,
    /// Which element of the buffer.
    pub index: String,
    /// Where the element exists, elsewhere there is padding: 1 for everywhere.
    pub valid: String,
}

/// An access with the index of each axis.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    kind: AccessKind,
    buffer: usize,
    indices: Indices,
}

impl Lowering {
    /// Notes an access, where somebody looks.
    #[inline]
    pub(super) fn note(&mut self, kind: AccessKind, buffer: usize, indices: &[NodeId]) {
        if let Some(noted) = &mut self.noted {
            noted.push(Noted { kind, buffer, indices: indices.into() });
        }
    }
}

impl Kernel {
    /// As [`Kernel::linearize`]; also leaves in `trace` how it went, as far as it got.
    ///
    /// # Errors
    /// As [`Kernel::linearize`].
    pub fn linearize_traced(mut self, trace: &mut Trace) -> Result<Lowered, LowerError> {
        self.prepare()?;
        let mut lowering = Lowering::new(self);
        lowering.noted = Some(Vec::new());
        let named = lowering.run();
        // The expressions are computed in a copy: an arena hands out equal expressions as they were first written.
        let mut kernel = lowering.kernel.clone();
        for noted in lowering.noted.take().into_iter().flatten() {
            let Some(view) = kernel.views.get(noted.buffer) else { continue };
            let (index, valid) = view.index_and_valid(&mut kernel.arena, Some(&noted.indices))?;
            let text = |node| without_dots(&kernel.arena.render(node));
            let (index, valid) = (text(index), text(valid));
            trace.accesses.push(TracedAccess { kind: noted.kind, buffer: noted.buffer, index, valid });
        }
        trace.kernel = Some(kernel);
        lowering.built(named?).finish_by(|graph, fires| graph.finish_in_stages(&mut trace.graph, fires))
    }
}

/// The names of core's own variables start with a dot, which people need not see.
fn without_dots(text: &str) -> String {
    text.replace('.', "")
}
