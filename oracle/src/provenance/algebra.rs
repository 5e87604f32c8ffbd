//! What operations make of lanes.

use super::lane::{Kind, Lane, TraceId, add, mask, multiply, negate, reduce};
use crate::data::mix;
use crate::reference::rounding::{float_bits, float_from_bits};
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::dtype::Scalar;

/// Computes with lanes; while tracing, remembers which lanes each came from.
#[derive(Debug)]
pub(super) struct Algebra {
    /// From which all fingerprints are drawn.
    pub(super) seed: u64,
    /// Of each traced value its two operands, or the buffer and element that it is; none: nothing is traced.
    trace: Option<Vec<Origin>>,
}

/// Where a traced value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Nothing,
    Element { buffer: u32, element: i64 },
    Both(TraceId, TraceId),
}

impl Algebra {
    /// Fingerprints only.
    pub(super) fn new(seed: u64) -> Algebra {
        Algebra { seed, trace: None }
    }

    /// With traces.
    pub(super) fn tracing(seed: u64) -> Algebra {
        Algebra { seed, trace: Some(vec![Origin::Nothing]) }
    }

    /// The traced values.
    pub(super) fn trace(&self) -> &[Origin] {
        self.trace.as_deref().unwrap_or_default()
    }

    /// What element `element` of a buffer is before the kernel runs.
    pub(super) fn element(&mut self, buffer: u32, element: i64, scalar: Scalar) -> Lane {
        let lane = Lane::element(self.seed, buffer, element, scalar);
        self.remember(lane, Origin::Element { buffer, element })
    }

    fn remember(&mut self, lane: Lane, origin: Origin) -> Lane {
        match &mut self.trace {
            Some(trace) if !lane.is_constant() => {
                trace.push(origin);
                Lane { trace: trace.len() as TraceId - 1, ..lane }
            }
            _ => Lane { trace: 0, ..lane },
        }
    }

    /// `lane` as something that came from `sources`.
    fn from(&mut self, lane: Lane, sources: &[Lane]) -> Lane {
        if self.trace.is_none() || lane.is_constant() {
            return lane;
        }
        let mut trace = 0;
        for source in sources.iter().filter(|source| source.trace != 0) {
            trace = match trace {
                0 => source.trace,
                other => self.remember(lane, Origin::Both(other, source.trace)).trace,
            };
        }
        Lane { trace, ..lane }
    }

    /// An operation on operands of type `scalar` (of a WHERE: its branches' type).
    pub(super) fn alu(&mut self, op: AluOp, scalar: Scalar, operands: &[Lane]) -> Option<Lane> {
        let lane = match *operands {
            [a] => unary(op, scalar, a),
            [a, b] => binary(op, scalar, a, b),
            [a, b, c] if op == AluOp::MulAcc => binary(AluOp::Add, scalar, binary(AluOp::Mul, scalar, a, b), c),
            [condition, a, b] if op == AluOp::Where => return Some(self.select(condition, a, b, scalar)),
            _ => return None,
        };
        Some(self.from(lane, operands))
    }

    /// `a` where the condition is true, otherwise `b`; both where the condition comes from elements.
    pub(super) fn select(&mut self, condition: Lane, a: Lane, b: Lane, scalar: Scalar) -> Lane {
        if condition.is_constant() {
            return if condition.value != 0 { a } else { b };
        }
        if a == b {
            return a;
        }
        let key = condition.key(Scalar::Bool);
        self.from(hashed(AluOp::Where as u64, mix(key, a.key(scalar)), b.key(scalar), scalar), &[condition, a, b])
    }

    /// One more term of a reduction.
    pub(super) fn accumulate(&mut self, op: ReduceOp, scalar: Scalar, total: Lane, term: Lane) -> Lane {
        let lane = binary(op.alu(), scalar, total, term);
        self.from(lane, &[total, term])
    }

