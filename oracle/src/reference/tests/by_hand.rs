//! Kernels whose results are plain to see.

use super::super::rounding::float_from_bits;
use super::*;
use crate::data::{Distribution, InputBuffer};
use plumb_core::constant::Constant;

/// `inputs` with every element of `buffer` set to `value` (times 2^`exponent`).
fn fixed(mut inputs: Inputs, buffer: u32, value: i64, exponent: i32) -> Inputs {
    for (_, contents) in inputs.buffers.iter_mut().filter(|(number, _)| *number == buffer) {
        contents.distribution = Distribution { low: value, high: value, exponent, specials: false };
    }
    inputs
}

fn buffer(inputs: &Inputs, number: u32) -> &InputBuffer {
    inputs.buffers.iter().find(|(argument, _)| *argument == number).map(|(_, buffer)| buffer).expect("a buffer")
}

fn single(expected: &Expected) -> f64 {
    match expected {
        Expected::Exact(bits) => float_from_bits(*bits, Scalar::F32),
        other => panic!("{other:?} is no point"),
    }
}

#[test]
fn a_matrix_product_with_a_padded_operand() {
    let case = case(
        "%0 = load f32 buf1 (3,4) |> pad((0,0),(1,0)) |> reshape(3,5,1) |> expand(3,5,2)
         %1 = load f32 buf2 (5,2) |> reshape(1,5,2) |> expand(3,5,2)
         %2 = mul %0 %1
         %3 = sum %2 axis(1)
         store f32 buf0 (3,1,2) %3",
        "exact seed 3",
    );
    let inputs = inputs(&case).expect("inputs");
    assert_eq!((buffer(&inputs, 1).size, buffer(&inputs, 2).size, inputs.outputs[0]), (12, 10, (0, 6)));
    let (a, b) = (buffer(&inputs, 1), buffer(&inputs, 2));
    for (place, expected) in evaluate_both(&case, &inputs).iter().enumerate() {
        let (row, column) = (place as i64 / 2, place as i64 % 2);
        let right: f64 = (1..5).map(|k| a.float(row * 4 + k - 1) * b.float(k * 2 + column)).sum();
        assert_eq!(single(expected), right, "row {row}, column {column}");
    }
}

#[test]
fn a_maximum_begins_below_all_values_of_its_type() {
    // Known fault H19: a maximum of negative int8 values is no zero.
    let case = case(
        "%0 = load i8 buf1 (2,5)
         %1 = max %0 axis(1)
         store i8 buf0 (2,1) %1",
        "exact seed 1",
    );
    let inputs = fixed(inputs(&case).expect("inputs"), 1, -5, 0);
    assert_eq!(evaluate_both(&case, &inputs), [Expected::Exact(0xfb); 2]);
}

#[test]
fn narrow_integers_wrap_and_divide_towards_zero() {
    // Known fault N24: uint8 200 + 200 is 144, and half of that is 72.
    let case = case(
        "%0 = load u8 buf1 (1)
         %1 = add %0 %0
         %2 = const u8 2 (1)
         %3 = div %1 %2
         %4 = cast i32 %3
         %5 = cast i32 %0
         %6 = neg %5
         %7 = const i32 7 (1)
         %8 = mod %6 %7
         %9 = div %6 %7
         %10 = const i32 1000 (1)
         %11 = mul %8 %10
         %12 = add %11 %9
         %13 = mul %4 %10
         %14 = mul %13 %10
         %15 = add %12 %14
         store i32 buf0 (1) %15",
        "exact seed 1",
    );
    let inputs = fixed(inputs(&case).expect("inputs"), 1, 200, 0);
    // -200 % 7 is -4, -200 / 7 is -28.
    assert_eq!(evaluate_both(&case, &inputs), [Expected::Exact(i64::from(72_000_000 - 4_000 - 28) as u64)]);
}

