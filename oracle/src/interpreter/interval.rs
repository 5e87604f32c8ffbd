//! Bounds of the integers that a list computes, by interval arithmetic from its constants, variables and loop bounds.
//!
//! Two uses: what is known not to overflow need not be watched at every execution, and the bounds of loops tell how
//! much work a kernel is.

use plumb_core::ast::AluOp;
use plumb_core::constant::Constant;
use plumb_core::dtype::{DType, Scalar};
use plumb_core::uop::{Uop, UopArg, UopKind, UopList};

/// Inclusive bounds.
pub(super) type Interval = (i128, i128);

/// What is known of each uop's value.
#[derive(Debug)]
pub(super) struct Facts {
    /// Bounds; of what is no integer: (0, 0).
    pub(super) bounds: Vec<Interval>,
    /// A number of which every value of the uop is a multiple; 0 where the value is 0.
    pub(super) multiples: Vec<u64>,
    /// Whether the uop's own arithmetic can leave its type's range (or divide by zero).
    pub(super) wraps: Vec<bool>,
    /// Whether an address, a gate, a condition or the bound of a loop is computed from it by arithmetic alone.
    pub(super) index: Vec<bool>,
}

impl Facts {
    /// Of a well-formed list. `special` tells the largest value of a SPECIAL, `variable` the value of a variable.
    pub(super) fn of(list: &UopList, special: &dyn Fn(&Uop) -> i128, variable: &dyn Fn(&str) -> Option<i64>) -> Facts {
        let count = list.uops.len();
        let mut facts = Facts {
            bounds: Vec::with_capacity(count),
            multiples: Vec::with_capacity(count),
            wraps: vec![false; count],
            index: index_arithmetic(list),
        };
        for (position, uop) in list.uops.iter().enumerate() {
            let range = uop.dtype.map_or((0, 0), type_bounds);
            let bounds = match (&uop.kind, &uop.arg) {
                (UopKind::Const, UopArg::Const(value)) => constant(*value, range),
                (UopKind::DefineVar, UopArg::Var { name, .. }) => {
                    variable(name).map_or(range, |value| (i128::from(value), i128::from(value)))
                }
                (UopKind::Special, _) => (0, special(uop)),
                (UopKind::Range, _) => {
                    let (start, end) = (facts.source(uop, 0), facts.source(uop, 1));
                    (start.0, (end.1 - 1).max(start.0))
                }
                (UopKind::Cast, _) => {
                    let source = uop.sources.iter().map(|id| facts.bounds[id.index()]).reduce(hull);
                    let from_integer = uop.sources.iter().all(|id| is_integer(&list.uops[id.index()]));
                    let fits = source.filter(|found| from_integer && range.0 <= found.0 && found.1 <= range.1);
                    fits.unwrap_or(range)
                }
                (UopKind::Gep, _) => facts.source(uop, 0),
                (UopKind::Alu, UopArg::Alu(op)) => {
                    let operands: Vec<Interval> = (0..uop.sources.len()).map(|n| facts.source(uop, n)).collect();
                    let exact = if uop.dtype.is_some_and(DType::is_float) { None } else { alu(*op, &operands) };
                    let fits = exact.filter(|found| range.0 <= found.0 && found.1 <= range.1);
                    // The remainder of the least value by -1 fits, but C defines it by a quotient that does not.
                    let quotient = if *op == AluOp::Mod { alu(AluOp::Div, &operands) } else { None };
                    let inside = quotient.is_none_or(|found| range.0 <= found.0 && found.1 <= range.1);
                    facts.wraps[position] =
                        (fits.is_none() || !inside) && uop.dtype.is_some_and(|dtype| dtype.scalar().is_int());
                    fits.unwrap_or(range)
                }
                _ => range,
            };
            facts.bounds.push(bounds);
            facts.multiples.push(facts.multiple(uop, bounds, facts.wraps[position]));
        }
        facts
    }

    /// A number of which the value of a uop is a multiple.
    fn multiple(&self, uop: &Uop, bounds: Interval, wraps: bool) -> u64 {
        let of = |n: usize| uop.sources.get(n).and_then(|id| self.multiples.get(id.index())).copied().unwrap_or(1);
        if bounds.0 == bounds.1 {
            return u64::try_from(bounds.0.unsigned_abs()).unwrap_or(1);
        }
        match (uop.kind, &uop.arg) {
            (UopKind::Alu, _) if wraps => 1,
            (UopKind::Alu, UopArg::Alu(AluOp::Add | AluOp::Sub | AluOp::Max)) => gcd(of(0), of(1)),
            (UopKind::Alu, UopArg::Alu(AluOp::Mul)) => of(0).checked_mul(of(1)).unwrap_or(1),
            (UopKind::Alu, UopArg::Alu(AluOp::Where)) => gcd(of(1), of(2)),
            _ => 1,
        }
    }

