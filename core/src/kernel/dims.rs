//! Questions about dimensions that may be symbolic, answered as 0.9.0 answers them: a comparison that the bounds do
//! not decide counts as true.

use crate::symbolic::{Arena, Sint, SymbolicError};

/// Whether both are the same number or the same expression.
pub(super) fn same(arena: &Arena, a: Sint, b: Sint) -> bool {
    match (a, b) {
        (Sint::Int(a), Sint::Int(b)) => a == b,
        (Sint::Node(a), Sint::Node(b)) => a == b || arena.same(a, b),
        _ => false,
    }
}

/// Whether both lists are the same.
pub(super) fn all_same(arena: &Arena, a: &[Sint], b: &[Sint]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same(arena, a, b))
}

/// Whether the value can be greater than `bound`.
pub(super) fn may_exceed(arena: &Arena, value: Sint, bound: i64) -> bool {
    most(arena, value) > bound
}

/// The largest value.
pub(super) fn most(arena: &Arena, value: Sint) -> i64 {
    match value {
        Sint::Int(value) => value,
        Sint::Node(node) => arena.max_int(node),
    }
}

/// The smallest value.
pub(super) fn least(arena: &Arena, value: Sint) -> i64 {
    match value {
        Sint::Int(value) => value,
        Sint::Node(node) => arena.min(node),
    }
}

/// Whether `amount` divides the value whatever its variables are; nothing is a multiple of zero or less.
pub(super) fn divides(arena: &mut Arena, amount: i64, value: Sint) -> Result<bool, SymbolicError> {
    if amount <= 0 {
        return Ok(false);
    }
    Ok(match value {
        Sint::Int(value) => value % amount == 0,
        Sint::Node(_) => arena.sint_mod(value, Sint::Int(amount))? == Sint::Int(0),
    })
}

/// The product.
pub(super) fn product(arena: &mut Arena, values: &[Sint]) -> Result<Sint, SymbolicError> {
    values.iter().try_fold(Sint::Int(1), |product, &value| arena.sint_mul(product, value))
}

/// The product of those that are numbers, at most `i64::MAX`.
pub(super) fn product_of_numbers(values: &[Sint]) -> i64 {
    values.iter().filter_map(|value| value.int()).fold(1, i64::saturating_mul)
}

/// The list as people read it: `(3, v, 4)`.
pub(super) fn text(arena: &Arena, values: &[Sint]) -> String {
    let parts: Vec<String> = values.iter().map(|&value| arena.render_sint(value)).collect();
    format!("({})", parts.join(", "))
}
