//! What is left of a finding: a file and the command that replays it without libFuzzer.

use plumb_corpus::case::Case;
use plumb_corpus::text;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The environment variable that names the folder for findings.
pub const FOLDER: &str = "PLUMB_FINDINGS";

/// What is wrong.
#[derive(Clone, Debug)]
pub struct Finding {
    /// In a sentence.
    pub message: String,
    /// What it is wrong with.
    pub about: About,
}

/// What a finding is about.
#[derive(Clone, Debug)]
pub enum About {
    /// A case, and the judge that objects.
    Case(Box<Case>, &'static str),
    /// A text whose message says all.
    Text(String),
}

impl Finding {
    /// What a person reads: the message, and how to see it again. A case is saved into `folder`.
    pub fn report(&self, target: &str, folder: &Path) -> String {
        let Finding { message, about } = self;
        match about {
            About::Case(case, judge) => match save(case, message, target, folder) {
                Ok(path) => format!("{message}\n  replay: plumb check {} --oracles {judge}", path.display()),
                Err(error) => format!("{message}\n  not saved in {}: {error}\n{}", folder.display(), text::print(case)),
            },
            About::Text(text) => format!("{message}\n  of: {text:?}"),
        }
    }
}

/// The folder for findings: what the environment says, or `findings`.
pub fn folder() -> PathBuf {
    std::env::var_os(FOLDER).map_or_else(|| PathBuf::from("findings"), PathBuf::from)
}

fn save(case: &Case, message: &str, target: &str, folder: &Path) -> std::io::Result<PathBuf> {
    let mut case = case.clone();
    let digest = Sha256::digest(text::print(&case).as_bytes());
    let short: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let line: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
    case.comments = vec![format!("found by the fuzz target {target}"), line];
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("fuzz-{target}-{short}.kernel"));
    std::fs::write(&path, text::print(&case))?;
    Ok(path)
}
