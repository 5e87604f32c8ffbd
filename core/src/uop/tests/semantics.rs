//! Rewriting keeps the meaning: random graphs of arithmetic of every type, evaluated before and after, special values
//! included.

use super::execute::{Inputs, run, value_of};
use super::typed;
use super::{list, no_rules};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::rule::{Rules, State};
use crate::symbolic::Sint;
use crate::uop::{IndexName, UopArg, UopGraph, UopId, UopKind, UopRule};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// Buffers 1 to 4 hold a value of the type at hand, 5 and 6 a bool.
const NUMBERS: u32 = 4;
const BOOLS: u32 = 2;

/// One step of a program: what it does, by a number, and three operands, by numbers to be reduced to what there is.
pub(super) type Step = (u8, u16, u16, u16);

/// Numbers that rules look at, and that types end at.
const SPECIAL: [f64; 23] = [
    0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    3.0,
    5.0,
    127.0,
    -128.0,
    128.0,
    255.0,
    -32768.0,
    2147483647.0,
    -2147483648.0,
    -9223372036854775808.0,
    0.5,
    0.1,
    0.7,
    1.1,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// The constants of a type that programs use.
fn constant(scalar: Scalar, number: u16) -> Constant {
    let number = SPECIAL[usize::from(number) % SPECIAL.len()];
    match scalar {
        Scalar::Bool => Constant::Bool(number > 0.0),
        _ if scalar.is_float() => Constant::Float(number),
        // No binary64 holds the latter.
        _ => Constant::Int(if number.is_finite() { number as i128 } else { 108086391056891907 }),
    }
}

/// The graph of a program over a type, which stores the last number and the last bool it makes.
pub(super) fn build(scalar: Scalar, steps: &[Step], rules: Rules) -> UopGraph {
    let mut graph = UopGraph::new(rules);
    let zero = graph.constant(DType::I32, Constant::Int(0));
    let load = |graph: &mut UopGraph, index, scalar: Scalar| {
        let pointer = graph.pointer(index, scalar);
        graph.add(UopKind::Load, Some(scalar.into()), &[pointer, zero], UopArg::None)
    };
    let mut numbers: Vec<UopId> = (1..=NUMBERS).map(|index| load(&mut graph, index, scalar)).collect();
    let mut bools: Vec<UopId> = (1..=BOOLS).map(|index| load(&mut graph, NUMBERS + index, Scalar::Bool)).collect();
    if scalar == Scalar::I32 {
        // Rules know what an index can be.
        for (dim, size) in [(0, 8), (1, 1)] {
            let arg = UopArg::Special { dim, name: IndexName::Local(dim), size: Sint::Int(size) };
            numbers.push(graph.add(UopKind::Special, Some(DType::I32), &[], arg));
        }
    }
    let pick = |of: &[UopId], number: u16| of[usize::from(number) % of.len()];
    for &(kind, a, b, c) in steps {
        let (x, y) = (pick(&numbers, a), pick(&numbers, b));
        let (p, q) = (pick(&bools, a), pick(&bools, b));
        let cast = |graph: &mut UopGraph, to: Scalar, x| graph.add(UopKind::Cast, Some(to.into()), &[x], UopArg::None);
        match kind % 30 {
            0 | 1 => numbers.push(graph.constant(scalar.into(), constant(scalar, a))),
            2 | 3 => numbers.push(graph.alu(AluOp::Neg, &[x])),
            4 | 5 => numbers.push(graph.alu(AluOp::Add, &[x, y])),
            6 | 7 => numbers.push(graph.alu(AluOp::Mul, &[x, y])),
            8 | 9 => numbers.push(graph.alu(AluOp::Sub, &[x, y])),
            10 => numbers.push(graph.alu(AluOp::Div, &[x, y])),
            11 => numbers.push(graph.alu(AluOp::Max, &[x, y])),
            12 if scalar.is_float() => numbers.push(graph.alu(AluOp::Sqrt, &[x])),
            12 => numbers.push(graph.alu(AluOp::Mod, &[x, y])),
            13 => numbers.push(graph.alu(AluOp::Where, &[pick(&bools, c), x, y])),
            14 | 15 => bools.push(graph.alu(AluOp::CmpLt, &[x, y])),
            16 => bools.push(graph.alu(AluOp::CmpEq, &[x, y])),
            17 => bools.push(graph.alu(AluOp::Neg, &[p])),
            18 => bools.push(graph.alu([AluOp::Add, AluOp::Mul][usize::from(c) % 2], &[p, q])),
            19 => bools.push(graph.alu([AluOp::Sub, AluOp::Xor, AluOp::CmpLt][usize::from(c) % 3], &[p, q])),
            20 => bools.push(graph.constant(DType::BOOL, Constant::Bool(a % 2 == 0))),
            21 => numbers.push(cast(&mut graph, scalar, p)),
            // On from the last number, with a constant.
            22..=27 => {
                let last = *numbers.last().expect("loads");
                let constant = graph.constant(scalar.into(), constant(scalar, a));
                let op = [AluOp::Add, AluOp::Sub, AluOp::Mul, AluOp::Div, AluOp::Max][usize::from(c) % 5];
                numbers.push(graph.alu(op, &[last, constant]));
            }
            // There and back again, by way of another type.
            _ => {
                let there = Scalar::ALL[usize::from(c) % 13];
                let there = cast(&mut graph, there, x);
                numbers.push(cast(&mut graph, scalar, there));
            }
        }
    }
    for (index, values) in [(0, numbers), (NUMBERS + BOOLS + 1, bools)] {
        let value = *values.last().expect("loads");
        let of = graph.uop(value).dtype.expect("a value").scalar();
        let pointer = graph.pointer(index, of);
        graph.add(UopKind::Store, None, &[pointer, zero, value], UopArg::None);
    }
    graph
}

/// What is stored before and after rewriting where that differs, for some inputs. With `finite`, only where all values on
/// the way are integers of moderate size, and zeros have no sign.
fn difference(scalar: Scalar, steps: &[Step], rules: Rules, inputs: &[u16], finite: bool) -> Option<String> {
    let (before, _) = list(build(scalar, steps, no_rules()));
    let (after, _) = list(build(scalar, steps, rules));
    (0..SPECIAL.len() as u16).find_map(|shift| {
        let load = |buffer: u32, _, scalar: Scalar| {
            value_of(constant(scalar, inputs[buffer as usize].wrapping_add(shift)), scalar)
        };
        let source = Inputs { load: &load, lane: [i64::from(shift % 8), 0, 0] };
        let (left, right) = (run(&before, &source), run(&after, &source));
        let counts = !finite || left.exact;
        let (mut left, mut right) = (left.stored, right.stored);
        if finite {
            for value in left.iter_mut().chain(&mut right).flat_map(|(_, _, lanes)| lanes) {
                *value = typed::unsigned_zero(*value, scalar);
            }
        }
        (counts && left != right).then(|| format!("{scalar}, inputs {inputs:?} + {shift}: {left:?} became {right:?}"))
    })
}

pub(super) fn programs() -> impl Strategy<Value = (Scalar, Vec<Step>, Vec<u16>)> {
    let steps = prop::collection::vec(any::<Step>(), 1..24);
    (prop::sample::select(Scalar::ALL.to_vec()), steps, prop::collection::vec(any::<u16>(), 8))
}

pub(super) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(3000))]

    /// Integers and bools by all rules, floats by those that hold for all values.
    #[test]
    fn rewriting_keeps_the_meaning((scalar, steps, inputs) in programs()) {
        let rules = if scalar.is_float() { Rules::default().strict_float() } else { Rules::default() };
        prop_assert_eq!(difference(scalar, &steps, rules, &inputs, false), None);
    }

    /// Floats by all rules, where all values are finite and nothing is rounded.
    #[test]
    fn rewriting_keeps_the_meaning_of_finite_floats((scalar, steps, inputs) in programs()) {
        prop_assert_eq!(difference(scalar, &steps, Rules::default(), &inputs, true), None);
    }
}

