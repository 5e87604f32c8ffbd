//! A case's kernel in numbers: symbolic parts bound, layouts resolved and shared, types and shapes checked.

use super::ReferenceError;
use super::dims::resolve;
use super::lanes::size_of;
use super::layout::Layout;
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::constant::Constant;
use plumb_core::dtype::{Channel, DType, Image, Scalar};
use plumb_corpus::case::{self, Kernel, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// A shape, shared by the steps that have it.
pub(crate) type Shape = Rc<[i64]>;

/// What a step does. Operands are numbers of earlier steps; layouts are places in [`Program::layouts`].
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Load {
        buffer: u32,
        layout: usize,
        half_image: bool,
    },
    /// `value` is one of the step's type, `spelled` what it was rounded from, where that differs; `layout`: where
    /// padding makes it zero.
    Constant {
        value: Constant,
        spelled: Option<f64>,
        layout: Option<usize>,
    },
    Alu(AluOp, SmallVec<[usize; 3]>),
    Cast(usize),
    Bitcast(usize),
    Reduce {
        op: ReduceOp,
        source: usize,
        axes: SmallVec<[usize; 4]>,
        count: i64,
    },
    Store {
        buffer: u32,
        layout: usize,
        source: usize,
        half_image: bool,
    },
}

/// A step: what it does, the type of its result, the shape of its result.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) op: Op,
    pub(crate) scalar: Scalar,
    pub(crate) shape: Shape,
}

/// A kernel in numbers.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) layouts: Vec<Rc<Layout>>,
    /// For every step, whether it is a product that feeds a sum: a kernel may fuse the two and so not round it.
    pub(crate) fusible: Vec<bool>,
    /// For every step, whether it follows from constants alone: a compiler may compute it before constants are rounded
    /// to their type.
    pub(crate) constant: Vec<bool>,
    /// For every step, whether it adds or subtracts constants: a compiler may add up those of several such steps first.
    pub(crate) chained: Vec<bool>,
}

impl Op {
    /// The steps whose results this one takes.
    pub(crate) fn operands(&self) -> &[usize] {
        match self {
            Op::Load { .. } | Op::Constant { .. } => &[],
            Op::Alu(_, operands) => operands,
            Op::Cast(source) | Op::Bitcast(source) | Op::Reduce { source, .. } | Op::Store { source, .. } => {
                std::slice::from_ref(source)
            }
        }
    }
}

struct Builder<'a> {
    bindings: &'a [(String, i64)],
    program: Program,
    layout_ids: FxHashMap<&'a case::Layout, usize>,
    shapes: FxHashMap<Vec<i64>, Shape>,
}

impl Program {
    /// Resolves `kernel` under `bindings`.
    ///
    /// # Errors
    /// [`ReferenceError::Invalid`] for what is no kernel, [`ReferenceError::Unsupported`] for what is not evaluated.
    pub(crate) fn new(kernel: &Kernel, bindings: &[(String, i64)]) -> Result<Program, ReferenceError> {
        let program = Program {
            steps: Vec::new(),
            layouts: Vec::new(),
            fusible: Vec::new(),
            constant: Vec::new(),
            chained: Vec::new(),
        };
        let mut builder = Builder { bindings, program, layout_ids: FxHashMap::default(), shapes: FxHashMap::default() };
        for (number, step) in kernel.steps.iter().enumerate() {
            let step = builder.step(step).map_err(|error| match error {
                ReferenceError::Invalid(message) => ReferenceError::Invalid(format!("step %{number}: {message}")),
                other => other,
            })?;
            builder.program.steps.push(step);
        }
        let mut program = builder.program;
        program.fusible = fusible(&program.steps);
        for step in &program.steps {
            let operands = step.op.operands();
            let leaf = matches!(step.op, Op::Constant { .. });
            let constant = leaf || !operands.is_empty() && operands.iter().all(|&operand| program.constant[operand]);
            program.constant.push(constant);
            let adds = matches!(step.op, Op::Alu(AluOp::Add | AluOp::Sub, _)) && step.scalar.is_float();
            program.chained.push(adds && operands.iter().any(|&operand| program.constant[operand]));
        }
        Ok(program)
    }
}

