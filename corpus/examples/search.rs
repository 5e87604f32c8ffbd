//! What trying optimisations costs: making a kernel's state, copying it, and listing what a search may try next.
//!
//! `cargo run --release -p plumb-corpus --example search -- KERNELS [every N] [target T]`
#![allow(clippy::print_stdout)]

use plumb_core::kernel::Kernel;
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use plumb_corpus::source::Source;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The least time of several.
fn least<T>(mut work: impl FnMut() -> T) -> Duration {
    let times = (0..15).map(|_| {
        let started = Instant::now();
        black_box(work());
        started.elapsed()
    });
    times.min().unwrap_or_default()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, options @ ..] = &args[..] else { return Err("search KERNELS [every N] [target T]".into()) };
    let value = |name: &str| options.iter().position(|option| option == name).and_then(|place| options.get(place + 1));
    let every = value("every").map_or(Ok(1), |text| text.parse::<usize>())?.max(1);
    let name = value("target").map_or("metal", String::as_str);
    let target = Arc::new(Target::named(name).ok_or_else(|| format!("there is no target {name}"))?);
    let source = Source::open(Path::new(file))?;
    let (mut kernels, mut actions) = (0u32, 0usize);
    let (mut created, mut copied, mut listed) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for piece in source.pieces().into_iter().step_by(every) {
        let ast = Arc::new(piece.read()?.kernel().ast()?);
        let rules = Rules::default();
        let Ok(kernel) = Kernel::new(&ast, &target, &rules) else { continue };
        kernels += 1;
        created += least(|| Kernel::new(&ast, &target, &rules));
        copied += least(|| kernel.clone());
        listed += least(|| kernel.actions());
        actions += kernel.actions().len();
    }
    let each = |time: Duration| time.as_nanos() as f64 / f64::from(kernels.max(1)) / 1000.0;
    println!("{kernels} kernels for {name}, µs a kernel (the least of 15):");
    println!("  {:8.2}  a state made of an AST", each(created));
    println!("  {:8.2}  a state copied: {:.1} times as fast", each(copied), each(created) / each(copied).max(1e-9));
    println!("  {:8.2}  a list of actions: {actions} apply, of 141 candidates each", each(listed));
    Ok(())
}
