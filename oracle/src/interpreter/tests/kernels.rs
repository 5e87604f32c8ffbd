//! Whole kernels: loops, workgroups, accumulators, local memory.

use super::{BUDGET, bits, inputs, parse, ran, small, value};
use crate::interpreter::{Budget, RunError, run};
use plumb_core::dtype::Scalar;

#[test]
fn elementwise_in_a_loop() {
    let text = "
        0 DEFINE_GLOBAL i32* [] 0:out
        1 DEFINE_GLOBAL i32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 100
        4 RANGE i32 [2,3] 1:0
        5 LOAD i32 [1,4] -
        6 ALU i32 [5,5] MUL
        7 STORE - [0,4,6] -
        8 ENDRANGE - [4] -
    ";
    let a = small(Scalar::I32, 100);
    let expected: Vec<u64> = (0..100).map(|i| (value(&a, i) * value(&a, i)) as u64).collect();
    assert_eq!(bits(text, &inputs(100, &[a])), expected);
}

/// The accumulator stands before the reduce loop, within the output loop: it starts anew for every row.
#[test]
fn rows_are_summed_one_by_one() {
    let text = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 5
        4 CONST i32 [] 30
        5 RANGE i32 [2,3] 1:0
        6 ALU i32 [5,4] MUL
        7 DEFINE_ACC f32 [8] f:0000000000000000:0:0
        8 RANGE i32 [2,4] 2:1
        9 ALU i32 [6,8] ADD
        10 LOAD f32 [1,9] -
        11 ALU f32 [10,7] ADD
        12 PHI f32 [7,11] -
        13 ENDRANGE - [8] -
        14 STORE - [0,5,12] -
        15 ENDRANGE - [5] -
    ";
    let a = small(Scalar::F32, 150);
    let sum = |row: i64| (0..30).map(|column| value(&a, row * 30 + column)).sum::<i64>();
    let expected: Vec<u64> = (0..5).map(|row| u64::from((sum(row) as f32).to_bits())).collect();
    assert_eq!(bits(text, &inputs(5, &[a])), expected);
}

/// Stage one: each lane sums its part, into local memory. Stage two: one lane sums the parts.
#[test]
fn a_sum_in_two_stages() {
    let text = "
        ; r global=[2,1,1]local=[8,1,1]
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 DEFINE_LOCAL f32* [] temp:8
        3 CONST i32 [] 0
        4 CONST i32 [] 8
        5 CONST i32 [] 4
        6 CONST i32 [] 1
        7 SPECIAL i32 [] 0:gidx0:2
        8 SPECIAL i32 [] 0:lidx1:8
        9 ALU i32 [7,4] MUL
        10 ALU i32 [9,8] ADD
        11 ALU i32 [10,5] MUL
        12 DEFINE_ACC f32 [13] f:0000000000000000:-1:0
        13 RANGE i32 [3,5] 2:0
        14 ALU i32 [11,13] ADD
        15 LOAD f32 [1,14] -
        16 ALU f32 [15,12] ADD
        17 PHI f32 [12,16] -
        18 ENDRANGE - [13] -
        19 STORE - [2,8,17] -
        20 BARRIER - [19] -
        21 ALU bool [8,6] CMPLT
        22 IF - [21,20] -
        23 DEFINE_ACC f32 [24] f:0000000000000000:0:0
        24 RANGE i32 [3,4] 3:0
        25 LOAD f32 [2,24,22] -
        26 ALU f32 [25,23] ADD
        27 PHI f32 [23,26] -
        28 ENDRANGE - [24] -
        29 STORE - [0,7,27] -
        30 ENDIF - [22] -
    ";
    let a = small(Scalar::F32, 64);
    let sum = |group: i64| (0..32).map(|i| value(&a, group * 32 + i)).sum::<i64>();
    let expected: Vec<u64> = (0..2).map(|group| u64::from((sum(group) as f32).to_bits())).collect();
    assert_eq!(bits(text, &inputs(2, &[a])), expected);
}

