//! The values that a step can have, as far as the generator must know: what keeps integers from overflowing, divisors
//! from being zero and casts within what the other type holds.

use plumb_core::ast::AluOp;
use plumb_core::dtype::Scalar;

/// All values lie from `low` to `high`. Rounding of floats is left out: bounds on floats keep a wide distance from what
/// they guard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) const fn new(low: f64, high: f64) -> Interval {
        Interval { low, high }
    }

    /// The elements of an input, as the generator promises to cope with: see [`super::LARGEST_INPUT`].
    pub(super) fn of_input(scalar: Scalar) -> Interval {
        match scalar {
            Scalar::Bool => Interval::new(0.0, 1.0),
            scalar if scalar.is_unsigned() => Interval::new(0.0, f64::from(super::LARGEST_UNSIGNED_INPUT)),
            _ => Interval::new(-f64::from(super::LARGEST_INPUT), f64::from(super::LARGEST_INPUT)),
        }
    }

    /// All values of an integer type or bool; of a float type those that are kept to.
    pub(super) fn all_of(scalar: Scalar) -> Interval {
        scalar
            .int_range()
            .map_or_else(|| Interval::allowed(scalar, false), |(low, high)| Interval::new(low as f64, high as f64))
    }

    /// What results are kept to. Floats: where nothing is rounded the whole numbers up to which all are representable,
    /// so that sums of whole numbers are exact in any order; elsewhere a magnitude far from overflow.
    pub(super) fn allowed(scalar: Scalar, rounding: bool) -> Interval {
        let magnitude = |exponent: i32| Interval::new(-2f64.powi(exponent), 2f64.powi(exponent));
        match (scalar, rounding) {
            (Scalar::F16, false) => magnitude(11),
            (Scalar::F16, true) => magnitude(13),
            (Scalar::BF16, false) => magnitude(8),
            (Scalar::F32, false) => magnitude(24),
            (Scalar::BF16 | Scalar::F32, true) => magnitude(40),
            (Scalar::F64, false) => magnitude(53),
            (Scalar::F64, true) => magnitude(100),
            // 64 bits: the bounds themselves are rounded to binary64 here.
            (Scalar::I64, _) => magnitude(62),
            (Scalar::U64, _) => Interval::new(0.0, 2f64.powi(63)),
            _ => Interval::all_of(scalar),
        }
    }

    pub(super) fn within(self, other: Interval) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    pub(super) fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The least interval that contains both.
    pub(super) fn join(self, other: Interval) -> Interval {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// With zero, as padding adds it.
    pub(super) fn with_zero(self) -> Interval {
        self.join(Interval::new(0.0, 0.0))
    }

    /// Sums of up to `count` of these values (at least one).
    pub(super) fn summed(self, count: i64) -> Interval {
        let times = |end: f64| (end * count as f64, end);
        let ((low, low_one), (high, high_one)) = (times(self.low), times(self.high));
        Interval::new(low.min(low_one), high.max(high_one))
    }

    fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    fn corners(self, other: Interval, operation: impl Fn(f64, f64) -> f64) -> Interval {
        let ends = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let ends = ends.map(|(left, right)| operation(left, right));
        let fold = |of: fn(f64, f64) -> f64| ends.into_iter().fold(ends[0], of);
        Interval::new(fold(f64::min), fold(f64::max))
    }

    /// What `op` makes of values of `scalar` in these intervals, or `None` where it is undefined for some of them.
    pub(super) fn of_alu(op: AluOp, scalar: Scalar, operands: &[Interval]) -> Option<Interval> {
        let at = |place: usize| operands.get(place).copied();
        let (first, second) = (at(0)?, at(1));
        let truth = Interval::new(0.0, 1.0);
        if scalar == Scalar::Bool && op != AluOp::Where {
            return Some(truth);
        }
        let monotonic = |of: fn(f64) -> f64| Interval::new(of(first.low), of(first.high));
        Some(match op {
            AluOp::Exp2 => (first.magnitude() <= 12.0).then(|| monotonic(f64::exp2))?,
            AluOp::Log2 => (first.low >= 2f64.powi(-12)).then(|| monotonic(f64::log2))?,
            AluOp::Sqrt => (first.low >= 0.0).then(|| monotonic(f64::sqrt))?,
            AluOp::Sin => (first.magnitude() <= 256.0).then_some(Interval::new(-1.0, 1.0))?,
            AluOp::Neg => Interval::new(-first.high, -first.low),
            AluOp::Add => Interval::new(first.low + second?.low, first.high + second?.high),
            AluOp::Sub => Interval::new(first.low - second?.high, first.high - second?.low),
            AluOp::Mul => first.corners(second?, |left, right| left * right),
            AluOp::MulAcc => {
                let product = first.corners(second?, |left, right| left * right);
                Interval::new(product.low + at(2)?.low, product.high + at(2)?.high)
            }
            AluOp::Div => {
                let divisor = second?;
                // Not near zero either: a float's quotient stays moderate.
                if divisor.low < 0.5 && divisor.high > -0.5 {
                    return None;
                }
                let quotient = first.corners(divisor, |left, right| left / right);
                if scalar.is_int() { Interval::new(quotient.low.trunc(), quotient.high.trunc()) } else { quotient }
            }
            AluOp::Mod => {
                let divisor = second?;
                if divisor.contains(0.0) {
                    return None;
                }
                let most = divisor.magnitude() - 1.0;
                Interval::new(first.low.clamp(-most, 0.0), first.high.clamp(0.0, most))
            }
            AluOp::Max => Interval::new(first.low.max(second?.low), first.high.max(second?.high)),
            AluOp::CmpLt | AluOp::CmpEq => truth,
            AluOp::Xor => {
                let both = first.join(second?);
                let power = (both.high.max(-both.low - 1.0).max(0.0) + 1.0).log2().ceil().exp2();
                Interval::new(if both.low < 0.0 { -power } else { 0.0 }, power - 1.0)
            }
            AluOp::Where => second?.join(at(2)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The operation on small integers, as every target computes it.
    fn compute(op: AluOp, left: i64, right: i64) -> Option<i64> {
        Some(match op {
            AluOp::Add => left + right,
            AluOp::Sub => left - right,
            AluOp::Mul => left * right,
            AluOp::Div => left.checked_div(right)?,
            AluOp::Mod => left.checked_rem(right)?,
            AluOp::Max => left.max(right),
            AluOp::Xor => left ^ right,
            _ => return None,
        })
    }

    #[test]
    fn every_result_lies_in_the_interval_and_is_defined() {
        let ends = [(-4, 4), (0, 7), (1, 3), (-3, -1), (5, 5), (-8, 2)];
        for op in [AluOp::Add, AluOp::Sub, AluOp::Mul, AluOp::Div, AluOp::Mod, AluOp::Max, AluOp::Xor] {
            for (a, b) in ends {
                for (c, d) in ends {
                    let operands = [Interval::new(a as f64, b as f64), Interval::new(c as f64, d as f64)];
                    let Some(interval) = Interval::of_alu(op, Scalar::I32, &operands) else {
                        assert!(c <= 0 && 0 <= d, "{op} of {operands:?}");
                        continue;
                    };
                    for (left, right) in (a..=b).flat_map(|left| (c..=d).map(move |right| (left, right))) {
                        let result = compute(op, left, right).expect("the interval says that it is defined");
                        assert!(interval.contains(result as f64), "{left} {op} {right} in {interval:?}");
                    }
                }
            }
        }
    }
}
