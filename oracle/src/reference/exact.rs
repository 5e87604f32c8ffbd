//! Whether a kernel is exact on given inputs: every value it can compute, in whatever order it reduces, is exactly
//! representable in its type.
//!
//! Each step's values lie in a range, and floats are whole multiples of a power of two, their quantum: as long as no
//! value exceeds 2^precision quanta, sums and products are exact, and so are all partial sums. Integers wrap, which no
//! order changes.

use super::program::{Op, Program, Step};
use super::rounding::Format;
use crate::data::{Distribution, Inputs};
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;

/// What a step's values can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Values {
    /// Integers or truth values from `low` to `high`.
    Int { low: i128, high: i128 },
    /// Floats from `low` to `high`, multiples of 2^`quantum`.
    Float { low: f64, high: f64, quantum: i32 },
}

/// What the analysis found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Analysis {
    /// Why results are not exact, a short phrase; `None`: they are.
    pub(crate) inexact: Option<String>,
    /// Whether a signed 32- or 64-bit integer may overflow, which C leaves undefined.
    pub(crate) overflows: bool,
    /// Number of sums whose terms or partial sums are not exact: their results depend on the order.
    pub(crate) inexact_sums: usize,
}

/// The quantum of zero: coarser than that of any other number.
const ZERO_QUANTUM: i32 = 1024;

/// Analyses `program` on `inputs`.
pub(crate) fn analyse(program: &Program, inputs: &Inputs) -> Analysis {
    let mut analysis = Analysis { inexact: None, overflows: false, inexact_sums: 0 };
    // Of a step that is not exact nothing is known.
    let mut values: Vec<Option<Values>> = Vec::with_capacity(program.steps.len());
    // Whether a step follows from constants that are not what is spelled.
    let mut added: Vec<Option<Values>> = Vec::with_capacity(program.steps.len());
    let mut unspelled: Vec<bool> = Vec::with_capacity(program.steps.len());
    for (number, step) in program.steps.iter().enumerate() {
        let operands = step.op.operands();
        let leaf = matches!(step.op, Op::Constant { spelled: Some(_), .. });
        unspelled.push(leaf || operands.iter().any(|&operand| unspelled[operand]));
        // The constants that this step and those before it add may be added up first.
        let constants = program.chained[number].then(|| added_constants(program, number, &values, &added));
        added.push(constants.clone().and_then(Result::ok));
        let known = if let Some(Err(reason)) = constants {
            Err(reason)
        } else if program.constant[number] && !leaf && unspelled[number] {
            Err("constants of constants that are not exact".to_owned())
        } else {
            step_values(program, step, &values, inputs, &mut analysis.overflows)
        };
        analysis.inexact_sums += usize::from(known.is_err() && matches!(step.op, Op::Reduce { op: ReduceOp::Sum, .. }));
        values.push(known.as_ref().ok().copied());
        // The first reason is the cause of the others.
        analysis.inexact = analysis.inexact.or(known.err());
    }
    analysis
}

/// The sum of the constants that a step adds and those that its other operand has added; an error where it is not exact.
fn added_constants(
    program: &Program,
    number: usize,
    values: &[Option<Values>],
    added: &[Option<Values>],
) -> Result<Values, String> {
    let step = &program.steps[number];
    let Op::Alu(op, operands) = &step.op else { return Err("no sum".to_owned()) };
    let part = |operand: usize| {
        let part = if program.constant[operand] { values[operand] } else { added[operand] };
        part.unwrap_or(zero(step.scalar))
    };
    // The order of constants among themselves is open, too: their magnitudes add up.
    let magnitude = |part: Values| match part {
        Values::Float { low, high, quantum } => {
            let most = high.max(-low);
            Values::Float { low: -most, high: most, quantum }
        }
        other => other,
    };
    binary(*op, magnitude(part(operands[0])), magnitude(part(operands[1])), false, step.scalar, &mut false)
}

