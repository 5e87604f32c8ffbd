//! Lists: their text, digest, cost, and what is found wrong with them.

use super::{no_rules, reader};
use crate::rule::Rules;
use crate::symbolic::Arena;
use crate::uop::{UopError, UopId};

/// What tinygrad 0.9.0 makes of four kernels: the comment has head and digest, then the cost.
const KERNELS: [&str; 4] = [
    include_str!("kernels/padded.txt"),
    include_str!("kernels/grouped.txt"),
    include_str!("kernels/matmul.txt"),
    include_str!("kernels/tensor-core.txt"),
];

fn lines_below_comments(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with(';')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn digests_and_costs_are_those_of_tinygrad() {
    let mut arena = Arena::default();
    for kernel in KERNELS {
        let mut comments = kernel.lines();
        let first: Vec<&str> = comments.next().expect("a comment").rsplitn(3, ' ').collect();
        let list = reader::read(kernel);
        assert_eq!(list.digest(&arena, first[1]), first[0]);
        assert_ne!(list.digest(&arena, "global=Nonelocal=[1,1,1]"), first[0]);
        let (operations, bytes) = list.cost(&mut arena).expect("64 bits").expect("loops of known length");
        let [operations, bytes] = [operations, bytes].map(|count| arena.render_sint(count));
        assert_eq!(format!("; {operations} operations, {bytes} bytes"), comments.next().expect("a comment"));
        assert_eq!(list.verify(), Ok(()));
        assert_eq!(list.text(&arena), lines_below_comments(kernel));
    }
}

/// A graph is ordered as tinygrad orders it (the last one but for operations on the same operands, which tinygrad leaves to
/// chance), whatever the order in which it was entered, and rewriting what was rewritten changes nothing.
#[test]
fn order_is_that_of_tinygrad() {
    let arena = Arena::default();
    for (number, kernel) in KERNELS.into_iter().enumerate() {
        let original = reader::read(kernel);
        for rules in [no_rules(), Rules::default()] {
            let (list, _) = super::list(reader::graph(&original, rules));
            assert_eq!(list.digest(&arena, ""), original.digest(&arena, ""));
            if number < 3 {
                assert_eq!(list.text(&arena), original.text(&arena));
            }
        }
    }
}

/// Lists with a fault, and the fault.
const BROKEN: &[(&str, &str)] = &[
    ("0 ALU i32 [1] NEG\n1 CONST i32 [] 1", "its source 1 does not come before it"),
    ("0 ALU i32 [7] NEG", "its source 7 is not in the list"),
    ("0 CONST i32 [] 1\n1 ALU i32 [0] ADD", "it has 1 sources instead of 2 to 2"),
    ("0 CONST i32 [] f:3ff0000000000000", "the value is no i32"),
    ("0 CONST i32 [] 1\n1 CONST i64 [] 1\n2 ALU i32 [0,1] ADD", "source 1 is i64 instead of i32"),
    ("0 CONST i32 [] 1\n1 ALU i32 [0,0] CMPLT", "a comparison is i32 instead of bool"),
    ("0 CONST i32 [] 1\n1 CONST f32 [] inf\n2 ALU bool [0,1] CMPEQ", "source 1 is f32 instead of i32"),
    ("0 CONST i32 [] 1\n1 ALU i32 [0,0,0] WHERE", "source 0 is i32 instead of bool"),
    ("0 CONST i32 [] 1\n1 BITCAST f64 [0] -", "i32 can't become f64"),
    ("0 CONST f32 [] inf\n1 CAST f32x4 [0,0] -", "2 lanes make no f32x4"),
    ("0 CONST f32x2 [] inf\n1 GEP f32 [0] 2", "lane 2 of f32x2 is no f32"),
    ("0 CONST i32 [] 1\n1 UNMUL i32 [0,0] -", "must not be left in a list"),
    ("0 CONST i32 [] 1\n1 RANGE i32 [0,0] 2:0", "has no ENDRANGE"),
    ("0 CONST bool [] true\n1 BARRIER - [] -\n2 IF - [0,1] -", "has no ENDIF"),
    (
        "0 CONST i32 [] 9\n1 RANGE i32 [0,0] 2:0\n2 RANGE i32 [0,0] 2:1\n3 ENDRANGE - [1] -\n4 ENDRANGE - [2] -",
        "does not end the innermost open loop or if",
    ),
    (
        "0 CONST i32 [] 9\n1 RANGE i32 [0,0] 2:0\n2 ALU i32 [1] NEG\n3 ENDRANGE - [1] -\n4 ALU i32 [2] NEG",
        "uses 2, which lives in the loop at 1, after its end",
    ),
    (
        "0 CONST i32 [] 9\n1 RANGE i32 [0,0] 2:0\n2 ENDRANGE - [1] -\n3 ALU i32 [1] NEG",
        "uses 1, which lives in the loop at 1, after its end",
    ),
    (
        "0 CONST i32 [] 9\n1 RANGE i32 [0,0] 2:0\n2 DEFINE_ACC i32 [1] 0:0:0\n3 ENDRANGE - [1] -",
        "is defined within its own loop",
    ),
    (
        "0 CONST i32 [] 9\n1 DEFINE_ACC i32 [2] 0:0:0\n2 RANGE i32 [0,0] 2:0\n3 ENDRANGE - [2] -\n4 PHI i32 [1,0] -",
        "accumulates outside of the loop at 2",
    ),
    ("0 CONST i32 [] 9\n1 PHI i32 [0,0] -", "its first source is no accumulator"),
];

#[test]
fn faults_of_lists_are_found() {
    for (text, expected) in BROKEN {
        match reader::read(text).verify() {
            Err(UopError::Type { reason, .. } | UopError::Order { reason, .. }) => {
                assert_eq!(&reason, expected, "{text}")
            }
            other => panic!("{other:?} instead of {expected}:\n{text}"),
        }
    }
}

/// What was accumulated is used after its loop.
#[test]
fn results_outlive_their_loops() {
    let text = "0 CONST i32 [] 9\n1 DEFINE_ACC i32 [2] 0:0:0\n2 RANGE i32 [0,0] 2:0\n3 ALU i32 [2,1] ADD\n\
                4 PHI i32 [1,3] -\n5 ENDRANGE - [2] -\n6 ALU i32 [4] NEG";
    assert_eq!(reader::read(text).verify(), Ok(()));
}

/// A list that is none has a digest, too: no panic, no endless loop.
#[test]
fn digest_of_what_is_no_list() {
    let arena = Arena::default();
    for text in ["0 ALU i32 [0] NEG", "0 ALU i32 [1] NEG\n1 ALU i32 [0] NEG", "0 ALU i32 [9] NEG", ""] {
        assert_eq!(reader::read(text).digest(&arena, "").len(), 16);
    }
}

/// A source that does not exist is an error, wherever a list is read.
#[test]
fn positions_out_of_range() {
    let mut list = reader::read("0 CONST i32 [] 1\n1 ALU i32 [0] NEG");
    list.uops[1].sources[0] = UopId(u32::MAX);
    assert!(list.verify().is_err());
    assert_eq!(list.digest(&Arena::default(), "").len(), 16);
}
