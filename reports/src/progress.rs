//! Progress of long work: a bar on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How often a plain line says how far the work is.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Shows on standard error how far the work is.
pub(crate) struct Progress {
    bar: ProgressBar,
    plain: bool,
    last_line: Instant,
    started: Instant,
}

impl Progress {
    /// Work of `total` cases, or of unknown length.
    pub(crate) fn new(total: Option<u64>) -> Progress {
        let plain = !std::io::stderr().is_terminal();
        let bar = match total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::new_spinner(),
        };
        bar.set_draw_target(if plain { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() });
        let template = if total.is_some() {
            "{bar:32.cyan/dim} {human_pos}/{human_len} cases  {per_sec}  {eta} left  {msg}"
        } else {
            "{spinner:.cyan} {human_pos} cases  {per_sec}  {elapsed} gone  {msg}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar, plain, last_line: Instant::now(), started: Instant::now() }
    }

    /// Counts `cases` more, `failures` in all so far.
    pub(crate) fn advance(&mut self, cases: u64, failures: u64) {
        self.bar.inc(cases);
        if failures > 0 {
            self.bar.set_message(format!("{failures} failed"));
        }
        if self.plain && self.last_line.elapsed() >= PLAIN_INTERVAL {
            self.last_line = Instant::now();
            let done = self.bar.position();
            let of = self.bar.length().map_or_else(String::new, |total| format!(" of {total}"));
            eprintln!("plumb: {done}{of} cases, {failures} failed, {} s", self.started.elapsed().as_secs());
        }
    }

    /// Runs `print` with the bar out of the way.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
