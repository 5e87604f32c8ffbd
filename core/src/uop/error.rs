//! What can be wrong with a graph.

/// What is wrong with a graph or a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UopError {
    /// Types of a uop and its sources don't agree: a fault of what built the graph.
    #[error("uop {position} ({text}): {reason}")]
    Type {
        /// Place in the list.
        position: usize,
        /// The uop.
        text: String,
        /// What does not agree.
        reason: String,
    },
    /// Rewriting did not come to an end: some rules undo each other.
    #[error("rewriting did not end after {rounds} rounds")]
    Endless {
        /// How many rounds it was given.
        rounds: usize,
    },
    /// The list can't be executed in its order, or a graph has no order in which it can be.
    #[error("uop {position} ({text}): {reason}")]
    Order {
        /// Place in the list.
        position: usize,
        /// The uop.
        text: String,
        /// What is not in order.
        reason: String,
    },
}
