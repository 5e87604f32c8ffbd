//! `plumb backends`: what can compile and run kernels on this machine.

use crate::{Failure, Outcome};
use plumb_oracle::backend::backends;
use std::io::Write;

/// Runs the command.
pub(crate) fn run() -> Result<Outcome, Failure> {
    let mut out = std::io::stdout().lock();
    for backend in backends() {
        let state = match backend.find() {
            Ok(found) => found.version,
            Err(missing) => format!("missing: {missing}"),
        };
        writeln!(out, "{:<10} {state}", backend.name())?;
        writeln!(out, "{:<10} {}", "", backend.description())?;
    }
    Ok(Outcome::Clean)
}
