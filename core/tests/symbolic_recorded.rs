//! Index expressions as text against recorded answers, what the text can't say, and what each planted fault does to it.

use plumb_core::rule::{Rules, State, named};
use plumb_core::symbolic::{Arena, ExpressionError, NodeId, Sint, SymbolicError, simplify_text};

#[test]
fn expressions_simplify_as_recorded() {
    let lines = include_str!("data/symbolic.txt").lines().filter(|line| !line.is_empty() && !line.starts_with(';'));
    let mut count = 0;
    for line in lines {
        let parts: Vec<&str> = line.split('\t').collect();
        let [ranges, expression, recorded] = parts[..] else { panic!("not three parts: {line}") };
        let answer = simplify_text(ranges, expression, &Rules::default());
        let answer = answer.unwrap_or_else(|error| format!("error {error}"));
        assert_eq!(answer, recorded, "{ranges} {expression}");
        count += 1;
    }
    assert!(count > 400, "only {count} lines");
}

/// Each: a rule, ranges, an expression, its simplified form, and what the planted fault makes of it.
const FAULTS: &[(&str, &str, &str, &str, &str)] = &[
    // a=7 is -4, not -3
    ("symbolic/div-negative", "a[0,7]", "a//-2", "((((a*-1)+8)//2)+-4) min=-4 max=0", "((a//2)*-1) min=-3 max=0"),
    // a < a is never true
    ("symbolic/less-same", "a[1,5]", "a<a", "0 min=0 max=0", "1 min=1 max=1"),
    ("symbolic/less-bounds", "a[1,5]", "a<3", "(a<3) min=0 max=1", "1 min=1 max=1"),
    // a=1 is 0, not -1
    (
        "symbolic/div-of-div",
        "a[0,7]",
        "(a//2)//-3",
        "(((((a//2)*-1)+3)//3)+-1) min=-1 max=0",
        "((((a*-1)+12)//6)+-2) min=-2 max=0",
    ),
    // a=5 is 1, not 0
    ("symbolic/mod-of-mod", "a[0,31]", "((a*5)%12)%5", "(((a*5)%12)%5) min=0 max=4", "0 min=0 max=0"),
    ("symbolic/mod-small", "a[0,4]", "a%4", "(a%4) min=0 max=3", "a min=0 max=4"),
    ("symbolic/sum-collect", "a[0,4]", "a*2+a", "(a*3) min=0 max=12", "(a*2) min=0 max=8"),
    ("symbolic/div-offset", "a[0,4]", "-a//3", "((((a*-1)+6)//3)+-2) min=-2 max=0", "(((a*-1)+6)//3) min=0 max=2"),
    ("symbolic/div-factor", "a[0,4] b[0,4]", "(a*3+b)//8", "(((a*3)+b)//8) min=0 max=2", "(((b//3)+a)//2) min=0 max=2"),
    ("symbolic/div-of-mod", "a[0,30]", "(a%12)//4", "((a//4)%3) min=0 max=2", "(a//4) min=0 max=7"),
    ("symbolic/div-terms", "a[0,4]", "(a+7)//4", "(((3+a)//4)+1) min=1 max=2", "((a//4)+1) min=1 max=2"),
    ("symbolic/mod-terms", "a[0,4]", "(a*3+1)%4", "((((a*3)%4)+1)%4) min=0 max=3", "1 min=1 max=1"),
];

#[test]
fn planted_faults_do_what_they_say() {
    for &(name, ranges, expression, right, wrong) in FAULTS {
        let rule = named(name).unwrap_or_else(|| panic!("no rule {name}"));
        let answer = |state| simplify_text(ranges, expression, &Rules::default().with(rule.id, state));
        assert_eq!(answer(State::On).as_deref(), Ok(right), "{name}");
        assert_eq!(answer(State::Altered).as_deref(), Ok(wrong), "{name} altered");
    }
}

fn refused(ranges: &str, expression: &str) -> ExpressionError {
    match simplify_text(ranges, expression, &Rules::default()) {
        Ok(answer) => panic!("{ranges} {expression} is answered: {answer}"),
        Err(error) => error,
    }
}

