//! Files of kernels: cases or logs, plain or gzip, told apart by what is in them and never by their names.
//!
//! ```
//! use plumb_corpus::source::Source;
//!
//! let source = Source::from_bytes(b"plumb case 1\ntarget clang\n%0 = load f32 buf1 (4)\nstore f32 buf0 (4) %0\n".to_vec())?;
//! for piece in source.pieces() {
//!     match piece.read() {
//!         Ok(content) => println!("{}: {} steps", piece.line, content.kernel().steps.len()),
//!         Err(error) => println!("{}", error.show(&source.text())),
//!     }
//! }
//! # Ok::<(), plumb_corpus::source::SourceError>(())
//! ```

use crate::case::{Case, Data, DataMode, Expect, Kernel};
use crate::log::{self, Logged};
use crate::text::{self, ParseError};
use flate2::read::MultiGzDecoder;
use plumb_core::kernel::OptPlan;
use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes that a file may hold, unpacked; beyond this it is no file of kernels.
pub const MAX_BYTES: u64 = 1 << 32;

/// What every gzip file begins with.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Why a file can't be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The file can't be opened or read.
    #[error("can't read {path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file begins as gzip but is not, or ends early.
    #[error("can't unpack: {0}")]
    Gzip(io::Error),
    /// The file is larger than [`MAX_BYTES`].
    #[error("more than {MAX_BYTES} bytes")]
    TooLarge,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Kernels as tinygrad logs them, one a line.
    Log,
    /// Cases, each from its version line on.
    Cases,
}

/// A file of kernels.
#[derive(Clone, Debug)]
pub struct Source {
    bytes: Vec<u8>,
    format: Format,
}

/// The text of one kernel of a file.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Its number in the file, from 0; blank lines do not count.
    pub number: usize,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// What it is.
    pub format: Format,
    bytes: &'a [u8],
}

/// A kernel of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A line of a log.
    Logged(Logged),
    /// A case.
    Case(Case),
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// Where nothing of it can be read. What is wrong with a single kernel is told by [`Piece::read`].
    pub fn open(path: &Path) -> Result<Source, SourceError> {
        let io_error = |error| SourceError::Io { path: path.to_owned(), error };
        let file = std::fs::File::open(path).map_err(io_error)?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(io_error)?;
        Source::from_bytes(bytes)
    }

    /// A file's bytes, perhaps gzip.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Source, SourceError> {
        let bytes = if bytes.starts_with(&GZIP_MAGIC) { unpack(&bytes)? } else { bytes };
        if bytes.len() as u64 > MAX_BYTES {
            return Err(SourceError::TooLarge);
        }
        let first = lines(&bytes).find(|line| !line.is_empty() && !line.starts_with(b";"));
        let format = if first.is_some_and(begins_case) { Format::Cases } else { Format::Log };
        Ok(Source { bytes, format })
    }

    /// What the file holds. An empty one counts as a log.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The whole text, for [`ParseError::show`].
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// The kernels of the file, not yet parsed: each can be read by itself, and none stands in the way of another.
    pub fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces: Vec<Piece<'_>> = Vec::new();
        let mut push = |line: usize, begin: usize, end: usize| {
            let number = pieces.len();
            let bytes = self.bytes.get(begin..end).unwrap_or(&[]);
            pieces.push(Piece { number, line, format: self.format, bytes });
        };
        // Where the case that is being passed begins, and whether its version line has been passed.
        let mut open: Option<(usize, usize, bool)> = None;
        let mut begin = 0;
        for (index, line) in self.bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let end = begin + line.len();
            let line = line.trim_ascii();
            match (self.format, open) {
                (Format::Log, _) if !line.is_empty() => push(index + 1, begin, end),
                (Format::Log, _) => {}
                (Format::Cases, Some((first, from, true))) if begins_case(line) => {
                    push(first, from, begin);
                    open = Some((index + 1, begin, true));
                }
                (Format::Cases, Some((first, from, _))) if begins_case(line) => open = Some((first, from, true)),
                (Format::Cases, None) if !line.is_empty() => open = Some((index + 1, begin, begins_case(line))),
                (Format::Cases, _) => {}
            }
            begin = end;
        }
        if let Some((first, from, _)) = open {
            push(first, from, begin);
        }
        pieces
    }
}

impl Piece<'_> {
    /// Parses the kernel.
    ///
    /// # Errors
    /// The first thing that is wrong with it, with its line in the file and column.
    pub fn read(&self) -> Result<Content, ParseError> {
        let text = std::str::from_utf8(self.bytes).map_err(|error| self.not_utf8(error.valid_up_to()))?;
        match self.format {
            Format::Log => log::parse_line(text.trim_end(), self.line).map(Content::Logged),
            Format::Cases => text::parse_at(text, self.line).map(Content::Case),
        }
    }

    fn not_utf8(&self, at: usize) -> ParseError {
        let before = String::from_utf8_lossy(self.bytes.get(..at).unwrap_or(&[]));
        let line = self.line + before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        ParseError { line, column, length: 1, message: "expected UTF-8 text".to_owned() }
    }
}

impl Content {
    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        match self {
            Content::Logged(logged) => &logged.kernel,
            Content::Case(case) => &case.kernel,
        }
    }

    /// The optimisations that stand with it; `None` for a log's line without any.
    pub fn plan(&self) -> Option<OptPlan> {
        match self {
            Content::Logged(logged) => logged.opts.clone().map(OptPlan::List),
            Content::Case(case) => Some(case.opts.clone()),
        }
    }

    /// The case; one from a log gets `target`, its own optimisations or else tinygrad's choice, and seed 0.
    pub fn into_case(self, target: &str) -> Case {
        match self {
            Content::Case(case) => case,
            Content::Logged(Logged { kernel, opts }) => Case {
                comments: Vec::new(),
                target: target.to_owned(),
                kernel,
                opts: opts.map_or(OptPlan::Hand, OptPlan::List),
                data: Data { mode: DataMode::Auto, seed: 0 },
                expect: Expect::Pass,
            },
        }
    }
}

/// The `.kernel` files in a folder and the folders below it, in order of their paths; `path` itself where it is a file.
///
/// # Errors
/// A folder that can't be read.
pub fn kernel_files(path: &Path) -> Result<Vec<PathBuf>, SourceError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let io_error = |error| SourceError::Io { path: folder.clone(), error };
        for entry in std::fs::read_dir(&folder).map_err(io_error)? {
            let entry = entry.map_err(io_error)?;
            // Links are not followed, as they may lead in circles.
            if entry.file_type().map_err(io_error)?.is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|extension| extension == "kernel") {
                files.push(entry.path());
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn unpack(bytes: &[u8]) -> Result<Vec<u8>, SourceError> {
    let mut unpacked = Vec::new();
    let decoder = MultiGzDecoder::new(bytes);
    decoder.take(MAX_BYTES + 1).read_to_end(&mut unpacked).map_err(SourceError::Gzip)?;
    Ok(unpacked)
}

/// The lines, without blanks around them.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii)
}

/// Whether a line is the version line of a case, of whatever version.
fn begins_case(line: &[u8]) -> bool {
    let rest = line.trim_ascii_start().strip_prefix(b"plumb");
    rest.is_some_and(|rest| rest.trim_ascii_start().len() < rest.len() || rest.is_empty())
}
