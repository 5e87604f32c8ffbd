//! What a kernel means, evaluated on ndarrays from the case itself, without `core`'s views.
//!
//! Small kernels are evaluated whole, step by step, with ndarray's own operations (`arrays`); of large ones only the
//! output elements asked for are, from what they follow from (`pointwise`). Either way a value is known exactly, where
//! the inputs were chosen so (`exact`), or as an enclosure of all that a kernel may compute (`enclosure`).

use crate::data::{InputBuffer, Inputs};
use column::{Arithmetic, Column, Mode};
use enclosure::Enclosure;
use layout::Layout;
use plumb_core::dtype::Scalar;
use plumb_corpus::case::{Case, DataMode};
use pointwise::Context;
use program::{Op, Program};
use rounding::Format;
use schedule::Schedule;

mod accumulate;
mod arrays;
mod column;
mod combine;
mod convert;
mod dims;
mod enclosure;
pub(crate) mod exact;
mod functions;
mod integers;
pub(crate) mod lanes;
pub(crate) mod layout;
pub(crate) mod outputs;
mod pointwise;
pub(crate) mod program;
pub(crate) mod rounding;
pub(crate) mod schedule;
pub(crate) mod survey;

pub use functions::Precision;

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

/// Kernels of which no step has more places than this are evaluated whole, on ndarrays.
const WHOLE: i64 = 1 << 12;

/// Step evaluations (one step at one place) beyond which a kernel is too large to evaluate.
const COST: u64 = 1 << 32;

/// Step evaluations that take a fraction of a second.
const AFFORDABLE: u64 = 1 << 24;

/// What memory elements `elements` of output argument `buffer` must hold, in that order, when computed as exactly as
/// the interpreter computes. An element that the kernel's store does not write is an error of the caller.
pub fn evaluate(case: &Case, inputs: &Inputs, buffer: u32, elements: &[i64]) -> Result<Vec<Expected>, ReferenceError> {
    let expected = Reference::new(case, inputs, Precision::INTERPRETER)?.evaluate(buffer, elements)?;
    let not_written = || ReferenceError::Invalid(format!("an element that no store to buffer {buffer} writes"));
    expected.into_iter().map(|expected| expected.ok_or_else(not_written)).collect()
}

/// The memory elements of output argument `buffer` that the kernel writes: how many. Variables that the case leaves
/// open are bound as [`inputs`](crate::data::inputs) binds them.
pub fn output_elements(case: &Case, buffer: u32) -> Result<u64, ReferenceError> {
    let inputs = crate::data::inputs(case)?;
    Reference::new(case, &inputs, Precision::INTERPRETER)?.output_elements(buffer)
}

/// A case with its inputs, ready to be evaluated.
#[derive(Debug)]
pub struct Reference<'a> {
    program: Program,
    inputs: &'a Inputs,
    arithmetic: Arithmetic,
    inexact: Option<String>,
}

