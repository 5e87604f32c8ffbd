//! `plumb sym`: index expressions, simplified (FORMATS.md §3).

use crate::arguments::Sym;
use crate::{Failure, Outcome};
use plumb_core::rule::Rules;
use plumb_core::symbolic::simplify_text;
use std::io::{BufRead, BufWriter, Write};

/// Runs the command.
pub(crate) fn run(options: &Sym) -> Result<Outcome, Failure> {
    let rules = options.rules.rules();
    match (options.ranges.as_str(), &options.expression) {
        ("-", None) => answer_lines(&rules),
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

/// Each line of standard input is `ranges<TAB>expression`; each is answered with one line, in order.
fn answer_lines(rules: &Rules) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::Clean;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|error| Failure::File { path: "standard input".to_owned(), error })?;
        let answer = match line.split_once('\t') {
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
