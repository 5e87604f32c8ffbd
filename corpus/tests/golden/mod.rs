//! What tinygrad 0.9.0 makes of real kernels, and how far core agrees with it.
#![allow(dead_code)]

use flate2::read::GzDecoder;
use plumb_core::ast::Ast;
use plumb_core::kernel::{Opt, OptOp, OptPlan};
use plumb_core::linearize::{Lowered, lower};
use plumb_core::rule::Rules;
use plumb_core::target::{NAMES, Target};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A line of the golden data.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Number of the kernel's line.
    pub line: usize,
    pub target: String,
    pub mode: String,
    pub head: String,
    pub name: String,
    pub opts: String,
    pub digest: String,
    pub uops: usize,
}

/// The lines of a file, gzip or plain.
pub fn lines(path: &Path) -> std::io::Result<Vec<String>> {
    let file = File::open(path)?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        BufReader::new(GzDecoder::new(file)).lines().collect()
    } else {
        BufReader::new(file).lines().collect()
    }
}

/// Reads golden data.
pub fn read(path: &Path) -> std::io::Result<Vec<Golden>> {
    lines(path)?
        .iter()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line)?;
            let text = |key: &str| value[key].as_str().unwrap_or("").to_owned();
            Ok(Golden {
                line: value["i"].as_u64().unwrap_or(0) as usize,
                target: text("t"),
                mode: text("m"),
                head: text("head"),
                name: text("name"),
                opts: text("opts"),
                digest: text("d"),
                uops: value["n"].as_u64().unwrap_or(0) as usize,
            })
        })
        .collect()
}

/// The optimisations that a golden line was made with.
pub fn plan(golden: &Golden) -> OptPlan {
    match golden.mode.as_str() {
        "hand" => OptPlan::Hand,
        "noopt" => OptPlan::Required,
        _ => OptPlan::List(golden.opts.split_whitespace().filter_map(opt).collect()),
    }
}

/// `OP:axis:amount`
pub fn opt(text: &str) -> Option<Opt> {
    let mut parts = text.split(':');
    let op = OptOp::from_name(parts.next()?)?;
    let mut number = || parts.next().and_then(|part| part.parse().ok());
    Some(Opt { op, axis: number(), amount: number() })
}

/// The built-in targets by name.
pub fn targets() -> BTreeMap<&'static str, Arc<Target>> {
    NAMES.iter().filter_map(|&name| Some((name, Arc::new(Target::named(name)?)))).collect()
}

/// The AST of a line of a log.
pub fn ast(text: &str, line: usize) -> Result<Arc<Ast>, String> {
    let logged = plumb_corpus::log::parse_line(text, line + 1).map_err(|error| error.to_string())?;
    logged.kernel.ast().map(Arc::new).map_err(|error| error.to_string())
}

/// How core's result differs from a golden line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    Error(String),
    Opts(String),
    Head(String),
    Name(String),
    Digest(String),
}

/// Lowers, and compares. Also tells how long the lowering took.
pub fn compare(golden: &Golden, ast: &Arc<Ast>, target: &Arc<Target>) -> (Result<Lowered, Difference>, Duration) {
    let plan = plan(golden);
    let start = std::time::Instant::now();
    let lowered = lower(ast, target, &plan, &Rules::default());
    let time = start.elapsed();
    let lowered = match lowered {
        Ok(lowered) => lowered,
        Err(error) => return (Err(Difference::Error(error.to_string())), time),
    };
    let opts = lowered.opts();
    let expected = if golden.opts.is_empty() { "-" } else { golden.opts.as_str() };
    let result = if opts != expected {
        Err(Difference::Opts(opts))
    } else if lowered.head() != golden.head {
        Err(Difference::Head(lowered.head()))
    } else if lowered.name != golden.name {
        Err(Difference::Name(lowered.name))
    } else if lowered.digest() != golden.digest {
        Err(Difference::Digest(lowered.text()))
    } else {
        Ok(lowered)
    };
    (result, time)
}
