//! Parsing of steps: `%2 = mul %0 %1`, `store f32 buf0 (4,1) %3`.

use super::ParseError;
use super::layout::{self, items};
use super::parse::Place;
use crate::case::{MAX_AXES, Step, Value, Variable, constant_of_kind};
use crate::scan::Scanner;
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::constant::Constant;
use plumb_core::dtype::{Channel, DType, Image, Scalar};
use rustc_hash::FxHashMap;

/// The steps read so far, by name.
#[derive(Default)]
pub(super) struct Steps<'a> {
    pub(super) steps: Vec<Step>,
    pub(super) places: Vec<Place>,
    names: Vec<&'a str>,
    by_name: FxHashMap<&'a str, usize>,
}

impl Steps<'_> {
    /// What the text calls step `number`.
    pub(super) fn name(&self, number: usize) -> String {
        match self.names.get(number) {
            Some(name) if !name.is_empty() => format!("%{name}"),
            _ => "the store".to_owned(),
        }
    }
}

/// Reads one step.
pub(super) fn read<'a>(
    scanner: &mut Scanner<'a>,
    steps: &mut Steps<'a>,
    variables: &[Variable],
) -> Result<(), ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    let (name, step) = if scanner.eat_word("store") {
        let dtype = dtype(scanner)?;
        let buffer = buffer(scanner)?;
        let layout = layout::layout(scanner, variables)?;
        let source = operand(scanner, steps)?;
        ("", Step::Store { buffer, dtype, layout, source })
    } else if scanner.peek() == Some(b'%') {
        let name = step_name(scanner)?;
        if steps.by_name.contains_key(name) {
            return Err(scanner.error_since(start, format!("a second step %{name}")));
        }
        scanner.expect("=")?;
        let step = value(scanner, steps, variables)?;
        steps.by_name.insert(name, steps.steps.len());
        (name, step)
    } else {
        let what = "a statement: `target`, `var`, `%… =`, `store`, `opts`, `data` or `expect`";
        return Err(scanner.expected(what));
    };
    steps.names.push(name);
    steps.places.push(Place::since(scanner, start));
    steps.steps.push(step);
    Ok(())
}

/// What stands after `%… =`.
fn value<'a>(scanner: &mut Scanner<'a>, steps: &Steps<'a>, variables: &[Variable]) -> Result<Step, ParseError> {
    let word = scanner.peek_word();
    let op = AluOp::ALL.into_iter().find(|op| op.name().eq_ignore_ascii_case(word) && op.name() != word);
    if op.is_none() && !matches!(word, "load" | "const" | "cast" | "bitcast" | "sum") {
        return Err(scanner.expected("`load`, `const`, `cast`, `bitcast`, `sum`, `max` or another operation"));
    }
    scanner.advance(word.len());
    match (word, op) {
        ("load", _) => {
            let dtype = dtype(scanner)?;
            let buffer = buffer(scanner)?;
            Ok(Step::Load { buffer, dtype, layout: layout::layout(scanner, variables)? })
        }
        ("const", _) => {
            let dtype = dtype(scanner)?;
            let value = constant(scanner, dtype, variables)?;
            Ok(Step::Constant { value, dtype, layout: layout::layout(scanner, variables)? })
        }
        ("cast", _) => Ok(Step::Cast(dtype(scanner)?, operand(scanner, steps)?)),
        ("bitcast", _) => Ok(Step::Bitcast(dtype(scanner)?, operand(scanner, steps)?)),
        ("max", _) => {
            let first = operand(scanner, steps)?;
            if scanner.eat_word("axis") {
                Ok(Step::Reduce(ReduceOp::Max, first, axes(scanner)?))
            } else if scanner.peek() == Some(b'%') {
                Ok(Step::Alu(AluOp::Max, vec![first, operand(scanner, steps)?]))
            } else {
                Err(scanner.expected("`axis(…)` (the largest along axes) or a second operand (the larger of two)"))
            }
        }
        (_, Some(op)) => {
            let operands = (0..op.arity()).map(|_| operand(scanner, steps)).collect::<Result<_, _>>()?;
            Ok(Step::Alu(op, operands))
        }
        (_, None) => {
            let source = operand(scanner, steps)?;
            scanner.expect("axis")?;
            Ok(Step::Reduce(ReduceOp::Sum, source, axes(scanner)?))
        }
    }
}

