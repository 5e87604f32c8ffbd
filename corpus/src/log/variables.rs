//! Index expressions as logs print them: `3`, `NumNode(2)`, `(Variable('i', 1, 10)*3)`, and variables:
//! `Variable('i', 1, 10).bind(5)`.

use crate::case::{Dim, DimExpr, MAX_VARIABLES, Variable};
use crate::expression;
use crate::scan::Scanner;
use crate::text::ParseError;

/// The variables of a line, in the order in which they appear.
#[derive(Debug, Default)]
pub(super) struct Variables(pub(super) Vec<Variable>);

/// A dimension, stride, offset or bound.
pub(super) fn dim(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<Dim, ParseError> {
    expression::dim(scanner, &mut |scanner| match scanner.peek_word() {
        "NumNode" => {
            scanner.expect("NumNode")?;
            scanner.expect("(")?;
            let value = scanner.integer("an integer")?;
            scanner.expect(")")?;
            Ok(DimExpr::Int(value))
        }
        "Variable" => {
            let (name, bound) = variable(scanner, variables)?;
            if bound && let Some(known) = variables.0.iter_mut().find(|known| known.name == name) {
                known.shown = true;
            }
            Ok(DimExpr::Variable(name))
        }
        _ => Err(scanner.expected("an integer, `NumNode(…)`, `Variable(…)` or an expression in parentheses")),
    })
}

/// `Variable('i', 1, 10)`, perhaps with `.bind(5)`: enters it and answers with its name, and
/// whether it is bound here.
pub(super) fn variable(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<(String, bool), ParseError> {
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
    let variable = Variable { name: name.to_owned(), min, max, value, shown: false };
    if let Some(message) = variable.fault() {
        return Err(scanner.error_since(start, message));
    }
    let full = variables.0.len() >= MAX_VARIABLES;
    match variables.0.iter_mut().find(|known| known.name == name) {
        None if full => {
            return Err(scanner.error_since(start, format!("at most {MAX_VARIABLES} variables are allowed")));
        }
        None => variables.0.push(variable),
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
    Ok((name.to_owned(), value.is_some()))
}
