//! Rules of stores, and of vectors that are taken apart only to be put together again.

use super::text;
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::rule::{Rules, State};
use crate::uop::{UopArg, UopGraph, UopId, UopKind, UopRule};
use expect_test::{Expect, expect};

/// A graph whose buffer 0 is read and written at its start.
struct InPlace {
    graph: UopGraph,
    pointer: UopId,
    index: UopId,
}

impl InPlace {
    fn new(rules: Rules) -> InPlace {
        let mut graph = UopGraph::new(rules);
        let pointer = graph.pointer(0, Scalar::F32);
        let index = graph.constant(DType::I32, Constant::Int(0));
        InPlace { graph, pointer, index }
    }

    fn load(&mut self, lanes: u8) -> UopId {
        let dtype = DType::F32.vector(lanes);
        self.graph.add(UopKind::Load, Some(dtype), &[self.pointer, self.index], UopArg::None)
    }

    fn other(&mut self, lanes: u8) -> UopId {
        let pointer = self.graph.pointer(1, Scalar::F32);
        self.graph.add(UopKind::Load, Some(DType::F32.vector(lanes)), &[pointer, self.index], UopArg::None)
    }

    fn lane(&mut self, vector: UopId, lane: u32) -> UopId {
        self.graph.add(UopKind::Gep, Some(DType::F32), &[vector], UopArg::Lane(lane))
    }

    fn vector(&mut self, lanes: &[UopId]) -> UopId {
        self.graph.add(UopKind::Cast, Some(DType::F32.vector(lanes.len() as u8)), lanes, UopArg::None)
    }

    fn store(&mut self, value: UopId) {
        self.graph.add(UopKind::Store, None, &[self.pointer, self.index, value], UopArg::None);
    }
}

fn altered(rule: UopRule) -> Rules {
    Rules::default().with(rule, State::Altered)
}

