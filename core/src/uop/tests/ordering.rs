//! The order of a graph's list.

use super::{list, no_rules, reader, text};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::rule::Rules;
use crate::uop::{UopArg, UopError, UopGraph, UopId, UopKind};
use expect_test::expect;

fn int(graph: &mut UopGraph, value: i64) -> UopId {
    graph.constant(DType::I32, Constant::Int(value.into()))
}

fn range(graph: &mut UopGraph, length: i64, depth: u32, number: u32) -> UopId {
    let bounds = [0, length].map(|bound| int(graph, bound));
    graph.add(UopKind::Range, Some(DType::I32), &bounds, UopArg::Range { depth, number })
}

fn store(graph: &mut UopGraph, buffer: u32, index: UopId, value: UopId) -> UopId {
    let pointer = graph.pointer(buffer, Scalar::I32);
    graph.add(UopKind::Store, None, &[pointer, index, value], UopArg::None)
}

fn accumulator(graph: &mut UopGraph, loops: &[UopId], number: u32) -> UopId {
    let arg = UopArg::Acc { init: Constant::Int(0), buffer: 0, number };
    graph.add(UopKind::DefineAcc, Some(DType::I32), loops, arg)
}

/// 0.9.0 ends these loops in the order in which they were opened (known fault N38).
#[test]
fn loops_end_in_reverse_order() {
    let mut graph = UopGraph::new(Rules::default());
    let [first, second] = [0, 1].map(|number| range(&mut graph, 4, 1, number));
    let index = graph.alu(AluOp::Mul, &[second, first]);
    store(&mut graph, 0, index, index);
    expect![[r#"
        0 DEFINE_GLOBAL i32* [] 0:out
        1 CONST i32 [] 0
        2 CONST i32 [] 4
        3 RANGE i32 [1,2] 1:0
        4 RANGE i32 [1,2] 1:1
        5 ALU i32 [4,3] MUL
        6 STORE - [0,5,5] -
        7 ENDRANGE - [4] -
        8 ENDRANGE - [3] -
        fired: 
    "#]]
    .assert_eq(&text(graph));
}

/// What comes after a loop is placed after its end, also where that takes a while: 0.9.0 would place the first store, which
/// needs what was accumulated over one loop, in that loop, as there is more to do in it when another loop is opened.
#[test]
fn results_are_used_after_their_loop() {
    let mut graph = UopGraph::new(Rules::default());
    let [outer, inner] = [(2, 0), (3, 0)].map(|(depth, number)| range(&mut graph, 4, depth, number));
    let zero = int(&mut graph, 0);
    let accumulator = accumulator(&mut graph, &[outer], 0);
    let sum = graph.alu(AluOp::Add, &[outer, accumulator]);
    let phi = graph.add(UopKind::Phi, Some(DType::I32), &[accumulator, sum], UopArg::None);
    let negated = graph.alu(AluOp::Neg, &[phi]);
    store(&mut graph, 0, zero, negated);
    let product = graph.alu(AluOp::Mul, &[outer, inner]);
    store(&mut graph, 1, product, inner);
    expect![[r#"
        0 DEFINE_GLOBAL i32* [] 0:out
        1 DEFINE_GLOBAL i32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 4
        4 DEFINE_ACC i32 [5] 0:0:0
        5 RANGE i32 [2,3] 2:0
        6 ALU i32 [5,4] ADD
        7 PHI i32 [4,6] -
        8 RANGE i32 [2,3] 3:0
        9 ALU i32 [5,8] MUL
        10 STORE - [1,9,8] -
        11 ENDRANGE - [8] -
        12 ENDRANGE - [5] -
        13 ALU i32 [7] NEG
        14 STORE - [0,2,13] -
        fired: 
    "#]]
    .assert_eq(&text(graph));
}

/// Two loops that have nothing to do with each other follow each other.
#[test]
fn independent_loops_follow_each_other() {
    let mut graph = UopGraph::new(Rules::default());
    for number in 0..2 {
        let range = range(&mut graph, 4 + i64::from(number), 2, number);
        store(&mut graph, number, range, range);
    }
    expect![[r#"
        0 DEFINE_GLOBAL i32* [] 0:out
        1 DEFINE_GLOBAL i32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 4
        4 CONST i32 [] 5
        5 RANGE i32 [2,3] 2:0
        6 STORE - [0,5,5] -
        7 ENDRANGE - [5] -
        8 RANGE i32 [2,4] 2:1
        9 STORE - [1,8,8] -
        10 ENDRANGE - [8] -
        fired: 
    "#]]
    .assert_eq(&text(graph));
}

/// Operations on the same operands come in the order in which they are met in the graph; 0.9.0 leaves it to chance (known
/// fault N39).
#[test]
fn operations_are_ordered() {
    for operations in [[AluOp::Add, AluOp::Mul, AluOp::Max], [AluOp::Max, AluOp::Mul, AluOp::Add]] {
        let mut graph = UopGraph::new(no_rules());
        let pointer = graph.pointer(1, Scalar::I32);
        let zero = int(&mut graph, 0);
        let load = graph.add(UopKind::Load, Some(DType::I32), &[pointer, zero], UopArg::None);
        // Entered the other way round.
        let mut values = operations;
        values.reverse();
        let [third, second, first] = values.map(|op| graph.alu(op, &[load, load]));
        let sum = graph.alu(AluOp::Sub, &[first, second]);
        let sum = graph.alu(AluOp::Sub, &[sum, third]);
        store(&mut graph, 0, zero, sum);
        let (list, _) = list(graph);
        let of_load = list.uops.iter().filter(|uop| uop.sources.len() == 2 && uop.sources[0] == uop.sources[1]);
        assert_eq!(of_load.map(|uop| uop.arg.clone()).collect::<Vec<_>>(), operations.map(UopArg::Alu));
    }
}

/// What a loop accumulates can't be used within it.
#[test]
fn use_within_the_loop_is_an_error() {
    let mut graph = UopGraph::new(Rules::default());
    let range = range(&mut graph, 4, 2, 0);
    let accumulator = accumulator(&mut graph, &[range], 0);
    let sum = graph.alu(AluOp::Mul, &[range, accumulator]);
    let phi = graph.add(UopKind::Phi, Some(DType::I32), &[accumulator, sum], UopArg::None);
    let product = graph.alu(AluOp::Mul, &[range, phi]);
    store(&mut graph, 0, range, product);
    assert!(matches!(graph.finish(), Err(UopError::Order { .. })));
}

/// A graph of nothing is a list of nothing.
#[test]
fn empty_graph() {
    assert_eq!(list(UopGraph::new(Rules::default())).0.uops.len(), 0);
}

/// More loops than a word has bits, each with an accumulator, all nested.
#[test]
fn many_loops() {
    let mut graph = UopGraph::new(Rules::default());
    let ranges: Vec<UopId> = (0..150).map(|number| range(&mut graph, 2, 2, number)).collect();
    let zero = int(&mut graph, 0);
    let accumulator = accumulator(&mut graph, &ranges, 0);
    let pointer = graph.pointer(1, Scalar::I32);
    let index = ranges.iter().copied().reduce(|sum, range| graph.alu(AluOp::Add, &[sum, range])).expect("ranges");
    let load = graph.add(UopKind::Load, Some(DType::I32), &[pointer, index], UopArg::None);
    let sum = graph.alu(AluOp::Add, &[load, accumulator]);
    let phi = graph.add(UopKind::Phi, Some(DType::I32), &[accumulator, sum], UopArg::None);
    store(&mut graph, 0, zero, phi);
    let (list, _) = list(graph);
    let ends = list.uops.iter().filter(|uop| uop.kind == UopKind::EndRange).count();
    assert_eq!(ends, 150);
    assert_eq!(list.uops.iter().position(|uop| uop.kind == UopKind::DefineAcc).map(|place| place + 1), {
        list.uops.iter().position(|uop| uop.kind == UopKind::Range)
    });
}

/// A chain as long as no call stack is deep, of rewrites and without.
#[test]
fn deep_graphs() {
    for (op, constant, from_memory, expected) in
        [(AluOp::Xor, 5, true, 60_006), (AluOp::Add, 1, true, 7), (AluOp::Sub, 1, false, 4), (AluOp::Neg, 1, true, 5)]
    {
        let mut graph = UopGraph::new(Rules::default());
        let pointer = graph.pointer(1, Scalar::I32);
        let zero = int(&mut graph, 0);
        let mut value = zero;
        if from_memory {
            value = graph.add(UopKind::Load, Some(DType::I32), &[pointer, zero], UopArg::None);
        }
        let constant = int(&mut graph, constant);
        for _ in 0..60_000 {
            value = graph.alu(op, &[value, constant][..op.arity()]);
        }
        store(&mut graph, 0, zero, value);
        let (list, _) = list(graph);
        assert_eq!(list.uops.len(), expected);
        assert_eq!(list.digest(&crate::symbolic::Arena::default(), "").len(), 16);
    }
}

/// Reading back what was written gives the same graph.
#[test]
fn order_does_not_depend_on_entry() {
    let mut graph = UopGraph::new(no_rules());
    let [first, second] = [0, 1].map(|number| range(&mut graph, 4, 1, number));
    for buffer in 0..4 {
        let index = graph.alu(AluOp::Add, &[first, second]);
        let value = int(&mut graph, i64::from(buffer));
        let value = graph.alu(AluOp::Mul, &[index, value]);
        store(&mut graph, buffer, index, value);
    }
    let (list, _) = list(graph);
    let (again, _) = super::list(reader::graph(&list, no_rules()));
    assert_eq!(again, list);
}
