//! A kernel under construction: its steps, with what is known of the values of each.

use super::chain::Chain;
use super::choice::Choice;
use super::interval::Interval;
use super::profile::Profile;
use super::swarm::Swarm;
use crate::case::{Dim, Layout, Step, Value, Variable};
use plumb_core::ast::AluOp;
use plumb_core::constant::Constant;
use plumb_core::dtype::{DType, Scalar};

/// What is known of a step's values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Their type.
    pub(super) scalar: Scalar,
    /// Where they lie.
    pub(super) interval: Interval,
    /// Whether no step that they come from rounds, whatever the inputs that the case may get.
    pub(super) exact: bool,
    /// Whether they may be infinite or NaN.
    pub(super) special: bool,
    /// Whether they have the shape of the outputs, after the reduction.
    pub(super) late: bool,
    /// Whether they come from the reduction.
    pub(super) reduced: bool,
}

/// A kernel under construction.
pub(super) struct Builder<'a> {
    pub(super) choice: &'a mut dyn Choice,
    pub(super) profile: &'a Profile,
    pub(super) swarm: Swarm,
    pub(super) variables: Vec<Variable>,
    pub(super) steps: Vec<Step>,
    pub(super) known: Vec<Known>,
    /// The shape of steps of the present stage.
    pub(super) shape: Vec<Dim>,
    /// Whether the present stage is the one after the reduction.
    pub(super) late: bool,
    /// The types of the kernel's arguments that are loaded: the first follows the outputs.
    pub(super) inputs: Vec<DType>,
    /// Number of the first input.
    pub(super) first_input: u32,
    /// How many more loads there may be.
    pub(super) loads_left: u32,
    /// Whether inputs of float types may be infinite or NaN.
    pub(super) special_inputs: bool,
}

