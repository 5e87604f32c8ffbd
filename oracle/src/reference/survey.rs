//! How many steps of a kernel may leave what floats and integers can say, on inputs of given ranges: an estimate, for
//! the choice of ranges.

use super::column::{Arithmetic, Column, Ints, Mode, alu};
use super::convert::{bitcast, cast};
use super::enclosure::Enclosure;
use super::functions::Precision;
use super::program::{Op, Program};
use super::rounding::Format;
use crate::data::Inputs;
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::constant::Constant;

const ARITHMETIC: Arithmetic = Arithmetic { mode: Mode::Bounded, precision: Precision::INTERPRETER, finite: false };

/// The number of steps whose result may be undecided, infinite or no number although its operands are none of these.
pub(crate) fn hazards(program: &Program, inputs: &Inputs) -> usize {
    let mut ranges: Vec<Column> = Vec::with_capacity(program.steps.len());
    let mut hazards = 0;
    for (number, step) in program.steps.iter().enumerate() {
        let range = match &step.op {
            Op::Load { buffer, layout, .. } => {
                let range = loaded(inputs, *buffer, step.scalar.is_float());
                if program.layouts[*layout].is_masked() { with_zero(range) } else { range }
            }
            Op::Constant { value, layout, .. } => {
                let range = match value {
                    Constant::Float(value) => floats(Enclosure::point(*value)),
                    Constant::Int(value) => integers(*value as i64, *value as i64),
                    Constant::Bool(value) => integers(i64::from(*value), i64::from(*value)),
                };
                if layout.is_some() { with_zero(range) } else { range }
            }
            Op::Reduce { op: ReduceOp::Max, source, .. } => ranges[*source].clone(),
            Op::Reduce { op: ReduceOp::Sum, source, count, .. } => match &ranges[*source] {
                Column::Bounded(terms) => {
                    let format = Format::of(step.scalar);
                    let times = Enclosure::point(*count as f64);
                    Column::Bounded(terms.iter().map(|term| term.mul(times, format, false)).collect())
                }
                ints => ints.clone(),
            },
            Op::Store { source, .. } => ranges[*source].clone(),
            Op::Cast(source) => cast(&ranges[*source], program.steps[*source].scalar, step.scalar, Mode::Bounded),
            Op::Bitcast(source) => bitcast(&ranges[*source], program.steps[*source].scalar, step.scalar, Mode::Bounded),
            Op::Alu(op, operands) => {
                let scalar = operands.last().map_or(step.scalar, |&last| program.steps[last].scalar);
                let columns: Vec<&Column> = operands.iter().map(|&operand| &ranges[operand]).collect();
                // Of ranges of integers both ends are kept, and combined end by end: a guess that divisors need.
                let result = alu(*op, scalar, &columns, program.fusible[number], ARITHMETIC);
                result.unwrap_or_else(|| integers(0, 0))
            }
        };
        let operands = step.op.operands();
        let fresh = operands.iter().all(|&operand| !is_hazard(&ranges[operand]));
        let compares = matches!(step.op, Op::Alu(AluOp::CmpLt | AluOp::CmpEq, _));
        hazards += usize::from(fresh && !compares && !operands.is_empty() && is_hazard(&range));
        // A comparison that ranges do not decide, values may.
        ranges.push(if compares { integers(0, 1) } else { range });
    }
    hazards
}

/// Integers are followed by their least and largest value only.
fn integers(low: i64, high: i64) -> Column {
    Column::Int(Ints::decided(vec![low, high]))
}

/// Floats: the same range twice, in step with the integers' two ends.
fn floats(range: Enclosure) -> Column {
    Column::Bounded(vec![range; 2])
}

fn loaded(inputs: &Inputs, buffer: u32, float: bool) -> Column {
    let found = inputs.buffers.iter().find(|(number, _)| *number == buffer);
    let Some((_, contents)) = found else { return integers(0, 0) };
    let drawn = contents.distribution;
    if float {
        floats(Enclosure::between(drawn.low as f64 * drawn.scale(), drawn.high as f64 * drawn.scale()))
    } else {
        integers(drawn.low, drawn.high)
    }
}

fn with_zero(range: Column) -> Column {
    match range {
        Column::Bounded(ranges) => {
            Column::Bounded(ranges.iter().map(|range| range.hull(Enclosure::point(0.0))).collect())
        }
        Column::Int(ints) => {
            let low = ints.values.iter().copied().min().unwrap_or(0).min(0);
            let high = ints.values.iter().copied().max().unwrap_or(0).max(0);
            integers(low, high)
        }
        other => other,
    }
}

fn is_hazard(range: &Column) -> bool {
    match range {
        Column::Bounded(ranges) => ranges.iter().any(|range| range.nan || range.holds_infinity()),
        Column::Int(ints) => ints.undecided.contains(&true),
        Column::Exact(_) => false,
    }
}
