//! Index expressions: integer arithmetic over bounded variables, simplified as it is built.
//!
//! Nodes live hash-consed in an [`Arena`]; bounds are computed once per node. The simplifications are the rules of
//! [`SymbolicRule`]. Expressions come out as tinygrad 0.9.0's `shape/symbolic.py` builds them, terms in its order,
//! except where that is wrong (`DIFFERENCES.md`).
//!
//! Division and remainder round down, as in Python; numerators and dividends are kept from being negative, so that
//! code which truncates computes the same.

mod arena;
mod bounds;
mod comparison;
mod conjunction;
mod dimension;
mod division;
mod each;
mod error;
mod evaluate;
mod identity;
mod node;
mod product;
mod remainder;
mod render;
mod rules;
mod substitute;
mod sum;
mod text;

pub use arena::Arena;
pub use each::Values;
pub use error::SymbolicError;
pub use node::{Node, NodeId, Sint, Variable};
pub use rules::SymbolicRule;
pub(crate) use sum::SumBase;
pub use text::{ExpressionError, simplify_text};

/// What an operation answers.
type Result<T> = std::result::Result<T, SymbolicError>;
