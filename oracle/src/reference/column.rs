//! Values of many places at once, and the operations on them.

use super::enclosure::Enclosure;
use super::functions::Precision;
use super::integers;
use super::rounding::Format;
use plumb_core::ast::AluOp;
use plumb_core::constant::Constant;
use plumb_core::dtype::Scalar;
use std::borrow::Cow;

/// Whether floats are known exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Every float is exactly representable whatever the order of operations, and so is an f64 here.
    Exact,
    /// Floats are enclosures.
    Bounded,
}

/// How floats are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic {
    pub(crate) mode: Mode,
    pub(crate) precision: Precision,
    /// Whether a kernel may take floats for finite, add constants in another order and ignore the signs of zeros.
    pub(crate) finite: bool,
}

/// Values of one step at many places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Column {
    /// Integers and truth values, as [`integers`] holds them.
    Int(Ints),
    /// Floats known exactly.
    Exact(Vec<f64>),
    /// Enclosures of floats.
    Bounded(Vec<Enclosure>),
}

/// Integers, some of which may be undecided.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ints {
    /// The values; of an undecided one any.
    pub(crate) values: Vec<i64>,
    /// Which ones are undecided; empty where all are decided.
    pub(crate) undecided: Vec<bool>,
}

impl Ints {
    /// Integers that are all decided.
    pub(crate) fn decided(values: Vec<i64>) -> Ints {
        Ints { values, undecided: Vec::new() }
    }

    /// From values of which `None` are undecided.
    pub(crate) fn collect(values: impl ExactSizeIterator<Item = Option<i64>>) -> Ints {
        let mut ints = Ints { values: Vec::with_capacity(values.len()), undecided: Vec::new() };
        let lanes = values.len();
        for (lane, value) in values.enumerate() {
            ints.values.push(value.unwrap_or(0));
            if value.is_none() {
                ints.undecided.resize(lanes, false);
                ints.undecided[lane] = true;
            }
        }
        ints
    }

    /// The value in a lane, where it is decided.
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Option<i64> {
        if self.undecided.get(lane).is_some_and(|&undecided| undecided) { None } else { Some(self.values[lane]) }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Option<i64>> {
        (0..self.values.len()).map(|lane| self.get(lane))
    }
}

impl Column {
    /// The same constant, of type `scalar`, in all lanes; `spelled`: what a float was rounded from.
    pub(crate) fn constant(value: Constant, spelled: Option<f64>, scalar: Scalar, lanes: usize, mode: Mode) -> Column {
        match value {
            Constant::Bool(truth) => Column::Int(Ints::decided(vec![i64::from(truth); lanes])),
            Constant::Int(whole) => Column::Int(Ints::decided(vec![integers::wrap(whole as i64, scalar); lanes])),
            Constant::Float(float) => match mode {
                Mode::Exact => Column::Exact(vec![float; lanes]),
                Mode::Bounded => {
                    let spelled = Enclosure::point(spelled.unwrap_or(float));
                    Column::Bounded(vec![Enclosure::point(float).hull(spelled); lanes])
                }
            },
        }
    }

    /// Bounds rounded to numbers of the type; other values are such.
    pub(crate) fn rounded(&self, scalar: Scalar) -> Cow<'_, Column> {
        match self {
            Column::Bounded(floats) => {
                let format = Format::of(scalar);
                Cow::Owned(Column::Bounded(floats.iter().map(|value| value.nearest(format)).collect()))
            }
            other => Cow::Borrowed(other),
        }
    }

    /// Zero where `elements` are padding.
    pub(crate) fn mask(&mut self, elements: &[i64]) {
        fn blank<T: Copy>(values: &mut [T], elements: &[i64], zero: T) {
            for (value, _) in values.iter_mut().zip(elements).filter(|(_, element)| **element < 0) {
                *value = zero;
            }
        }
        match self {
            Column::Int(ints) => blank(&mut ints.values, elements, 0),
            Column::Exact(floats) => blank(floats, elements, 0.0),
            Column::Bounded(floats) => blank(floats, elements, Enclosure::point(0.0)),
        }
    }

