//! A kernel from its plan: what is loaded and computed before the reduction, the reduction, what follows, the outputs.

use super::build::{Builder, Known};
use super::chain::{Chain, dims, number};
use super::choice::Choice;
use super::interval::Interval;
use super::plan::{Kind, Plan, Role};
use super::profile::Profile;
use super::swarm::{MovementKind, Swarm};
use crate::case::{Dim, DimExpr, Kernel, Layout, Movement, Step, Variable};
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::dtype::{DType, Scalar};
use plumb_core::target::Target;
use std::sync::Arc;

/// The largest value of a variable.
const LARGEST_VARIABLE: i64 = 10;

/// Draws a kernel, and whether its float inputs may be infinite or NaN: where `special` asks for it and there is no
/// reduction, in which they would drown everything else.
pub(super) fn kernel(
    choice: &mut dyn Choice,
    profile: &Profile,
    target: Option<&Target>,
    special: bool,
) -> (Kernel, bool) {
    let plan = Plan::draw(choice, profile, target);
    let special = special && plan.reduced().is_empty();
    let mut swarm = Swarm::draw(choice, profile);
    swarm.special_constants &= special;
    // Nothing else has images.
    swarm.images &= target.is_some_and(|target| target.name == "opencl");
    let mut shape = dims(&plan.sizes);
    let variables = variable(choice, profile, &plan, &mut shape).into_iter().collect();
    let mut builder = Builder {
        choice,
        profile,
        swarm,
        variables,
        steps: Vec::new(),
        known: Vec::new(),
        shape,
        late: false,
        inputs: Vec::new(),
        first_input: plan.outputs,
        loads_left: profile.loads,
        special_inputs: special,
    };
    let mut step = builder.before_reduction(&plan);
    let mut reduction = None;
    if !plan.reduced().is_empty() {
        step = builder.reduction(&plan, step);
        reduction = Some(step);
        builder.late = true;
        let depth = profile.depth.saturating_sub(1);
        step = builder.grow(step, profile.operations, depth);
    }
    builder.outputs(plan.outputs, step, reduction);
    let (variables, steps) = builder.finish();
    (Kernel { variables, steps }, special)
}

/// Makes the size of one axis a variable, in one of six cases where the profile has variables.
fn variable(choice: &mut dyn Choice, profile: &Profile, plan: &Plan, shape: &mut [Dim]) -> Option<Variable> {
    // Under windows views would divide by the symbolic size, and so would a launch grid of more than three axes: 0.9.0
    // can't.
    let windows = plan.roles.iter().any(|role| matches!(role, Role::Places(_)));
    let grid = plan.roles.iter().filter(|role| !role.is_reduced()).count();
    if !profile.variables || windows || grid > 3 || shape.is_empty() || !choice.chance(1, 6) {
        return None;
    }
    let axis = choice.index(shape.len());
    let (min, max) = (1 + choice.range(0, 2), choice.range(3, LARGEST_VARIABLE));
    let name = "start_pos".to_owned();
    shape[axis] = Dim::Expr(Arc::new(DimExpr::Variable(name.clone())));
    Some(Variable { name, min, max, value: Some(choice.range(min, max)), shown: false })
}

