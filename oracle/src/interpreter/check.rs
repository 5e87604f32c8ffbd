//! Whether each uop of a list has the sources, the type and the argument that its kind asks for.

use super::fault::Faults;
use crate::FindingKind;
use plumb_core::ast::AluOp;
use plumb_core::constant::Constant;
use plumb_core::dtype::{DType, Scalar};
use plumb_core::uop::{Uop, UopArg, UopKind, UopList};

/// Checks all uops; what is wrong goes to `faults`. Sources are known to come before.
pub(super) fn check(list: &UopList, faults: &mut Faults) {
    for (position, uop) in list.uops.iter().enumerate() {
        if let Err(what) = check_uop(list, uop) {
            faults.add(list, position as u32, FindingKind::Malformed, &format!(": {what}"));
        }
    }
}

/// The type of a source as a value: scalar or vector.
fn value(list: &UopList, uop: &Uop, n: usize) -> Result<DType, String> {
    match source(list, uop, n)?.dtype {
        Some(dtype @ (DType::Scalar(_) | DType::Vector(..))) => Ok(dtype),
        _ => Err(format!("source {n} is no value")),
    }
}

fn source<'a>(list: &'a UopList, uop: &Uop, n: usize) -> Result<&'a Uop, String> {
    let id = uop.sources.get(n).ok_or_else(|| format!("there is no source {n}"))?;
    list.uops.get(id.index()).ok_or_else(|| format!("there is no uop {}", id.0))
}

fn count(uop: &Uop, allowed: std::ops::RangeInclusive<usize>) -> Result<(), String> {
    if allowed.contains(&uop.sources.len()) {
        Ok(())
    } else {
        Err(format!("{} sources, not {} to {}", uop.sources.len(), allowed.start(), allowed.end()))
    }
}

fn same(what: &str, found: DType, expected: DType) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} is of type {found}, not {expected}")) }
}

/// A scalar integer or bool: an index, a gate, a bound.
fn integer(list: &UopList, uop: &Uop, n: usize, what: &str) -> Result<(), String> {
    match value(list, uop, n)? {
        DType::Scalar(scalar) if !scalar.is_float() => Ok(()),
        other => Err(format!("{what} is of type {other}, not an integer")),
    }
}

fn result(uop: &Uop) -> Result<DType, String> {
    match uop.dtype {
        Some(dtype @ (DType::Scalar(_) | DType::Vector(_, 2..=16))) => Ok(dtype),
        Some(dtype) => Err(format!("{dtype} is not the type of a value")),
        None => Err("has no type".to_owned()),
    }
}

fn nothing(uop: &Uop) -> Result<(), String> {
    match uop.dtype {
        None => Ok(()),
        Some(dtype) => Err(format!("has type {dtype} but no value")),
    }
}

fn constant(value: Constant, dtype: DType) -> Result<(), String> {
    let right = match value {
        Constant::Bool(_) => dtype.scalar() == Scalar::Bool,
        Constant::Int(_) => dtype.scalar().is_int(),
        Constant::Float(_) => dtype.is_float(),
    };
    if right { Ok(()) } else { Err(format!("the constant is not of type {dtype}")) }
}

