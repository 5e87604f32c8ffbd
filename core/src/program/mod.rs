//! The program record: what a runtime needs to know of a lowered kernel besides its source code, and about what a run
//! costs.
//!
//! [`Lowered::program`] makes it: names, launch dimensions, variables, arguments, and estimates of operations and of
//! bytes moved. What depends on variables stays an expression until [`Program::launch`] and [`Program::cost`] get values
//! for them.
//!
//! The estimates are 0.9.0's: the operations of the AST or those of the uops, whichever are fewer, and likewise the bytes.
//! The AST knows nothing of what is computed twice, the uops nothing of what stays in a cache, and they count the
//! arithmetic on indices. They are made for comparing kernels, not for billing: the AST's are those of the first output
//! alone, a buffer that is read through several views counts with one of them, and both branches of a choice count.

mod estimate;

use crate::ast::Ast;
use crate::dtype::DType;
use crate::kernel::{LowerError, NamedAxis, function_name};
use crate::linearize::Lowered;
use crate::symbolic::{Arena, Node, NodeId, Sint};
use crate::uop::{UopArg, UopKind};
pub use estimate::Estimate;

/// A lowered kernel as its runtime sees it, without its source code.
#[derive(Clone, Debug)]
pub struct Program {
    /// The kernel's name: `r_3_16_8_20`.
    pub name: String,
    /// The axes that the name lists, with what each is for.
    pub axes: Vec<NamedAxis>,
    /// The launch grid in workgroups, or in work items where there are no workgroups: three dimensions, the fastest first.
    /// `None`: the function is called once.
    pub global_size: Option<Vec<Sint>>,
    /// Work items of a workgroup in each dimension. `None`: there are no workgroups.
    pub local_size: Option<Vec<Sint>>,
    /// The variables that the function takes, in the order of its arguments, behind the buffers.
    pub variables: Vec<ProgramVariable>,
    /// The buffers that the function takes, in the order in which the uops define them. What the rewriting did away with is
    /// no argument any more.
    pub buffers: Vec<ProgramBuffer>,
    /// Arithmetic operations of one run: one for each element an operation yields, two for a fused multiplication and
    /// addition.
    pub operations: Estimate,
    /// Bytes read and written in one run.
    pub bytes: Estimate,
    arena: Arena,
}

/// A variable of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramVariable {
    /// Its name.
    pub name: String,
    /// Its smallest value.
    pub min: i64,
    /// Its largest value.
    pub max: i64,
}

/// A buffer of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramBuffer {
    /// Its number among the kernel's buffers.
    pub index: u32,
    /// Whether the kernel writes it.
    pub output: bool,
    /// A pointer to its elements, or an image.
    pub dtype: DType,
}

/// Launch dimensions in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// As [`Program::global_size`].
    pub global_size: Option<Vec<i64>>,
    /// As [`Program::local_size`].
    pub local_size: Option<Vec<i64>>,
}

/// What one run costs, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Arithmetic operations.
    pub operations: i64,
    /// Bytes read and written.
    pub bytes: i64,
}

/// Why a program can't be launched with some values of its variables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindingError {
    /// A variable has no value.
    #[error("variable {0} has no value; the launch dimensions or the cost depend on it")]
    Missing(String),
    /// A value outside the variable's bounds.
    #[error("variable {name} is {value}, which is not from {min} to {max}")]
    OutOfBounds {
        /// The variable.
        name: String,
        /// The value it was given.
        value: i64,
        /// Its smallest value.
        min: i64,
        /// Its largest value.
        max: i64,
    },
    /// A number left 64 bits.
    #[error("{0} does not fit in 64 bits")]
    Overflow(String),
}

impl Lowered {
    /// The program record; `ast` is what was lowered.
    ///
    /// # Errors
    /// Where a view of the AST can't be indexed, and where an estimate does not fit in 64 bits.
    pub fn program(&self, ast: &Ast) -> Result<Program, LowerError> {
        let mut arena = self.arena.clone();
        let (operations, bytes) = estimate::estimates(self, ast, &mut arena)?;
        let mut variables = Vec::new();
        let mut buffers = Vec::new();
        for uop in &self.uops.uops {
            match (&uop.kind, &uop.arg, uop.dtype) {
                (UopKind::DefineVar, UopArg::Var { name, min, max }, _) => {
                    variables.push(ProgramVariable { name: name.to_string(), min: *min, max: *max });
                }
                (UopKind::DefineGlobal, &UopArg::Global { index, output }, Some(dtype)) => {
                    buffers.push(ProgramBuffer { index, output, dtype });
                }
                _ => {}
            }
        }
        Ok(Program {
            name: self.name.clone(),
            axes: self.axes.clone(),
            global_size: self.global_size.clone(),
            local_size: self.local_size.clone(),
            variables,
            buffers,
            operations,
            bytes,
            arena,
        })
    }
}

