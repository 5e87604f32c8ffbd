//! How fast the interpreter runs: uop executions (one uop for one lane) a second, with everything that is watched, and
//! beside it the same kernels compiled by `gcc -O2`.

use criterion::{Criterion, Throughput};
use plumb_core::linearize::{Lowered, lower};
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use plumb_corpus::text;
use plumb_oracle::data::{Distribution, InputBuffer, Inputs, inputs};
use plumb_oracle::interpreter::{Budget, Prepared, parse::parse};
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const NAMES: [&str; 5] = ["elementwise", "matmul", "two-stage-reduction", "gather", "tensor-core"];

/// Everything is run.
const BUDGET: Budget = Budget { uop_lanes: u64::MAX };

fn text(name: &str) -> &'static str {
    match name {
        "elementwise" => include_str!("kernels/elementwise.kernel"),
        "matmul" => include_str!("kernels/matmul.kernel"),
        "two-stage-reduction" => include_str!("kernels/two-stage-reduction.kernel"),
        "gather" => include_str!("kernels/gather.uops"),
        _ => include_str!("kernels/tensor-core.kernel"),
    }
}

/// A lowered kernel and its inputs.
fn kernel(name: &str) -> (Lowered, Inputs) {
    let source = text(name);
    if name == "gather" {
        let buffer = |dtype, high| InputBuffer {
            dtype,
            size: 1 << 20,
            distribution: Distribution::integers(0, high),
            seed: high as u64,
        };
        let buffers = vec![
            (1, buffer(plumb_core::dtype::Scalar::I32, (1 << 20) - 1)),
            (2, buffer(plumb_core::dtype::Scalar::F32, 9)),
        ];
        let inputs = Inputs { buffers, outputs: vec![(0, 1 << 20)], bindings: Vec::new() };
        return (parse(source).expect("a list"), inputs);
    }
    let case = text::parse(source).expect("a case");
    let target = Arc::new(Target::named(&case.target).expect("a target"));
    let ast = Arc::new(case.kernel.ast_with(&Rules::default()).expect("an AST"));
    let lowered = lower(&ast, &target, &case.opts, &Rules::default()).expect("a list");
    (lowered, inputs(&case).expect("inputs"))
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("run");
    for name in NAMES {
        let (lowered, inputs) = kernel(name);
        let prepared = Prepared::new(&lowered, &inputs, BUDGET).expect("a program");
        let mut executed = prepared.execute().ok();
        group.throughput(Throughput::Elements(prepared.uop_lanes()));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                // In memory that is there already, as a compiled kernel's is.
                executed = executed.take().and_then(|executed| executed.again().ok());
                assert!(executed.is_some(), "a fault");
            });
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("compile");
    for name in NAMES {
        let (lowered, mut inputs) = kernel(name);
        // The contents of the inputs are not compilation: none is computed beforehand for so few lanes.
        inputs.buffers.iter_mut().for_each(|(_, buffer)| buffer.size = i64::MAX);
        group.bench_function(name, |bencher| {
            bencher.iter(|| Prepared::new(&lowered, &inputs, Budget { uop_lanes: 0 }).map(drop));
        });
    }
    group.finish();
}

/// Nanoseconds a run of each kernel, compiled by gcc.
fn compiled() -> Result<HashMap<String, f64>, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels/compiled.c");
    let program = std::env::temp_dir().join(format!("plumb-compiled-{}", std::process::id()));
    let built = Command::new("gcc").arg("-O2").arg(&source).arg("-o").arg(&program).status();
    if !built.as_ref().is_ok_and(std::process::ExitStatus::success) {
        return Err(format!("gcc does not compile: {built:?}"));
    }
    let output = Command::new(&program).output().map_err(|error| error.to_string());
    // What can't be removed stays in the system's folder for such files.
    let _ = std::fs::remove_file(&program);
    let text = String::from_utf8_lossy(&output?.stdout).into_owned();
    let line = |line: &str| Some((line.split_once(' ')?.0.to_owned(), line.split_once(' ')?.1.parse().ok()?));
    Ok(text.lines().filter_map(line).collect())
}

/// The shortest of several runs.
fn shortest(prepared: &Prepared<'_>) -> Duration {
    let mut executed = Some(prepared.execute().expect("no fault"));
    let mut run = |_| {
        let begin = Instant::now();
        // In memory that is there already, as the compiled kernel's is.
        executed = executed.take().and_then(|executed| executed.again().ok());
        begin.elapsed()
    };
    (0..30).map(&mut run).min().unwrap_or_default()
}

fn compare() {
    let compiled = compiled().unwrap_or_else(|error| {
        eprintln!("SKIPPED: the comparison with compiled kernels: {error}");
        HashMap::new()
    });
    eprintln!(
        "{:<20} {:>12} {:>12} {:>10} {:>12} {:>7}",
        "kernel", "lane-uops", "us a run", "G/s", "gcc -O2 us", "ratio"
    );
    for name in NAMES {
        let (lowered, inputs) = kernel(name);
        let prepared = Prepared::new(&lowered, &inputs, BUDGET).expect("a program");
        let took = shortest(&prepared).as_nanos() as f64;
        let rate = prepared.uop_lanes() as f64 / took;
        let (gcc, ratio) = match compiled.get(name) {
            Some(gcc) => (format!("{:.1}", gcc / 1e3), format!("{:.1}", took / gcc)),
            None => ("-".to_owned(), "-".to_owned()),
        };
        eprintln!("{name:<20} {:>12} {:>12.1} {rate:>10.2} {gcc:>12} {ratio:>7}", prepared.uop_lanes(), took / 1e3);
    }
}

fn main() {
    if std::env::args().any(|argument| argument == "--bench") {
        compare();
    }
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    benches(&mut criterion);
    criterion.final_summary();
}
