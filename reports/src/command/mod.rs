//! The commands, one file each.

mod backends;
mod batch;
mod check;
mod count;
mod prove;
mod render;
mod rules;
mod sweep;
mod sym;
mod uops;

use crate::arguments::{Arguments, Command};
use crate::{Failure, Outcome};

/// Runs the command that was asked for.
pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Failure> {
    match arguments.command {
        Command::Sweep(options) => sweep::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Uops(options) => uops::run(&options),
        Command::Render(options) => render::run(&options),
        Command::Sym(options) => sym::run(&options),
        Command::Prove(options) => prove::run(&options),
        Command::Backends => backends::run(),
        Command::ProveWorker => {
            plumb_oracle::prove::worker::serve(std::io::stdin().lock(), std::io::stdout().lock())?;
            Ok(Outcome::Clean)
        }
        Command::Rules(options) => rules::run(&options),
    }
}
