//! Rewrites that are right leave a fingerprint as it is; anything else changes it.

use super::algebra::Algebra;
use super::difference::{Multiset, describe, elements};
use super::lane::Lane;
use super::same;
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::dtype::Scalar;

const F: Scalar = Scalar::F32;

fn alu(op: AluOp, operands: &[Lane]) -> Lane {
    Algebra::new(1).alu(op, F, operands).unwrap_or(Lane::ZERO)
}

fn unknown(element: i64) -> Lane {
    Algebra::new(1).element(1, element, F)
}

fn number(value: f64) -> Lane {
    Lane::of_float(value)
}

#[test]
fn rewrites_of_floats_change_nothing() {
    let (x, y, z) = (unknown(0), unknown(1), unknown(2));
    let add = |a, b| alu(AluOp::Add, &[a, b]);
    let mul = |a, b| alu(AluOp::Mul, &[a, b]);
    let equal = [
        (mul(x, number(0.0)), number(0.0)),
        (alu(AluOp::Sub, &[x, x]), number(0.0)),
        (mul(add(x, y), z), add(mul(x, z), mul(y, z))),
        (add(add(x, y), z), add(x, add(z, y))),
        (add(add(x, number(0.1)), number(-0.1)), x),
        (alu(AluOp::Neg, &[alu(AluOp::Neg, &[x])]), x),
        (mul(x, number(-1.0)), alu(AluOp::Neg, &[x])),
        (alu(AluOp::Div, &[x, number(-1.0)]), alu(AluOp::Neg, &[x])),
        (add(add(x, x), x), mul(x, number(3.0))),
        (alu(AluOp::MulAcc, &[x, y, z]), add(z, mul(y, x))),
        (alu(AluOp::Where, &[Lane::of_bits(1), x, y]), x),
        (alu(AluOp::Where, &[alu(AluOp::CmpLt, &[x, y]), z, z]), z),
        (alu(AluOp::CmpLt, &[x, x]), Lane::of_bits(0)),
        (alu(AluOp::CmpLt, &[alu(AluOp::Neg, &[x]), number(2.0)]), alu(AluOp::CmpLt, &[number(-2.0), x])),
        (alu(AluOp::Max, &[alu(AluOp::Max, &[x, y]), z]), alu(AluOp::Max, &[y, alu(AluOp::Max, &[z, x])])),
        (alu(AluOp::Max, &[Algebra::identity(ReduceOp::Max, F), x]), x),
    ];
    for (number, (a, b)) in equal.into_iter().enumerate() {
        assert!(same(a, b, F), "rewrite {number}: {a:?} {b:?}");
    }
}

#[test]
fn other_elements_change_it() {
    let (x, y, z) = (unknown(0), unknown(1), unknown(2));
    let different = [
        (alu(AluOp::Add, &[x, y]), alu(AluOp::Add, &[x, z])),
        (alu(AluOp::Add, &[x, y]), alu(AluOp::Add, &[x, alu(AluOp::Add, &[y, y])])),
        (alu(AluOp::Max, &[x, y]), x),
        (alu(AluOp::Max, &[x, y]), alu(AluOp::Max, &[x, alu(AluOp::Max, &[y, y])])),
        (alu(AluOp::Exp2, &[x]), alu(AluOp::Exp2, &[y])),
        (alu(AluOp::CmpLt, &[x, y]), alu(AluOp::CmpLt, &[y, x])),
        (
            alu(AluOp::Where, &[alu(AluOp::CmpLt, &[x, y]), x, z]),
            alu(AluOp::Where, &[alu(AluOp::CmpLt, &[x, y]), z, x]),
        ),
        (x, number(0.0)),
    ];
    for (number, (a, b)) in different.into_iter().enumerate() {
        assert!(!same(a, b, F), "pair {number}: {a:?} {b:?}");
    }
}

#[test]
fn integers_wrap_as_their_type_does() {
    let mut algebra = Algebra::new(1);
    let x = algebra.element(1, 5, Scalar::U8);
    let mut add = |a, value| algebra.alu(AluOp::Add, Scalar::U8, &[a, Lane::of_bits(value)]).unwrap_or(Lane::ZERO);
    let twice = add(x, 200);
    assert_eq!(add(twice, 100), add(x, 44));
}

#[test]
fn traces_count_elements() {
    let mut algebra = Algebra::tracing(7);
    let [x, y] = [algebra.element(1, 0, F), algebra.element(2, 9, F)];
    let product = algebra.alu(AluOp::Mul, F, &[x, y]).unwrap_or(Lane::ZERO);
    let sum = algebra.accumulate(ReduceOp::Sum, F, product, x);
    let got = elements(algebra.trace(), sum.trace);
    assert_eq!(got, Multiset::from([((1, 0), 2), ((2, 9), 1)]));
    let expected = Multiset::from([((1, 0), 1), ((1, 3), 1)]);
    let text = describe(&expected, &got);
    assert_eq!(text, "misses buf1[3]; has besides buf2[9]; has buf1[0] 2 times, not 1");
}
