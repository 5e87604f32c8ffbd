//! Deciding an obligation: small domains by enumeration, the rest by Z3.

use super::Proof;
use super::expression::{Expression, Node, Operator, Range};
use super::forms::{FormId, Forms};
use z3::ast::{Bool, Int};
use z3::{Params, SatResult, Solver};

/// How hard to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Domains of at most so many points are enumerated, and a thousand times larger ones where Z3 can't decide.
    pub enumerate: u64,
    /// Z3's resource limit for one obligation: unlike a time limit it is the same on every machine.
    pub resources: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { enumerate: 4096, resources: 4_000_000 }
    }
}

/// Whether two expressions are equal over the ranges.
pub(super) fn equal(ranges: &[Range], left: &Expression, right: &Expression, effort: Effort) -> Proof {
    let mut forms = Forms::default();
    let variables: Vec<FormId> =
        ranges.iter().map(|range| forms.variable(&range.name, (range.low, range.high))).collect();
    let small = points(ranges).is_some_and(|points| points <= effort.enumerate);
    if !small
        && let (Some(left), Some(right)) =
            (normal_form(&mut forms, left, &variables), normal_form(&mut forms, right, &variables))
        && left == right
    {
        return Proof::Proved;
    }
    decide(
        ranges,
        effort,
        |values| left.evaluate(values) == right.evaluate(values),
        |variables| {
            let (a, b) = (translate(left, variables)?, translate(right, variables)?);
            Some(a.eq(&b).not())
        },
    )
}

/// The normal form of an expression without comparisons, whose products and divisors are with and by numbers.
fn normal_form(forms: &mut Forms, expression: &Expression, variables: &[FormId]) -> Option<FormId> {
    let mut results: Vec<FormId> = Vec::with_capacity(expression.nodes.len());
    for node in &expression.nodes {
        let result = match *node {
            Node::Integer(value) => forms.constant(value),
            Node::Variable(variable) => *variables.get(variable)?,
            Node::Binary(operator, a, b) => {
                let (a, b) = (*results.get(a)?, *results.get(b)?);
                match operator {
                    Operator::Add => forms.add(a, b),
                    Operator::Subtract => forms.sub(a, b),
                    Operator::Multiply => match (forms.number(a), forms.number(b)) {
                        (_, Some(factor)) => forms.scale(a, factor),
                        (Some(factor), _) => forms.scale(b, factor),
                        _ => return None,
                    },
                    Operator::FloorDivide => forms.quotient(a, forms.number(b)?),
                    Operator::Modulo => forms.remainder(a, forms.number(b)?),
                    _ => return None,
                }
                .ok()?
            }
        };
        results.push(result);
    }
    results.pop()
}

/// Whether an expression lies within inclusive bounds over the ranges.
pub(super) fn within(ranges: &[Range], expression: &Expression, low: i64, high: i64, effort: Effort) -> Proof {
    let inside = |value: i128| (i128::from(low)..=i128::from(high)).contains(&value);
    decide(
        ranges,
        effort,
        |values| expression.evaluate(values).is_none_or(inside),
        |variables| {
            let value = translate(expression, variables)?;
            Some(Bool::or(&[value.lt(Int::from_i64(low)), value.gt(Int::from_i64(high))]))
        },
    )
}

