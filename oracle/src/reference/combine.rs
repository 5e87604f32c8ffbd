//! One step's values from those of its operands.

use super::ReferenceError;
use super::accumulate::Sum;
use super::column::{Column, Mode, alu};
use super::convert::{bitcast, cast};
use super::pointwise::Context;
use super::program::{Op, Program};
use super::rounding::Format;
use plumb_core::ast::AluOp;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::borrow::Cow;

/// The values of the steps evaluated so far, by number.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    columns: FxHashMap<usize, Column>,
    /// Of steps that add constants: all the terms that were added up.
    sums: FxHashMap<usize, Vec<Sum>>,
}

impl Memo {
    pub(crate) fn get(&self, step: usize) -> Result<&Column, ReferenceError> {
        self.columns.get(&step).ok_or_else(|| missing(step))
    }

    pub(crate) fn insert(&mut self, step: usize, column: Column) {
        self.columns.insert(step, column);
    }

    pub(crate) fn forget(&mut self, step: usize) {
        self.columns.remove(&step);
        self.sums.remove(&step);
    }

    pub(crate) fn take(&mut self, step: usize) -> Result<Column, ReferenceError> {
        self.columns.remove(&step).ok_or_else(|| missing(step))
    }

    /// The terms of which a step's values are sums: by themselves, where it is no sum with constants.
    fn terms(&self, step: usize) -> Cow<'_, [Sum]> {
        match (self.sums.get(&step), self.columns.get(&step)) {
            (Some(sums), _) => Cow::Borrowed(sums),
            (None, Some(Column::Bounded(values))) => {
                let sum = |&value| {
                    let mut sum = Sum::default();
                    sum.take(value);
                    sum
                };
                Cow::Owned(values.iter().map(sum).collect())
            }
            _ => Cow::Owned(Vec::new()),
        }
    }
}

pub(super) fn missing(step: usize) -> ReferenceError {
    ReferenceError::Invalid(format!("step %{step} has no value"))
}

/// A step from its operands' values.
pub(crate) fn combine(context: Context<'_>, number: usize, memo: &mut Memo) -> Result<Column, ReferenceError> {
    let Context { program, arithmetic, .. } = context;
    let mut column = apply(context, number, memo)?;
    if let Op::Alu(op @ (AluOp::Add | AluOp::Sub | AluOp::Mul), _) = program.steps[number].op
        && arithmetic.finite
        && arithmetic.mode == Mode::Bounded
    {
        column.unsign_zeros();
        if program.chained[number] {
            add_in_any_order(program, number, op, &mut column, memo);
        }
    }
    Ok(column)
}

/// The step's operation on its operands' values.
fn apply(context: Context<'_>, number: usize, memo: &Memo) -> Result<Column, ReferenceError> {
    let Context { program, arithmetic, .. } = context;
    let operand = |operand: usize| {
        let column = memo.get(operand)?;
        Ok::<_, ReferenceError>(if takes_rounded(program, number, operand) {
            column.rounded(program.steps[operand].scalar)
        } else {
            Cow::Borrowed(column)
        })
    };
    let step = &program.steps[number];
    match &step.op {
        Op::Cast(source) => Ok(cast(&*operand(*source)?, program.steps[*source].scalar, step.scalar, arithmetic.mode)),
        Op::Bitcast(source) => {
            Ok(bitcast(&*operand(*source)?, program.steps[*source].scalar, step.scalar, arithmetic.mode))
        }
        Op::Alu(op, operands) => {
            let columns = operands.iter().map(|&number| operand(number));
            let columns = columns.collect::<Result<SmallVec<[Cow<'_, Column>; 3]>, _>>()?;
            let columns: SmallVec<[&Column; 3]> = columns.iter().map(|column| &**column).collect();
            let scalar = operands.last().map_or(step.scalar, |&last| program.steps[last].scalar);
            alu(*op, scalar, &columns, program.fusible[number], arithmetic)
                .ok_or_else(|| ReferenceError::Unsupported(format!("{op} of {scalar}")))
        }
        _ => Err(missing(number)),
    }
}

/// Widens a sum with constants by what adding up its terms in any other order gives.
fn add_in_any_order(program: &Program, number: usize, op: AluOp, column: &mut Column, memo: &mut Memo) {
    let (Column::Bounded(values), [first, second]) = (column, program.steps[number].op.operands()) else { return };
    let format = Format::of(program.steps[number].scalar);
    let mut sums = memo.terms(*first).into_owned();
    for (sum, other) in sums.iter_mut().zip(&*memo.terms(*second)) {
        sum.merge(*other, op == AluOp::Sub);
    }
    for (value, sum) in values.iter_mut().zip(&sums).filter(|(_, sum)| sum.terms > 2) {
        *value = value.hull(sum.finish(format));
    }
    memo.sums.insert(number, sums);
}

/// Whether a step takes an operand rounded that may be unrounded for other steps: a constant where not all operands are
/// constants, a product where nothing is added to it.
fn takes_rounded(program: &Program, number: usize, operand: usize) -> bool {
    let adds = matches!(
        program.steps[number].op,
        Op::Alu(AluOp::Add | AluOp::Sub | AluOp::MulAcc, _) | Op::Cast(_) | Op::Reduce { .. }
    );
    (program.constant[operand] && !program.constant[number]) || (program.fusible[operand] && !adds)
}
