//! Each kind of fault, reported where it is, and beside it a list that is right and is not reported.

use super::{findings, inputs, small};
use expect_test::{Expect, expect};
use plumb_core::dtype::Scalar;

/// A list in which `{}` stands for what makes it wrong (or right).
#[track_caller]
fn check(list: &str, part: &str, expected: Expect) {
    let text = list.replace("{}", part);
    expected.assert_eq(&findings(&text, &inputs(8, &[small(Scalar::F32, 8)])));
}

#[test]
fn reads_beyond_an_input() {
    let list = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] {}
        4 CONST i32 [] 8
        5 RANGE i32 [2,4] 1:0
        6 ALU i32 [5,3] ADD
        7 LOAD f32 [1,6] -
        8 STORE - [0,5,7] -
        9 ENDRANGE - [5] -
    ";
    check(list, "0", expect!["none"]);
    check(
        list,
        "1",
        expect!["OutOfBounds: uop 7 `LOAD f32 [1,6] -` with loop 5 = 7: reads element 8 of argument 1, which has 8"],
    );
    check(
        list,
        "-3",
        expect!["OutOfBounds: uop 7 `LOAD f32 [1,6] -` with loop 5 = 0: reads element -3 of argument 1, which has 8"],
    );
}

/// A gate keeps an address from being used: it may be anything where the gate is false.
#[test]
fn gated_accesses() {
    let list = "
        ; k global=[8,1,1]local=[1,1,1]
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 3
        3 CONST i32 [] {}
        4 CONST f32 [] f:0000000000000000
        5 SPECIAL i32 [] 0:gidx0:8
        6 ALU i32 [5,2] ADD
        7 ALU bool [5,3] CMPLT
        8 LOAD f32 [1,6,7,4] -
        9 STORE - [0,5,8] -
        10 STORE - [0,6,8,7] -
    ";
    check(&list.replace("10 STORE", ";"), "5", expect!["none"]);
    check(
        &list.replace("10 STORE", ";"),
        "6",
        expect![
            "OutOfBounds: uop 8 `LOAD f32 [1,6,7,4] -` in workgroup (5,0,0) lane (0,0,0): reads element 8 of argument 1, which has 8"
        ],
    );
    let list = list.replace("9 STORE - [0,5,8] -", "9 STORE - [0,6,8,7] -").replace("10 STORE", ";");
    check(&list, "5", expect!["none"]);
    check(
        &list,
        "6",
        expect![[r#"
            OutOfBounds: uop 8 `LOAD f32 [1,6,7,4] -` in workgroup (5,0,0) lane (0,0,0): reads element 8 of argument 1, which has 8
            OutOfBounds: uop 9 `STORE - [0,6,8,7] -` in workgroup (5,0,0) lane (0,0,0): writes element 8 of output argument 0, which has 8"#]],
    );
}

#[test]
fn vectors_must_lie_at_multiples_of_their_length() {
    let list = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] {}
        3 LOAD f32x4 [1,2] -
        4 STORE - [0,2,3] -
    ";
    check(list, "4", expect!["none"]);
    check(
        list,
        "2",
        expect![[r#"
            Misaligned: uop 3 `LOAD f32x4 [1,2] -`: reads elements 2 to 5 of argument 1 at once, but 2 is no multiple of 4
            Misaligned: uop 4 `STORE - [0,2,3] -`: writes elements 2 to 5 of output argument 0 at once, but 2 is no multiple of 4"#]],
    );
    check(
        list,
        "6",
        expect![[r#"
            OutOfBounds: uop 3 `LOAD f32x4 [1,2] -`: reads elements 6 to 9 of argument 1, which has 8
            OutOfBounds: uop 4 `STORE - [0,2,3] -`: writes elements 6 to 9 of output argument 0, which has 8"#]],
    );
}

#[test]
fn local_memory_is_not_initialised() {
    let list = "
        ; k global=[2,1,1]local=[4,1,1]
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 DEFINE_LOCAL f32* [] temp:4
        3 CONST i32 [] 4
        4 CONST i32 [] {}
        5 SPECIAL i32 [] 0:gidx0:2
        6 SPECIAL i32 [] 0:lidx0:4
        7 ALU i32 [5,3] MUL
        8 ALU i32 [7,6] ADD
        9 LOAD f32 [1,8] -
        10 ALU bool [6,4] CMPLT
        11 STORE - [2,6,9,10] -
        12 BARRIER - [11] -
        13 LOAD f32 [2,6,12] -
        14 STORE - [0,8,13] -
    ";
    check(list, "4", expect!["none"]);
    check(
        list,
        "2",
        expect![
            "UninitialisedRead: uop 13 `LOAD f32 [2,6,12] -` in workgroup (0,0,0) lane (2,0,0): reads element 2, not written yet, of local memory"
        ],
    );
}

/// The lanes write their own cell, and read their neighbour's.
#[test]
fn a_barrier_is_missing() {
    let list = "
        ; k global=[2,1,1]local=[4,1,1]
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 DEFINE_LOCAL f32* [] temp:4
        3 CONST i32 [] 4
        4 CONST i32 [] 3
        5 SPECIAL i32 [] 0:gidx0:2
        6 SPECIAL i32 [] 0:lidx0:4
        7 ALU i32 [5,3] MUL
        8 ALU i32 [7,6] ADD
        9 LOAD f32 [1,8] -
        10 STORE - [2,6,9] -
        11 {} - [] -
        12 ALU i32 [4,6] SUB
        13 LOAD f32 [2,12] -
        14 STORE - [0,8,13] -
    ";
    check(list, "BARRIER", expect!["none"]);
    check(
        &list.replace("11 {} - [] -", "11 CONST i32 [] 0"),
        "",
        expect![
            "Race: uop 13 `LOAD f32 [2,12] -` in workgroup (0,0,0) lane (0,0,0): reads element 3, with no barrier since it was written in workgroup (0,0,0) lane (3,0,0), of local memory"
        ],
    );
}

/// Read by all, then written by one: a barrier must be between these, too.
#[test]
fn what_was_read_is_written() {
    let list = "
        ; k global=[1,1,1]local=[8,1,1]
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_LOCAL f32* [] temp:8
        2 CONST f32 [] f:3ff0000000000000
        3 CONST i32 [] 7
        4 SPECIAL i32 [] 0:lidx0:8
        5 STORE - [1,4,2] -
        6 BARRIER - [5] -
        7 ALU i32 [3,4] SUB
        8 LOAD f32 [1,7,6] -
        9 STORE - [1,{},2] -
        10 STORE - [0,4,8] -
    ";
    check(list, "7", expect!["none"]);
    check(
        list,
        "4",
        expect![
            "Race: uop 9 `STORE - [1,4,2] -` in workgroup (0,0,0) lane (0,0,0): writes element 0, with no barrier since it was read in workgroup (0,0,0) lane (7,0,0), of local memory"
        ],
    );
}

#[test]
fn a_barrier_that_some_lanes_do_not_reach() {
    let list = "
        ; k global=[1,1,1]local=[8,1,1]
        0 DEFINE_GLOBAL f32* [] 0:out
        1 CONST f32 [] f:3ff0000000000000
        2 CONST i32 [] {}
        3 SPECIAL i32 [] 0:lidx0:8
        4 ALU bool [3,2] CMPLT
        5 IF - [4] -
        6 BARRIER - [] -
        7 ENDIF - [5] -
        8 STORE - [0,3,1] -
    ";
    check(list, "8", expect!["none"]);
    check(list, "0", expect!["none"]);
    check(
        list,
        "5",
        expect![
            "DivergentBarrier: uop 6 `BARRIER - [] -` in workgroup (0,0,0) lane (5,0,0): not reached by this lane, but by 5 of the 8 of its workgroup"
        ],
    );
}

#[test]
fn outputs_written_twice() {
    let list = "
        ; k global=[8,1,1]local=[2,1,1]
        0 DEFINE_GLOBAL f32* [] 0:out
        1 CONST f32 [] f:3ff0000000000000
        2 CONST bool [] {}
        3 SPECIAL i32 [] 0:gidx0:8
        4 SPECIAL i32 [] 0:lidx0:2
        5 CONST i32 [] 0
        6 ALU bool [4,5] CMPEQ
        7 STORE - [0,3,1,6] -
        8 STORE - [0,3,1,2] -
    ";
    check(list, "false", expect!["none"]);
    check(
        list,
        "true",
        expect![
            "OutputCoverage: uop 8 `STORE - [0,3,1,2] -` in workgroup (0,0,0) lane (0,0,0): writes element 0 again, after it was written in workgroup (0,0,0) lane (0,0,0), of output argument 0"
        ],
    );
    let list = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 CONST f32 [] f:3ff0000000000000
        2 CONST i32 [] 0
        3 CONST i32 [] 8
        4 CONST i32 [] {}
        5 RANGE i32 [2,3] 1:0
        6 ALU i32 [5,4] MOD
        7 STORE - [0,6,1] -
        8 ENDRANGE - [5] -
    ";
    check(list, "8", expect!["none"]);
    check(
        list,
        "7",
        expect![
            "OutputCoverage: uop 7 `STORE - [0,6,1] -` with loop 5 = 7: writes element 0 again, after it was written with loop 5 = 0, of output argument 0"
        ],
    );
}

/// What a kernel is to read of its output must have been there before.
#[test]
fn outputs_read() {
    let list = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 CONST i32 [] 0
        2 LOAD f32 [0,1] -
        3 STORE - [0,1,2] -
    ";
    check(
        list,
        "",
        expect!["UninitialisedRead: uop 2 `LOAD f32 [0,1] -`: reads element 0, not written yet, of output argument 0"],
    );
}

#[test]
fn index_arithmetic_that_overflows() {
    let list = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 8
        4 CONST i32 [] {}
        5 CONST i32 [] 7
        6 RANGE i32 [2,3] 1:0
        7 ALU i32 [6,4] MUL
        8 ALU i32 [7,5] XOR
        9 ALU i32 [8,3] MOD
        10 ALU i32 [9,3] ADD
        11 ALU i32 [10,3] MOD
        12 LOAD f32 [1,11] -
        13 STORE - [0,6,12] -
        14 ENDRANGE - [6] -
    ";
    check(list, "300000000", expect!["none"]);
    check(
        list,
        "400000000",
        expect![
            "IndexArithmetic: uop 12 `LOAD f32 [1,11] -` with loop 6 = 6: its address, gate, condition or bound is undefined, by overflow, division by zero or a cast out of range in uop 7 `ALU i32 [6,4] MUL`"
        ],
    );
}

/// An address is the quotient (or the remainder) of the smallest integer by what may be -1.
#[test]
fn a_quotient_that_overflows() {
    let list = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 CONST f32 [] f:3ff0000000000000
        2 CONST i32 [] -{}
        3 CONST i32 [] -1
        4 CONST i32 [] 1
        5 RANGE i32 [3,4] 1:0
        6 ALU i32 [2,5] MAX
        7 ALU i32 [5,4] ADD
        8 ALU i32 [7,4] ADD
        9 ALU bool [7,4] CMPLT
        10 ALU i32 [9,5,8] WHERE
        11 ALU i32 [2,10] OPERATION
        12 CONST i32 [] 8
        13 ALU i32 [11,12] MOD
        14 ALU i32 [13,13] MUL
        15 ALU i32 [14,12] MOD
        16 ALU i32 [5,4] ADD
        17 STORE - [0,16,1] -
        18 CONST i32 [] 99
        19 ALU bool [18,15] CMPLT
        20 STORE - [0,15,1,19] -
        21 ENDRANGE - [5] -
    ";
    for operation in ["DIV", "MOD"] {
        let list = list.replace("OPERATION", operation);
        check(&list, "2147483647", expect!["none"]);
        let found = findings(&list.replace("{}", "2147483648"), &inputs(8, &[]));
        let place = format!(
            "with loop 5 = -1: its address, gate, condition or bound is undefined, by overflow, division by zero or a cast out of range in uop 11 `ALU i32 [2,10] {operation}`"
        );
        assert!(found.starts_with("IndexArithmetic: uop 20 ") && found.contains(&place), "{found}");
    }
}

/// Three terms at once.
#[test]
fn a_fused_product_that_overflows() {
    let list = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 CONST f32 [] f:3ff0000000000000
        2 CONST i32 [] {}
        3 CONST i32 [] 0
        4 CONST i32 [] 8
        5 RANGE i32 [3,4] 1:0
        6 ALU i32 [5,2,5] MULACC
        7 ALU i32 [6,4] MOD
        8 ALU bool [7,4] CMPLT
        9 STORE - [0,5,1,8] -
        10 ENDRANGE - [5] -
    ";
    check(list, "306783377", expect!["none"]);
    check(
        list,
        "306783378",
        expect![
            "IndexArithmetic: uop 9 `STORE - [0,5,1,8] -` with loop 5 = 7: its address, gate, condition or bound is undefined, by overflow, division by zero or a cast out of range in uop 6 `ALU i32 [5,2,5] MULACC`"
        ],
    );
}

/// Unsigned arithmetic wraps by definition, so that what a comparison of it selects is defined.
#[test]
fn unsigned_arithmetic_may_wrap() {
    let list = "
        0 DEFINE_GLOBAL u32* [] 0:out
        1 CONST u32 [] 3
        2 CONST u32 [] 32767
        3 CONST i32 [] 0
        4 ALU u32 [1] NEG
        5 ALU bool [4,2] CMPLT
        6 ALU u32 [5,4,2] WHERE
        7 STORE - [0,3,6] -
    ";
    let run = super::ran(list, &inputs(1, &[]));
    assert_eq!((run.outputs[0].written[0], run.outputs[0].undefined.len()), ((0, 32767), 0));
}

#[test]
fn an_address_divided_by_zero() {
    let list = "
        0 DEFINE_GLOBAL f32* [] 0:out
        1 CONST f32 [] f:3ff0000000000000
        2 CONST i32 [] 0
        3 CONST i32 [] 8
        4 CONST i32 [] {}
        5 RANGE i32 [2,3] 1:0
        6 ALU i32 [5,4] SUB
        7 ALU i32 [4,6] DIV
        8 STORE - [0,5,1] -
        9 ALU bool [7,2] CMPEQ
        10 STORE - [0,3,1,9] -
        11 ENDRANGE - [5] -
    ";
    check(
        list,
        "5",
        expect![[r#"
            IndexArithmetic: uop 10 `STORE - [0,3,1,9] -` with loop 5 = 5: its address, gate, condition or bound is undefined, by overflow, division by zero or a cast out of range in uop 7 `ALU i32 [4,6] DIV`
            OutOfBounds: uop 10 `STORE - [0,3,1,9] -` with loop 5 = 5: writes element 8 of output argument 0, which has 8"#]],
    );
}