    /// Zeros of either sign where there is one.
    pub(crate) fn unsign_zeros(&mut self) {
        if let Column::Bounded(floats) = self {
            for value in floats.iter_mut().filter(|value| value.low == 0.0 || value.high == 0.0) {
                value.low = if value.low == 0.0 { -0.0 } else { value.low };
                value.high = if value.high == 0.0 { 0.0 } else { value.high };
            }
        }
    }

    /// The lanes `lanes`, in that order.
    pub(crate) fn gather(&self, lanes: &[usize]) -> Column {
        match self {
            Column::Int(ints) => Column::Int(Ints {
                values: lanes.iter().map(|&lane| ints.values[lane]).collect(),
                undecided: if ints.undecided.is_empty() {
                    Vec::new()
                } else {
                    lanes.iter().map(|&lane| ints.undecided[lane]).collect()
                },
            }),
            Column::Exact(floats) => Column::Exact(lanes.iter().map(|&lane| floats[lane]).collect()),
            Column::Bounded(floats) => Column::Bounded(lanes.iter().map(|&lane| floats[lane]).collect()),
        }
    }
}

/// `op` on columns of type `scalar` (of a `WHERE` the type of the two values). `fusible`: a product that a kernel need
/// not round. `None` for operands that the operation does not take: [`super::program`] lets none through.
pub(crate) fn alu(
    op: AluOp,
    scalar: Scalar,
    operands: &[&Column],
    fusible: bool,
    arithmetic: Arithmetic,
) -> Option<Column> {
    Some(match operands {
        [Column::Int(a)] => Column::Int(unary_ints(op, a, scalar)?),
        [Column::Exact(a)] => Column::Exact(unary_exact(op, a)?),
        [Column::Bounded(a)] => Column::Bounded(unary_bounded(op, a, scalar, arithmetic.precision)?),
        [Column::Int(a), Column::Int(b)] => Column::Int(binary_ints(op, a, b, scalar)),
        [Column::Exact(a), Column::Exact(b)] => binary_exact(op, a, b)?,
        [Column::Bounded(a), Column::Bounded(b)] => {
            // One step's values, taken twice.
            let same = std::ptr::eq(a, b);
            binary_bounded(op, a, b, same, Format::of(scalar), fusible, arithmetic.precision)?
        }
        [Column::Int(selector), a, b] if op == AluOp::Where => select(selector, a, b)?,
        [a, b, c] if op == AluOp::MulAcc => {
            let product = alu(AluOp::Mul, scalar, &[*a, *b], true, arithmetic)?;
            alu(AluOp::Add, scalar, &[&product, *c], false, arithmetic)?
        }
        _ => return None,
    })
}

fn unary_ints(op: AluOp, a: &Ints, scalar: Scalar) -> Option<Ints> {
    if op != AluOp::Neg {
        return None;
    }
    let values = a.values.iter().map(|&value| integers::neg(value, scalar)).collect();
    Some(Ints { values, undecided: a.undecided.clone() })
}

fn binary_ints(op: AluOp, a: &Ints, b: &Ints, scalar: Scalar) -> Ints {
    let all_decided = a.undecided.is_empty() && b.undecided.is_empty();
    if all_decided && !matches!(op, AluOp::Div | AluOp::Mod) {
        let pairs = a.values.iter().zip(&b.values);
        return Ints::decided(pairs.map(|(&a, &b)| integers::binary(op, a, b, scalar).unwrap_or(0)).collect());
    }
    Ints::collect((0..a.values.len()).map(|lane| {
        let (a, b) = (a.get(lane), b.get(lane));
        // An "and" or "or" may be decided by one of its operands.
        match (op, scalar, a, b) {
            (AluOp::Mul, Scalar::Bool, Some(0), _) | (AluOp::Mul, Scalar::Bool, _, Some(0)) => Some(0),
            (AluOp::Add | AluOp::Max, Scalar::Bool, Some(1), _)
            | (AluOp::Add | AluOp::Max, Scalar::Bool, _, Some(1)) => Some(1),
            _ => integers::binary(op, a?, b?, scalar),
        }
    }))
}

fn unary_exact(op: AluOp, a: &[f64]) -> Option<Vec<f64>> {
    match op {
        AluOp::Neg => Some(a.iter().map(|value| -value).collect()),
        _ => None,
    }
}

