//! Tests of the interpreter, on lists written by hand.

mod any_list;
mod conversions;
mod faults;
mod kernels;
mod malformed;
mod matrices;
mod memory;
mod operations;
mod text;

use super::parse::{self, parse};
use super::{Budget, Run, RunError, run};
use crate::Finding;
use crate::data::{Distribution, InputBuffer, Inputs};
use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;

/// Enough for every list here.
const BUDGET: Budget = Budget { uop_lanes: 1 << 24 };

/// Whole numbers from -9 to 9 of a type (an unsigned one: from 0).
fn small(dtype: Scalar, size: i64) -> InputBuffer {
    let low = if dtype.is_unsigned() || dtype == Scalar::Bool { 0 } else { -9 };
    let high = if dtype == Scalar::Bool { 1 } else { 9 };
    InputBuffer { dtype, size, distribution: Distribution::integers(low, high), seed: 7 }
}

/// Inputs from argument 1 on, and one output, argument 0, of `size` elements.
fn inputs(size: i64, buffers: &[InputBuffer]) -> Inputs {
    Inputs { buffers: (1..).zip(buffers.iter().copied()).collect(), outputs: vec![(0, size)], bindings: Vec::new() }
}

/// Runs a list that is free of faults.
#[track_caller]
fn ran(text: &str, inputs: &Inputs) -> Run {
    let lowered = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    run(&lowered, inputs, BUDGET).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The bits that a list leaves in argument 0, all elements from 0 on written.
#[track_caller]
fn bits(text: &str, inputs: &Inputs) -> Vec<u64> {
    let run = ran(text, inputs);
    let written = &run.outputs[0].written;
    for (n, (element, _)) in written.iter().enumerate() {
        assert_eq!(n as i64, *element, "elements are missing in {written:?}");
    }
    written.iter().map(|&(_, bits)| bits).collect()
}

/// The findings of a list, one line each: kind and message.
#[track_caller]
fn findings(text: &str, inputs: &Inputs) -> String {
    let lowered = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    match run(&lowered, inputs, BUDGET) {
        Ok(_) => "none".to_owned(),
        Err(RunError::Faults(findings)) => {
            let line = |finding: &Finding| format!("{:?}: {}", finding.kind, finding.message);
            findings.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    }
}

/// An element, as a whole number.
fn value(buffer: &InputBuffer, index: i64) -> i64 {
    match buffer.element(index) {
        Constant::Int(value) => value as i64,
        Constant::Float(value) => value as i64,
        Constant::Bool(value) => i64::from(value),
    }
}
