//! What a kernel means, evaluated on ndarrays from the case itself, without `core`'s views.

use crate::data::Inputs;
use plumb_corpus::case::Case;

mod dims;
pub(crate) mod lanes;
pub(crate) mod layout;
pub(crate) mod program;
pub(crate) mod rounding;

/// What the reference allows for one output element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// Exactly these bits in the buffer's type (of a NaN any, of a float zero either sign).
    Exact(u64),
    /// Any value of the buffer's type from `low` to `high` (none where `low` is above `high`); `nan`: a NaN is allowed
    /// too.
    Between {
        /// Least.
        low: f64,
        /// Greatest.
        high: f64,
        /// Whether a NaN is allowed.
        nan: bool,
    },
    /// The error bound straddles a comparison or a cast: any value may be right.
    Undecided,
}

/// Why there is no reference value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// Something that is not evaluated (yet): a short phrase.
    #[error("no reference: {0}")]
    Unsupported(String),
    /// The case is no kernel: what is wrong and where.
    #[error("no kernel: {0}")]
    Invalid(String),
}

/// What memory elements `elements` of output argument `buffer` must hold, in that order. An element that the kernel's
/// store does not write is an error of the caller.
pub fn evaluate(
    _case: &Case,
    _inputs: &Inputs,
    _buffer: u32,
    _elements: &[i64],
) -> Result<Vec<Expected>, ReferenceError> {
    unimplemented!()
}

/// The memory elements of output argument `buffer` that the kernel writes: how many.
pub fn output_elements(_case: &Case, _buffer: u32) -> Result<u64, ReferenceError> {
    unimplemented!()
}