#[test]
fn truth_values_and_selection() {
    let case = case(
        "%0 = load i32 buf1 (16)
         %1 = const i32 0 (16)
         %2 = cmplt %0 %1
         %3 = neg %2
         %4 = add %2 %3
         %5 = mul %2 %3
         %6 = where %4 %0 %1
         %7 = where %5 %1 %6
         %8 = where %3 %7 %1
         store i32 buf0 (16) %8",
        "exact seed 9",
    );
    let inputs = inputs(&case).expect("inputs");
    for (place, expected) in evaluate_both(&case, &inputs).into_iter().enumerate() {
        let value = buffer(&inputs, 1).whole(place as i64);
        assert_eq!(expected, Expected::Exact(value.max(0) as u64));
    }
}

#[test]
fn a_masked_constant_is_zero_in_its_padding() {
    // An arange: each place counts the ones up to it.
    let case = case(
        "%0 = const i32 1 (4) |> pad((3,0)) |> reshape(1,7) |> expand(4,7) |> reshape(28) |> pad((0,4)) |> reshape(4,8) |> shrink((0,4),(0,4))
         %1 = sum %0 axis(1)
         store i32 buf0 (4,1) %1",
        "exact seed 1",
    );
    let inputs = inputs(&case).expect("inputs");
    assert_eq!(evaluate_both(&case, &inputs), [1, 2, 3, 4].map(Expected::Exact));
}

#[test]
fn division_by_an_integer_zero_is_undecided() {
    let case = case(
        "%0 = load i32 buf1 (2)
         %1 = const i32 1 (1) |> pad((0,1))
         %2 = div %0 %1
         store i32 buf0 (2) %2",
        "auto seed 1",
    );
    let inputs = fixed(inputs(&case).expect("inputs"), 1, 6, 0);
    assert_eq!(evaluate_both(&case, &inputs), [Expected::Exact(6), Expected::Undecided]);
}

#[test]
fn a_float_that_an_integer_type_does_not_hold_is_undecided() {
    let case = case(
        "%0 = load f32 buf1 (1)
         %1 = cast i8 %0
         store i8 buf0 (1) %1",
        "auto seed 1",
    );
    let base = inputs(&case).expect("inputs");
    for (value, exponent, expected) in [
        (300, 0, Expected::Undecided),
        (-128, 0, Expected::Exact(0x80)),
        (-7, -1, Expected::Exact(0xfd)),
        (255, -1, Expected::Exact(0x7f)),
    ] {
        assert_eq!(evaluate_both(&case, &fixed(base.clone(), 1, value, exponent)), [expected], "{value} {exponent}");
    }
}

#[test]
fn bits_of_floats_and_integers() {
    // Known fault H18: the bits of 1.0 are not the integer 1.
    let case = case(
        "%0 = const f32 1.0 (1)
         %1 = bitcast u32 %0
         store u32 buf0 (1) %1",
        "auto seed 1",
    );
    assert_eq!(evaluate_both(&case, &inputs(&case).expect("inputs")), [Expected::Exact(0x3f80_0000)]);
}

#[test]
fn the_quotient_by_a_negative_zero_is_minus_infinity() {
    // Known fault N21: -0.0 and 0.0 are two constants.
    let case = case(
        "%0 = load f32 buf1 (1)
         %1 = const f32 0.0 (1)
         %2 = cmplt %0 %1
         %3 = const f32 -0.0 (1)
         %4 = where %2 %3 %1
         %5 = const f32 1.0 (1)
         %6 = div %5 %4
         store f32 buf0 (1) %6",
        "auto seed 1",
    );
    let base = inputs(&case).expect("inputs");
    for (value, expected) in [(-1, f64::NEG_INFINITY), (2, f64::INFINITY)] {
        assert_eq!(single(&evaluate_both(&case, &fixed(base.clone(), 1, value, 0))[0]), expected);
    }
}

