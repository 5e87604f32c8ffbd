//! The reference on kernels of real models: it evaluates nearly all of them, most exactly.

mod support;

use plumb_oracle::data::inputs;
use plumb_oracle::reference::{Expected, Precision, Reference, ReferenceError};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Elements looked at in each output, spread over it.
const ELEMENTS: u64 = 64;

#[derive(Default)]
struct Tally {
    kernels: usize,
    exact: usize,
    undecided: usize,
    ranges: usize,
    elements: usize,
    reasons: BTreeMap<String, usize>,
    unsupported: BTreeMap<String, usize>,
    slowest: (Duration, usize),
    choosing: Duration,
}

#[test]
fn real_kernels_have_reference_values() {
    let Some(source) = support::shared("sops.gz") else { return };
    let mut tally = Tally::default();
    let begin = Instant::now();
    for (number, piece) in source.pieces().into_iter().enumerate().step_by(support::every(60)) {
        let case = piece.read().unwrap_or_else(|error| panic!("line {number}: {error}")).into_case("clang");
        let begin = Instant::now();
        match judge(&case, &mut tally) {
            Ok(()) => {}
            Err(ReferenceError::Unsupported(reason)) => *tally.unsupported.entry(reason).or_default() += 1,
            Err(error) => panic!("line {number}: {error}"),
        }
        tally.kernels += 1;
        tally.slowest = tally.slowest.max((begin.elapsed(), number));
    }
    let Tally { kernels, exact, undecided, ranges, elements, reasons, unsupported, slowest, choosing } = tally;
    eprintln!(
        "{kernels} kernels in {:?} ({choosing:?} for inputs): {exact} exact; of {elements} elements {ranges} within bounds and {undecided} undecided; \
         slowest {slowest:?}; inexact: {reasons:#?}; unsupported: {unsupported:#?}",
        begin.elapsed()
    );
    assert!(exact * 2 > kernels, "{exact} of {kernels} are exact");
    assert!(undecided * 50 < elements, "{undecided} of {elements} elements are undecided");
    assert!(unsupported.values().sum::<usize>() * 50 < kernels, "{unsupported:?}");
}

fn judge(case: &plumb_corpus::case::Case, tally: &mut Tally) -> Result<(), ReferenceError> {
    let begin = Instant::now();
    let inputs = inputs(case)?;
    tally.choosing += begin.elapsed();
    let reference = Reference::new(case, &inputs, Precision::INTERPRETER)?;
    match reference.inexact() {
        None => tally.exact += 1,
        Some(reason) => *tally.reasons.entry(reason.to_owned()).or_default() += 1,
    }
    for &(buffer, size) in &inputs.outputs {
        let written = reference.output_elements(buffer)?;
        let step = (size as u64).div_ceil(ELEMENTS).max(1);
        let elements: Vec<i64> = (0..size as u64).step_by(step as usize).map(|element| element as i64).collect();
        let expected = reference.evaluate(buffer, &elements)?;
        assert!(written > 0 && written <= size as u64);
        tally.elements += expected.len();
        tally.ranges += expected.iter().filter(|expected| matches!(expected, Some(Expected::Between { .. }))).count();
        tally.undecided += expected.iter().filter(|expected| **expected == Some(Expected::Undecided)).count();
    }
    Ok(())
}
