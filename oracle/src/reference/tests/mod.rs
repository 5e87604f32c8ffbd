//! The two evaluators against each other, against values by hand, and against every rounding and order of addition.

mod by_hand;
mod layouts;
mod random;

use super::column::Column;
use super::*;
use crate::data::inputs;
use plumb_corpus::text::parse;

/// A case of these steps.
fn case(steps: &str, data: &str) -> Case {
    let text = format!("plumb case 1\ntarget clang\n{steps}\nopts none\ndata {data}\nexpect pass\n");
    parse(&text).unwrap_or_else(|error| panic!("{}", error.show(&text)))
}

/// All elements of buffer 0, by both evaluators, which must agree.
fn evaluate_both(case: &Case, inputs: &Inputs) -> Vec<Expected> {
    let reference = Reference::new(case, inputs, Precision::INTERPRETER).unwrap_or_else(|error| panic!("{error}"));
    let (_, _, source) = reference.store(0).expect("a store to buffer 0");
    let context = Context { program: &reference.program, inputs: reference.inputs, arithmetic: reference.arithmetic };
    let whole = arrays::evaluate(context, source).expect("evaluated whole");
    let schedule = Schedule::new(&reference.program, source).expect("a schedule");
    let size = lanes::size_of(&reference.program.steps[source].shape).expect("a shape");
    let places: Vec<i64> = (0..size).collect();
    let mut points: Vec<Column> = Vec::new();
    pointwise::evaluate(context, &schedule, &places, |column| points.push(column)).expect("evaluated by points");
    assert_eq!(points, [whole], "{}", plumb_corpus::text::print(case));
    let elements: Vec<i64> = (0..reference.output_elements(0).expect("a count") as i64).collect();
    let expected = reference.evaluate(0, &elements).expect("evaluated");
    expected.into_iter().map(|expected| expected.expect("all elements are written")).collect()
}
