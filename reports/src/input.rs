//! What the commands read: case files and logs, one kernel after the other.

use crate::Failure;
use crate::arguments::{LoweringOptions, PlanChoice};
use plumb_core::kernel::OptPlan;
use plumb_corpus::case::Case;
use plumb_corpus::source::{Format, Piece, Source, SourceError};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The target for which the kernels of a log are lowered, where none is asked for.
const DEFAULT_TARGET: &str = "opencl";

/// A file that was opened: its name as it was given, and what it holds.
pub(crate) struct Input {
    name: String,
    source: Source,
}

/// A kernel of a file, not read yet.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    input: &'a Input,
    piece: Piece<'a>,
    /// Whether the file holds nothing else.
    alone: bool,
}

/// Opens all files. One that can't be opened ends the command before anything is done with the others.
pub(crate) fn open(files: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    files.iter().map(|file| open_one(file)).collect()
}

fn open_one(file: &Path) -> Result<Input, Failure> {
    if file != Path::new("-") {
        let name = file.display().to_string();
        let source = Source::open(file).map_err(|error| match error {
            SourceError::Io { error, .. } => Failure::File { path: name.clone(), error },
            other => Failure::Usage(format!("{name}: {other}")),
        })?;
        return Ok(Input { name, source });
    }
    let name = "standard input".to_owned();
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Failure::File { path: name.clone(), error })?;
    let source = Source::from_bytes(bytes).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    Ok(Input { name, source })
}

impl Input {
    /// The kernels of the file, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let pieces = self.source.pieces();
        let alone = pieces.len() == 1;
        pieces.into_iter().map(move |piece| Entry { input: self, piece, alone })
    }
}

impl Entry<'_> {
    /// Number of the kernel in its file, from 0.
    pub(crate) fn number(&self) -> usize {
        self.piece.number
    }

    /// Where the kernel stands, for people.
    pub(crate) fn origin(&self) -> String {
        if self.alone { self.input.name.clone() } else { format!("{} kernel {}", self.input.name, self.piece.number) }
    }

    /// The case to judge: for the target and with the optimisations that are asked for. Where it can't be read: what
    /// is wrong, with the place.
    pub(crate) fn case(&self, options: &LoweringOptions) -> Result<Case, String> {
        let content = self.piece.read().map_err(|error| match self.piece.format {
            // A log's line may be megabytes long: no use in showing it.
            Format::Log => error.to_string(),
            Format::Cases => error.show(&self.input.source.text()),
        })?;
        let plan = match &options.opts {
            None => None,
            Some(PlanChoice::Logged) => Some(content.plan().unwrap_or(OptPlan::Required)),
            Some(PlanChoice::Plan(plan)) => Some(plan.clone()),
        };
        let mut case = content.into_case(options.target.as_deref().unwrap_or(DEFAULT_TARGET));
        if let Some(target) = &options.target {
            case.target.clone_from(target);
        }
        if let Some(plan) = plan {
            case.opts = plan;
        }
        // A case's text was checked as it was read; a log's line was not.
        case.check().map_err(|error| error.to_string())?;
        Ok(case)
    }
}
