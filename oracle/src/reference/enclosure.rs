//! Enclosures: all the values that a float may have, whatever a kernel is free to choose.
//!
//! An operation of a kernel is rounded to nearest in its type. Rounding is monotone, so the enclosure of a result is
//! what the ends of the operands' enclosures round to: from points, a correctly rounded operation gives a point. What
//! a kernel may choose widens it: whether a product is rounded before it is added, the order of a sum, how exactly
//! it computes `exp2` and the like.

use super::rounding::Format;

/// The numbers from `low` to `high`, none where `low` is above `high`, and perhaps a NaN.
///
/// A zero at an end counts with its sign: -0 is below +0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Enclosure {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) nan: bool,
}

/// The lower of two numbers, -0 below +0.
#[inline]
pub(crate) fn lower(a: f64, b: f64) -> f64 {
    if a < b || (a == b && a.is_sign_negative()) { a } else { b }
}

/// The higher of two numbers, -0 below +0.
#[inline]
pub(crate) fn higher(a: f64, b: f64) -> f64 {
    if a > b || (a == b && a.is_sign_positive()) { a } else { b }
}

impl Enclosure {
    /// Anything.
    pub(crate) const ANY: Enclosure = Enclosure { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };

    /// A NaN and nothing else.
    pub(crate) const NAN: Enclosure = Enclosure { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };

    /// Just `value`.
    #[inline]
    pub(crate) fn point(value: f64) -> Enclosure {
        if value.is_nan() { Enclosure::NAN } else { Enclosure { low: value, high: value, nan: false } }
    }

    /// The numbers from `low` to `high`.
    pub(crate) const fn between(low: f64, high: f64) -> Enclosure {
        Enclosure { low, high, nan: false }
    }

    /// The one number it can be, sign of a zero included.
    #[inline]
    pub(crate) fn as_point(self) -> Option<f64> {
        (self.low.to_bits() == self.high.to_bits() && !self.nan).then_some(self.low)
    }

