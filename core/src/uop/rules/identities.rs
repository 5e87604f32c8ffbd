//! Identities of arithmetic. Those that hold for floats only where values are finite, or but for rounding and the sign
//! of zero, are rules of their own, so that they can be switched off together.

use super::Site;
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::Scalar;
use crate::uop::{UopId, evaluate_alu};

/// x + -y is x - y. Of bools, a sum is "or" and a difference is "either": not the same (known fault N17).
pub(super) fn add_negated(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_bool() && !site.altered {
        return None;
    }
    let [x, negated] = site.sources()?;
    let [y] = site.operands_of(negated, AluOp::Neg)?;
    Some(site.alu(AluOp::Sub, &[x, y]))
}

/// x + 0 is x; for floats only -0.0 leaves every x as it is.
pub(super) fn add_zero(site: &mut Site<'_>) -> Option<UopId> {
    let neutral = |site: &Site<'_>, y| match site.value(y) {
        Some(Constant::Float(value)) => value == 0.0 && value.is_sign_negative(),
        _ => site.is_zero(y),
    };
    let [x, _] = site.orders().into_iter().find(|&[_, y]| neutral(site, y))?;
    Some(x)
}

/// x + 0.0 is x, but for x = -0.0.
pub(super) fn add_zero_float(site: &mut Site<'_>) -> Option<UopId> {
    if !site.is_float() {
        return None;
    }
    let [x, _] = site.orders().into_iter().find(|&[_, y]| site.is_zero(y))?;
    Some(x)
}

/// x - 0 is x; for floats 0.0 leaves every x as it is, -0.0 does not.
pub(super) fn subtract_zero(site: &mut Site<'_>) -> Option<UopId> {
    let [x, y] = site.sources()?;
    let neutral = match site.value(y)? {
        Constant::Float(value) => value == 0.0 && value.is_sign_positive(),
        value => value.is_zero(),
    };
    neutral.then_some(x)
}

/// x - x is 0.
pub(super) fn subtract_self(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { None } else { zero_of_self(site) }
}

/// x - x is 0, but for x infinite or NaN.
pub(super) fn subtract_self_float(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { zero_of_self(site) } else { None }
}

fn zero_of_self(site: &mut Site<'_>) -> Option<UopId> {
    let [x, y] = site.sources()?;
    if x != y {
        return None;
    }
    if site.first_round && site.is_made_anew(x) {
        site.held_back = true;
        return None;
    }
    site.constant(Constant::Int(0))
}

/// x * -1 is -x.
pub(super) fn multiply_minus_one(site: &mut Site<'_>) -> Option<UopId> {
    let [x, _] = site.orders().into_iter().find(|&[_, y]| site.is_number(y, -1))?;
    Some(site.alu(AluOp::Neg, &[x]))
}

/// x * 1 is x.
pub(super) fn multiply_one(site: &mut Site<'_>) -> Option<UopId> {
    let [x, _] = site.orders().into_iter().find(|&[_, y]| site.is_number(y, 1))?;
    Some(x)
}

/// x * 0 is 0.
pub(super) fn multiply_zero(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { None } else { zero_operand(site) }
}

/// x * 0.0 is 0.0, but for x infinite, NaN or negative.
pub(super) fn multiply_zero_float(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { zero_operand(site) } else { None }
}

fn zero_operand(site: &mut Site<'_>) -> Option<UopId> {
    let [x, zero] = site.orders().into_iter().find(|&[_, y]| site.is_zero(y))?;
    Some(if site.altered { x } else { zero })
}

/// x / 1 is x.
pub(super) fn divide_one(site: &mut Site<'_>) -> Option<UopId> {
    let [x, y] = site.sources()?;
    site.is_number(y, 1).then_some(x)
}

/// x / -1 is -x.
pub(super) fn divide_minus_one(site: &mut Site<'_>) -> Option<UopId> {
    let [x, y] = site.sources()?;
    // An unsigned -1 is the largest number.
    if !site.is_number(y, -1) || site.scalar().is_some_and(Scalar::is_unsigned) {
        return None;
    }
    if site.altered {
        return Some(x);
    }
    Some(site.alu(AluOp::Neg, &[x]))
}

/// -(-x) is x.
pub(super) fn negate_twice(site: &mut Site<'_>) -> Option<UopId> {
    let [negated] = site.sources()?;
    let [x] = site.operands_of(negated, AluOp::Neg)?;
    Some(if site.altered { negated } else { x })
}

/// (x + a) + b is x + (a + b).
pub(super) fn add_twice(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { None } else { sum_of_sum(site) }
}

/// (x + a) + b is x + (a + b), but for rounding.
pub(super) fn add_twice_float(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { sum_of_sum(site) } else { None }
}

fn sum_of_sum(site: &mut Site<'_>) -> Option<UopId> {
    let (x, a, b) = site.orders().into_iter().find_map(|[sum, constant]| {
        let [x, y] = site.operands_of(sum, AluOp::Add)?;
        let b = site.value(constant)?;
        [(x, y), (y, x)].into_iter().find_map(|(x, y)| Some((x, site.value(y)?, b)))
    })?;
    let op = if site.altered { AluOp::Sub } else { AluOp::Add };
    sum_with(site, x, op, a, b)
}

/// (x - a) + b is x + (b - a). Of bools, a difference is "either": not so.
pub(super) fn subtract_then_add(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() || site.is_bool() { None } else { sum_of_difference(site) }
}

/// (x - a) + b is x + (b - a), but for rounding.
pub(super) fn subtract_then_add_float(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { sum_of_difference(site) } else { None }
}

fn sum_of_difference(site: &mut Site<'_>) -> Option<UopId> {
    let (x, a, b) = site.orders().into_iter().find_map(|[difference, constant]| {
        let [x, y] = site.operands_of(difference, AluOp::Sub)?;
        Some((x, site.value(y)?, site.value(constant)?))
    })?;
    let op = if site.altered { AluOp::Add } else { AluOp::Sub };
    sum_with(site, x, op, b, a)
}

/// x plus the constant that an operation on two others gives.
fn sum_with(site: &mut Site<'_>, x: UopId, op: AluOp, left: Constant, right: Constant) -> Option<UopId> {
    let dtype = site.dtype(x)?;
    let value = evaluate_alu(op, dtype, &[left, right])?;
    let constant = site.arena.constant(dtype, value);
    Some(site.alu(AluOp::Add, &[x, constant]))
}