/// Decides whether `holds` for all values. `violated` states the contrary to Z3; `None`: it can't be stated.
fn decide(
    ranges: &[Range],
    effort: Effort,
    holds: impl Fn(&[i64]) -> bool,
    violated: impl Fn(&[Int]) -> Option<Bool>,
) -> Proof {
    if points(ranges).is_some_and(|points| points <= effort.enumerate) {
        return enumerate(ranges, holds);
    }
    let solver = Solver::new();
    let mut parameters = Params::new();
    parameters.set_u32("rlimit", effort.resources);
    parameters.set_u32("random_seed", 1);
    solver.set_params(&parameters);
    let variables: Vec<Int> = ranges.iter().map(|range| Int::new_const(range.name.as_str())).collect();
    for (variable, range) in variables.iter().zip(ranges) {
        solver.assert(variable.ge(Int::from_i64(range.low)));
        solver.assert(variable.le(Int::from_i64(range.high)));
    }
    let proof = match violated(&variables) {
        Some(violated) => {
            solver.assert(&violated);
            ask(&solver, &variables, &holds)
        }
        None => Proof::Unknown("divides by something that is no constant".to_owned()),
    };
    let enumerable = points(ranges).is_some_and(|points| points <= effort.enumerate.saturating_mul(1000));
    match proof {
        Proof::Unknown(_) if enumerable => enumerate(ranges, holds),
        proof => proof,
    }
}

/// What the solver says of what was asserted.
fn ask(solver: &Solver, variables: &[Int], holds: &impl Fn(&[i64]) -> bool) -> Proof {
    match solver.check() {
        SatResult::Unsat => Proof::Proved,
        SatResult::Unknown => {
            Proof::Unknown(solver.get_reason_unknown().unwrap_or_else(|| "the solver gives no reason".to_owned()))
        }
        SatResult::Sat => {
            let Some(model) = solver.get_model() else {
                return Proof::Unknown("the solver refutes it, but gives no values".to_owned());
            };
            let values: Option<Vec<i64>> =
                variables.iter().map(|variable| model.eval(variable, true)?.as_i64()).collect();
            match values {
                // A counterexample counts only once it was tried.
                Some(values) if !holds(&values) => Proof::Refuted(values),
                _ => Proof::Unknown("the solver's counterexample is none".to_owned()),
            }
        }
    }
}

/// Number of points of the domain, where it fits.
fn points(ranges: &[Range]) -> Option<u64> {
    ranges.iter().try_fold(1u64, |points, range| {
        let size = u64::try_from(i128::from(range.high) - i128::from(range.low) + 1).ok()?;
        points.checked_mul(size)
    })
}

fn enumerate(ranges: &[Range], holds: impl Fn(&[i64]) -> bool) -> Proof {
    let mut values: Vec<i64> = ranges.iter().map(|range| range.low).collect();
    loop {
        if !holds(&values) {
            return Proof::Refuted(values);
        }
        // Counts up like an odometer, the last variable fastest.
        let Some(place) = (0..ranges.len()).rev().find(|&place| values[place] < ranges[place].high) else {
            return Proof::Proved;
        };
        values[place] += 1;
        for later in place + 1..ranges.len() {
            values[later] = ranges[later].low;
        }
    }
}

/// The expression for Z3, or `None` where it divides by something that is no constant other than 0: SMT-LIB's
/// division agrees with rounding down for positive divisors only, and leaves division by zero open.
fn translate(expression: &Expression, variables: &[Int]) -> Option<Int> {
    let mut results: Vec<Int> = Vec::with_capacity(expression.nodes.len());
    for node in &expression.nodes {
        let result = match *node {
            Node::Integer(value) => Int::from_i64(value),
            Node::Variable(variable) => variables.get(variable)?.clone(),
            Node::Binary(operator, a, b) => {
                let (left, right) = (results.get(a)?, results.get(b)?);
                match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::FloorDivide => floor_divide(left, constant(expression, b)?),
                    Operator::Modulo => {
                        let divisor = constant(expression, b)?;
                        left - floor_divide(left, divisor) * Int::from_i64(divisor)
                    }
                    Operator::Less => truth(&left.lt(right)),
                    Operator::AtMost => truth(&left.le(right)),
                    Operator::Greater => truth(&left.gt(right)),
                    Operator::AtLeast => truth(&left.ge(right)),
                    Operator::And => {
                        let zero = Int::from_i64(0);
                        truth(&Bool::and(&[left.eq(&zero).not(), right.eq(&zero).not()]))
                    }
                }
            }
        };
        results.push(result);
    }
    results.pop()
}

