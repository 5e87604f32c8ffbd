//! Arithmetic on symbolic dimensions: values, bounds, and a normal form by which two are told to be equal. It shares
//! nothing with `core`'s, since judges build on it.

use super::{Dim, DimExpr, MAX_EXPRESSION_DEPTH, MAX_MOVEMENTS, Variable};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Terms that a normal form may have; real dimensions have two or three.
const MAX_TERMS: usize = 64;
/// How high the tree of a dimension can become in a chain: each padding of an axis adds two sums.
const MAX_HEIGHT: usize = MAX_EXPRESSION_DEPTH + 4 * MAX_MOVEMENTS;

impl From<i64> for Dim {
    fn from(value: i64) -> Dim {
        Dim::Int(value)
    }
}

impl Dim {
    /// The number, where it is one.
    pub fn int(&self) -> Option<i64> {
        match self {
            Dim::Int(value) => Some(*value),
            Dim::Expr(_) => None,
        }
    }

    /// The value where each variable has the value that `values` tells. `None` where one has none, on division by
    /// zero, and beyond 64 bits.
    pub fn evaluate(&self, values: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        match self {
            Dim::Int(value) => Some(*value),
            Dim::Expr(expression) => expression.evaluate(values),
        }
    }

    /// Smallest and largest value for all values of the variables, perhaps not tight. `None` as for
    /// [`Dim::evaluate`].
    pub fn bounds(&self, variables: &[Variable]) -> Option<(i64, i64)> {
        match self {
            Dim::Int(value) => Some((*value, *value)),
            Dim::Expr(expression) => {
                let tree = expression.bounds(variables)?;
                // Terms that cancel out make the normal form's bounds tighter, factors that don't the tree's.
                let normal = Polynomial::of(expression, MAX_HEIGHT).and_then(|normal| normal.bounds(variables));
                Some(normal.map_or(tree, |normal| (tree.0.max(normal.0), tree.1.min(normal.1))))
            }
        }
    }

    /// The sum; a number where both are.
    pub fn plus(&self, other: &Dim) -> Option<Dim> {
        match (self, other) {
            (Dim::Int(a), Dim::Int(b)) => a.checked_add(*b).map(Dim::Int),
            (Dim::Int(0), other) | (other, Dim::Int(0)) => Some(other.clone()),
            (a, b) => Some(Dim::Expr(Arc::new(DimExpr::Add(a.tree(), b.tree())))),
        }
    }

    /// The difference; a number where both are.
    pub fn minus(&self, other: &Dim) -> Option<Dim> {
        match (self, other) {
            (Dim::Int(a), Dim::Int(b)) => a.checked_sub(*b).map(Dim::Int),
            (a, Dim::Int(b)) => a.plus(&Dim::Int(b.checked_neg()?)),
            (a, b) => {
                let negative = DimExpr::Mul(b.tree(), Arc::new(DimExpr::Int(-1)));
                a.plus(&Dim::Expr(Arc::new(negative)))
            }
        }
    }

    /// Whether both are equal for all values of the variables, as far as multiplying out and collecting terms can
    /// tell.
    pub fn same(&self, other: &Dim) -> bool {
        self == other || self.normal().is_some_and(|normal| other.normal() == Some(normal))
    }

    /// The normal form, equal for equal dimensions; `None` where it would be too large or leave 64 bits.
    pub(super) fn normal(&self) -> Option<Normal> {
        match self {
            Dim::Int(value) => Some(Normal::Int(*value)),
            Dim::Expr(expression) => {
                let polynomial = Polynomial::of(expression, MAX_HEIGHT)?;
                Some(polynomial.number_value().map_or(Normal::Polynomial(polynomial), Normal::Int))
            }
        }
    }