#[test]
fn store_of_what_was_loaded() {
    let mut place = InPlace::new(Rules::default());
    let load = place.load(1);
    place.store(load);
    expect![[r#"
        fired: store-loaded
    "#]]
    .assert_eq(&text(place.graph));
}

fn check_gate(rules: Rules, expected: &Expect) {
    let mut place = InPlace::new(rules);
    let (load, other) = (place.load(1), place.other(1));
    let zero = place.graph.constant(DType::F32, Constant::Float(1.0));
    let gate = place.graph.alu(AluOp::CmpLt, &[other, zero]);
    let choice = place.graph.alu(AluOp::Where, &[gate, other, load]);
    place.store(choice);
    expected.assert_eq(&text(place.graph));
}

#[test]
fn store_of_either_new_or_loaded() {
    check_gate(
        Rules::default(),
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST f32 [] f:3ff0000000000000
        4 LOAD f32 [1,2] -
        5 ALU bool [4,3] CMPLT
        6 STORE - [0,2,4,5] -
        fired: store-gate
    "#]],
    );
    check_gate(
        altered(UopRule::StoreGate),
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 LOAD f32 [1,2] -
        4 STORE - [0,2,3] -
        fired: store-gate
    "#]],
    );
}

fn check_vector(rules: Rules, lanes: u8, taken: &[u32], expected: &Expect) {
    let mut place = InPlace::new(rules);
    let vector = place.other(lanes);
    let lanes: Vec<UopId> = taken.iter().map(|&lane| place.lane(vector, lane)).collect();
    let vector = place.vector(&lanes);
    place.store(vector);
    expected.assert_eq(&text(place.graph));
}

#[test]
fn store_of_all_lanes() {
    check_vector(
        Rules::default(),
        2,
        &[0, 1],
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 LOAD f32x2 [1,2] -
        4 STORE - [0,2,3] -
        fired: store-vector
    "#]],
    );
    check_vector(
        Rules::default(),
        4,
        &[0, 1, 2, 3],
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 LOAD f32x4 [1,2] -
        4 STORE - [0,2,3] -
        fired: store-vector
    "#]],
    );
    check_vector(
        Rules::default(),
        2,
        &[1, 0],
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 LOAD f32x2 [1,2] -
        4 GEP f32 [3] 0
        5 GEP f32 [3] 1
        6 CAST f32x2 [5,4] -
        7 STORE - [0,2,6] -
        fired: 
    "#]],
    );
}

/// 0.9.0 stores all four lanes.
#[test]
fn store_of_some_lanes() {
    check_vector(
        Rules::default(),
        4,
        &[0, 1],
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 LOAD f32x4 [1,2] -
        4 GEP f32 [3] 0
        5 GEP f32 [3] 1
        6 CAST f32x2 [4,5] -
        7 STORE - [0,2,6] -
        fired: 
    "#]],
    );
    check_vector(
        altered(UopRule::StoreVector),
        4,
        &[0, 1],
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 LOAD f32x4 [1,2] -
        4 STORE - [0,2,3] -
        fired: store-vector
    "#]],
    );
}

fn check_phis(rules: Rules, lanes: u8, taken: u32, expected: &Expect) {
    let mut place = InPlace::new(rules);
    let length = place.graph.constant(DType::I32, Constant::Int(9));
    let arg = UopArg::Range { depth: 2, number: 0 };
    let range = place.graph.add(UopKind::Range, Some(DType::I32), &[place.index, length], arg);
    let arg = UopArg::Acc { init: Constant::Float(0.0), buffer: 0, number: 0 };
    let accumulator = place.graph.add(UopKind::DefineAcc, Some(DType::F32.vector(lanes)), &[range], arg);
    let pointer = place.graph.pointer(1, Scalar::F32);
    let load = place.graph.add(UopKind::Load, Some(DType::F32), &[pointer, range], UopArg::None);
    let values: Vec<UopId> = (0..taken)
        .map(|lane| {
            let lane = place.lane(accumulator, lane);
            let larger = place.graph.alu(AluOp::Max, &[load, lane]);
            place.graph.add(UopKind::Phi, Some(DType::F32), &[lane, larger], UopArg::None)
        })
        .collect();
    let vector = place.vector(&values);
    place.store(vector);
    expected.assert_eq(&text(place.graph));
}

#[test]
fn vectors_of_accumulators() {
    check_phis(
        Rules::default(),
        2,
        2,
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 9
        4 DEFINE_ACC f32x2 [5] f:0000000000000000:0:0
        5 RANGE i32 [2,3] 2:0
        6 GEP f32 [4] 0
        7 GEP f32 [4] 1
        8 LOAD f32 [1,5] -
        9 ALU f32 [8,6] MAX
        10 ALU f32 [8,7] MAX
        11 CAST f32x2 [9,10] -
        12 PHI f32x2 [4,11] -
        13 ENDRANGE - [5] -
        14 STORE - [0,2,12] -
        fired: cast-phis
    "#]],
    );
    check_phis(
        altered(UopRule::CastPhis),
        2,
        2,
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 9
        4 DEFINE_ACC f32x2 [5] f:0000000000000000:0:0
        5 RANGE i32 [2,3] 2:0
        6 GEP f32 [4] 0
        7 GEP f32 [4] 1
        8 LOAD f32 [1,5] -
        9 ALU f32 [8,6] MAX
        10 ALU f32 [8,7] MAX
        11 CAST f32x2 [10,9] -
        12 PHI f32x2 [4,11] -
        13 ENDRANGE - [5] -
        14 STORE - [0,2,12] -
        fired: cast-phis
    "#]],
    );
}

/// 0.9.0 makes a vector of four lanes from two values.
#[test]
fn vectors_of_some_lanes_of_accumulators() {
    check_phis(
        Rules::default(),
        4,
        2,
        &expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 9
        4 DEFINE_ACC f32x4 [5] f:0000000000000000:0:0
        5 RANGE i32 [2,3] 2:0
        6 GEP f32 [4] 0
        7 GEP f32 [4] 1
        8 LOAD f32 [1,5] -
        9 ALU f32 [8,6] MAX
        10 ALU f32 [8,7] MAX
        11 PHI f32 [6,9] -
        12 PHI f32 [7,10] -
        13 ENDRANGE - [5] -
        14 CAST f32x2 [11,12] -
        15 STORE - [0,2,14] -
        fired: 
    "#]],
    );
}

/// A lane of a vector of one constant is that constant.
#[test]
fn lanes_of_constants() {
    let mut place = InPlace::new(Rules::default());
    let one = place.graph.constant(DType::F32, Constant::Float(1.0));
    let vector = place.vector(&[one, one]);
    let lane = place.lane(vector, 1);
    place.store(lane);
    expect![[r#"
        0 DEFINE_GLOBAL f32* [] 0:out
        1 CONST i32 [] 0
        2 CONST f32 [] f:3ff0000000000000
        3 STORE - [0,1,2] -
        fired: lane-of-constant cast-constant
    "#]]
    .assert_eq(&text(place.graph));
}
