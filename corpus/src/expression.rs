//! Index expressions in text, for both readers: `+ - * // % <` with Python's precedence, integers, parentheses.
//! What a name may be is the reader's business.

use crate::case::{Dim, DimExpr, MAX_EXPRESSION_DEPTH};
use crate::scan::Scanner;
use crate::text::ParseError;
use std::sync::Arc;

/// How tightly an operator binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) enum Level {
    Less,
    Sum,
    Product,
    Operand,
}

impl Level {
    fn tighter(self) -> Level {
        match self {
            Level::Less => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product | Level::Operand => Level::Operand,
        }
    }
}

#[derive(Clone, Copy)]
enum Operator {
    Less,
    Add,
    Sub,
    Mul,
    FloorDiv,
    Mod,
}

const SPELLED: [(&str, Operator, Level); 6] = [
    ("<", Operator::Less, Level::Less),
    ("+", Operator::Add, Level::Sum),
    ("-", Operator::Sub, Level::Sum),
    ("*", Operator::Mul, Level::Product),
    ("//", Operator::FloorDiv, Level::Product),
    ("%", Operator::Mod, Level::Product),
];

/// What reads an operand that is neither a number nor in parentheses.
type Leaf<'l, 'a> = &'l mut dyn FnMut(&mut Scanner<'a>) -> Result<DimExpr, ParseError>;

/// A dimension, stride, offset or bound; `leaf` reads what is neither a number nor in parentheses.
pub(crate) fn dim<'a>(
    scanner: &mut Scanner<'a>,
    leaf: &mut dyn FnMut(&mut Scanner<'a>) -> Result<DimExpr, ParseError>,
) -> Result<Dim, ParseError> {
    scanner.skip_blanks();
    let (tree, _) = expression(scanner, leaf, Level::Less, MAX_EXPRESSION_DEPTH)?;
    Ok(match tree {
        DimExpr::Int(value) => Dim::Int(value),
        other => Dim::Expr(Arc::new(other)),
    })
}

/// An expression and the height of its tree, which may be at most `room`: whoever walks the tree recurses.
fn expression<'a>(
    scanner: &mut Scanner<'a>,
    leaf: Leaf<'_, 'a>,
    level: Level,
    room: usize,
) -> Result<(DimExpr, usize), ParseError> {
    if level == Level::Operand {
        return operand(scanner, leaf, room);
    }
    let start = scanner.at();
    let (mut left, mut height) = expression(scanner, leaf, level.tighter(), room)?;
    loop {
        // Most dimensions are plain numbers: look at one byte before trying spellings.
        if matches!(scanner.peek(), None | Some(b',' | b')')) {
            break;
        }
        let found = SPELLED.iter().find(|(spelling, _, own)| *own == level && scanner.eat(spelling));
        let Some(&(_, operator, _)) = found else { break };
        let (right, right_height) = expression(scanner, leaf, level.tighter(), room)?;
        // A difference adds a product below the sum.
        let negated = matches!(operator, Operator::Sub) && !matches!(right, DimExpr::Int(_));
        height = height.max(right_height + usize::from(negated)) + 1;
        if height > room {
            return Err(scanner.error_since(start, too_deep()));
        }
        left = apply(operator, left, right);
    }
    Ok((left, height))
}

fn operand<'a>(scanner: &mut Scanner<'a>, leaf: Leaf<'_, 'a>, room: usize) -> Result<(DimExpr, usize), ParseError> {
    match scanner.peek() {
        Some(b'(') => {
            let start = scanner.at();
            scanner.expect("(")?;
            if room == 0 {
                return Err(scanner.error_since(start, too_deep()));
            }
            let inner = expression(scanner, leaf, Level::Less, room - 1)?;
            scanner.expect(")")?;
            Ok(inner)
        }
        Some(b'0'..=b'9' | b'-') => Ok((DimExpr::Int(scanner.integer("an integer")?), 1)),
        _ => Ok((leaf(scanner)?, 1)),
    }
}

fn apply(operator: Operator, left: DimExpr, right: DimExpr) -> DimExpr {
    let negated = match (operator, &right) {
        (Operator::Sub, DimExpr::Int(value)) => value.checked_neg().map(DimExpr::Int),
        _ => None,
    };
    let (left, right) = (Arc::new(left), Arc::new(right));
    match operator {
        Operator::Less => DimExpr::Less(left, right),
        Operator::Add => DimExpr::Add(left, right),
        Operator::Sub => {
            let negated = negated.unwrap_or_else(|| DimExpr::Mul(right, Arc::new(DimExpr::Int(-1))));
            DimExpr::Add(left, Arc::new(negated))
        }
        Operator::Mul => DimExpr::Mul(left, right),
        Operator::FloorDiv => DimExpr::FloorDiv(left, right),
        Operator::Mod => DimExpr::Mod(left, right),
    }
}

fn too_deep() -> String {
    format!("an expression may nest at most {MAX_EXPRESSION_DEPTH} deep")
}

/// Writes a dimension so that it reads back as it is.
pub(crate) fn write_dim(out: &mut String, dim: &Dim) {
    match dim {
        Dim::Int(value) => out.push_str(&value.to_string()),
        Dim::Expr(expression) => write(out, expression, Level::Less),
    }
}

/// Writes an expression where one of at least `level` can stand.
fn write(out: &mut String, expression: &DimExpr, level: Level) {
    let (left, spelling, right, own) = match expression {
        DimExpr::Int(value) => return out.push_str(&value.to_string()),
        DimExpr::Variable(name) => return out.push_str(name),
        DimExpr::Less(left, right) => (left, "<", right, Level::Less),
        DimExpr::Add(left, right) => match as_subtraction(right) {
            Some(Subtracted::Number(value)) => {
                parenthesised(out, level > Level::Sum, |out| {
                    write(out, left, Level::Sum);
                    out.push_str(&format!("-{value}"));
                });
                return;
            }
            Some(Subtracted::Expression(right)) => (left, "-", right, Level::Sum),
            None => (left, "+", right, Level::Sum),
        },
        DimExpr::Mul(left, right) => (left, "*", right, Level::Product),
        DimExpr::FloorDiv(left, right) => (left, "//", right, Level::Product),
        DimExpr::Mod(left, right) => (left, "%", right, Level::Product),
    };
    parenthesised(out, level > own, |out| {
        write(out, left, own);
        out.push_str(spelling);
        write(out, right, own.tighter());
    });
}

fn parenthesised(out: &mut String, parentheses: bool, inner: impl FnOnce(&mut String)) {
    if parentheses {
        out.push('(');
    }
    inner(out);
    if parentheses {
        out.push(')');
    }
}

enum Subtracted<'a> {
    Number(i64),
    Expression(&'a Arc<DimExpr>),
}

/// What a sum's right side subtracts, where a difference reads back as that sum.
fn as_subtraction(right: &DimExpr) -> Option<Subtracted<'_>> {
    match right {
        DimExpr::Int(value) if *value < 0 => value.checked_neg().map(Subtracted::Number),
        DimExpr::Mul(inner, minus) if **minus == DimExpr::Int(-1) && !matches!(**inner, DimExpr::Int(_)) => {
            Some(Subtracted::Expression(inner))
        }
        _ => None,
    }
}