/// `%name`, without the sign.
fn step_name<'a>(scanner: &mut Scanner<'a>) -> Result<&'a str, ParseError> {
    scanner.expect("%")?;
    let rest = scanner.rest();
    let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    match rest.get(..length) {
        Some(name) if !name.is_empty() => {
            scanner.advance(length);
            Ok(name)
        }
        _ => Err(scanner.expected("a step's number or name after `%`")),
    }
}

fn operand<'a>(scanner: &mut Scanner<'a>, steps: &Steps<'a>) -> Result<usize, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    if scanner.peek() != Some(b'%') {
        return Err(scanner.expected("an operand such as `%0`"));
    }
    let name = step_name(scanner)?;
    let known = steps.by_name.get(name).copied();
    known.ok_or_else(|| scanner.error_since(start, format!("there is no earlier step %{name}")))
}

fn axes(scanner: &mut Scanner<'_>) -> Result<Vec<usize>, ParseError> {
    scanner.expect("(")?;
    items(scanner, MAX_AXES, |scanner| Ok(scanner.natural("an axis", MAX_AXES as u64)? as usize))
}

/// `buf1`
fn buffer(scanner: &mut Scanner<'_>) -> Result<u32, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    let word = scanner.word().unwrap_or("");
    match word.strip_prefix("buf").map(str::parse) {
        Some(Ok(number)) => Ok(number),
        _ => {
            scanner.go_to(start);
            Err(scanner.expected("a buffer such as `buf1`"))
        }
    }
}

/// `f32`, `imageh[8,16,4]`
fn dtype(scanner: &mut Scanner<'_>) -> Result<DType, ParseError> {
    let word = scanner.peek_word();
    let channel = match word {
        "imageh" => Channel::Half,
        "imagef" => Channel::Float,
        _ => {
            let Some(scalar) = Scalar::from_name(word) else {
                let names: Vec<&str> = Scalar::ALL.iter().map(|scalar| scalar.name()).collect();
                return Err(scanner.expected(&format!("a dtype: {}, imageh[…] or imagef[…]", names.join(", "))));
            };
            scanner.advance(word.len());
            return Ok(DType::Scalar(scalar));
        }
    };
    scanner.advance(word.len());
    scanner.expect("[")?;
    let height = scanner.natural("the image's height", u64::from(u32::MAX))? as u32;
    scanner.expect(",")?;
    let width = scanner.natural("the image's width", u64::from(u32::MAX))? as u32;
    scanner.expect(",")?;
    scanner.expect("4")?;
    scanner.expect("]")?;
    Ok(DType::Image(Image { channel, height, width }))
}

/// A constant that is one of `dtype`, or a variable.
fn constant(scanner: &mut Scanner<'_>, dtype: DType, variables: &[Variable]) -> Result<Value, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    let word = scanner.peek_word();
    if variables.iter().any(|variable| variable.name == word) {
        scanner.advance(word.len());
        return Ok(Value::Variable(word.to_owned()));
    }
    if scanner.peek() == Some(b'(') {
        return Err(scanner.expected(&format!("a constant of {dtype}, or a variable")));
    }
    let given = scanner.constant()?;
    // `1` may stand for 1.0; but 1.5 is no integer, and 2 no truth value.
    let exact = match (given, constant_of_kind(given, dtype.scalar())) {
        (Constant::Float(_), Some(Constant::Int(_) | Constant::Bool(_))) => None,
        (Constant::Int(_), Some(Constant::Bool(_))) => None,
        (Constant::Bool(_), Some(Constant::Int(_) | Constant::Float(_))) => None,
        (_, converted) => converted,
    };
    let exact = exact.map(Value::Constant);
    exact.ok_or_else(|| scanner.error_since(start, format!("expected a constant of {dtype}")))
}
