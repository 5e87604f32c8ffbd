//! Answers `ranges<TAB>expression` lines on standard input, one line each, as `plumb sym -` does; what can't be answered
//! as `error column C: message`. For `core/tools/fuzz_symbolic.py`.

use plumb_core::rule::Rules;
use plumb_core::symbolic::simplify_text;
use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (ranges, expression) = line.split_once('\t').unwrap_or(("", &line));
        match simplify_text(ranges, expression, &Rules::default()) {
            Ok(text) => writeln!(out, "{text}")?,
            Err(error) => writeln!(out, "error {error}")?,
        }
    }
    out.flush()
}
