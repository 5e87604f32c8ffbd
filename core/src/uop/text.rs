//! The text of a list, one line a uop.

use super::{Uop, UopArg, UopList, Wmma};
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::symbolic::{Arena, Sint};
use std::fmt::{self, Write};

/// A constant as the text spells it: integers in decimal, floats by their bits, `inf`, `-inf` and `nan` by name.
struct ConstantText(Constant);

impl fmt::Display for ConstantText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Constant::Bool(value) => write!(f, "{value}"),
            Constant::Int(value) => write!(f, "{value}"),
            Constant::Float(value) if value.is_nan() => f.write_str("nan"),
            Constant::Float(value) if value.is_infinite() => f.write_str(if value > 0.0 { "inf" } else { "-inf" }),
            Constant::Float(value) => write!(f, "f:{:016x}", value.to_bits()),
        }
    }
}

/// A type, or `-` for none.
pub(super) struct DTypeText(pub(super) Option<DType>);

impl fmt::Display for DTypeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(dtype) => write!(f, "{dtype}"),
            None => f.write_str("-"),
        }
    }
}

/// Numbers with a separator between them.
struct Joined<T>(T);

impl<T: Iterator<Item: fmt::Display> + Clone> fmt::Display for Joined<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, item) in self.0.clone().enumerate() {
            if place > 0 {
                f.write_char(',')?;
            }
            write!(f, "{item}")?;
        }
        Ok(())
    }
}

/// What a uop carries, as the text spells it. Symbolic sizes need the arena of their nodes; without one they are `?`.
pub(super) struct ArgText<'a>(pub(super) &'a UopArg, pub(super) Option<&'a Arena>);

impl fmt::Display for ArgText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            UopArg::None => f.write_char('-'),
            UopArg::Alu(op) => f.write_str(op.name()),
            UopArg::Const(value) => write!(f, "{}", ConstantText(*value)),
            UopArg::Global { index, output } => write!(f, "{index}:{}", if *output { "out" } else { "in" }),
            UopArg::Local { name, size } => write!(f, "{name}:{size}"),
            UopArg::Var { name, min, max } => write!(f, "{name}[{min},{max}]"),
            UopArg::Acc { init, buffer, number } => write!(f, "{}:{buffer}:{number}", ConstantText(*init)),
            UopArg::Special { dim, name, size } => match (size, self.1) {
                (Sint::Int(size), _) => write!(f, "{dim}:{name}:{size}"),
                (size, Some(arena)) => write!(f, "{dim}:{name}:{}", arena.render_sint(*size)),
                (Sint::Node(_), None) => write!(f, "{dim}:{name}:?"),
            },
            UopArg::Range { depth, number } => write!(f, "{depth}:{number}"),
            UopArg::Lane(lane) => write!(f, "{lane}"),
            UopArg::Wmma(wmma) => {
                let Wmma { name, dims, dtype_in, dtype_out, sizes, target: _ } = &**wmma;
                let (dims, sizes) = (Joined(dims.iter()), Joined(sizes.iter()));
                write!(f, "{name}:{dims}:{}:{}:{sizes}", WmmaScalar(*dtype_in), WmmaScalar(*dtype_out))
            }
        }
    }
}

/// The element type of a matrix instruction.
struct WmmaScalar(Scalar);

impl fmt::Display for WmmaScalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl UopArg {
    /// What a uop carries, as the uop text spells it; `arena` holds the symbolic sizes.
    pub fn text(&self, arena: &Arena) -> String {
        ArgText(self, Some(arena)).to_string()
    }
}

/// One line of the text, less its number.
pub(super) fn line(uop: &Uop, arena: Option<&Arena>) -> String {
    let sources = Joined(uop.sources.iter().map(|source| source.0));
    format!("{} {} [{sources}] {}", uop.kind.name(), DTypeText(uop.dtype), ArgText(&uop.arg, arena))
}

impl UopList {
    /// The lines below the two comment lines of a kernel's text, each `number UOP dtype [sources] arg` and a line
    /// break; `arena` holds the symbolic sizes.
    pub fn text(&self, arena: &Arena) -> String {
        let mut text = String::with_capacity(self.uops.len() * 32);
        for (position, uop) in self.uops.iter().enumerate() {
            let _ = writeln!(text, "{position} {}", line(uop, Some(arena)));
        }
        text
    }
}
