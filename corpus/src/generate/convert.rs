//! Conversions between types, of values that the other type holds.

use super::build::Builder;
use super::interval::Interval;
use plumb_core::ast::AluOp;
use plumb_core::dtype::Scalar;

/// The bits of the float 1, and the place of an eighth among the bits of the floats from 1 to 2.
fn one_and_eighth(float: Scalar) -> (f64, f64) {
    let (exponent, mantissa) = match float {
        Scalar::F16 => (15, 10),
        Scalar::BF16 => (127, 7),
        Scalar::F32 => (127, 23),
        _ => (1023, 52),
    };
    (f64::from(exponent) * 2f64.powi(mantissa), 2f64.powi(mantissa - 3))
}

/// The values of `from` that a conversion to `to` may meet: those that `to` holds, with room for rounding on the way.
fn bounds(from: Scalar, to: Scalar, rounding: bool) -> Interval {
    if to.is_float() {
        // Far from overflow, and of integers none that are rounded.
        return Interval::allowed(to, from.is_float() && rounding);
    }
    let all = Interval::allowed(to, false);
    if !from.is_float() {
        return all;
    }
    // The bound itself must be a value of the float's type.
    let whole = Interval::allowed(from, false);
    let power =
        |value: f64| if value == 0.0 { 0.0 } else { value.signum() * (value.abs().log2() - 0.5).ceil().exp2() / 2.0 };
    Interval::new(power(all.low).max(whole.low), power(all.high).min(whole.high))
}

impl Builder<'_> {
    /// Whether a step can become values of type `to`: a float that was rounded can't become an integer or bool, as nobody
    /// could tell which.
    pub(super) fn converts(&self, step: usize, to: Scalar) -> bool {
        let known = self.of(step);
        known.scalar == to || known.exact || to.is_float() || !known.scalar.is_float()
    }

    /// The step as values of type `to`: kept within what `to` holds, then cast. A step that does not
    /// [convert](Builder::converts) gives way to another one.
    pub(super) fn convert(&mut self, step: usize, to: Scalar) -> usize {
        let known = self.of(step);
        if known.scalar == to {
            return step;
        }
        if !self.converts(step, to) {
            return self.operand(to, 0);
        }
        if known.special && !to.is_float() {
            // A NaN has no integer.
            let one = self.constant(known.scalar, 1.0);
            let less = self.alu(AluOp::CmpLt, &[step, one], Scalar::Bool, Interval::new(0.0, 1.0));
            return if to == Scalar::Bool { less } else { self.cast(less, to) };
        }
        let within = if to == Scalar::Bool || known.scalar == Scalar::Bool {
            known.interval
        } else {
            bounds(known.scalar, to, self.swarm.rounding)
        };
        let fitted = self.fit(step, within);
        self.cast(fitted, to)
    }

    /// The bits of the step as another type of its size, if there is one that makes sense.
    pub(super) fn reinterpret(&mut self, step: usize) -> usize {
        let known = self.of(step);
        let others = |scalar: &Scalar| scalar.size() == known.scalar.size() && *scalar != known.scalar;
        let types: Vec<Scalar> =
            self.profile.scalars.iter().copied().filter(others).filter(|scalar| *scalar != Scalar::Bool).collect();
        if types.is_empty() || known.scalar == Scalar::Bool {
            return step;
        }
        let to = self.choice.pick(&types);
        match (known.scalar.is_float(), to.is_float()) {
            (false, false) => {
                let fits = known.interval.within(Interval::all_of(to));
                let interval = if fits { known.interval } else { Interval::all_of(to) };
                self.bitcast(step, to, interval)
            }
            (true, false) => {
                // The sign of a zero and the last bits of what is rounded are nobody's promise.
                if known.special || !known.exact {
                    return step;
                }
                let step = if known.interval.contains(0.0) {
                    let one = self.constant(known.scalar, 1.0);
                    self.maximum(step, one)
                } else {
                    step
                };
                self.bitcast(step, to, Interval::all_of(to))
            }
            (false, true) => {
                let Some(bits) = self.bits_of_float(step, to) else { return step };
                self.bitcast(bits, to, Interval::new(1.0, 2.0))
            }
            // One float as another of its size: by way of the integers between.
            (true, true) => step,
        }
    }

    /// Bits of a float from 1 to 2 made of integers: 1 and as many eighths as the remainder by 8 says.
    fn bits_of_float(&mut self, step: usize, float: Scalar) -> Option<usize> {
        let scalar = self.of(step).scalar;
        let (one, eighth) = one_and_eighth(float);
        let zero = self.constant(scalar, 0.0);
        let positive = if self.of(step).interval.low < 0.0 { self.maximum(step, zero) } else { step };
        let eight = self.constant(scalar, 8.0);
        let eighths = self.try_alu(AluOp::Mod, &[positive, eight])?;
        let eighth = self.constant(scalar, eighth);
        let fraction = self.try_alu(AluOp::Mul, &[eighths, eighth])?;
        let one = self.constant(scalar, one);
        self.try_alu(AluOp::Add, &[fraction, one])
    }
}