fn invalid<T>(message: impl Into<String>) -> Result<T, ReferenceError> {
    Err(ReferenceError::Invalid(message.into()))
}

impl<'a> Builder<'a> {
    fn step(&mut self, step: &'a case::Step) -> Result<Step, ReferenceError> {
        Ok(match step {
            case::Step::Load { buffer, dtype, layout } => {
                let (layout, shape) = self.layout(layout)?;
                let op = Op::Load { buffer: *buffer, layout, half_image: is_half_image(*dtype) };
                Step { op, scalar: memory_scalar(*dtype)?, shape }
            }
            case::Step::Constant { value, dtype, layout } => {
                let scalar = value_scalar(*dtype)?;
                let (layout, shape) = self.layout(layout)?;
                let layout = self.program.layouts[layout].is_masked().then_some(layout);
                let value = match value {
                    Value::Constant(constant) => *constant,
                    Value::Variable(name) => {
                        let expr = case::DimExpr::Variable(name.clone());
                        Constant::Int(i128::from(resolve(&case::Dim::Expr(expr.into()), self.bindings)?))
                    }
                };
                let rounded = super::rounding::constant(value, scalar);
                let spelled = match (value.cast(scalar), rounded) {
                    (Constant::Float(spelled), Constant::Float(rounded)) if spelled != rounded => Some(spelled),
                    _ => None,
                };
                Step { op: Op::Constant { value: rounded, spelled, layout }, scalar, shape }
            }
            case::Step::Alu(op, operands) => self.alu(*op, operands)?,
            case::Step::Cast(dtype, source) => {
                let shape = Rc::clone(&self.operand(*source)?.shape);
                Step { op: Op::Cast(*source), scalar: value_scalar(*dtype)?, shape }
            }
            case::Step::Bitcast(dtype, source) => {
                let operand = self.operand(*source)?;
                let scalar = value_scalar(*dtype)?;
                if scalar.size() != operand.scalar.size() {
                    return invalid(format!("a bitcast of {} to {scalar}, of another size", operand.scalar));
                }
                Step { op: Op::Bitcast(*source), scalar, shape: Rc::clone(&operand.shape) }
            }
            case::Step::Reduce(op, source, axes) => {
                let operand = self.operand(*source)?;
                let scalar = operand.scalar;
                let mut shape = operand.shape.to_vec();
                let mut count = 1;
                let mut reduced = SmallVec::<[usize; 4]>::new();
                for &axis in axes {
                    let Some(size) = shape.get_mut(axis).filter(|_| !reduced.contains(&axis)) else {
                        return invalid(format!("a reduction of axis {axis} of shape {:?}", operand.shape));
                    };
                    count *= std::mem::replace(size, 1);
                    reduced.push(axis);
                }
                reduced.sort_unstable();
                let op = Op::Reduce { op: *op, source: *source, axes: reduced, count };
                Step { op, scalar, shape: self.shape(shape) }
            }
            case::Step::Store { buffer, dtype, layout, source } => {
                let (layout, shape) = self.layout(layout)?;
                let stored = &self.operand(*source)?.shape;
                if *stored != shape {
                    return invalid(format!("a store of shape {shape:?} of what has shape {stored:?}"));
                }
                let op = Op::Store { buffer: *buffer, layout, source: *source, half_image: is_half_image(*dtype) };
                Step { op, scalar: memory_scalar(*dtype)?, shape }
            }
        })
    }