/// The values of one step, or why they are not exact.
fn step_values(
    program: &Program,
    step: &Step,
    values: &[Option<Values>],
    inputs: &Inputs,
    overflows: &mut bool,
) -> Result<Values, String> {
    let scalar = step.scalar;
    let operand = |number: usize| values.get(number).copied().flatten().ok_or("an operand that is not exact");
    match &step.op {
        Op::Load { buffer, layout, half_image } => {
            let found = inputs.buffers.iter().find(|(number, _)| number == buffer);
            let (_, contents) = found.ok_or("a buffer without inputs")?;
            let range = drawn(contents.distribution, if *half_image { Scalar::F16 } else { scalar })?;
            Ok(if program.layouts[*layout].is_masked() { hull(range, zero(scalar)) } else { range })
        }
        Op::Constant { value, layout, .. } => {
            let range = constant(*value)?;
            Ok(if layout.is_some() { hull(range, zero(scalar)) } else { range })
        }
        Op::Alu(op, operands) => {
            let same = operands.len() == 2 && operands[0] == operands[1];
            match (operands.len(), operands.first().map(|&first| operand(first)).transpose()?) {
                (1, Some(a)) => unary(*op, a, scalar, overflows),
                (2, Some(a)) => binary(*op, a, operand(operands[1])?, same, scalar, overflows),
                (_, Some(a)) if *op == AluOp::MulAcc => {
                    let product = binary(AluOp::Mul, a, operand(operands[1])?, same, scalar, overflows)?;
                    binary(AluOp::Add, product, operand(operands[2])?, false, scalar, overflows)
                }
                (3, Some(_)) => Ok(hull(operand(operands[1])?, operand(operands[2])?)),
                _ => Err("an operation without operands".to_owned()),
            }
        }
        Op::Cast(source) => cast(operand(*source)?, scalar),
        Op::Bitcast(source) => bitcast(program, *source, operand(*source)?, scalar),
        Op::Reduce { op: ReduceOp::Max, source, .. } => Ok(operand(*source)?),
        Op::Reduce { op: ReduceOp::Sum, source, count, .. } => match operand(*source)? {
            Values::Int { .. } if scalar == Scalar::Bool => Ok(Values::Int { low: 0, high: 1 }),
            Values::Int { low, high } => {
                let times = i128::from(*count);
                // Partial sums reach from nothing to everything.
                int(low.min(0).saturating_mul(times), high.max(0).saturating_mul(times), scalar, overflows)
            }
            Values::Float { low, high, quantum } => {
                let times = *count as f64;
                float(low.min(0.0) * times, high.max(0.0) * times, quantum, scalar)
            }
        },
        Op::Store { source, half_image, .. } => {
            let stored = cast(operand(*source)?, scalar)?;
            match stored {
                Values::Float { low, high, quantum } if *half_image => float(low, high, quantum, Scalar::F16),
                other => Ok(other),
            }
        }
    }
}

/// The values of a distribution.
fn drawn(distribution: Distribution, scalar: Scalar) -> Result<Values, String> {
    let Distribution { low, high, exponent, specials } = distribution;
    if !scalar.is_float() {
        // Below zero stand the upper half of a u64's values.
        let upper = scalar == Scalar::U64 && low < 0;
        let (low, high) = if upper { (0, i128::from(u64::MAX)) } else { (i128::from(low), i128::from(high)) };
        return Ok(Values::Int { low, high });
    }
    if specials {
        return Err("inputs that are infinite or no numbers".to_owned());
    }
    let scale = distribution.scale();
    float(low as f64 * scale, high as f64 * scale, exponent, scalar)
}

fn constant(value: Constant) -> Result<Values, String> {
    Ok(match value {
        Constant::Bool(truth) => Values::Int { low: i128::from(truth), high: i128::from(truth) },
        Constant::Int(whole) => Values::Int { low: whole, high: whole },
        // The value was rounded to its type before.
        Constant::Float(value) if value.is_finite() => {
            Values::Float { low: value, high: value, quantum: quantum(value) }
        }
        Constant::Float(_) => return Err("constants that are infinite or no numbers".to_owned()),
    })
}

fn zero(scalar: Scalar) -> Values {
    if scalar.is_float() {
        Values::Float { low: 0.0, high: 0.0, quantum: ZERO_QUANTUM }
    } else {
        Values::Int { low: 0, high: 0 }
    }
}

