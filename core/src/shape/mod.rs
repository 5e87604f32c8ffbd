//! Views of buffers: which element of a buffer stands at which place of a shape, with movement operations that keep
//! it so without copying.

use crate::symbolic::Sint;
use smallvec::SmallVec;

mod api;
pub use api::*;

crate::rule_table! {
    /// Simplifications of views.
    pub enum ViewRule in View {
        MergeViews = "view/merge": "two stacked views become one where one can express both";
    }
}

/// A dimension list.
pub type Dims = SmallVec<[Sint; 6]>;
/// For each axis the half-open range of places that hold an element; outside it is padding.
pub type Mask = SmallVec<[(Sint, Sint); 6]>;

/// One strided, masked view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// Size of each axis.
    pub shape: Dims,
    /// Elements from one place to the next along each axis (0 where the axis has size 1).
    pub strides: Dims,
    /// Element at the origin.
    pub offset: Sint,
    /// The part that holds elements, where that is not all.
    pub mask: Option<Mask>,
    /// Whether the view is the plain row-major one.
    pub contiguous: bool,
}

/// A stack of views: the last one is seen, each reads through the one before it, the first reads the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShapeTracker {
    /// At least one.
    pub views: SmallVec<[View; 1]>,
}

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
    Symbolic(#[from] crate::symbolic::SymbolicError),
    /// An index may leave the range of its 32-bit type.
    #[error("index {0} does not fit in 32 bits")]
    IndexRange(String),
}
