//! What a person gets of a failing case: a file that anyone can replay, and the command that does it.

use crate::Failure;
use crate::judging::CaseReport;
use plumb_corpus::case::Case;
use plumb_corpus::text;
use plumb_oracle::FindingKind;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Saves `case` below `folder`, with what the judges object to as comments, and answers where.
///
/// The name is made of the judge, the kind of fault and the case itself, so that the same finding is one file.
pub(crate) fn save(folder: &Path, case: &Case, report: &CaseReport, origin: &str) -> Result<PathBuf, Failure> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error| Failure::File { path, error }
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    let digest = Sha256::digest(text::print(case).as_bytes());
    let short: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let (oracle, kind) = report.findings().next().map_or(("none", "none"), |f| (f.oracle, kind_name(f.kind)));
    let path = folder.join(format!("{oracle}-{kind}-{short}.kernel"));
    let mut annotated = case.clone();
    annotated.comments.insert(0, format!("found in {origin}"));
    for (place, finding) in report.findings().enumerate() {
        let line: String = finding.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        annotated.comments.insert(place + 1, line);
    }
    std::fs::write(&path, text::print(&annotated)).map_err(failed(&path))?;
    Ok(path)
}

/// The kind in file names and JSON: `wrong-value`.
pub(crate) fn kind_name(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::WrongValue => "wrong-value",
        FindingKind::OutOfBounds => "out-of-bounds",
        FindingKind::UninitialisedRead => "uninitialised-read",
        FindingKind::Race => "race",
        FindingKind::DivergentBarrier => "divergent-barrier",
        FindingKind::OutputCoverage => "output-coverage",
        FindingKind::Lowering => "lowering",
        FindingKind::Malformed => "malformed",
        FindingKind::Compilation => "compilation",
        FindingKind::Crash => "crash",
        FindingKind::Panic => "panic",
        _ => "other",
    }
}