impl Program {
    /// The name of the function, see [`function_name`]; `suffix` is what makes it unique
    /// ([`UniqueNames`](crate::kernel::UniqueNames)).
    pub fn function_name(&self, suffix: &str) -> String {
        function_name(&self.name) + suffix
    }

    /// How many of [`Program::buffers`] are written.
    pub fn output_count(&self) -> usize {
        self.buffers.iter().filter(|buffer| buffer.output).count()
    }

    /// Launch dimensions for these values of the variables, by name.
    ///
    /// # Errors
    /// Where a variable that they depend on has no value or one outside its bounds, and where a dimension leaves 64 bits.
    pub fn launch(&self, value: &dyn Fn(&str) -> Option<i64>) -> Result<Launch, BindingError> {
        let numbers = |sizes: &Option<Vec<Sint>>| match sizes {
            Some(sizes) => sizes.iter().map(|&size| self.number(size, value)).collect::<Result<_, _>>().map(Some),
            None => Ok(None),
        };
        Ok(Launch { global_size: numbers(&self.global_size)?, local_size: numbers(&self.local_size)? })
    }

    /// What a run with these values of the variables costs: by the AST or by the uops, whichever is less for these values.
    /// (0.9.0 settles which one by the bounds of the variables, for all values, see [`Estimate::estimate`].)
    ///
    /// # Errors
    /// As [`Program::launch`].
    pub fn cost(&self, value: &dyn Fn(&str) -> Option<i64>) -> Result<Cost, BindingError> {
        let least = |estimate: &Estimate| {
            let ast = self.number(estimate.ast, value)?;
            Ok(match estimate.uops {
                Some(uops) => ast.min(self.number(uops, value)?),
                None => ast,
            })
        };
        Ok(Cost { operations: least(&self.operations)?, bytes: least(&self.bytes)? })
    }

    /// A size or an estimate of this program as text: `(v*8)`.
    pub fn text(&self, value: Sint) -> String {
        self.arena.render_sint(value)
    }

    /// The variables that [`Program::launch`] and [`Program::cost`] depend on, by name. Not all of them need be arguments of
    /// the function.
    pub fn free_variables(&self) -> Vec<ProgramVariable> {
        let launch = self.global_size.iter().chain(&self.local_size).flatten().copied();
        let estimates = [self.operations, self.bytes].into_iter();
        let estimates = estimates.flat_map(|estimate| [estimate.ast, estimate.uops.unwrap_or(Sint::Int(0))]);
        let mut found: Vec<ProgramVariable> = Vec::new();
        for size in launch.chain(estimates) {
            let Sint::Node(node) = size else { continue };
            for variable in self.arena.variables(node) {
                let Node::Variable(number) = self.arena.node(variable) else { continue };
                let info = self.arena.variable_info(*number);
                if !found.iter().any(|found| found.name == info.name) {
                    let max = self.arena.largest(info.max);
                    found.push(ProgramVariable { name: info.name.clone(), min: info.min, max });
                }
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// The number that a size or an estimate of this program is, for these values of the variables.
    ///
    /// # Errors
    /// As [`Program::launch`].
    pub fn number(&self, size: Sint, value: &dyn Fn(&str) -> Option<i64>) -> Result<i64, BindingError> {
        let node = match size {
            Sint::Int(number) => return Ok(number),
            Sint::Node(node) => node,
        };
        for variable in self.arena.variables(node) {
            self.check_binding(variable, value)?;
        }
        self.arena.evaluate(node, value).ok_or_else(|| BindingError::Overflow(self.arena.render(node)))
    }

    fn check_binding(&self, variable: NodeId, value: &dyn Fn(&str) -> Option<i64>) -> Result<(), BindingError> {
        let Node::Variable(number) = self.arena.node(variable) else { return Ok(()) };
        let info = self.arena.variable_info(*number);
        let Some(bound) = value(&info.name).or(info.value) else {
            return Err(BindingError::Missing(info.name.clone()));
        };
        let max = self.arena.largest(info.max);
        if (info.min..=max).contains(&bound) {
            return Ok(());
        }
        Err(BindingError::OutOfBounds { name: info.name.clone(), value: bound, min: info.min, max })
    }
}
