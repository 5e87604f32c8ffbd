//! The values of some places of a step, computed from what they follow from: for kernels too large to evaluate whole.
//!
//! Places are worked on many at a time, step by step, each step's values being one column.

use super::ReferenceError;
use super::accumulate::Accumulators;
use super::column::{Arithmetic, Column, Ints, Mode};
use super::combine::{Memo, combine, missing};
use super::enclosure::Enclosure;
use super::lanes::{Coordinates, unravel_into};
use super::layout::PADDING;
use super::program::{Op, Program};
use super::schedule::Schedule;
use crate::data::{InputBuffer, Inputs};
use plumb_core::dtype::Scalar;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Places worked on together: columns of this many values stay in the processor's caches.
const LANES: usize = 2048;

/// What all evaluation needs.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) inputs: &'a Inputs,
    pub(crate) arithmetic: Arithmetic,
}

/// The values of the schedule's root at `places`, row-major numbers in its shape.
pub(crate) fn evaluate(
    context: Context<'_>,
    schedule: &Schedule,
    places: &[i64],
    mut take: impl FnMut(Column),
) -> Result<(), ReferenceError> {
    let shape = &context.program.steps[schedule.root].shape;
    for block in places.chunks(LANES) {
        take(block_values(context, schedule, &Coordinates::of(shape, block))?);
    }
    Ok(())
}

/// The values of the schedule's root at a block of places.
fn block_values(
    context: Context<'_>,
    schedule: &Schedule,
    coordinates: &Coordinates,
) -> Result<Column, ReferenceError> {
    let program = context.program;
    let mut memo = Memo::default();
    let mut elements: FxHashMap<usize, Vec<i64>> = FxHashMap::default();
    for entry in &schedule.entries {
        let column = match (&program.steps[entry.step].op, &entry.source) {
            (Op::Load { layout, .. }, _) | (Op::Constant { layout: Some(layout), .. }, _) => {
                let located = match elements.entry(*layout) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let mut located = Vec::new();
                        program.layouts[*layout].locate(coordinates, &mut located)?;
                        entry.insert(located)
                    }
                };
                leaf(context, entry.step, located)?
            }
            (Op::Reduce { .. }, Some(source)) => reduce(context, entry.step, source, coordinates)?,
            (Op::Constant { .. }, _) => leaf(context, entry.step, &vec![0; coordinates.lanes])?,
            _ => combine(context, entry.step, &mut memo)?,
        };
        for used in &entry.last_used {
            memo.forget(*used);
        }
        memo.insert(entry.step, column);
    }
    memo.take(schedule.root)
}

/// A load or a constant, whose lanes stand at these elements of memory.
pub(crate) fn leaf(context: Context<'_>, step: usize, elements: &[i64]) -> Result<Column, ReferenceError> {
    let Context { program, inputs, arithmetic } = context;
    let scalar = program.steps[step].scalar;
    let mut column = match &program.steps[step].op {
        Op::Load { buffer, .. } => {
            let found = inputs.buffers.iter().find(|(number, _)| number == buffer);
            let (_, contents) =
                found.ok_or_else(|| ReferenceError::Invalid(format!("no inputs for buffer {buffer}")))?;
            load(contents, scalar, elements, arithmetic.mode)
        }
        Op::Constant { value, spelled, .. } => {
            Column::constant(*value, *spelled, scalar, elements.len(), arithmetic.mode)
        }
        _ => return Err(missing(step)),
    };
    column.mask(elements);
    Ok(column)
}

fn load(contents: &InputBuffer, scalar: Scalar, elements: &[i64], mode: Mode) -> Column {
    // Padding reads element -1, which is computed like any other and then replaced.
    debug_assert_eq!(PADDING, -1);
    match mode {
        _ if scalar == Scalar::Bool => {
            let truth = |&element: &i64| i64::from(contents.whole(element) != 0);
            Column::Int(Ints::decided(elements.iter().map(truth).collect()))
        }
        _ if !scalar.is_float() => {
            Column::Int(Ints::decided(elements.iter().map(|&element| contents.whole(element)).collect()))
        }
        Mode::Exact => Column::Exact(elements.iter().map(|&element| contents.float(element)).collect()),
        Mode::Bounded => {
            Column::Bounded(elements.iter().map(|&element| Enclosure::point(contents.float(element))).collect())
        }
    }
}

/// A reduction at the places `outer`: the pairs of a place and a step of the reduction, in blocks.
fn reduce(
    context: Context<'_>,
    number: usize,
    source: &Schedule,
    outer: &Coordinates,
) -> Result<Column, ReferenceError> {
    let program = context.program;
    let step = &program.steps[number];
    let Op::Reduce { op, axes, count, .. } = &step.op else { return Err(missing(number)) };
    let shape = &program.steps[source.root].shape;
    let inner_shape: Vec<i64> = axes.iter().map(|&axis| shape[axis]).collect();
    let count = usize::try_from(*count).map_err(|_| missing(number))?;
    let pairs = outer.lanes.saturating_mul(count);
    let mut accumulators = Accumulators::new(*op, step.scalar, outer.lanes, context.arithmetic.mode);
    let mut block = Coordinates { axes: vec![Vec::new(); shape.len()], lanes: 0 };
    let mut inner: Vec<Vec<i64>> = Vec::new();
    let mut start = 0;
    while start < pairs {
        let end = pairs.min(start + LANES);
        block.lanes = end - start;
        let rounds: Vec<i64> = (start..end).map(|pair| (pair % count) as i64).collect();
        unravel_into(&rounds, &inner_shape, &mut inner);
        for (axis, column) in block.axes.iter_mut().enumerate() {
            column.clear();
            match axes.iter().position(|&reduced| reduced == axis) {
                Some(position) => column.extend_from_slice(&inner[position]),
                None => {
                    for (place, pairs) in places(start, end, count) {
                        column.resize(column.len() + pairs.len(), outer.axes[axis][place]);
                    }
                }
            }
        }
        let values = block_values(context, source, &block)?;
        for (place, pairs) in places(start, end, count) {
            accumulators.take(place, &values, pairs.start - start..pairs.end - start);
        }
        start = end;
    }
    Ok(accumulators.finish())
}

/// The pairs from `start` to `end`, split by the place that they belong to.
fn places(start: usize, end: usize, count: usize) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    (start / count..end.div_ceil(count))
        .map(move |place| (place, start.max(place * count)..end.min((place + 1) * count)))
}
