//! The index arithmetic of a list of uops as forms: launch indices and loops as variables, integer arithmetic as C has it.

use super::forms::{Bounds, FormId, Forms, Overflow};
use super::gate::Gate;
use super::structure;
use plumb_core::ast::AluOp;
use plumb_core::constant::Constant;
use plumb_core::dtype::{DType, Scalar};
use plumb_core::linearize::Lowered;
use plumb_core::uop::{IndexName, UopArg, UopId, UopKind};
use rustc_hash::FxHashMap;

/// What a uop's value is, as far as indices are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An integer, a function of launch indices and loops.
    Integer(FormId),
    /// A condition on them.
    Condition(Gate),
    /// Something else.
    Other,
}

/// A launch index or a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Index {
    /// Of the launch.
    Launch(IndexName),
    /// A loop: depth and number within it.
    Loop(u32, u32),
}

/// A launch index or loop as it stands in the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    /// The uop.
    pub(super) uop: u32,
    /// Its values.
    pub(super) form: FormId,
    /// Its first value, and the one behind its last.
    pub(super) range: (i64, i64),
}

/// The index arithmetic of a list.
pub(super) struct Extracted {
    /// For each uop its value.
    pub(super) values: Vec<Value>,
    /// For each uop that is an integer its bounds.
    pub(super) intervals: Vec<Bounds>,
    /// The launch indices and loops.
    pub(super) indices: FxHashMap<Index, Definition>,
    /// For each uop the IFs that enclose it, as one condition; `None` where one of them is no condition on indices.
    pub(super) inside: Vec<Option<Gate>>,
}

/// Reads a list under these values of variables. `Err`: what can't be read.
pub(super) fn extract(
    forms: &mut Forms,
    lowered: &Lowered,
    bindings: &[(String, i64)],
) -> std::result::Result<Extracted, String> {
    let uops = &lowered.uops.uops;
    let mut extracted = Extracted {
        values: Vec::with_capacity(uops.len()),
        intervals: Vec::with_capacity(uops.len()),
        indices: FxHashMap::default(),
        inside: Vec::with_capacity(uops.len()),
    };
    let mut open: Vec<Option<Gate>> = vec![Some(Gate::default())];
    for (number, uop) in uops.iter().enumerate() {
        match uop.kind {
            UopKind::If => {
                let condition = uop.sources.first().and_then(|source| extracted.values.get(source.index()));
                let gate = match (condition, open.last()) {
                    (Some(Value::Condition(own)), Some(Some(outer))) => Some(own.and(forms, outer).map_err(leaves)?),
                    _ => None,
                };
                open.push(gate);
            }
            UopKind::EndIf => {
                open.pop();
            }
            _ => {}
        }
        extracted.inside.push(open.last().cloned().flatten());
        let value = match (uop.kind, &uop.arg) {
            (UopKind::Special, UopArg::Special { name, size, .. }) => {
                let size =
                    structure::value(&lowered.arena, *size, bindings).ok_or("a launch dimension without value")?;
                index(forms, &mut extracted, Index::Launch(*name), number, (0, size))?
            }
            (UopKind::Range, UopArg::Range { depth, number: place }) => {
                let bound = |place: usize| match extracted.values.get(uop.sources.get(place)?.index())? {
                    Value::Integer(form) => forms.number(*form),
                    _ => None,
                };
                let range = bound(0).zip(bound(1)).ok_or("a loop whose bounds depend on something")?;
                index(forms, &mut extracted, Index::Loop(*depth, *place), number, range)?
            }
            (UopKind::DefineVar, UopArg::Var { name, .. }) => {
                match bindings.iter().find(|(bound, _)| **bound == **name) {
                    Some(&(_, value)) => Value::Integer(forms.constant(value)),
                    None => Value::Other,
                }
            }
            (UopKind::Const, UopArg::Const(value)) => match (value, uop.dtype) {
                (Constant::Int(value), Some(DType::I32)) => match i64::try_from(*value) {
                    Ok(value) => Value::Integer(forms.constant(value)),
                    Err(_) => Value::Other,
                },
                (Constant::Bool(true), _) => Value::Condition(Gate::default()),
                (Constant::Bool(false), _) => Value::Condition(Gate::never()),
                _ => Value::Other,
            },
            (UopKind::Alu, UopArg::Alu(op)) => {
                let value = alu(forms, &extracted.values, *op, &uop.sources, uop.dtype).map_err(leaves)?;
                if let Value::Integer(form) = value {
                    let ends = |place: usize| match uop.sources.get(place).map(|source| source.index()) {
                        Some(source) if matches!(extracted.values[source], Value::Integer(_)) => {
                            Some(extracted.intervals[source])
                        }
                        _ => None,
                    };
                    let known = interval(*op, ends(0), ends(1));
                    let own = forms.bounds(form);
                    let known = known.map_or(own, |known| (known.0.max(own.0), known.1.min(own.1)));
                    forms.known_within(form, known);
                }
                value
            }
            _ => Value::Other,
        };
        extracted.intervals.push(match value {
            Value::Integer(form) => forms.bounds(form),
            _ => (0, 0),
        });
        extracted.values.push(value);
    }
    Ok(extracted)
}