fn binary_exact(op: AluOp, a: &[f64], b: &[f64]) -> Option<Column> {
    let pairs = a.iter().zip(b);
    let floats = |column: Vec<f64>| Some(Column::Exact(column));
    let truths = |column: Vec<i64>| Some(Column::Int(Ints::decided(column)));
    match op {
        AluOp::Add => floats(pairs.map(|(a, b)| a + b).collect()),
        AluOp::Sub => floats(pairs.map(|(a, b)| a - b).collect()),
        AluOp::Mul => floats(pairs.map(|(a, b)| a * b).collect()),
        AluOp::Div => floats(pairs.map(|(a, b)| a / b).collect()),
        AluOp::Max => floats(pairs.map(|(a, b)| a.max(*b)).collect()),
        AluOp::CmpLt => truths(pairs.map(|(a, b)| i64::from(a < b)).collect()),
        AluOp::CmpEq => truths(pairs.map(|(a, b)| i64::from(a == b)).collect()),
        _ => None,
    }
}

fn unary_bounded(op: AluOp, a: &[Enclosure], scalar: Scalar, precision: Precision) -> Option<Vec<Enclosure>> {
    let format = Format::of(scalar);
    Some(match op {
        AluOp::Neg => a.iter().map(|value| value.neg()).collect(),
        AluOp::Sqrt => a.iter().map(|value| value.sqrt(format, precision.sqrt)).collect(),
        AluOp::Exp2 => a.iter().map(|value| value.exp2(format, precision.exp2)).collect(),
        AluOp::Log2 => a.iter().map(|value| value.log2(format, precision.log2)).collect(),
        AluOp::Sin => a.iter().map(|value| value.sin(format, precision.sin)).collect(),
        _ => return None,
    })
}

/// `same`: both operands are the same step.
fn binary_bounded(
    op: AluOp,
    a: &[Enclosure],
    b: &[Enclosure],
    same: bool,
    format: Format,
    fusible: bool,
    precision: Precision,
) -> Option<Column> {
    let pairs = a.iter().zip(b);
    let floats = |column: Vec<Enclosure>| Some(Column::Bounded(column));
    let truth = |decided: Option<bool>| decided.map(i64::from);
    match op {
        AluOp::Add => floats(pairs.map(|(a, b)| a.add(*b, format)).collect()),
        AluOp::Sub => floats(pairs.map(|(a, b)| a.sub(*b, format)).collect()),
        AluOp::Mul if same => floats(a.iter().map(|a| a.square(format, fusible)).collect()),
        AluOp::Mul => floats(pairs.map(|(a, b)| a.mul(*b, format, fusible)).collect()),
        AluOp::Div => floats(pairs.map(|(a, b)| a.div(*b, format, precision.div)).collect()),
        AluOp::Max => floats(pairs.map(|(a, b)| a.max(*b)).collect()),
        AluOp::CmpLt => Some(Column::Int(Ints::collect(pairs.map(|(a, b)| truth(a.less(*b)))))),
        AluOp::CmpEq => Some(Column::Int(Ints::collect(pairs.map(|(a, b)| truth(a.equal(*b)))))),
        _ => None,
    }
}

/// `a` where the selector is true, otherwise `b`; where it is undecided, what holds for both.
fn select(selector: &Ints, a: &Column, b: &Column) -> Option<Column> {
    Some(match (a, b) {
        (Column::Int(a), Column::Int(b)) => {
            Column::Int(Ints::collect(selector.iter().enumerate().map(|(lane, choice)| match choice {
                Some(0) => b.get(lane),
                Some(_) => a.get(lane),
                None => a.get(lane).filter(|&value| b.get(lane) == Some(value)),
            })))
        }
        (Column::Exact(a), Column::Exact(b)) => {
            let chosen = selector.values.iter().zip(a.iter().zip(b));
            Column::Exact(chosen.map(|(&choice, (&a, &b))| if choice != 0 { a } else { b }).collect())
        }
        (Column::Bounded(a), Column::Bounded(b)) => {
            let chosen = selector.iter().zip(a.iter().zip(b));
            Column::Bounded(
                chosen
                    .map(|(choice, (&a, &b))| match choice {
                        Some(0) => b,
                        Some(_) => a,
                        None => a.hull(b),
                    })
                    .collect(),
            )
        }
        _ => return None,
    })
}