    fn source(&self, uop: &Uop, n: usize) -> Interval {
        uop.sources.get(n).and_then(|id| self.bounds.get(id.index())).copied().unwrap_or((0, 0))
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn is_integer(uop: &Uop) -> bool {
    uop.dtype.is_some_and(|dtype| !dtype.is_float())
}

fn type_bounds(dtype: DType) -> Interval {
    dtype.scalar().int_range().unwrap_or((0, 0))
}

fn constant(value: Constant, range: Interval) -> Interval {
    match value.as_int() {
        Some(value) if range.0 <= value && value <= range.1 => (value, value),
        _ => range,
    }
}

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Bounds of an operation without wrapping; `None`: unknown, or undefined for some operands.
fn alu(op: AluOp, operands: &[Interval]) -> Option<Interval> {
    let corners = |f: &dyn Fn(i128, i128) -> i128| {
        let (a, b) = (operands[0], operands[1]);
        let values = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        (values.into_iter().min().unwrap_or(0), values.into_iter().max().unwrap_or(0))
    };
    match (op, operands) {
        (AluOp::Neg, [a]) => Some((-a.1, -a.0)),
        (AluOp::Add, [a, b]) => Some((a.0 + b.0, a.1 + b.1)),
        (AluOp::Sub, [a, b]) => Some((a.0 - b.1, a.1 - b.0)),
        (AluOp::Mul, _) => Some(corners(&i128::saturating_mul)),
        (AluOp::MulAcc, [_, _, c]) => {
            let product = corners(&i128::saturating_mul);
            Some((product.0.saturating_add(c.0), product.1.saturating_add(c.1)))
        }
        (AluOp::Max, [a, b]) => Some((a.0.max(b.0), a.1.max(b.1))),
        (AluOp::Div, [_, b]) if b.0 > 0 || b.1 < 0 => Some(corners(&|a, b| a / b)),
        (AluOp::Mod, [a, b]) if b.0 > 0 || b.1 < 0 => {
            let most = b.0.abs().max(b.1.abs()) - 1;
            let least = b.0.abs().min(b.1.abs());
            if a.0 >= 0 && a.1 < least {
                Some(*a)
            } else {
                Some((if a.0 < 0 { -most.min(-a.0) } else { 0 }, if a.1 > 0 { most.min(a.1) } else { 0 }))
            }
        }
        (AluOp::Where, [_, a, b]) => Some(hull(*a, *b)),
        (AluOp::CmpLt | AluOp::CmpEq, _) => Some((0, 1)),
        _ => None,
    }
}

/// For each uop whether an address, a gate, a condition or a bound is computed from it by arithmetic alone.
fn index_arithmetic(list: &UopList) -> Vec<bool> {
    let mut index = vec![false; list.uops.len()];
    // Uses come after what they use, so that one walk from the end is enough.
    for (position, uop) in list.uops.iter().enumerate().rev() {
        let through = index[position] && matches!(uop.kind, UopKind::Alu | UopKind::Cast | UopKind::Gep);
        let pure_condition = matches!(uop.arg, UopArg::Alu(AluOp::Where));
        for (n, source) in uop.sources.iter().enumerate() {
            let direct = match uop.kind {
                UopKind::Load => n == 1 || n == 2,
                UopKind::Store => n == 1 || n == 3,
                UopKind::If => n == 0,
                UopKind::Range => true,
                UopKind::Alu => pure_condition && n == 0,
                _ => false,
            };
            if (direct || through) && source.index() < position && is_integer(&list.uops[source.index()]) {
                index[source.index()] = true;
            }
        }
    }
    // A comparison of data selects data: what it compares is no index, whatever it went through before.
    let mut data = vec![false; list.uops.len()];
    for (position, uop) in list.uops.iter().enumerate() {
        let own =
            matches!(uop.kind, UopKind::Load | UopKind::DefineAcc | UopKind::Phi | UopKind::Wmma | UopKind::Bitcast);
        let float = uop.dtype.is_some_and(|dtype| dtype.scalar() != Scalar::Bool && dtype.is_float());
        let passed = matches!(uop.kind, UopKind::Alu | UopKind::Cast | UopKind::Gep)
            && uop.sources.iter().any(|source| data.get(source.index()) == Some(&true));
        data[position] = own || float || passed;
        index[position] &= !data[position];
    }
    index
}