    /// Whether it is no number.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub(crate) fn holds_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    pub(crate) fn holds_infinity(self) -> bool {
        !self.is_empty() && (self.low == f64::NEG_INFINITY || self.high == f64::INFINITY)
    }

    fn with_nan(self, nan: bool) -> Enclosure {
        Enclosure { nan: self.nan | nan, ..self }
    }

    /// What is in either.
    pub(crate) fn hull(self, other: Enclosure) -> Enclosure {
        Enclosure { low: lower(self.low, other.low), high: higher(self.high, other.high), nan: self.nan || other.nan }
    }

    /// The sum, rounded.
    #[inline]
    pub(crate) fn add(self, other: Enclosure, format: Format) -> Enclosure {
        if let (Some(a), Some(b)) = (self.as_point(), other.as_point()) {
            // Points are numbers of the format; f64 has more than twice the digits of a narrower one, so rounding twice
            // is rounding once (Figueroa, "When is double rounding innocuous?", 1995).
            return Enclosure::point(format.nearest(a + b));
        }
        let nan = self.nan || other.nan;
        if self.is_empty() || other.is_empty() {
            return Enclosure::NAN;
        }
        let opposed = |a: Enclosure, b: Enclosure| a.high == f64::INFINITY && b.low == f64::NEG_INFINITY;
        let nan = nan || opposed(self, other) || opposed(other, self);
        let low = format.nearest(sum_below(self.low, other.low, format));
        let high = format.nearest(-sum_below(-self.high, -other.high, format));
        Enclosure {
            low: if low.is_nan() { f64::NEG_INFINITY } else { low },
            high: if high.is_nan() { f64::INFINITY } else { high },
            nan,
        }
    }

    /// The difference, rounded.
    #[inline]
    pub(crate) fn sub(self, other: Enclosure, format: Format) -> Enclosure {
        self.add(other.neg(), format)
    }

    /// The negative.
    #[inline]
    pub(crate) fn neg(self) -> Enclosure {
        if self.is_empty() { self } else { Enclosure { low: -self.high, high: -self.low, nan: self.nan } }
    }

    /// The product, rounded; where it may be fused with a sum, also unrounded.
    #[inline]
    pub(crate) fn mul(self, other: Enclosure, format: Format, fusible: bool) -> Enclosure {
        if let (Some(a), Some(b)) = (self.as_point(), other.as_point()) {
            // Of types narrower than f64 the product is exact.
            let product = a * b;
            let rounded = Enclosure::point(format.nearest(product));
            if !fusible || product.is_nan() {
                return rounded;
            }
            let exact = format.precision < 53 || !product.is_finite() || a.mul_add(b, -product) == 0.0;
            return rounded.hull(around(product, exact));
        }
        if self.is_empty() || other.is_empty() {
            return Enclosure::NAN;
        }
        let undefined = |a: Enclosure, b: Enclosure| a.holds_zero() && b.holds_infinity();
        let nan = self.nan || other.nan || undefined(self, other) || undefined(other, self);
        let single = |value: f64| f64::from(value as f32) == value;
        let mut range = Enclosure::NAN;
        for (a, b) in [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)] {
            // Zero times infinity: the products nearby are those of the other ends.
            let product = if (a * b).is_nan() { 0.0 } else { a * b };
            let singles = format.precision < 53 && single(a) && single(b);
            let exact = singles || a == 0.0 || b == 0.0 || !a.is_finite() || !b.is_finite();
            let unrounded = around(product, exact);
            let rounded = if format.precision < 53 { unrounded.nearest(format) } else { Enclosure::point(product) };
            range = range.hull(if fusible { rounded.hull(unrounded) } else { rounded });
        }
        Enclosure { nan, ..range }
    }

    /// The square, rounded: a value times itself.
    pub(crate) fn square(self, format: Format, fusible: bool) -> Enclosure {
        if self.is_empty() || self.low > 0.0 || self.high < 0.0 || self.as_point().is_some() {
            return self.mul(self, format, fusible);
        }
        let most = Enclosure::between(0.0, higher(-self.low, self.high));
        most.mul(most, format, fusible).with_nan(self.nan)
    }

    /// The quotient, within `ulps` units in the last place (0.5: rounded to nearest).
    #[inline]
    pub(crate) fn div(self, other: Enclosure, format: Format, ulps: f64) -> Enclosure {
        if let (Some(a), Some(b)) = (self.as_point(), other.as_point()) {
            let quotient = a / b;
            return if ulps <= 0.5 || !quotient.is_finite() || quotient == 0.0 {
                Enclosure::point(format.nearest(quotient))
            } else {
                within(quotient, quotient, format, ulps)
            };
        }
        if self.is_empty() || other.is_empty() {
            return Enclosure::NAN;
        }
        let nan = self.nan || other.nan || (self.holds_infinity() && other.holds_infinity());
        if other.holds_zero() {
            let sign = |negative: bool| if negative { f64::NEG_INFINITY } else { f64::INFINITY };
            return match other.as_point() {
                Some(zero) if !self.holds_zero() => {
                    Enclosure::point(sign(zero.is_sign_negative() != (self.high < 0.0))).with_nan(nan)
                }
                _ => Enclosure::ANY,
            };
        }
        let mut range = Enclosure::NAN;
        for (a, b) in [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)] {
            if !(a / b).is_nan() {
                range = range.hull(around(a / b, a == 0.0 || !a.is_finite() || !b.is_finite()));
            }
        }
        let rounded = if ulps <= 0.5 { range.nearest(format) } else { within(range.low, range.high, format, ulps) };
        Enclosure { nan, ..rounded }
    }

    /// The larger one. Of a NaN and a number a kernel may return either.
    #[inline]
    pub(crate) fn max(self, other: Enclosure) -> Enclosure {
        let mut range = Enclosure {
            low: higher(self.low, other.low),
            high: higher(self.high, other.high),
            nan: self.nan || other.nan,
        };
        if range.low == 0.0 && self.low == 0.0 && other.low == 0.0 {
            // Of two zeros a kernel may return either.
            range.low = lower(self.low, other.low);
        }
        if self.is_empty() {
            range = other;
        } else if other.is_empty() {
            range = self;
        }
        if self.nan {
            range = range.hull(other);
        }
        if other.nan {
            range = range.hull(self);
        }
        range.with_nan(self.nan || other.nan)
    }

    /// Whether the first is smaller, where that is decided.
    #[inline]
    pub(crate) fn less(self, other: Enclosure) -> Option<bool> {
        if self.low >= other.high || self.is_empty() || other.is_empty() {
            Some(false)
        } else if self.high < other.low && !self.nan && !other.nan {
            Some(true)
        } else {
            None
        }
    }

    /// Whether both are equal, where that is decided.
    #[inline]
    pub(crate) fn equal(self, other: Enclosure) -> Option<bool> {
        if self.high < other.low || other.high < self.low || self.is_empty() || other.is_empty() {
            Some(false)
        } else if self.low == self.high && other.low == other.high && !self.nan && !other.nan {
            Some(true)
        } else {
            None
        }
    }

    /// Every number rounded to the format.
    #[inline]
    pub(crate) fn nearest(self, format: Format) -> Enclosure {
        Enclosure { low: format.nearest(self.low), high: format.nearest(self.high), nan: self.nan }
    }
}

