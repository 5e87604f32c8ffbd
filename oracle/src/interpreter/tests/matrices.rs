//! Matrix instructions, against the layouts as their makers' manuals state them: from lane and element to row and
//! column, the other way round than the interpreter does it.

use super::{findings, inputs, ran, small, value};
use crate::data::InputBuffer;
use half::f16;
use plumb_core::dtype::Scalar;

/// An instruction: its uop's argument, elements of A, B and C in each lane, and where these lie (row, column).
struct Family {
    arg: &'static str,
    dims: [usize; 3],
    types: [Scalar; 2],
    a: fn(usize, usize) -> (usize, usize),
    b: fn(usize, usize) -> (usize, usize),
    c: fn(usize, usize) -> (usize, usize),
    sizes: [usize; 3],
}

/// Apple's 8×8 matrices: each lane holds two neighbours of a row.
fn apple(lane: usize, element: usize) -> (usize, usize) {
    let quad = lane / 4;
    (lane / 2 % 4 + quad / 4 * 4, lane % 2 * 2 + quad / 2 % 2 * 4 + element)
}

const FAMILIES: [Family; 4] = [
    Family {
        arg: "WMMA_8_8_8_float_float:8,8,8:f32:f32:2,2,2",
        dims: [8, 8, 8],
        types: [Scalar::F32, Scalar::F32],
        a: apple,
        b: apple,
        c: apple,
        sizes: [2, 2, 2],
    },
    // PTX ISA, mma.m16n8k16 with .f16: lane = 4 * group + thread of the group.
    Family {
        arg: "WMMA_8_16_16_half_float:8,16,16:f16:f32:8,4,4",
        dims: [8, 16, 16],
        types: [Scalar::F16, Scalar::F32],
        a: |lane, i| {
            let row = if i % 4 < 2 { lane / 4 } else { lane / 4 + 8 };
            (row, lane % 4 * 2 + i % 2 + if i >= 4 { 8 } else { 0 })
        },
        b: |lane, i| (lane % 4 * 2 + i % 2 + if i >= 2 { 8 } else { 0 }, lane / 4),
        c: |lane, i| (if i < 2 { lane / 4 } else { lane / 4 + 8 }, lane % 4 * 2 + i % 2),
        sizes: [8, 4, 4],
    },
    // RDNA3 ISA, v_wmma_f32_16x16x16_f16 for waves of 32.
    Family {
        arg: "WMMA_16_16_16_half_float:16,16,16:f16:f32:16,16,8",
        dims: [16, 16, 16],
        types: [Scalar::F16, Scalar::F32],
        a: |lane, i| (lane % 16, i),
        b: |lane, i| (i, lane % 16),
        c: |lane, i| (2 * i + lane / 16, lane % 16),
        sizes: [16, 16, 8],
    },
    Family {
        arg: "WMMA_16_16_16_half_half:16,16,16:f16:f16:16,16,8",
        dims: [16, 16, 16],
        types: [Scalar::F16, Scalar::F16],
        a: |lane, i| (lane % 16, i),
        b: |lane, i| (i, lane % 16),
        c: |lane, i| (2 * i + lane / 16, lane % 16),
        sizes: [16, 16, 8],
    },
];

/// A kernel in which lane `l` takes elements `l * size` and on of each argument, and stores D so; two warps.
fn kernel(family: &Family, lanes: usize) -> String {
    let [input, output] = family.types;
    let [a, b, c] = family.sizes;
    // A and B of RDNA3 are the same in both halves of a warp: the upper lanes read what the lower ones read.
    let period = if family.dims == [16, 16, 16] { 16 } else { 32 };
    format!(
        "; k global=[1,1,1]local=[{lanes},1,1]
        0 DEFINE_GLOBAL {output}* [] 0:out
        1 DEFINE_GLOBAL {input}* [] 1:in
        2 DEFINE_GLOBAL {input}* [] 2:in
        3 DEFINE_GLOBAL {output}* [] 3:in
        4 SPECIAL i32 [] 0:lidx0:{lanes}
        5 CONST i32 [] {period}
        6 ALU i32 [4,5] MOD
        7 CONST i32 [] {a}
        8 CONST i32 [] {b}
        9 CONST i32 [] {c}
        10 ALU i32 [6,7] MUL
        11 ALU i32 [6,8] MUL
        12 ALU i32 [4,9] MUL
        13 LOAD {input}x{a} [1,10] -
        14 LOAD {input}x{b} [2,11] -
        15 LOAD {output}x{c} [3,12] -
        16 WMMA {output}x{c} [13,14,15] {}
        17 STORE - [0,12,16] -
        ",
        family.arg
    )
}

#[test]
fn products_in_every_family() {
    for family in &FAMILIES {
        let [columns, rows, depth] = family.dims;
        let [a_size, b_size, c_size] = family.sizes;
        let lanes = 64;
        let [input, output] = family.types;
        let sized = |dtype, size: usize, seed| InputBuffer { seed, ..small(dtype, (size * lanes) as i64) };
        let buffers = [sized(input, a_size, 1), sized(input, b_size, 2), sized(output, c_size, 3)];
        let period = if family.dims == [16, 16, 16] { 16 } else { 32 };
        let run = ran(&kernel(family, lanes), &inputs((c_size * lanes) as i64, &buffers));
        for warp in 0..2 {
            let mut matrices = [vec![0; rows * depth], vec![0; depth * columns]];
            let operands = [(a_size, family.a, depth), (b_size, family.b, columns)];
            for (n, (size, at, width)) in operands.into_iter().enumerate() {
                for (lane, element) in (0..32).flat_map(|lane| (0..size).map(move |element| (lane, element))) {
                    let (row, column) = at(lane, element);
                    let index = (warp * 32 + lane) % period * size + element;
                    matrices[n][row * width + column] = value(&buffers[n], index as i64);
                }
            }
            for lane in 0..32 {
                for element in 0..c_size {
                    let (row, column) = (family.c)(lane, element);
                    let product: i64 =
                        (0..depth).map(|k| matrices[0][row * depth + k] * matrices[1][k * columns + column]).sum();
                    let index = (warp * 32 + lane) * c_size + element;
                    let expected = product + value(&buffers[2], index as i64);
                    let bits = run.outputs[0].written[index].1;
                    let got = match output {
                        Scalar::F16 => f16::from_bits(bits as u16).to_f32(),
                        _ => f32::from_bits(bits as u32),
                    };
                    assert_eq!(got, expected as f32, "{} lane {lane} element {element}", family.arg);
                }
            }
        }
    }
}

#[test]
fn warps_must_be_whole() {
    let buffers = [small(Scalar::F32, 256), small(Scalar::F32, 256), small(Scalar::F32, 256)];
    let text = findings(&kernel(&FAMILIES[0], 16), &inputs(256, &buffers));
    assert!(text.starts_with("Malformed: uop 16 "), "{text}");
}

/// RDNA3 takes A and B from both halves of a warp, which must agree.
#[test]
fn halves_of_a_warp_must_agree() {
    let buffers = [small(Scalar::F16, 512), small(Scalar::F16, 512), small(Scalar::F32, 512)];
    let text = kernel(&FAMILIES[2], 32).replace("5 CONST i32 [] 16", "5 CONST i32 [] 32");
    let text = findings(&text, &inputs(512, &buffers));
    assert!(text.contains("not those of the lane 16 away"), "{text}");
}
