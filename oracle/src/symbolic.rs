//! The judge of index expressions: what `core` makes of one, against enumeration.
//!
//! Both texts, the one that was given and the one that `core` answers, are read and computed by the prover's own
//! [parser](crate::prove::expression), so that nothing here rests on `core`'s arithmetic.

use crate::data::mix;
use crate::prove::expression::{Expression, Range, parse_ranges};
use plumb_core::rule::Rules;
use plumb_core::symbolic::simplify_text;

/// Domains of at most so many points are enumerated; of larger ones so many points are drawn.
const POINTS: u64 = 4096;

/// What enumeration says of a simplification that it does not object to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbolic {
    /// It has the value of the expression at each of these many points at which the expression has one, and the
    /// bounds hold there.
    Same {
        /// How many points.
        points: u64,
        /// Whether these are all.
        whole: bool,
        /// What `core` answers.
        answer: String,
    },
    /// `core` does not take the expression, and why.
    Refused(String),
}

/// A simplification that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}; replay: plumb sym --check '{ranges}' '{expression}'")]
pub struct SymbolicFinding {
    /// The variables' ranges, as they were given.
    pub ranges: String,
    /// The expression, as it was given.
    pub expression: String,
    /// What is wrong, with the values of the variables.
    pub message: String,
}

/// Whether `core`'s simplification of `expression` by `rules` means the same, and lies within the bounds that it gives.
///
/// # Errors
/// A point at which it does not.
pub fn check(ranges: &str, expression: &str, rules: &Rules) -> Result<Symbolic, Box<SymbolicFinding>> {
    let answer = match simplify_text(ranges, expression, rules) {
        Ok(answer) => answer,
        Err(error) => return Ok(Symbolic::Refused(error.to_string())),
    };
    let read = || -> Result<_, String> {
        let variables = parse_ranges(ranges).map_err(|error| error.to_string())?;
        let given = Expression::parse(expression, &variables).map_err(|error| error.to_string())?;
        Ok((variables, given))
    };
    let (variables, given) = match read() {
        Ok(read) => read,
        Err(reason) => return Ok(Symbolic::Refused(reason)),
    };
    let fail = |message: String| {
        Box::new(SymbolicFinding { ranges: ranges.to_owned(), expression: expression.to_owned(), message })
    };
    let (simplified, bounds) = parts(&answer, &variables).map_err(|error| fail(format!("`{answer}`: {error}")))?;
    let (points, whole) = match size(&variables) {
        Some(points) if points <= POINTS => (points, true),
        _ => (POINTS, false),
    };
    let mut values = vec![0; variables.len()];
    let mut compared = 0;
    for point in 0..points {
        place(&variables, point, whole, &mut values);
        // Where the expression has no value, as it divides by zero, anything may come out.
        let Some(value) = given.evaluate(&values) else { continue };
        compared += 1;
        let at = || -> String {
            let named = variables.iter().zip(&values).map(|(variable, value)| format!("{}={value}", variable.name));
            named.collect::<Vec<_>>().join(" ")
        };
        match simplified.evaluate(&values) {
            Some(found) if found == value => {}
            found => {
                let found = found.map_or("no value".to_owned(), |found| found.to_string());
                return Err(fail(format!("`{answer}` is {found} at {}, not {value}", at())));
            }
        }
        if bounds.iter().zip([-1, 1]).any(|(bound, side)| bound.is_some_and(|bound| (value - bound) * side > 0)) {
            return Err(fail(format!("`{answer}` is {value} at {}, beyond its bounds", at())));
        }
    }
    Ok(Symbolic::Same { points: compared, whole, answer })
}

/// The expression and the bounds of an answer; a bound that is no number is none.
fn parts(answer: &str, variables: &[Range]) -> Result<(Expression, [Option<i128>; 2]), String> {
    let (text, bounds) = answer.rsplit_once(" min=").ok_or("no bounds")?;
    let (least, most) = bounds.split_once(" max=").ok_or("no upper bound")?;
    // A comparison of numbers is a bool, as in Python.
    let [text, least, most] = [text, least, most].map(|text| match text {
        "False" => "0",
        "True" => "1",
        other => other,
    });
    let expression = Expression::parse(text, variables).map_err(|error| error.to_string())?;
    Ok((expression, [least.parse().ok(), most.parse().ok()]))
}

/// Number of points.
fn size(variables: &[Range]) -> Option<u64> {
    let count = |variable: &Range| u64::try_from(i128::from(variable.high) - i128::from(variable.low) + 1).ok();
    variables.iter().try_fold(1u64, |size, variable| size.checked_mul(count(variable)?))
}

/// The values at point number `point`: in order, or drawn, the ends of ranges more often than what lies between.
fn place(variables: &[Range], point: u64, in_order: bool, values: &mut [i64]) {
    let mut rest = point;
    for (number, (variable, value)) in variables.iter().zip(values).enumerate() {
        let Range { low, high, .. } = *variable;
        let count = (i128::from(high) - i128::from(low) + 1) as u64;
        if in_order {
            *value = low + (rest % count.max(1)) as i64;
            rest /= count.max(1);
            continue;
        }
        let drawn = mix(point, number as u64);
        *value = match drawn % 8 {
            0 => low,
            1 => high,
            _ => (i128::from(low) + i128::from(drawn / 8) % i128::from(count.max(1))) as i64,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_core::rule::State;
    use plumb_core::symbolic::SymbolicRule;

    #[test]
    fn a_simplification_is_compared_at_all_points_at_which_there_is_a_value() {
        let checked = check("x[0,9] y[0,3]", "((x*4+y)//4)%3", &Rules::default()).expect("right");
        assert_eq!(checked, Symbolic::Same { points: 40, whole: true, answer: "(x%3) min=0 max=2".to_owned() });
        assert!(matches!(check("x[0,9]", "x+z", &Rules::default()), Ok(Symbolic::Refused(_))));
        let large = check("x[0,2000000] y[0,70000]", "(x*8+y)//8", &Rules::default()).expect("right");
        assert!(matches!(large, Symbolic::Same { points: POINTS, whole: false, .. }), "{large:?}");
    }

    #[test]
    fn planted_faults_of_simplification_are_seen() {
        let mut missed = Vec::new();
        for info in plumb_core::rule::all().filter(|info| info.id.group == plumb_core::rule::Group::Symbolic) {
            if info.altered.is_none() {
                continue;
            }
            let rules = Rules::default().with(info.id, State::Altered);
            let caught = (0..4000).any(|number| {
                let expression =
                    plumb_corpus::generate::index_expression(&mut plumb_corpus::generate::Seeded::new(5, number));
                check(&expression.ranges, &expression.text, &rules).is_err()
            });
            if !caught {
                missed.push(info.name);
            }
        }
        assert!(missed.len() <= 4, "{missed:?}");
        assert!(!missed.contains(&SymbolicRule::DivGcd.info().name));
    }
}
