//! Python's operators on numbers and index expressions.

use super::lexer::Operator;
use crate::symbolic::error::{checked_add, checked_div, checked_mod, checked_mul, checked_neg, checked_sub};
use crate::symbolic::{Arena, NodeId, Result, Sint};

/// What an expression is worth so far.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// A comparison of numbers.
    Bool(bool),
    /// A number that has not met a variable.
    Int(i64),
    /// An index expression, perhaps a number.
    Node(NodeId),
}

impl Value {
    /// As an operand. A bool counts 0 or 1; a node stays one even where it is a number.
    const fn operand(self) -> Sint {
        match self {
            Value::Bool(value) => Sint::Int(value as i64),
            Value::Int(value) => Sint::Int(value),
            Value::Node(id) => Sint::Node(id),
        }
    }
}

/// `-value`.
pub(super) fn negative(arena: &mut Arena, value: Value) -> Result<Value> {
    match value.operand() {
        Sint::Int(value) => checked_neg(value).map(Value::Int),
        Sint::Node(id) => arena.neg(id).map(Value::Node),
    }
}

/// `a operator b`.
pub(super) fn binary(arena: &mut Arena, operator: Operator, a: Value, b: Value) -> Result<Value> {
    match (a.operand(), b.operand()) {
        (Sint::Int(a), Sint::Int(b)) => numbers(operator, a, b),
        (Sint::Int(a), Sint::Node(b)) => number_first(arena, operator, a, b).map(Value::Node),
        (Sint::Node(a), b) => node_first(arena, operator, a, b).map(Value::Node),
    }
}

fn numbers(operator: Operator, a: i64, b: i64) -> Result<Value> {
    Ok(match operator {
        Operator::Add => Value::Int(checked_add(a, b)?),
        Operator::Sub => Value::Int(checked_sub(a, b)?),
        Operator::Mul => Value::Int(checked_mul(a, b)?),
        Operator::Div => Value::Int(checked_div(a, b)?),
        Operator::Mod => Value::Int(checked_mod(a, b)?),
        Operator::Less => Value::Bool(a < b),
        Operator::LessEqual => Value::Bool(a <= b),
        Operator::Greater => Value::Bool(a > b),
        Operator::GreaterEqual => Value::Bool(a >= b),
    })
}

/// Python turns these round: `3 < x` is `x > 3`, `3 - x` is `-x + 3`.
fn number_first(arena: &mut Arena, operator: Operator, a: i64, b: NodeId) -> Result<NodeId> {
    let number = Sint::Int(a);
    match operator {
        Operator::Add => node_first(arena, Operator::Add, b, number),
        Operator::Sub => {
            let negative = arena.neg(b)?;
            node_first(arena, Operator::Add, negative, number)
        }
        Operator::Mul => arena.mul(b, number),
        Operator::Div => {
            let a = arena.number(a);
            arena.floor_div(a, Sint::Node(b))
        }
        Operator::Mod => {
            let a = arena.number(a);
            arena.modulo(a, Sint::Node(b))
        }
        Operator::Less => node_first(arena, Operator::Greater, b, number),
        Operator::LessEqual => node_first(arena, Operator::GreaterEqual, b, number),
        Operator::Greater => node_first(arena, Operator::Less, b, number),
        Operator::GreaterEqual => node_first(arena, Operator::LessEqual, b, number),
    }
}

fn node_first(arena: &mut Arena, operator: Operator, a: NodeId, b: Sint) -> Result<NodeId> {
    match operator {
        Operator::Add => {
            let b = arena.lift(b);
            arena.add(a, b)
        }
        Operator::Sub => {
            let b = arena.lift(b);
            arena.sub(a, b)
        }
        Operator::Mul => arena.mul(a, b),
        Operator::Div => arena.floor_div(a, b),
        Operator::Mod => arena.modulo(a, b),
        Operator::Less => arena.less(a, b),
        // a <= b is a < b+1
        Operator::LessEqual => {
            let b = arena.sint_add(b, Sint::Int(1))?;
            arena.less(a, b)
        }
        // a > b is -a < -b
        Operator::Greater => {
            let (a, b) = (arena.neg(a)?, arena.sint_neg(b)?);
            arena.less(a, b)
        }
        // a >= b is -a < -b+1
        Operator::GreaterEqual => {
            let (a, b) = (arena.neg(a)?, arena.sint_neg(b)?);
            let b = arena.sint_add(b, Sint::Int(1))?;
            arena.less(a, b)
        }
    }
}
