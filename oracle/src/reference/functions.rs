//! Square root, `exp2`, `log2` and `sin` of enclosures, and how exactly a kernel must compute them.

use super::enclosure::{Enclosure, within};
use super::rounding::Format;
use libm::{exp2, log2, sin};
use std::f64::consts::{FRAC_PI_2, TAU};

/// How exactly operations are computed, in units in the last place of the result's type; 0.5 is rounding to nearest.
/// Sums, differences and products are always rounded to nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Of quotients.
    pub div: f64,
    /// Of square roots.
    pub sqrt: f64,
    /// Of powers of two.
    pub exp2: f64,
    /// Of logarithms to the base 2.
    pub log2: f64,
    /// Of sines.
    pub sin: f64,
}

impl Precision {
    /// What the interpreter is held to: quotients and square roots are rounded to nearest, as IEEE 754 demands, and
    /// the other functions, which it takes from the platform's mathematical library, are as exact as OpenCL demands.
    pub const INTERPRETER: Precision = Precision { div: 0.5, sqrt: 0.5, ..Precision::OPENCL };

    /// The OpenCL C Specification 3.0, section "Relative Error as ULPs", table of the full profile, single precision:
    /// x / y 2.5, `sqrt` 3, `exp2` 3, `log2` 3, `sin` 4. CUDA's (CUDA C++ Programming Guide, "Mathematical Functions",
    /// without fast math: division 0, `sqrtf` 0, `exp2f` 2, `log2f` 1, `sinf` 2) are within them.
    pub const OPENCL: Precision = Precision { div: 2.5, sqrt: 3.0, exp2: 3.0, log2: 3.0, sin: 4.0 };
}

/// Beyond this, f64 multiples of pi are too inexact to find the extremes of a sine between two numbers.
const LARGE_ANGLE: f64 = 1e8;

impl Enclosure {
    /// The square root; of a negative number a NaN.
    pub(crate) fn sqrt(self, format: Format, ulps: f64) -> Enclosure {
        let Some(Enclosure { low, high, nan }) = self.at_least_zero() else { return Enclosure::NAN };
        let (low, high) = (low.sqrt(), high.sqrt());
        if ulps <= 0.5 || (low == high && (low == 0.0 || low.is_infinite())) {
            let exact = self.as_point().is_some();
            // The ends of a range need not be numbers of the format; then rounding twice is made safe.
            let (low, high) = if exact { (low, high) } else { (low.next_down().max(0.0), high.next_up()) };
            let low = if low == 0.0 && self.low == 0.0 { self.low } else { low };
            return Enclosure { nan, ..Enclosure::between(low, high).nearest(format) };
        }
        let range = within(low, high, format, ulps);
        Enclosure { low: range.low.max(0.0), nan, ..range }
    }

    /// 2 to the power of it.
    pub(crate) fn exp2(self, format: Format, ulps: f64) -> Enclosure {
        if self.is_empty() {
            return self;
        }
        let mut range = within(exp2(self.low), exp2(self.high), format, ulps);
        // Of infinities the results are exact; of other numbers infinity may be an overflow by little.
        if self.high == f64::NEG_INFINITY {
            range.high = 0.0;
        }
        if self.low.is_finite() {
            range.low = range.low.min(format.largest);
        }
        Enclosure { low: range.low.max(0.0), nan: self.nan, ..range }
    }

    /// The logarithm to the base 2; of a negative number a NaN, of zero minus infinity.
    pub(crate) fn log2(self, format: Format, ulps: f64) -> Enclosure {
        let Some(Enclosure { low, high, nan }) = self.at_least_zero() else { return Enclosure::NAN };
        Enclosure { nan, ..within(log2(low), log2(high), format, ulps) }
    }

    /// The sine; of an infinity a NaN.
    pub(crate) fn sin(self, format: Format, ulps: f64) -> Enclosure {
        if self.is_empty() || (self.low == self.high && self.low.is_infinite()) {
            return Enclosure::NAN;
        }
        let nan = self.nan || self.holds_infinity();
        let (low, high) = (sin(self.low), sin(self.high));
        let wide = self.high - self.low >= TAU || self.low.abs().max(self.high.abs()) > LARGE_ANGLE;
        let (least, most) = if self.low == self.high {
            (low, high)
        } else {
            // Errors of the multiples of pi are far below this.
            let slack = 1e-6;
            let holds = |extreme: f64| {
                let turns = ((self.low - slack - extreme) / TAU).ceil();
                wide || extreme + turns * TAU <= self.high + slack
            };
            let (least, most) = (low.min(high), low.max(high));
            (if holds(-FRAC_PI_2) { -1.0 } else { least }, if holds(FRAC_PI_2) { 1.0 } else { most })
        };
        Enclosure { nan, ..within(least, most, format, ulps) }
    }

    /// Its numbers that are not negative; what was cut off becomes a NaN. `None`: there are none.
    fn at_least_zero(self) -> Option<Enclosure> {
        if self.is_empty() || self.high < 0.0 {
            return None;
        }
        Some(if self.low < 0.0 { Enclosure { low: 0.0, high: self.high, nan: true } } else { self })
    }
}
