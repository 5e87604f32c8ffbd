//! From a case's kernel to `core`'s AST.

use super::{CaseError, Dim, DimExpr, Kernel, Layout, MAX_EXPRESSION_DEPTH, Movement, RawView, Step, Value, Variable};
use plumb_core::ast::{self, Ast, AstId, Buffer, Source};
use plumb_core::dtype::DType;
use plumb_core::rule::Rules;
use plumb_core::shape::{Dims, Mask, ShapeError, ShapeTracker, View};
use plumb_core::symbolic::{Arena, NodeId, Sint, SymbolicError};
use smallvec::SmallVec;
use std::fmt::Display;

impl Kernel {
    /// `core`'s AST of this kernel: chains become `core`'s views by its own movement operations, raw views enter as
    /// they are, but for what [`View::new`] makes canonical.
    ///
    /// Variables enter without the values that they are bound to, as tinygrad's scheduler does before it lowers; the
    /// values stay in [`Kernel::variables`]. Steps that no store needs are left out.
    ///
    /// # Errors
    /// A step that names a later step, an unknown variable, or that `core` can't express, by number.
    pub fn ast(&self) -> Result<Ast, CaseError> {
        self.ast_with(&Rules::default())
    }

    /// As [`Kernel::ast`], the views being made by `rules`: for trying the judges on planted faults.
    ///
    /// # Errors
    /// As [`Kernel::ast`].
    pub fn ast_with(&self, rules: &Rules) -> Result<Ast, CaseError> {
        let mut ast = Ast::new();
        ast.symbols.set_rules(*rules);
        let build = self.build(&mut ast.symbols)?;
        let needed = self.needed();
        let mut ids: Vec<Option<AstId>> = Vec::with_capacity(self.steps.len());
        for ((number, step), needed) in self.steps.iter().enumerate().zip(needed) {
            let id = needed.then(|| build.step(&mut ast, &ids, step)).transpose();
            ids.push(id.map_err(|message| CaseError::Step { step: number, message })?);
        }
        if ast.outputs().is_empty() {
            return Err(CaseError::Case("the kernel stores nothing".to_owned()));
        }
        Ok(ast)
    }

    /// `core`'s views of `layout`, one of this kernel's: made of its movements by `core`'s, in `arena`, by whose rules
    /// that happens.
    ///
    /// # Errors
    /// What `core` can't express.
    pub fn views(&self, arena: &mut Arena, layout: &Layout) -> Result<ShapeTracker, CaseError> {
        let build = self.build(arena)?;
        build.views(arena, layout).map_err(CaseError::Case)
    }

    /// The variables as nodes of `arena`.
    fn build(&self, arena: &mut Arena) -> Result<Build<'_>, CaseError> {
        let node = |variable: &Variable| {
            let value = variable.value.filter(|_| variable.shown);
            arena.variable(&variable.name, variable.min, Sint::Int(variable.max), value)
        };
        let nodes: Result<Vec<NodeId>, _> = self.variables.iter().map(node).collect();
        let nodes = nodes.map_err(|error| CaseError::Case(error.to_string()))?;
        Ok(Build { variables: self.variables.iter().zip(nodes).collect() })
    }

    /// For each step, whether a store needs it. Operands that are not earlier steps count for nothing.
    fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.steps.len()];
        for (number, step) in self.steps.iter().enumerate().rev() {
            let operands = match step {
                Step::Store { source, .. } => std::slice::from_ref(source),
                _ if !needed.get(number).copied().unwrap_or(false) => &[],
                step => step.operands(),
            };
            for &operand in operands.iter().filter(|&&operand| operand < number) {
                if let Some(needed) = needed.get_mut(operand) {
                    *needed = true;
                }
            }
            if let (Step::Store { .. }, Some(needed)) = (step, needed.get_mut(number)) {
                *needed = true;
            }
        }
        needed
    }
}

/// What steps refer to.
struct Build<'a> {
    variables: Vec<(&'a Variable, NodeId)>,
}