impl Builder<'_> {
    /// Enters a step, or finds the equal one.
    pub(super) fn push(&mut self, step: Step, known: Known) -> usize {
        if let Some(place) = self.steps.iter().position(|other| *other == step) {
            return place;
        }
        self.steps.push(step);
        self.known.push(known);
        self.steps.len() - 1
    }

    /// What is known of a step.
    pub(super) fn of(&self, step: usize) -> Known {
        self.known[step]
    }

    /// What is known of a load or a constant.
    pub(super) fn leaf(&self, scalar: Scalar, interval: Interval) -> Known {
        Known { scalar, interval, exact: true, special: false, late: self.late, reduced: false }
    }

    /// Whether floats may be fractions, so that sums and products round: where anything rounds, is special or has its bits
    /// looked at, inputs are no whole numbers.
    pub(super) fn fractions(&self) -> bool {
        self.special_inputs || self.swarm.rounding || self.swarm.bitcasts
    }

    fn known(&self, scalar: Scalar, interval: Interval, operands: &[usize]) -> Known {
        let operands = operands.iter().map(|&operand| self.of(operand));
        Known {
            scalar,
            interval,
            exact: operands.clone().all(|operand| operand.exact),
            special: scalar.is_float() && operands.clone().any(|operand| operand.special),
            late: self.late,
            reduced: operands.clone().any(|operand| operand.reduced),
        }
    }

    /// A constant without a mask. The value is one of the type.
    pub(super) fn constant(&mut self, scalar: Scalar, value: f64) -> usize {
        let layout = Chain::to(&self.shape, self.profile.elements).finish_constant();
        self.constant_in(scalar, value, layout, false)
    }

    /// A constant in a layout, with padding or not.
    pub(super) fn constant_in(&mut self, scalar: Scalar, value: f64, layout: Layout, padded: bool) -> usize {
        let constant = match scalar {
            Scalar::Bool => Constant::Bool(value != 0.0),
            scalar if scalar.is_float() => Constant::Float(value),
            _ => Constant::Int(value as i128),
        };
        let interval = if value.is_finite() { Interval::new(value, value) } else { Interval::new(0.0, 0.0) };
        let interval = if padded { interval.with_zero() } else { interval };
        let known = Known { special: !value.is_finite(), ..self.leaf(scalar, interval) };
        self.push(Step::Constant { value: Value::Constant(constant), dtype: scalar.into(), layout }, known)
    }

    /// The operation, if its values are defined and keep to what is allowed.
    pub(super) fn try_alu(&mut self, op: AluOp, operands: &[usize]) -> Option<usize> {
        let scalar = operands.last().map(|&last| self.of(last).scalar)?;
        let intervals: Vec<Interval> = operands.iter().map(|&operand| self.of(operand).interval).collect();
        let interval = Interval::of_alu(op, scalar, &intervals)?;
        let result = if op.is_comparison() { Scalar::Bool } else { scalar };
        let wraps = self.swarm.wraparound
            && scalar.is_unsigned()
            && matches!(op, AluOp::Add | AluOp::Sub | AluOp::Mul | AluOp::Neg | AluOp::MulAcc);
        // What no operation makes larger may be as large as the type allows.
        let keeps = matches!(op, AluOp::Max | AluOp::Mod | AluOp::Div | AluOp::Xor | AluOp::Where);
        let allowed = match keeps && result.is_int() {
            true => Interval::all_of(result),
            false => Interval::allowed(result, self.swarm.rounding),
        };
        let interval = match interval.within(allowed) {
            true => interval,
            false if wraps => Interval::all_of(scalar),
            false => return None,
        };
        Some(self.alu(op, operands, result, interval))
    }

    /// The operation, whose values are known.
    pub(super) fn alu(&mut self, op: AluOp, operands: &[usize], result: Scalar, interval: Interval) -> usize {
        let mut known = self.known(result, interval, operands);
        let scalar = operands.last().map_or(result, |&last| self.of(last).scalar);
        let rounds = match op {
            AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt => true,
            AluOp::Div => scalar.is_float(),
            // Whether the larger of a number and a NaN is the NaN is not said.
            AluOp::Max => known.special,
            AluOp::Add | AluOp::Sub | AluOp::Mul | AluOp::MulAcc => scalar.is_float() && self.fractions(),
            _ => false,
        };
        known.exact &= !rounds && (!result.is_float() || interval.within(Interval::allowed(result, false)));
        self.push(Step::Alu(op, operands.to_vec()), known)
    }

    /// The larger of two steps of one type: always defined, and no larger than they are.
    pub(super) fn maximum(&mut self, left: usize, right: usize) -> usize {
        let (one, other) = (self.of(left), self.of(right));
        let high = one.interval.high.max(other.interval.high);
        let interval = Interval::new(one.interval.low.max(other.interval.low), high);
        self.alu(AluOp::Max, &[left, right], one.scalar, interval)
    }

    /// The smaller of two steps of one type, by comparison and selection.
    pub(super) fn minimum(&mut self, left: usize, right: usize) -> usize {
        let (one, other) = (self.of(left), self.of(right));
        let less = self.alu(AluOp::CmpLt, &[left, right], Scalar::Bool, Interval::new(0.0, 1.0));
        let low = one.interval.low.min(other.interval.low);
        let interval = Interval::new(low, one.interval.high.min(other.interval.high));
        self.alu(AluOp::Where, &[less, left, right], one.scalar, interval)
    }

    /// The step with its values kept within `interval`, which holds values of its type and has none in common with NaN.
    pub(super) fn fit(&mut self, step: usize, interval: Interval) -> usize {
        let mut step = step;
        let known = self.of(step);
        if known.interval.low < interval.low {
            let low = self.constant(known.scalar, interval.low);
            step = self.maximum(step, low);
        }
        if known.interval.high > interval.high {
            let high = self.constant(known.scalar, interval.high);
            step = self.minimum(step, high);
        }
        step
    }

    /// The cast, whose values the other type holds.
    pub(super) fn cast(&mut self, step: usize, to: Scalar) -> usize {
        let interval = self.of(step).interval;
        let interval = match to {
            Scalar::Bool => Interval::new(0.0, 1.0),
            to if to.is_int() => Interval::new(interval.low.trunc(), interval.high.trunc()),
            _ => interval,
        };
        let mut known = self.known(to, interval, &[step]);
        // Whole numbers beyond what is kept to are rounded by a cast to a narrower float, and so are fractions.
        let from = self.of(step).scalar;
        let narrower = from.is_float() && from != to && to != Scalar::F64;
        known.exact &=
            !to.is_float() || interval.within(Interval::allowed(to, false)) && !(narrower && self.fractions());
        self.push(Step::Cast(to.into(), step), known)
    }

    /// The bitcast, whose values are known.
    pub(super) fn bitcast(&mut self, step: usize, to: Scalar, interval: Interval) -> usize {
        let known = self.known(to, interval, &[step]);
        self.push(Step::Bitcast(to.into(), step), known)
    }

    /// Drops steps that no store needs, and numbers the others anew.
    pub(super) fn finish(self) -> (Vec<Variable>, Vec<Step>) {
        let mut needed = vec![false; self.steps.len()];
        for (number, step) in self.steps.iter().enumerate().rev() {
            needed[number] |= matches!(step, Step::Store { .. });
            if needed[number] {
                operands(step).iter().for_each(|&operand| needed[operand] = true);
            }
        }
        let mut numbers = vec![0; self.steps.len()];
        let mut steps = Vec::with_capacity(self.steps.len());
        for (number, mut step) in self.steps.into_iter().enumerate().filter(|(number, _)| needed[*number]) {
            operands_mut(&mut step).iter_mut().for_each(|operand| *operand = numbers[*operand]);
            numbers[number] = steps.len();
            steps.push(step);
        }
        (self.variables, steps)
    }
}

fn operands(step: &Step) -> &[usize] {
    match step {
        Step::Load { .. } | Step::Constant { .. } => &[],
        Step::Alu(_, operands) => operands,
        Step::Cast(_, source) | Step::Bitcast(_, source) | Step::Reduce(_, source, _) | Step::Store { source, .. } => {
            std::slice::from_ref(source)
        }
    }
}

fn operands_mut(step: &mut Step) -> &mut [usize] {
    match step {
        Step::Load { .. } | Step::Constant { .. } => &mut [],
        Step::Alu(_, operands) => operands,
        Step::Cast(_, source) | Step::Bitcast(_, source) | Step::Reduce(_, source, _) | Step::Store { source, .. } => {
            std::slice::from_mut(source)
        }
    }
}
