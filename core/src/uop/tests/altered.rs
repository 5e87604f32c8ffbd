//! Each planted fault: that it does what its sentence says.

use super::expression::rewritten;
use crate::dtype::Scalar::{self, *};
use crate::rule::{self, Rules, State};

/// Rule, type, what is stored, and what the fault makes of it.
const FAULTS: &[(&str, Scalar, &str, &str)] = &[
    ("maximum-index", I32, "(MAX i 6)", "6"),
    ("cast-constant", F32, "(BITCAST u32 1)", "1:u32"),
    ("maximum-least-integer", I64, "(MAX x -2147483648)", "x"),
    ("negate-twice", I32, "(NEG (NEG x))", "(NEG x)"),
    ("add-negated", Bool, "(ADD x (NEG y))", "(SUB x y)"),
    ("where-constant", I32, "(WHERE true x y)", "y"),
    ("fold-constants", I64, "(DIV 108086391056891907 3)", "36028797018963968"),
    ("divide-minus-one", I32, "(DIV x -1)", "x"),
    ("multiply-zero", I32, "(MUL x 0)", "x"),
    ("multiply-zero-float", F32, "(MUL x 0)", "x"),
    ("add-twice", I32, "(ADD (ADD x 3) 4)", "(ADD x -1)"),
    ("add-twice-float", F32, "(ADD (ADD x 3) 4)", "(ADD x -1)"),
    ("subtract-then-add", I32, "(ADD (SUB x 3) 4)", "(ADD x 7)"),
    ("subtract-then-add-float", F32, "(ADD (SUB x 3) 4)", "(ADD x 7)"),
    ("less-negated", I32, "(CMPLT (NEG i) 3)", "(CMPLT 3 i)"),
];

#[test]
fn planted_faults_of_arithmetic() {
    for &(name, scalar, before, after) in FAULTS {
        let info = rule::named(&format!("uop/{name}")).expect("a rule of this name");
        assert!(info.altered.is_some(), "{name} has a planted fault");
        let rules = Rules::default().with(info.id, State::Altered);
        assert_eq!(rewritten(scalar, before, rules).0, after, "{name} on {before} in {scalar}");
        assert_ne!(rewritten(scalar, before, Rules::default()).0, after, "{name} is not like its fault");
    }
}

/// A rule that is off does not fire.
#[test]
fn rules_switch_off() {
    for &(name, scalar, before, _) in FAULTS {
        let info = rule::named(&format!("uop/{name}")).expect("a rule of this name");
        let (_, firings) = rewritten(scalar, before, Rules::default().with(info.id, State::Off));
        assert_eq!(firings.of(info.id), 0, "{name}");
    }
}
