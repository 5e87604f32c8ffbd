//! What a language contributes to the [walk](super::walk): the text of each kind of value and statement.

use super::body::Body;
use super::{Parameter, RenderError};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::uop::{IndexName, Wmma};

/// Memory that a load or store touches.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Its name in the text.
    pub(super) name: String,
    /// Pointer or image.
    pub(super) dtype: DType,
    /// Whether a workgroup shares it.
    pub(super) local: bool,
}

/// A language. Operands are expressions that can stand anywhere (names, calls, or in parentheses), and so are results.
pub(super) trait Printer {
    /// The lines that are being written.
    fn body(&mut self) -> &mut Body;

    /// Declares a value and gives it a name.
    fn bind(&mut self, name: &str, dtype: DType, value: &str) -> Result<(), RenderError>;

    /// Declares an accumulator.
    fn accumulator(&mut self, name: &str, dtype: DType, value: &str) -> Result<(), RenderError>;

    /// Gives an accumulator its new value.
    fn assign(&mut self, name: &str, value: &str);

    /// A constant of a scalar type.
    fn constant(&mut self, value: Constant, scalar: Scalar) -> Result<String, RenderError>;

    /// Arithmetic on scalars of type `scalar` (a comparison: of its operands). `small`: neither operands nor result
    /// can leave the type.
    fn alu(&mut self, op: AluOp, scalar: Scalar, operands: &[&str], small: bool) -> Result<String, RenderError>;

    /// A scalar converted by value.
    fn cast(&mut self, from: Scalar, to: Scalar, value: &str) -> Result<String, RenderError>;

    /// The bits of a scalar as another type of the same size.
    fn bitcast(&mut self, from: Scalar, to: Scalar, value: &str) -> Result<String, RenderError>;

    /// A vector of these lanes.
    fn vector(&mut self, scalar: Scalar, lanes: &[String]) -> Result<String, RenderError>;

    /// One lane of a vector.
    fn lane(&mut self, vector: DType, value: &str, lane: u8) -> Result<String, RenderError>;

    /// What lies at `index`; only where `gate` holds, else the alternative.
    fn load(
        &mut self,
        memory: &Memory,
        dtype: DType,
        index: &str,
        gate: Option<(&str, &str)>,
    ) -> Result<String, RenderError>;

    /// Stores `value` at `index`, only where `gate` holds.
    fn store(
        &mut self,
        memory: &Memory,
        index: &str,
        value: (DType, &str),
        gate: Option<&str>,
    ) -> Result<(), RenderError>;

    /// A matrix instruction over a warp.
    fn matrix(&mut self, wmma: &Wmma, dtype: DType, operands: [&str; 3]) -> Result<String, RenderError>;

    /// Defines an index of the launch grid, below `size` where that is a number, under its name.
    fn special(&mut self, dim: u32, name: IndexName, size: Option<i64>) -> Result<String, RenderError>;

    /// Defines memory shared by a workgroup.
    fn local(&mut self, name: &str, scalar: Scalar, size: i64) -> Result<(), RenderError>;

    /// All lanes wait.
    fn barrier(&mut self) -> Result<(), RenderError>;

    /// Opens a loop from `start` to below `end`.
    fn open_loop(&mut self, name: &str, start: &str, end: &str);

    /// Opens a block for lanes for which `condition` holds.
    fn open_if(&mut self, condition: &str);

    /// Name under which a parameter is known in the text.
    fn parameter(&mut self, parameter: &Parameter) -> Result<String, RenderError>;

    /// The declarations, and the function that follows them.
    fn finish(self, entry: &str, parameters: &[Parameter]) -> Result<(Vec<String>, String), RenderError>;
}
