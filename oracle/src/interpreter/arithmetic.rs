//! Arithmetic over lanes: what an operation does where it touches registers only.
//!
//! Integers wrap. A quotient is truncated, a remainder has the sign of the dividend, and where the divisor is 0 both
//! are 0, and marked undefined. `f16` and `bf16` are computed in `f32` and rounded to nearest even after each
//! operation, which for `+ - * /` and the square root is the correctly rounded result. Exp2, log2 and sin are computed
//! in `f64` by the portable `libm` and rounded once to the type. A multiply-accumulate rounds its product too.

use super::convert::{self, fits, round_bf16, round_f16, round_f64, wrap_word};
use super::lanes::{Bank, Lane, NONE, Registers};
use super::program::{Code, Comparison, FloatOp, Function, IntOp, Op, Program};
use plumb_core::dtype::Scalar;

/// Runs an operation in the first `n` lanes; `false` if it is not one of those that touch registers only.
pub(super) fn execute(registers: &mut Registers, program: &Program, op: &Op, n: usize) -> bool {
    let r = registers;
    let Op { bank, d, a, b, c, .. } = *op;
    let mark = op.uop as i32 + 1;
    match op.code {
        Code::Fill => {
            let Some(&literal) = program.literals.get(op.extra as usize) else { return true };
            match bank {
                Bank::Word => r.get_mut::<i32>(d)[..n].fill(Lane::from_literal(literal)),
                Bank::Long => r.get_mut::<i64>(d)[..n].fill(Lane::from_literal(literal)),
                Bank::Single => r.get_mut::<f32>(d)[..n].fill(Lane::from_literal(literal)),
                Bank::Double => r.get_mut::<f64>(d)[..n].fill(Lane::from_literal(literal)),
            }
        }
        Code::Copy => match bank {
            Bank::Word => r.unary(d, a, n, |x: i32| x),
            Bank::Long => r.unary(d, a, n, |x: i64| x),
            Bank::Single => r.unary(d, a, n, |x: f32| x),
            Bank::Double => r.unary(d, a, n, |x: f64| x),
        },
        Code::Select => match bank {
            Bank::Word => r.select::<i32>(d, a, b, c, n),
            Bank::Long => r.select::<i64>(d, a, b, c, n),
            Bank::Single => r.select::<f32>(d, a, b, c, n),
            Bank::Double => r.select::<f64>(d, a, b, c, n),
        },
        Code::Blend => match bank {
            Bank::Word => r.blend::<i32>(d, a, b, n),
            Bank::Long => r.blend::<i64>(d, a, b, n),
            Bank::Single => r.blend::<f32>(d, a, b, n),
            Bank::Double => r.blend::<f64>(d, a, b, n),
        },
        Code::Narrow(Scalar::F16) => r.in_place(d, n, round_f16),
        Code::Narrow(Scalar::BF16) => r.in_place(d, n, round_bf16),
        Code::Narrow(scalar) => r.in_place(d, n, |x| wrap_word(x, scalar)),
        Code::Int(operation) => int(r, operation, op, n),
        Code::DivideBy(remainder) => divide_by(r, program, op, remainder, n),
        Code::IntNeg if bank == Bank::Long => r.unary(d, a, n, i64::wrapping_neg),
        Code::IntNeg => r.unary(d, a, n, i32::wrapping_neg),
        Code::Compare(comparison) => compare(r, comparison, op, n),
        Code::Float(operation) => match operation {
            FloatOp::Add if bank == Bank::Double => r.binary(d, a, b, n, |x: f64, y: f64| x + y),
            FloatOp::Sub if bank == Bank::Double => r.binary(d, a, b, n, |x: f64, y: f64| x - y),
            FloatOp::Mul if bank == Bank::Double => r.binary(d, a, b, n, |x: f64, y: f64| x * y),
            FloatOp::Div if bank == Bank::Double => r.binary(d, a, b, n, |x: f64, y: f64| x / y),
            FloatOp::Max if bank == Bank::Double => r.binary(d, a, b, n, maximum_f64),
            FloatOp::Add => r.binary(d, a, b, n, |x: f32, y: f32| x + y),
            FloatOp::Sub => r.binary(d, a, b, n, |x: f32, y: f32| x - y),
            FloatOp::Mul => r.binary(d, a, b, n, |x: f32, y: f32| x * y),
            FloatOp::Div => r.binary(d, a, b, n, |x: f32, y: f32| x / y),
            FloatOp::Max => r.binary(d, a, b, n, maximum_f32),
        },
        Code::FloatInto(operation) => match operation {
            FloatOp::Add if bank == Bank::Double => r.accumulate(d, a, n, |x: f64, y: f64| x + y),
            FloatOp::Mul if bank == Bank::Double => r.accumulate(d, a, n, |x: f64, y: f64| x * y),
            FloatOp::Max if bank == Bank::Double => r.accumulate(d, a, n, maximum_f64),
            FloatOp::Add => r.accumulate(d, a, n, |x: f32, y: f32| x + y),
            FloatOp::Mul => r.accumulate(d, a, n, |x: f32, y: f32| x * y),
            FloatOp::Max => r.accumulate(d, a, n, maximum_f32),
            // Not fused: their operands do not commute.
            FloatOp::Sub | FloatOp::Div => {}
        },
        Code::IntInto(operation) => match bank {
            Bank::Long => int_into::<i64>(r, operation, op, n, |x, y| (x as u64).max(y as u64) as i64),
            _ => int_into::<i32>(r, operation, op, n, |x, y| (x as u32).max(y as u32) as i32),
        },
        Code::Function(function, scalar) if bank == Bank::Double => {
            let _ = scalar;
            match function {
                Function::Neg => r.unary(d, a, n, |x: f64| -x),
                Function::Sqrt => r.unary(d, a, n, f64::sqrt),
                Function::Exp2 => r.unary(d, a, n, libm::exp2),
                Function::Log2 => r.unary(d, a, n, libm::log2),
                Function::Sin => r.unary(d, a, n, libm::sin),
            }
        }
        Code::Function(function, scalar) => match function {
            Function::Neg => r.unary(d, a, n, |x: f32| -x),
            Function::Sqrt => r.unary(d, a, n, |x: f32| convert::round_f32(x.sqrt(), scalar)),
            Function::Exp2 => r.unary(d, a, n, |x: f32| round_f64(libm::exp2(f64::from(x)), scalar)),
            Function::Log2 => r.unary(d, a, n, |x: f32| round_f64(libm::log2(f64::from(x)), scalar)),
            Function::Sin => r.unary(d, a, n, |x: f32| round_f64(libm::sin(f64::from(x)), scalar)),
        },
        Code::Cast { from, to } => super::cast::cast(r, op, from, to, n),
        Code::Bitcast { from, to } => super::cast::bitcast(r, op, from, to, n),
        Code::Saturate(from) => super::cast::saturate(r, op, from, n),
        Code::Either => r.binary(d, a, b, n, |x: i32, y: i32| if x != 0 { x } else { y }),
        Code::MarkUnfit { from, to } if Bank::of(from) == Bank::Double => {
            r.unary(d, a, n, |x: f64| if fits(x, to) { 0 } else { mark });
        }
        Code::MarkUnfit { to, .. } => r.unary(d, a, n, |x: f32| if fits(f64::from(x), to) { 0 } else { mark }),
        Code::MarkZero if bank == Bank::Long => r.unary(d, a, n, |x: i64| if x == 0 { mark } else { 0 }),
        Code::MarkZero => r.unary(d, a, n, |x: i32| if x == 0 { mark } else { 0 }),
        Code::MarkOverflow(operation, scalar) => mark_overflow(r, operation, scalar, op, n),
        Code::Pixel => {
            let image = program.memories.get(op.extra as usize).and_then(|memory| memory.image);
            let (width, height) = image.map_or((0, 0), |image| (image.width, image.height));
            r.binary(d, a, b, n, |x: i32, y: i32| {
                let inside = x >= 0 && y >= 0 && (x as u32) < width && (y as u32) < height;
                if inside { (y as u32 * width + x as u32) as i32 * 4 } else { -4 }
            });
        }
        Code::Increment => r.in_place(d, n, |x: i32| x.wrapping_add(1)),
        _ => return false,
    }
    true
}

