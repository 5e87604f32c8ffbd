//! Index expressions: integer arithmetic over bounded variables, simplified as it is built.
//!
//! Nodes live hash-consed in an [`Arena`]; bounds are computed once per node. The simplifications are the rules of
//! [`SymbolicRule`].

use crate::rule::{Firings, Rules};
use smallvec::SmallVec;

mod api;
pub use api::*;

crate::rule_table! {
    /// Simplifications of index expressions.
    pub enum SymbolicRule in Symbolic {
        MulZero = "symbolic/mul-zero": "a product with 0 is 0";
    }
}

/// A node of an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An integer or a symbolic expression: a dimension, a stride, an offset, a factor, a bound. A symbolic one is never a
/// plain number (those are always [`Sint::Int`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sint {
    /// A number.
    Int(i64),
    /// A node that is no number.
    Node(NodeId),
}

impl Sint {
    /// The number, where it is one.
    pub const fn int(self) -> Option<i64> {
        match self {
            Sint::Int(value) => Some(value),
            Sint::Node(_) => None,
        }
    }
}

impl From<i64> for Sint {
    fn from(value: i64) -> Sint {
        Sint::Int(value)
    }
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number.
    Number(i64),
    /// A variable, by number; see [`Arena::variable_info`].
    Variable(u32),
    /// Product.
    Mul(NodeId, Sint),
    /// Quotient rounded down; the numerator is not negative.
    Div(NodeId, i64),
    /// Remainder of the division that rounds down.
    Mod(NodeId, i64),
    /// 1 where the first is smaller, otherwise 0.
    Less(NodeId, Sint),
    /// Sum of two or more.
    Sum(SmallVec<[NodeId; 4]>),
    /// 1 where all are 1, otherwise 0.
    And(SmallVec<[NodeId; 4]>),
}

/// A variable: a name and inclusive bounds, perhaps a value that it is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Smallest value, not negative.
    pub min: i64,
    /// Largest value; symbolic where it depends on another variable.
    pub max: Sint,
    /// The value that it is bound to, as a log may carry.
    pub value: Option<i64>,
}

/// What can't be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolicError {
    /// Division or modulo by zero.
    #[error("division by zero in {0}")]
    DivisionByZero(String),
    /// Not supported for a symbolic divisor or the like.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// A number left the range of 64 bits.
    #[error("a value of {0} does not fit in 64 bits")]
    Overflow(String),
    /// A variable with negative or crossed bounds.
    #[error("variable {name} has impossible bounds {min} to {max}")]
    Bounds {
        /// The variable.
        name: String,
        /// Its smallest value.
        min: i64,
        /// Its largest value.
        max: i64,
    },
}

/// The nodes of one lowering, hash-consed.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    rules: Rules,
    firings: Firings,
}
