//! Views of buffers: which element of a buffer stands at which place of a shape, with movement operations that keep
//! it so without copying.
//!
//! A [`View`] is strided and masked; a [`ShapeTracker`] stacks views where one can't express a chain of movements.
//! Behaviour is that of tinygrad 0.9.0's `shape/view.py` and `shape/shapetracker.py`; `DIFFERENCES.md` lists where
//! that is wrong. Dimensions, strides, offsets and masks may be symbolic ([`Sint`]).

mod compare;
mod error;
mod index;
mod invert;
mod mask;
mod merge;
mod movement;
mod project;
mod reshape;
mod rules;
mod tracker;
mod view;

use crate::symbolic::Sint;
use smallvec::SmallVec;

pub use error::ShapeError;
pub(crate) use index::PartialIndex;
pub use rules::ViewRule;
pub use tracker::ShapeTracker;
pub use view::{View, row_major_strides};

/// A dimension list.
pub type Dims = SmallVec<[Sint; 6]>;
/// For each axis the half-open range of places that hold an element; outside it is padding.
pub type Mask = SmallVec<[(Sint, Sint); 6]>;

/// What an operation on views answers.
type Result<T> = std::result::Result<T, ShapeError>;