impl Build<'_> {
    fn step(&self, ast: &mut Ast, ids: &[Option<AstId>], step: &Step) -> Result<AstId, String> {
        let operand = |number: usize| {
            ids.get(number).copied().flatten().ok_or_else(|| format!("operand %{number} is not an earlier step"))
        };
        match step {
            Step::Load { buffer, dtype, layout } => {
                let buffer = self.buffer(ast, Source::Memory(*buffer), *dtype, layout)?;
                Ok(ast.load(buffer))
            }
            Step::Constant { value, dtype, layout } => {
                let value = match value {
                    Value::Constant(constant) => ast::Value::Constant(*constant),
                    Value::Variable(name) => {
                        let node = self.variable(name)?;
                        match ast.symbols.lower(node) {
                            Sint::Int(value) => ast::Value::Constant(plumb_core::constant::Constant::Int(value.into())),
                            Sint::Node(node) => ast::Value::Variable(node),
                        }
                    }
                };
                let buffer = self.buffer(ast, Source::Constant(value), *dtype, layout)?;
                Ok(ast.load(buffer))
            }
            Step::Alu(op, operands) => {
                let operands =
                    operands.iter().map(|&number| operand(number)).collect::<Result<SmallVec<[_; 3]>, _>>()?;
                ast.alu(*op, &operands).map_err(text)
            }
            Step::Cast(dtype, source) => Ok(ast.cast(operand(*source)?, *dtype)),
            Step::Bitcast(dtype, source) => Ok(ast.bitcast(operand(*source)?, *dtype)),
            Step::Reduce(op, source, axes) => {
                let axes = axes.iter().map(|&axis| u8::try_from(axis)).collect::<Result<SmallVec<[_; 4]>, _>>();
                let axes = axes.map_err(|_| "an axis above 255".to_owned())?;
                Ok(ast.reduce(*op, operand(*source)?, &axes))
            }
            Step::Store { buffer, dtype, layout, source } => {
                let source = operand(*source)?;
                let buffer = self.buffer(ast, Source::Memory(*buffer), *dtype, layout)?;
                Ok(ast.store(buffer, source))
            }
        }
    }

    fn buffer(&self, ast: &mut Ast, source: Source, dtype: DType, layout: &Layout) -> Result<Buffer, String> {
        let view = self.views(&mut ast.symbols, layout)?;
        Ok(Buffer { source, dtype, view })
    }

    fn views(&self, arena: &mut Arena, layout: &Layout) -> Result<ShapeTracker, String> {
        let tracker = match layout {
            Layout::Chain { base, movements } => self.chain(arena, base, movements)?,
            Layout::Views(views) => {
                let views = views.iter().map(|view| self.view(arena, view));
                ShapeTracker { views: views.collect::<Result<_, _>>()? }
            }
        };
        if tracker.views.is_empty() { Err("a stack of no views".to_owned()) } else { Ok(tracker) }
    }

    fn chain(&self, arena: &mut Arena, base: &[Dim], movements: &[Movement]) -> Result<ShapeTracker, String> {
        let base = self.dims(arena, base)?;
        let mut tracker = ShapeTracker::from_shape(arena, &base).map_err(text)?;
        for movement in movements {
            let moved: Result<ShapeTracker, ShapeError> = match movement {
                Movement::Reshape(shape) => {
                    let shape = self.dims(arena, shape)?;
                    tracker.reshape(arena, &shape)
                }
                Movement::Permute(axes) => tracker.permute(arena, axes),
                Movement::Expand(shape) => {
                    let shape = self.dims(arena, shape)?;
                    tracker.expand(arena, &shape)
                }
                Movement::Pad(widths) => {
                    let widths = self.pairs(arena, widths)?;
                    tracker.pad(arena, &widths)
                }
                Movement::Shrink(ranges) => {
                    let ranges = self.pairs(arena, ranges)?;
                    tracker.shrink(arena, &ranges)
                }
                Movement::Stride(steps) => tracker.stride(arena, steps),
            };
            tracker = moved.map_err(text)?;
        }
        Ok(tracker)
    }

    fn view(&self, arena: &mut Arena, view: &RawView) -> Result<View, String> {
        let shape = self.dims(arena, &view.shape)?;
        let strides = self.dims(arena, &view.strides)?;
        let offset = self.dim(arena, &view.offset)?;
        let mask = view.mask.as_ref().map(|mask| self.pairs(arena, mask)).transpose()?;
        if strides.len() != shape.len() || mask.as_ref().is_some_and(|mask| mask.len() != shape.len()) {
            return Err("a view's shape, strides and mask differ in their number of axes".to_owned());
        }
        View::new(arena, &shape, Some(&strides), offset, mask.as_deref()).map_err(text)
    }

    fn dims(&self, arena: &mut Arena, dims: &[Dim]) -> Result<Dims, String> {
        dims.iter().map(|dim| self.dim(arena, dim)).collect()
    }

    fn pairs(&self, arena: &mut Arena, pairs: &[(Dim, Dim)]) -> Result<Mask, String> {
        pairs.iter().map(|(low, high)| Ok((self.dim(arena, low)?, self.dim(arena, high)?))).collect()
    }

    fn dim(&self, arena: &mut Arena, dim: &Dim) -> Result<Sint, String> {
        match dim {
            Dim::Int(value) => Ok(Sint::Int(*value)),
            Dim::Expr(expression) => self.expression(arena, expression, MAX_EXPRESSION_DEPTH),
        }
    }

    fn expression(&self, arena: &mut Arena, expression: &DimExpr, depth: usize) -> Result<Sint, String> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(format!("an expression that nests more than {MAX_EXPRESSION_DEPTH} deep"));
        };
        type Operation = fn(&mut Arena, Sint, Sint) -> Result<Sint, SymbolicError>;
        let (operation, left, right): (Operation, _, _) = match expression {
            DimExpr::Int(value) => return Ok(Sint::Int(*value)),
            DimExpr::Variable(name) => return Ok(arena.lower(self.variable(name)?)),
            DimExpr::Add(left, right) => (Arena::sint_add, left, right),
            DimExpr::Mul(left, right) => (Arena::sint_mul, left, right),
            DimExpr::FloorDiv(left, right) => (Arena::sint_floor_div, left, right),
            DimExpr::Mod(left, right) => (Arena::sint_mod, left, right),
            DimExpr::Less(left, right) => (less, left, right),
        };
        let left = self.expression(arena, left, depth)?;
        let right = self.expression(arena, right, depth)?;
        operation(arena, left, right).map_err(text)
    }

    fn variable(&self, name: &str) -> Result<NodeId, String> {
        let found = self.variables.iter().find(|(variable, _)| variable.name == name);
        found.map(|&(_, node)| node).ok_or_else(|| format!("variable {name} is not declared"))
    }
}

fn less(arena: &mut Arena, left: Sint, right: Sint) -> Result<Sint, SymbolicError> {
    let left = arena.lift(left);
    let node = arena.less(left, right)?;
    Ok(arena.lower(node))
}

fn text(error: impl Display) -> String {
    error.to_string()
}
