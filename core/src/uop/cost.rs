//! What a list costs: operations and bytes, each counted as often as its loops run.

use super::{Uop, UopArg, UopId, UopKind, UopList};
use crate::ast::AluOp;
use crate::dtype::DType;
use crate::symbolic::{Arena, Sint};

impl UopList {
    /// Operations and bytes moved by one work item (0.9.0's `flops_mem`), where they are numbers: `None` where a loop's
    /// length is symbolic, or a count leaves 64 bits.
    ///
    /// A matrix instruction of N×M×K counts 2·N·M·K shared by the 32 lanes of its warp.
    pub fn cost(&self, _arena: &mut Arena) -> Option<(i64, i64)> {
        let (mut operations, mut bytes, mut times) = (0i64, 0i64, 1i64);
        let mut outer = Vec::new();
        let add = |total: &mut i64, each: usize, times: i64| {
            *total = total.checked_add(i64::try_from(each).ok()?.checked_mul(times)?)?;
            Some(())
        };
        for uop in &self.uops {
            match (uop.kind, &uop.arg) {
                (UopKind::Range, _) => {
                    outer.push(times);
                    times = times.checked_mul(self.resolve(*uop.sources.get(1)?)?)?;
                }
                (UopKind::EndRange, _) => times = outer.pop()?,
                (UopKind::Alu, UopArg::Alu(AluOp::MulAcc)) => add(&mut operations, 2, times)?,
                (UopKind::Alu, _) => add(&mut operations, 1, times)?,
                (UopKind::Load, _) => add(&mut bytes, uop.dtype?.size(), times)?,
                (UopKind::Store, _) => add(&mut bytes, self.dtype_of(*uop.sources.get(2)?)?.size(), times)?,
                (UopKind::Wmma, UopArg::Wmma(wmma)) => {
                    let each = wmma.dims.iter().try_fold(2usize, |product, &dim| product.checked_mul(dim))? / 32;
                    add(&mut operations, each, times)?;
                }
                _ => {}
            }
        }
        Some((operations, bytes))
    }

    fn dtype_of(&self, position: UopId) -> Option<DType> {
        self.uops.get(position.index())?.dtype
    }

    /// The number that a loop's bound stands for: of an index, its largest value.
    fn resolve(&self, position: UopId) -> Option<i64> {
        // Bounds are small; a list that is made to be deep gives up instead of descending.
        self.resolve_within(position, 64)
    }

    fn resolve_within(&self, position: UopId, depth: u32) -> Option<i64> {
        let uop = self.uops.get(position.index())?;
        match (uop, &uop.arg) {
            (_, UopArg::Const(value)) => i64::try_from(value.as_int()?).ok(),
            (_, UopArg::Special { size: Sint::Int(size), .. }) => Some(size - 1),
            (Uop { sources, .. }, UopArg::Alu(op @ (AluOp::Add | AluOp::Mul))) => {
                let depth = depth.checked_sub(1)?;
                let (x, y) = (*sources.first()?, *sources.get(1)?);
                let (x, y) = (self.resolve_within(x, depth)?, self.resolve_within(y, depth)?);
                if *op == AluOp::Add { x.checked_add(y) } else { x.checked_mul(y) }
            }
            _ => None,
        }
    }
}
