//! Kernels with symbolic variables are judged at drawn values and at both ends of the variables' ranges.

mod support;

use plumb_core::rule::Rules;
use plumb_corpus::generate;
use plumb_oracle::data::{End, inputs_at};
use support::Outcome;

/// No false alarm at the ends.
#[test]
fn generated_kernels_are_right_at_both_ends() {
    let (mut judged, mut wrong) = (0, Vec::new());
    for number in 0..4000 {
        let case = generate::case(11, number);
        if !matches!(inputs_at(&case, End::Largest), Some(Ok(_))) {
            continue;
        }
        match support::outcome(&case, Rules::default()) {
            Outcome::Failed(finding) => wrong.push(format!("case {number}: {finding}")),
            _ => judged += 1,
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(judged >= 20, "{judged} cases");
}

/// The ends are those of the ranges, whether the case binds the variable or not.
#[test]
fn ends_of_ranges() {
    let text = |value: &str| {
        format!(
            "plumb case 1\ntarget opencl\nvar n[2,9]{value}\n%0 = const f32 n (4)\nstore f32 buf0 (4) %0\nopts []\n\
             data auto seed 1\nexpect pass\n"
        )
    };
    let case = |value| plumb_corpus::text::parse(&text(value)).unwrap_or_else(|error| panic!("{error}"));
    for (end, expected) in [(End::Smallest, 2), (End::Largest, 9)] {
        for value in ["", " = 3"] {
            let inputs = inputs_at(&case(value), end).expect("a variable").expect("inputs");
            assert_eq!(inputs.bindings, [("n".to_owned(), expected)]);
        }
    }
}
