//! What is allowed, and what findings say.

use super::*;

fn bits(value: f32) -> u64 {
    u64::from(value.to_bits())
}

#[test]
fn exact_values_are_equal_bit_for_bit_save_the_sign_of_zero_and_the_bits_of_nan() {
    let exact = |value: f32| Expected::Exact(bits(value));
    assert!(allows(exact(1.0), bits(1.0), Scalar::F32));
    assert!(!allows(exact(1.0), bits(1.0f32.next_up()), Scalar::F32));
    assert!(allows(exact(0.0), bits(-0.0), Scalar::F32));
    assert!(allows(exact(f32::NAN), bits(-f32::NAN), Scalar::F32));
    assert!(!allows(exact(f32::NAN), bits(1.0), Scalar::F32));
    assert!(!allows(Expected::Exact(0xff), 0x7f, Scalar::I8));
}

#[test]
fn bounds_are_inclusive_and_nan_is_allowed_only_where_said() {
    let between = |nan| Expected::Between { low: 1.0, high: 2.0, nan };
    for (value, allowed) in [(1.0, true), (2.0, true), (1.0f32.next_down(), false), (2.0f32.next_up(), false)] {
        assert_eq!(allows(between(false), bits(value), Scalar::F32), allowed, "{value}");
    }
    assert!(!allows(between(false), bits(f32::NAN), Scalar::F32));
    assert!(allows(between(true), bits(f32::NAN), Scalar::F32));
    let only_nan = Expected::Between { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };
    assert!(!allows(only_nan, bits(f32::INFINITY), Scalar::F32));
    assert!(allows(only_nan, bits(f32::NAN), Scalar::F32));
}

#[test]
fn values_read_as_their_type() {
    assert_eq!(value_text(0xff, Scalar::I8), "-1");
    assert_eq!(value_text(0xff, Scalar::U8), "255");
    assert_eq!(value_text(u64::MAX, Scalar::I64), "-1");
    assert_eq!(value_text(0x3c00, Scalar::F16), "1.0");
    assert_eq!(value_text(bits(-2.5), Scalar::F32), "-2.5");
}
