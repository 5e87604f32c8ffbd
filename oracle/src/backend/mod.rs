//! Backends: a kernel's source code, compiled and run, against the reference.
//!
//! A backend finds its compiler or driver at run time and says what is missing where there is none. What it runs, it
//! runs in a process of its own with limits on time and memory: a crash or a hang is a finding, and the sweep goes on.

mod cc;
mod judge;
mod memory;
mod process;

pub use cc::Cc;
pub use judge::BackendJudge;
pub use memory::{Argument, arguments};

use crate::Oracle;
use plumb_core::linearize::Lowered;
use plumb_core::render::Language;

/// A kernel to run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The kernel.
    pub lowered: &'a Lowered,
    /// Its arguments in the order of the rendered parameters: buffers by number, then variables.
    pub arguments: &'a [Argument],
}

/// What a backend found on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Compiler, driver or device, with its version.
    pub version: String,
}

/// What a backend lacks on this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} ({install})")]
pub struct Missing {
    /// What was looked for.
    pub what: String,
    /// What to install.
    pub install: &'static str,
}

/// Why a kernel has no results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The backend is not there.
    #[error("{0}")]
    Missing(#[from] Missing),
    /// The language lacks something: a short phrase by which skips are counted.
    #[error("{0}")]
    Unsupported(String),
    /// The compiler refuses the source.
    #[error("the compiler refuses the source: {0}")]
    Refused(String),
    /// The kernel, or what runs it, crashed.
    #[error("crashed: {0}")]
    Crashed(String),
    /// It ran for longer than it may.
    #[error("ran for more than {0} s")]
    TimedOut(u64),
    /// Files or processes can't be made here.
    #[error("{0}")]
    Environment(String),
}

/// Something that compiles and runs kernels.
pub trait Backend: Send + Sync {
    /// Its name in options and reports.
    fn name(&self) -> &'static str;

    /// One sentence on what it does.
    fn description(&self) -> &'static str;

    /// The language that it takes.
    fn language(&self) -> Language;

    /// How many kernels are best compiled together.
    fn batch(&self) -> usize;

    /// Looks for what it needs.
    ///
    /// # Errors
    /// Where that is not there.
    fn find(&self) -> Result<Found, Missing>;

    /// Runs kernels: for each the contents of its output buffers afterwards, in the order of its parameters.
    fn run(&self, jobs: &[Job<'_>]) -> Vec<Result<Vec<Vec<u8>>, BackendError>>;
}

/// All backends, found or not.
///
/// A new backend implements [`Backend`] in a file of its own and is listed here.
pub fn backends() -> Vec<Box<dyn Backend>> {
    vec![Box::new(Cc::default())]
}

/// The backends as judges, which are asked by name.
pub fn backend_judges() -> Vec<Box<dyn Oracle>> {
    backends().into_iter().map(|backend| Box::new(BackendJudge::new(backend)) as Box<dyn Oracle>).collect()
}
