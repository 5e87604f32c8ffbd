//! Integers and index expressions as logs print them: `3`, `NumNode(2)`, `(Variable('i', 1, 10)*3)`,
//! `Variable('i', 1, 10).bind(5)`.

use crate::case::{Dim, DimExpr, Variable};
use crate::scan::Scanner;
use crate::text::ParseError;
use std::sync::Arc;

/// Parentheses and signs that may enclose one another in an expression; tinygrad's own are a handful deep.
const DEPTH: usize = 64;

/// The variables of a line, in the order in which they appear.
#[derive(Debug, Default)]
pub(super) struct Variables(pub(super) Vec<Variable>);

/// How tightly an operator binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    And,
    Less,
    Sum,
    Product,
}

#[derive(Clone, Copy)]
enum Operator {
    And,
    Less,
    Add,
    Sub,
    Mul,
    FloorDiv,
    Mod,
}

impl Operator {
    const SPELLED: [(&'static str, Operator, Level); 7] = [
        ("and ", Operator::And, Level::And),
        ("<", Operator::Less, Level::Less),
        ("+", Operator::Add, Level::Sum),
        ("-", Operator::Sub, Level::Sum),
        ("*", Operator::Mul, Level::Product),
        ("//", Operator::FloorDiv, Level::Product),
        ("%", Operator::Mod, Level::Product),
    ];

    /// Passes an operator that binds at least as tightly as `level`.
    fn eat(scanner: &mut Scanner<'_>, level: Level) -> Option<(Operator, Level)> {
        // Most dimensions are plain numbers: look at one byte before trying spellings.
        if matches!(scanner.peek(), None | Some(b',' | b')')) {
            return None;
        }
        Operator::SPELLED
            .iter()
            .find(|(spelling, _, own)| *own >= level && scanner.eat(spelling))
            .map(|&(_, operator, own)| (operator, own))
    }

    fn apply(self, left: DimExpr, right: DimExpr) -> DimExpr {
        let (left, right) = (Arc::new(left), Arc::new(right));
        match self {
            // Both sides of a conjunction are 0 or 1.
            Operator::And | Operator::Mul => DimExpr::Mul(left, right),
            Operator::Less => DimExpr::Less(left, right),
            Operator::Add => DimExpr::Add(left, right),
            Operator::Sub => DimExpr::Add(left, Arc::new(DimExpr::Mul(right, Arc::new(DimExpr::Int(-1))))),
            Operator::FloorDiv => DimExpr::FloorDiv(left, right),
            Operator::Mod => DimExpr::Mod(left, right),
        }
    }
}

impl Level {
    fn tighter(self) -> Level {
        match self {
            Level::And => Level::Less,
            Level::Less => Level::Sum,
            Level::Sum | Level::Product => Level::Product,
        }
    }
}

/// A dimension, stride, offset or bound.
pub(super) fn dim(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<Dim, ParseError> {
    Ok(match expression(scanner, variables, Level::And, DEPTH)? {
        DimExpr::Int(value) => Dim::Int(value),
        other => Dim::Expr(Arc::new(other)),
    })
}

fn expression(
    scanner: &mut Scanner<'_>,
    variables: &mut Variables,
    level: Level,
    depth: usize,
) -> Result<DimExpr, ParseError> {
    let mut left = operand(scanner, variables, depth)?;
    let mut terms = 0;
    while let Some((operator, own)) = Operator::eat(scanner, level) {
        // Each operator nests the tree by one, and whoever walks it recurses.
        terms += 1;
        if terms > DEPTH {
            return Err(scanner.expected("an expression with fewer terms"));
        }
        let right = if own == Level::Product {
            operand(scanner, variables, depth)?
        } else {
            expression(scanner, variables, own.tighter(), depth)?
        };
        left = operator.apply(left, right);
    }
    Ok(left)
}

fn operand(scanner: &mut Scanner<'_>, variables: &mut Variables, depth: usize) -> Result<DimExpr, ParseError> {
    match scanner.peek() {
        Some(b'(') if depth == 0 => Err(scanner.expected("an expression nested less deeply")),
        Some(b'(') => {
            scanner.expect("(")?;
            let inner = expression(scanner, variables, Level::And, depth - 1)?;
            scanner.expect(")")?;
            Ok(inner)
        }
        Some(b'0'..=b'9' | b'-') => scanner.integer("an integer").map(DimExpr::Int),
        _ => match scanner.peek_word() {
            "NumNode" => {
                scanner.eat_word("NumNode");
                scanner.expect("(")?;
                let value = scanner.integer("an integer")?;
                scanner.expect(")")?;
                Ok(DimExpr::Int(value))
            }
            "Variable" => variable(scanner, variables).map(DimExpr::Variable),
            _ => Err(scanner.expected("an integer, `NumNode(…)`, `Variable(…)` or an expression in parentheses")),
        },
    }
}

/// `Variable('i', 1, 10)`, perhaps with `.bind(5)`: enters it and answers with its name.
pub(super) fn variable(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<String, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    scanner.expect("Variable")?;
    scanner.expect("(")?;
    let quote = if scanner.eat("'") {
        "'"
    } else if scanner.eat("\"") {
        "\""
    } else {
        return Err(scanner.expected("the variable's name in quotes"));
    };
    let Some(name) = scanner.word() else {
        return Err(scanner.expected("a name of letters, digits and `_`"));
    };
    scanner.expect(quote)?;
    scanner.expect(",")?;
    let min = scanner.integer("the smallest value")?;
    scanner.expect(",")?;
    let max = scanner.integer("the largest value")?;
    scanner.expect(")")?;
    let value = if scanner.eat(".bind") {
        scanner.expect("(")?;
        let value = scanner.integer("the bound value")?;
        scanner.expect(")")?;
        Some(value)
    } else {
        None
    };
    if min < 0 || min > max || value.is_some_and(|value| !(min..=max).contains(&value)) {
        return Err(scanner.error_since(start, "expected 0 <= smallest value <= bound value <= largest value"));
    }
    match variables.0.iter_mut().find(|known| known.name == name) {
        None => variables.0.push(Variable { name: name.to_owned(), min, max, value }),
        Some(known) if (known.min, known.max) != (min, max) => {
            let message = format!("variable {name} has other bounds here than before ({} to {})", known.min, known.max);
            return Err(scanner.error_since(start, message));
        }
        Some(known) => match (known.value, value) {
            (Some(before), Some(now)) if before != now => {
                let message = format!("variable {name} is bound to {now} here, and to {before} before");
                return Err(scanner.error_since(start, message));
            }
            _ => known.value = known.value.or(value),
        },
    }
    Ok(name.to_owned())
}