    /// As [`Dim::same`], for the products of dimensions.
    pub(super) fn same_product(left: &[Dim], right: &[Dim]) -> bool {
        let numbers = |dims: &[Dim]| dims.iter().try_fold(1i64, |product, dim| product.checked_mul(dim.int()?));
        if let (Some(left), Some(right)) = (numbers(left), numbers(right)) {
            return left == right;
        }
        let product = |dims: &[Dim]| {
            dims.iter().try_fold(Polynomial::number(1), |product, dim| {
                product.times(&Polynomial::of(&dim.tree(), MAX_HEIGHT)?)
            })
        };
        product(left).is_some_and(|left| product(right) == Some(left))
    }

    fn tree(&self) -> Arc<DimExpr> {
        match self {
            Dim::Int(value) => Arc::new(DimExpr::Int(*value)),
            Dim::Expr(expression) => Arc::clone(expression),
        }
    }
}

impl DimExpr {
    /// The two sides of an operation.
    pub(super) fn sides(&self) -> Option<(&Arc<DimExpr>, &Arc<DimExpr>)> {
        match self {
            DimExpr::Int(_) | DimExpr::Variable(_) => None,
            DimExpr::Add(left, right)
            | DimExpr::Mul(left, right)
            | DimExpr::FloorDiv(left, right)
            | DimExpr::Mod(left, right)
            | DimExpr::Less(left, right) => Some((left, right)),
        }
    }

    fn evaluate(&self, values: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        match self {
            DimExpr::Int(value) => Some(*value),
            DimExpr::Variable(name) => values(name),
            DimExpr::Add(left, right) => left.evaluate(values)?.checked_add(right.evaluate(values)?),
            DimExpr::Mul(left, right) => left.evaluate(values)?.checked_mul(right.evaluate(values)?),
            DimExpr::FloorDiv(left, right) => floor_div(left.evaluate(values)?, right.evaluate(values)?),
            DimExpr::Mod(left, right) => floor_mod(left.evaluate(values)?, right.evaluate(values)?),
            DimExpr::Less(left, right) => Some(i64::from(left.evaluate(values)? < right.evaluate(values)?)),
        }
    }

    fn bounds(&self, variables: &[Variable]) -> Option<(i64, i64)> {
        let Some((left, right)) = self.sides() else {
            return match self {
                DimExpr::Variable(name) => {
                    variables.iter().find(|variable| variable.name == *name).map(|known| (known.min, known.max))
                }
                DimExpr::Int(value) => Some((*value, *value)),
                _ => None,
            };
        };
        let (left, right) = (left.bounds(variables)?, right.bounds(variables)?);
        let operation = match self {
            DimExpr::Add(..) => return Some((left.0.checked_add(right.0)?, left.1.checked_add(right.1)?)),
            DimExpr::Mul(..) => return corners(left, right, i64::checked_mul),
            DimExpr::FloorDiv(..) => Operation::FloorDiv,
            DimExpr::Mod(..) => Operation::Mod,
            _ => Operation::Less,
        };
        operation.bounds(left, right)
    }

    /// Whether the tree is at most `depth` high.
    pub(super) fn is_at_most(&self, depth: usize) -> bool {
        depth > 0 && self.sides().is_none_or(|(left, right)| left.is_at_most(depth - 1) && right.is_at_most(depth - 1))
    }
}

/// The least and the greatest that an operation gives at the ends of both ranges.
fn corners((a, b): Range, (c, d): Range, operation: fn(i64, i64) -> Option<i64>) -> Option<Range> {
    let values = [operation(a, c)?, operation(a, d)?, operation(b, c)?, operation(b, d)?];
    Some((values.into_iter().min()?, values.into_iter().max()?))
}

/// The quotient rounded down.
fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// What remains of the division that rounds down.
fn floor_mod(a: i64, b: i64) -> Option<i64> {
    let remainder = a.checked_rem(b)?;
    Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
}

/// The normal form of a dimension.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Normal {
    Int(i64),
    Polynomial(Polynomial),
}

/// A sum of products of atoms: variables, and operations that don't multiply out (with their sides in normal form).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Polynomial(BTreeMap<Vec<Atom>, i64>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    Variable(String),
    Operation(Operation, Polynomial, Polynomial),
}

