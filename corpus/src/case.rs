//! A case: a kernel, the optimisations to try on it, the target, the inputs, and what is expected.
//!
//! A case's kernel is kept in its own small form, apart from `core`'s AST: a load is a chain of movement operations or
//! a list of raw views, in plain numbers, so that a judge can evaluate it without `core`'s view arithmetic.
//! [`Kernel::ast`] builds `core`'s AST from it, and there `core`'s views are what is judged.

use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::constant::Constant;
use plumb_core::dtype::{DType, Scalar};
use plumb_core::kernel::OptPlan;
use plumb_core::rule::Rules;
use std::sync::Arc;

mod ast;
mod check;
mod dim;
mod layout;
mod place;
mod types;
mod writes;

/// How high the tree of a symbolic dimension may be; tinygrad's own are a handful.
pub const MAX_EXPRESSION_DEPTH: usize = 64;
/// Axes that a shape may have.
pub const MAX_AXES: usize = 64;
/// Symbolic variables that a kernel may have.
pub const MAX_VARIABLES: usize = 256;
/// Movement operations that a chain may have, and views that a stack may have.
pub const MAX_MOVEMENTS: usize = 256;
/// Elements that any shape may have, for all values of its variables. Indices into it, and the flops of whatever is
/// done to it, stay far within 64 bits.
pub const MAX_ELEMENTS: i64 = 1 << 48;
/// Elements that a buffer may have: as many as indices of 32 bits, in which kernels compute, can tell apart.
pub const MAX_BUFFER_ELEMENTS: i64 = 1 << 31;

/// A dimension, stride, offset or bound: a number, or an expression over symbolic variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// A number.
    Int(i64),
    /// An expression over variables.
    Expr(Arc<DimExpr>),
}

/// An expression over symbolic variables, as logs print them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DimExpr {
    /// A number.
    Int(i64),
    /// A variable by name; declared in [`Kernel::variables`].
    Variable(String),
    /// Sum.
    Add(Arc<DimExpr>, Arc<DimExpr>),
    /// Product.
    Mul(Arc<DimExpr>, Arc<DimExpr>),
    /// Quotient rounded down.
    FloorDiv(Arc<DimExpr>, Arc<DimExpr>),
    /// Remainder of the division that rounds down.
    Mod(Arc<DimExpr>, Arc<DimExpr>),
    /// 1 where smaller, otherwise 0.
    Less(Arc<DimExpr>, Arc<DimExpr>),
}

/// A symbolic variable with its bounds and the value that the case binds it to (a log may leave it open).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Smallest value.
    pub min: i64,
    /// Largest value.
    pub max: i64,
    /// The value it is bound to, if any.
    pub value: Option<i64>,
    /// Whether layouts hold it bound, as a log may that was not made by tinygrad's scheduler: the kernel's name then
    /// shows the value.
    pub shown: bool,
}

/// One strided, masked view, in plain numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RawView {
    /// Size of each axis.
    pub shape: Vec<Dim>,
    /// Elements from one place to the next along each axis.
    pub strides: Vec<Dim>,
    /// Element at the origin.
    pub offset: Dim,
    /// For each axis the half-open range of places that hold an element.
    pub mask: Option<Vec<(Dim, Dim)>>,
}

/// A movement operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Movement {
    /// To another shape of the same size, in row-major order.
    Reshape(Vec<Dim>),
    /// Axis `i` of the result is axis `axes[i]`.
    Permute(Vec<usize>),
    /// Axes of size 1 are repeated.
    Expand(Vec<Dim>),
    /// Zeros before and after each axis.
    Pad(Vec<(Dim, Dim)>),
    /// The half-open range of each axis.
    Shrink(Vec<(Dim, Dim)>),
    /// Every `n`-th place of each axis; a negative step walks from the end.
    Stride(Vec<i64>),
}

/// How a load, a constant or a store sees its buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// A plain buffer of shape `base`, moved.
    Chain {
        /// Shape of the buffer, row-major.
        base: Vec<Dim>,
        /// What is done to it, first to last.
        movements: Vec<Movement>,
    },
    /// A stack of views, the buffer's first, as logs have them.
    Views(Vec<RawView>),
}

/// A constant: fixed, or the value of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Fixed.
    Constant(Constant),
    /// A variable by name.
    Variable(String),
}