/// The same programs show each planted fault of arithmetic, so that they can be trusted to show others.
#[test]
fn planted_faults_are_caught() {
    let rules = [
        UopRule::MaximumLeastInteger,
        UopRule::NegateTwice,
        UopRule::AddNegated,
        UopRule::WhereConstant,
        UopRule::FoldConstants,
        UopRule::DivideMinusOne,
        UopRule::MultiplyZero,
        UopRule::MultiplyZeroFloat,
        UopRule::AddTwice,
        UopRule::AddTwiceFloat,
        UopRule::SubtractThenAdd,
        UopRule::SubtractThenAddFloat,
        UopRule::LessNegated,
        UopRule::MaximumIndex,
    ];
    let mut runner = TestRunner::new_with_rng(config(0), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut unseen: Vec<UopRule> = rules.to_vec();
    for _ in 0..20_000 {
        if unseen.is_empty() {
            return;
        }
        let (scalar, steps, inputs) = programs().new_tree(&mut runner).expect("a program").current();
        unseen.retain(|&rule| {
            let altered = Rules::default().with(rule, State::Altered);
            let (_, firings) = list(build(scalar, &steps, altered));
            firings.of(rule) == 0 || difference(scalar, &steps, altered, &inputs, true).is_none()
        });
    }
    panic!("not caught: {unseen:?}");
}