    /// A conversion by value.
    pub(super) fn cast(&mut self, a: Lane, from: Scalar, to: Scalar) -> Lane {
        if from == to || (from.is_float() && to.is_float()) {
            // That it is rounded changes nothing about where it came from.
            return a;
        }
        if !a.is_constant() {
            let key = mix(from as u64, to as u64);
            return self.from(hashed(key, a.key(from), 0, to), &[a]);
        }
        match (from.is_float(), to) {
            (true, Scalar::Bool) => Lane::of_bits(u64::from(a.float() != 0.0)),
            (true, _) => Lane::of_bits(a.float() as i128 as u64 & mask(to)),
            (false, Scalar::Bool) => Lane::of_bits(u64::from(a.value != 0)),
            (false, _) if to.is_float() => Lane::of_float(a.integer(from) as f64),
            (false, _) => Lane::of_bits(a.integer(from) as u64 & mask(to)),
        }
    }

    /// The same bits as another type.
    pub(super) fn bitcast(&mut self, a: Lane, from: Scalar, to: Scalar) -> Lane {
        if from == to {
            return a;
        }
        if a.is_constant() {
            let bits = if from.is_float() { float_bits(a.float(), from) } else { a.value };
            return if to.is_float() {
                Lane::of_float(float_from_bits(bits, to))
            } else {
                Lane::of_bits(bits & mask(to))
            };
        }
        let key = mix(from as u64 + 100, to as u64);
        self.from(hashed(key, a.key(from), 0, to), &[a])
    }

    /// The start of a reduction: what contributes nothing.
    pub(super) fn identity(op: ReduceOp, scalar: Scalar) -> Lane {
        match op {
            ReduceOp::Sum => Lane::ZERO,
            ReduceOp::Max if scalar.is_float() => Lane::of_float(f64::NEG_INFINITY),
            ReduceOp::Max => Lane::of_bits(scalar.int_range().map_or(0, |(least, _)| least as u64) & mask(scalar)),
        }
    }
}

/// A fingerprint of something that is no polynomial.
fn hashed(what: u64, a: u64, b: u64, scalar: Scalar) -> Lane {
    Lane { value: reduce(mix(mix(what, a), b), scalar), kind: Kind::Element, trace: 0 }.settled()
}

fn element(value: u64) -> Lane {
    Lane { value, kind: Kind::Element, trace: 0 }.settled()
}

fn unary(op: AluOp, scalar: Scalar, a: Lane) -> Lane {
    if op == AluOp::Neg {
        return match scalar {
            Scalar::Bool => binary(AluOp::Sub, scalar, Lane::of_bits(1), a),
            _ => binary(AluOp::Sub, scalar, Lane::ZERO, a),
        };
    }
    if !a.is_constant() {
        return hashed(op as u64, a.key(scalar), 0, scalar);
    }
    let value = if scalar.is_float() { a.float() } else { a.integer(scalar) as f64 };
    let result = match op {
        AluOp::Exp2 => libm::exp2(value),
        AluOp::Log2 => libm::log2(value),
        AluOp::Sin => libm::sin(value),
        _ => value.sqrt(),
    };
    if scalar.is_float() { Lane::of_float(result) } else { Lane::of_bits(result as i128 as u64 & mask(scalar)) }
}

fn binary(op: AluOp, scalar: Scalar, a: Lane, b: Lane) -> Lane {
    match (a.is_constant(), b.is_constant()) {
        (true, true) if scalar.is_float() => float_constants(op, a.float(), b.float()),
        _ if scalar == Scalar::Bool => truth(op, a, b),
        (true, true) => integer_constants(op, scalar, a, b),
        _ => numbers(op, scalar, a, b),
    }
}

/// Of two lanes, at least one of them no constant. What is added to a float does not count: sums with several constants
/// may be rounded differently.
fn numbers(op: AluOp, scalar: Scalar, a: Lane, b: Lane) -> Lane {
    let ring = |lane: Lane| if lane.is_constant() && scalar.is_float() { 0 } else { lane.ring(scalar) };
    let difference = || add(ring(b), negate(ring(a), scalar), scalar);
    match op {
        // A maximum and nothing else stays one.
        AluOp::Add if a == Lane::ZERO => b,
        AluOp::Add | AluOp::Sub if b == Lane::ZERO => a,
        AluOp::Add => element(add(ring(a), ring(b), scalar)),
        AluOp::Sub => element(negate(difference(), scalar)),
        AluOp::Mul => match (a.is_constant(), b.is_constant()) {
            (true, _) if is_one(a, scalar) => b,
            (_, true) if is_one(b, scalar) => a,
            _ if is_zero(a, scalar) || is_zero(b, scalar) => Lane::ZERO,
            _ => element(multiply(a.ring(scalar), b.ring(scalar), scalar)),
        },
        AluOp::Div if b.is_constant() && is_one(b, scalar) => a,
        AluOp::Div if b.is_constant() && is_one(unary(AluOp::Neg, scalar, b), scalar) => unary(AluOp::Neg, scalar, a),
        AluOp::CmpLt => match difference() {
            0 => Lane::ZERO,
            difference => hashed(op as u64, difference, 0, Scalar::Bool),
        },
        AluOp::CmpEq => match difference() {
            0 => Lane::of_bits(1),
            difference => hashed(op as u64, difference.min(negate(difference, scalar)), 0, Scalar::Bool),
        },
        AluOp::Max => maximum(scalar, a, b),
        AluOp::Xor => hashed(op as u64, a.key(scalar).wrapping_add(b.key(scalar)), 0, scalar),
        _ => hashed(op as u64, a.key(scalar), b.key(scalar), scalar),
    }
}