fn leaves(_: Overflow) -> String {
    "index arithmetic that leaves 64 bits or divides by zero".to_owned()
}

fn index(
    forms: &mut Forms,
    extracted: &mut Extracted,
    name: Index,
    uop: usize,
    range: (i64, i64),
) -> std::result::Result<Value, String> {
    if range.0 >= range.1 {
        return Err("a loop or launch dimension without iterations".to_owned());
    }
    let form = forms.variable(&index_name(name), (range.0, range.1 - 1));
    let definition = Definition { uop: uop as u32, form, range };
    if extracted.indices.insert(name, definition).is_some() {
        return Err(format!("two definitions of {}", index_name(name)));
    }
    Ok(Value::Integer(form))
}

/// The name of an index, for people.
pub(super) fn index_name(index: Index) -> String {
    match index {
        Index::Launch(name) => name.to_string(),
        Index::Loop(depth, number) => match depth {
            1 => format!("loop{number}"),
            2 => format!("reduce{number}"),
            _ => format!("late{number}"),
        },
    }
}

fn alu(
    forms: &mut Forms,
    values: &[Value],
    op: AluOp,
    sources: &[UopId],
    dtype: Option<DType>,
) -> super::forms::Result<Value> {
    let source = |place: usize| sources.get(place).and_then(|source| values.get(source.index()));
    let integers = dtype == Some(DType::Scalar(Scalar::I32)) || op.is_comparison();
    let number = |forms: &Forms, form: FormId| forms.number(form);
    Ok(match (source(0), source(1)) {
        (Some(&Value::Integer(a)), None) if integers && op == AluOp::Neg => Value::Integer(forms.scale(a, -1)?),
        (Some(&Value::Integer(a)), Some(&Value::Integer(b))) if integers && sources.len() == 2 => match op {
            AluOp::Add => Value::Integer(forms.add(a, b)?),
            AluOp::Sub => Value::Integer(forms.sub(a, b)?),
            AluOp::Mul => match (number(forms, a), number(forms, b)) {
                (_, Some(factor)) => Value::Integer(forms.scale(a, factor)?),
                (Some(factor), _) => Value::Integer(forms.scale(b, factor)?),
                _ => Value::Other,
            },
            AluOp::Div | AluOp::Mod => match number(forms, b) {
                Some(divisor) if divisor != 0 => {
                    let quotient = forms.truncated_quotient(a, divisor)?;
                    let negated = divisor.checked_neg().ok_or(Overflow)?;
                    Value::Integer(match op {
                        AluOp::Div => quotient,
                        _ if divisor > 0 && forms.bounds(a).0 >= 0 => forms.remainder(a, divisor)?,
                        _ => forms.add_scaled(a, quotient, negated)?,
                    })
                }
                _ => Value::Other,
            },
            AluOp::CmpLt => {
                let difference = forms.sub(b, a)?;
                let difference = forms.offset(difference, -1)?;
                let mut gate = Gate::default();
                gate.require(forms, difference)?;
                Value::Condition(gate)
            }
            AluOp::CmpEq => {
                let difference = forms.sub(a, b)?;
                let contrary = forms.scale(difference, -1)?;
                let mut gate = Gate::default();
                gate.require(forms, difference)?;
                gate.require(forms, contrary)?;
                Value::Condition(gate)
            }
            _ => Value::Other,
        },
        (Some(Value::Condition(a)), Some(Value::Condition(b))) if op == AluOp::Mul => {
            Value::Condition(a.and(forms, b)?)
        }
        (Some(Value::Condition(a)), None) if op == AluOp::Neg => {
            a.negated(forms)?.map_or(Value::Other, Value::Condition)
        }
        _ => Value::Other,
    })
}

/// The bounds of a result by those of the operands.
fn interval(op: AluOp, a: Option<Bounds>, b: Option<Bounds>) -> Option<Bounds> {
    let a = a?;
    let corners = |f: &dyn Fn(i64, i64) -> i64, b: Bounds| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    match (op, b) {
        (AluOp::Add, Some(b)) => Some((a.0.saturating_add(b.0), a.1.saturating_add(b.1))),
        (AluOp::Sub, Some(b)) => Some((a.0.saturating_sub(b.1), a.1.saturating_sub(b.0))),
        (AluOp::Mul, Some(b)) => corners(&i64::saturating_mul, b),
        (AluOp::Div, Some(b)) if b.0 == b.1 && b.0 > 0 => Some((a.0 / b.0, a.1 / b.0)),
        (AluOp::Mod, Some(b)) if b.0 == b.1 && b.0 > 0 => {
            Some((if a.0 < 0 { 1 - b.0 } else { 0 }, if a.1 > 0 { b.0 - 1 } else { 0 }))
        }
        (AluOp::Neg, None) => Some((a.1.saturating_neg(), a.0.saturating_neg())),
        _ => None,
    }
}
