//! What a list costs: operations and bytes, each counted as often as its loops run.

use super::{UopArg, UopId, UopKind, UopList};
use crate::ast::AluOp;
use crate::symbolic::{Arena, Sint, SymbolicError};

impl UopList {
    /// Operations and bytes moved by one work item (0.9.0's `flops_mem`); symbolic where the length of a loop is. `None`
    /// where the length of a loop is no sum or product of numbers, variables and indices of the launch.
    ///
    /// A matrix instruction of N×M×K counts 2·N·M·K shared by the 32 lanes of its warp.
    ///
    /// # Errors
    /// Where a count does not fit in 64 bits.
    pub fn cost(&self, arena: &mut Arena) -> Result<Option<(Sint, Sint)>, SymbolicError> {
        let (mut operations, mut bytes, mut times) = (Sint::Int(0), Sint::Int(0), Sint::Int(1));
        let mut outer = Vec::new();
        let bytes_of = |position: Option<&UopId>| {
            let dtype = position.and_then(|&position| self.uops.get(position.index())).and_then(|uop| uop.dtype);
            dtype.map_or(0, |dtype| dtype.size())
        };
        for (position, uop) in self.uops.iter().enumerate() {
            let (total, each) = match (uop.kind, &uop.arg) {
                (UopKind::Range, _) => {
                    outer.push(times);
                    let Some(&end) = uop.sources.get(1) else { return Ok(None) };
                    let Some(end) = self.resolve(end, arena, DEEPEST)? else { return Ok(None) };
                    times = arena.sint_mul(times, end)?;
                    continue;
                }
                (UopKind::EndRange, _) => {
                    let Some(before) = outer.pop() else { return Ok(None) };
                    times = before;
                    continue;
                }
                (UopKind::Alu, UopArg::Alu(AluOp::MulAcc)) => (&mut operations, 2),
                (UopKind::Alu, _) => (&mut operations, 1),
                (UopKind::Load, _) => (&mut bytes, bytes_of(Some(&UopId(position as u32)))),
                (UopKind::Store, _) => (&mut bytes, bytes_of(uop.sources.get(2))),
                (UopKind::Wmma, UopArg::Wmma(wmma)) => {
                    let multiplied = wmma.dims.iter().try_fold(2usize, |product, &dim| product.checked_mul(dim));
                    (&mut operations, multiplied.unwrap_or(usize::MAX) / 32)
                }
                _ => continue,
            };
            let each = arena.sint_mul(times, Sint::Int(i64::try_from(each).unwrap_or(i64::MAX)))?;
            *total = arena.sint_add(*total, each)?;
        }
        Ok(Some((operations, bytes)))
    }

    /// What a loop's bound stands for: of an index of the launch, its largest value.
    fn resolve(&self, position: UopId, arena: &mut Arena, depth: u32) -> Result<Option<Sint>, SymbolicError> {
        let Some(uop) = self.uops.get(position.index()) else { return Ok(None) };
        Ok(match &uop.arg {
            UopArg::Const(value) => value.as_int().and_then(|value| i64::try_from(value).ok()).map(Sint::Int),
            UopArg::Special { size, .. } => Some(arena.sint_sub(*size, Sint::Int(1))?),
            UopArg::Var { name, min, max } => {
                let variable = arena.variable(name, *min, Sint::Int(*max), None)?;
                Some(arena.lower(variable))
            }
            UopArg::Alu(op @ (AluOp::Add | AluOp::Mul)) => {
                let (&[a, b], Some(depth)) = (&uop.sources[..], depth.checked_sub(1)) else { return Ok(None) };
                match (self.resolve(a, arena, depth)?, self.resolve(b, arena, depth)?) {
                    (Some(a), Some(b)) if *op == AluOp::Add => Some(arena.sint_add(a, b)?),
                    (Some(a), Some(b)) => Some(arena.sint_mul(a, b)?),
                    _ => None,
                }
            }
            _ => None,
        })
    }
}

/// Bounds are small; a list that is made to be deep gives up instead of descending.
const DEEPEST: u32 = 16;
