//! Memory that is used again from kernel to kernel.

use super::arena::UopArena;
use super::subgraph::Subgraph;

/// Memory for graphs, which lowering one kernel after the other uses again: what it asked the system for once, it keeps.
/// What is computed does not depend on it.
#[derive(Clone, Debug, Default)]
pub struct UopWorkspace {
    /// The memory of a graph's uops, between kernels.
    arena: UopArena,
    pub(super) order: OrderBuffers,
}

/// Memory that ordering uses.
#[derive(Clone, Debug, Default)]
pub(super) struct OrderBuffers {
    pub(super) graph: Subgraph,
    /// For each node its key.
    pub(super) keys: Vec<u128>,
}

impl UopWorkspace {
    /// An empty arena in the memory of earlier ones.
    pub(super) fn take_arena(&mut self) -> UopArena {
        std::mem::take(&mut self.arena)
    }

    /// Keeps the memory of an arena, but not what is in it.
    pub(super) fn keep_arena(&mut self, mut arena: UopArena) {
        arena.clear();
        self.arena = arena;
    }
}
