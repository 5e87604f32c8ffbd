//! Memory: vectors, images, conversions on the way, outputs that are read.

use super::{bits, findings, inputs, small, value};
use expect_test::expect;
use half::f16;
use plumb_core::dtype::Scalar;

fn single(value: f32) -> u64 {
    u64::from(value.to_bits())
}

#[test]
fn vectors_with_an_alternative() {
    let text = "
        ; k global=[3,1,1]local=[1,1,1]
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 4
        3 CONST i32 [] 2
        4 CONST f32x4 [] f:3ff8000000000000
        5 SPECIAL i32 [] 0:gidx0:3
        6 ALU i32 [5,2] MUL
        7 ALU bool [5,3] CMPLT
        8 LOAD f32x4 [1,6,7,4] -
        9 STORE - [0,6,8] -
    ";
    let a = small(Scalar::F32, 8);
    let expected: Vec<u64> = (0..12).map(|i| single(if i < 8 { value(&a, i) as f32 } else { 1.5 })).collect();
    assert_eq!(bits(text, &inputs(12, &[a])), expected);
}

/// A half buffer read and written as single precision.
#[test]
fn conversion_to_the_type_of_the_buffer() {
    let text = "
        0 DEFINE_GLOBAL f16* [] 0:out
        1 DEFINE_GLOBAL f16* [] 1:in
        2 CONST i32 [] 0
        3 CONST f32 [] f:3fd5555555555555
        4 LOAD f32 [1,2] -
        5 ALU f32 [4,3] ADD
        6 STORE - [0,2,5] -
    ";
    let a = small(Scalar::F16, 1);
    let expected = f16::from_f32(value(&a, 0) as f32 + 1.0 / 3.0).to_bits();
    assert_eq!(bits(text, &inputs(1, &[a])), [u64::from(expected)]);
}

/// A pixel is four elements; beyond the border of an image there are zeros, and a gate still applies.
#[test]
fn images() {
    let list = "
        ; k global=[4,1,1]local=[1,1,1]
        0 DEFINE_GLOBAL imagef[1,4,4] [] 0:out
        1 DEFINE_GLOBAL imagef[2,3,4] [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 1
        4 CONST f32x4 [] f:4014000000000000
        5 SPECIAL i32 [] 0:gidx0:4
        6 CAST i32x2 [5,3] -
        7 ALU bool [2,5] CMPLT
        8 LOAD f32x4 [1,6,7,4] -
        9 CAST i32x2 [5,{}] -
        10 STORE - [0,9,8] -
    ";
    let a = small(Scalar::F32, 24);
    let expected: Vec<u64> = (0..16)
        .map(|i| match i / 4 {
            0 => single(5.0),
            3 => single(0.0),
            _ => single(value(&a, 12 + i) as f32),
        })
        .collect();
    assert_eq!(bits(&list.replace("{}", "2"), &inputs(16, &[a])), expected);
    expect!["OutOfBounds: uop 10 `STORE - [0,9,8] -` in workgroup (0,0,0) lane (0,0,0): writes a pixel outside the image of output argument 0, which has 16"]
    .assert_eq(&findings(&list.replace("{}", "3"), &inputs(16, &[a])));
}

/// Channels of `imageh` hold halves: 2049 becomes 2048.
#[test]
fn half_images_round() {
    let text = "
        0 DEFINE_GLOBAL imageh[1,1,4] [] 0:out
        1 CONST i32 [] 0
        2 CONST f32x4 [] f:40a0020000000000
        3 CAST i32x2 [1,1] -
        4 STORE - [0,3,2] -
    ";
    assert_eq!(bits(text, &inputs(4, &[])), [single(2048.0); 4]);
}

/// All lanes read the output's old value, and one writes the new one: right with a barrier between, as in a grouped
/// reduction into a buffer that is also read.
#[test]
fn an_output_that_is_read_before_it_is_written() {
    let list = "
        ; k global=[2,1,1]local=[4,1,1]
        0 DEFINE_GLOBAL f32* [] 0:out
        1 CONST i32 [] 1
        2 CONST f32 [] f:3ff0000000000000
        3 SPECIAL i32 [] 0:gidx0:2
        4 SPECIAL i32 [] 0:lidx0:4
        5 LOAD f32 [0,{}] -
        6 ALU f32 [5,2] ADD
        7 BARRIER - [] -
        8 ALU bool [4,1] CMPLT
        9 STORE - [0,3,6,8] -
    ";
    let before = small(Scalar::F32, 2);
    let mut inputs = inputs(2, &[]);
    inputs.buffers.push((0, before));
    let expected = [0, 1].map(|i| single(value(&before, i) as f32 + 1.0));
    assert_eq!(bits(&list.replace("{}", "3"), &inputs), expected);
    // Without the barrier.
    let without = list.replace("{}", "3").replace("7 BARRIER - [] -", "7 CONST i32 [] 0");
    expect!["Race: uop 9 `STORE - [0,3,6,8] -` in workgroup (0,0,0) lane (0,0,0): writes element 0, which is read in several lanes, of output argument 0"]
    .assert_eq(&findings(&without, &inputs));
    // Of another workgroup's element: a barrier is of no use.
    expect!["Race: uop 9 `STORE - [0,3,6,8] -` in workgroup (1,0,0) lane (0,0,0): writes element 1, which is read in several lanes, of output argument 0"]
    .assert_eq(&findings(&list.replace("{}", "1"), &inputs));
}