/// One step of a case's kernel. Operands are numbers of earlier steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Elements of the kernel's argument number `buffer`.
    Load {
        /// Number of the argument.
        buffer: u32,
        /// Type of its elements.
        dtype: DType,
        /// How it is seen.
        layout: Layout,
    },
    /// A constant, zero where its layout is masked.
    Constant {
        /// The value.
        value: Value,
        /// Its type.
        dtype: DType,
        /// Its shape, perhaps masked.
        layout: Layout,
    },
    /// Arithmetic.
    Alu(AluOp, Vec<usize>),
    /// Conversion by value.
    Cast(DType, usize),
    /// Reinterpretation of bits.
    Bitcast(DType, usize),
    /// Reduction over axes, kept with size 1.
    Reduce(ReduceOp, usize, Vec<usize>),
    /// Writes a step to the kernel's argument number `buffer`.
    Store {
        /// Number of the argument.
        buffer: u32,
        /// Type of its elements.
        dtype: DType,
        /// How it is seen.
        layout: Layout,
        /// What is stored.
        source: usize,
    },
}

impl Step {
    /// The steps that this one works on.
    pub fn operands(&self) -> &[usize] {
        match self {
            Step::Load { .. } | Step::Constant { .. } => &[],
            Step::Alu(_, operands) => operands,
            Step::Cast(_, source) | Step::Bitcast(_, source) | Step::Reduce(_, source, _) => {
                std::slice::from_ref(source)
            }
            Step::Store { source, .. } => std::slice::from_ref(source),
        }
    }

    /// How this step sees a buffer or constant, if it does.
    pub fn layout(&self) -> Option<&Layout> {
        match self {
            Step::Load { layout, .. } | Step::Constant { layout, .. } | Step::Store { layout, .. } => Some(layout),
            _ => None,
        }
    }
}

/// What a kernel computes: steps in static single assignment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// The symbolic variables that its layouts and constants use.
    pub variables: Vec<Variable>,
    /// The steps; a step's operands come before it.
    pub steps: Vec<Step>,
}

/// How inputs are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Data {
    /// Which comparison is asked for.
    pub mode: DataMode,
    /// Seed of the values.
    pub seed: u64,
}

/// Which comparison is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataMode {
    /// Exact where the operations allow it, otherwise bounded.
    Auto,
    /// Small integers; results must be equal bit for bit.
    Exact,
    /// Values with rigorous error bounds.
    Bounded,
    /// As `Bounded`, with infinities, NaNs and negative zeros among the inputs. The kernel is lowered without the
    /// rewrites that hold for finite floats only: see [`Case::rules`].
    Special,
}

impl Case {
    /// The rules to lower this case with, where others are lowered with `rules`.
    pub fn rules(&self, rules: Rules) -> Rules {
        if self.data.mode == DataMode::Special { rules.strict_float() } else { rules }
    }
}

/// What the judges are expected to say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expect {
    /// No judge objects.
    Pass,
    /// Lowering refuses, with an error whose text contains this.
    Refused(String),
}

/// A case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Comment lines at the top, without the `;`.
    pub comments: Vec<String>,
    /// Name of the target.
    pub target: String,
    /// The kernel.
    pub kernel: Kernel,
    /// The optimisations.
    pub opts: OptPlan,
    /// How inputs are drawn.
    pub data: Data,
    /// What is expected.
    pub expect: Expect,
}

/// Why a case is no valid kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// Something about step `step` (from 0).
    #[error("step %{step}: {message}")]
    Step {
        /// Number of the step.
        step: usize,
        /// What is wrong.
        message: String,
    },
    /// Something about the case as a whole.
    #[error("{0}")]
    Case(String),
}

/// `value` as Python's `int()`, `float()` or `bool()` makes it for a type; an integer keeps its value, in the type's
/// range or not. `None` for an infinity or NaN as an integer.
pub fn constant_of_kind(value: Constant, scalar: Scalar) -> Option<Constant> {
    if scalar.is_float() || scalar == Scalar::Bool {
        return Some(value.cast(scalar));
    }
    match value {
        Constant::Float(value) => {
            // Beyond this, the conversion would saturate.
            let fits = value.abs() < 2f64.powi(126);
            fits.then_some(Constant::Int(value as i128))
        }
        other => other.as_int().map(Constant::Int),
    }
}
