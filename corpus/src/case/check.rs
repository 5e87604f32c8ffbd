//! Whether a case is well-formed: what lowering and the judges may take for granted. Apart from `core`.

use super::dim::Normal;
use super::layout::Scope;
use super::{Case, CaseError, Dim, Kernel, Layout, MAX_AXES, MAX_VARIABLES, Step, Value, Variable, constant_of_kind};
use plumb_core::ast::AluOp;
use plumb_core::dtype::DType;
use std::collections::{BTreeMap, BTreeSet};

/// Names that a variable can't have, as they are constants.
const RESERVED: [&str; 4] = ["inf", "nan", "true", "false"];

impl Variable {
    /// What is wrong with the variable, if anything.
    pub fn fault(&self) -> Option<String> {
        let Variable { name, min, max, value, .. } = self;
        let identifier = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
        if !identifier || RESERVED.contains(&name.as_str()) {
            return Some(format!("`{name}` can't name a variable: letters, digits and `_`, not a constant's name"));
        }
        if *min < 0 || min > max {
            return Some(format!("variable {name}: expected 0 <= smallest <= largest, found {min} and {max}"));
        }
        let value = value.filter(|value| !(min..=max).contains(&value));
        value.map(|value| format!("variable {name} can't be {value}: it has the bounds {min} to {max}"))
    }
}

impl Case {
    /// Checks all that lowering and the judges take for granted: see [`Kernel::check`].
    ///
    /// # Errors
    /// The first thing that is wrong, with its step.
    pub fn check(&self) -> Result<(), CaseError> {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if self.target.is_empty() || !self.target.bytes().all(word) {
            return Err(CaseError::Case(format!("`{}` can't name a target", self.target)));
        }
        if self.comments.iter().any(|comment| comment.contains(['\n', '\r'])) {
            return Err(CaseError::Case("a comment is more than a line".to_owned()));
        }
        self.kernel.check()
    }
}

impl Kernel {
    /// Checks all that lowering and the judges take for granted: operands come before what uses them and agree in
    /// dtype and shape; layouts are legal, within their buffers' beginning and of bounded size; there is at most one
    /// reduction; outputs have one shape; each buffer has one dtype; no element is stored to twice, or read where another work
    /// item stores to it.
    ///
    /// # Errors
    /// The first thing that is wrong, with its step.
    pub fn check(&self) -> Result<(), CaseError> {
        if self.variables.len() > MAX_VARIABLES {
            return Err(CaseError::Case(format!("more than {MAX_VARIABLES} variables")));
        }
        for (number, variable) in self.variables.iter().enumerate() {
            if let Some(fault) = variable.fault() {
                return Err(CaseError::Case(fault));
            }
            if self.variables.iter().take(number).any(|earlier| earlier.name == variable.name) {
                return Err(CaseError::Case(format!("variable {} is declared twice", variable.name)));
            }
        }
        let dtypes = self.dtypes()?;
        let shapes = Shapes::of(self)?;
        let mut buffers = BTreeMap::new();
        let mut written = BTreeSet::new();
        let (mut reduced, mut stored) = (None, None);
        for (number, step) in self.steps.iter().enumerate() {
            let fail = |message: String| Err(CaseError::Step { step: number, message });
            if let Err(message) = operands_agree(step, number, &dtypes, &shapes) {
                return fail(message);
            }
            if let Step::Load { buffer, dtype, .. } | Step::Store { buffer, dtype, .. } = step {
                let first = *buffers.entry(*buffer).or_insert(*dtype);
                if first != *dtype {
                    return fail(format!("buffer {buffer} is {first} elsewhere, not {dtype}"));
                }
            }
            match step {
                Step::Constant { value: Value::Variable(name), .. }
                    if !self.variables.iter().any(|variable| variable.name == *name) =>
                {
                    return fail(format!("variable {name} is not declared"));
                }
                Step::Reduce(..) => {
                    if let Some(first) = reduced.replace(number) {
                        return fail(format!("a second reduction; the first is %{first}"));
                    }
                }
                Step::Store { buffer, .. } => {
                    if !written.insert(*buffer) {
                        return fail(format!("buffer {buffer} is stored to twice"));
                    }
                    let first = *stored.get_or_insert(number);
                    if !shapes.agree(first, number) {
                        return fail(format!("the output's shape is not that of the first, step %{first}"));
                    }
                }
                _ => {}
            }
        }
        if stored.is_none() {
            return Err(CaseError::Case("the kernel stores nothing".to_owned()));
        }
        self.check_writes().map_err(|(step, message)| CaseError::Step { step, message })
    }

    /// The shape of each step's result (a store: of what it writes); arithmetic has its first operand's.
    ///
    /// # Errors
    /// A step whose layout is illegal or whose operand is not an earlier step; axes that do not exist.
    pub fn shapes(&self) -> Result<Vec<Vec<Dim>>, CaseError> {
        let shapes = Shapes::of(self)?;
        Ok(shapes.of_step.iter().filter_map(|&class| shapes.distinct.get(class).cloned()).collect())
    }
}

/// The shapes of a kernel's steps, equal ones once, so that steps are compared by number.
struct Shapes {
    distinct: Vec<Vec<Dim>>,
    by_normal: BTreeMap<Vec<Normal>, usize>,
    of_step: Vec<usize>,
}

impl Shapes {
    fn of(kernel: &Kernel) -> Result<Shapes, CaseError> {
        let mut shapes = Shapes { distinct: Vec::new(), by_normal: BTreeMap::new(), of_step: Vec::new() };
        let scope = Scope { variables: &kernel.variables };
        for (number, step) in kernel.steps.iter().enumerate() {
            let shape = shapes.of_next(&scope, step).map_err(|message| CaseError::Step { step: number, message })?;
            shapes.of_step.push(shape);
        }
        Ok(shapes)
    }

