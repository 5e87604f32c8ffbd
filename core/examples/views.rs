//! Answers chains of movements on standard input, one line each, with the views that they lead to and what is asked of
//! them; what can't be answered as `error message`. For `core/tools/fuzz_views.py`; `tests/view_support` says what a line
//! looks like.

#[path = "../tests/view_support/mod.rs"]
mod view_support;

use std::io::{BufRead, Write};
use view_support::Reader;

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        match Reader::answer(&line?) {
            Ok(text) => writeln!(out, "{text}")?,
            Err(error) => writeln!(out, "error {error}")?,
        }
    }
    out.flush()
}