impl<'a> Reference<'a> {
    /// The reference of `case` on `inputs`; `precision`: how exactly the judged kernel computes.
    ///
    /// # Errors
    /// [`ReferenceError::Invalid`] where the case is no kernel, [`ReferenceError::Unsupported`] where it is one that
    /// is not evaluated.
    pub fn new(case: &Case, inputs: &'a Inputs, precision: Precision) -> Result<Reference<'a>, ReferenceError> {
        let program = Program::new(&case.kernel, &inputs.bindings)?;
        let inexact = match case.data.mode {
            DataMode::Bounded | DataMode::Special => Some("bounds were asked for".to_owned()),
            DataMode::Auto | DataMode::Exact => exact::analyse(&program, inputs).inexact,
        };
        let mode = if inexact.is_none() { Mode::Exact } else { Mode::Bounded };
        let arithmetic = Arithmetic { mode, precision, finite: case.data.mode != DataMode::Special };
        Ok(Reference { program, inputs, arithmetic, inexact })
    }

    /// Why results are bounds and not exact values, a short phrase; `None`: they are exact.
    pub fn inexact(&self) -> Option<&str> {
        self.inexact.as_deref()
    }

    /// What argument `buffer` holds before the kernel runs, where the kernel reads it.
    pub fn contents(&self, buffer: u32) -> Option<&InputBuffer> {
        self.inputs.buffers.iter().find(|(number, _)| *number == buffer).map(|(_, contents)| contents)
    }

    /// How many memory elements of output argument `buffer` the kernel writes.
    pub fn output_elements(&self, buffer: u32) -> Result<u64, ReferenceError> {
        let (_, layout, _) = self.store(buffer)?;
        outputs::count(layout)
    }

    /// For each of memory elements `elements`, whether the kernel writes it to output argument `buffer`.
    pub fn writes(&self, buffer: u32, elements: &[i64]) -> Result<Vec<bool>, ReferenceError> {
        let (_, layout, _) = self.store(buffer)?;
        Ok(outputs::places(layout, elements)?.iter().map(Option::is_some).collect())
    }

    /// How many elements of output argument `buffer` can be evaluated within a fraction of a second; at least one.
    pub fn affordable(&self, buffer: u32) -> Result<u64, ReferenceError> {
        let (_, _, source) = self.store(buffer)?;
        Ok((AFFORDABLE / Schedule::new(&self.program, source)?.cost(&self.program).max(1)).max(1))
    }

    /// What memory elements `elements` of output argument `buffer` must hold, in that order; `None` for an element
    /// that the kernel does not write.
    pub fn evaluate(&self, buffer: u32, elements: &[i64]) -> Result<Vec<Option<Expected>>, ReferenceError> {
        let (number, layout, source) = self.store(buffer)?;
        let places = outputs::places(layout, elements)?;
        let wanted: Vec<i64> = places.iter().copied().flatten().collect();
        let context = Context { program: &self.program, inputs: self.inputs, arithmetic: self.arithmetic };
        let mut expected = Vec::with_capacity(wanted.len());
        let largest = self.program.steps[..number]
            .iter()
            .map(|step| lanes::size_of(&step.shape))
            .max_by_key(|size| *size.as_ref().unwrap_or(&i64::MAX));
        if largest.is_none_or(|size| size.is_ok_and(|size| size <= WHOLE)) {
            let whole = arrays::evaluate(context, source)?;
            let lanes: Vec<usize> = wanted.iter().map(|&place| place as usize).collect();
            self.append_expected(number, source, &whole.gather(&lanes), &mut expected);
        } else {
            let schedule = Schedule::new(&self.program, source)?;
            if schedule.cost(&self.program).saturating_mul(wanted.len() as u64) > COST {
                return Err(ReferenceError::Unsupported("too large a kernel".to_owned()));
            }
            pointwise::evaluate(context, &schedule, &wanted, |column| {
                self.append_expected(number, source, &column, &mut expected);
            })?;
        }
        let mut expected = expected.into_iter();
        Ok(places.into_iter().map(|place| place.and_then(|_| expected.next())).collect())
    }

    /// The place in the kernel's output shape that is stored to memory element `element` of output argument `buffer`.
    pub fn place(&self, buffer: u32, element: i64) -> Option<Vec<i64>> {
        let (number, layout, _) = self.store(buffer).ok()?;
        let place = outputs::places(layout, &[element]).ok()?.first().copied().flatten()?;
        let place = lanes::Coordinates::of(&self.program.steps[number].shape, &[place]);
        place.axes.iter().map(|axis| axis.first().copied()).collect()
    }

    /// The store to `buffer`: its number, layout and source.
    fn store(&self, buffer: u32) -> Result<(usize, &Layout, usize), ReferenceError> {
        let stores = self.program.steps.iter().enumerate().filter_map(|(number, step)| match step.op {
            Op::Store { buffer: stored, layout, source, .. } if stored == buffer => Some((number, layout, source)),
            _ => None,
        });
        match stores.collect::<Vec<_>>().as_slice() {
            [(number, layout, source)] => Ok((*number, &self.program.layouts[*layout], *source)),
            [] => Err(ReferenceError::Invalid(format!("no store to buffer {buffer}"))),
            _ => Err(ReferenceError::Unsupported("several stores to one buffer".to_owned())),
        }
    }

    /// What the store number `store` must leave in memory for the values of its source.
    fn append_expected(&self, store: usize, source: usize, column: &Column, expected: &mut Vec<Expected>) {
        let to = self.program.steps[store].scalar;
        let from = self.program.steps[source].scalar;
        let half = matches!(self.program.steps[store].op, Op::Store { half_image: true, .. });
        let mut stored = std::borrow::Cow::Borrowed(column);
        for (from, to) in [(from, to)].into_iter().chain(half.then_some((to, Scalar::F16))) {
            if from != to {
                stored = std::borrow::Cow::Owned(convert::cast(&stored, from, to, self.arithmetic.mode));
            }
        }
        match &*stored {
            Column::Int(ints) => {
                let mask = u64::MAX >> (64 - 8 * to.size());
                let exact = |value: i64| Expected::Exact(value as u64 & mask);
                expected.extend(ints.iter().map(|value| value.map_or(Expected::Undecided, exact)));
            }
            Column::Exact(floats) => {
                expected.extend(floats.iter().map(|&value| Expected::Exact(rounding::float_bits(value, to))));
            }
            Column::Bounded(floats) => {
                expected.extend(floats.iter().map(|value| match value.nearest(Format::of(to)) {
                    Enclosure::ANY => Expected::Undecided,
                    value @ Enclosure { low, high, nan } => match value.as_point() {
                        Some(value) => Expected::Exact(rounding::float_bits(value, to)),
                        None => Expected::Between { low, high, nan },
                    },
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests;
