//! Comparison of dimensions, numbers and symbolic ones, as 0.9.0's code compares them: a comparison that can't be
//! decided counts as true.

use super::Result;
use crate::symbolic::{Arena, NodeId, Sint};

/// Whether both are the same.
pub(super) fn same(arena: &Arena, a: Sint, b: Sint) -> bool {
    match (a, b) {
        (Sint::Int(a), Sint::Int(b)) => a == b,
        (Sint::Node(a), Sint::Node(b)) => arena.same(a, b),
        _ => false,
    }
}

/// Whether two lists are the same.
pub(super) fn all_same(arena: &Arena, a: &[Sint], b: &[Sint]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same(arena, a, b))
}

/// Whether a node can be anything but 0.
pub(super) fn maybe_true(arena: &Arena, node: NodeId) -> bool {
    arena.min(node) != 0 || arena.max(node) != Sint::Int(0)
}

/// Whether `a < b` can be true.
pub(super) fn maybe_less(arena: &mut Arena, a: Sint, b: Sint) -> Result<bool> {
    let less = match (a, b) {
        (Sint::Int(a), Sint::Int(b)) => return Ok(a < b),
        (Sint::Node(a), b) => arena.less(a, b)?,
        (Sint::Int(a), Sint::Node(b)) => {
            let negated = arena.neg(b)?;
            arena.less(negated, Sint::Int(-a))?
        }
    };
    Ok(maybe_true(arena, less))
}

/// Whether `a <= b` can be true.
pub(super) fn maybe_at_most(arena: &mut Arena, a: Sint, b: Sint) -> Result<bool> {
    if let (Sint::Int(a), Sint::Int(b)) = (a, b) {
        return Ok(a <= b);
    }
    let above = arena.sint_add(b, Sint::Int(1))?;
    maybe_less(arena, a, above)
}

/// The smaller one; the first where that can't be told apart.
pub(super) fn smaller(arena: &mut Arena, a: Sint, b: Sint) -> Result<Sint> {
    Ok(if maybe_less(arena, b, a)? { b } else { a })
}

/// The larger one; the first where that can't be told apart.
pub(super) fn larger(arena: &mut Arena, a: Sint, b: Sint) -> Result<Sint> {
    Ok(if maybe_less(arena, a, b)? { b } else { a })
}

/// Product of a list.
pub(super) fn product(arena: &mut Arena, values: &[Sint]) -> Result<Sint> {
    values.iter().try_fold(Sint::Int(1), |product, &value| Ok(arena.sint_mul(product, value)?))
}

/// Sum of the products of pairs.
pub(super) fn dot(arena: &mut Arena, pairs: impl IntoIterator<Item = (Sint, Sint)>) -> Result<Sint> {
    let mut sum = Sint::Int(0);
    for (a, b) in pairs {
        let term = arena.sint_mul(a, b)?;
        sum = arena.sint_add(sum, term)?;
    }
    Ok(sum)
}
