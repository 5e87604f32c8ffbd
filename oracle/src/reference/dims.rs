//! Dimensions in numbers: expressions over bound variables, evaluated in plain integers.

use super::ReferenceError;
use plumb_corpus::case::{Dim, DimExpr};

/// The value of `dim` under `bindings`.
pub(super) fn resolve(dim: &Dim, bindings: &[(String, i64)]) -> Result<i64, ReferenceError> {
    match dim {
        Dim::Int(value) => Ok(*value),
        Dim::Expr(expr) => evaluate(expr, bindings),
    }
}

/// The values of `dims` under `bindings`.
pub(super) fn resolve_all(dims: &[Dim], bindings: &[(String, i64)]) -> Result<Vec<i64>, ReferenceError> {
    dims.iter().map(|dim| resolve(dim, bindings)).collect()
}

/// The values of pairs under `bindings`.
pub(super) fn resolve_pairs(
    pairs: &[(Dim, Dim)],
    bindings: &[(String, i64)],
) -> Result<Vec<(i64, i64)>, ReferenceError> {
    pairs.iter().map(|(a, b)| Ok((resolve(a, bindings)?, resolve(b, bindings)?))).collect()
}

/// Postorder walk with a stack of its own: expressions come from users and may be deep.
fn evaluate(root: &DimExpr, bindings: &[(String, i64)]) -> Result<i64, ReferenceError> {
    enum Work<'a> {
        Visit(&'a DimExpr),
        Combine(&'a DimExpr),
    }
    let mut work = vec![Work::Visit(root)];
    let mut values: Vec<i64> = Vec::new();
    while let Some(item) = work.pop() {
        match item {
            Work::Visit(expr) => match expr {
                DimExpr::Int(value) => values.push(*value),
                DimExpr::Variable(name) => {
                    let bound = bindings.iter().find(|(bound, _)| bound == name);
                    let (_, value) = bound.ok_or_else(|| {
                        ReferenceError::Invalid(format!("variable {name} of a shape is not declared"))
                    })?;
                    values.push(*value);
                }
                DimExpr::Add(a, b)
                | DimExpr::Mul(a, b)
                | DimExpr::FloorDiv(a, b)
                | DimExpr::Mod(a, b)
                | DimExpr::Less(a, b) => {
                    work.extend([Work::Combine(expr), Work::Visit(b), Work::Visit(a)]);
                }
            },
            Work::Combine(expr) => {
                let (Some(b), Some(a)) = (values.pop(), values.pop()) else { break };
                let value = match expr {
                    DimExpr::Add(..) => a.checked_add(b),
                    DimExpr::Mul(..) => a.checked_mul(b),
                    DimExpr::FloorDiv(..) => floor_div(a, b),
                    DimExpr::Mod(..) => floor_div(a, b).and_then(|q| a.checked_sub(q.checked_mul(b)?)),
                    _ => Some(i64::from(a < b)),
                };
                values.push(
                    value.ok_or_else(|| {
                        ReferenceError::Invalid("a dimension overflows or divides by zero".to_owned())
                    })?,
                );
            }
        }
    }
    values.pop().ok_or_else(|| ReferenceError::Invalid("a dimension without a value".to_owned()))
}

/// The quotient rounded down; `None` for a divisor of zero or an overflow.
fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn expressions_round_down() {
        let bindings = [("v".to_owned(), -7)];
        let v = || Arc::new(DimExpr::Variable("v".to_owned()));
        let n = |value| Arc::new(DimExpr::Int(value));
        let value = |expr: DimExpr| resolve(&Dim::Expr(Arc::new(expr)), &bindings);
        assert_eq!(value(DimExpr::FloorDiv(v(), n(2))), Ok(-4));
        assert_eq!(value(DimExpr::Mod(v(), n(2))), Ok(1));
        assert_eq!(value(DimExpr::Mod(v(), n(-2))), Ok(-1));
        assert_eq!(value(DimExpr::Less(v(), n(-6))), Ok(1));
        assert_eq!(value(DimExpr::Add(n(3), Arc::new(DimExpr::Mul(v(), n(5))))), Ok(-32));
        assert!(value(DimExpr::FloorDiv(v(), n(0))).is_err());
        assert!(value(DimExpr::Mul(v(), n(i64::MAX))).is_err());
        assert!(value(DimExpr::Variable("w".to_owned())).is_err());
    }

    #[test]
    fn a_deep_expression_needs_no_deep_stack() {
        let mut expr = Arc::new(DimExpr::Int(0));
        for _ in 0..20_000 {
            expr = Arc::new(DimExpr::Add(expr, Arc::new(DimExpr::Int(1))));
        }
        assert_eq!(evaluate(&expr, &[]), Ok(20_000));
        // Its own drop would recurse; taking it apart from the top does not.
        while let DimExpr::Add(inner, _) = &*expr {
            expr = Arc::clone(inner);
        }
    }
}
