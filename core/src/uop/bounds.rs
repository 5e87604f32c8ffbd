//! Bounds of `i32` values, from indices up: what a rule needs that is right only where nothing wraps around.

use super::{Uop, UopArg, UopId, UopKind};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::DType;
use crate::symbolic::Sint;

/// The smallest and the largest value that an `i32` may have, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: i32,
    pub(super) high: i32,
}

impl Default for Bounds {
    /// Any value: so it is with what memory holds, with accumulators, and with what may wrap around.
    fn default() -> Bounds {
        Bounds { low: i32::MIN, high: i32::MAX }
    }
}

impl Bounds {
    /// From `low` to `high`, unless some of that is no `i32`, or it is nothing.
    fn new(low: i64, high: i64) -> Option<Bounds> {
        let (low, high) = (i32::try_from(low).ok()?, i32::try_from(high).ok()?);
        (low <= high).then_some(Bounds { low, high })
    }

    /// The bounds of a uop, given those of its sources. Types other than `i32` have none.
    pub(super) fn of(uop: &Uop, of: impl Fn(UopId) -> Bounds) -> Bounds {
        if uop.dtype != Some(DType::I32) {
            return Bounds::default();
        }
        Bounds::known(uop, |place| uop.sources.get(place).map_or_else(Bounds::default, |&id| of(id)))
            .unwrap_or_default()
    }

    fn known(uop: &Uop, source: impl Fn(usize) -> Bounds) -> Option<Bounds> {
        let wide = |place| {
            let Bounds { low, high } = source(place);
            (i64::from(low), i64::from(high))
        };
        match (uop.kind, &uop.arg) {
            (UopKind::Const, UopArg::Const(Constant::Int(value))) => {
                let value = i64::try_from(*value).ok()?;
                Bounds::new(value, value)
            }
            (UopKind::Special, UopArg::Special { size: Sint::Int(size), .. }) => Bounds::new(0, size.checked_sub(1)?),
            (UopKind::Special, _) => Bounds::new(0, i32::MAX.into()),
            (UopKind::DefineVar, UopArg::Var { min, max, .. }) => Bounds::new(*min, *max),
            (UopKind::Range, _) => Bounds::new(wide(0).0, wide(1).1 - 1),
            (UopKind::Alu, UopArg::Alu(op)) => {
                let ((a, b), (c, d)) = (wide(0), wide(1));
                match op {
                    AluOp::Neg => Bounds::new(-b, -a),
                    AluOp::Add => Bounds::new(a + c, b + d),
                    AluOp::Sub => Bounds::new(a - d, b - c),
                    AluOp::Mul => {
                        let products = [a * c, a * d, b * c, b * d];
                        Bounds::new(*products.iter().min()?, *products.iter().max()?)
                    }
                    // Towards zero, so that it is monotonous; by one number that is not zero.
                    AluOp::Div if c == d && c != 0 => Bounds::new((a / c).min(b / c), (a / c).max(b / c)),
                    AluOp::Mod if c == d && c != 0 => {
                        let most = c.abs() - 1;
                        Bounds::new(a.clamp(-most, 0), b.clamp(0, most))
                    }
                    AluOp::Max => Bounds::new(a.max(c), b.max(d)),
                    AluOp::Where => {
                        let (e, f) = wide(2);
                        Bounds::new(c.min(e), d.max(f))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
