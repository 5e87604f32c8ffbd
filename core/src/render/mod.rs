//! Source code: a lowered kernel in the language of a compiler.
//!
//! [`render`] walks the list of uops once, in order; what differs between languages stands in a [`Language`]'s table.
//! The text means exactly what the uops mean: integers wrap in their own width, short floats are rounded after each
//! operation, a conversion of a float that the integer type can't hold saturates, a quotient by zero is zero, `MAX`
//! passes NaN on. What a language can't say is a [`RenderError`] that names it.
//!
//! Every name in the text is ours: types are spelled as in the uop text (`f32`, `u8x4`) and declared at the head, user
//! variables carry a prefix, so that none of them can clash with a loop variable or a word of the language.

mod body;
mod c_family;
mod error;
mod inline;
mod name;
mod printer;
mod ranges;
mod walk;

pub use error::RenderError;

use crate::dtype::DType;
use crate::linearize::Lowered;
use crate::target::Target;
use std::fmt;

/// A language that kernels can be rendered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// C11 with the vector extensions of gcc and clang. A launch grid becomes loops.
    C,
    /// OpenCL C 1.2.
    OpenCl,
    /// CUDA C++.
    Cuda,
    /// HIP C++ without its headers.
    Hip,
    /// Metal Shading Language 2.3.
    Metal,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 5] = [Language::C, Language::OpenCl, Language::Cuda, Language::Hip, Language::Metal];

    /// The name users give.
    pub const fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::OpenCl => "opencl",
            Language::Cuda => "cuda",
            Language::Hip => "hip",
            Language::Metal => "metal",
        }
    }

    /// The language with this [name](Language::name).
    pub fn from_name(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.name() == name)
    }

    /// The language of a target: that of its name, C for one without workgroups, else OpenCL.
    pub fn of(target: &Target) -> Language {
        let name = target.name.strip_suffix(crate::target::IMAGE_BORDER).unwrap_or(&target.name);
        match Language::from_name(name) {
            Some(language) => language,
            None if target.has_local => Language::OpenCl,
            None => Language::C,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An argument of a rendered kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A pointer to a buffer, or an image.
    Buffer {
        /// Number of the kernel argument.
        index: u32,
        /// Pointer or image.
        dtype: DType,
        /// Whether the kernel writes it.
        output: bool,
    },
    /// A symbolic variable, an `i32`.
    Variable {
        /// Its place among the variables.
        number: usize,
        /// Its name in the kernel.
        name: String,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
}

/// A rendered kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What the function needs before it: headers, types, helper functions, each once. Several kernels of a language
    /// share a file by joining these without repetition.
    pub declarations: Vec<String>,
    /// The function.
    pub function: String,
    /// Its name.
    pub entry: String,
    /// Its arguments, in order: buffers by number, then variables in the order of the list.
    pub parameters: Vec<Parameter>,
}

impl Source {
    /// The whole text.
    pub fn text(&self) -> String {
        let mut text = self.declarations.concat();
        text.push_str(&self.function);
        text
    }
}

/// The kernel as source code. Its function has the kernel's name, or this one.
///
/// # Errors
/// Where the language lacks something that the kernel needs.
pub fn render(lowered: &Lowered, language: Language, entry: Option<&str>) -> Result<Source, RenderError> {
    let entry = entry.map_or_else(|| name::identifier(&lowered.name), str::to_owned);
    walk::walk(lowered, c_family::CFamily::new(language), entry)
}
