//! The kernel's arguments: their sizes, and the contents of those that are only read.

use super::RunError;
use super::memory::Input;
use super::program::{Memory, Program, Space};
use crate::data::{InputBuffer, Inputs};
use std::sync::Arc;

/// Elements of an argument that is no image, where it is known.
pub(super) fn size_of(inputs: &Inputs, argument: u32) -> Option<i64> {
    let output = inputs.outputs.iter().find(|(number, _)| *number == argument).map(|&(_, size)| size);
    output.or_else(|| contents(inputs, argument).map(|contents| contents.size))
}

fn contents(inputs: &Inputs, argument: u32) -> Option<InputBuffer> {
    inputs.buffers.iter().find(|(number, _)| *number == argument).map(|&(_, buffer)| buffer)
}

/// Contents of the argument that a memory is. A pixel is read as a whole, even if the views reach only some of its
/// channels.
fn contents_of(memory: &Memory, inputs: &Inputs, argument: u32) -> Option<InputBuffer> {
    let buffer = contents(inputs, argument)?;
    Some(InputBuffer { size: image_size(memory).unwrap_or(buffer.size), ..buffer })
}

/// Elements of a memory that is an image.
fn image_size(memory: &Memory) -> Option<i64> {
    memory.image.map(|image| i64::from(image.width) * i64::from(image.height) * 4)
}

/// For each memory that is only read its contents; `items` lanes will run.
pub(super) fn inputs(program: &Program, inputs: &Inputs, items: u64) -> Result<Vec<Option<Arc<Input>>>, RunError> {
    let make = |(memory, &loads): (&Memory, &u64)| {
        let Space::Input(argument) = memory.space else { return Ok(None) };
        let buffer = contents_of(memory, inputs, argument)
            .ok_or_else(|| RunError::Unsupported(format!("no contents for argument {argument}")))?;
        Ok(Some(Arc::new(Input::new(buffer, memory.scalar, loads.saturating_mul(items)))))
    };
    program.memories.iter().zip(&program.loads).map(make).collect()
}

/// An output: its elements, and what it holds before the run, if anything.
pub(super) type Given = (i64, Option<InputBuffer>);

/// For each memory that is an output its size and what it holds before the run.
pub(super) fn outputs(program: &Program, inputs: &Inputs) -> Result<Vec<Option<Given>>, RunError> {
    let make = |memory: &Memory| {
        let Space::Output(argument) = memory.space else { return Ok(None) };
        let size = image_size(memory)
            .or_else(|| size_of(inputs, argument))
            .ok_or_else(|| RunError::Unsupported(format!("no size for argument {argument}")))?;
        Ok(Some((size, contents_of(memory, inputs, argument))))
    };
    program.memories.iter().map(make).collect()
}
