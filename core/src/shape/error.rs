//! What can't be done to a view.

use crate::symbolic::{Arena, Sint, SymbolicError};
use std::fmt::Write;

/// Why a movement operation is impossible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The arguments do not fit the shape.
    #[error("can't {operation} {shape} by {argument}: {reason}")]
    Argument {
        /// The movement operation.
        operation: &'static str,
        /// The shape that it was to work on.
        shape: String,
        /// Its argument.
        argument: String,
        /// What does not fit.
        reason: String,
    },
    /// An index expression could not be built.
    #[error(transparent)]
    Symbolic(#[from] SymbolicError),
    /// An index may leave the range of its 32-bit type.
    #[error("index {0} does not fit in 32 bits")]
    IndexRange(String),
}

/// An [`ShapeError::Argument`].
pub(super) fn argument(
    arena: &Arena,
    operation: &'static str,
    shape: &[Sint],
    argument: String,
    reason: impl Into<String>,
) -> ShapeError {
    ShapeError::Argument { operation, shape: list(arena, shape), argument, reason: reason.into() }
}

/// `(5, 4)`.
pub(super) fn list(arena: &Arena, values: &[Sint]) -> String {
    let mut text = String::from("(");
    for (place, &value) in values.iter().enumerate() {
        let separator = if place == 0 { "" } else { ", " };
        // Writing to a string can't fail.
        let _ = write!(text, "{separator}{}", arena.describe_sint(value));
    }
    text.push(')');
    text
}

/// `((0, 1), (2, 0))`.
pub(super) fn pairs(arena: &Arena, values: &[(Sint, Sint)]) -> String {
    let parts: Vec<String> = values.iter().map(|&(a, b)| list(arena, &[a, b])).collect();
    format!("({})", parts.join(", "))
}
