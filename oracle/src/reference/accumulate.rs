//! Sums and maxima: of integers and exact floats in any order the same; of enclosures with a bound that holds for every
//! order.

use super::column::{Column, Ints, Mode};
use super::enclosure::{Enclosure, higher, lower};
use super::integers;
use super::rounding::{Format, power_of_two};
use plumb_core::ast::ReduceOp;
use plumb_core::dtype::Scalar;
use std::ops::Range;

/// Reductions under way, one for each of several groups of lanes.
#[derive(Debug)]
pub(crate) struct Accumulators {
    op: ReduceOp,
    scalar: Scalar,
    state: State,
}

#[derive(Debug)]
enum State {
    /// `None`: nothing yet (of a maximum), or undecided where so marked.
    Int {
        values: Vec<Option<i64>>,
        undecided: Vec<bool>,
    },
    Exact(Vec<Option<f64>>),
    /// The maximum so far, and what holds all terms.
    Max(Vec<Option<(Enclosure, Enclosure)>>),
    Sum(Vec<Sum>),
}

impl Accumulators {
    /// `groups` reductions of values of type `scalar`.
    pub(crate) fn new(op: ReduceOp, scalar: Scalar, groups: usize, mode: Mode) -> Accumulators {
        let state = match (op, mode) {
            _ if !scalar.is_float() => State::Int { values: vec![None; groups], undecided: vec![false; groups] },
            (_, Mode::Exact) => State::Exact(vec![None; groups]),
            (ReduceOp::Max, Mode::Bounded) => State::Max(vec![None; groups]),
            (ReduceOp::Sum, Mode::Bounded) => State::Sum(vec![Sum::default(); groups]),
        };
        Accumulators { op, scalar, state }
    }

    /// Takes in the lanes `lanes` of `column` for the reduction number `group`.
    pub(crate) fn take(&mut self, group: usize, column: &Column, lanes: Range<usize>) {
        let (op, scalar) = (self.op, self.scalar);
        match (&mut self.state, column) {
            (State::Int { values, undecided }, Column::Int(ints)) => {
                let combine = |a: i64, b: i64| match op {
                    ReduceOp::Max => integers::max(a, b, scalar),
                    ReduceOp::Sum if scalar == Scalar::Bool => a | b,
                    ReduceOp::Sum => a.wrapping_add(b),
                };
                let part = ints.values[lanes.clone()].iter().copied().reduce(combine);
                values[group] = values[group].into_iter().chain(part).reduce(combine);
                if !ints.undecided.is_empty() {
                    undecided[group] |= ints.undecided[lanes].contains(&true);
                }
            }
            (State::Exact(values), Column::Exact(floats)) => {
                let part = floats[lanes].iter().copied();
                values[group] = match op {
                    ReduceOp::Sum => values[group].into_iter().chain(part).reduce(|a, b| a + b),
                    ReduceOp::Max => values[group].into_iter().chain(part).reduce(f64::max),
                };
            }
            (State::Max(values), Column::Bounded(floats)) => {
                let part = floats[lanes].iter().map(|&term| (term, term));
                let combine = |(max, all): (Enclosure, Enclosure), (term, _)| (max.max(term), all.hull(term));
                values[group] = values[group].into_iter().chain(part).reduce(combine);
            }
            (State::Sum(sums), Column::Bounded(floats)) => {
                floats[lanes].iter().for_each(|&value| sums[group].take(value));
            }
            // A column is of the kind of its type.
            _ => {}
        }
    }

    /// The results.
    pub(crate) fn finish(self) -> Column {
        let format = Format::of(self.scalar);
        match self.state {
            State::Int { values, undecided } => {
                let values = values.into_iter().map(|value| integers::wrap(value.unwrap_or(0), self.scalar)).collect();
                let undecided = if undecided.contains(&true) { undecided } else { Vec::new() };
                Column::Int(Ints { values, undecided })
            }
            State::Exact(values) => Column::Exact(values.into_iter().map(|value| value.unwrap_or(0.0)).collect()),
            State::Max(values) => {
                // A NaN may swallow all terms that come before it, and those may be any.
                let max = |(max, all): (Enclosure, Enclosure)| if all.nan { all } else { max };
                Column::Bounded(values.into_iter().map(|value| value.map_or(Enclosure::ANY, max)).collect())
            }
            State::Sum(sums) => Column::Bounded(sums.into_iter().map(|sum| sum.finish(format)).collect()),
        }
    }
}

/// A sum under way: of the ends, and what bounds the error of any order of addition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    pub(crate) terms: u64,
    low: f64,
    high: f64,
    /// Sum of the finite terms' magnitudes.
    magnitude: f64,
    /// Exponent of the lowest bit that is set in any term.
    lowest_bit: i32,
    all_points: bool,
    nan: bool,
    minus_infinity: bool,
    plus_infinity: bool,
}