#[test]
fn sums_of_floats_are_not_reassociated() {
    // Known fault N23: (1 - 1e8) + 1e8 is 0 in single precision.
    let case = case(
        "%0 = load f32 buf1 (1)
         %1 = const f32 1e8 (1)
         %2 = sub %0 %1
         %3 = add %2 %1
         store f32 buf0 (1) %3",
        "special seed 1",
    );
    let inputs = fixed(inputs(&case).expect("inputs"), 1, 1, 0);
    assert_eq!(single(&evaluate_both(&case, &inputs)[0]), 0.0);
}

#[test]
fn half_precision_overflows_where_it_must() {
    // Known fault N41: the square of half 2000 is infinite, cast to float afterwards or not.
    let case = case(
        "%0 = load f16 buf1 (1)
         %1 = mul %0 %0
         %2 = cast f32 %1
         store f32 buf0 (1) %2",
        "auto seed 1",
    );
    let inputs = fixed(inputs(&case).expect("inputs"), 1, 2000, 0);
    assert_eq!(single(&evaluate_both(&case, &inputs)[0]), f64::INFINITY);
}

#[test]
fn large_integers_divide_exactly() {
    // Known fault N19: a quotient of 64-bit integers is no quotient of floats.
    let case = case(
        "%0 = load i64 buf1 (1)
         %1 = const i64 3 (1)
         %2 = div %0 %1
         store i64 buf0 (1) %2",
        "auto seed 1",
    );
    let inputs = fixed(inputs(&case).expect("inputs"), 1, 3 * (1 << 55) + 3, 0);
    assert_eq!(evaluate_both(&case, &inputs), [Expected::Exact(36028797018963969)]);
}

#[test]
fn images_of_halves_hold_halves() {
    let case = case(
        "%0 = load imageh[1,2,4] buf1 (8)
         %1 = const f32 0.0004882812 (8)
         %2 = add %0 %1
         store imageh[1,2,4] buf0 (8) %2",
        "auto seed 1",
    );
    let inputs = fixed(inputs(&case).expect("inputs"), 1, 1, 0);
    assert_eq!(buffer(&inputs, 1).size, 8);
    // Half a unit in the last place of 1, less a little: rounded off when stored.
    assert!(evaluate_both(&case, &inputs).iter().all(|expected| single(expected) == 1.0));
}

#[test]
fn variables_are_shapes_and_values() {
    let case = case(
        "var v[1,10] = 3
         %0 = load f32 buf1 (v,2) |> permute(1,0)
         %1 = sum %0 axis(1)
         %2 = const f32 v (2,1)
         %3 = add %1 %2
         store f32 buf0 (2,1) %3",
        "auto seed 4",
    );
    let inputs = fixed(inputs(&case).expect("inputs"), 1, 5, 0);
    assert_eq!((buffer(&inputs, 1).size, inputs.bindings.as_slice()), (6, [("v".to_owned(), 3)].as_slice()));
    assert!(evaluate_both(&case, &inputs).iter().all(|expected| single(expected) == 18.0));
}

#[test]
fn an_open_variable_is_bound_within_its_range() {
    for seed in 0..20 {
        let text = format!("auto seed {seed}");
        let case = case(
            "var v[2,7]
             %0 = load f32 buf1 (7) |> shrink((0,v))
             store f32 buf0 (v) %0",
            &text,
        );
        let inputs = inputs(&case).expect("inputs");
        assert!((2..=7).contains(&inputs.bindings[0].1));
        assert_eq!(output_elements(&case, 0), Ok(inputs.bindings[0].1 as u64));
    }
}