/// Exponent of the lowest bit that is set.
fn quantum(value: f64) -> i32 {
    let bits = value.to_bits() & (u64::MAX >> 1);
    match (bits >> 52) as i32 {
        _ if bits == 0 => ZERO_QUANTUM,
        0 => bits.trailing_zeros() as i32 - 1074,
        exponent => (bits | 1 << 52).trailing_zeros() as i32 + exponent - 1075,
    }
}

fn hull(a: Values, b: Values) -> Values {
    match (a, b) {
        (Values::Int { low, high }, Values::Int { low: l, high: h }) => {
            Values::Int { low: low.min(l), high: high.max(h) }
        }
        (Values::Float { low, high, quantum }, Values::Float { low: l, high: h, quantum: q }) => {
            Values::Float { low: low.min(l), high: high.max(h), quantum: quantum.min(q) }
        }
        (a, _) => a,
    }
}

/// A range of integers, or all of the type where it may wrap.
fn int(low: i128, high: i128, scalar: Scalar, overflows: &mut bool) -> Result<Values, String> {
    let (least, most) = scalar.int_range().ok_or("integers of a float type")?;
    if low >= least && high <= most {
        return Ok(Values::Int { low, high });
    }
    *overflows |= matches!(scalar, Scalar::I32 | Scalar::I64);
    Ok(Values::Int { low: least, high: most })
}

/// A range of floats, where the type holds all multiples of the quantum in it.
fn float(low: f64, high: f64, quantum: i32, scalar: Scalar) -> Result<Values, String> {
    let format = Format::of(scalar);
    let most = high.max(-low);
    let quanta = most / 2f64.powi(quantum.min(ZERO_QUANTUM - 1));
    if most != 0.0 && (quantum < format.least || most > format.largest || quanta > 2f64.powi(format.precision)) {
        return Err(format!("values that {scalar} does not hold exactly"));
    }
    Ok(Values::Float { low, high, quantum })
}

fn unary(op: AluOp, a: Values, scalar: Scalar, overflows: &mut bool) -> Result<Values, String> {
    match (op, a) {
        (AluOp::Neg, Values::Int { .. }) if scalar == Scalar::Bool => Ok(Values::Int { low: 0, high: 1 }),
        (AluOp::Neg, Values::Int { low, high }) => int(-high, -low, scalar, overflows),
        (AluOp::Neg, Values::Float { low, high, quantum }) => Ok(Values::Float { low: -high, high: -low, quantum }),
        _ => Err(format!("{op} is not exact")),
    }
}

fn binary(op: AluOp, a: Values, b: Values, same: bool, scalar: Scalar, overflows: &mut bool) -> Result<Values, String> {
    let truth = Values::Int { low: 0, high: 1 };
    match (a, b) {
        _ if op.is_comparison() => Ok(truth),
        (Values::Int { low, high }, Values::Int { low: l, high: h }) => {
            if matches!(op, AluOp::Div | AluOp::Mod) && l <= 0 && h >= 0 {
                return Err("division by integers that may be zero".to_owned());
            }
            if scalar == Scalar::Bool {
                return Ok(truth);
            }
            match op {
                AluOp::Add => int(low.saturating_add(l), high.saturating_add(h), scalar, overflows),
                AluOp::Sub => int(low.saturating_sub(h), high.saturating_sub(l), scalar, overflows),
                AluOp::Mul => {
                    let (least, most) = ends(low, high, l, h, i128::saturating_mul);
                    int(if same { least.max(0) } else { least }, most, scalar, overflows)
                }
                AluOp::Max => int(low.max(l), high.max(h), scalar, overflows),
                AluOp::Div => {
                    let (least, most) = ends(low, high, l, h, |a, b| a.checked_div(b).unwrap_or(i128::MAX));
                    // A dividend of either sign may be smaller than the divisor.
                    let quotients = int(least.min(0), most.max(0), scalar, &mut false)?;
                    if most > scalar.int_range().map_or(0, |(_, most)| most) {
                        return Err("a quotient of integers that overflows".to_owned());
                    }
                    Ok(quotients)
                }
                AluOp::Mod => {
                    let most = (l.abs().max(h.abs()) - 1).max(0);
                    if l <= -1 && h >= -1 && scalar.int_range().is_some_and(|(least, _)| low <= least) {
                        return Err("a quotient of integers that overflows".to_owned());
                    }
                    int(if low < 0 { -most } else { 0 }, if high > 0 { most } else { 0 }, scalar, overflows)
                }
                AluOp::Xor => {
                    let bits = [low, high, l, h].into_iter().map(|end| if end < 0 { !end } else { end });
                    let mask = bits.fold(0i128, |mask, end| mask | end);
                    let ceiling = (1i128 << (128 - mask.leading_zeros())) - 1;
                    int(if low < 0 || l < 0 { -ceiling - 1 } else { 0 }, ceiling, scalar, overflows)
                }
                _ => Err(format!("{op} is not exact")),
            }
        }
        (Values::Float { low, high, quantum }, Values::Float { low: l, high: h, quantum: q }) => match op {
            AluOp::Add => float(low + l, high + h, quantum.min(q), scalar),
            AluOp::Sub => float(low - h, high - l, quantum.min(q), scalar),
            AluOp::Mul => {
                let (least, most) = ends(low, high, l, h, |a, b| a * b);
                let quantum = quantum.saturating_add(q).min(ZERO_QUANTUM);
                float(if same { least.max(0.0) } else { least }, most, quantum, scalar)
            }
            AluOp::Max => float(low.max(l), high.max(h), quantum.min(q), scalar),
            // Division by a power of two only moves the exponent.
            AluOp::Div if l == h && l != 0.0 && l.abs() == 2f64.powi(q) => {
                let (least, most) = ends(low, high, l, h, |a, b| a / b);
                float(least, most, (quantum - q).min(ZERO_QUANTUM), scalar)
            }
            _ => Err(format!("{op} is not exact")),
        },
        _ => Err("operands of different types".to_owned()),
    }
}

