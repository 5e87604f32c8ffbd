//! Each rule of arithmetic: that it fires, and that it does not where it would be wrong.

use super::expression::rewritten;
use crate::dtype::Scalar::{self, *};
use crate::rule::{self, Rules};

/// Type, what is stored, what becomes of it, and the rules that make it so.
const FIRES: &[(Scalar, &str, &str, &[&str])] = &[
    (I32, "(ADD x 0)", "x", &["add-zero"]),
    (U8, "(ADD 0 x)", "x", &["add-zero"]),
    (Bool, "(ADD x false)", "x", &["add-zero"]),
    (F32, "(ADD x -0.0)", "x", &["add-zero"]),
    (F32, "(ADD x 0.0)", "x", &["add-zero-float"]),
    (I32, "(SUB x 0)", "x", &["subtract-zero"]),
    (F64, "(SUB x 0.0)", "x", &["subtract-zero"]),
    (I32, "(MUL x 1)", "x", &["multiply-one"]),
    (F16, "(MUL 1 x)", "x", &["multiply-one"]),
    (Bool, "(MUL x true)", "x", &["multiply-one"]),
    (I64, "(DIV x 1)", "x", &["divide-one"]),
    (F32, "(DIV x 1)", "x", &["divide-one"]),
    (I8, "(DIV x -1)", "(NEG x)", &["divide-minus-one"]),
    (F32, "(DIV x -1)", "(NEG x)", &["divide-minus-one"]),
    (I32, "(MUL x -1)", "(NEG x)", &["multiply-minus-one"]),
    (F32, "(MUL -1 x)", "(NEG x)", &["multiply-minus-one"]),
    (U16, "(MUL x 0)", "0", &["multiply-zero"]),
    (Bool, "(MUL false x)", "false", &["multiply-zero"]),
    (F32, "(MUL x 0)", "0", &["multiply-zero-float"]),
    (I32, "(SUB x x)", "0", &["subtract-self"]),
    (Bool, "(SUB x x)", "false", &["subtract-self"]),
    (F32, "(SUB x x)", "0", &["subtract-self-float"]),
    (I32, "(NEG (NEG x))", "x", &["negate-twice"]),
    (Bool, "(NEG (NEG x))", "x", &["negate-twice"]),
    (F32, "(NEG (NEG x))", "x", &["negate-twice"]),
    (I32, "(ADD x (NEG y))", "(SUB x y)", &["add-negated"]),
    (F32, "(ADD x (NEG y))", "(SUB x y)", &["add-negated"]),
    (I32, "(ADD (ADD x 3) 4)", "(ADD x 7)", &["add-twice"]),
    (I32, "(ADD 4 (ADD 3 x))", "(ADD x 7)", &["add-twice"]),
    (U8, "(ADD (ADD x 200) 100)", "(ADD x 44)", &["add-twice"]),
    (I8, "(ADD (ADD x 100) 100)", "(ADD x -56)", &["add-twice"]),
    (F32, "(ADD (ADD x 0.5) 0.25)", "(ADD x 0.75)", &["add-twice-float"]),
    (I32, "(ADD (SUB x 3) 4)", "(ADD x 1)", &["subtract-then-add"]),
    (F32, "(ADD (SUB x 3) 4)", "(ADD x 1)", &["subtract-then-add-float"]),
    (Bool, "(CMPLT x false)", "false", &["less-than-false"]),
    (Bool, "(CMPLT true x)", "false", &["true-less-than"]),
    (I32, "(WHERE p x x)", "x", &["where-same-branches"]),
    (I32, "(WHERE true x y)", "x", &["where-constant"]),
    (I32, "(WHERE false x y)", "y", &["where-constant"]),
    (I32, "(MAX x -2147483648)", "x", &["maximum-least-integer"]),
    (I32, "(MAX -2147483648 x)", "x", &["maximum-least-integer"]),
    (I32, "(MAX i 7)", "7", &["maximum-index"]),
    (I32, "(MAX 9 j)", "9", &["maximum-index"]),
    (I32, "(CMPLT (NEG i) 3)", "(CMPLT -3 i)", &["less-negated"]),
    (I32, "(MUL 6 7)", "42", &["fold-constants"]),
    (U8, "(MUL 16 17)", "16", &["fold-constants"]),
    (I32, "(CAST i32 x)", "x", &["cast-same"]),
    (I32, "(CAST f32 3)", "3:f32", &["cast-constant"]),
    (F32, "(CAST i8 -2.75)", "-2:i8", &["cast-constant"]),
    (I32, "(CAST u8 300)", "300:u8", &["cast-constant"]),
    // In several rounds.
    (
        I32,
        "(ADD (MUL x (ADD 3 -4)) (MUL y 1))",
        "(ADD (NEG x) y)",
        &["fold-constants", "multiply-minus-one", "multiply-one"],
    ),
    (I32, "(ADD x (MUL y -1))", "(SUB x y)", &["multiply-minus-one", "add-negated"]),
];

