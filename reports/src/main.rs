//! `plumb`: the command line.

mod arguments;
mod command;
mod dot;
mod finding;
mod input;
mod judging;
mod progress;
mod record;
mod stages;
mod summary;
mod terminal;

use clap::Parser;
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing failed.
    Clean,
    /// A judge objected.
    Objected,
    /// Part of the input could not be read.
    BadInput,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Clean => 0,
            Outcome::Objected => 1,
            Outcome::BadInput => 2,
        })
    }
}

/// Why a command could not run: the call or the environment is wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The call is wrong.
    #[error("{0}")]
    Usage(String),
    /// A file can't be read or written.
    #[error("{path}: {error}")]
    File {
        /// Which file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// Standard output is closed or full.
    #[error("can't write the output: {0}")]
    Output(#[from] std::io::Error),
}

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    match command::run(arguments) {
        Ok(outcome) => outcome.into(),
        // Whoever reads our output (`head`, a pager) may stop early: that is no error of ours.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("plumb: {failure}");
            ExitCode::from(2)
        }
    }
}