fn check_uop(list: &UopList, uop: &Uop) -> Result<(), String> {
    let wrong_argument = || Err("its argument is of another kind".to_owned());
    match uop.kind {
        UopKind::Sink | UopKind::Noop | UopKind::Unmul => return Err("does not belong into a list".to_owned()),
        UopKind::DefineGlobal => {
            count(uop, 0..=0)?;
            if !matches!(uop.dtype, Some(DType::Pointer(_) | DType::Image(_))) {
                return Err("its type is neither pointer nor image".to_owned());
            }
            let UopArg::Global { .. } = uop.arg else { return wrong_argument() };
        }
        UopKind::DefineLocal => {
            count(uop, 0..=0)?;
            if !matches!(uop.dtype, Some(DType::Pointer(_))) {
                return Err("its type is no pointer".to_owned());
            }
            let UopArg::Local { .. } = uop.arg else { return wrong_argument() };
        }
        UopKind::DefineVar => {
            count(uop, 0..=0)?;
            same("it", result(uop)?, DType::I32)?;
            let UopArg::Var { .. } = uop.arg else { return wrong_argument() };
        }
        UopKind::DefineAcc => {
            let UopArg::Acc { init, .. } = uop.arg else { return wrong_argument() };
            constant(init, result(uop)?)?;
        }
        UopKind::Const => {
            count(uop, 0..=0)?;
            let UopArg::Const(value) = uop.arg else { return wrong_argument() };
            constant(value, result(uop)?)?;
        }
        UopKind::Special => {
            count(uop, 0..=0)?;
            same("it", result(uop)?, DType::I32)?;
            let UopArg::Special { dim: 0..=2, .. } = uop.arg else { return wrong_argument() };
        }
        UopKind::Gep => {
            count(uop, 1..=1)?;
            let vector = value(list, uop, 0)?;
            let UopArg::Lane(lane) = uop.arg else { return wrong_argument() };
            if lane >= u32::from(vector.lanes()) {
                return Err(format!("{vector} has no lane {lane}"));
            }
            same("it", result(uop)?, vector.vector(1))?;
        }
        UopKind::Cast => {
            let dtype = result(uop)?;
            if uop.sources.len() == 1 {
                let lanes = value(list, uop, 0)?.lanes();
                if lanes != dtype.lanes() {
                    return Err(format!("{lanes} lanes can't become {dtype}"));
                }
            } else {
                count(uop, usize::from(dtype.lanes())..=usize::from(dtype.lanes()))?;
                for n in 0..uop.sources.len() {
                    let lane = value(list, uop, n)?;
                    same("a lane", lane, lane.vector(1))?;
                }
            }
        }
        UopKind::Bitcast => {
            count(uop, 1..=1)?;
            let (from, to) = (value(list, uop, 0)?, result(uop)?);
            if from.lanes() != to.lanes() || from.scalar().size() != to.scalar().size() {
                return Err(format!("{from} and {to} differ in size"));
            }
        }
        UopKind::Alu => check_alu(list, uop)?,
        UopKind::Wmma => check_matrix(list, uop)?,
        UopKind::Load => check_load(list, uop)?,
        UopKind::Store => check_store(list, uop)?,
        UopKind::Phi => {
            count(uop, 2..=2)?;
            let accumulator = value(list, uop, 0)?;
            same("the new value", value(list, uop, 1)?, accumulator)?;
            same("it", result(uop)?, accumulator)?;
        }
        UopKind::Barrier => nothing(uop)?,
        UopKind::If => {
            nothing(uop)?;
            count(uop, 1..=2)?;
            integer(list, uop, 0, "the condition")?;
        }
        UopKind::Range => {
            count(uop, 2..=2)?;
            same("it", result(uop)?, DType::I32)?;
            same("the start", value(list, uop, 0)?, DType::I32)?;
            same("the end", value(list, uop, 1)?, DType::I32)?;
            let UopArg::Range { .. } = uop.arg else { return wrong_argument() };
        }
        UopKind::EndRange | UopKind::EndIf => {
            nothing(uop)?;
            count(uop, 1..=1)?;
            let opener = if uop.kind == UopKind::EndIf { UopKind::If } else { UopKind::Range };
            if source(list, uop, 0)?.kind != opener {
                return Err(format!("ends no {}", opener.name()));
            }
        }
    }
    Ok(())
}

