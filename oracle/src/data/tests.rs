//! Elements are deterministic, in range, of their type, and spread.

use super::*;

fn buffer(dtype: Scalar, distribution: Distribution) -> InputBuffer {
    InputBuffer { dtype, size: 1 << 20, distribution, seed: mix(7, 1) }
}

#[test]
fn every_value_of_a_range_is_drawn_about_equally_often() {
    for (low, high) in [(-3, 4), (0, 1), (-100, -94), (5, 5), (1, 63)] {
        let buffer = buffer(Scalar::I32, Distribution::integers(low, high));
        let mut counts = vec![0u32; (high - low + 1) as usize];
        for index in 0..64_000 {
            counts[(buffer.whole(index) - low) as usize] += 1;
        }
        let expected = 64_000 / counts.len() as u32;
        for count in counts {
            assert!(count.abs_diff(expected) <= expected / 6, "{low}..{high}: {count} of {expected}");
        }
    }
}

#[test]
fn the_whole_range_of_64_bits_is_drawn() {
    let buffer = buffer(Scalar::U64, Distribution::integers(i64::MIN, i64::MAX));
    let large = (0..1000).filter(|&i| matches!(buffer.element(i), Constant::Int(v) if v >= 1 << 63)).count();
    assert!((400..600).contains(&large), "{large}");
}

#[test]
fn neighbours_differ_in_no_regular_way() {
    let buffer = buffer(Scalar::F32, Distribution::integers(0, 255));
    for step in [1i64, 2, 3, 4, 8, 16, 64, 1024] {
        let mut differences = vec![0u32; 511];
        for index in 0..20_000 {
            differences[(buffer.whole(index + step) - buffer.whole(index) + 255) as usize] += 1;
        }
        let most = differences.iter().max();
        assert!(most.is_some_and(|&most| most < 200), "step {step}: one difference occurs {most:?} times");
    }
}

#[test]
fn buffers_of_other_seeds_hold_other_values() {
    let range = Distribution::integers(0, 255);
    let (a, b) = (buffer(Scalar::U8, range), InputBuffer { seed: mix(7, 2), ..buffer(Scalar::U8, range) });
    let equal = (0..10_000).filter(|&index| a.element(index) == b.element(index)).count();
    assert!(equal < 100, "{equal}");
}

#[test]
fn elements_are_of_their_type() {
    assert!(matches!(buffer(Scalar::Bool, Distribution::integers(0, 1)).element(3), Constant::Bool(_)));
    let scaled = buffer(Scalar::F16, Distribution { low: -5, high: 5, exponent: -3, specials: false });
    for index in 0..100 {
        let Constant::Float(value) = scaled.element(index) else { panic!("a float") };
        assert!((value * 8.0).fract() == 0.0 && value.abs() <= 0.625);
    }
}

#[test]
fn specials_are_few_and_all_kinds_occur() {
    let buffer = buffer(Scalar::F32, Distribution { specials: true, ..Distribution::integers(1, 9) });
    let values: Vec<f64> = (0..4096).map(|index| buffer.float(index)).collect();
    let special = values.iter().filter(|value| !value.is_finite() || value.is_sign_negative()).count();
    assert!((150..400).contains(&special), "{special}");
    assert!(values.iter().any(|value| value.is_nan()));
    assert!(values.iter().any(|value| value.to_bits() == (-0.0f64).to_bits()));
    assert!(values.contains(&f64::INFINITY) && values.contains(&f64::NEG_INFINITY));
}
