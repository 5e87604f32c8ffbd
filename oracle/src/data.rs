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

/// The contents and sizes of all memory arguments of a kernel, by argument number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// Pairs of argument number and contents, ascending. An output that the kernel also reads stands here with what it
    /// holds before the run.
    pub buffers: Vec<(u32, InputBuffer)>,
    /// For every output argument, ascending: its number, and the number of elements up to the last one that the
    /// kernel's store may write (of an image all: height × width × 4); a write at or beyond it is out of bounds.
    pub outputs: Vec<(u32, i64)>,
    /// Values of the symbolic variables, by name.
    pub bindings: Vec<(String, i64)>,
}
