//! The inputs of a case: sizes of its memory arguments, values of its variables, ranges of its elements.

use super::{Distribution, InputBuffer, Inputs, mix, ranges};
use crate::reference::ReferenceError;
use crate::reference::program::{Op, Program};
use plumb_core::dtype::DType;
use plumb_corpus::case::{Case, Kernel, Step, Variable};

/// How often an open variable is drawn anew where a value makes no valid kernel.
const DRAWS: u64 = 8;

/// An open variable is drawn from at most this many of its least values, so that kernels stay small.
const VARIABLE_VALUES: i64 = 12;

/// The inputs of `case`, the same everywhere.
///
/// # Errors
/// [`ReferenceError::Invalid`] where the case is no kernel, [`ReferenceError::Unsupported`] where it is one that the
/// reference does not evaluate.
pub fn inputs(case: &Case) -> Result<Inputs, ReferenceError> {
    let (bindings, program) = bind(&case.kernel, case.data.seed)?;
    inputs_of(case, bindings, &program)
}

/// The inputs of `case` with its variables, those that it binds too, at one end of their ranges; `None` where it has no
/// variables.
///
/// # Errors
/// As [`inputs`]; a kernel need not be one at the ends of its variables' ranges.
pub fn inputs_at(case: &Case, end: End) -> Option<Result<Inputs, ReferenceError>> {
    let variables = &case.kernel.variables;
    if variables.is_empty() {
        return None;
    }
    let value = |variable: &Variable| match end {
        End::Smallest => variable.min,
        End::Largest => variable.max,
    };
    let bindings: Vec<_> = variables.iter().map(|variable| (variable.name.clone(), value(variable))).collect();
    Some(Program::new(&case.kernel, &bindings).and_then(|program| inputs_of(case, bindings, &program)))
}

/// An end of the variables' ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All variables at their least values.
    Smallest,
    /// All variables at their greatest values.
    Largest,
}

fn inputs_of(case: &Case, bindings: Vec<(String, i64)>, program: &Program) -> Result<Inputs, ReferenceError> {
    let seed = case.data.seed;
    let images = image_sizes(&case.kernel);
    let mut inputs = Inputs { bindings, ..Inputs::default() };
    for step in &program.steps {
        let (buffer, layout, output) = match step.op {
            Op::Load { buffer, layout, .. } => (buffer, layout, false),
            Op::Store { buffer, layout, .. } => (buffer, layout, true),
            _ => continue,
        };
        let reach = program.layouts[layout].reach()?;
        let image = images.iter().find(|(image, _)| *image == buffer).map(|(_, size)| *size);
        if image.is_some_and(|size| size < reach) {
            return Err(ReferenceError::Invalid(format!("a view that reaches beyond image {buffer}")));
        }
        let size = image.unwrap_or(reach);
        if output {
            match inputs.outputs.iter_mut().find(|(number, _)| *number == buffer) {
                Some((_, known)) => *known = size.max(*known),
                None => inputs.outputs.push((buffer, size)),
            }
            continue;
        }
        match inputs.buffers.iter_mut().find(|(number, _)| *number == buffer) {
            Some((_, known)) if known.dtype != step.scalar => {
                return Err(ReferenceError::Invalid(format!("buffer {buffer} is loaded as two types")));
            }
            Some((_, known)) => known.size = size.max(known.size),
            None => {
                let distribution = Distribution::integers(0, 1);
                let seed = mix(seed, u64::from(buffer));
                inputs.buffers.push((buffer, InputBuffer { dtype: step.scalar, size, distribution, seed }));
            }
        }
    }
    inputs.buffers.sort_unstable_by_key(|(number, _)| *number);
    inputs.outputs.sort_unstable_by_key(|(number, _)| *number);
    // A kernel that writes what it reads has one buffer for both.
    for (number, size) in &mut inputs.outputs {
        if let Some((_, read)) = inputs.buffers.iter_mut().find(|(read, _)| read == number) {
            *size = read.size.max(*size);
            read.size = *size;
        }
    }
    ranges::choose(program, case.data, &mut inputs);
    Ok(inputs)
}

/// The values of the variables of `case`, as [`inputs`] binds them, and its kernel in numbers.
pub(crate) fn bindings(case: &Case) -> Result<(Vec<(String, i64)>, Program), ReferenceError> {
    bind(&case.kernel, case.data.seed)
}

/// Number of channels of each image argument.
fn image_sizes(kernel: &Kernel) -> Vec<(u32, i64)> {
    let image = |step: &Step| match step {
        Step::Load { buffer, dtype: DType::Image(image), .. }
        | Step::Store { buffer, dtype: DType::Image(image), .. } => {
            Some((*buffer, i64::from(image.height) * i64::from(image.width) * 4))
        }
        _ => None,
    };
    kernel.steps.iter().filter_map(image).collect()
}

/// Values for the variables with which the kernel is one, and the kernel in numbers.
fn bind(kernel: &Kernel, seed: u64) -> Result<(Vec<(String, i64)>, Program), ReferenceError> {
    let mut draw = 0;
    loop {
        let bindings: Vec<_> =
            kernel.variables.iter().map(|variable| (variable.name.clone(), value(variable, seed, draw))).collect();
        draw += 1;
        match Program::new(kernel, &bindings) {
            Ok(program) => return Ok((bindings, program)),
            Err(ReferenceError::Invalid(_))
                if draw < DRAWS && kernel.variables.iter().any(|variable| variable.value.is_none()) => {}
            Err(error) => return Err(error),
        }
    }
}

/// The variable's value, or one drawn from the lower part of its range; the last draw is its smallest value.
fn value(variable: &Variable, seed: u64, draw: u64) -> i64 {
    let (min, max) = (variable.min, variable.max.max(variable.min));
    let values = max.saturating_sub(min).saturating_add(1).min(VARIABLE_VALUES) as u64;
    let drawn = || if draw + 1 == DRAWS { min } else { min + (mix(seed, draw) % values) as i64 };
    variable.value.unwrap_or_else(drawn)
}