/// The value of a node that is a constant, or the negation of one, other than 0.
fn constant(expression: &Expression, node: usize) -> Option<i64> {
    let value = match expression.nodes.get(node)? {
        Node::Integer(value) => *value,
        Node::Binary(Operator::Subtract, zero, value) => {
            match (expression.nodes.get(*zero)?, expression.nodes.get(*value)?) {
                (Node::Integer(0), Node::Integer(value)) => value.checked_neg()?,
                _ => return None,
            }
        }
        _ => return None,
    };
    (value != 0).then_some(value)
}

fn floor_divide(numerator: &Int, divisor: i64) -> Int {
    if divisor > 0 { numerator.div(Int::from_i64(divisor)) } else { (-numerator).div(-Int::from_i64(divisor)) }
}

fn truth(condition: &Bool) -> Int {
    condition.ite(&Int::from_i64(1), &Int::from_i64(0))
}

#[cfg(test)]
mod tests {
    use super::super::identity;
    use super::*;

    /// Forces Z3 even on small domains, or forbids it.
    const SOLVER: Effort = Effort { enumerate: 0, resources: 4_000_000 };
    const ENUMERATION: Effort = Effort { enumerate: u64::MAX, resources: 0 };

    /// Identities of index arithmetic, and whether they hold.
    const IDENTITIES: [(&str, &str, &str, bool); 12] = [
        ("x[0,99] y[0,3]", "((x*4+y)//4)%3", "x%3", true),
        ("x[0,99] y[0,4]", "((x*4+y)//4)%3", "x%3", false),
        ("a[0,7]", "a//(-2)", "-(a//2)", false),
        ("a[0,7]", "a//(-2)", "(-a)//2", true),
        ("a[0,31]", "((a*5)%12)%5", "0", false),
        ("i[0,1023] j[0,15]", "(i*16+j)%16", "j", true),
        ("i[0,1023] j[0,15]", "(i*16+j)//16", "i", true),
        ("i[0,1023] j[0,16]", "(i*16+j)//16", "i", false),
        ("a[0,500]", "(a//3)//4", "a//12", true),
        ("a[0,500]", "(a%12)%4", "a%4", true),
        ("a[0,500]", "(a%10)%4", "a%4", false),
        ("a[0,50] b[0,50]", "a*4+b < 4 and b < 4", "a < 1 and b < 4", true),
    ];

    #[test]
    fn z3_and_enumeration_agree_on_identities() {
        for (ranges, left, right, holds) in IDENTITIES {
            for effort in [SOLVER, ENUMERATION] {
                let proof = identity(ranges, left, right, effort).expect("the texts are well-formed");
                match proof {
                    Proof::Proved => assert!(holds, "{left} == {right} was proved by {effort:?}"),
                    Proof::Refuted(values) => assert!(!holds, "{left} == {right} was refuted with {values:?}"),
                    Proof::Unknown(why) => panic!("{left} == {right}: {why}"),
                }
            }
        }
    }

    #[test]
    fn an_obligation_without_resources_is_unknown() {
        let effort = Effort { enumerate: 0, resources: 1 };
        // Products of variables have no normal form that would decide it before Z3 is asked.
        let proof = identity("x[0,999999999]", "(x*x+x)%2", "0", effort);
        assert!(matches!(proof, Ok(Proof::Unknown(_))), "{proof:?}");
    }

    #[test]
    fn bounds_are_proved_and_refuted() {
        let ranges = super::super::parse_ranges("x[0,99]").expect("well-formed");
        let expression = Expression::parse("x%7-3", &ranges).expect("well-formed");
        for effort in [SOLVER, ENUMERATION] {
            assert_eq!(within(&ranges, &expression, -3, 3, effort), Proof::Proved);
            assert!(matches!(within(&ranges, &expression, -3, 2, effort), Proof::Refuted(_)));
        }
    }
}