impl Default for Sum {
    fn default() -> Sum {
        Sum {
            terms: 0,
            low: 0.0,
            high: 0.0,
            magnitude: 0.0,
            lowest_bit: i32::MAX,
            all_points: true,
            nan: false,
            minus_infinity: false,
            plus_infinity: false,
        }
    }
}

impl Sum {
    /// Adds one term.
    #[inline]
    pub(crate) fn take(&mut self, value: Enclosure) {
        self.terms += 1;
        self.nan |= value.nan;
        if value.is_empty() {
            self.all_points = false;
            return;
        }
        let Enclosure { low, high, .. } = value;
        self.minus_infinity |= low == f64::NEG_INFINITY;
        self.plus_infinity |= high == f64::INFINITY;
        if low == high {
            self.lowest_bit = self.lowest_bit.min(lowest_bit(low));
        } else {
            self.all_points = false;
        }
        self.low += low;
        self.high += high;
        let magnitude = low.abs().max(high.abs());
        if magnitude.is_finite() {
            self.magnitude += magnitude;
        }
    }

    /// Adds another sum's terms, or their negatives.
    pub(crate) fn merge(&mut self, other: Sum, negative: bool) {
        let (low, high) = if negative { (-other.high, -other.low) } else { (other.low, other.high) };
        let (minus, plus) = (other.minus_infinity, other.plus_infinity);
        self.terms += other.terms;
        self.low += low;
        self.high += high;
        self.magnitude += other.magnitude;
        self.lowest_bit = self.lowest_bit.min(other.lowest_bit);
        self.all_points &= other.all_points;
        self.nan |= other.nan;
        self.minus_infinity |= if negative { plus } else { minus };
        self.plus_infinity |= if negative { minus } else { plus };
    }

    /// Of n numbers added in any order, rounding to nearest with unit roundoff u, the error is at most
    /// (n - 1) u times the sum of their magnitudes (C.-P. Jeannerod and S. M. Rump, "Improved error bounds for inner
    /// products in floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34, 2013, for every n and order).
    pub(crate) fn finish(self, format: Format) -> Enclosure {
        let steps = self.terms.saturating_sub(1) as f64;
        // The bound on the kernel's error; the magnitudes' own sum may itself be too small by n u of f64.
        let magnitude = self.magnitude * (1.0 + (steps + 2.0) * f64::EPSILON);
        let error = steps * format.roundoff() * magnitude * (1.0 + 4.0 * f64::EPSILON);
        if self.terms > 1 << 50 || magnitude + error > format.largest || (self.minus_infinity && self.plus_infinity) {
            return Enclosure::ANY;
        }
        if self.plus_infinity || self.minus_infinity {
            // The others are finite and stay so: infinity, unless the infinite term may be finite.
            let bound = magnitude + error;
            let low = if self.low.is_infinite() { self.low } else { -bound };
            let high = if self.high.is_infinite() { self.high } else { bound };
            return Enclosure { low, high, nan: self.nan };
        }
        if self.all_points && !self.nan && self.is_exact(format) {
            // Of zeros alone the sign depends on whether a zero is added first.
            let low = if self.low == 0.0 { -0.0 } else { self.low };
            return Enclosure::between(low, if low == 0.0 { 0.0 } else { low });
        }
        // Our own sums of the ends, in f64, by the same bound.
        let error = error + steps * f64::EPSILON * magnitude;
        // The result is a number of the format, and so only such ones need be allowed.
        let low = lower(format.up((self.low - error).next_down()), format.nearest(self.low));
        let high = higher(format.down((self.high + error).next_up()), format.nearest(self.high));
        Enclosure { low, high, nan: self.nan }
    }

    /// Whether every partial sum, in any order, is a number of the format: a whole multiple of the lowest bit, and not
    /// too large a one.
    fn is_exact(&self, format: Format) -> bool {
        let exponent = self.lowest_bit.saturating_add(format.precision);
        self.magnitude == 0.0
            || exponent > 1023
            || (exponent >= -1074 && self.lowest_bit >= format.least && self.magnitude <= power_of_two(exponent))
    }
}

/// Exponent of the lowest bit that is set in a finite number; of others and zero the largest.
#[inline]
fn lowest_bit(value: f64) -> i32 {
    let bits = value.to_bits() & (u64::MAX >> 1);
    let exponent = (bits >> 52) as i32;
    if bits == 0 || exponent == 0x7ff {
        i32::MAX
    } else if exponent == 0 {
        bits.trailing_zeros() as i32 - 1074
    } else {
        (bits | 1 << 52).trailing_zeros().min(52) as i32 + exponent - 1075
    }
}