#[test]
fn rules_fire() {
    for &(scalar, before, after, expected) in FIRES {
        let (found, firings) = rewritten(scalar, before, Rules::default());
        assert_eq!(found, after, "{before} in {scalar}");
        for name in expected {
            let info = rule::named(&format!("uop/{name}")).expect("a rule of this name");
            assert!(firings.of(info.id) > 0, "{name} did not fire on {before} in {scalar}");
        }
    }
}

/// What must stay as it is, with all rules on, and why.
const STAYS: &[(Scalar, &str, &str)] = &[
    (Bool, "(ADD x (NEG y))", "false or not false is true, false minus false is false"),
    (Bool, "(SUB (ADD x true) y)", "no rule"),
    (Bool, "(ADD (SUB x true) true)", "a difference of bools is either, not and-not"),
    (F32, "(SUB x -0.0)", "-0.0 - -0.0 is 0.0"),
    (I32, "(CMPLT (NEG x) 3)", "-x of the least integer is that itself, and less than 3; -3 is not less than it"),
    (I32, "(CMPLT (NEG i) -2147483648)", "2147483648 is no i32"),
    (I32, "(CMPLT (NEG (WHERE (CMPLT i j) -2147483648 0)) 3)", "a constant may be the least integer, too"),
    (I32, "(CMPLT (NEG (MUL i 536870912)) 3)", "a product may be it"),
    (I64, "(MAX x -2147483648)", "there are smaller ones"),
    (I32, "(MAX i 6)", "the index can be 7"),
    (I32, "(DIV x 0)", "not defined"),
    (I32, "(DIV 3 0)", "not defined"),
    (I32, "(MOD 3 0)", "not defined"),
    (F32, "(MAX NaN 1)", "differs between devices"),
    (F32, "(CAST i32 NaN)", "not defined"),
    (F32, "(CAST i32 inf)", "not defined"),
    (F32, "(CAST u8 256)", "not defined"),
    (F32, "(BITCAST u32 1)", "1065353216, not 1"),
    (U32, "(MUL x 4294967295)", "no rule"),
    (U32, "(DIV x 4294967295)", "1 for one x, 0 for all others"),
];

#[test]
fn rules_do_not_fire_where_they_are_wrong() {
    for &(scalar, text, reason) in STAYS {
        let (found, _) = rewritten(scalar, text, Rules::default());
        let found = found.replace(":u8", "").replace("-0)", "-0.0)");
        assert_eq!(found, text, "in {scalar}: {reason}");
    }
}

/// With strict floats, what only holds for finite values stays as it is, for floats alone.
#[test]
fn strict_floats() {
    let rules = Rules::default().strict_float();
    for (scalar, text, after) in [
        (F32, "(ADD x 0)", "(ADD x 0)"),
        (F32, "(MUL x 0)", "(MUL x 0)"),
        (F64, "(SUB x x)", "(SUB x x)"),
        (F16, "(ADD (ADD x 1) 2)", "(ADD (ADD x 1) 2)"),
        (BF16, "(ADD (SUB x 1) 2)", "(ADD (SUB x 1) 2)"),
        (F32, "(ADD x -0.0)", "x"),
        (F32, "(MUL x 1)", "x"),
        (I32, "(ADD x 0)", "x"),
        (I32, "(MUL x 0)", "0"),
        (I32, "(SUB x x)", "0"),
        (I32, "(ADD (ADD x 1) 2)", "(ADD x 3)"),
        (I32, "(ADD (SUB x 1) 2)", "(ADD x 1)"),
    ] {
        assert_eq!(rewritten(scalar, text, rules).0, after, "{text} in {scalar}");
    }
}
