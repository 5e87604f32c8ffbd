//! `plumb sweep`: generated cases, many of them.

use super::batch::{Prepared, judge_all};
use crate::arguments::Sweep;
use crate::{Failure, Outcome};
use plumb_corpus::generate;
use std::time::Instant;

/// Cases of a sweep that is given neither a number nor a time.
const DEFAULT_CASES: u64 = 1000;

/// Runs the command.
pub(crate) fn run(options: &Sweep) -> Result<Outcome, Failure> {
    let cases = match (options.cases, options.time) {
        (Some(cases), _) => Some(cases),
        (None, Some(_)) => None,
        (None, None) => Some(DEFAULT_CASES),
    };
    let shard = options.shard;
    let numbers = (0..cases.unwrap_or(u64::MAX)).skip((shard.part - 1) as usize).step_by(shard.parts as usize);
    let total = cases.map(|cases| (cases + shard.parts - shard.part) / shard.parts);
    let started = Instant::now();
    let seed = options.seed;
    judge_all(
        &options.judging,
        total,
        numbers,
        |number| Prepared {
            origin: format!("sweep --seed {seed}, case {number}"),
            case: Ok(generate::case(seed, number)),
        },
        || options.time.is_some_and(|time| started.elapsed() >= time),
    )
}
