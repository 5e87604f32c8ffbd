//! Parsing of layouts: `(5,4) |> permute(1,0) |> pad((0,0),(1,2))`, `view((4,8):(8,1)+0 mask((0,4),(1,8)))`.

use super::ParseError;
use crate::case::{Dim, DimExpr, Layout, MAX_AXES, MAX_MOVEMENTS, Movement, RawView, Variable};
use crate::expression;
use crate::scan::Scanner;

/// A shape with movements, or a stack of views.
pub(super) fn layout(scanner: &mut Scanner<'_>, variables: &[Variable]) -> Result<Layout, ParseError> {
    if scanner.peek_word() == "view" {
        let mut views = vec![view(scanner, variables)?];
        while scanner.eat("|>") {
            if views.len() >= MAX_MOVEMENTS {
                return Err(scanner.expected(&format!("at most {MAX_MOVEMENTS} views")));
            }
            views.push(view(scanner, variables)?);
        }
        return Ok(Layout::Views(views));
    }
    if scanner.peek() != Some(b'(') {
        return Err(scanner.expected("a buffer's shape such as `(5,4)`, or `view(…)`"));
    }
    let base = dims(scanner, variables)?;
    let mut movements = Vec::new();
    while scanner.eat("|>") {
        if movements.len() >= MAX_MOVEMENTS {
            return Err(scanner.expected(&format!("at most {MAX_MOVEMENTS} movements")));
        }
        movements.push(movement(scanner, variables)?);
    }
    Ok(Layout::Chain { base, movements })
}

fn movement(scanner: &mut Scanner<'_>, variables: &[Variable]) -> Result<Movement, ParseError> {
    let word = scanner.peek_word();
    if !matches!(word, "reshape" | "permute" | "expand" | "pad" | "shrink" | "stride") {
        return Err(scanner.expected("`reshape`, `permute`, `expand`, `pad`, `shrink` or `stride`"));
    }
    scanner.advance(word.len());
    Ok(match word {
        "reshape" => Movement::Reshape(dims(scanner, variables)?),
        "expand" => Movement::Expand(dims(scanner, variables)?),
        "pad" => Movement::Pad(pairs(scanner, variables)?),
        "shrink" => Movement::Shrink(pairs(scanner, variables)?),
        "permute" => {
            scanner.expect("(")?;
            let axis = |scanner: &mut Scanner<'_>| Ok(scanner.natural("an axis", MAX_AXES as u64)? as usize);
            Movement::Permute(items(scanner, MAX_AXES, axis)?)
        }
        _ => {
            scanner.expect("(")?;
            Movement::Stride(items(scanner, MAX_AXES, |scanner| scanner.integer("a step"))?)
        }
    })
}

/// `view(shape:strides+offset mask(…))`
fn view(scanner: &mut Scanner<'_>, variables: &[Variable]) -> Result<RawView, ParseError> {
    scanner.expect("view")?;
    scanner.expect("(")?;
    let shape = dims(scanner, variables)?;
    scanner.expect(":")?;
    let strides = dims(scanner, variables)?;
    let offset = if scanner.eat("+") {
        dim(scanner, variables)?
    } else if scanner.peek() == Some(b'-') {
        Dim::Int(scanner.integer("the offset")?)
    } else {
        return Err(scanner.expected("the offset, with its sign"));
    };
    let mask = if scanner.eat_word("mask") { Some(pairs(scanner, variables)?) } else { None };
    scanner.expect(")")?;
    Ok(RawView { shape, strides, offset, mask })
}

fn dims(scanner: &mut Scanner<'_>, variables: &[Variable]) -> Result<Vec<Dim>, ParseError> {
    scanner.expect("(")?;
    items(scanner, MAX_AXES, |scanner| dim(scanner, variables))
}

fn pairs(scanner: &mut Scanner<'_>, variables: &[Variable]) -> Result<Vec<(Dim, Dim)>, ParseError> {
    scanner.expect("(")?;
    items(scanner, MAX_AXES, |scanner| {
        scanner.expect("(")?;
        let low = dim(scanner, variables)?;
        scanner.expect(",")?;
        let high = dim(scanner, variables)?;
        scanner.expect(")")?;
        Ok((low, high))
    })
}

fn dim(scanner: &mut Scanner<'_>, variables: &[Variable]) -> Result<Dim, ParseError> {
    expression::dim(scanner, &mut |scanner| {
        let word = scanner.peek_word();
        if word.is_empty() {
            return Err(scanner.expected("an integer, a variable or an expression in parentheses"));
        }
        if !variables.iter().any(|variable| variable.name == word) {
            let message = format!("variable {word} is not declared (`var {word}[min,max]`)");
            return Err(scanner.error_at(scanner.at(), word, message));
        }
        scanner.advance(word.len());
        Ok(DimExpr::Variable(word.to_owned()))
    })
}

/// At most `most` items up to `)`; the opening `(` has been passed.
pub(super) fn items<T>(
    scanner: &mut Scanner<'_>,
    most: usize,
    mut item: impl FnMut(&mut Scanner<'_>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    let mut all = Vec::new();
    while !scanner.eat(")") {
        if !all.is_empty() {
            if !scanner.eat(",") {
                return Err(scanner.expected("`,` or `)`"));
            }
            if scanner.eat(")") {
                break;
            }
        }
        if all.len() >= most {
            return Err(scanner.expected(&format!("`)`: at most {most} axes")));
        }
        all.push(item(scanner)?);
    }
    Ok(all)
}
