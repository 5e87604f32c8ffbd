//! Whether what the interpreter got is what the reference allows.

use crate::data::mix;
use crate::interpreter::{Output, Run};
use crate::reference::rounding::{float_bits, float_from_bits};
use crate::reference::{Expected, Reference, ReferenceError};
use crate::{Finding, FindingKind};
use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The judge in whose name findings are made.
const ORACLE: &str = "values";

/// How many wrong elements a finding lists.
const LISTED: usize = 4;

/// Elements evaluated together.
const BLOCK: usize = 1 << 14;

/// Seed of the choice of elements where there are too many.
const SAMPLE_SEED: u64 = 0x5a3b1e;

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Elements written that were looked at.
    pub elements: u64,
    /// Elements written.
    pub written: u64,
    /// Those of them whose value the reference leaves undecided.
    pub undecided: u64,
    /// What is wrong.
    pub finding: Option<Finding>,
}

/// Compares a run with its reference.
///
/// # Errors
/// Where the reference has no values for an output.
pub fn compare(reference: &Reference<'_>, run: &Run) -> Result<Comparison, ReferenceError> {
    let mut comparison = Comparison::default();
    for output in &run.outputs {
        compare_written(reference, output, &mut comparison)?;
        if run.share.is_none() && comparison.finding.is_none() {
            compare_unwritten(reference, output, &mut comparison)?;
        }
        if comparison.finding.is_some() {
            break;
        }
    }
    Ok(comparison)
}

/// The elements that the kernel wrote.
fn compare_written(
    reference: &Reference<'_>,
    output: &Output,
    comparison: &mut Comparison,
) -> Result<(), ReferenceError> {
    let buffer = output.buffer;
    if let Some(element) = first_stray(reference, output)? {
        let message = format!("buffer {buffer}: writes element {element}, which is no output of the kernel");
        comparison.finding = Some(finding(FindingKind::OutputCoverage, message));
        return Ok(());
    }
    let mut wrong = Wrong::default();
    let sample = sample(&output.written, reference.affordable(buffer)?);
    for block in sample.chunks(BLOCK) {
        let elements: Vec<i64> = block.iter().map(|(element, _)| *element).collect();
        for (&(element, bits), expected) in block.iter().zip(reference.evaluate(buffer, &elements)?) {
            let undefined = output.undefined.binary_search(&element).is_ok();
            match expected {
                None | Some(Expected::Undecided) => comparison.undecided += 1,
                Some(expected) if undefined || !allows(expected, bits, output.dtype) => {
                    wrong.count += 1;
                    if wrong.listed.len() < LISTED {
                        wrong.listed.push((element, (!undefined).then_some(bits), expected));
                    }
                }
                Some(_) => {}
            }
        }
    }
    wrong.compared = sample.len();
    comparison.elements += sample.len() as u64;
    comparison.written += output.written.len() as u64;
    if wrong.count > 0 {
        comparison.finding = Some(finding(FindingKind::WrongValue, wrong.describe(reference, output)));
    }
    Ok(())
}

/// The first element written that no store of the kernel writes.
fn first_stray(reference: &Reference<'_>, output: &Output) -> Result<Option<i64>, ReferenceError> {
    for block in output.written.chunks(BLOCK) {
        let elements: Vec<i64> = block.iter().map(|(element, _)| *element).collect();
        let writes = reference.writes(output.buffer, &elements)?;
        if let Some(stray) = writes.iter().position(|writes| !writes) {
            return Ok(elements.get(stray).copied());
        }
    }
    Ok(None)
}

/// At most `most` of the items, but for the first and the last: one at a hashed place of each of equal stretches.
fn sample<T: Copy>(items: &[T], most: u64) -> Cow<'_, [T]> {
    let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
    if items.len() <= most {
        return Cow::Borrowed(items);
    }
    let bound = |stretch: usize| (stretch as u128 * items.len() as u128 / most as u128) as usize;
    let one = |stretch: usize| {
        let (start, end) = (bound(stretch), bound(stretch + 1));
        items[start + (mix(SAMPLE_SEED, stretch as u64) % (end - start) as u64) as usize]
    };
    Cow::Owned([items[0]].into_iter().chain((0..most).map(one)).chain(items.last().copied()).collect())
}