#[test]
fn stores_through_views_write_only_their_places() {
    let case = case(
        "%0 = load f32 buf1 (2,3)
         store f32 buf0 view((2,3):(8,2)+1) %0",
        "exact seed 1",
    );
    let inputs = inputs(&case).expect("inputs");
    assert_eq!(inputs.outputs, [(0, 14)]);
    let reference = Reference::new(&case, &inputs, Precision::INTERPRETER).expect("a reference");
    assert_eq!(reference.output_elements(0), Ok(6));
    let expected = reference.evaluate(0, &[1, 2, 11, 13, 0]).expect("evaluated");
    let value = |element| Some(Expected::Exact(rounding::float_bits(buffer(&inputs, 1).float(element), Scalar::F32)));
    assert_eq!(expected, [value(0), None, value(4), value(5), None]);
    assert_eq!(reference.place(0, 11), Some(vec![1, 1]));
    assert!(evaluate(&case, &inputs, 0, &[2]).is_err());
}

#[test]
fn values_are_drawn_from_what_is_exact_and_otherwise_bounded() {
    let exact = |op: &str| {
        let case = case(
            &format!(
                "%0 = load f16 buf1 (64)\n%1 = {op} %0\n%2 = cast f32 %1\n%3 = sum %2 axis(0)\nstore f32 buf0 (1) %3"
            ),
            "auto seed 1",
        );
        let inputs = inputs(&case).expect("inputs");
        let reason =
            Reference::new(&case, &inputs, Precision::INTERPRETER).expect("a reference").inexact().map(str::to_owned);
        (reason, inputs.buffers[0].1.distribution)
    };
    let (reason, distribution) = exact("neg");
    assert_eq!(reason, None);
    assert!(distribution.high - distribution.low > 1000, "{distribution:?}");
    let (reason, distribution) = exact("sqrt");
    assert_eq!(reason.as_deref(), Some("SQRT is not exact"));
    assert!(distribution.low > 0, "{distribution:?}");
    let (reason, distribution) = exact("exp2");
    assert!(reason.is_some() && distribution.low < 0);
}

/// Constants are rounded to their type before anything is computed with them.
#[test]
fn constants_are_of_their_type() {
    assert_eq!(rounding::constant(Constant::Float(0.1), Scalar::F32), Constant::Float(f64::from(0.1f32)));
    assert_eq!(rounding::constant(Constant::Int(300), Scalar::U8), Constant::Int(44));
}

/// What is written as 0.1 may be folded with other constants before it is rounded to single precision, and afterwards.
#[test]
fn constants_may_be_folded_before_they_are_rounded() {
    for (a, b) in [(0.1, 3.0), (0.1, 0.7), (1.0 / 3.0, 5.3), (0.044715, 0.7978845608), (2.3, 1e-3)] {
        let steps = format!(
            "%0 = const f32 {a:?} (1)
             %1 = const f32 {b:?} (1)
             %2 = mul %0 %1
             store f32 buf0 (1) %2"
        );
        let case = case(&steps, "auto seed 1");
        let expected = evaluate_both(&case, &inputs(&case).expect("inputs"))[0];
        for value in [(a * b) as f32, a as f32 * b as f32] {
            assert!(crate::compare::allows(expected, u64::from(value.to_bits()), Scalar::F32), "{value} {expected:?}");
        }
    }
}

/// Constants that a kernel adds one after the other may be added up first, but for special values.
#[test]
fn constants_may_be_added_up_first() {
    let steps = "%0 = load f32 buf1 (1)
         %1 = const f32 16777216.0 (1)
         %2 = add %0 %1
         %3 = sub %2 %1
         %4 = const f32 0.3 (1)
         %5 = add %3 %4
         store f32 buf0 (1) %5";
    for (data, value, allowed) in
        [("bounded", 1.3f32, true), ("bounded", 0.3, true), ("special", 1.3, false), ("special", 0.3, true)]
    {
        let case = case(steps, &format!("{data} seed 1"));
        let inputs = fixed(inputs(&case).expect("inputs"), 1, 1, 0);
        let expected = evaluate_both(&case, &inputs)[0];
        let allows = crate::compare::allows(expected, u64::from(value.to_bits()), Scalar::F32);
        assert_eq!(allows, allowed, "{data} {value}: {expected:?}");
    }
}
