//! `plumb render`: the source code of kernels.

use crate::arguments::Render;
use crate::input::{self, Entry};
use crate::judging::Judging;
use crate::{Failure, Outcome};
use plumb_core::render::{Language, render};
use plumb_core::target::Target;
use std::io::{BufWriter, Write};
use std::sync::Arc;

/// Runs the command.
pub(crate) fn run(options: &Render) -> Result<Outcome, Failure> {
    let judging = Judging::new(&[], options.rules.rules()).map_err(Failure::Usage)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut outcome = Outcome::Clean;
    let inputs = input::open(&options.files)?;
    for entry in inputs.iter().flat_map(|input| input.entries()) {
        if options.kernel.is_some_and(|kernel| entry.number() != kernel) {
            continue;
        }
        match text(&judging, &entry, options) {
            Ok(text) => writeln!(out, "// {}: {text}", entry.origin())?,
            Err(message) => {
                let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
                writeln!(out, "// {}: error: {message}\n", entry.origin())?;
                eprintln!("plumb: {}: {message}", entry.origin());
                outcome = Outcome::BadInput;
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}

fn text(judging: &Judging, entry: &Entry<'_>, options: &Render) -> Result<String, String> {
    let case = entry.case(&options.lowering)?;
    let ast = Arc::new(case.kernel.ast().map_err(|error| error.to_string())?);
    let rules = case.rules(options.rules.rules());
    let lowered = judging.lower_ast(&ast, &case.target, &case.opts, &rules).map_err(|error| error.to_string())?;
    let own = || Target::named(&case.target).map(|target| Language::of(&target));
    let language = options.language.or_else(own).ok_or_else(|| format!("there is no target {}", case.target))?;
    let source = render(&lowered, language, None).map_err(|error| error.to_string())?;
    Ok(format!("{} {} opts {} in {language}\n{}", lowered.name, lowered.head(), lowered.opts(), source.text()))
}