    fn of_next(&mut self, scope: &Scope<'_>, step: &Step) -> Result<usize, String> {
        let earlier = |operand: Option<&usize>| {
            let shape = operand.and_then(|&operand| self.of_step.get(operand)).copied();
            shape.ok_or_else(|| "an operand is missing or not an earlier step".to_owned())
        };
        match step {
            Step::Load { layout, .. } | Step::Constant { layout, .. } | Step::Store { layout, .. } => {
                let shape = scope.shape(layout)?;
                self.enter(shape)
            }
            Step::Alu(_, operands) => earlier(operands.first()),
            Step::Cast(_, source) | Step::Bitcast(_, source) => earlier(Some(source)),
            Step::Reduce(_, source, axes) => {
                let shape = self.distinct.get(earlier(Some(source))?).cloned().unwrap_or_default();
                self.enter(reduced(shape, axes)?)
            }
        }
    }

    fn enter(&mut self, shape: Vec<Dim>) -> Result<usize, String> {
        let normal: Option<Vec<Normal>> = shape.iter().map(Dim::normal).collect();
        let normal = normal.ok_or_else(|| "a size is too complicated an expression".to_owned())?;
        Ok(*self.by_normal.entry(normal).or_insert_with(|| {
            self.distinct.push(shape);
            self.distinct.len() - 1
        }))
    }

    /// Whether two steps have one shape.
    fn agree(&self, left: usize, right: usize) -> bool {
        self.of_step.get(left).is_some_and(|class| self.of_step.get(right) == Some(class))
    }
}

/// The shape after a reduction over `axes`.
fn reduced(mut shape: Vec<Dim>, axes: &[usize]) -> Result<Vec<Dim>, String> {
    if axes.len() > MAX_AXES {
        return Err(format!("{} axes; at most {MAX_AXES} are allowed", axes.len()));
    }
    for (place, axis) in axes.iter().enumerate() {
        if axes.iter().take(place).any(|earlier| earlier == axis) {
            return Err(format!("axis {axis} stands there twice"));
        }
        let axes = shape.len();
        let size = shape.get_mut(*axis).ok_or_else(|| format!("there is no axis {axis}; the shape has {axes}"))?;
        *size = Dim::Int(1);
    }
    Ok(shape)
}

/// Whether a step's operands agree with one another and suit what is done to them.
fn operands_agree(step: &Step, number: usize, dtypes: &[DType], shapes: &Shapes) -> Result<(), String> {
    let dtype = |operand: usize| dtypes.get(operand).copied().unwrap_or(DType::F32).base();
    match step {
        Step::Load { dtype, .. } => element(*dtype),
        Step::Constant { value: Value::Constant(value), dtype, .. } => {
            element(*dtype)?;
            match constant_of_kind(*value, dtype.scalar()) {
                Some(converted) if converted == *value => Ok(()),
                _ => Err(format!("{value} is not a constant of {dtype}")),
            }
        }
        Step::Constant { value: Value::Variable(_), dtype, .. } => element(*dtype),
        Step::Alu(op, operands) => {
            if operands.len() != op.arity() {
                return Err(format!("{op} takes {} operands, not {}", op.arity(), operands.len()));
            }
            let values = if *op == AluOp::Where { operands.get(1..).unwrap_or(&[]) } else { operands };
            let first = dtype(values.first().copied().unwrap_or(0));
            if let Some(other) = values.iter().map(|&operand| dtype(operand)).find(|other| *other != first) {
                return Err(format!("{op} of {first} and {other}"));
            }
            let condition = dtype(operands.first().copied().unwrap_or(0));
            let suits = match op {
                AluOp::Where => condition == DType::BOOL,
                AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt => first.is_float(),
                AluOp::Mod => first.scalar().is_int(),
                AluOp::Xor => !first.is_float(),
                AluOp::Div => first != DType::BOOL,
                _ => true,
            };
            if !suits {
                return Err(format!("{op} of {condition}"));
            }
            match operands.iter().find(|&&operand| !shapes.agree(number, operand)) {
                Some(other) => Err(format!("%{other} has another shape than the first operand")),
                None => Ok(()),
            }
        }
        Step::Cast(to, _) => element(*to),
        Step::Bitcast(to, source) => {
            element(*to)?;
            let from = dtype(*source);
            if from.size() == to.base().size() && (from == DType::BOOL) == (*to == DType::BOOL) {
                Ok(())
            } else {
                Err(format!("the bits of {from} are none of {to}"))
            }
        }
        Step::Reduce(_, _, axes) => {
            if axes.is_empty() {
                return Err("a reduction over no axes".to_owned());
            }
            Ok(())
        }
        Step::Store { dtype: to, source, layout, .. } => {
            element(*to)?;
            let from = dtype(*source);
            if from != to.base() {
                return Err(format!("{from} is stored to a buffer of {to}"));
            }
            if masked(layout) {
                return Err("a store to padding".to_owned());
            }
            if shapes.agree(number, *source) {
                Ok(())
            } else {
                Err(format!("%{source} has another shape than the place it is stored to"))
            }
        }
    }
}

fn masked(layout: &Layout) -> bool {
    match layout {
        Layout::Views(views) => views.iter().any(|view| view.mask.is_some()),
        Layout::Chain { movements, .. } => movements.iter().any(|movement| matches!(movement, super::Movement::Pad(_))),
    }
}

/// Fails for what no element can be.
fn element(dtype: DType) -> Result<(), String> {
    match dtype {
        DType::Scalar(_) => Ok(()),
        DType::Image(image) if image.height > 0 && image.width > 0 => Ok(()),
        other => Err(format!("{other} is no type of an element")),
    }
}