/// Least and largest of an operation, monotone in each operand, on two ranges.
fn ends<T: Copy + PartialOrd>(low: T, high: T, l: T, h: T, op: impl Fn(T, T) -> T) -> (T, T) {
    let all = [op(low, l), op(low, h), op(high, l), op(high, h)];
    let pick = |less: bool| {
        all.into_iter().fold(all[0], |best, next| if (next < best) == less && next != best { next } else { best })
    };
    (pick(true), pick(false))
}

fn cast(a: Values, to: Scalar) -> Result<Values, String> {
    match a {
        Values::Int { low, high } if to.is_float() => {
            let limit = 1i128 << Format::of(to).precision;
            if low < -limit || high > limit {
                return Err(format!("integers that {to} does not hold exactly"));
            }
            float(low as f64, high as f64, 0, to)
        }
        Values::Int { .. } if to == Scalar::Bool => Ok(Values::Int { low: 0, high: 1 }),
        // A conversion between integers wraps on every machine.
        Values::Int { low, high } => int(low, high, to, &mut false),
        Values::Float { low, high, quantum } if to.is_float() => float(low, high, quantum, to),
        Values::Float { .. } if to == Scalar::Bool => Ok(Values::Int { low: 0, high: 1 }),
        Values::Float { low, high, .. } => match to.int_range() {
            Some((least, most)) if low >= least as f64 && high <= most as f64 && high < (most + 1) as f64 => {
                Ok(Values::Int { low: low.trunc() as i128, high: high.trunc() as i128 })
            }
            _ => Err(format!("floats that {to} does not hold")),
        },
    }
}

/// Bits of integers are theirs; of floats they are known where no zero can be a negative one: of what is loaded.
fn bitcast(program: &Program, source: usize, a: Values, to: Scalar) -> Result<Values, String> {
    match a {
        Values::Int { .. } if !to.is_float() => to
            .int_range()
            .map(|(low, high)| Values::Int { low, high })
            .ok_or_else(|| "integers of a float type".to_owned()),
        Values::Float { low, high, .. } if !to.is_float() => {
            let loaded = matches!(program.steps[source].op, Op::Load { .. } | Op::Constant { .. });
            if !loaded && low <= 0.0 && high >= 0.0 {
                return Err("bits of a zero of either sign".to_owned());
            }
            let (low, high) = to.int_range().ok_or("integers of a float type")?;
            Ok(Values::Int { low, high })
        }
        _ => Err("bits taken as a float".to_owned()),
    }
}
