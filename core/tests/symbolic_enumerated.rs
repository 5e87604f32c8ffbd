//! Index expressions against enumeration: whatever rules are on, an expression has the values that it stands for, within
//! its bounds, for all values of its variables; and each planted fault is seen.

use plumb_core::rule::{RuleInfo, Rules, State};
use plumb_core::symbolic::{Arena, NodeId, Sint, SymbolicError, SymbolicRule};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

/// Names and ranges of the variables.
const VARIABLES: [(&str, i64, i64); 3] = [("x", 0, 7), ("y", 0, 4), ("z", 1, 3)];

/// An expression as it is meant.
#[derive(Clone, Debug)]
enum Expr {
    Variable(usize),
    Number(i64),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, i64),
    Product(Box<Expr>, Box<Expr>),
    Div(Box<Expr>, i64),
    Mod(Box<Expr>, i64),
    DivBy(Box<Expr>, Box<Expr>),
    ModBy(Box<Expr>, Box<Expr>),
    Less(Box<Expr>, i64),
    LessThan(Box<Expr>, Box<Expr>),
    CreateLess(Box<Expr>, i64),
    AtLeast(Box<Expr>, i64),
    /// Terms that are compared with a number each.
    All(Vec<(Expr, i64)>),
}

fn factor() -> impl Strategy<Value = i64> {
    prop_oneof![3 => prop::sample::select(vec![2, 3, 4, 6, 8, 12]), 1 => -6i64..10]
}

fn expressions() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![4 => (0..VARIABLES.len()).prop_map(Expr::Variable), 1 => (-9i64..20).prop_map(Expr::Number)];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            8 => (boxed(), boxed()).prop_map(|(a, b)| Expr::Add(a, b)),
            2 => (boxed(), boxed()).prop_map(|(a, b)| Expr::Sub(a, b)),
            6 => (boxed(), factor()).prop_map(|(a, b)| Expr::Mul(a, b)),
            1 => (boxed(), boxed()).prop_map(|(a, b)| Expr::Product(a, b)),
            5 => (boxed(), factor()).prop_map(|(a, b)| Expr::Div(a, b)),
            5 => (boxed(), factor()).prop_map(|(a, b)| Expr::Mod(a, b)),
            1 => (boxed(), boxed()).prop_map(|(a, b)| Expr::DivBy(a, b)),
            1 => (boxed(), boxed()).prop_map(|(a, b)| Expr::ModBy(a, b)),
            1 => (boxed(), -10i64..30).prop_map(|(a, b)| Expr::Less(a, b)),
            1 => (boxed(), boxed()).prop_map(|(a, b)| Expr::LessThan(a, b)),
            3 => (boxed(), -10i64..30).prop_map(|(a, b)| Expr::CreateLess(a, b)),
            1 => (boxed(), -10i64..30).prop_map(|(a, b)| Expr::AtLeast(a, b)),
            4 => (boxed(), factor(), boxed(), factor()).prop_map(|(a, by, b, divisor)| {
                Expr::Div(Box::new(Expr::Add(Box::new(Expr::Mul(a, by)), b)), divisor)
            }),
            2 => (boxed(), boxed(), 2i64..9, 0i64..9).prop_map(|(a, b, factor, limit)| {
                Expr::CreateLess(Box::new(Expr::Add(Box::new(Expr::Mul(a, factor)), b)), factor * limit)
            }),
            3 => prop::collection::vec((inner, 0i64..9), 0..4).prop_map(Expr::All),
        ]
    })
}

impl Expr {
    fn build(&self, arena: &mut Arena) -> Result<NodeId, SymbolicError> {
        match self {
            Expr::Variable(number) => {
                let (name, min, max) = VARIABLES[*number];
                arena.variable(name, min, Sint::Int(max), None)
            }
            Expr::Number(value) => Ok(arena.number(*value)),
            Expr::Add(a, b) => {
                let (a, b) = (a.build(arena)?, b.build(arena)?);
                arena.add(a, b)
            }
            Expr::Sub(a, b) => {
                let (a, b) = (a.build(arena)?, b.build(arena)?);
                arena.sub(a, b)
            }
            Expr::Mul(a, b) => {
                let a = a.build(arena)?;
                arena.mul(a, Sint::Int(*b))
            }
            Expr::Product(a, b) => {
                let (a, b) = (a.build(arena)?, b.build(arena)?);
                arena.mul(a, Sint::Node(b))
            }
            Expr::Div(a, b) => {
                let a = a.build(arena)?;
                arena.floor_div(a, Sint::Int(*b))
            }
            Expr::Mod(a, b) => {
                let a = a.build(arena)?;
                arena.modulo(a, Sint::Int(*b))
            }
            Expr::DivBy(a, b) => {
                let (a, b) = (a.build(arena)?, b.build(arena)?);
                arena.floor_div(a, Sint::Node(b))
            }
            Expr::ModBy(a, b) => {
                let (a, b) = (a.build(arena)?, b.build(arena)?);
                arena.modulo(a, Sint::Node(b))
            }
            Expr::Less(a, b) => {
                let a = a.build(arena)?;
                arena.less(a, Sint::Int(*b))
            }
            Expr::LessThan(a, b) => {
                let (a, b) = (a.build(arena)?, b.build(arena)?);
                let b = arena.lower(b);
                arena.less(a, b)
            }
            Expr::CreateLess(a, b) => {
                let a = a.build(arena)?;
                arena.create_less(a, Sint::Int(*b))
            }
            Expr::AtLeast(a, b) => {
                let a = a.build(arena)?;
                arena.create_at_least(a, Sint::Int(*b))
            }
            Expr::All(terms) => {
                let mut nodes = Vec::new();
                for (term, limit) in terms {
                    let term = term.build(arena)?;
                    nodes.push(arena.create_less(term, Sint::Int(*limit))?);
                }
                arena.ands(&nodes)
            }
        }
    }

