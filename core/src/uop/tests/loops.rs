//! Loops whose sum is known without running them, and accumulators without loops.

use super::execute::{Inputs, run, value_of};
use super::{list, no_rules, text, typed};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::rule::{Rules, State};
use crate::symbolic::Sint;
use crate::uop::{IndexName, UopArg, UopGraph, UopId, UopKind, UopRule};
use expect_test::expect;
use proptest::prelude::*;

/// The accumulator's number is 0, its buffer 0.
fn accumulator(graph: &mut UopGraph, dtype: DType, init: Constant, loops: &[UopId]) -> UopId {
    let init = init.cast(dtype.scalar());
    graph.add(UopKind::DefineAcc, Some(dtype), loops, UopArg::Acc { init, buffer: 0, number: 0 })
}

fn range(graph: &mut UopGraph, length: i64, number: u32) -> UopId {
    let bounds = [0, length].map(|bound| int(graph, bound));
    graph.add(UopKind::Range, Some(DType::I32), &bounds, UopArg::Range { depth: 2, number })
}

fn int(graph: &mut UopGraph, value: i64) -> UopId {
    graph.constant(DType::I32, Constant::Int(value.into()))
}

fn lane(graph: &mut UopGraph) -> UopId {
    let arg = UopArg::Special { dim: 0, name: IndexName::Global(0), size: Sint::Int(16) };
    graph.add(UopKind::Special, Some(DType::I32), &[], arg)
}

fn store(graph: &mut UopGraph, index: UopId, value: UopId) {
    let scalar = graph.uop(value).dtype.expect("a value").scalar();
    let pointer = graph.pointer(0, scalar);
    graph.add(UopKind::Store, None, &[pointer, index, value], UopArg::None);
}

/// A sum over a loop of choices between `scale` and 0, converted in turn.
#[derive(Clone, Debug)]
struct Counted {
    length: i64,
    step: i64,
    factor: i64,
    bound: i64,
    scale: i64,
    types: Vec<Scalar>,
    /// How often the choice is added in one iteration.
    unroll: usize,
    init: i64,
}

impl Counted {
    /// Like a row of `arange`: how many r make `lane - r < 1`.
    fn arange() -> Counted {
        Counted { length: 16, step: -1, factor: 1, bound: 1, scale: 1, types: vec![Scalar::I32], unroll: 1, init: 0 }
    }

    fn graph(&self, rules: Rules) -> UopGraph {
        let mut graph = UopGraph::new(rules);
        let (lane, range) = (lane(&mut graph), range(&mut graph, self.length, 0));
        let last = DType::from(*self.types.last().expect("a type"));
        let accumulator = accumulator(&mut graph, last, Constant::Int(self.init.into()), &[range]);
        let mut sum = accumulator;
        for place in 0..self.unroll {
            let (factor, step) = (int(&mut graph, self.factor), int(&mut graph, self.step));
            let bound = int(&mut graph, self.bound + place as i64);
            let index = graph.alu(AluOp::Mul, &[lane, factor]);
            let product = graph.alu(AluOp::Mul, &[range, step]);
            let position = graph.alu(AluOp::Add, &[index, product]);
            let gate = graph.alu(AluOp::CmpLt, &[position, bound]);
            let first = DType::from(self.types[0]);
            let [scale, zero] = [self.scale, 0].map(|value| graph.constant(first, Constant::Int(value.into())));
            let mut value = graph.alu(AluOp::Where, &[gate, scale, zero]);
            for &scalar in &self.types[1..] {
                value = graph.add(UopKind::Cast, Some(scalar.into()), &[value], UopArg::None);
            }
            sum = graph.alu(AluOp::Add, &[value, sum]);
        }
        let phi = graph.add(UopKind::Phi, Some(last), &[accumulator, sum], UopArg::None);
        store(&mut graph, lane, phi);
        graph
    }

    /// Whether no loop is left.
    fn collapses(&self, rules: Rules) -> bool {
        !list(self.graph(rules)).0.uops.iter().any(|uop| uop.kind == UopKind::Range)
    }

    /// Where the meaning changes.
    fn difference(&self, rules: Rules) -> Option<String> {
        let (before, after) = (list(self.graph(no_rules())).0, list(self.graph(rules)).0);
        [0, 1, 2, 7, 15].into_iter().find_map(|lane| {
            let inputs = Inputs { load: &|_, _, _| unreachable!("nothing is loaded"), lane: [lane, 0, 0] };
            // A count times a negative number may be -0.0.
            let scalar = *self.types.last()?;
            let value = |list| typed::unsigned_zero(run(list, &inputs).stored[0].2[0], scalar);
            let (left, right) = (value(&before), value(&after));
            // Sums of floats are rounded where they grow beyond what is exact.
            (left != right && typed::is_exact(left, scalar)).then(|| format!("lane {lane}: {left:?} became {right:?}"))
        })
    }
}

