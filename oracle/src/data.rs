//! The contents of a case's input buffers, as a pure function of seed, buffer and element.

use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;

/// How the elements of one buffer are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Integers from `low` to `high`, inclusive.
    Integers {
        /// Smallest.
        low: i64,
        /// Largest.
        high: i64,
    },
    /// Values of the type between two bounds.
    Uniform {
        /// Smallest.
        low: f64,
        /// Largest.
        high: f64,
    },
}

/// The contents of one input buffer: not stored, but computed for each element where it is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputBuffer {
    /// Type of the elements (an image's: `f32` values that its channel type can hold).
    pub dtype: Scalar,
    /// Number of elements that the kernel's views can reach: an access at or beyond it is out of bounds.
    pub size: i64,
    /// How its elements are drawn.
    pub distribution: Distribution,
    /// Seed of this buffer.
    pub seed: u64,
}

impl InputBuffer {
    /// The element at `index`: exactly representable in the buffer's type.
    pub fn element(&self, _index: i64) -> Constant {
        unimplemented!()
    }
}

/// The contents of all memory arguments of a kernel, by argument number; outputs have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// Pairs of argument number and contents, ascending.
    pub buffers: Vec<(u32, InputBuffer)>,
    /// Values of the symbolic variables, by name.
    pub bindings: Vec<(String, i64)>,
}