    fn alu(&self, op: AluOp, operands: &[usize]) -> Result<Step, ReferenceError> {
        if operands.len() != op.arity() {
            return invalid(format!("{op} with {} operands", operands.len()));
        }
        let steps = operands.iter().map(|&operand| self.operand(operand)).collect::<Result<SmallVec<[_; 3]>, _>>()?;
        let [.., last] = steps.as_slice() else { return invalid(format!("{op} without operands")) };
        if steps.iter().any(|step| step.shape != last.shape) {
            return invalid(format!("operands of {op} of different shapes"));
        }
        let values = if op == AluOp::Where { &steps[1..] } else { &steps[..] };
        if values.iter().any(|step| step.scalar != last.scalar) {
            return invalid(format!("operands of {op} of different types"));
        }
        if op == AluOp::Where && steps[0].scalar != Scalar::Bool {
            return invalid("a WHERE whose selector is no bool");
        }
        let float_only = matches!(op, AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt);
        if float_only && !last.scalar.is_float() {
            return Err(ReferenceError::Unsupported(format!("{op} of integers")));
        }
        if matches!(op, AluOp::Mod | AluOp::Xor) && last.scalar.is_float() {
            return Err(ReferenceError::Unsupported(format!("{op} of floats")));
        }
        let scalar = if op.is_comparison() { Scalar::Bool } else { last.scalar };
        Ok(Step { op: Op::Alu(op, operands.into()), scalar, shape: Rc::clone(&last.shape) })
    }

    fn operand(&self, number: usize) -> Result<&Step, ReferenceError> {
        match self.program.steps.get(number) {
            Some(step) if !matches!(step.op, Op::Store { .. }) => Ok(step),
            Some(_) => invalid(format!("operand %{number} is a store")),
            None => invalid(format!("operand %{number} does not come before it")),
        }
    }

    fn layout(&mut self, layout: &'a case::Layout) -> Result<(usize, Shape), ReferenceError> {
        let id = match self.layout_ids.get(layout) {
            Some(&id) => id,
            None => {
                let id = self.program.layouts.len();
                self.program.layouts.push(Rc::new(Layout::new(layout, self.bindings)?));
                self.layout_ids.insert(layout, id);
                id
            }
        };
        let layout = Rc::clone(&self.program.layouts[id]);
        size_of(layout.shape())?;
        Ok((id, self.shape(layout.shape().to_vec())))
    }

    fn shape(&mut self, shape: Vec<i64>) -> Shape {
        Rc::clone(self.shapes.entry(shape).or_insert_with_key(|shape| shape.as_slice().into()))
    }
}

fn is_half_image(dtype: DType) -> bool {
    matches!(dtype, DType::Image(Image { channel: Channel::Half, .. }))
}

/// The type of the elements of a memory argument.
fn memory_scalar(dtype: DType) -> Result<Scalar, ReferenceError> {
    match dtype {
        DType::Image(_) => Ok(Scalar::F32),
        other => value_scalar(other),
    }
}

/// The scalar that a value's type must be.
fn value_scalar(dtype: DType) -> Result<Scalar, ReferenceError> {
    match dtype {
        DType::Scalar(scalar) => Ok(scalar),
        DType::Image(_) => Ok(Scalar::F32),
        other => invalid(format!("a value of type {other}")),
    }
}

/// Marks the products of floats that go straight into a sum, or through a cast (as matrix instructions take them).
fn fusible(steps: &[Step]) -> Vec<bool> {
    let is_product = |number: usize| matches!(steps[number].op, Op::Alu(AluOp::Mul, _));
    let mut fusible = vec![false; steps.len()];
    let mut mark = |number: usize| {
        let behind_cast = match steps[number].op {
            Op::Cast(source) => source,
            _ => number,
        };
        fusible[behind_cast] |= is_product(behind_cast) && steps[behind_cast].scalar.is_float();
    };
    for step in steps {
        match &step.op {
            Op::Reduce { op: ReduceOp::Sum, source, .. } => mark(*source),
            Op::Alu(AluOp::Add | AluOp::Sub, operands) => operands.iter().for_each(|&operand| mark(operand)),
            Op::Alu(AluOp::MulAcc, operands) => mark(operands[2]),
            _ => {}
        }
    }
    fusible
}