#[test]
fn errors_say_where() {
    for (ranges, expression, column, message) in [
        ("x[0,9]", "", 1, "ends"),
        ("x[0,9]", "x+", 3, "ends"),
        ("x[0,9]", "x + (3", 7, "`(` in column 5"),
        ("x[0,9]", "x)", 2, "an operator or the end"),
        ("x[0,9]", "x y", 3, "an operator or the end"),
        ("x[0,9]", "x + y", 5, "`y` has no range"),
        ("x[0,9]", "x ** 2", 3, "`**`"),
        ("x[0,9]", "x / 2", 3, "unexpected `/`"),
        ("x[0,9]", "x == 2", 3, "unexpected `=`"),
        ("x[0,9]", "2x", 2, "neither"),
        ("x[0,9]", "x + 007", 5, "start with 0"),
        ("x[0,9]", "99999999999999999999", 1, "64 bits"),
        ("x[0,9]", "x*9223372036854775807", 2, "64 bits"),
        ("x[0,9]", "0-9223372036854775807-2", 22, "64 bits"),
        ("x[0,9]", "x // 0", 3, "division by zero"),
        ("x[0,9]", "(x+1) % (3-3)", 7, "division by zero"),
        ("x[0,9]", "5 // 0", 3, "division by zero"),
        ("x[0,9]", "x % -2", 3, "not supported"),
        ("x[0,9] y[2,3]", "x // y", 3, "not supported"),
        ("x[0,9]", "1 < x < 5", 7, "chained"),
        ("x[0,9]", "\u{e9}+x", 1, "has no range"),
        ("x[0,9]", "x + \u{20ac}", 5, "unexpected"),
        ("x[0,9] y", "x", 8, "in the ranges"),
        ("x[-1,9]", "x", 1, "impossible bounds"),
        ("x[9,1]", "x", 1, "impossible bounds"),
        ("x[0,9] x[0,3]", "x", 8, "twice"),
        ("x[0,99999999999999999999]", "x", 1, "in the ranges"),
    ] {
        let error = refused(ranges, expression);
        assert!(error.message.contains(message), "{expression:?}: {error}");
        assert_eq!(error.column, column, "{expression:?}: {error}");
    }
}

/// Text from outside must not exhaust the stack.
#[test]
fn deep_and_long_text_is_answered_or_refused() {
    let nested = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(refused("x[0,9]", &nested).message.contains("parentheses"));
    assert!(simplify_text("x[0,9]", &format!("{}x", "-".repeat(100_000)), &Rules::default()).is_ok());
    // Each remainder is by something else, so none is merged with the one before.
    let remainders: String = (0..2000).map(|number| format!("%{}", 1_000_003 - number)).collect();
    assert!(refused("x[0,10000000]", &format!("x{remainders}")).message.contains("deep"));
    let sum: String = (1..2000).map(|number| format!("+x%{number}")).collect();
    assert!(simplify_text("x[0,10000000]", &format!("0{sum}"), &Rules::default()).is_ok());
}

/// A step from an expression to a deeper one; the number makes each different.
type Step = fn(&mut Arena, NodeId, i64) -> Result<NodeId, SymbolicError>;

/// Expressions as deep as are allowed can be worked with on a thread's usual stack.
#[test]
fn the_deepest_expressions_can_be_worked_with() {
    let mut arena = Arena::default();
    let x = arena.variable("x", 0, Sint::Int(1 << 40), None).expect("a variable");
    let steps: [Step; 3] = [
        |arena, node, number| arena.modulo(node, Sint::Int((1 << 40) - number)),
        |arena, node, number| {
            let tripled = arena.mul(node, Sint::Int(3))?;
            let raised = arena.add(tripled, node)?;
            arena.modulo(raised, Sint::Int((1 << 40) - 7 * number))
        },
        |arena, node, number| {
            let rest = arena.modulo(node, Sint::Int(2 * (1 << 30) - 4 * number))?;
            let sum = arena.add(rest, node)?;
            let quotient = arena.floor_div(sum, Sint::Int(3))?;
            arena.create_less(quotient, Sint::Int(1 << 20))?;
            Ok(sum)
        },
    ];
    for step in steps {
        let mut node = x;
        let mut number = 1;
        let error = loop {
            match step(&mut arena, node, number) {
                Ok(next) => node = next,
                Err(error) => break error,
            }
            number += 1;
            if number > 2000 {
                break SymbolicError::Unsupported("no end".into());
            }
        };
        assert!(matches!(error, SymbolicError::Unsupported(_) | SymbolicError::Overflow(_)), "{error}");
        let five = arena.number(5);
        let replaced = arena.substitute(node, &[(x, five)]).expect("a number");
        assert_eq!(arena.evaluate(replaced, &|_| None), arena.evaluate(node, &|_| Some(5)));
        assert_eq!(arena.variables(node).as_slice(), [x]);
        assert!(arena.contains(node, x));
        for divisor in [2, 3, 1 << 20, -5] {
            let _ = arena.floor_div(node, Sint::Int(divisor));
            let _ = arena.modulo(node, Sint::Int(divisor));
            let _ = arena.create_less(node, Sint::Int(divisor));
        }
    }
}
