//! Which values of index arithmetic can't leave 32 bits, so that plain signed arithmetic says what they mean.
//!
//! Signed overflow is undefined in the languages that kernels are rendered in. Elsewhere sums and products are
//! computed unsigned; where the bounds are known, as for nearly all addresses, the text can stay as people write it.

use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::DType;
use crate::linearize::Lowered;
use crate::symbolic::Sint;
use crate::uop::{Uop, UopArg, UopKind};

/// Smallest and largest value.
type Range = (i64, i64);

/// For each uop of type `i32` its bounds, where they are known and fit.
pub(super) fn ranges(lowered: &Lowered) -> Vec<Option<Range>> {
    let mut ranges: Vec<Option<Range>> = Vec::with_capacity(lowered.uops.uops.len());
    for uop in &lowered.uops.uops {
        let range = range(lowered, uop, &ranges);
        ranges.push(range.filter(|&(low, high)| {
            uop.dtype == Some(DType::I32) && low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX)
        }));
    }
    ranges
}

fn range(lowered: &Lowered, uop: &Uop, known: &[Option<Range>]) -> Option<Range> {
    let source = |n: usize| -> Option<Range> { *known.get(uop.sources.get(n)?.index())? };
    match (uop.kind, &uop.arg) {
        (UopKind::Const, UopArg::Const(Constant::Int(value))) => {
            let value = Constant::Int(*value).cast(uop.dtype?.scalar()).as_int()?;
            let value = i64::try_from(value).ok()?;
            Some((value, value))
        }
        (UopKind::DefineVar, &UopArg::Var { min, max, .. }) => Some((min, max)),
        (UopKind::Special, &UopArg::Special { size, .. }) => match size {
            Sint::Int(size) => Some((0, size.checked_sub(1)?)),
            Sint::Node(node) => Some((0, lowered.arena.max_int(node).checked_sub(1)?)),
        },
        (UopKind::Range, _) => Some((source(0)?.0, source(1)?.1.checked_sub(1)?)),
        (UopKind::Alu, UopArg::Alu(op)) => alu(*op, source(0), source(1), source(2)),
        _ => None,
    }
}

fn alu(op: AluOp, a: Option<Range>, b: Option<Range>, c: Option<Range>) -> Option<Range> {
    Some(match op {
        AluOp::Add => (a?.0.checked_add(b?.0)?, a?.1.checked_add(b?.1)?),
        AluOp::Sub => (a?.0.checked_sub(b?.1)?, a?.1.checked_sub(b?.0)?),
        AluOp::Mul => corners(a?, b?)?,
        AluOp::MulAcc => alu(AluOp::Add, corners(a?, b?), c, None)?,
        AluOp::Neg => (a?.1.checked_neg()?, a?.0.checked_neg()?),
        AluOp::Max => (a?.0.max(b?.0), a?.1.max(b?.1)),
        AluOp::Where => (b?.0.min(c?.0), b?.1.max(c?.1)),
        // Towards zero, by a positive number: monotonic.
        AluOp::Div if b?.0 > 0 => {
            let corners = [a?.0 / b?.0, a?.0 / b?.1, a?.1 / b?.0, a?.1 / b?.1];
            (*corners.iter().min()?, *corners.iter().max()?)
        }
        AluOp::Mod if b?.0 > 0 => {
            let most = b?.1 - 1;
            (a?.0.clamp(-most, 0), a?.1.clamp(0, most))
        }
        _ => return None,
    })
}

fn corners(a: Range, b: Range) -> Option<Range> {
    let corners = [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
    Some((*corners.iter().min()?, *corners.iter().max()?))
}