#[test]
fn arange_needs_no_loop() {
    expect![[r#"
        0 DEFINE_GLOBAL i32* [] 0:out
        1 CONST i32 [] -16
        2 CONST i32 [] -1
        3 CONST i32 [] 0
        4 CONST i32 [] 1
        5 CONST i32 [] 16
        6 SPECIAL i32 [] 0:gidx0:16
        7 ALU i32 [6,4] SUB
        8 ALU i32 [7,2] SUB
        9 ALU i32 [8] NEG
        10 ALU i32 [9,5] ADD
        11 ALU i32 [10,3] MAX
        12 ALU i32 [11] NEG
        13 ALU i32 [1,12] MAX
        14 ALU i32 [13] NEG
        15 STORE - [0,6,14] -
        fired: loop-collapse sum-collapse undo-multiplication phi-unchanged fold-constants add-zero multiply-one subtract-zero divide-minus-one cast-same
    "#]]
    .assert_eq(&text(Counted::arange().graph(Rules::default())));
}

/// Each rule that takes part in a collapse, and a sum in which it does.
#[test]
fn rules_of_collapses_fire() {
    let arange = Counted::arange;
    let float = Counted { types: vec![Scalar::F32], ..arange() };
    for (rule, counted) in [
        (UopRule::LoopCollapse, arange()),
        (UopRule::LoopCollapseFloat, float.clone()),
        (UopRule::SumCollapse, arange()),
        (UopRule::SumCollapseFloat, float),
        (UopRule::UndoMultiplication, arange()),
        (UopRule::UndoOfZero, Counted { scale: 0, types: vec![Scalar::I64], ..arange() }),
        (UopRule::CastUndo, Counted { types: vec![Scalar::I32, Scalar::F32], ..arange() }),
        (UopRule::PhiUnchanged, arange()),
    ] {
        assert!(list(counted.graph(Rules::default())).1.of(rule) > 0, "{rule:?} on {counted:?}");
        assert!(counted.collapses(Rules::default()), "{counted:?}");
    }
}

/// What must be looped over, and why.
#[test]
fn loops_that_are_kept() {
    let arange = Counted::arange;
    for (counted, reason) in [
        (Counted { types: vec![Scalar::Bool, Scalar::I32], ..arange() }, "a sum of bools is no sum of integers"),
        (
            Counted { types: vec![Scalar::F32, Scalar::I32], ..arange() },
            "a sum of fractions is not rounded like its terms",
        ),
        (Counted { types: vec![Scalar::U8, Scalar::I32], length: 300, ..arange() }, "the length is no u8"),
        (Counted { types: vec![Scalar::I8, Scalar::I32], scale: 100, ..arange() }, "the sum is no i8"),
        (Counted { types: vec![Scalar::F16, Scalar::F32], length: 5000, ..arange() }, "the count is no f16"),
        (Counted { step: 1, ..arange() }, "not counted"),
    ] {
        assert!(!counted.collapses(Rules::default()), "{counted:?}: {reason}");
        assert_eq!(counted.difference(Rules::default()), None, "{counted:?}");
    }
}

/// The fault of each collapse changes what is stored.
#[test]
fn planted_faults_of_collapses() {
    let float = Counted { types: vec![Scalar::F32], ..Counted::arange() };
    for (rule, counted) in [
        (UopRule::LoopCollapse, Counted { bound: 30, ..Counted::arange() }),
        (UopRule::LoopCollapseFloat, Counted { bound: 30, ..float }),
    ] {
        assert_eq!(counted.difference(Rules::default()), None);
        let altered = Rules::default().with(rule, State::Altered);
        assert_ne!(counted.difference(altered), None, "{rule:?} on {counted:?}");
    }
}

/// Whatever rule is off, no mark of a collapse is left, and the sum is the same.
#[test]
fn collapses_without_any_one_rule() {
    for types in [vec![Scalar::I32], vec![Scalar::I32, Scalar::F32], vec![Scalar::F32]] {
        let counted = Counted { types, unroll: 2, init: 3, ..Counted::arange() };
        for rule in UopRule::TABLE {
            assert_eq!(counted.difference(Rules::default().with(rule.id, State::Off)), None, "{} off", rule.name);
        }
    }
}

const NOT_ROUNDED: [Scalar; 11] = [
    Scalar::Bool,
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
    Scalar::F32,
    Scalar::F64,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counting_is_summing(
        (length, step, factor, bound) in (prop_oneof![1..40i64, 250..300i64], -9..3i64, -5..6i64, -40..80i64),
        (scale, init, unroll) in (-9..10i64, -3..4i64, 1..4usize),
        // Sums of 16-bit floats are rounded on the way.
        types in prop::collection::vec(prop::sample::select(NOT_ROUNDED.to_vec()), 1..5),
    ) {
        let counted = Counted { length, step, factor, bound, scale, types, unroll, init };
        prop_assert_eq!(counted.difference(Rules::default()), None);
    }
}

/// The product of an accumulated value that does not depend on the loop: added once, times its length.
#[test]
fn constant_terms_are_taken_out_of_the_loop() {
    let mut graph = UopGraph::new(Rules::default());
    let (lane, range) = (lane(&mut graph), range(&mut graph, 5, 0));
    let accumulator = accumulator(&mut graph, DType::F32, Constant::Int(0), &[range]);
    let [pointer, other] = [1, 2].map(|index| graph.pointer(index, Scalar::F32));
    let constant = graph.add(UopKind::Load, Some(DType::F32), &[pointer, lane], UopArg::None);
    let varying = graph.add(UopKind::Load, Some(DType::F32), &[other, range], UopArg::None);
    let inner = graph.alu(AluOp::Add, &[varying, accumulator]);
    let sum = graph.alu(AluOp::Add, &[constant, inner]);
    let phi = graph.add(UopKind::Phi, Some(DType::F32), &[accumulator, sum], UopArg::None);
    store(&mut graph, lane, phi);
    expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 DEFINE_GLOBAL f32* [] 2:in
        3 CONST i32 [] 0
        4 CONST i32 [] 5
        5 CONST f32 [] f:4014000000000000
        6 SPECIAL i32 [] 0:gidx0:16
        7 LOAD f32 [1,6] -
        8 ALU f32 [7,5] MUL
        9 DEFINE_ACC f32 [10] f:0000000000000000:0:0
        10 RANGE i32 [3,4] 2:0
        11 LOAD f32 [2,10] -
        12 ALU f32 [11,9] ADD
        13 PHI f32 [9,12] -
        14 ENDRANGE - [10] -
        15 ALU f32 [13,8] ADD
        16 STORE - [0,6,15] -
        fired: sum-collapse-float cast-constant subtract-zero
    "#]]
    .assert_eq(&text(graph));
}

/// The planted fault adds it once (known fault H21).
#[test]
fn planted_faults_of_constant_terms() {
    for (scalar, rule) in [(Scalar::I32, UopRule::SumCollapse), (Scalar::F32, UopRule::SumCollapseFloat)] {
        let stored = |rules: Rules| {
            let mut graph = UopGraph::new(rules);
            let (lane, range) = (lane(&mut graph), range(&mut graph, 5, 0));
            let accumulator = accumulator(&mut graph, scalar.into(), Constant::Int(0), &[range]);
            let pointer = graph.pointer(1, scalar);
            let load = graph.add(UopKind::Load, Some(scalar.into()), &[pointer, lane], UopArg::None);
            let sum = graph.alu(AluOp::Add, &[load, accumulator]);
            let phi = graph.add(UopKind::Phi, Some(scalar.into()), &[accumulator, sum], UopArg::None);
            store(&mut graph, lane, phi);
            let inputs = Inputs { load: &|_, _, scalar| value_of(Constant::Int(3).cast(scalar), scalar), lane: [0; 3] };
            run(&list(graph).0, &inputs).stored[0].2[0]
        };
        let number = |number| value_of(Constant::Int(number).cast(scalar), scalar);
        assert_eq!(stored(Rules::default()), number(15));
        assert_eq!(stored(Rules::default().with(rule, State::Altered)), number(3));
    }
}

/// What is not a sum is left alone, although a term of it does not depend on the loop.
#[test]
fn only_sums_are_taken_out_of_the_loop() {
    let mut graph = UopGraph::new(Rules::default());
    let (lane, range) = (lane(&mut graph), range(&mut graph, 5, 0));
    let accumulator = accumulator(&mut graph, DType::I32, Constant::Int(1), &[range]);
    let doubled = graph.alu(AluOp::Mul, &[accumulator, lane]);
    let sum = graph.alu(AluOp::Add, &[lane, doubled]);
    let phi = graph.add(UopKind::Phi, Some(DType::I32), &[accumulator, sum], UopArg::None);
    store(&mut graph, lane, phi);
    let (list, firings) = list(graph);
    assert_eq!(firings.of(UopRule::SumCollapse), 0);
    assert!(list.uops.iter().any(|uop| uop.kind == UopKind::Range));
}

/// A choice in a maximum, and one over another loop, are not counted.
#[test]
fn only_sums_over_the_loop_are_counted() {
    for (operation, loops) in [(AluOp::Max, 1), (AluOp::Add, 2)] {
        let mut graph = UopGraph::new(Rules::default());
        let lane = lane(&mut graph);
        let ranges: Vec<UopId> = (0..loops).map(|number| range(&mut graph, 5, number)).collect();
        let accumulator = accumulator(&mut graph, DType::I32, Constant::Int(0), &ranges);
        let [step, bound, scale, zero] = [-2, 1, 7, 0].map(|value| int(&mut graph, value));
        let product = graph.alu(AluOp::Mul, &[step, ranges[0]]);
        let position = graph.alu(AluOp::Add, &[lane, product]);
        let gate = graph.alu(AluOp::CmpLt, &[position, bound]);
        let choice = graph.alu(AluOp::Where, &[gate, scale, zero]);
        let combined = graph.alu(operation, &[choice, accumulator]);
        let phi = graph.add(UopKind::Phi, Some(DType::I32), &[accumulator, combined], UopArg::None);
        store(&mut graph, lane, phi);
        let (list, firings) = list(graph);
        assert_eq!(firings.of(UopRule::LoopCollapse), 0, "{operation} over {loops} loops");
        assert!(list.uops.iter().any(|uop| uop.kind == UopKind::Range));
    }
}

/// An accumulator that no loop runs over is what it starts from, and its new value is just that.
#[test]
fn accumulators_without_loops() {
    let mut graph = UopGraph::new(Rules::default());
    let lane = lane(&mut graph);
    let accumulator = accumulator(&mut graph, DType::F32, Constant::Float(f64::NEG_INFINITY), &[]);
    let pointer = graph.pointer(1, Scalar::F32);
    let load = graph.add(UopKind::Load, Some(DType::F32), &[pointer, lane], UopArg::None);
    let larger = graph.alu(AluOp::Max, &[load, accumulator]);
    let phi = graph.add(UopKind::Phi, Some(DType::F32), &[accumulator, larger], UopArg::None);
    store(&mut graph, lane, phi);
    expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST f32 [] -inf
        3 SPECIAL i32 [] 0:gidx0:16
        4 LOAD f32 [1,3] -
        5 ALU f32 [4,2] MAX
        6 STORE - [0,3,5] -
        fired: phi-no-loop accumulator-no-loop
    "#]]
    .assert_eq(&text(graph));
}

/// An accumulator without loops may be a constant before its new value is looked at.
#[test]
fn accumulators_that_are_constants() {
    let mut graph = UopGraph::new(Rules::default().with(UopRule::PhiNoLoop, State::Off));
    let lane = lane(&mut graph);
    let accumulator = accumulator(&mut graph, DType::I32, Constant::Int(2), &[]);
    let sum = graph.alu(AluOp::Add, &[lane, accumulator]);
    let phi = graph.add(UopKind::Phi, Some(DType::I32), &[accumulator, sum], UopArg::None);
    store(&mut graph, lane, phi);
    let (list, firings) = list(graph);
    assert_eq!(firings.of(UopRule::PhiConstant), 1);
    assert!(!list.uops.iter().any(|uop| matches!(uop.kind, UopKind::Phi | UopKind::DefineAcc)));
}

/// An accumulator that its loop leaves as it is has its initial value; the planted fault has 0.
#[test]
fn unchanged_accumulators() {
    let stored = |rules: Rules| {
        let mut graph = UopGraph::new(rules);
        let (lane, range) = (lane(&mut graph), range(&mut graph, 5, 0));
        let accumulator = accumulator(&mut graph, DType::I32, Constant::Int(9), &[range]);
        let phi = graph.add(UopKind::Phi, Some(DType::I32), &[accumulator, accumulator], UopArg::None);
        store(&mut graph, lane, phi);
        let inputs = Inputs { load: &|_, _, _| unreachable!("nothing is loaded"), lane: [0; 3] };
        run(&list(graph).0, &inputs).stored[0].2[0]
    };
    assert_eq!(stored(Rules::default()), value_of(Constant::Int(9), Scalar::I32));
    let altered = Rules::default().with(UopRule::PhiUnchanged, State::Altered);
    assert_eq!(stored(altered), value_of(Constant::Int(0), Scalar::I32));
}