/// An operation that does not multiply out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    FloorDiv,
    Mod,
    Less,
}

/// Smallest and largest value.
type Range = (i64, i64);

impl Operation {
    fn bounds(self, left: Range, right: Range) -> Option<Range> {
        match self {
            Operation::FloorDiv if right.0 > 0 || right.1 < 0 => corners(left, right, floor_div),
            Operation::Mod if right.0 > 0 => Some((0, right.1 - 1)),
            Operation::Mod if right.1 < 0 => Some((right.0.checked_add(1)?, 0)),
            Operation::Less => Some((i64::from(left.1 < right.0), i64::from(left.0 < right.1))),
            _ => None,
        }
    }
}

impl Atom {
    fn bounds(&self, variables: &[Variable]) -> Option<Range> {
        match self {
            Atom::Variable(name) => {
                let known = variables.iter().find(|variable| variable.name == *name);
                known.map(|known| (known.min, known.max))
            }
            Atom::Operation(operation, left, right) => {
                operation.bounds(left.bounds(variables)?, right.bounds(variables)?)
            }
        }
    }
}

impl Polynomial {
    fn number(value: i64) -> Polynomial {
        Polynomial(if value == 0 { BTreeMap::new() } else { BTreeMap::from([(Vec::new(), value)]) })
    }

    /// The number, where it is one.
    fn number_value(&self) -> Option<i64> {
        match self.0.first_key_value() {
            None => Some(0),
            Some((atoms, value)) if atoms.is_empty() && self.0.len() == 1 => Some(*value),
            Some(_) => None,
        }
    }

    fn bounds(&self, variables: &[Variable]) -> Option<Range> {
        self.0.iter().try_fold((0i64, 0i64), |sum, (atoms, factor)| {
            let term = atoms.iter().try_fold((*factor, *factor), |product, atom| {
                corners(product, atom.bounds(variables)?, i64::checked_mul)
            })?;
            Some((sum.0.checked_add(term.0)?, sum.1.checked_add(term.1)?))
        })
    }

    /// `None` where that would be too large or leave 64 bits.
    fn of(expression: &DimExpr, depth: usize) -> Option<Polynomial> {
        let depth = depth.checked_sub(1)?;
        let atom = |atom: Atom| Some(Polynomial(BTreeMap::from([(vec![atom], 1)])));
        let Some((left, right)) = expression.sides() else {
            return match expression {
                DimExpr::Variable(name) => atom(Atom::Variable(name.clone())),
                DimExpr::Int(value) => Some(Polynomial::number(*value)),
                _ => None,
            };
        };
        let (left, right) = (Polynomial::of(left, depth)?, Polynomial::of(right, depth)?);
        match expression {
            DimExpr::Add(..) => left.plus(&right),
            DimExpr::Mul(..) => left.times(&right),
            DimExpr::FloorDiv(..) => atom(Atom::Operation(Operation::FloorDiv, left, right)),
            DimExpr::Mod(..) => atom(Atom::Operation(Operation::Mod, left, right)),
            _ => atom(Atom::Operation(Operation::Less, left, right)),
        }
    }

    fn plus(mut self, other: &Polynomial) -> Option<Polynomial> {
        for (atoms, factor) in &other.0 {
            self.add_term(atoms.clone(), *factor)?;
        }
        Some(self)
    }

    fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product = Polynomial::number(0);
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut atoms: Vec<Atom> = left.iter().chain(right).cloned().collect();
                atoms.sort_unstable();
                product.add_term(atoms, a.checked_mul(*b)?)?;
            }
        }
        Some(product)
    }

    fn add_term(&mut self, atoms: Vec<Atom>, factor: i64) -> Option<()> {
        let sum = self.0.get(&atoms).copied().unwrap_or(0).checked_add(factor)?;
        if sum == 0 {
            self.0.remove(&atoms);
        } else {
            self.0.insert(atoms, sum);
        }
        (self.0.len() <= MAX_TERMS).then_some(())
    }
}