/// The elements that a whole run left as they were: none, unless they already held what they must.
fn compare_unwritten(
    reference: &Reference<'_>,
    output: &Output,
    comparison: &mut Comparison,
) -> Result<(), ReferenceError> {
    let Output { buffer, dtype, written, .. } = output;
    let expected = reference.output_elements(*buffer)?;
    let mut missing = expected.saturating_sub(written.len() as u64);
    if missing == 0 {
        return Ok(());
    }
    if let Some(contents) = reference.contents(*buffer) {
        let left: Vec<i64> = (0..contents.size)
            .filter(|element| written.binary_search_by_key(element, |&(at, _)| at).is_err())
            .collect();
        let sample = sample(&left, reference.affordable(*buffer)?);
        let mut wrong = 0;
        for block in sample.chunks(BLOCK) {
            for (&element, expected) in block.iter().zip(reference.evaluate(*buffer, block)?) {
                let bits = constant_bits(contents.element(element), *dtype);
                wrong += u64::from(expected.is_some_and(|expected| !allows(expected, bits, *dtype)));
            }
        }
        missing = wrong;
    }
    if missing > 0 {
        let message = format!("buffer {buffer}: at least {missing} of {expected} output elements are never written");
        comparison.finding = Some(finding(FindingKind::OutputCoverage, message));
    }
    Ok(())
}

/// The bits of a constant of the type.
pub(crate) fn constant_bits(value: Constant, dtype: Scalar) -> u64 {
    match value {
        Constant::Bool(truth) => u64::from(truth),
        Constant::Int(whole) => whole as u64 & (u64::MAX >> (64 - 8 * dtype.size())),
        Constant::Float(float) => float_bits(float, dtype),
    }
}

fn finding(kind: FindingKind, message: String) -> Finding {
    Finding { oracle: ORACLE, kind, message }
}

/// Whether the value with these bits is among the expected ones.
pub fn allows(expected: Expected, bits: u64, dtype: Scalar) -> bool {
    match expected {
        Expected::Undecided => true,
        Expected::Exact(right) if !dtype.is_float() => bits == right,
        Expected::Exact(right) => {
            let (value, right) = (float_from_bits(bits, dtype), float_from_bits(right, dtype));
            // Zeros of either sign are equal: whether a sum begins with a zero is the kernel's choice.
            value == right || (value.is_nan() && right.is_nan())
        }
        Expected::Between { low, high, nan } => {
            let value = float_from_bits(bits, dtype);
            if value.is_nan() { nan } else { low <= value && value <= high }
        }
    }
}

/// The wrong elements of an output.
#[derive(Default)]
struct Wrong {
    count: u64,
    /// How many elements were compared.
    compared: usize,
    /// Element, bits (`None`: undefined), what was expected.
    listed: Vec<(i64, Option<u64>, Expected)>,
}

impl Wrong {
    fn describe(&self, reference: &Reference<'_>, output: &Output) -> String {
        let Output { buffer, dtype, .. } = output;
        let mut message = format!("buffer {buffer}: {} of {} elements are wrong; ", self.count, self.compared);
        for (number, &(element, bits, expected)) in self.listed.iter().enumerate() {
            let place = reference.place(*buffer, element).unwrap_or_default();
            let separator = if number > 0 { "; " } else { "" };
            let got = bits.map_or_else(|| "an undefined value".to_owned(), |bits| value_text(bits, *dtype));
            // Writing to a string does not fail.
            let _ = write!(
                message,
                "{separator}element {element} at {place:?}: expected {}, got {got}",
                expected_text(expected, *dtype)
            );
        }
        message
    }
}

fn expected_text(expected: Expected, dtype: Scalar) -> String {
    match expected {
        Expected::Exact(bits) => value_text(bits, dtype),
        Expected::Between { low, high, nan } => {
            let range = if low > high { String::new() } else { format!("{low:?} to {high:?}") };
            match (range.is_empty(), nan) {
                (true, _) => "nan".to_owned(),
                (false, true) => format!("{range} or nan"),
                (false, false) => range,
            }
        }
        Expected::Undecided => "anything".to_owned(),
    }
}

fn value_text(bits: u64, dtype: Scalar) -> String {
    let width = 64 - 8 * dtype.size();
    match dtype {
        Scalar::Bool => if bits == 0 { "false" } else { "true" }.to_owned(),
        dtype if dtype.is_float() => format!("{:?}", float_from_bits(bits, dtype)),
        dtype if dtype.is_unsigned() => bits.to_string(),
        _ => (((bits << width) as i64) >> width).to_string(),
    }
}

#[cfg(test)]
mod tests;