    /// The value that is meant; None where something is divided by 0 or a remainder by something negative.
    fn value(&self, values: &[i64]) -> Option<i64> {
        let of = |expr: &Expr| expr.value(values);
        let floor = |a: i64, b: i64| (b != 0).then(|| a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0));
        Some(match self {
            Expr::Variable(number) => values[*number],
            Expr::Number(value) => *value,
            Expr::Add(a, b) => of(a)? + of(b)?,
            Expr::Sub(a, b) => of(a)? - of(b)?,
            Expr::Mul(a, b) => of(a)? * b,
            Expr::Product(a, b) => of(a)? * of(b)?,
            Expr::Div(a, b) => floor(of(a)?, *b)?,
            Expr::Mod(a, b) => (*b > 0).then_some(of(a)?.rem_euclid((*b).max(1)))?,
            Expr::DivBy(a, b) => floor(of(a)?, of(b)?)?,
            Expr::ModBy(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                a - floor(a, b)? * b
            }
            Expr::Less(a, b) | Expr::CreateLess(a, b) => i64::from(of(a)? < *b),
            Expr::LessThan(a, b) => i64::from(of(a)? < of(b)?),
            Expr::AtLeast(a, b) => i64::from(of(a)? >= *b),
            Expr::All(terms) => {
                let mut all = true;
                for (term, limit) in terms {
                    all &= of(term)? < *limit;
                }
                i64::from(all)
            }
        })
    }
}

fn all_values() -> impl Iterator<Item = [i64; 3]> {
    let [(_, a, b), (_, c, d), (_, e, f)] = VARIABLES;
    (a..=b).flat_map(move |x| (c..=d).flat_map(move |y| (e..=f).map(move |z| [x, y, z])))
}

/// What is wrong with an expression built by these rules, if anything.
fn fault(expr: &Expr, arena: &mut Arena) -> Option<String> {
    let node = match expr.build(arena) {
        Ok(node) => node,
        // What is not supported or undefined is refused, which is no wrong answer.
        Err(_) => return None,
    };
    let text = arena.render(node);
    let (min, max) = (arena.min(node), arena.max_int(node));
    for values in all_values() {
        let Some(wanted) = expr.value(&values) else { continue };
        let lookup = |name: &str| VARIABLES.iter().position(|variable| variable.0 == name).map(|place| values[place]);
        let found = arena.evaluate(node, &lookup);
        if found != Some(wanted) {
            return Some(format!("{text} is {found:?}, not {wanted}, at {values:?}"));
        }
        if !(min..=max).contains(&wanted) {
            return Some(format!("{text} is {wanted} at {values:?}, outside {min}..={max}"));
        }
        let replacements: Vec<(NodeId, NodeId)> = VARIABLES
            .iter()
            .zip(values)
            .filter_map(|(&(name, min, max), value)| {
                Some((arena.variable(name, min, Sint::Int(max), None).ok()?, arena.number(value)))
            })
            .collect();
        let replaced = arena.substitute(node, &replacements).map(|node| arena.evaluate(node, &|_| None));
        if replaced != Ok(Some(wanted)) {
            return Some(format!("{text} with {values:?} put in becomes {replaced:?}, not {wanted}"));
        }
    }
    None
}

fn cases(count: usize) -> impl Iterator<Item = Expr> {
    let mut runner = TestRunner::deterministic();
    let strategy = expressions();
    (0..count).map(move |_| strategy.new_tree(&mut runner).expect("the strategy rejects nothing").current())
}

#[test]
fn expressions_have_their_values_within_their_bounds() {
    let mut fired = BTreeSet::new();
    for expr in cases(3000) {
        let mut arena = Arena::default();
        assert_eq!(fault(&expr, &mut arena), None, "{expr:?}");
        fired.extend(SymbolicRule::TABLE.iter().filter(|rule| arena.firings().of(rule.id) > 0).map(|rule| rule.name));
    }
    let idle: Vec<&str> =
        SymbolicRule::TABLE.iter().map(|rule| rule.name).filter(|name| !fired.contains(name)).collect();
    assert_eq!(idle, Vec::<&str>::new(), "these rules never fired");
}

#[test]
fn every_rule_can_be_left_out() {
    for rule in SymbolicRule::TABLE {
        let rules = Rules::default().with(rule.id, State::Off);
        for expr in cases(250) {
            assert_eq!(fault(&expr, &mut Arena::new(rules)), None, "without {}: {expr:?}", rule.name);
        }
    }
}

#[test]
fn all_rules_can_be_left_out() {
    let rules = SymbolicRule::TABLE.iter().fold(Rules::default(), |rules, rule| rules.with(rule.id, State::Off));
    for expr in cases(600) {
        assert_eq!(fault(&expr, &mut Arena::new(rules)), None, "{expr:?}");
    }
}

#[test]
fn every_planted_fault_gives_a_wrong_expression() {
    let planted: Vec<&RuleInfo> = SymbolicRule::TABLE.iter().filter(|rule| rule.altered.is_some()).collect();
    assert!(planted.len() >= 6, "{} planted faults", planted.len());
    for rule in planted {
        let rules = Rules::default().with(rule.id, State::Altered);
        let wrong = |expr: &Expr| fault(expr, &mut Arena::new(rules)).is_some();
        // Not only until one is found: none of them may hang.
        let seen = cases(500).filter(wrong).count() > 0 || cases(6000).any(|expr| wrong(&expr));
        assert!(seen, "{} altered ({:?}) is not seen", rule.name, rule.altered);
    }
}
