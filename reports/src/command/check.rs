//! `plumb check`: the kernels of case files and logs.

use super::batch::{Prepared, judge_all};
use crate::arguments::Check;
use crate::input::{self, Entry};
use crate::{Failure, Outcome};

/// Runs the command.
pub(crate) fn run(options: &Check) -> Result<Outcome, Failure> {
    let inputs = input::open(&options.files)?;
    let asked = |entry: &Entry<'_>| {
        options.first.is_none_or(|first| entry.number() < first)
            && options.every.is_none_or(|every| entry.number().is_multiple_of(every))
            && options.kernel.is_none_or(|kernel| entry.number() == kernel)
    };
    let entries: Vec<Entry<'_>> = inputs.iter().flat_map(|input| input.entries()).filter(asked).collect();
    if entries.is_empty() {
        return Err(Failure::Usage(
            "there is no kernel to judge in these files, or none of the number asked for".to_owned(),
        ));
    }
    judge_all(
        &options.judging,
        Some(entries.len() as u64),
        entries.into_iter(),
        |entry| Prepared { origin: entry.origin(), case: entry.case(&options.lowering) },
        || false,
    )
}
