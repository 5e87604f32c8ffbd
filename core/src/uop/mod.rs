//! Micro-operations: the graph that lowering builds, its rewrite rules, its ordering into a list, and the list's text.
//!
//! Lowering enters uops into a [`UopGraph`], where equal ones are one. [`UopGraph::finish`] rewrites what the stores need by
//! the rules of [`UopRule`], puts it in an order in which it can be executed, with the ends of loops and ifs, and
//! verifies the [`UopList`] that this gives. A list has a text, a digest of its graph, and a cost.
//!
//! Uops are never changed, only replaced, and nothing recurses: a graph may be as deep as it is large.

mod arena;
mod arg;
mod bounds;
mod compare;
mod cost;
mod digest;
mod error;
mod evaluate;
mod graph;
mod key;
mod kind;
mod loops;
mod marks;
mod nesting;
mod objects;
mod order;
mod rewrite;
mod round;
mod rule;
mod rules;
mod stages;
mod subgraph;
#[cfg(test)]
mod tests;
mod text;
mod verify;
mod workspace;

pub use arg::{IndexName, LocalName, UopArg, Wmma};
pub use error::UopError;
pub use evaluate::evaluate_alu;
pub use graph::UopGraph;
pub use kind::UopKind;
use loops::LoopSet;
pub use rule::UopRule;
pub use stages::{GraphStage, GraphStages};
pub use workspace::UopWorkspace;

use crate::dtype::DType;
use smallvec::SmallVec;

/// A uop, in a graph or (as a position) in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UopId(pub u32);

impl UopId {
    /// The place in the graph or list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One uop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Uop {
    /// What it does.
    pub kind: UopKind,
    /// Type of the result; `None` where there is none.
    pub dtype: Option<DType>,
    /// What it works on. In a list these are positions, earlier ones but for the loops of an accumulator, which stands before
    /// them.
    pub sources: SmallVec<[UopId; 4]>,
    /// What it carries besides.
    pub arg: UopArg,
}

/// The uops of a kernel in an order in which they can be executed; sources are positions in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UopList {
    /// In order.
    pub uops: Vec<Uop>,
}
