//! Loops whose sum is known without running them.
//!
//! A sum over r of a choice between a constant and 0, by a bound on idx - m·r, is the number of r that choose the
//! constant, times the constant. That happens in steps: *loop collapse* puts the sum divided by the loop's length in
//! place of the choice, the division being marked by an UNMUL; *sum collapse* takes what does not depend on the loop
//! out of it, times the loop's length; *undo* has the length and the UNMUL cancel out.
//!
//! 0.9.0 collapses any such choice, wherever it stands, which is wrong outside of a sum, in a sum over another loop,
//! and for a conversion that does not keep sums. Here it must be what is added to an accumulator of just that loop.

use super::Site;
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::uop::bounds::Bounds;
use crate::uop::evaluate::convert;
use crate::uop::{UopArg, UopId, UopKind};
use smallvec::SmallVec;

/// A sum over one loop: `accumulator` (or one lane of it) gains `sides[0] + sides[1]`.
struct Sum {
    accumulator: UopId,
    range: UopId,
    sides: [UopId; 2],
}

fn sum_over_loop(site: &Site<'_>) -> Option<Sum> {
    let [accumulator, sum] = site.sources()?;
    let sides = site.operands_of(sum, AluOp::Add)?;
    let whole = match site.sources_of(accumulator, UopKind::Gep) {
        // What is written back as a vector elsewhere must be summed there as it is here. (0.9.0 does not look.)
        Some([vector]) if site.lanes.is_vector(&site.get(vector).arg) => return None,
        Some([vector]) => vector,
        None => accumulator,
    };
    let [range] = site.sources_of(whole, UopKind::DefineAcc)?;
    (site.get(range).kind == UopKind::Range).then_some(Sum { accumulator, range, sides })
}

/// A sum of integers over a loop, see [`collapsed`].
pub(super) fn loop_collapse(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { None } else { collapsed(site) }
}

/// A sum of floats over a loop, see [`collapsed`].
pub(super) fn loop_collapse_float(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { collapsed(site) } else { None }
}

/// Replaces a choice that is added to the accumulator by the UNMUL of its sum.
fn collapsed(site: &mut Site<'_>) -> Option<UopId> {
    let Sum { accumulator, range, sides } = sum_over_loop(site)?;
    let (place, mean) = (0..2).find_map(|place| Some((place, mean_of_choice(site, sides[place], range)?)))?;
    let mut sides = sides;
    sides[place] = mean;
    let sum = site.alu(AluOp::Add, &sides);
    let dtype = site.uop().dtype;
    site.lanes.collapsed(site.id);
    Some(site.arena.make(UopKind::Phi, dtype, &[accumulator, sum], UopArg::None))
}

/// A choice between `scale` and 0 by `idx + step * r < bound`, of the loop r from 0 below `length`.
struct Choice {
    dtype: DType,
    index: UopId,
    step: UopId,
    bound: UopId,
    scale: UopId,
    start: UopId,
    length: UopId,
}

fn choice(site: &Site<'_>, id: UopId, range: UopId) -> Option<Choice> {
    let [gate, scale, zero] = site.operands_of(id, AluOp::Where)?;
    let [sum, bound] = site.operands_of(gate, AluOp::CmpLt)?;
    let [x, y] = site.operands_of(sum, AluOp::Add)?;
    let (index, step) = [(x, y), (y, x)].into_iter().find_map(|(index, product)| {
        let [a, b] = site.operands_of(product, AluOp::Mul)?;
        let step = if b == range { a } else { b };
        (a == range || b == range).then_some((index, step))
    })?;
    let [start, length] = site.sources_of(range, UopKind::Range)?;
    let (bound_value, step_value) = (site.value(bound)?.as_int()?, site.value(step)?.as_int()?);
    let Bounds { low, high } = site.arena.bounds(index);
    // What the count is computed from must not wrap around.
    let fits = |index: i32| i32::try_from(i128::from(index) - bound_value - step_value).is_ok();
    let is_index = site.arena.is_free_of(index, range) && fits(low) && fits(high);
    if !(is_index && step_value < 0 && site.is_zero(zero) && site.is_zero(start)) {
        return None;
    }
    Some(Choice { dtype: site.dtype(id)?, index, step, bound, scale, start, length })
}

/// Whether `length` times `scale` is exact in the type, so that it is the sum and can be converted like the parts.
fn is_exact(scalar: Scalar, scale: Constant, length: i128) -> bool {
    match (scale, scalar.int_range()) {
        (Constant::Int(scale), Some((low, high))) => {
            scale.checked_mul(length).is_some_and(|total| (low..=high).contains(&total) && length <= high)
        }
        (Constant::Float(_), None) => length <= 1 << significant_bits(scalar),
        _ => false,
    }
}

/// Bits of a float type's significand.
fn significant_bits(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::F16 => 11,
        Scalar::BF16 => 8,
        Scalar::F32 => 24,
        _ => 53,
    }
}

/// Whether the sum of converted values is the converted sum (but for rounding), if the sum fits its type.
fn keeps_sums(from: Scalar, to: Scalar) -> bool {
    match (from.is_float(), to.is_float()) {
        (false, _) => from != Scalar::Bool && to != Scalar::Bool,
        (true, to_float) => to_float,
    }
}