/// Two accumulators, one within the other's loop: the inner one starts anew, the outer one goes on.
#[test]
fn nested_loops_with_an_accumulator_each() {
    let text = "
        0 DEFINE_GLOBAL i32* [] 0:out
        1 DEFINE_GLOBAL i32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 4
        4 CONST i32 [] 6
        5 DEFINE_ACC i32 [6] 0:0:0
        6 RANGE i32 [2,3] 2:0
        7 ALU i32 [6,4] MUL
        8 DEFINE_ACC i32 [9] -2147483648:0:1
        9 RANGE i32 [2,4] 2:1
        10 ALU i32 [7,9] ADD
        11 LOAD i32 [1,10] -
        12 ALU i32 [11,8] MAX
        13 PHI i32 [8,12] -
        14 ENDRANGE - [9] -
        15 ALU i32 [13,5] ADD
        16 PHI i32 [5,15] -
        17 ENDRANGE - [6] -
        18 STORE - [0,2,16] -
    ";
    let a = small(Scalar::I32, 24);
    let row = |row: i64| (0..6).map(|column| value(&a, row * 6 + column)).max().unwrap_or(0);
    let expected = (0..4).map(row).sum::<i64>() as u32;
    assert_eq!(bits(text, &inputs(1, &[a])), [u64::from(expected)]);
}

/// A vector accumulator, of which each component is added to by itself, and read after the loop.
#[test]
fn components_of_a_vector_accumulator() {
    let text = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 8
        4 CONST i32 [] 2
        5 DEFINE_ACC f32x2 [6] f:0000000000000000:0:0
        6 RANGE i32 [2,3] 2:0
        7 ALU i32 [6,4] MUL
        8 LOAD f32x2 [1,7] -
        9 GEP f32 [5] 0
        10 GEP f32 [5] 1
        11 GEP f32 [8] 0
        12 GEP f32 [8] 1
        13 ALU f32 [11,9] ADD
        14 ALU f32 [12,10] ADD
        15 PHI f32 [9,13] -
        16 PHI f32 [10,14] -
        17 ENDRANGE - [6] -
        18 CAST f32x2 [15,16] -
        19 STORE - [0,2,18] -
    ";
    let a = small(Scalar::F32, 16);
    let sum = |part: i64| (0..8).map(|n| value(&a, n * 2 + part)).sum::<i64>();
    let expected = [0, 1].map(|part| u64::from((sum(part) as f32).to_bits()));
    assert_eq!(bits(text, &inputs(2, &[a])), expected);
}

/// Each lane has its own number of iterations.
#[test]
fn a_loop_bound_that_differs_from_lane_to_lane() {
    let text = "
        ; k global=[1,1,1]local=[8,1,1]
        0 DEFINE_GLOBAL i32* [] 0:out
        1 CONST i32 [] 0
        2 SPECIAL i32 [] 0:lidx0:8
        3 DEFINE_ACC i32 [4] 0:0:0
        4 RANGE i32 [1,2] 2:0
        5 ALU i32 [4,3] ADD
        6 PHI i32 [3,5] -
        7 ENDRANGE - [4] -
        8 STORE - [0,2,6] -
    ";
    assert_eq!(bits(text, &inputs(8, &[])), [0, 0, 1, 3, 6, 10, 15, 21]);
}

/// A loop that never runs leaves its accumulator as it was.
#[test]
fn an_empty_loop() {
    let text = "
        0 DEFINE_GLOBAL i32* [] 0:out
        1 CONST i32 [] 0
        2 CONST i32 [] 5
        3 DEFINE_ACC i32 [4] 42:0:0
        4 RANGE i32 [2,1] 2:0
        5 ALU i32 [4,3] ADD
        6 PHI i32 [3,5] -
        7 ENDRANGE - [4] -
        8 STORE - [0,1,6] -
    ";
    assert_eq!(bits(text, &inputs(1, &[])), [42]);
}

/// The bound of a loop is a variable.
#[test]
fn a_symbolic_bound() {
    let text = "
        0 DEFINE_GLOBAL i32* [] 0:out
        1 DEFINE_VAR i32 [] n[1,9]
        2 CONST i32 [] 0
        3 CONST i32 [] 1
        4 ALU i32 [1,3] ADD
        5 RANGE i32 [2,4] 1:0
        6 ALU i32 [5,1] MUL
        7 STORE - [0,5,6] -
        8 ENDRANGE - [5] -
    ";
    let mut inputs = inputs(10, &[]);
    inputs.bindings.push(("n".to_owned(), 3));
    assert_eq!(bits(text, &inputs), [0, 3, 6, 9]);
    inputs.bindings.clear();
    let unbound = run(&parse(text).expect("a valid text"), &inputs, BUDGET);
    assert_eq!(unbound, Err(RunError::Unsupported("no value for variable n".to_owned())));
}

