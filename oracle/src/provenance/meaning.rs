//! What elements each output must come from: the kernel evaluated on provenances, from the case itself.

use super::algebra::Algebra;
use super::lane::Lane;
use crate::reference::ReferenceError;
use crate::reference::lanes::{Coordinates, unravel_into};
use crate::reference::layout::PADDING;
use crate::reference::program::{Op, Program};
use crate::reference::schedule::Schedule;
use rustc_hash::FxHashMap;

/// Places worked on together.
const LANES: usize = 1024;

/// The provenances of the schedule's root at `places`, row-major numbers in its shape.
pub(super) fn evaluate(
    algebra: &mut Algebra,
    program: &Program,
    schedule: &Schedule,
    places: &[i64],
) -> Result<Vec<Lane>, ReferenceError> {
    let mut lanes = Vec::with_capacity(places.len());
    for block in places.chunks(LANES) {
        let coordinates = Coordinates::of(&program.steps[schedule.root].shape, block);
        lanes.extend(values(algebra, program, schedule, &coordinates)?);
    }
    Ok(lanes)
}

fn missing(step: usize) -> ReferenceError {
    ReferenceError::Invalid(format!("step %{step} has no value"))
}

/// One value for each place.
fn values(
    algebra: &mut Algebra,
    program: &Program,
    schedule: &Schedule,
    places: &Coordinates,
) -> Result<Vec<Lane>, ReferenceError> {
    let mut memo: FxHashMap<usize, Vec<Lane>> = FxHashMap::default();
    let mut elements = Vec::new();
    for entry in &schedule.entries {
        let step = &program.steps[entry.step];
        let value = match (&step.op, &entry.source) {
            (Op::Load { buffer, layout, .. }, _) => {
                program.layouts[*layout].locate(places, &mut elements)?;
                let load = |&element: &i64| match element {
                    PADDING => Lane::ZERO,
                    _ => algebra.element(*buffer, element, step.scalar),
                };
                elements.iter().map(load).collect()
            }
            (Op::Constant { value, layout, .. }, _) => {
                let constant = Lane::constant(*value, step.scalar);
                match layout {
                    None => vec![constant; places.lanes],
                    Some(layout) => {
                        program.layouts[*layout].locate(places, &mut elements)?;
                        let value = |&element: &i64| if element == PADDING { Lane::ZERO } else { constant };
                        elements.iter().map(value).collect()
                    }
                }
            }
            (Op::Reduce { .. }, Some(source)) => reduce(algebra, program, entry.step, source, places)?,
            (op, _) => {
                let operands = op.operands().iter().map(|operand| memo.get(operand).ok_or_else(|| missing(*operand)));
                let operands: Vec<&Vec<Lane>> = operands.collect::<Result<_, _>>()?;
                let from = op.operands().last().map_or(step.scalar, |&operand| program.steps[operand].scalar);
                let value = |lane: usize| {
                    let parts: smallvec::SmallVec<[Lane; 3]> = operands.iter().map(|operand| operand[lane]).collect();
                    match (op, parts.first()) {
                        (Op::Alu(op, _), _) => algebra.alu(*op, from, &parts),
                        (Op::Bitcast(_), Some(&a)) => Some(algebra.bitcast(a, from, step.scalar)),
                        (_, Some(&a)) => Some(algebra.cast(a, from, step.scalar)),
                        _ => None,
                    }
                    .ok_or_else(|| missing(entry.step))
                };
                (0..places.lanes).map(value).collect::<Result<_, _>>()?
            }
        };
        for used in &entry.last_used {
            memo.remove(used);
        }
        memo.insert(entry.step, value);
    }
    memo.remove(&schedule.root).ok_or_else(|| missing(schedule.root))
}

/// A reduction at `outer`: all steps of it, for some of the places at a time.
fn reduce(
    algebra: &mut Algebra,
    program: &Program,
    number: usize,
    source: &Schedule,
    outer: &Coordinates,
) -> Result<Vec<Lane>, ReferenceError> {
    let step = &program.steps[number];
    let Op::Reduce { op, axes, count, .. } = &step.op else { return Err(missing(number)) };
    let count = usize::try_from(*count).map_err(|_| missing(number))?;
    let shape = &program.steps[source.root].shape;
    let inner_shape: Vec<i64> = axes.iter().map(|&axis| shape[axis]).collect();
    let mut totals = vec![Algebra::identity(*op, step.scalar); outer.lanes];
    let mut block = Coordinates { axes: vec![Vec::new(); shape.len()], lanes: 0 };
    let mut inner = Vec::new();
    let pairs = outer.lanes.saturating_mul(count);
    let mut start = 0;
    while start < pairs {
        let end = pairs.min(start + LANES);
        let rounds: Vec<i64> = (start..end).map(|pair| (pair % count) as i64).collect();
        unravel_into(&rounds, &inner_shape, &mut inner);
        block.lanes = end - start;
        for (axis, column) in block.axes.iter_mut().enumerate() {
            *column = match axes.iter().position(|&reduced| reduced == axis) {
                Some(position) => inner[position].clone(),
                None => (start..end).map(|pair| outer.axes[axis][pair / count]).collect(),
            };
        }
        for (pair, term) in (start..end).zip(values(algebra, program, source, &block)?) {
            let total = &mut totals[pair / count];
            *total = algebra.accumulate(*op, step.scalar, *total, term);
        }
        start = end;
    }
    Ok(totals)
}