/// What the integer operations need of their machine type.
trait Integer: Lane + Ord + std::ops::BitAnd<Output = Self> + std::ops::BitOr<Output = Self> {
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
}

impl Integer for i32 {
    fn add(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
    fn mul(self, other: i32) -> i32 {
        self.wrapping_mul(other)
    }
}

impl Integer for i64 {
    fn add(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
    fn mul(self, other: i64) -> i64 {
        self.wrapping_mul(other)
    }
}

fn int_into<T: Integer>(r: &mut Registers, operation: IntOp, op: &Op, n: usize, max_unsigned: fn(T, T) -> T) {
    let Op { d, a, .. } = *op;
    match operation {
        IntOp::Add => r.accumulate(d, a, n, T::add),
        IntOp::Mul => r.accumulate(d, a, n, T::mul),
        IntOp::Max => r.accumulate(d, a, n, |x: T, y: T| x.max(y)),
        IntOp::MaxUnsigned => r.accumulate(d, a, n, max_unsigned),
        IntOp::And => r.accumulate(d, a, n, |x: T, y: T| x & y),
        IntOp::Or => r.accumulate(d, a, n, |x: T, y: T| x | y),
        // Not fused: their operands do not commute.
        _ => {}
    }
}

fn int(r: &mut Registers, operation: IntOp, op: &Op, n: usize) {
    let Op { bank, d, a, b, .. } = *op;
    if bank == Bank::Long {
        let unsigned = |f: fn(u64, u64) -> u64| move |x: i64, y: i64| f(x as u64, y as u64) as i64;
        match operation {
            IntOp::Add => r.binary(d, a, b, n, i64::wrapping_add),
            IntOp::Sub => r.binary(d, a, b, n, i64::wrapping_sub),
            IntOp::Mul => r.binary(d, a, b, n, i64::wrapping_mul),
            IntOp::Div => r.binary(d, a, b, n, |x: i64, y: i64| if y == 0 { 0 } else { x.wrapping_div(y) }),
            IntOp::Mod => r.binary(d, a, b, n, |x: i64, y: i64| if y == 0 { 0 } else { x.wrapping_rem(y) }),
            IntOp::DivUnsigned => r.binary(d, a, b, n, unsigned(|x, y| x.checked_div(y).unwrap_or(0))),
            IntOp::ModUnsigned => r.binary(d, a, b, n, unsigned(|x, y| x.checked_rem(y).unwrap_or(0))),
            IntOp::Max => r.binary(d, a, b, n, |x: i64, y: i64| x.max(y)),
            IntOp::MaxUnsigned => r.binary(d, a, b, n, unsigned(u64::max)),
            IntOp::Xor => r.binary(d, a, b, n, |x: i64, y: i64| x ^ y),
            IntOp::And => r.binary(d, a, b, n, |x: i64, y: i64| x & y),
            IntOp::Or => r.binary(d, a, b, n, |x: i64, y: i64| x | y),
        }
        return;
    }
    let unsigned = |f: fn(u32, u32) -> u32| move |x: i32, y: i32| f(x as u32, y as u32) as i32;
    match operation {
        IntOp::Add => r.binary(d, a, b, n, i32::wrapping_add),
        IntOp::Sub => r.binary(d, a, b, n, i32::wrapping_sub),
        IntOp::Mul => r.binary(d, a, b, n, i32::wrapping_mul),
        IntOp::Div => r.binary(d, a, b, n, |x: i32, y: i32| if y == 0 { 0 } else { x.wrapping_div(y) }),
        IntOp::Mod => r.binary(d, a, b, n, |x: i32, y: i32| if y == 0 { 0 } else { x.wrapping_rem(y) }),
        IntOp::DivUnsigned => r.binary(d, a, b, n, unsigned(|x, y| x.checked_div(y).unwrap_or(0))),
        IntOp::ModUnsigned => r.binary(d, a, b, n, unsigned(|x, y| x.checked_rem(y).unwrap_or(0))),
        IntOp::Max => r.binary(d, a, b, n, |x: i32, y: i32| x.max(y)),
        IntOp::MaxUnsigned => r.binary(d, a, b, n, unsigned(u32::max)),
        IntOp::Xor => r.binary(d, a, b, n, |x: i32, y: i32| x ^ y),
        IntOp::And => r.binary(d, a, b, n, |x: i32, y: i32| x & y),
        IntOp::Or => r.binary(d, a, b, n, |x: i32, y: i32| x | y),
    }
}

/// Division of words (none the smallest `i32`) by a positive constant.
fn divide_by(r: &mut Registers, program: &Program, op: &Op, remainder: bool, n: usize) {
    let Op { d, a, .. } = *op;
    let Some(&divisor) = program.divisors.get(op.extra as usize) else { return };
    let (value, factor, shift) = (divisor.value, divisor.factor, divisor.shift);
    let quotient = move |x: i32| {
        let magnitude = ((u64::from(x.unsigned_abs()) * factor) >> shift) as i32;
        if x < 0 { -magnitude } else { magnitude }
    };
    if value.count_ones() == 1 {
        // Towards zero: a negative dividend is rounded up.
        let (below, shift) = (value - 1, value.trailing_zeros());
        let quotient = move |x: i32| x.wrapping_add((x >> 31) & below) >> shift;
        if remainder {
            r.unary(d, a, n, |x: i32| x.wrapping_sub(quotient(x) << shift));
        } else {
            r.unary(d, a, n, quotient);
        }
    } else if remainder {
        r.unary(d, a, n, |x: i32| x.wrapping_sub(quotient(x).wrapping_mul(value)));
    } else {
        r.unary(d, a, n, quotient);
    }
}

fn compare(r: &mut Registers, comparison: Comparison, op: &Op, n: usize) {
    let Op { d, a, b, .. } = *op;
    match (comparison, op.bank) {
        (Comparison::Less, Bank::Word) => r.binary(d, a, b, n, |x: i32, y: i32| i32::from(x < y)),
        (Comparison::Less, Bank::Long) => r.binary(d, a, b, n, |x: i64, y: i64| i32::from(x < y)),
        (Comparison::LessUnsigned, Bank::Long) => {
            r.binary(d, a, b, n, |x: i64, y: i64| i32::from((x as u64) < y as u64));
        }
        (Comparison::LessUnsigned, _) => r.binary(d, a, b, n, |x: i32, y: i32| i32::from((x as u32) < y as u32)),
        (Comparison::Less, Bank::Single) => r.binary(d, a, b, n, |x: f32, y: f32| i32::from(x < y)),
        (Comparison::Less, Bank::Double) => r.binary(d, a, b, n, |x: f64, y: f64| i32::from(x < y)),
        (Comparison::Equal, Bank::Word) => r.binary(d, a, b, n, |x: i32, y: i32| i32::from(x == y)),
        (Comparison::Equal, Bank::Long) => r.binary(d, a, b, n, |x: i64, y: i64| i32::from(x == y)),
        (Comparison::Equal, Bank::Single) => r.binary(d, a, b, n, |x: f32, y: f32| i32::from(x == y)),
        (Comparison::Equal, Bank::Double) => r.binary(d, a, b, n, |x: f64, y: f64| i32::from(x == y)),
    }
}

fn mark_overflow(r: &mut Registers, operation: Option<IntOp>, scalar: Scalar, op: &Op, n: usize) {
    let Op { d, a, b, .. } = *op;
    let mark = op.uop as i32 + 1;
    let (low, high) = scalar.int_range().unwrap_or((i128::MIN, i128::MAX));
    let result = move |x: i128, y: i128| match operation {
        Some(IntOp::Add) => x + y,
        Some(IntOp::Sub) => x - y,
        Some(IntOp::Mul) => x.saturating_mul(y),
        Some(IntOp::Div) => x.checked_div(y).unwrap_or(0),
        _ => -x,
    };
    let check = move |x: i128, y: i128| if (low..=high).contains(&result(x, y)) { 0 } else { mark };
    // A negation has one operand.
    let b = if b == NONE { a } else { b };
    match scalar {
        Scalar::I64 => r.binary(d, a, b, n, |x: i64, y: i64| check(i128::from(x), i128::from(y))),
        _ => r.binary(d, a, b, n, |x: i32, y: i32| check(i128::from(x), i128::from(y))),
    }
}

/// IEEE 754-2019 `maximum`.
#[inline(always)]
fn maximum_f32(x: f32, y: f32) -> f32 {
    // Of equal numbers only the zeros differ in bits, and there `and` gives the positive one.
    let equal = f32::from_bits(x.to_bits() & y.to_bits());
    if x.is_nan() | y.is_nan() {
        f32::NAN
    } else if x > y {
        x
    } else if x < y {
        y
    } else {
        equal
    }
}

/// IEEE 754-2019 `maximum`.
#[inline(always)]
fn maximum_f64(x: f64, y: f64) -> f64 {
    let equal = f64::from_bits(x.to_bits() & y.to_bits());
    if x.is_nan() | y.is_nan() {
        f64::NAN
    } else if x > y {
        x
    } else if x < y {
        y
    } else {
        equal
    }
}
