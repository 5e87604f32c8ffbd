//! The languages that descend from C: one printer, and a [`Dialect`] for each.
//!
//! What an operation means beyond the language's own operator (saturation, rounding of short floats, division by zero)
//! is a small function at the head of the text, there only if the kernel uses it.

mod arithmetic;
mod convert;
mod dialect;
mod helpers;
mod literal;
mod matrix;
mod memory;
mod types;

use super::body::Body;
use super::name::identifier;
use super::printer::{Memory, Printer};
use super::{Language, Parameter, RenderError};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::uop::{IndexName, Wmma};
use dialect::Dialect;
use helpers::Helpers;

/// Prints one kernel.
pub(super) struct CFamily {
    dialect: &'static Dialect,
    body: Body,
    /// Memory of the workgroup, declared at the head of the function.
    locals: String,
    types: types::Types,
    helpers: Helpers,
    images: bool,
}

impl CFamily {
    /// For a kernel in this language.
    pub(super) fn new(language: Language) -> CFamily {
        CFamily {
            dialect: dialect::of(language),
            body: Body::default(),
            locals: String::new(),
            types: types::Types::default(),
            helpers: Helpers::default(),
            images: false,
        }
    }

    fn unsupported<T>(&self, what: impl Into<String>) -> Result<T, RenderError> {
        Err(RenderError::Unsupported { language: self.dialect.language, what: what.into() })
    }
}

impl Printer for CFamily {
    fn body(&mut self) -> &mut Body {
        &mut self.body
    }

    fn bind(&mut self, name: &str, dtype: DType, value: &str) -> Result<(), RenderError> {
        let dtype = self.value_type(dtype)?;
        self.body.line(&format!("const {dtype} {name} = {value};"));
        Ok(())
    }

    fn accumulator(&mut self, name: &str, dtype: DType, value: &str) -> Result<(), RenderError> {
        let dtype = self.value_type(dtype)?;
        self.body.line(&format!("{dtype} {name} = {value};"));
        Ok(())
    }

    fn assign(&mut self, name: &str, value: &str) {
        self.body.line(&format!("{name} = {value};"));
    }

    fn constant(&mut self, value: Constant, scalar: Scalar) -> Result<String, RenderError> {
        self.literal(value, scalar)
    }

    fn alu(&mut self, op: AluOp, scalar: Scalar, operands: &[&str], small: bool) -> Result<String, RenderError> {
        self.arithmetic(op, scalar, operands, small)
    }

    fn cast(&mut self, from: Scalar, to: Scalar, value: &str) -> Result<String, RenderError> {
        self.convert(from, to, value)
    }

    fn bitcast(&mut self, from: Scalar, to: Scalar, value: &str) -> Result<String, RenderError> {
        self.reinterpret(from, to, value)
    }

    fn vector(&mut self, scalar: Scalar, lanes: &[String]) -> Result<String, RenderError> {
        self.make_vector(scalar, lanes)
    }

    fn lane(&mut self, vector: DType, value: &str, lane: u8) -> Result<String, RenderError> {
        self.vector_lane(vector, value, lane)
    }

    fn load(
        &mut self,
        memory: &Memory,
        dtype: DType,
        index: &str,
        gate: Option<(&str, &str)>,
    ) -> Result<String, RenderError> {
        let value = self.read(memory, dtype, index)?;
        Ok(match gate {
            // Only the branch that is taken is evaluated, in every one of these languages.
            Some((gate, alternative)) => format!("({gate} ? {value} : {alternative})"),
            None => value,
        })
    }

    fn store(
        &mut self,
        memory: &Memory,
        index: &str,
        value: (DType, &str),
        gate: Option<&str>,
    ) -> Result<(), RenderError> {
        let statements = self.write(memory, index, value)?;
        match gate {
            Some(gate) => {
                self.body.open(&format!("if ({gate}) {{"));
                statements.iter().for_each(|statement| self.body.line(statement));
                self.body.close();
            }
            None => statements.iter().for_each(|statement| self.body.line(statement)),
        }
        Ok(())
    }

    fn matrix(&mut self, wmma: &Wmma, dtype: DType, operands: [&str; 3]) -> Result<String, RenderError> {
        self.matrix_instruction(wmma, dtype, operands)
    }

