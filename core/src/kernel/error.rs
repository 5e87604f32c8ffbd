//! Why a kernel or an optimisation is refused.

use super::{Opt, OptCheck};
use crate::shape::ShapeError;
use crate::symbolic::SymbolicError;

/// Why an optimisation is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptError {
    /// A check refused it.
    #[error("{}: {message}", .check.info().name)]
    Refused {
        /// The check.
        check: OptCheck,
        /// What it found.
        message: String,
    },
    /// A view can't be moved as the optimisation demands.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// With the check switched off that would have refused it, the optimisation leads to no state that a kernel can
    /// have.
    #[error("impossible: {0}")]
    Impossible(String),
}

impl From<SymbolicError> for OptError {
    fn from(error: SymbolicError) -> OptError {
        OptError::Shape(error.into())
    }
}

/// Why a kernel can't be lowered.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The AST is none that a kernel can have: no store, two reductions, shapes that differ, …
    #[error("invalid kernel: {0}")]
    Invalid(String),
    /// Nothing is known to be wrong with the kernel, but it can't be lowered.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// An optimisation of the plan is refused.
    #[error("{opt}: {error}")]
    Opt {
        /// Which one.
        opt: Opt,
        /// Why.
        error: Box<OptError>,
    },
    /// An optimisation that the heuristics chose is refused.
    #[error("heuristics: {0}")]
    Heuristic(Box<OptError>),
    /// A view can't be moved or indexed.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The uop graph is wrong.
    #[error(transparent)]
    Uop(#[from] crate::uop::UopError),
}

impl From<SymbolicError> for LowerError {
    fn from(error: SymbolicError) -> LowerError {
        LowerError::Shape(error.into())
    }
}

impl LowerError {
    /// One word for the error lines of `plumb uops --digest`; a refused optimisation is a `KernelOptError`, as in
    /// 0.9.0.
    pub fn kind(&self) -> &'static str {
        match self {
            LowerError::Invalid(_) => "Invalid",
            LowerError::Unsupported(_) => "Unsupported",
            LowerError::Opt { error, .. } | LowerError::Heuristic(error) => match **error {
                OptError::Refused { .. } => "KernelOptError",
                OptError::Shape(_) => "ShapeError",
                OptError::Impossible(_) => "Impossible",
            },
            LowerError::Shape(_) => "ShapeError",
            LowerError::Uop(_) => "UopError",
        }
    }
}
