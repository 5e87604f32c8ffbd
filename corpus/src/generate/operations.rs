//! Arithmetic: operations put one on another, each with what else it needs, so that all values stay defined.

use super::build::{Builder, Known};
use super::interval::Interval;
use crate::case::Step;
use plumb_core::ast::AluOp;
use plumb_core::dtype::Scalar;

const TRUTH: Interval = Interval::new(0.0, 1.0);

/// What is done to a value.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Alu(AluOp),
    Cast,
    Bitcast,
}

impl Builder<'_> {
    /// Up to `most` operations, one on another, the first on `step`. Their operands nest up to `depth`.
    pub(super) fn grow(&mut self, step: usize, most: u32, depth: u32) -> usize {
        let count = self.choice.below(most.saturating_add(1));
        (0..count).fold(step, |step, _| self.operation(step, depth))
    }

    /// One operation on `step`.
    pub(super) fn operation(&mut self, step: usize, depth: u32) -> usize {
        let Known { scalar, exact, .. } = self.of(step);
        let suits = |op: &AluOp| match op {
            AluOp::CmpLt | AluOp::CmpEq => exact,
            AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt => scalar.is_float() && self.swarm.rounding,
            AluOp::Div => scalar.is_int() || (scalar.is_float() && self.swarm.rounding),
            AluOp::Mod => scalar.is_int(),
            AluOp::Xor => !scalar.is_float(),
            AluOp::Sub | AluOp::MulAcc => scalar != Scalar::Bool,
            _ => true,
        };
        let allowed = AluOp::ALL.into_iter().filter(suits).filter(|&op| self.swarm.allows(op));
        // A bool tells little of what went wrong before it: few come to be, and they soon select something.
        let weight = |op: AluOp| match op {
            AluOp::CmpLt | AluOp::CmpEq => 1,
            AluOp::Where if scalar == Scalar::Bool => 8,
            _ => 2,
        };
        let mut operations: Vec<(u32, Operation)> = allowed.map(|op| (weight(op), Operation::Alu(op))).collect();
        if operations.is_empty() {
            operations.push((2, Operation::Alu(AluOp::Add)));
        }
        if self.swarm.casts {
            operations.push((3, Operation::Cast));
        }
        if self.swarm.bitcasts {
            operations.push((3, Operation::Bitcast));
        }
        match self.choice.weighted(&operations) {
            Operation::Alu(op) => self.apply(op, step, depth),
            Operation::Cast => {
                let to = if self.choice.chance(1, 2) { self.any_scalar() } else { self.palette_scalar() };
                if self.converts(step, to) { self.convert(step, to) } else { step }
            }
            Operation::Bitcast => self.reinterpret(step),
        }
    }

    fn palette_scalar(&mut self) -> Scalar {
        self.swarm.scalar(self.choice)
    }

    fn any_scalar(&mut self) -> Scalar {
        let scalars = &self.profile.scalars;
        if scalars.is_empty() { self.palette_scalar() } else { self.choice.pick(scalars) }
    }

    fn apply(&mut self, op: AluOp, step: usize, depth: u32) -> usize {
        let scalar = self.of(step).scalar;
        match op {
            AluOp::Neg if scalar.is_unsigned() && !(self.swarm.wraparound && self.choice.chance(1, 2)) => {
                // Taken from the largest value instead.
                let moderate = self.of(step).interval.within(Interval::allowed(scalar, false));
                let step = if moderate { step } else { self.remainder(step) };
                let high = self.of(step).interval.high;
                let high = self.constant(scalar, high);
                self.checked(AluOp::Sub, &[high, step])
            }
            AluOp::Neg => self.checked(op, &[step]),
            AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt => {
                let step = self.in_domain(op, step);
                self.checked(op, &[step])
            }
            AluOp::Where => {
                let as_selector = scalar == Scalar::Bool && !self.choice.chance(1, 4);
                let (selector, first) = if as_selector {
                    let scalar = self.palette_scalar();
                    (step, self.operand(scalar, depth))
                } else {
                    (self.condition(depth), step)
                };
                let scalar = self.of(first).scalar;
                let second = self.operand(scalar, depth);
                let (first, second) = if self.choice.chance(1, 2) { (second, first) } else { (first, second) };
                self.checked(op, &[selector, first, second])
            }
            AluOp::MulAcc => {
                let mut operands = [step, self.operand(scalar, depth), self.operand(scalar, depth)];
                let place = self.choice.index(3);
                operands.swap(0, place);
                self.checked(op, &operands)
            }
            _ => {
                let other = self.operand(scalar, depth);
                let other = if op.is_comparison() { self.decidable(other) } else { other };
                let (left, right) = if self.choice.chance(1, 3) { (other, step) } else { (step, other) };
                if matches!(op, AluOp::Div | AluOp::Mod) {
                    let right = self.divisor(right);
                    return self.checked(op, &[left, right]);
                }
                self.checked(op, &[left, right])
            }
        }
    }

    /// The operation, or where its values would leave what is allowed one like it whose values don't.
    fn checked(&mut self, op: AluOp, operands: &[usize]) -> usize {
        if let Some(step) = self.try_alu(op, operands) {
            return step;
        }
        let &[first, second, ..] = operands else { return operands[0] };
        let scalar = self.of(first).scalar;
        if op == AluOp::Sub && scalar.is_unsigned() {
            // Raised so far that nothing below zero is left.
            let lift = self.of(second).interval.high - self.of(first).interval.low;
            let raised = self.constant(scalar, lift);
            let raised = self.try_alu(AluOp::Add, &[first, raised]);
            if let Some(step) = raised.and_then(|raised| self.try_alu(op, &[raised, second])) {
                return step;
            }
        }
        if scalar.is_int() && self.swarm.allows(AluOp::Mod) && op != AluOp::Where {
            let small: Vec<usize> = operands.iter().map(|&operand| self.remainder(operand)).collect();
            if let Some(step) = self.try_alu(op, &small) {
                return step;
            }
        }
        if op == AluOp::Where {
            // Only a selection between values that are not kept to what is allowed any more can be refused.
            return second;
        }
        self.maximum(first, second)
    }

    /// The remainder by 5 of an integer that is not small.
    fn remainder(&mut self, step: usize) -> usize {
        let Interval { low, high } = self.of(step).interval;
        if low >= -4.0 && high <= 4.0 {
            return step;
        }
        let five = self.constant(self.of(step).scalar, 5.0);
        self.try_alu(AluOp::Mod, &[step, five]).unwrap_or(step)
    }

    /// The step, kept to where `op` is defined and moderate. Where NaNs are asked for, not always.
    fn in_domain(&mut self, op: AluOp, step: usize) -> usize {
        let Interval { low, high } = self.of(step).interval;
        let domain = match op {
            AluOp::Exp2 => Interval::new(-8.0, 8.0),
            AluOp::Log2 => Interval::new(1.0, high.max(1.0)),
            AluOp::Sqrt => Interval::new(0.0, high.max(0.0)),
            _ => Interval::new(-64.0, 64.0),
        };
        if low < domain.low && matches!(op, AluOp::Log2 | AluOp::Sqrt) && self.choice.chance(1, 2) {
            // A square, and one more for the logarithm.
            let one = self.constant(self.of(step).scalar, 1.0);
            let square = self.try_alu(AluOp::Mul, &[step, step]);
            // The interval of a product does not know that its factors are one.
            if let Some(square) = square {
                self.known[square].interval.low = 0.0;
            }
            if let Some(step) = square.and_then(|square| self.try_alu(AluOp::Add, &[square, one])) {
                return step;
            }
        }
        self.fit(step, domain)
    }

    /// The step, kept away from zero, also for inputs beyond those that are promised.
    fn divisor(&mut self, step: usize) -> usize {
        let Interval { low, high } = self.of(step).interval;
        if matches!(self.steps[step], Step::Constant { .. }) && (low >= 0.5 || high <= -0.5) {
            return step;
        }
        let one = self.constant(self.of(step).scalar, 1.0);
        self.maximum(step, one)
    }

    /// A step of this type and the present shape.
    pub(super) fn operand(&mut self, scalar: Scalar, depth: u32) -> usize {
        #[derive(Clone, Copy)]
        enum From {
            Load,
            Constant,
            Step(usize),
            Operation,
        }
        let mut sources = Vec::with_capacity(4);
        if self.loads_left > 0 {
            sources.push((4, From::Load));
        }
        if self.swarm.constants || self.swarm.masked_constants || sources.is_empty() {
            sources.push((3, From::Constant));
        }
        if self.swarm.sharing || self.loads_left == 0 {
            let suits = |known: &Known| known.late == self.late && known.scalar == scalar;
            let steps: Vec<usize> = (0..self.steps.len()).filter(|&step| suits(&self.known[step])).collect();
            if !steps.is_empty() {
                sources.push((3, From::Step(self.choice.pick(&steps))));
            }
        }
        if depth > 0 {
            sources.push((2, From::Operation));
        }
        match self.choice.weighted(&sources) {
            From::Load if self.swarm.casts && self.choice.chance(1, 3) => {
                let other = self.palette_scalar();
                let load = self.load(other);
                self.convert(load, scalar)
            }
            From::Load => self.load(scalar),
            From::Constant => self.any_constant(scalar),
            From::Step(step) => step,
            From::Operation => {
                let leaf = if self.swarm.casts { self.palette_scalar() } else { scalar };
                let leaf = self.operand(leaf, 0);
                let step = self.operation(leaf, depth - 1);
                self.convert(step, scalar)
            }
        }
    }

    /// A bool of the present shape.
    fn condition(&mut self, depth: u32) -> usize {
        let comparisons: Vec<AluOp> =
            [AluOp::CmpLt, AluOp::CmpEq].into_iter().filter(|&op| self.swarm.allows(op)).collect();
        if comparisons.is_empty() || self.choice.chance(1, 4) {
            return self.operand(Scalar::Bool, depth);
        }
        let op = self.choice.pick(&comparisons);
        let scalar = self.palette_scalar();
        let [left, right] = [(); 2].map(|()| {
            let operand = self.operand(scalar, depth.saturating_sub(1));
            self.decidable(operand)
        });
        self.alu(op, &[left, right], Scalar::Bool, TRUTH)
    }

    /// The step, or a constant for one that was rounded: comparisons of those could go either way.
    fn decidable(&mut self, step: usize) -> usize {
        let Known { scalar, exact, .. } = self.of(step);
        if exact { step } else { self.constant(scalar, 1.0) }
    }
}
