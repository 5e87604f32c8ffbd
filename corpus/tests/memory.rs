//! What lowering takes of memory, at most.

#![allow(clippy::print_stdout)]

mod support;

use peak_alloc::PeakAlloc;
use plumb_core::kernel::OptPlan;
use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::sync::Arc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes that lowering one kernel may take, beyond its AST.
const MOST: usize = 200 << 20;

/// The uops of 0.9.0 for the kernel, and its line.
fn largest(golden: &str) -> Option<(u64, usize)> {
    let number = |line: &serde_json::Value, key: &str| line[key].as_u64();
    let lines = golden.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let hand = lines.filter(|line| line["t"] == "opencl" && line["m"] == "hand");
    hand.filter_map(|line| Some((number(&line, "n")?, usize::try_from(number(&line, "i")?).ok()?))).max()
}

#[test]
fn lowering_the_largest_real_kernel_takes_little_memory() {
    let (Some(kernels), Some(golden)) = (support::data("sops.gz"), support::data("golden.jsonl.gz")) else { return };
    let (uops, line) = largest(&golden).expect("the golden data has kernels for opencl");
    let text = kernels.lines().nth(line).expect("the golden data is of these kernels");
    let logged = plumb_corpus::log::parse_line(text, line + 1).expect("a real kernel can be read");
    let ast = Arc::new(logged.kernel.ast().expect("a real kernel is an AST"));
    let target = Arc::new(Target::named("opencl").expect("a built-in target"));

    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let lowered = lower(&ast, &target, &OptPlan::Hand, &Rules::default()).expect("a real kernel is lowered");
    let taken = MEMORY.peak_usage().saturating_sub(before);
    println!("line {line}, {} uops: {:.2} MB", lowered.uops.uops.len(), taken as f64 / (1 << 20) as f64);
    assert!(lowered.uops.uops.len() as u64 <= uops + uops / 10);
    assert!(taken < MOST, "lowering line {line}, {uops} uops, took {taken} bytes");
}
