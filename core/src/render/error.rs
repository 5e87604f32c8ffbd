//! Why a kernel can't be rendered.

use super::Language;
use thiserror::Error;

/// A kernel that a language can't express, or a list of uops that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RenderError {
    /// The language lacks something.
    #[error("{language} has no {what}")]
    Unsupported {
        /// The language.
        language: Language,
        /// What it lacks.
        what: String,
    },
    /// The list breaks a rule that every lowered list keeps.
    #[error("uop {position}: {what}")]
    Malformed {
        /// Position in the list.
        position: usize,
        /// What is wrong.
        what: &'static str,
    },
}