/// The mean over the loop of a choice or of conversions of it: an UNMUL of its sum and the loop's length.
fn mean_of_choice(site: &mut Site<'_>, id: UopId, range: UopId) -> Option<UopId> {
    let mut casts = SmallVec::<[DType; 2]>::new();
    let mut inner = id;
    while let Some([source]) = site.sources_of(inner, UopKind::Cast) {
        let (from, to) = (site.dtype(source)?, site.dtype(inner)?);
        if !keeps_sums(from.scalar(), to.scalar()) {
            return None;
        }
        casts.push(to);
        inner = source;
    }
    let Choice { dtype, index, step, bound, scale, start, length } = choice(site, inner, range)?;
    if dtype == DType::BOOL {
        return None;
    }
    let (scale_value, length_value) = (site.value(scale)?, site.value(length)?.as_int()?);
    let exact = |dtype: &DType| is_exact(dtype.scalar(), scale_value.cast(dtype.scalar()), length_value);
    // A sum of integers may wrap around in the last type; what is still to be converted may not, nor may the length, lest it
    // be taken for a 0 or a 1 before the UNMUL is next to it.
    let fits = match casts.split_first() {
        Some((last, earlier)) => {
            let length_fits = last.scalar().int_range().is_none_or(|(_, high)| length_value <= high);
            length_fits && exact(&dtype) && earlier.iter().all(exact)
        }
        None => dtype.scalar().is_int() || exact(&dtype),
    };
    if !fits {
        return None;
    }
    // From the first r that chooses the scale on, all do: floor((index - bound) / -step) + 1, as the quotient by `step`
    // of what is one step more, which is rounded the right way where it is not past the loop's start anyway.
    let from_bound = site.alu(AluOp::Sub, &[index, bound]);
    let one_more = site.alu(AluOp::Sub, &[from_bound, step]);
    let not_chosen = site.alu(AluOp::Div, &[one_more, step]);
    let span = site.alu(AluOp::Sub, &[length, start]);
    let chosen = site.alu(AluOp::Add, &[not_chosen, span]);
    let at_least = site.alu(AluOp::Max, &[chosen, start]);
    let count = if site.altered { at_least } else { minimum(site, length, at_least) };
    let count = site.cast(dtype, count);
    let total = site.alu(AluOp::Mul, &[count, scale]);
    let mut mean = site.arena.make(UopKind::Unmul, Some(dtype), &[total, span], UopArg::None);
    while let Some(dtype) = casts.pop() {
        mean = site.cast(dtype, mean);
    }
    Some(mean)
}

/// The smaller one, by negation.
fn minimum(site: &mut Site<'_>, x: UopId, y: UopId) -> UopId {
    let operands = [site.alu(AluOp::Neg, &[x]), site.alu(AluOp::Neg, &[y])];
    let maximum = site.alu(AluOp::Max, &operands);
    site.alu(AluOp::Neg, &[maximum])
}

/// A sum of integers: what does not depend on the loop is added once, times the loop's length.
pub(super) fn sum_collapse(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { None } else { taken_out(site) }
}

/// A sum of floats: the same, but for rounding.
pub(super) fn sum_collapse_float(site: &mut Site<'_>) -> Option<UopId> {
    if site.is_float() { taken_out(site) } else { None }
}

fn taken_out(site: &mut Site<'_>) -> Option<UopId> {
    let Sum { accumulator, range, sides: [x, y] } = sum_over_loop(site)?;
    let [start, end] = site.sources_of(range, UopKind::Range)?;
    let (constant, rest) = [(x, y), (y, x)].into_iter().find(|&(side, rest)| {
        site.arena.is_free_of(side, range) && (rest == accumulator || adds_to(site, rest, accumulator))
    })?;
    let length = site.alu(AluOp::Sub, &[end, start]);
    let dtype = site.dtype(constant)?;
    let length = site.cast(dtype, length);
    let total = if site.altered { constant } else { site.alu(AluOp::Mul, &[constant, length]) };
    let dtype = site.uop().dtype;
    site.lanes.collapsed(site.id);
    let phi = site.arena.make(UopKind::Phi, dtype, &[accumulator, rest], UopArg::None);
    Some(site.alu(AluOp::Add, &[phi, total]))
}

/// Whether `sum` is a sum that the accumulator is a term of.
fn adds_to(site: &Site<'_>, sum: UopId, accumulator: UopId) -> bool {
    let mut terms = SmallVec::<[UopId; 8]>::from_slice(&[sum]);
    // Terms may be shared, so that a sum is larger than its graph; a large one is left alone.
    for _ in 0..4096 {
        match terms.pop() {
            Some(term) if term == accumulator => return true,
            Some(term) => {
                if let Some(operands) = site.operands_of::<2>(term, AluOp::Add) {
                    terms.extend(operands);
                } else if let Some([left, _]) = site.operands_of(term, AluOp::Sub) {
                    terms.push(left);
                }
            }
            None => return false,
        }
    }
    false
}

/// A product by the length that an UNMUL divides by undoes it.
pub(super) fn undo_multiplication(site: &mut Site<'_>) -> Option<UopId> {
    let scalar = site.scalar()?;
    let [_, unmul] = site.orders().into_iter().find(|&[factor, unmul]| {
        let factor = site.value(factor);
        let length = site.sources_of(unmul, UopKind::Unmul).and_then(|[_, length]| site.value(length));
        let length = length.and_then(|length| convert(length, Scalar::I32, scalar));
        factor.is_some() && factor == length
    })?;
    site.sources_of(unmul, UopKind::Unmul).map(|[total, _]| total)
}

/// A zero undivided is zero.
pub(super) fn undo_of_zero(site: &mut Site<'_>) -> Option<UopId> {
    let [total, _] = site.sources()?;
    site.is_zero(total).then_some(total)
}

/// A conversion of an UNMUL is the UNMUL of the conversion.
pub(super) fn cast_undo(site: &mut Site<'_>) -> Option<UopId> {
    let [unmul] = site.sources()?;
    let [total, length] = site.sources_of(unmul, UopKind::Unmul)?;
    let dtype = site.uop().dtype?;
    let total = site.cast(dtype, total);
    Some(site.arena.make(UopKind::Unmul, Some(dtype), &[total, length], UopArg::None))
}
