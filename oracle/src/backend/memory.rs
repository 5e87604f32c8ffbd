//! The arguments of a kernel as bytes.

use super::BackendError;
use crate::compare::constant_bits;
use crate::data::Inputs;
use plumb_core::dtype::Scalar;
use plumb_core::render::Parameter;

/// Bytes of all buffers together beyond which a kernel is not run: what takes a fraction of a second to fill.
const MOST_BYTES: i64 = 64 << 20;

/// What an output holds before the kernel has written it.
const UNWRITTEN: u8 = 0xa5;

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A buffer, little-endian, with what it holds before the run.
    Buffer {
        /// Number of the kernel argument.
        index: u32,
        /// Its contents.
        bytes: Vec<u8>,
        /// Whether it is an output.
        output: bool,
    },
    /// A symbolic variable.
    Variable(i32),
}

/// The arguments for these parameters.
///
/// # Errors
/// Where they are too large, or the inputs lack one.
pub fn arguments(parameters: &[Parameter], inputs: &Inputs) -> Result<Vec<Argument>, BackendError> {
    let mut left = MOST_BYTES;
    parameters.iter().map(|parameter| argument(parameter, inputs, &mut left)).collect()
}

fn argument(parameter: &Parameter, inputs: &Inputs, left: &mut i64) -> Result<Argument, BackendError> {
    let missing = |what: String| BackendError::Unsupported(format!("the inputs lack {what}"));
    match parameter {
        Parameter::Variable { name, .. } => {
            let bound = inputs.bindings.iter().find(|(bound, _)| bound == name).map(|&(_, value)| value);
            let value = bound.and_then(|value| i32::try_from(value).ok());
            value.map(Argument::Variable).ok_or_else(|| missing(format!("variable {name}")))
        }
        &Parameter::Buffer { index, dtype, output } => {
            let contents = inputs.buffers.iter().find(|(number, _)| *number == index).map(|(_, contents)| contents);
            let written = inputs.outputs.iter().find(|(number, _)| *number == index).map(|&(_, size)| size);
            let elements = match (contents, written) {
                (Some(contents), Some(written)) => contents.size.max(written),
                (Some(contents), None) => contents.size,
                (None, Some(written)) => written,
                (None, None) => return Err(missing(format!("buffer {index}"))),
            };
            let scalar = dtype.scalar();
            *left = elements.checked_mul(scalar.size() as i64).map_or(-1, |bytes| left.saturating_sub(bytes));
            if *left < 0 {
                return Err(BackendError::Unsupported(format!("buffers of more than {} MiB", MOST_BYTES >> 20)));
            }
            let mut bytes = Vec::with_capacity(elements as usize * scalar.size());
            for element in 0..contents.map_or(0, |contents| contents.size) {
                let bits = contents.map_or(0, |contents| constant_bits(contents.element(element), scalar));
                bytes.extend_from_slice(&bits.to_le_bytes()[..scalar.size()]);
            }
            bytes.resize(elements as usize * scalar.size(), UNWRITTEN);
            Ok(Argument::Buffer { index, bytes, output })
        }
    }
}

/// The bits of an element of a buffer; `None` beyond its end.
pub(super) fn element(bytes: &[u8], element: i64, scalar: Scalar) -> Option<u64> {
    let size = scalar.size();
    let start = usize::try_from(element).ok()?.checked_mul(size)?;
    let mut word = [0; 8];
    word[..size].copy_from_slice(bytes.get(start..start + size)?);
    Some(u64::from_le_bytes(word))
}
