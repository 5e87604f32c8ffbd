//! What index expressions are made of.

use smallvec::SmallVec;

/// A node of an [`Arena`](super::Arena).
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
    /// A variable, by number; see [`Arena::variable_info`](super::Arena::variable_info).
    Variable(u32),
    /// Product.
    Mul(NodeId, Sint),
    /// Quotient rounded down; the numerator is not negative, the divisor positive.
    Div(NodeId, i64),
    /// Remainder of the division that rounds down; the dividend is not negative, the divisor positive.
    Mod(NodeId, i64),
    /// 1 where the first is smaller, otherwise 0.
    Less(NodeId, Sint),
    /// Sum. Its terms stand in the order in which they are added; [`Arena::same`](super::Arena::same) looks past that.
    /// Nearly always two or more: a quotient by something symbolic may leave a sum of one term.
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

impl Variable {
    /// The name as texts show it. The variables of axes and loops carry a dot in front, which a user's can't have, so that
    /// no user's variable is taken for one of them (known fault N30).
    pub fn shown(&self) -> &str {
        self.name.strip_prefix('.').unwrap_or(&self.name)
    }
}
