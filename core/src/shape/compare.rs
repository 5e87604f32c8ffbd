//! Comparison of dimensions, numbers and symbolic ones.
//!
//! 0.9.0 takes a comparison that nothing decides as true, and so picks a wrong bound of a mask now and then. Here it is
//! said what holds for certain, by the bounds of the difference; the caller says what happens otherwise.

use super::Result;
use crate::symbolic::{Arena, NodeId, Sint, SymbolicError};

/// Whether two lists are the same.
pub(super) fn all_same(arena: &Arena, a: &[Sint], b: &[Sint]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a == b || arena.same_sint(a, b))
}

/// Whether a node can be anything but 0.
pub(super) fn may_be_nonzero(arena: &Arena, node: NodeId) -> bool {
    arena.min(node) != 0 || arena.max(node) != Sint::Int(0)
}

/// Whether `a < b` for certain.
pub(super) fn surely_less(arena: &mut Arena, a: Sint, b: Sint) -> Result<bool> {
    if let (Sint::Int(a), Sint::Int(b)) = (a, b) {
        return Ok(a < b);
    }
    let difference = arena.sint_sub(b, a)?;
    Ok(arena.smallest(difference) > 0)
}

/// Whether `a <= b` for certain.
pub(super) fn surely_at_most(arena: &mut Arena, a: Sint, b: Sint) -> Result<bool> {
    if let (Sint::Int(a), Sint::Int(b)) = (a, b) {
        return Ok(a <= b);
    }
    let difference = arena.sint_sub(b, a)?;
    Ok(arena.smallest(difference) >= 0)
}

/// The smaller one.
///
/// # Errors
/// [`SymbolicError::Unsupported`] where that depends on a variable.
pub(super) fn smaller(arena: &mut Arena, a: Sint, b: Sint) -> Result<Sint> {
    if surely_at_most(arena, a, b)? {
        Ok(a)
    } else if surely_at_most(arena, b, a)? {
        Ok(b)
    } else {
        Err(undecided(arena, "smaller", a, b))
    }
}

/// The larger one.
///
/// # Errors
/// [`SymbolicError::Unsupported`] where that depends on a variable.
pub(super) fn larger(arena: &mut Arena, a: Sint, b: Sint) -> Result<Sint> {
    if surely_at_most(arena, b, a)? {
        Ok(a)
    } else if surely_at_most(arena, a, b)? {
        Ok(b)
    } else {
        Err(undecided(arena, "larger", a, b))
    }
}

fn undecided(arena: &Arena, which: &str, a: Sint, b: Sint) -> super::ShapeError {
    let (a, b) = (arena.describe_sint(a), arena.describe_sint(b));
    SymbolicError::Unsupported(format!("the {which} of {a} and {b}, which depends on a variable")).into()
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
