//! Lowering: from a kernel's state to its list of uops.
//!
//! [`lower`] does it all; [`Kernel::linearize`](crate::kernel::Kernel::linearize) starts from a kernel whose
//! optimisations are chosen. The axes of the kernel become index variables: the launch grid's and the lanes', reduce
//! loops', and those of upcasted axes, over which every access is *expanded*: one uop for each value. Each buffer's view
//! turns the indices into one index expression and one valid, which are rendered as uops; on top of the loads the AST
//! is evaluated, element by element.
//!
//! A reduction runs in one or two stages. In the second, a workgroup's lanes leave their partial results in local
//! memory and the first lane combines them.

mod border;
mod driver;
mod evaluate;
mod expand;
mod group;
mod image;
mod launch;
mod load;
mod lowered;
mod objects;
mod reduce;
mod render;
mod state;
mod step;
mod store;
mod tensor_core;
mod trace;

pub use driver::{Built, lower, lower_with};
pub use lowered::Lowered;
pub use step::LowerStep;
pub use trace::{AccessKind, Trace, TracedAccess};
