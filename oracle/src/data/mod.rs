//! The contents of a case's input buffers, as a pure function of seed, buffer and element.
//!
//! No buffer is stored: whoever reads an element computes it. So a kernel of any size has inputs, and two judges that
//! read the same element read the same value.

mod inputs;
mod ranges;

pub(crate) use inputs::bindings;
pub use inputs::{End, inputs, inputs_at};

use crate::reference::rounding::power_of_two;
use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;

/// How the elements of one buffer are drawn: `k · 2^exponent` with a whole number `k` from `low` to `high`, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// Smallest whole number.
    pub low: i64,
    /// Largest whole number, not below `low`.
    pub high: i64,
    /// Exponent of the power of two by which a whole number is multiplied; 0 for integers and bools.
    pub exponent: i32,
    /// Whether one element in sixteen is an infinity, a NaN or a negative zero (floats only).
    pub specials: bool,
}

impl Distribution {
    /// Whole numbers from `low` to `high`.
    pub const fn integers(low: i64, high: i64) -> Distribution {
        Distribution { low, high, exponent: 0, specials: false }
    }

    /// The power of two by which whole numbers are multiplied.
    #[inline]
    pub fn scale(self) -> f64 {
        power_of_two(self.exponent)
    }
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

/// Values that a float buffer with [`Distribution::specials`] holds here and there.
const SPECIALS: [f64; 4] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0];

impl InputBuffer {
    /// The element at `index`: exactly representable in the buffer's type.
    #[inline]
    pub fn element(&self, index: i64) -> Constant {
        match self.dtype {
            Scalar::Bool => Constant::Bool(self.whole(index) != 0),
            scalar if scalar.is_float() => Constant::Float(self.float(index)),
            Scalar::U64 => Constant::Int(i128::from(self.whole(index) as u64)),
            _ => Constant::Int(i128::from(self.whole(index))),
        }
    }

    /// The whole number from which the element at `index` is made. Of a `u64` its bits: a [`Distribution::low`] below
    /// zero stands for a value of 2^63 or more.
    #[inline]
    pub fn whole(&self, index: i64) -> i64 {
        self.scaled(mix(self.seed, index as u64))
    }

    /// The element at `index` of a buffer of floats.
    #[inline]
    pub fn float(&self, index: i64) -> f64 {
        let hash = mix(self.seed, index as u64);
        if self.distribution.specials && hash & 15 == 0 {
            return SPECIALS[(hash >> 4) as usize & 3];
        }
        self.scaled(hash) as f64 * self.distribution.scale()
    }

    /// `hash` as a fraction of 2^64, multiplied by the number of values: even to within one part in 2^64.
    #[inline]
    fn scaled(&self, hash: u64) -> i64 {
        let Distribution { low, high, .. } = self.distribution;
        let values = u128::from((high as u64).wrapping_sub(low as u64)) + 1;
        low.wrapping_add(((u128::from(hash) * values) >> 64) as i64)
    }
}

/// A hash of two numbers all of whose bits depend on all bits of both: the finaliser of MurmurHash3, with the seed
/// added between its steps.
#[inline]
pub(crate) fn mix(seed: u64, index: u64) -> u64 {
    let mut hash = (index ^ seed).wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = ((hash ^ hash >> 33).wrapping_add(seed)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
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

#[cfg(test)]
mod tests;
