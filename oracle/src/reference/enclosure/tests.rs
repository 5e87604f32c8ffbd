//! Enclosures hold whatever the operations give on numbers in the operands' enclosures.

use super::super::accumulate::Accumulators;
use super::super::column::{Column, Mode};
use super::super::functions::Precision;
use super::*;
use crate::data::mix;
use plumb_core::ast::ReduceOp;
use plumb_core::dtype::Scalar;

/// A source of numbers, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        mix(0x5eed, self.0)
    }

    /// A number of the type, of moderate or now and then extreme size.
    fn number(&mut self, scalar: Scalar) -> f64 {
        let format = Format::of(scalar);
        let fraction = (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let extreme = match self.next() % 64 {
            0 => return 0.0,
            1 => return -0.0,
            2 => return f64::INFINITY,
            3 => return f64::NEG_INFINITY,
            4 => format.largest,
            5 => super::super::rounding::power_of_two(format.least) * 3.0,
            6 => return (self.next() % 8) as f64,
            _ => 4.0,
        };
        format.nearest(fraction * extreme)
    }

    /// An enclosure and a number in it.
    fn enclosure(&mut self, scalar: Scalar) -> (Enclosure, f64) {
        let a = self.number(scalar);
        if self.next().is_multiple_of(4) {
            return (Enclosure::point(a), a);
        }
        let (b, c) = (self.number(scalar), self.number(scalar));
        let b = if self.next().is_multiple_of(2) { b } else { Format::of(scalar).nearest(a * 1.01) };
        let (low, high) = (lower(a, b), higher(a, b));
        let inside =
            if low.total_cmp(&c).is_le() && c.total_cmp(&high).is_le() { c } else { [a, b][self.next() as usize % 2] };
        (Enclosure::between(low, high), inside)
    }
}

/// Rounds the exact result of an operation; f64 itself stands for f64.
fn rounded(value: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F32 => f64::from(value as f32),
        Scalar::F16 => half::f16::from_f32(value as f32).to_f64(),
        _ => value,
    }
}

fn holds(range: Enclosure, value: f64) -> bool {
    if value.is_nan() { range.nan } else { range.low <= value && value <= range.high }
}

#[test]
fn arithmetic_on_members_is_enclosed() {
    let mut random = Random(0);
    let mut points = 0;
    for round in 0..120_000 {
        let scalar = [Scalar::F32, Scalar::F64, Scalar::F16][round % 3];
        let format = Format::of(scalar);
        let ((x, a), (y, b)) = (random.enclosure(scalar), random.enclosure(scalar));
        // Sums, products and quotients of halves are exact or safely rounded in f64; what f32 does is done in f32.
        let native = |single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64| match scalar {
            Scalar::F32 => f64::from(single(a as f32, b as f32)),
            _ => rounded(double(a, b), scalar),
        };
        let results = [
            ("add", x.add(y, format), native(|a, b| a + b, |a, b| a + b)),
            ("sub", x.sub(y, format), native(|a, b| a - b, |a, b| a - b)),
            ("mul", x.mul(y, format, false), native(|a, b| a * b, |a, b| a * b)),
            ("div", x.div(y, format, 0.5), native(|a, b| a / b, |a, b| a / b)),
            ("max", x.max(y), if a > b { a } else { b }),
            ("square", x.square(format, false), rounded(a * a, scalar)),
            ("sqrt", x.sqrt(format, 0.5), rounded(a.sqrt(), scalar)),
            ("neg", x.neg(), -a),
        ];
        for (name, range, result) in results {
            assert!(
                holds(range, result),
                "{scalar} {name} of {x:?} and {y:?}: {a:?}, {b:?} give {result:?}, not in {range:?}"
            );
            points += u32::from(range.as_point().is_some());
        }
        assert!(x.less(y).is_none_or(|decided| decided == (a < b)), "{x:?} < {y:?}: {a} and {b}");
        assert!(x.equal(y).is_none_or(|decided| decided == (a == b)), "{x:?} == {y:?}: {a} and {b}");
    }
    // Correctly rounded operations on points give points.
    assert!(points > 50_000, "{points}");
}

#[test]
fn special_operands() {
    let (any, nan) = (Enclosure::ANY, Enclosure::NAN);
    let single = Format::of(Scalar::F32);
    let (one, infinity, zero) = (Enclosure::point(1.0), Enclosure::point(f64::INFINITY), Enclosure::point(0.0));
    assert_eq!(infinity.sub(infinity, single), nan);
    assert_eq!(zero.mul(infinity, single, false), nan);
    assert_eq!(nan.add(one, single), nan);
    assert_eq!(one.div(zero, single, 0.5), infinity);
    assert_eq!(one.div(zero.neg(), single, 0.5), infinity.neg());
    assert_eq!(one.div(Enclosure::between(-1.0, 1.0), single, 0.5), any);
    assert_eq!(nan.less(one), Some(false));
    assert_eq!(nan.equal(nan), Some(false));
    assert_eq!(nan.max(one), Enclosure { nan: true, ..one });
    assert!(any.less(one).is_none());
    assert_eq!(Enclosure::point(-1.0).sqrt(single, 0.5), nan);
    assert_eq!(zero.log2(single, 3.0), infinity.neg());
    assert_eq!(infinity.neg().exp2(single, 3.0), zero);
    assert_eq!(infinity.sin(single, 4.0), nan);
    assert_eq!(Enclosure::between(-1.0, 4.0).sqrt(single, 0.5), Enclosure { low: 0.0, high: 2.0, nan: true });
}

