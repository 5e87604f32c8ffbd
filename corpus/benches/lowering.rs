//! How fast kernels are lowered: real ones, as a whole and by phase, and a family that doubles in size.
//!
//! `cargo bench -p plumb-corpus`. One thread; reading the kernels, and freeing what comes out, is not measured. Criterion
//! tells the mean, with what the machine does besides; the line below it is of the fastest round.
#![allow(missing_docs, clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
mod support;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use plumb_core::ast::Ast;
use plumb_core::kernel::{Kernel, OptPlan};
use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use plumb_corpus::source::{Source, kernel_files};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// Every kernel of the log of real kernels or, without it, of the captured ones.
fn real_kernels() -> Result<Vec<Arc<Ast>>, Failure> {
    let sources = match support::data("sops.gz") {
        Some(text) => vec![Source::from_bytes(text.into_bytes())?],
        None => {
            eprintln!("measured instead: the captured kernels of corpus/kernels");
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
            kernel_files(&folder)?.iter().map(|path| Source::open(path)).collect::<Result<_, _>>()?
        }
    };
    let read = |piece: plumb_corpus::source::Piece<'_>| -> Result<Arc<Ast>, Failure> {
        Ok(Arc::new(piece.read()?.kernel().ast()?))
    };
    sources.iter().flat_map(Source::pieces).map(read).collect()
}

/// Adds up `terms` products of neighbouring elements, four of them at a time.
fn family(terms: usize) -> Result<Arc<Ast>, Failure> {
    use std::fmt::Write;
    let mut text = String::from("plumb case 1\ntarget opencl\n%0 = load f32 buf1 (64)\n");
    for term in 1..=terms {
        let (load, sum) = (2 * term - 1, 2 * term);
        writeln!(text, "%{load} = load f32 buf{} (64)", term + 1)?;
        writeln!(text, "%{sum} = add %{} %{load}", sum - 2)?;
    }
    writeln!(text, "store f32 buf0 (64) %{}", 2 * terms)?;
    Ok(Arc::new(plumb_corpus::text::parse(&text)?.kernel.ast()?))
}

/// What lowering consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    State,
    Lowering,
    Ordering,
    All,
}

/// The time that `phase` takes for the kernel.
fn time(ast: &Arc<Ast>, target: &Arc<Target>, phase: Phase) -> Option<Duration> {
    let mut start = Instant::now();
    if phase == Phase::All {
        let lowered = lower(ast, target, &OptPlan::Hand, &Rules::default()).ok()?;
        let time = start.elapsed();
        drop(lowered);
        return Some(time);
    }
    let mut kernel = Kernel::new(ast, target, &Rules::default()).ok()?;
    kernel.apply_plan(&OptPlan::Hand).ok()?;
    if phase == Phase::State {
        return Some(start.elapsed());
    }
    start = Instant::now();
    let built = kernel.build().ok()?;
    if phase == Phase::Lowering {
        return Some(start.elapsed());
    }
    start = Instant::now();
    let lowered = built.finish().ok()?;
    let time = start.elapsed();
    drop(lowered);
    Some(time)
}

/// Measures one phase of lowering these kernels, and prints what the fastest round makes a kernel and a uop.
fn measure(criterion: &mut Criterion, id: BenchmarkId, asts: &[Arc<Ast>], phase: Phase) {
    let Some(target) = Target::named("opencl").map(Arc::new) else { return eprintln!("SKIPPED: no target opencl") };
    let fastest = Cell::new(Duration::MAX);
    let mut group = criterion.benchmark_group("lowering");
    group.sample_size(10).sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(asts.len() as u64));
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|rounds| {
            let mut total = Duration::ZERO;
            for _ in 0..rounds {
                let round = asts.iter().filter_map(|ast| time(ast, &target, phase)).sum();
                fastest.set(fastest.get().min(round));
                total += round;
            }
            total
        });
    });
    group.finish();
    // A filter may have left this one out.
    if fastest.get() == Duration::MAX {
        return;
    }
    let rules = Rules::default();
    let count =
        |ast: &Arc<Ast>| lower(ast, &target, &OptPlan::Hand, &rules).map_or(0, |lowered| lowered.uops.uops.len());
    let uops: usize = asts.iter().map(count).sum();
    let micros = fastest.get().as_secs_f64() * 1e6;
    println!(
        "    {} kernels, {uops} uops: {:.0} kernels/s, {:.2} µs a kernel, {:.4} µs a uop\n",
        asts.len(),
        asts.len() as f64 / micros * 1e6,
        micros / asts.len() as f64,
        micros / uops as f64
    );
}

fn real(criterion: &mut Criterion) {
    let asts = match real_kernels() {
        Ok(asts) => asts,
        Err(error) => return eprintln!("SKIPPED: the real kernels can't be read: {error}"),
    };
    let phases = [
        ("all", Phase::All),
        ("1 state and optimisations", Phase::State),
        ("2 lowering to a graph", Phase::Lowering),
        ("3 rewriting and ordering", Phase::Ordering),
    ];
    for (name, phase) in phases {
        measure(criterion, BenchmarkId::new("real kernels", name), &asts, phase);
    }
}

fn doubling(criterion: &mut Criterion) {
    for terms in (0..9).map(|power| 8 << power) {
        match family(terms) {
            Ok(ast) => measure(criterion, BenchmarkId::new("sum of buffers", terms), &[ast], Phase::All),
            Err(error) => eprintln!("SKIPPED: a sum of {terms} buffers: {error}"),
        }
    }
}

criterion_group!(benches, real, doubling);
criterion_main!(benches);
