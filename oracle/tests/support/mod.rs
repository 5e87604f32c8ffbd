//! What the tests share.

#![allow(dead_code)]

use plumb_core::ast::{Ast, AstId, AstOp, Buffer};
use plumb_core::linearize::{Lowered, lower};
use plumb_core::rule::{self, Rules, State};
use plumb_core::target::Target;
use plumb_corpus::case::Case;
use plumb_corpus::source::Source;
use plumb_corpus::text::parse;
use plumb_oracle::{Finding, Subject, Verdict, judges};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reference data's file of this name, or `None`, said loudly, where the data is not at hand.
pub(crate) fn shared(name: &str) -> Option<Source> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("PLUMB_SHARED").map_or_else(beside, PathBuf::from).join("data");
    let path = folder.join(name);
    if !path.exists() {
        eprintln!("SKIPPED: no {name} in {} (set PLUMB_SHARED to the folder that holds data/)", folder.display());
        return None;
    }
    Some(Source::open(&path).unwrap_or_else(|error| panic!("{error}")))
}

/// Of a long list of things each `PLUMB_EVERY`-th is tried, by default each `default`-th.
pub(crate) fn every(default: usize) -> usize {
    std::env::var("PLUMB_EVERY").ok().and_then(|every| every.parse().ok()).unwrap_or(default).max(1)
}

/// The case of a file.
pub(crate) fn case(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    parse(&text).unwrap_or_else(|error| panic!("{}: {}", path.display(), error.show(&text)))
}

/// The `.kernel` files of a folder, in order; none where there is no such folder.
pub(crate) fn kernel_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ext| ext == "kernel")).collect();
    files.sort();
    files
}

/// What became of a case.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It was not lowered: the error's text.
    Refused(String),
    /// A judge objects.
    Failed(Finding),
    /// Nobody objects, and somebody has looked.
    Passed,
    /// Nobody could tell.
    Open(String),
}

/// The faults that a case's comments plant: lines `plant: RULE off` or `plant: RULE altered`.
pub(crate) fn plants(case: &Case) -> Vec<(&'static rule::RuleInfo, State)> {
    let plant = |line: &String| {
        let (name, state) = line.trim().strip_prefix("plant: ")?.split_once(' ')?;
        let info = rule::named(name).unwrap_or_else(|| panic!("no rule {name}"));
        let state = match state {
            "off" => State::Off,
            "altered" if info.altered.is_some() => State::Altered,
            _ => panic!("{name} can't be {state}"),
        };
        Some((info, state))
    };
    case.comments.iter().filter_map(plant).collect()
}

/// The kernel with stacked views merged where they can be, as tinygrad's scheduler hands it to the linearizer; an error's
/// text.
fn simplified(ast: &Ast) -> Result<Ast, String> {
    let mut merged = Ast::new();
    merged.symbols = ast.symbols.clone();
    let buffer = |merged: &mut Ast, id| -> Result<Buffer, String> {
        let buffer = ast.buffer(id).clone();
        let view = buffer.view.simplify(&mut merged.symbols).map_err(|error| error.to_string())?;
        Ok(Buffer { view, ..buffer })
    };
    let mut ids: Vec<AstId> = Vec::new();
    for node in ast.nodes() {
        // Sources have smaller numbers.
        let sources: Vec<AstId> = node.sources.iter().map(|source| ids[source.0 as usize]).collect();
        let id = match &node.op {
            AstOp::Load(id) | AstOp::Constant(id) => {
                let buffer = buffer(&mut merged, *id)?;
                merged.load(buffer)
            }
            AstOp::Store(id) => {
                let buffer = buffer(&mut merged, *id)?;
                merged.store(buffer, sources[0])
            }
            AstOp::Alu(op) => merged.alu(*op, &sources).map_err(|error| error.to_string())?,
            AstOp::Cast(dtype) => merged.cast(sources[0], *dtype),
            AstOp::Bitcast(dtype) => merged.bitcast(sources[0], *dtype),
            AstOp::Reduce(op, axes) => merged.reduce(*op, sources[0], axes),
        };
        ids.push(id);
    }
    Ok(merged)
}

/// Lowers a case with `rules`; an error's text.
pub(crate) fn lowered(case: &Case, rules: Rules) -> Result<Lowered, String> {
    let rules = &case.rules(rules);
    let target = Target::named(&case.target).unwrap_or_else(|| panic!("no target {}", case.target));
    let mut ast = case.kernel.ast_with(rules).map_err(|error| error.to_string())?;
    if case.comments.iter().any(|line| line.trim() == "views: simplified") {
        ast = simplified(&ast)?;
    }
    lower(&Arc::new(ast), &Arc::new(target), &case.opts, rules).map_err(|error| error.to_string())
}

/// Lowers a case with `rules` and asks all judges.
pub(crate) fn outcome(case: &Case, rules: Rules) -> Outcome {
    let lowered = match lowered(case, rules) {
        Ok(lowered) => lowered,
        Err(error) => return Outcome::Refused(error),
    };
    let mut outcome = Outcome::Open("no judge was asked".to_owned());
    for judge in judges() {
        outcome = match (judge.judge(Subject { case, lowered: &lowered }), outcome) {
            (Verdict::Fail(finding), _) => return Outcome::Failed(*finding),
            (Verdict::Pass { .. }, _) | (_, Outcome::Passed) => Outcome::Passed,
            (Verdict::Unknown(reason) | Verdict::Skipped(reason), _) => {
                Outcome::Open(format!("{}: {reason}", judge.name()))
            }
        };
    }
    outcome
}
