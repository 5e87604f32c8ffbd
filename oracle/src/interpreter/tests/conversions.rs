//! Every pair of types, by value and by bits.

use super::operations::{constant, same, telling};
use super::{bits, inputs, ran};
use half::{bf16, f16};
use plumb_core::dtype::Scalar;

fn converted(code: &str, from: Scalar, to: Scalar, value: u64) -> String {
    format!(
        "0 DEFINE_GLOBAL {to}* [] 0:out\n1 CONST i32 [] 0\n2 CONST {from} [] {}\n3 {code} {to} [2] -\n4 STORE - [0,1,3] -\n",
        constant(from, value)
    )
}

/// A value as exactly as any type has it: integers as they are, floats as `f64`.
#[derive(Clone, Copy, Debug)]
enum Exact {
    Int(i128),
    Float(f64),
}

fn exact(scalar: Scalar, bits: u64) -> Exact {
    match scalar {
        Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Exact::Int(i128::from(bits)),
        Scalar::I8 => Exact::Int(i128::from(bits as i8)),
        Scalar::I16 => Exact::Int(i128::from(bits as i16)),
        Scalar::I32 => Exact::Int(i128::from(bits as i32)),
        Scalar::I64 => Exact::Int(i128::from(bits as i64)),
        Scalar::F16 => Exact::Float(f16::from_bits(bits as u16).to_f64()),
        Scalar::BF16 => Exact::Float(bf16::from_bits(bits as u16).to_f64()),
        Scalar::F32 => Exact::Float(f64::from(f32::from_bits(bits as u32))),
        Scalar::F64 => Exact::Float(f64::from_bits(bits)),
    }
}

/// The bits of a value in another type; `None`: undefined.
fn expected(value: Exact, to: Scalar) -> Option<u64> {
    let mask = if to == Scalar::Bool { 1 } else { u64::MAX >> (64 - to.bits()) };
    Some(match (value, to) {
        (Exact::Int(value), Scalar::Bool) => u64::from(value != 0),
        (Exact::Float(value), Scalar::Bool) => u64::from(value != 0.0),
        (Exact::Int(value), Scalar::F64) => (value as f64).to_bits(),
        (Exact::Int(value), Scalar::F32) => u64::from((value as f32).to_bits()),
        (Exact::Int(value), Scalar::F16) => u64::from(f16::from_f32(value as f32).to_bits()),
        (Exact::Int(value), Scalar::BF16) => u64::from(bf16::from_f32(value as f32).to_bits()),
        (Exact::Int(value), _) => value as u64 & mask,
        (Exact::Float(value), Scalar::F64) => value.to_bits(),
        (Exact::Float(value), Scalar::F32) => u64::from((value as f32).to_bits()),
        (Exact::Float(value), Scalar::F16) => u64::from(f16::from_f32(value as f32).to_bits()),
        (Exact::Float(value), Scalar::BF16) => u64::from(bf16::from_f32(value as f32).to_bits()),
        (Exact::Float(value), _) => {
            let (low, high) = to.int_range()?;
            let whole = Some(value.trunc() as i128).filter(|whole| value.is_finite() && (low..=high).contains(whole));
            whole? as u64 & mask
        }
    })
}

#[test]
fn every_pair_of_types_by_value() {
    for from in Scalar::ALL {
        for to in Scalar::ALL {
            for value in telling(from) {
                let text = converted("CAST", from, to, value);
                let run = ran(&text, &inputs(1, &[]));
                let output = &run.outputs[0];
                match expected(exact(from, value), to) {
                    Some(expected) => {
                        let got = output.written[0].1;
                        assert!(same(to, got, expected), "{from} {value:x} to {to}: {got:x}, not {expected:x}");
                        assert!(output.undefined.is_empty(), "{from} {value:x} to {to} is defined");
                    }
                    None => assert_eq!(output.undefined, [0], "{from} {value:x} to {to} is undefined"),
                }
            }
        }
    }
}

#[test]
fn every_pair_of_types_of_a_size_by_bits() {
    for from in Scalar::ALL {
        for to in Scalar::ALL.into_iter().filter(|to| to.size() == from.size()) {
            for value in telling(from) {
                let got = bits(&converted("BITCAST", from, to, value), &inputs(1, &[]))[0];
                let expected = if to == Scalar::Bool { u64::from(value != 0) } else { value };
                assert!(same(from, got, expected) || same(to, got, expected), "{from} {value:x} as {to}: {got:x}");
            }
        }
    }
}

/// The bits of 1.0 in single precision, where a value cast would give 1.
#[test]
fn a_bitcast_is_no_cast() {
    let text = converted("BITCAST", Scalar::F32, Scalar::U32, u64::from(1f32.to_bits()));
    assert_eq!(bits(&text, &inputs(1, &[])), [1_065_353_216]);
}

/// What depends on an undefined value is undefined, unless another value is selected.
#[test]
fn undefined_values_spread() {
    let text = "
        0 DEFINE_GLOBAL i32* [] 0:out
        1 CONST i32 [] 0
        2 CONST i32 [] 1
        3 CONST i32 [] 2
        4 CONST f32 [] f:7e37e43c8800759c
        5 CAST i32 [4] -
        6 ALU i32 [5,2] ADD
        7 CONST bool [] false
        8 ALU i32 [7,6,2] WHERE
        9 ALU i32 [2,1] DIV
        10 STORE - [0,1,6] -
        11 STORE - [0,2,8] -
        12 STORE - [0,3,9] -
    ";
    let run = ran(text, &inputs(3, &[]));
    assert_eq!(run.outputs[0].undefined, [0, 2]);
    assert_eq!(run.outputs[0].written[1], (1, 1));
}

/// An accumulator that starts defined and adds up an undefined value is undefined afterwards, through local memory too.
#[test]
fn undefined_values_go_through_accumulators_and_memory() {
    let text = "
        ; k global=[1,1,1]local=[2,1,1]
        0 DEFINE_GLOBAL i32* [] 0:out
        1 DEFINE_LOCAL i32* [] temp:2
        2 CONST i32 [] 0
        3 CONST i32 [] 3
        4 CONST f32 [] f:7e37e43c8800759c
        5 SPECIAL i32 [] 0:lidx0:2
        6 CAST bool [5] -
        7 CONST f32 [] f:3ff0000000000000
        8 ALU f32 [6,4,7] WHERE
        9 CAST i32 [8] -
        10 DEFINE_ACC i32 [11] 0:0:0
        11 RANGE i32 [2,3] 2:0
        12 ALU i32 [9,10] ADD
        13 PHI i32 [10,12] -
        14 ENDRANGE - [11] -
        15 STORE - [1,5,13] -
        16 BARRIER - [15] -
        17 CONST i32 [] 1
        18 ALU i32 [17,5] SUB
        19 LOAD i32 [1,18,16] -
        20 STORE - [0,5,19] -
    ";
    let run = ran(text, &inputs(2, &[]));
    assert_eq!(run.outputs[0].undefined, [0]);
    assert_eq!(run.outputs[0].written[1], (1, 3));
}
