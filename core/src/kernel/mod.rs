//! The state of a kernel under optimisation: its buffers' views, permuted and split as optimisations demand, and the
//! optimisations themselves with their legality checks.
//!
//! [`Kernel::new`] reads an AST, moves the reduced axes behind the others and merges what can be merged.
//! [`Kernel::apply_opt`] applies one [`Opt`] or refuses it, by a named [`OptCheck`], and then leaves the kernel as it
//! was. [`Kernel::hand_coded_optimizations`] and [`Kernel::apply_tensor_cores`] choose optimisations by themselves;
//! [`Kernel::actions`] lists those that a search may try next.
//!
//! The axes of every view stand in this order: launch grid (`blue`), lanes (`cyan`), lanes that share a reduction
//! (`green`, for images also `white`), reduce loops (`red`), then the upcasted ones, unrolled reduce axes (`magenta`)
//! and outputs (`yellow`), as [`Kernel::axis_kinds`] tells.

mod actions;
mod alias;
mod apply;
mod axes;
mod axis_kind;
mod check;
mod construct;
mod dims;
mod direct;
mod error;
mod heuristics;
mod limit;
mod movement;
mod name;
mod opt;
mod padding;
mod plan;
mod simplify;
mod state;
mod tensor_core;
mod unique;
mod upcast;

pub use axis_kind::AxisKind;
pub use check::OptCheck;
pub use error::{LowerError, OptError};
pub use name::NamedAxis;
pub use opt::{Opt, OptOp, OptPlan};
pub use state::{Kernel, KernelBuffer, TensorCoreOpts};
pub use unique::{UniqueNames, function_name};