fn check_alu(list: &UopList, uop: &Uop) -> Result<(), String> {
    let UopArg::Alu(op) = uop.arg else { return Err("its argument is no operation".to_owned()) };
    count(uop, op.arity()..=op.arity())?;
    let dtype = result(uop)?;
    let first = value(list, uop, 0)?;
    match op {
        AluOp::CmpLt | AluOp::CmpEq => {
            same("the second operand", value(list, uop, 1)?, first)?;
            same("it", dtype, DType::BOOL.vector(first.lanes()))?;
        }
        AluOp::Where => {
            same("the condition", first, DType::BOOL.vector(first.lanes()))?;
            if first.lanes() != 1 && first.lanes() != dtype.lanes() {
                return Err(format!("a condition of {} lanes for {dtype}", first.lanes()));
            }
            same("the second operand", value(list, uop, 1)?, dtype)?;
            same("the third operand", value(list, uop, 2)?, dtype)?;
        }
        _ => {
            for n in 0..op.arity() {
                same("an operand", value(list, uop, n)?, dtype)?;
            }
            if dtype.is_float() && matches!(op, AluOp::Mod | AluOp::Xor) {
                return Err(format!("{op} of {dtype}"));
            }
        }
    }
    Ok(())
}

/// Whether a list accesses an image by single channels.
pub(super) fn has_channel_access(list: &UopList) -> bool {
    list.uops.iter().any(|uop| {
        let pixel = match uop.kind {
            UopKind::Load => uop.dtype,
            UopKind::Store => source(list, uop, 2).ok().and_then(|value| value.dtype),
            _ => return false,
        };
        let image = source(list, uop, 0).is_ok_and(|memory| memory.dtype.is_some_and(DType::is_image));
        image && matches!(pixel, Some(DType::Scalar(_)))
    })
}

/// Whether a source orders memory accesses and carries no value.
pub(super) fn is_order(list: &UopList, uop: &Uop, n: usize) -> bool {
    source(list, uop, n).is_ok_and(|source| matches!(source.kind, UopKind::Barrier | UopKind::If))
}

fn check_memory(list: &UopList, uop: &Uop, dtype: DType) -> Result<(), String> {
    let memory = source(list, uop, 0)?;
    if !matches!(memory.kind, UopKind::DefineGlobal | UopKind::DefineLocal) {
        return Err("its first source is no memory".to_owned());
    }
    if memory.dtype.is_some_and(DType::is_image) {
        same("a pixel's address", value(list, uop, 1)?, DType::Vector(Scalar::I32, 2))?;
        same("a pixel", dtype, DType::Vector(Scalar::F32, 4))
    } else {
        integer(list, uop, 1, "the address")
    }
}

fn check_load(list: &UopList, uop: &Uop) -> Result<(), String> {
    let dtype = result(uop)?;
    let last = uop.sources.len().wrapping_sub(1);
    let operands = if is_order(list, uop, last) { last } else { uop.sources.len() };
    if operands != 2 && operands != 4 {
        return Err(format!("{operands} sources, not 2 or 4"));
    }
    check_memory(list, uop, dtype)?;
    if operands == 4 {
        integer(list, uop, 2, "the gate")?;
        same("the alternative", value(list, uop, 3)?, dtype)?;
    }
    Ok(())
}

fn check_store(list: &UopList, uop: &Uop) -> Result<(), String> {
    nothing(uop)?;
    count(uop, 3..=4)?;
    check_memory(list, uop, value(list, uop, 2)?)?;
    if uop.sources.len() == 4 {
        integer(list, uop, 3, "the gate")?;
    }
    if let UopArg::Global { output: false, .. } = source(list, uop, 0)?.arg {
        return Err("stores to an argument that is no output".to_owned());
    }
    Ok(())
}

fn check_matrix(list: &UopList, uop: &Uop) -> Result<(), String> {
    let UopArg::Wmma(wmma) = &uop.arg else { return Err("its argument is no matrix instruction".to_owned()) };
    count(uop, 3..=3)?;
    for (n, scalar) in [wmma.dtype_in, wmma.dtype_in, wmma.dtype_out].into_iter().enumerate() {
        let found = value(list, uop, n)?;
        if found.scalar() != scalar || usize::from(found.lanes()) != wmma.sizes[n] {
            return Err(format!("operand {n} is of type {found}, not {scalar} with {} lanes", wmma.sizes[n]));
        }
    }
    same("it", result(uop)?, value(list, uop, 2)?)
}
