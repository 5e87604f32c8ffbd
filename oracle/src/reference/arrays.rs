//! A whole kernel on ndarrays: movements and reductions are ndarray's own operations, on arrays of element numbers.

use super::ReferenceError;
use super::accumulate::Accumulators;
use super::column::Column;
use super::combine::{Memo, combine};
use super::lanes::{Coordinates, size_of};
use super::layout::{Layout, Move, PADDING};
use super::pointwise::{Context, leaf};
use super::program::Op;
use ndarray::{ArrayD, Axis, IxDyn, ShapeError, Slice};

/// The values of step `root` at all places of its shape, in row-major order.
pub(crate) fn evaluate(context: Context<'_>, root: usize) -> Result<Column, ReferenceError> {
    let program = context.program;
    let mut needed = vec![false; root + 1];
    needed[root] = true;
    for number in (0..=root).rev() {
        if needed[number] {
            program.steps[number].op.operands().iter().for_each(|&operand| needed[operand] = true);
        }
    }
    let mut memo = Memo::default();
    for (number, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
        let step = &program.steps[number];
        let column = match &step.op {
            Op::Load { layout, .. } | Op::Constant { layout: Some(layout), .. } => {
                leaf(context, number, &elements(&program.layouts[*layout])?)?
            }
            Op::Constant { .. } => leaf(context, number, &vec![0; as_usize(size_of(&step.shape)?)?])?,
            Op::Reduce { op, source, axes, .. } => {
                let groups = as_usize(size_of(&step.shape)?)?;
                let order = reduction_order(&program.steps[*source].shape, axes)?;
                let values = memo.get(*source)?.gather(&order);
                let each = order.len() / groups;
                let mut accumulators = Accumulators::new(*op, step.scalar, groups, context.arithmetic.mode);
                for group in 0..groups {
                    accumulators.take(group, &values, group * each..(group + 1) * each);
                }
                accumulators.finish()
            }
            _ => combine(context, number, &mut memo)?,
        };
        memo.insert(number, column);
    }
    memo.take(root)
}

/// The places of `shape` in row-major order with the reduced axes innermost.
fn reduction_order(shape: &[i64], reduced: &[usize]) -> Result<Vec<usize>, ReferenceError> {
    let size = as_usize(size_of(shape)?)?;
    let places = ArrayD::from_shape_vec(dimensions(shape)?, (0..size).collect()).map_err(shape_error)?;
    let kept = (0..shape.len()).filter(|axis| !reduced.contains(axis));
    let order: Vec<usize> = kept.chain(reduced.iter().copied()).collect();
    Ok(places.permuted_axes(IxDyn(&order)).iter().copied().collect())
}

/// The element of memory at each place of the layout, in row-major order.
pub(crate) fn elements(layout: &Layout) -> Result<Vec<i64>, ReferenceError> {
    let Layout::Chain { base, moves } = layout else {
        let coordinates = Coordinates::of_range(layout.shape(), 0..size_of(layout.shape())?);
        let mut elements = Vec::new();
        layout.locate(&coordinates, &mut elements)?;
        return Ok(elements);
    };
    let mut array = ArrayD::from_shape_vec(dimensions(base)?, (0..size_of(base)?).collect()).map_err(shape_error)?;
    for (step, shape) in moves {
        array = moved(array, step, shape)?;
    }
    Ok(array.iter().copied().collect())
}

fn moved(array: ArrayD<i64>, step: &Move, shape: &[i64]) -> Result<ArrayD<i64>, ReferenceError> {
    let shape = dimensions(shape)?;
    Ok(match step {
        Move::Reshape => array.as_standard_layout().into_owned().into_shape_with_order(shape).map_err(shape_error)?,
        Move::Permute(order) => array.permuted_axes(IxDyn(order)),
        Move::Expand => {
            let error = || ReferenceError::Invalid("an expansion that ndarray refuses".to_owned());
            array.broadcast(shape).ok_or_else(error)?.to_owned()
        }
        Move::Pad(pads) => {
            let mut padded = ArrayD::from_elem(shape, PADDING);
            let inner = array.shape().to_vec();
            padded
                .slice_each_axis_mut(|axis| {
                    let before = pads[axis.axis.index()].0 as isize;
                    Slice::from(before..before + inner[axis.axis.index()] as isize)
                })
                .assign(&array);
            padded
        }
        Move::Shrink(ranges) => array
            .slice_each_axis(|axis| {
                let (start, end) = ranges[axis.axis.index()];
                Slice::from(start as isize..end as isize)
            })
            .to_owned(),
        Move::Stride(steps) => {
            let mut strided = array;
            for (axis, &step) in steps.iter().enumerate() {
                // ndarray walks a negative step from the end, as the movement does.
                strided.slice_axis_inplace(Axis(axis), Slice::new(0, None, step as isize));
            }
            strided
        }
    })
}

fn dimensions(shape: &[i64]) -> Result<IxDyn, ReferenceError> {
    let sizes = shape.iter().map(|&size| as_usize(size)).collect::<Result<Vec<_>, _>>()?;
    Ok(IxDyn(&sizes))
}

fn as_usize(size: i64) -> Result<usize, ReferenceError> {
    usize::try_from(size).map_err(|_| ReferenceError::Invalid(format!("a size of {size}")))
}

fn shape_error(error: ShapeError) -> ReferenceError {
    ReferenceError::Invalid(error.to_string())
}
