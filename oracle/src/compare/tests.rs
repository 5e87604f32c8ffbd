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

/// A run of `case` that wrote these elements of buffer 0.
fn compared(steps: &str, written: &[(i64, f32)], share: Option<&str>) -> Comparison {
    let text = format!("plumb case 1\ntarget clang\n{steps}\nopts none\ndata exact seed 5\nexpect pass\n");
    let case = plumb_corpus::text::parse(&text).unwrap_or_else(|error| panic!("{}", error.show(&text)));
    let inputs = crate::data::inputs(&case).expect("inputs");
    let reference = Reference::new(&case, &inputs, crate::reference::Precision::INTERPRETER).expect("a reference");
    let written = written.iter().map(|&(element, value)| (element, bits(value))).collect();
    let output = Output { buffer: 0, dtype: Scalar::F32, written, undefined: Vec::new() };
    compare(&reference, &Run { outputs: vec![output], share: share.map(str::to_owned) }).expect("comparable")
}

fn kind(comparison: &Comparison) -> Option<FindingKind> {
    comparison.finding.as_ref().map(|finding| finding.kind)
}

const TWO: &str = "%0 = const f32 2.0 (2,2)\nstore f32 buf0 (2,2) %0";

#[test]
fn wrong_elements_are_listed_with_their_places() {
    let comparison = compared(TWO, &[(0, 2.0), (1, 3.0), (2, 2.0), (3, f32::NAN)], None);
    let finding = comparison.finding.expect("a finding");
    assert_eq!(
        finding.message,
        "buffer 0: 2 of 4 elements are wrong; element 1 at [0, 1]: expected 2.0, got 3.0; \
         element 3 at [1, 1]: expected 2.0, got NaN"
    );
}

#[test]
fn a_whole_run_writes_all_and_nothing_else() {
    let all = [(0, 2.0), (1, 2.0), (2, 2.0), (3, 2.0)];
    assert_eq!(kind(&compared(TWO, &all, None)), None);
    assert_eq!(kind(&compared(TWO, &all[..3], None)), Some(FindingKind::OutputCoverage));
    assert_eq!(kind(&compared(TWO, &all[..3], Some("a part"))), None);
    assert_eq!(kind(&compared(TWO, &[(7, 2.0)], Some("a part"))), Some(FindingKind::OutputCoverage));
}

/// A store of what is there already may be left out.
#[test]
fn an_output_may_keep_what_it_holds() {
    let steps = "%0 = load f32 buf0 (4)
        %1 = const f32 100000.0 (1) |> pad((2,1))
        %2 = add %0 %1
        store f32 buf0 (4) %2";
    let text = format!("plumb case 1\ntarget clang\n{steps}\nopts none\ndata exact seed 5\nexpect pass\n");
    let case = plumb_corpus::text::parse(&text).expect("a case");
    let inputs = crate::data::inputs(&case).expect("inputs");
    let changed = inputs.buffers[0].1.float(2) as f32 + 100000.0;
    assert_eq!(kind(&compared(steps, &[(2, changed)], None)), None);
    assert_eq!(kind(&compared(steps, &[], None)), Some(FindingKind::OutputCoverage));
}

#[test]
fn an_undefined_value_is_wrong_where_the_kernel_defines_it() {
    let case_steps = TWO;
    let text = format!("plumb case 1\ntarget clang\n{case_steps}\nopts none\ndata exact seed 5\nexpect pass\n");
    let case = plumb_corpus::text::parse(&text).expect("a case");
    let inputs = crate::data::inputs(&case).expect("inputs");
    let reference = Reference::new(&case, &inputs, crate::reference::Precision::INTERPRETER).expect("a reference");
    let output = Output { buffer: 0, dtype: Scalar::F32, written: vec![(1, bits(2.0))], undefined: vec![1] };
    let comparison = compare(&reference, &Run { outputs: vec![output], share: Some("a part".to_owned()) });
    assert_eq!(kind(&comparison.expect("comparable")), Some(FindingKind::WrongValue));
}

#[test]
fn a_sample_holds_the_ends_and_one_of_each_stretch() {
    let items: Vec<u32> = (0..1000).collect();
    assert_eq!(*sample(&items, 1000), items[..]);
    let sampled = sample(&items, 10);
    assert_eq!((sampled.len(), sampled[0], sampled[11]), (12, 0, 999));
    assert!(sampled[1..11].iter().enumerate().all(|(stretch, &item)| item as usize / 100 == stretch));
    assert_eq!(sample(&items, 0).len(), 3);
}
