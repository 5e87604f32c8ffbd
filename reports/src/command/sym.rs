//! `plumb sym`: index expressions, simplified (FORMATS.md §3).

use crate::arguments::Sym;
use crate::{Failure, Outcome};
use plumb_core::rule::Rules;
use plumb_core::symbolic::simplify_text;
use plumb_oracle::symbolic::{self, Symbolic};
use std::io::{BufRead, BufWriter, Write};

/// Runs the command.
pub(crate) fn run(options: &Sym) -> Result<Outcome, Failure> {
    let rules = options.rules.rules();
    match (options.ranges.as_str(), &options.expression) {
        ("-", None) => answer_lines(options, &rules),
        (ranges, Some(expression)) if options.check => checked(ranges, expression, &rules),
        (ranges, Some(expression)) => {
            let answer = simplify_text(ranges, expression, &rules)
                .map_err(|error| Failure::Usage(format!("{expression}: {error}")))?;
            writeln!(std::io::stdout(), "{answer}")?;
            Ok(Outcome::Clean)
        }
        (_, None) => Err(Failure::Usage(
            "an expression is missing: plumb sym 'x[0,9] y[0,3]' '((x*4+y)//4)%3', or `plumb sym -` for lines of \
             standard input"
                .to_owned(),
        )),
    }
}

/// The answer to one expression, compared with enumeration.
fn checked(ranges: &str, expression: &str, rules: &Rules) -> Result<Outcome, Failure> {
    let mut out = std::io::stdout();
    match symbolic::check(ranges, expression, rules) {
        Ok(Symbolic::Same { points, whole, answer }) => {
            writeln!(out, "{answer}")?;
            let part = if whole { "all of them" } else { "drawn at random" };
            eprintln!("the same at {points} points at which it has a value, {part}");
            Ok(Outcome::Clean)
        }
        Ok(Symbolic::Refused(reason)) => Err(Failure::Usage(format!("{expression}: {reason}"))),
        Err(finding) => {
            writeln!(out, "WRONG: {}", finding.message)?;
            Ok(Outcome::Objected)
        }
    }
}

/// Each line of standard input is `ranges<TAB>expression`; each is answered with one line, in order.
fn answer_lines(options: &Sym, rules: &Rules) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::Clean;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|error| Failure::File { path: "standard input".to_owned(), error })?;
        let answer = match line.split_once('\t') {
            Some((ranges, expression)) if options.check => match symbolic::check(ranges, expression, rules) {
                Ok(Symbolic::Same { answer, .. }) => Ok(answer),
                Ok(Symbolic::Refused(reason)) => Err(reason),
                Err(finding) => {
                    writeln!(out, "WRONG: {}", finding.message)?;
                    outcome = if outcome == Outcome::BadInput { outcome } else { Outcome::Objected };
                    continue;
                }
            },
            Some((ranges, expression)) => simplify_text(ranges, expression, rules).map_err(|error| error.to_string()),
            None => Err("expected ranges, a tab, and an expression".to_owned()),
        };
        match answer {
            Ok(answer) => writeln!(out, "{answer}")?,
            Err(message) => {
                outcome = Outcome::BadInput;
                writeln!(out, "error: {message}")?;
                eprintln!("plumb: line {}: {message}", number + 1);
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}
