//! Launch dimensions keep within a target's limits.

mod kernel_support;

use kernel_support::{elementwise, shape, target};
use plumb_core::ast::{AluOp, Ast};
use plumb_core::dtype::DType;
use plumb_core::kernel::{Kernel, LowerError};
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::sync::Arc;

/// Axes that do not merge, as the second operand is read in another order.
fn unmerged(sizes: &[i64]) -> Arc<Ast> {
    let mut build = kernel_support::Build::default();
    let strides: Vec<i64> = sizes.iter().scan(1, |step, size| Some(std::mem::replace(step, *step * size))).collect();
    let across = build.strided(sizes, &strides);
    let (a, b) = (build.load(1, DType::F32, sizes), build.load_view(2, DType::F32, across));
    let sum = build.alu(AluOp::Add, &[a, b]);
    build.store(0, DType::F32, sizes, sum);
    build.finish()
}

fn limited(ast: &Arc<Ast>, limits: &[i64]) -> Result<Vec<i64>, LowerError> {
    let target =
        Target { global_max: Some(limits.to_vec()), local_max: Some(limits.to_vec()), ..(*target("opencl")).clone() };
    let mut kernel = Kernel::new(ast, &Arc::new(target), &Rules::default())?;
    kernel.limit_dims_to_max()?;
    Ok(shape(&kernel))
}

/// The launch dimensions, dimension 2 first: all axes but the last two are one.
fn launch(sizes: &[i64]) -> Vec<i64> {
    let (merged, single) = sizes.split_at(sizes.len().saturating_sub(2));
    std::iter::once(merged.iter().product()).chain(single.iter().copied()).collect()
}

#[test]
fn grids_are_factored_where_their_axes_are_too_long() {
    // The triggers of 0.9.0's faults: an odd axis, one axis alone, and a merged dimension that is too long.
    for (sizes, limits) in [
        (&[9, 4][..], &[8, 8, 8][..]),
        (&[10], &[8, 8, 8]),
        (&[4, 4, 4, 4], &[8, 8, 8]),
        (&[2, 2, 70_000, 4], &[65_535, 65_535, 2_147_483_647]),
        (&[70_000, 80_000, 3], &[65_535, 65_535, 2_147_483_647]),
        (&[3, 7, 11, 13], &[21, 11, 13]),
    ] {
        let found = limited(&unmerged(sizes), limits).unwrap_or_else(|error| panic!("{sizes:?}: {error}"));
        assert_eq!(found.iter().product::<i64>(), sizes.iter().product::<i64>(), "{sizes:?} became {found:?}");
        let dims = launch(&found);
        let within = dims.iter().rev().zip(limits.iter().rev()).all(|(size, limit)| size <= limit);
        assert!(within, "{sizes:?} with limits {limits:?} became {found:?}, launched as {dims:?}");
    }
}

#[test]
fn grids_that_no_launch_can_hold_are_typed_errors() {
    for sizes in [&[5, 5, 5, 5][..], &[13], &[1 << 40]] {
        match limited(&unmerged(sizes), &[8, 8, 8]) {
            Err(LowerError::Unsupported(message)) => assert!(message.contains("limits"), "{message}"),
            other => panic!("{sizes:?} gives {other:?}"),
        }
    }
}

#[test]
fn one_long_axis_is_swapped_to_the_end_as_in_0_9_0() {
    let limits = [65_535, 65_535, 2_147_483_647];
    assert_eq!(limited(&unmerged(&[100_000, 4]), &limits).expect("fits"), [4, 100_000]);
    assert_eq!(limited(&unmerged(&[70_000, 2, 3]), &limits).expect("fits"), [3, 2, 70_000]);
}

#[test]
fn grids_within_the_limits_stay() {
    assert_eq!(limited(&unmerged(&[7, 8, 3]), &[8, 8, 8]).expect("fits"), [7, 8, 3]);
    assert_eq!(limited(&elementwise(DType::F32, AluOp::Add, &[2, 2]), &[8, 8, 8]).expect("fits"), [4]);
}
