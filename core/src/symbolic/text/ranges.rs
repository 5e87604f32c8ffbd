//! The ranges of the variables: `x[0,9] y[0,3]`.

use super::ExpressionError;
use crate::symbolic::{Arena, NodeId, Sint};
use rustc_hash::FxHashMap;

/// The node of each name of `text`; of a name with only one value it is a number.
pub(super) fn variables(arena: &mut Arena, text: &str) -> Result<FxHashMap<String, NodeId>, ExpressionError> {
    let mut variables = FxHashMap::default();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let column = text.len() - rest.len() + 1;
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (name, min, max) = range(&rest[..end])
            .ok_or_else(|| fault(column, format!("`{}` is not of the form name[min,max]", &rest[..end])))?;
        let node = arena.variable(name, min, Sint::Int(max), None).map_err(|error| fault(column, error.to_string()))?;
        if variables.insert(name.to_owned(), node).is_some() {
            return Err(fault(column, format!("`{name}` is given twice")));
        }
        rest = rest[end..].trim_start();
    }
    Ok(variables)
}

fn fault(column: usize, message: String) -> ExpressionError {
    ExpressionError::new(column, format!("in the ranges: {message}"))
}

fn range(text: &str) -> Option<(&str, i64, i64)> {
    let (name, bounds) = text.strip_suffix(']')?.split_once('[')?;
    let (min, max) = bounds.split_once(',')?;
    let named =
        name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    (named && !name.is_empty()).then_some((name, min.parse().ok()?, max.parse().ok()?))
}