/// Coordinates in all dimensions, of workgroups and of lanes.
#[test]
fn all_dimensions_of_a_launch() {
    let text = "
        ; k global=[2,3,4]local=[2,1,3]
        0 DEFINE_GLOBAL i32* [] 0:out
        1 CONST i32 [] 2
        2 CONST i32 [] 3
        3 CONST i32 [] 4
        4 SPECIAL i32 [] 0:gidx2:2
        5 SPECIAL i32 [] 1:gidx1:3
        6 SPECIAL i32 [] 2:gidx0:4
        7 SPECIAL i32 [] 0:lidx3:2
        8 SPECIAL i32 [] 2:lidx5:3
        9 ALU i32 [6,2] MUL
        10 ALU i32 [9,5] ADD
        11 ALU i32 [10,1] MUL
        12 ALU i32 [11,4] ADD
        13 ALU i32 [12,1] MUL
        14 ALU i32 [13,7] ADD
        15 ALU i32 [14,2] MUL
        16 ALU i32 [15,8] ADD
        17 STORE - [0,16,16] -
    ";
    let expected: Vec<u64> = (0..2 * 3 * 4 * 2 * 3).collect();
    assert_eq!(bits(text, &inputs(144, &[])), expected);
}

/// Beyond the budget the first and the last workgroup run, and as many between as it allows, always the same.
#[test]
fn a_share_of_a_large_kernel() {
    let text = "
        ; k global=[100000,1,1]local=[4,1,1]
        0 DEFINE_GLOBAL i32* [] 0:out
        1 CONST i32 [] 4
        2 SPECIAL i32 [] 0:gidx0:100000
        3 SPECIAL i32 [] 0:lidx0:4
        4 ALU i32 [2,1] MUL
        5 ALU i32 [4,3] ADD
        6 STORE - [0,5,5] -
    ";
    let lowered = parse(text).expect("a valid text");
    let inputs = inputs(400_000, &[]);
    // Five uops for four lanes: 20 for each workgroup.
    let part = run(&lowered, &inputs, Budget { uop_lanes: 2000 }).expect("no fault");
    let share = part.share.clone().expect("a share");
    assert!(share.starts_with("100 of 100000 workgroups"), "{share}");
    let written = &part.outputs[0].written;
    assert_eq!(written.len(), 400);
    assert_eq!((written[0], written[399]), ((0, 0), (399_999, 399_999)));
    let widest = written.windows(2).map(|pair| pair[1].0 - pair[0].0).max();
    assert!(widest < Some(2 * 400_000 / 98 + 4), "{widest:?}");
    assert_eq!(run(&lowered, &inputs, Budget { uop_lanes: 2000 }), Ok(part));
    let whole = run(&lowered, &inputs, Budget { uop_lanes: 2_000_000 }).expect("no fault");
    assert_eq!((whole.share, whole.outputs[0].written.len()), (None, 400_000));
}

/// A single workgroup beyond all budget is not begun.
#[test]
fn a_loop_that_is_too_long() {
    let text = "
        0 DEFINE_GLOBAL i32* [] 0:out
        1 CONST i32 [] 0
        2 CONST i32 [] 2000000000
        3 DEFINE_ACC i32 [4] 0:0:0
        4 RANGE i32 [1,2] 2:0
        5 ALU i32 [4,3] XOR
        6 PHI i32 [3,5] -
        7 ENDRANGE - [4] -
        8 STORE - [0,1,6] -
    ";
    let lowered = parse(text).expect("a valid text");
    match run(&lowered, &inputs(1, &[]), Budget { uop_lanes: 1000 }) {
        Err(RunError::Unsupported(why)) => {
            assert!(why.contains("one workgroup alone takes more than 250 times the budget"), "{why}")
        }
        other => panic!("{other:?}"),
    }
}

/// Loops on a target without workgroups run side by side, unless one iteration reads what another wrote.
#[test]
fn iterations_that_depend_on_each_other() {
    let text = "
        0 DEFINE_GLOBAL i32* [] 0:out
        1 CONST i32 [] 0
        2 CONST i32 [] 8
        3 CONST i32 [] 1
        4 RANGE i32 [1,2] 1:0
        5 ALU i32 [4,3] ADD
        6 LOAD i32 [0,4] -
        7 ALU i32 [6,3] ADD
        8 STORE - [0,5,7] -
        9 ENDRANGE - [4] -
    ";
    let before = small(Scalar::I32, 9);
    let mut inputs = inputs(9, &[]);
    inputs.buffers.push((0, before));
    let first = value(&before, 0);
    let expected: Vec<(i64, u64)> = (1..9).map(|i| (i, (first + i) as u32 as u64)).collect();
    assert_eq!(ran(text, &inputs).outputs[0].written, expected);
}
