//! Whole kernels: loops, workgroups, accumulators, local memory.

use super::{bits, inputs, small};
use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;

fn value(buffer: &crate::data::InputBuffer, index: i64) -> i64 {
    match buffer.element(index) {
        Constant::Int(value) => value as i64,
        Constant::Float(value) => value as i64,
        Constant::Bool(value) => i64::from(value),
    }
}

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