    fn special(&mut self, dim: u32, name: IndexName, size: Option<i64>) -> Result<String, RenderError> {
        let i32_type = self.scalar_type(Scalar::I32)?;
        let Some(launch) = &self.dialect.launch else {
            // No lanes that run at once: the grid is a loop, its lanes one after another.
            let Some(size) = size else { return self.unsupported("launch grid of a symbolic size") };
            let name = name.to_string();
            self.open_loop(&name, "0", &size.to_string());
            return Ok(name);
        };
        let axis = usize::try_from(dim).ok();
        let index = match name {
            IndexName::Global(_) => &launch.workgroup,
            IndexName::Local(_) => &launch.lane,
            IndexName::Flat(_) => &launch.item,
        };
        let Some(index) = axis.and_then(|axis| index.get(axis)) else {
            return self.unsupported(format!("launch dimension {dim}"));
        };
        let size = size.map_or_else(|| "symbolic".to_owned(), |size| size.to_string());
        self.body.line(&format!("const {i32_type} {name} = ({i32_type}){index}; /* {size} */"));
        Ok(name.to_string())
    }

    fn local(&mut self, name: &str, scalar: Scalar, size: i64) -> Result<(), RenderError> {
        let Some(launch) = &self.dialect.launch else { return self.unsupported("memory shared by a workgroup") };
        let element = self.stored_type(scalar)?;
        self.locals.push_str(&format!("  {} {element} {name}[{size}];\n", launch.local));
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), RenderError> {
        let Some(launch) = &self.dialect.launch else { return self.unsupported("barrier") };
        self.body.line(launch.barrier);
        Ok(())
    }

    fn open_loop(&mut self, name: &str, start: &str, end: &str) {
        self.types.use_scalar(Scalar::I32);
        self.body.open(&format!("for (i32 {name} = {start}; {name} < {end}; {name}++) {{"));
    }

    fn open_if(&mut self, condition: &str) {
        self.body.open(&format!("if ({condition}) {{"));
    }

    fn parameter(&mut self, parameter: &Parameter) -> Result<String, RenderError> {
        Ok(match parameter {
            Parameter::Buffer { index, dtype, .. } => {
                match dtype {
                    DType::Image(_) if self.dialect.image.is_none() => return self.unsupported("images"),
                    DType::Image(_) => self.images = true,
                    dtype => drop(self.stored_type(dtype.scalar())?),
                }
                format!("data{index}")
            }
            Parameter::Variable { number, name, .. } => {
                self.types.use_scalar(Scalar::I32);
                format!("v{number}_{}", identifier(name))
            }
        })
    }

    fn finish(mut self, entry: &str, parameters: &[Parameter]) -> Result<(Vec<String>, String), RenderError> {
        let mut arguments = Vec::with_capacity(parameters.len() + self.dialect.extra_arguments.len());
        for (place, parameter) in parameters.iter().enumerate() {
            let name = self.parameter(parameter)?;
            let argument = match parameter {
                Parameter::Buffer { dtype: DType::Image(_), output, .. } => match &self.dialect.image {
                    Some(image) => format!("{} {name}", if *output { image.writable } else { image.readable }),
                    None => return self.unsupported("images"),
                },
                Parameter::Buffer { dtype, output, .. } => {
                    let element = self.stored_type(dtype.scalar())?;
                    let (space, restrict) = (self.dialect.global, self.dialect.restrict);
                    format!("{space}{}{element} *{restrict}{name}", if *output { "" } else { "const " })
                }
                Parameter::Variable { .. } => format!("{} {name}", self.dialect.variable),
            };
            let image = matches!(parameter, Parameter::Buffer { dtype: DType::Image(_), .. });
            arguments.push((self.dialect.attribute)(&argument, place, image));
        }
        arguments.extend(self.dialect.extra_arguments.iter().map(|&argument| argument.to_owned()));
        let mut declarations = vec![self.dialect.head.to_owned()];
        if self.types.uses(Scalar::F64) {
            declarations.push(self.dialect.double_head.to_owned());
        }
        declarations.extend(self.types.texts(self.dialect));
        if let (true, Some(image)) = (self.images, &self.dialect.image) {
            declarations.push(image.helpers.to_owned());
        }
        declarations.extend(self.helpers.into_texts());
        declarations.retain(|declaration| !declaration.is_empty());
        let (kernel, body) = (self.dialect.kernel, self.body.finish());
        let arguments = arguments.join(", ");
        Ok((declarations, format!("{kernel} {entry}({arguments}) {{\n{}{body}}}\n", self.locals)))
    }
}