#[test]
fn products_may_be_fused_with_a_sum_or_not() {
    let mut random = Random(1 << 32);
    let single = Format::of(Scalar::F32);
    let mut differing = 0;
    for _ in 0..40_000 {
        let ((x, a), (y, b), (z, c)) =
            (random.enclosure(Scalar::F32), random.enclosure(Scalar::F32), random.enclosure(Scalar::F32));
        let range = x.mul(y, single, true).add(z, single);
        let (a, b, c) = (a as f32, b as f32, c as f32);
        let (fused, apart) = (a.mul_add(b, c), a * b + c);
        differing += u32::from(fused != apart && !fused.is_nan());
        for result in [fused, apart] {
            assert!(holds(range, f64::from(result)), "{a:?} * {b:?} + {c:?} = {result:?}, not in {range:?}");
        }
    }
    assert!(differing > 1000, "{differing}");
}

#[test]
fn functions_on_members_are_enclosed_within_their_units() {
    let mut random = Random(2 << 32);
    let Precision { exp2, log2, sin, .. } = Precision::INTERPRETER;
    for round in 0..60_000 {
        let scalar = [Scalar::F32, Scalar::F16, Scalar::F64][round % 3];
        let format = Format::of(scalar);
        let (x, a) = random.enclosure(scalar);
        let results = [
            ("exp2", x.exp2(format, exp2), rounded(a.exp2(), scalar)),
            ("log2", x.log2(format, log2), rounded(a.log2(), scalar)),
            ("sin", x.sin(format, sin), rounded(a.sin(), scalar)),
            ("rough sqrt", x.sqrt(format, 3.0), rounded(a.sqrt(), scalar)),
            ("rough div", x.div(Enclosure::point(3.0), format, 2.5), rounded(a / 3.0, scalar)),
        ];
        for (name, range, result) in results {
            assert!(holds(range, result), "{scalar} {name} of {x:?}: {a:?} gives {result:?}, not in {range:?}");
            let slack = if result.is_finite() { result.abs() * 2f64.powi(-format.precision) } else { 0.0 };
            // One more unit in the last place than the nearest number is still allowed.
            let next = format.nearest(result + 2.0 * slack);
            assert!(!next.is_finite() || holds(range, next), "{scalar} {name} of {a:?}: {next:?} not in {range:?}");
        }
    }
}

/// Sums in random order and random grouping, in single precision and with fused products.
#[test]
fn sums_in_any_order_are_enclosed() {
    let mut random = Random(3 << 32);
    for round in 0..400 {
        let length = 1 + (random.next() % 300) as usize;
        let pairs: Vec<(f32, f32)> = (0..length)
            .map(|_| {
                let mut number = || random.number(Scalar::F32) as f32;
                let (a, b) = (number(), number());
                if a.is_finite() && b.is_finite() && a.abs() < 1e18 && b.abs() < 1e18 { (a, b) } else { (1.5, 1e-3) }
            })
            .collect();
        let single = Format::of(Scalar::F32);
        let terms = pairs
            .iter()
            .map(|&(a, b)| Enclosure::point(f64::from(a)).mul(Enclosure::point(f64::from(b)), single, true));
        let range = sum(terms.collect());
        for _ in 0..8 {
            let mut order: Vec<usize> = (0..length).collect();
            for place in (1..length).rev() {
                order.swap(place, random.next() as usize % (place + 1));
            }
            let groups = 1 + random.next() as usize % 8;
            let mut partial = vec![0f32; groups];
            for (place, &number) in order.iter().enumerate() {
                let (a, b) = pairs[number];
                let sum = &mut partial[place % groups];
                *sum = if round % 2 == 0 { a.mul_add(b, *sum) } else { *sum + a * b };
            }
            let total: f32 = partial.into_iter().reduce(|a, b| a + b).unwrap_or(0.0);
            assert!(holds(range, f64::from(total)), "{total:?} is not in {range:?}");
        }
    }
}

fn sum(terms: Vec<Enclosure>) -> Enclosure {
    let mut accumulators = Accumulators::new(ReduceOp::Sum, Scalar::F32, 1, Mode::Bounded);
    let length = terms.len();
    accumulators.take(0, &Column::Bounded(terms), 0..length);
    match accumulators.finish() {
        Column::Bounded(sums) => sums[0],
        other => panic!("{other:?}"),
    }
}

#[test]
fn sums_that_no_order_rounds_are_points() {
    let point = |values: &[f64]| sum(values.iter().map(|&value| Enclosure::point(value)).collect());
    assert_eq!(point(&[1.0, 2.0, 0.25]), Enclosure::point(3.25));
    assert_eq!(point(&[1.0; 1000]), Enclosure::point(1000.0));
    assert_eq!(point(&[16777216.0, 1.0, 1.0]).as_point(), None);
    assert_eq!(point(&[8388608.0, 1.0, -8388609.0]).as_point(), None, "partial sums reach 2^24 quanta, but stay below");
    assert_eq!(point(&[0.0, -0.0]), Enclosure::between(-0.0, 0.0));
    assert_eq!(point(&[f64::INFINITY, f64::NEG_INFINITY]), Enclosure::ANY);
    assert_eq!(point(&[f64::INFINITY, 1.0]), Enclosure::point(f64::INFINITY));
    assert_eq!(point(&[1e38, 3e38]), Enclosure::ANY, "overflow may come and go");
}
