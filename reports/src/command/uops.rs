//! `plumb uops`: what kernels are lowered to (FORMATS.md §2).

use crate::arguments::Uops;
use crate::input::{self, Entry};
use crate::judging::Judging;
use crate::{Failure, Outcome};
use plumb_core::kernel::Opt;
use plumb_core::linearize::Lowered;
use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What lowering took, over all kernels.
#[derive(Default)]
struct Timing {
    kernels: usize,
    uops: usize,
    time: Duration,
}

/// Runs the command.
pub(crate) fn run(options: &Uops) -> Result<Outcome, Failure> {
    let judging = Judging::new(&[], options.rules.rules()).map_err(Failure::Usage)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut outcome = Outcome::Clean;
    let mut timing = Timing::default();
    let inputs = input::open(&options.files)?;
    for entry in inputs.iter().flat_map(|input| input.entries()) {
        let number = entry.number();
        if options.kernel.is_some_and(|kernel| number != kernel) {
            continue;
        }
        match lower(&judging, &entry, options, &mut timing) {
            Ok(lowered) => print(&mut out, number, &lowered, options.digest)?,
            Err(Refusal { kind, message, unreadable }) => {
                let message: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
                writeln!(out, "{}{number} error {kind} {message}", if options.digest { "" } else { "; " })?;
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

fn lower(judging: &Judging, entry: &Entry<'_>, options: &Uops, timing: &mut Timing) -> Result<Lowered, Refusal> {
    let invalid = |message: String, unreadable| Refusal { kind: "Invalid".to_owned(), message, unreadable };
    let case = entry.case(&options.lowering).map_err(|message| invalid(message, true))?;
    let ast = Arc::new(case.kernel.ast().map_err(|error| invalid(error.to_string(), false))?);
    let started = Instant::now();
    let lowered = judging.lower_ast(&ast, &case.target, &case.opts, &case.rules(options.rules.rules()));
    timing.time += started.elapsed();
    timing.kernels += 1;
    match lowered {
        Ok(lowered) => {
            timing.uops += lowered.uops.uops.len();
            Ok(lowered)
        }
        Err(error) => Err(Refusal { kind: error.kind().to_owned(), message: error.to_string(), unreadable: false }),
    }
}

fn print(out: &mut impl Write, number: usize, lowered: &Lowered, digest: bool) -> std::io::Result<()> {
    if !digest {
        return writeln!(out, "{}", lowered.text());
    }
    let opts = match lowered.applied.is_empty() {
        true => "-".to_owned(),
        false => lowered.applied.iter().map(Opt::to_string).collect::<Vec<_>>().join(" "),
    };
    let (name, head, digest, count) = (&lowered.name, lowered.head(), lowered.digest(), lowered.uops.uops.len());
    writeln!(out, "{number} {name} {head} {digest} {count} {opts}")
}
