//! `plumb prove`: proofs over all values, of identities of index expressions and of whole kernels.

mod kernels;

use crate::arguments::Prove;
use crate::{Failure, Outcome};
use plumb_oracle::prove::{self, Effort, Proof};
use std::io::Write;

/// Runs the command.
pub(crate) fn run(options: &Prove) -> Result<Outcome, Failure> {
    match options.what.as_slice() {
        [ranges, left, equals, right] if equals == "==" => identity(ranges, left, right),
        _ => kernels::run(options),
    }
}

/// Whether two expressions are equal for all values of their variables.
fn identity(ranges: &str, left: &str, right: &str) -> Result<Outcome, Failure> {
    let usage = |error: prove::ProveError| Failure::Usage(error.to_string());
    let proof = prove::identity(ranges, left, right, Effort::default()).map_err(usage)?;
    let mut out = std::io::stdout().lock();
    match proof {
        Proof::Proved => {
            writeln!(out, "proved")?;
            Ok(Outcome::Clean)
        }
        Proof::Refuted(values) => {
            let shown = prove::values_of_sides(ranges, left, right, &values).map_err(usage)?;
            writeln!(out, "counterexample: {shown}")?;
            Ok(Outcome::Objected)
        }
        Proof::Unknown(why) => Err(Failure::Usage(format!("unknown: {why}"))),
    }
}