/// The enclosure of numbers of the format within `ulps` units in the last place of a number from `low` to `high`,
/// which f64 arithmetic got to within two units of its own.
pub(super) fn within(low: f64, high: f64, format: Format, ulps: f64) -> Enclosure {
    // A unit in the last place is at most 2^(1 - precision) of the value, and of a subnormal number 2^least.
    let relative = ulps * 2.0 * format.roundoff() + 4.0 * f64::EPSILON;
    let absolute = ulps.ceil() * super::rounding::power_of_two(format.least);
    let low = if low.is_finite() { (low - low.abs() * relative - absolute).next_down() } else { low };
    let high = if high.is_finite() { (high + high.abs() * relative + absolute).next_up() } else { high };
    // The result is a number of the format: only such ones need be allowed. Beyond the largest is infinity.
    Enclosure {
        low: if low.is_finite() && low > format.largest { format.largest } else { format.up(low) },
        high: if high.is_finite() && high < -format.largest {
            -format.largest
        } else {
            format.down(high).max(beyond(high, format))
        },
        nan: false,
    }
}

/// Infinity where `high` is beyond the largest number, otherwise minus infinity.
fn beyond(high: f64, format: Format) -> f64 {
    if high > format.largest { f64::INFINITY } else { f64::NEG_INFINITY }
}

/// A sum of f64 that is not above the true one; of the type f64 itself the rounded one, as a kernel computes it.
fn sum_below(a: f64, b: f64, format: Format) -> f64 {
    let sum = a + b;
    if format.precision == 53 || !sum.is_finite() {
        return sum;
    }
    // Knuth's TwoSum: the error of the sum, exactly.
    let from_b = sum - a;
    let error = (a - (sum - from_b)) + (b - from_b);
    if error < 0.0 { sum.next_down() } else { sum }
}

/// A rounded f64 result and the neighbours between which the true one lies; the result alone where it is `exact`.
fn around(value: f64, exact: bool) -> Enclosure {
    let tiny = f64::from_bits(1);
    match value {
        _ if exact => Enclosure::point(value),
        f64::INFINITY => Enclosure::between(f64::MAX, value),
        f64::NEG_INFINITY => Enclosure::between(value, f64::MIN),
        0.0 if value.is_sign_negative() => Enclosure::between(-tiny, value),
        0.0 => Enclosure::between(value, tiny),
        _ => Enclosure::between(value.next_down(), value.next_up()),
    }
}

#[cfg(test)]
mod tests;
