//! Comparisons, choices and maxima.

use super::Site;
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::symbolic::Sint;
use crate::uop::{UopArg, UopId};

/// Nothing is less than false.
pub(super) fn less_than_false(site: &mut Site<'_>) -> Option<UopId> {
    let [_, y] = site.sources()?;
    (site.value(y)? == Constant::Bool(false)).then_some(y)
}

/// True is less than nothing.
pub(super) fn true_less_than(site: &mut Site<'_>) -> Option<UopId> {
    let [x, _] = site.sources()?;
    if site.value(x)? == Constant::Bool(true) { site.constant(Constant::Bool(false)) } else { None }
}

/// -x < c is -c < x, for `i32`. Where -x wraps around, for the least x, the two differ, so that x must be known to be
/// larger; nor has -c a value for the least c.
pub(super) fn less_negated(site: &mut Site<'_>) -> Option<UopId> {
    let [negated, bound] = site.sources()?;
    let [x] = site.operands_of(negated, AluOp::Neg)?;
    let value = site.value(bound)?.as_int()?;
    let least = i32::MIN;
    if site.dtype(bound) != Some(DType::I32) || value == i128::from(least) || site.arena.bounds(x).low == least {
        return None;
    }
    let value = if site.altered { value } else { -value };
    let bound = site.arena.constant(DType::I32, Constant::Int(value));
    Some(site.alu(AluOp::CmpLt, &[bound, x]))
}

/// A choice between the same is that.
///
/// 0.9.0 finds the padding of a buffer of zeros equal to the zeros only from the second round on: see
/// [`objects`](crate::uop::objects).
pub(super) fn where_same(site: &mut Site<'_>) -> Option<UopId> {
    let [_, then, otherwise] = site.sources()?;
    if then != otherwise {
        return None;
    }
    if site.first_round && (site.is_zero(then) || site.is_made_anew(then)) {
        site.held_back = true;
        return None;
    }
    Some(then)
}

/// A choice by a constant is what it chooses.
pub(super) fn where_constant(site: &mut Site<'_>) -> Option<UopId> {
    let [gate, then, otherwise] = site.sources()?;
    let taken = !site.value(gate)?.is_zero();
    Some(if taken != site.altered { then } else { otherwise })
}

/// The larger one of an index and a constant that the index does not exceed is the constant.
pub(super) fn maximum_index(site: &mut Site<'_>) -> Option<UopId> {
    let altered = site.altered;
    let [constant, _] = site.orders().into_iter().find(|&[constant, index]| {
        let (Some(bound), UopArg::Special { size: Sint::Int(size), .. }) = (site.value(constant), &site.get(index).arg)
        else {
            return false;
        };
        let largest = i128::from(*size) - if altered { 2 } else { 1 };
        bound.as_int().is_some_and(|bound| largest <= bound)
    })?;
    Some(constant)
}

/// The larger one of x and the least `i32` is x.
pub(super) fn maximum_least_integer(site: &mut Site<'_>) -> Option<UopId> {
    let fits = match site.uop().dtype? {
        DType::Scalar(Scalar::I32) => true,
        dtype => site.altered && dtype.scalar().is_int(),
    };
    let least = Some(Constant::Int(i128::from(i32::MIN)));
    let [x, _] = site.orders().into_iter().find(|&[_, y]| site.value(y) == least)?;
    fits.then_some(x)
}
