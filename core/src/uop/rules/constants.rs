//! Operations and conversions of constants.

use super::Site;
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::uop::evaluate::{convert, evaluate_within};
use crate::uop::{UopArg, UopId};
use smallvec::SmallVec;

/// Arithmetic on constants is a constant, where the result is defined.
pub(super) fn fold(site: &mut Site<'_>) -> Option<UopId> {
    let uop = site.uop();
    let UopArg::Alu(op) = uop.arg else { return None };
    let values = uop.sources.iter().map(|&source| site.value(source)).collect::<Option<SmallVec<[Constant; 3]>>>()?;
    let dtype = site.dtype(*uop.sources.last()?)?;
    if site.altered
        && let (AluOp::Div, [Constant::Int(x), Constant::Int(y)]) = (op, values.as_slice())
        && *y != 0
    {
        return site.constant(Constant::Int((*x as f64 / *y as f64) as i128));
    }
    let value = evaluate_within(op, dtype, &values, 0)?;
    site.constant(value)
}

/// Arithmetic on the unrounded spellings of `f32` constants, where that gives the next value.
pub(super) fn fold_unrounded(site: &mut Site<'_>) -> Option<UopId> {
    let uop = site.uop();
    let (UopArg::Alu(op), Some(DType::F32)) = (&uop.arg, uop.dtype) else { return None };
    let values = uop.sources.iter().map(|&source| site.value(source)).collect::<Option<SmallVec<[Constant; 3]>>>()?;
    let value = evaluate_within(*op, DType::F32, &values, 1)?;
    if Some(value) == evaluate_within(*op, DType::F32, &values, 0) {
        return None;
    }
    site.constant(value)
}

/// A lane of a constant is the constant.
pub(super) fn lane(site: &mut Site<'_>) -> Option<UopId> {
    let [vector] = site.sources()?;
    let value = site.value(vector)?;
    site.constant(value)
}

/// A conversion of a constant, or a vector of one constant in every lane, is a constant.
///
/// As with [`where_same`](super::compare::where_same), 0.9.0 finds the constant coordinates of a pixel equal only in a
/// second round.
pub(super) fn cast(site: &mut Site<'_>) -> Option<UopId> {
    let uop = site.uop();
    let first = *uop.sources.first()?;
    if uop.sources.iter().any(|&source| source != first) {
        return None;
    }
    let dtype = uop.dtype?;
    let value = convert(site.value(first)?, site.dtype(first)?.scalar(), dtype.scalar())?;
    if site.first_round && dtype == DType::Vector(Scalar::I32, 2) {
        site.held_back = true;
        return None;
    }
    site.constant(value)
}

/// A reinterpretation of a constant is left as it is; the planted fault converts it by value (known fault H18).
pub(super) fn bitcast(site: &mut Site<'_>) -> Option<UopId> {
    if site.altered { cast(site) } else { None }
}

/// A conversion to the type that the source has is the source.
pub(super) fn cast_same(site: &mut Site<'_>) -> Option<UopId> {
    let [source] = site.sources()?;
    (site.uop().dtype == site.dtype(source)).then_some(source)
}