fn is_zero(lane: Lane, scalar: Scalar) -> bool {
    lane.is_constant() && lane.ring(scalar) == 0
}

fn is_one(lane: Lane, scalar: Scalar) -> bool {
    lane.is_constant() && lane.ring(scalar) == 1
}

/// The maximum of whatever both are the maximum of; constants count only by there being some.
fn maximum(scalar: Scalar, a: Lane, b: Lane) -> Lane {
    let least = Algebra::identity(ReduceOp::Max, scalar);
    let part = |lane: Lane| match lane.kind {
        Kind::Constant => (0, true),
        Kind::Element => (lane.key(scalar), false),
        Kind::Maximum => (lane.value, false),
        Kind::MaximumWithConstant => (lane.value, true),
    };
    if a == least {
        return b;
    }
    if b == least {
        return a;
    }
    let ((a, constant), (b, another)) = (part(a), part(b));
    let kind = if constant || another { Kind::MaximumWithConstant } else { Kind::Maximum };
    Lane { value: a.wrapping_add(b), kind, trace: 0 }
}

/// Of truth values; false and true are 0 and 1 of the field. Of *or* one operand stands for both: the same one however
/// often and in whatever order.
fn truth(op: AluOp, a: Lane, b: Lane) -> Lane {
    let bool = Scalar::Bool;
    let (a, b) = (a.ring(bool), b.ring(bool));
    let both = multiply(a, b, bool);
    let differs = add(add(a, b, bool), negate(add(both, both, bool), bool), bool);
    let not = |truth: u64| add(1, negate(truth, bool), bool);
    let value = match op {
        AluOp::Add | AluOp::Max => a.max(b),
        AluOp::Mul => both,
        AluOp::Sub | AluOp::Xor => differs,
        AluOp::CmpLt => multiply(not(a), b, bool),
        AluOp::CmpEq => not(differs),
        AluOp::Div => a,
        _ => 0,
    };
    let kind = if value <= 1 { Kind::Constant } else { Kind::Element };
    Lane { value, kind, trace: 0 }
}

fn float_constants(op: AluOp, a: f64, b: f64) -> Lane {
    Lane::of_float(match op {
        AluOp::Add => a + b,
        AluOp::Sub => a - b,
        AluOp::Mul => a * b,
        AluOp::Div => a / b,
        AluOp::Max => a.max(b),
        AluOp::CmpLt => return Lane::of_bits(u64::from(a < b)),
        AluOp::CmpEq => return Lane::of_bits(u64::from(a == b)),
        _ => 0.0,
    })
}

fn integer_constants(op: AluOp, scalar: Scalar, a: Lane, b: Lane) -> Lane {
    let (a, b) = (a.integer(scalar), b.integer(scalar));
    let value = match op {
        AluOp::Add => a.wrapping_add(b),
        AluOp::Sub => a.wrapping_sub(b),
        AluOp::Mul => a.wrapping_mul(b),
        AluOp::Div => a.checked_div(b).unwrap_or(0),
        AluOp::Mod => a.checked_rem(b).unwrap_or(0),
        AluOp::Max => a.max(b),
        AluOp::Xor => a ^ b,
        AluOp::CmpLt => i128::from(a < b),
        AluOp::CmpEq => i128::from(a == b),
        _ => 0,
    };
    Lane::of_bits(value as u64 & if op.is_comparison() { 1 } else { mask(scalar) })
}
