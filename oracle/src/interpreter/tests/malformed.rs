//! Lists that are refused before they run.

use super::{findings, inputs, small};
use expect_test::{Expect, expect};
use plumb_core::dtype::Scalar;

#[track_caller]
fn check(list: &str, expected: Expect) {
    expected.assert_eq(&findings(list, &inputs(8, &[small(Scalar::F32, 8)])));
}

#[test]
fn use_before_definition() {
    let list = "
        0 ALU i32 [1,1] ADD
        1 CONST i32 [] 0
    ";
    check(list, expect!["Malformed: uop 0 `ALU i32 [1,1] ADD`: source 1 does not come before it"]);
}

#[test]
fn open_loop() {
    let list = "
        0 CONST i32 [] 0
        1 RANGE i32 [0,0] 2:0
    ";
    check(list, expect!["Malformed: uop 1 `RANGE i32 [0,0] 2:0`: is never ended"]);
}

#[test]
fn types_that_differ() {
    let list = "
        0 CONST i32 [] 0
        1 CONST f32 [] f:0000000000000000
        2 ALU f32 [0,1] ADD
    ";
    check(list, expect!["Malformed: uop 2 `ALU f32 [0,1] ADD`: an operand is of type i32, not f32"]);
}

#[test]
fn loops_that_cross() {
    let list = "
        0 CONST i32 [] 0
        1 RANGE i32 [0,0] 2:0
        2 RANGE i32 [0,0] 2:1
        3 ENDRANGE - [1] -
        4 ENDRANGE - [2] -
    ";
    check(
        list,
        expect![[r#"
        Malformed: uop 3 `ENDRANGE - [1] -`: does not end the innermost open scope, which is that of uop 2
        Malformed: uop 1 `RANGE i32 [0,0] 2:0`: is never ended"#]],
    );
}

#[test]
fn use_after_the_loop() {
    let list = "
        0 CONST i32 [] 0
        1 RANGE i32 [0,0] 2:0
        2 ALU i32 [1,0] ADD
        3 ENDRANGE - [1] -
        4 ALU i32 [2,0] ADD
    ";
    check(
        list,
        expect!["Malformed: uop 4 `ALU i32 [2,0] ADD`: source 2 is out of scope, its loop or condition 1 has ended"],
    );
}

#[test]
fn accumulator_within_its_loop() {
    let list = "
        0 CONST i32 [] 0
        1 RANGE i32 [0,0] 2:0
        2 DEFINE_ACC i32 [1] 0:0:0
        3 ENDRANGE - [1] -
    ";
    check(
        list,
        expect![
            "Malformed: uop 2 `DEFINE_ACC i32 [1] 0:0:0`: stands within or after loop 1, which it must live through"
        ],
    );
}

#[test]
fn phi_of_a_constant() {
    let list = "
        0 CONST i32 [] 0
        1 PHI i32 [0,0] -
    ";
    check(list, expect!["Malformed: uop 1 `PHI i32 [0,0] -`: its first source is no accumulator"]);
}

#[test]
fn constant_of_another_type() {
    let list = "
        0 CONST i32 [] f:0000000000000000
    ";
    check(list, expect!["Malformed: uop 0 `CONST i32 [] 0.0`: the constant is not of type i32"]);
}

#[test]
fn index_without_launch() {
    let list = "
        0 SPECIAL i32 [] 0:gidx0:4
    ";
    check(
        list,
        expect![
            "Malformed: uop 0 `SPECIAL i32 [] 0:gidx0:4`: an index of a launch, but the kernel is not launched over a grid"
        ],
    );
}

#[test]
fn index_of_another_size_than_the_launch() {
    let list = "
        ; k global=[4,1,1]local=[1,1,1]
        0 SPECIAL i32 [] 0:gidx0:5
    ";
    check(list, expect!["Malformed: uop 0 `SPECIAL i32 [] 0:gidx0:5`: the launch has size 4 in dimension 0, not 5"]);
}

#[test]
fn store_to_an_input() {
    let list = "
        0 DEFINE_GLOBAL f32* [] 1:in
        1 CONST i32 [] 0
        2 CONST f32 [] inf
        3 STORE - [0,1,2] -
    ";
    check(list, expect!["Malformed: uop 3 `STORE - [0,1,2] -`: stores to an argument that is no output"]);
}

#[test]
fn what_is_never_in_a_list() {
    let list = "
        0 NOOP - [] -
    ";
    check(list, expect!["Malformed: uop 0 `NOOP - [] -`: does not belong into a list"]);
}

#[test]
fn end_of_no_condition() {
    let list = "
        0 CONST i32 [] 0
        1 ENDIF - [0] -
    ";
    check(
        list,
        expect!["Malformed: uop 1 `ENDIF - [0] -`: does not end the innermost open scope, which is that of uop none"],
    );
}