impl Builder<'_> {
    /// What is reduced, or without a reduction what the outputs begin with.
    fn before_reduction(&mut self, plan: &Plan) -> usize {
        let depth = self.profile.depth;
        match plan.kind {
            Kind::Elementwise | Kind::Reduction => {
                let scalar = self.swarm.scalar(self.choice);
                let constant = self.swarm.constants && self.choice.chance(1, 12);
                let step = if constant { self.any_constant(scalar) } else { self.load(scalar) };
                self.grow(step, self.profile.operations, depth)
            }
            Kind::Product | Kind::Convolution => {
                let step = self.product(plan);
                // A matrix instruction takes nothing but the product.
                if self.choice.chance(1, 6) { self.grow(step, self.profile.operations, depth) } else { step }
            }
            Kind::Window => {
                let scalar = self.swarm.scalar(self.choice);
                let constant = self.choice.chance(1, 2);
                let chain = self.windows(plan, &[]);
                let step = if constant {
                    self.constant_in(scalar, 1.0, chain.finish_constant(), true)
                } else {
                    self.load_in(scalar, chain.finish())
                };
                let most = if constant { 1 } else { self.profile.operations };
                self.grow(step, most, depth)
            }
        }
    }

    /// The product of two loads, each of which lacks some axes of the other.
    fn product(&mut self, plan: &Plan) -> usize {
        let (of_factors, of_sum) = plan.types.unwrap_or_else(|| {
            let scalar = self.swarm.scalar(self.choice);
            (scalar, scalar)
        });
        let lacks = |of: &dyn Fn(Role) -> bool| (0..plan.roles.len()).filter(|&axis| of(plan.roles[axis])).collect();
        let first: Vec<usize> = lacks(&|role| role == Role::Columns);
        let second: Vec<usize> = lacks(&|role| matches!(role, Role::Rows | Role::Places(_)));
        let windows = matches!(plan.kind, Kind::Convolution);
        let mut factors = [0; 2];
        for (factor, lacking) in [first, second].into_iter().enumerate() {
            let mut chain = if windows && factor == 0 {
                self.windows(plan, &lacking)
            } else {
                let mut chain = Chain::to(&self.shape, self.profile.elements);
                chain.undo_expand_of(&lacking);
                chain
            };
            // Transposed, as often as not; any other movement now and then.
            if self.choice.chance(1, 2) {
                chain.undo_any(self.choice, &[MovementKind::Permute], 1);
            }
            if self.choice.chance(1, 8) {
                self.move_any(&mut chain);
            }
            factors[factor] = self.load_in(of_factors, chain.finish());
        }
        if self.choice.chance(1, 8) {
            let changed = self.choice.index(2);
            factors[changed] = self.operation(factors[changed], 0);
        }
        let scalar = self.of(factors[0]).scalar;
        factors[1] = self.convert(factors[1], scalar);
        let swapped = self.choice.chance(1, 4);
        let [left, right] = if swapped { [factors[1], factors[0]] } else { factors };
        let product = self.try_alu(AluOp::Mul, &[left, right]).unwrap_or(left);
        if self.choice.chance(7, 8) && self.of(product).scalar == of_factors {
            self.convert(product, of_sum)
        } else {
            product
        }
    }

    /// A chain to windows, of which `lacking` axes are repeated; perhaps the axes under the windows are padded.
    fn windows(&mut self, plan: &Plan, lacking: &[usize]) -> Chain {
        let mut chain = Chain::to(&self.shape, self.profile.elements * 4);
        chain.undo_expand_of(lacking);
        // The axes of a pair vanish and one appears at the end, so that the places of the others move down.
        let mut axes: Vec<Option<Role>> = plan.roles.iter().copied().map(Some).collect();
        for pair in 0..2 {
            let at = |role: Role, axes: &[Option<Role>]| axes.iter().position(|&other| other == Some(role));
            let Some((places, taps)) = at(Role::Places(pair), &axes).zip(at(Role::Taps(pair), &axes)) else { continue };
            let step = self.choice.weighted(&[(4, 1), (2, 2), (1, 3)]);
            let dilation = self.choice.weighted(&[(5, 1), (1, 2)]);
            let count = number(&chain.shape()[taps]).unwrap_or(1);
            chain.undo_window(places, taps, step, dilation);
            let mut place = 0;
            axes.retain(|_| {
                place += 1;
                place - 1 != places && place - 1 != taps
            });
            axes.push(None);
            if self.choice.chance(1, 2) {
                let last = chain.shape().len() - 1;
                let front = self.choice.range(0, (count - 1) * dilation);
                let back = if self.choice.chance(1, 2) { front } else { 0 };
                chain.undo_pad_of(last, front, back);
            }
        }
        chain
    }

    /// The reduction of `step`, in a type that holds its result.
    fn reduction(&mut self, plan: &Plan, step: usize) -> usize {
        let axes = plan.reduced();
        let extent = |axis: &usize| {
            let largest = self.variables.first().map_or(1, |variable| variable.max);
            self.shape.get(*axis).map_or(1, |size| number(size).unwrap_or(largest))
        };
        let count: i64 = axes.iter().map(extent).product();
        let (mut op, mut step) = (plan.reduce, step);
        if op == ReduceOp::Sum && self.of(step).scalar == Scalar::Bool && self.choice.chance(3, 4) {
            // Counted; the sum of bools is whether any is true.
            step = self.convert(step, Scalar::I32);
        }
        let fits = |builder: &Self, step: usize| {
            let Known { scalar, interval, .. } = builder.of(step);
            let allowed = Interval::allowed(scalar, builder.swarm.rounding);
            scalar == Scalar::Bool || interval.summed(count).within(allowed)
        };
        if op == ReduceOp::Sum && !fits(self, step) {
            step = self.convert(step, wider(self.of(step).scalar));
            if !fits(self, step) {
                op = ReduceOp::Max;
            }
        }
        let mut known = self.of(step);
        if op == ReduceOp::Sum && known.scalar != Scalar::Bool {
            known.interval = known.interval.summed(count);
            known.exact &= !(known.scalar.is_float() && self.fractions());
        }
        (known.late, known.reduced) = (true, true);
        axes.iter().for_each(|&axis| self.shape[axis] = Dim::Int(1));
        self.push(Step::Reduce(op, step, axes), known)
    }

    /// Stores: the first of `step`, the others of what is like it or of values of their own.
    /// All of them come from the reduction, where there is one.
    fn outputs(&mut self, count: u32, step: usize, reduction: Option<usize>) {
        let mut stores = Vec::new();
        for output in 0..count {
            let mut value = step;
            if output > 0 {
                let steps: Vec<usize> =
                    (0..self.steps.len()).filter(|&step| self.known[step].late == self.late).collect();
                value = if self.choice.chance(1, 4) {
                    let scalar = self.swarm.scalar(self.choice);
                    self.operand(scalar, 0)
                } else {
                    self.choice.pick(&steps)
                };
                value = self.grow(value, self.profile.operations, 1);
            }
            if let Some(reduction) = reduction.filter(|_| !self.profile.independent_outputs || output == 0)
                && !self.of(value).reduced
            {
                let scalar = self.of(value).scalar;
                value = match self.converts(reduction, scalar) {
                    true => {
                        let reduced = self.convert(reduction, scalar);
                        self.maximum(value, reduced)
                    }
                    false => reduction,
                };
            }
            // 0.9.0 prepares stores to images where the first output is one.
            let images = stores.first().is_none_or(|store| matches!(store, Step::Store { dtype: DType::Image(_), .. }));
            if let Some(dtype) = self.stored_image(value).filter(|_| images) {
                let layout = Chain::to(&self.shape, self.profile.elements).finish();
                stores.push(Step::Store { buffer: output, dtype, layout, source: value });
                continue;
            }
            let layout = self.store_layout();
            if self.swarm.assign && self.choice.chance(1, 2) {
                value = self.assigned(output, value, &layout);
            }
            let scalar = self.of(value).scalar;
            stores.push(Step::Store { buffer: output, dtype: scalar.into(), layout, source: value });
        }
        for store in stores {
            // Stores come last, so that no step seems to follow from one.
            let known = Known {
                scalar: Scalar::F32,
                interval: Interval::new(0.0, 0.0),
                exact: false,
                special: false,
                late: true,
                reduced: false,
            };
            self.steps.push(store);
            self.known.push(known);
        }
    }

    /// An image to store `value` to, where images are asked for: pixels need a last axis of a multiple of four.
    fn stored_image(&mut self, value: usize) -> Option<DType> {
        let last = self.shape.iter().rev().map(number).find(|size| *size != Some(1))??;
        if last % 4 != 0 || self.of(value).scalar != Scalar::F32 {
            return None;
        }
        let sizes: Option<Vec<i64>> = self.shape.iter().map(number).collect();
        let half = self.of(value).interval.within(Interval::allowed(Scalar::F16, self.swarm.rounding));
        self.image(sizes?.iter().product(), half)
    }

    /// The sum of `value` and what the output holds before.
    fn assigned(&mut self, output: u32, value: usize, layout: &Layout) -> usize {
        let scalar = self.of(value).scalar;
        let known = self.loaded(scalar);
        let held = self.push(Step::Load { buffer: output, dtype: scalar.into(), layout: layout.clone() }, known);
        self.try_alu(AluOp::Add, &[value, held]).unwrap_or_else(|| self.maximum(value, held))
    }

    /// Where an output's elements stand: each in a place of its own.
    fn store_layout(&mut self) -> Layout {
        let mut chain = Chain::to(&self.shape, self.profile.elements);
        if self.swarm.moved_stores {
            const KINDS: [MovementKind; 5] = [
                MovementKind::Permute,
                MovementKind::Shrink,
                MovementKind::Reshape,
                MovementKind::Flip,
                MovementKind::Step,
            ];
            let length = self.choice.below(4);
            chain.undo_any(self.choice, &KINDS, length);
        }
        chain.finish()
    }
}

/// The type in which values of a type are summed without overflow.
fn wider(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::F16 | Scalar::BF16 => Scalar::F32,
        Scalar::I8 | Scalar::I16 => Scalar::I32,
        Scalar::U8 | Scalar::U16 => Scalar::U32,
        Scalar::I32 => Scalar::I64,
        Scalar::U32 => Scalar::U64,
        Scalar::F32 => Scalar::F64,
        other => other,
    }
}

/// Whether any of a layout's movements pads.
pub(super) fn pads(layout: &Layout) -> bool {
    match layout {
        Layout::Chain { movements, .. } => movements.iter().any(|movement| matches!(movement, Movement::Pad(_))),
        Layout::Views(views) => views.iter().any(|view| view.mask.is_some()),
    }
}
