//! `plumb uops`: what kernels are lowered to (FORMATS.md §2).

use crate::arguments::Uops;
use crate::input::{self, Entry};
use crate::judging::Judging;
use crate::stages::{self, Subject};
use crate::{Failure, Outcome, dot, record, terminal};
use plumb_core::kernel::UniqueNames;
use plumb_core::linearize;
use plumb_core::uop::UopWorkspace;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What lowering took, over all kernels.
#[derive(Default)]
struct Timing {
    kernels: usize,
    uops: usize,
    time: Duration,
    /// The memory that kernels are lowered in, one after the other.
    workspace: UopWorkspace,
}

/// Runs the command.
pub(crate) fn run(options: &Uops) -> Result<Outcome, Failure> {
    let judging = Judging::new(&[], options.rules.rules()).map_err(Failure::Usage)?;
    let mut out = terminal::stdout();
    let mut outcome = Outcome::Clean;
    let mut timing = Timing::default();
    let mut names = UniqueNames::new();
    let inputs = input::open(&options.files)?;
    for entry in inputs.iter().flat_map(|input| input.entries()) {
        let number = entry.number();
        if options.kernel.is_some_and(|kernel| number != kernel) {
            continue;
        }
        match print(&judging, &entry, options, &mut names, &mut timing) {
            Ok(text) => out.write_all(text.as_bytes())?,
            Err(Refusal { kind, message, unreadable }) => {
                let message: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
                match options {
                    Uops { json: true, .. } => {
                        let error = serde_json::json!({ "kernel": number, "error": kind, "message": message });
                        writeln!(out, "{error}")?;
                    }
                    Uops { digest: true, .. } => writeln!(out, "{number} error {kind} {message}")?,
                    Uops { dot: true, .. } => writeln!(out, "// {number} error {kind} {message}")?,
                    _ => writeln!(out, "; {number} error {kind} {message}")?,
                }
                if unreadable {
                    outcome = Outcome::BadInput;
                    eprintln!("plumb: {}: {message}", entry.origin());
                }
            }
        }
    }
    out.flush()?;
    if options.timing {
        eprintln!("lowered {} kernels, {} uops in {:.6} s", timing.kernels, timing.uops, timing.time.as_secs_f64());
    }
    Ok(outcome)
}

struct Refusal {
    kind: String,
    message: String,
    unreadable: bool,
}

impl Refusal {
    fn invalid(message: String, unreadable: bool) -> Refusal {
        Refusal { kind: "Invalid".to_owned(), message, unreadable }
    }
}

/// What is printed of one kernel.
fn print(
    judging: &Judging,
    entry: &Entry<'_>,
    options: &Uops,
    names: &mut UniqueNames,
    timing: &mut Timing,
) -> Result<String, Refusal> {
    let case = entry.case(&options.lowering).map_err(|message| Refusal::invalid(message, true))?;
    let ast = Arc::new(case.kernel.ast().map_err(|error| Refusal::invalid(error.to_string(), false))?);
    let rules = case.rules(options.rules.rules());
    if options.stages {
        let target = judging.target(&case.target).map_err(|error| Refusal::invalid(error.to_string(), false))?;
        let origin = entry.origin();
        let subject = Subject { origin: &origin, ast: &ast, target, plan: &case.opts, rules: &rules };
        return Ok(stages::show(&subject, names) + "\n");
    }
    let started = Instant::now();
    let lowered = judging
        .target(&case.target)
        .and_then(|target| linearize::lower_with(&ast, target, &case.opts, &rules, &mut timing.workspace));
    timing.time += started.elapsed();
    timing.kernels += 1;
    let lowered = lowered.map_err(|error| Refusal {
        kind: error.kind().to_owned(),
        message: error.to_string(),
        unreadable: false,
    })?;
    timing.uops += lowered.uops.uops.len();
    let number = entry.number();
    match options {
        Uops { digest: true, .. } => {
            let (name, head, digest) = (&lowered.name, lowered.head(), lowered.digest());
            Ok(format!("{number} {name} {head} {digest} {} {}\n", lowered.uops.uops.len(), lowered.opts()))
        }
        Uops { dot: true, .. } => Ok(dot::graph(&lowered, &entry.origin())),
        Uops { json: true, .. } => {
            let program = lowered.program(&ast).map_err(|error| Refusal {
                kind: error.kind().to_owned(),
                message: error.to_string(),
                unreadable: false,
            })?;
            Ok(format!("{}\n", record::json(number, &case.target, &lowered, &program, names)))
        }
        _ => Ok(lowered.text() + "\n"),
    }
}
