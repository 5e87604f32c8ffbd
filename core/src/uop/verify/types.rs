//! Whether a uop, what it carries and its sources fit each other.

use super::Broken;
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::uop::text::DTypeText;
use crate::uop::{Uop, UopArg, UopId, UopKind, UopList};
use std::ops::RangeInclusive;

/// How many sources a uop has; `None` where that depends on its type.
fn arity(kind: UopKind, arg: &UopArg) -> Option<RangeInclusive<usize>> {
    Some(match kind {
        UopKind::DefineGlobal | UopKind::DefineVar | UopKind::DefineLocal | UopKind::Const | UopKind::Special => 0..=0,
        UopKind::Gep | UopKind::Bitcast | UopKind::EndRange | UopKind::EndIf => 1..=1,
        UopKind::Phi | UopKind::If | UopKind::Range => 2..=2,
        UopKind::Wmma => 3..=3,
        UopKind::Load => 2..=5,
        UopKind::Store => 3..=4,
        UopKind::Alu => match arg {
            UopArg::Alu(op) => op.arity()..=op.arity(),
            _ => return None,
        },
        UopKind::DefineAcc | UopKind::Barrier | UopKind::Cast => return None,
        UopKind::Sink | UopKind::Noop | UopKind::Unmul => return None,
    })
}

/// Whether the kind of a uop has such an argument.
fn carries(kind: UopKind, arg: &UopArg) -> bool {
    match kind {
        UopKind::Alu => matches!(arg, UopArg::Alu(_)),
        UopKind::Const => matches!(arg, UopArg::Const(_)),
        UopKind::DefineGlobal => matches!(arg, UopArg::Global { .. }),
        UopKind::DefineLocal => matches!(arg, UopArg::Local { .. }),
        UopKind::DefineVar => matches!(arg, UopArg::Var { .. }),
        UopKind::DefineAcc => matches!(arg, UopArg::Acc { .. }),
        UopKind::Special => matches!(arg, UopArg::Special { .. }),
        UopKind::Range => matches!(arg, UopArg::Range { .. }),
        UopKind::Gep => matches!(arg, UopArg::Lane(_)),
        UopKind::Wmma => matches!(arg, UopArg::Wmma(_)),
        _ => *arg == UopArg::None,
    }
}

/// Whether a constant is of the kind of values that a type has.
fn is_of(value: Constant, dtype: DType) -> bool {
    match value {
        Constant::Bool(_) => dtype.scalar() == Scalar::Bool,
        Constant::Int(_) => dtype.scalar().is_int(),
        Constant::Float(_) => dtype.scalar().is_float(),
    }
}

fn shown(dtype: Option<DType>) -> String {
    DTypeText(dtype).to_string()
}

fn fail(reason: String) -> Result<(), Broken> {
    Err(Broken::Type(reason))
}

/// Checks one uop.
pub(super) fn check(list: &UopList, uop: &Uop) -> Result<(), Broken> {
    if let Some(source) = uop.sources.iter().find(|source| source.index() >= list.uops.len()) {
        return Err(Broken::Order(format!("its source {} is not in the list", source.0)));
    }
    if !carries(uop.kind, &uop.arg) {
        return fail("its kind has another argument".into());
    }
    let found = uop.sources.len();
    if let Some(expected) = arity(uop.kind, &uop.arg)
        && !expected.contains(&found)
    {
        return fail(format!("it has {found} sources instead of {} to {}", expected.start(), expected.end()));
    }
    let of = |id: UopId| list.uops[id.index()].dtype;
    match (uop.kind, &uop.arg, uop.dtype) {
        (UopKind::Const, UopArg::Const(value), dtype)
        | (UopKind::DefineAcc, UopArg::Acc { init: value, .. }, dtype) => match dtype {
            Some(dtype) if is_of(*value, dtype) => Ok(()),
            _ => fail(format!("the value is no {}", shown(dtype))),
        },
        (UopKind::Cast, _, Some(dtype)) if found != 1 => {
            let lane = Some(DType::Scalar(dtype.scalar()));
            if found != usize::from(dtype.lanes()) {
                return fail(format!("{found} lanes make no {dtype}"));
            }
            same(list, &uop.sources, lane)
        }
        (UopKind::Bitcast, _, Some(dtype)) if of(uop.sources[0]).is_some_and(|from| from.size() == dtype.size()) => {
            Ok(())
        }
        (UopKind::Cast, _, Some(_)) => Ok(()),
        (UopKind::Cast | UopKind::Bitcast, _, dtype) => {
            fail(format!("{} can't become {}", shown(uop.sources.first().and_then(|&id| of(id))), shown(dtype)))
        }
        (UopKind::Gep, &UopArg::Lane(lane), dtype) => match of(uop.sources[0]) {
            Some(vector) if lane < u32::from(vector.lanes()) && dtype == Some(DType::Scalar(vector.scalar())) => Ok(()),
            vector => fail(format!("lane {lane} of {} is no {}", shown(vector), shown(dtype))),
        },
        (UopKind::Phi, ..) => same(list, &uop.sources, uop.dtype),
        (UopKind::Alu, &UopArg::Alu(op), dtype) if op.is_comparison() => {
            if dtype != Some(DType::BOOL) {
                return fail(format!("a comparison is {} instead of bool", shown(dtype)));
            }
            same(list, &uop.sources[1..], of(uop.sources[0]))
        }
        (UopKind::Alu, UopArg::Alu(AluOp::Where), dtype) => {
            same(list, &uop.sources[..1], Some(DType::BOOL))?;
            same(list, &uop.sources[1..], dtype)
        }
        (UopKind::Alu, _, dtype) => same(list, &uop.sources, dtype),
        _ => Ok(()),
    }
}

/// Whether all sources are of the type.
fn same(list: &UopList, sources: &[UopId], expected: Option<DType>) -> Result<(), Broken> {
    match sources.iter().find(|id| list.uops[id.index()].dtype != expected) {
        Some(id) => {
            let found = shown(list.uops[id.index()].dtype);
            fail(format!("source {} is {found} instead of {}", id.0, shown(expected)))
        }
        None => Ok(()),
    }
}
