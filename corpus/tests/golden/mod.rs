//! What tinygrad 0.9.0 makes of real kernels, and how far core agrees with it.
#![allow(dead_code)]

use plumb_core::ast::Ast;
use plumb_core::kernel::{Opt, OptOp, OptPlan};
use plumb_core::linearize::{LowerStep, Lowered, lower};
use plumb_core::rule::{Rules, State};
use plumb_core::target::{NAMES, Target};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A line of the golden data.
#[derive(Clone, Debug)]
pub(crate) struct Golden {
    /// Number of the kernel's line.
    pub(crate) line: usize,
    pub(crate) target: String,
    pub(crate) mode: String,
    pub(crate) head: String,
    pub(crate) name: String,
    pub(crate) opts: String,
    pub(crate) digest: String,
    pub(crate) uops: usize,
}

/// Golden data.
pub(crate) fn parse(text: &str) -> impl Iterator<Item = Golden> {
    text.lines().filter_map(|line| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value[key].as_str().unwrap_or("").to_owned();
        Some(Golden {
            line: usize::try_from(value["i"].as_u64()?).ok()?,
            target: text("t"),
            mode: text("m"),
            head: text("head"),
            name: text("name"),
            opts: text("opts"),
            digest: text("d"),
            uops: usize::try_from(value["n"].as_u64()?).ok()?,
        })
    })
}

/// The optimisations that a golden line was made with.
pub(crate) fn plan(golden: &Golden) -> OptPlan {
    match golden.mode.as_str() {
        "hand" => OptPlan::Hand,
        "noopt" => OptPlan::Required,
        _ => OptPlan::List(golden.opts.split_whitespace().filter_map(opt).collect()),
    }
}

/// `OP:axis:amount`
pub(crate) fn opt(text: &str) -> Option<Opt> {
    let mut parts = text.split(':');
    let op = OptOp::from_name(parts.next()?)?;
    let mut number = || parts.next().and_then(|part| part.parse().ok());
    Some(Opt { op, axis: number(), amount: number() })
}

/// The built-in targets by name.
pub(crate) fn targets() -> BTreeMap<&'static str, Arc<Target>> {
    NAMES.iter().filter_map(|&name| Some((name, Arc::new(Target::named(name)?)))).collect()
}

/// The AST of a line of a log.
pub(crate) fn ast(text: &str, line: usize) -> Result<Arc<Ast>, String> {
    let logged = plumb_corpus::log::parse_line(text, line + 1).map_err(|error| error.to_string())?;
    logged.kernel.ast().map(Arc::new).map_err(|error| error.to_string())
}

/// How core's result differs from a golden line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    Error(String),
    Opts(String),
    Head(String),
    Name(String),
    Digest(String),
}

/// The rules with those of 0.9.0's faults that can be switched on, to see that nothing else differs.
pub(crate) fn faults_of_tinygrad() -> Rules {
    Rules::default()
        .with(LowerStep::NeverStored, State::Off)
        .with(LowerStep::WholePixels, State::Off)
        .with(LowerStep::OneLane, State::Off)
        .with(LowerStep::Alignment, State::Altered)
}

/// Lowers by `rules`, and compares. Also tells how long the lowering took.
pub(crate) fn compare(
    golden: &Golden,
    ast: &Arc<Ast>,
    target: &Arc<Target>,
    rules: &Rules,
) -> (Result<Lowered, Difference>, Duration) {
    let plan = plan(golden);
    let start = std::time::Instant::now();
    let lowered = lower(ast, target, &plan, rules);
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
