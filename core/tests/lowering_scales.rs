//! Lowering takes time proportional to the kernel, and no stack.

mod kernel_support;

use kernel_support::Build;
use plumb_core::ast::{AluOp, Ast};
use plumb_core::dtype::DType;
use plumb_core::kernel::OptPlan;
use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// `depth` operations, each on the one before and a load.
fn chain(depth: usize) -> Arc<Ast> {
    let mut build = Build::default();
    let mut last = build.load(1, DType::F32, &[64]);
    let other = build.load(2, DType::F32, &[64]);
    for step in 0..depth {
        let op = if step % 2 == 0 { AluOp::Mul } else { AluOp::Add };
        last = build.alu(op, &[last, other]);
    }
    build.store(0, DType::F32, &[64], last);
    build.finish()
}

/// `depth` operations, each on the one before twice: a tree of 2 to the power of `depth`.
fn doubling(depth: usize) -> Arc<Ast> {
    let mut build = Build::default();
    let mut last = build.load(1, DType::F32, &[64]);
    for step in 0..depth {
        let op = if step % 2 == 0 { AluOp::Mul } else { AluOp::Max };
        last = build.alu(op, &[last, last]);
    }
    build.store(0, DType::F32, &[64], last);
    build.finish()
}

fn time(ast: &Arc<Ast>) -> Duration {
    let target = Arc::new(Target::named("opencl").unwrap());
    let start = Instant::now();
    let lowered = lower(ast, &target, &OptPlan::Hand, &Rules::default()).unwrap();
    assert!(lowered.uops.uops.len() > ast.nodes().len());
    let _ = lowered.text();
    start.elapsed()
}

#[test]
fn deep_asts_take_no_stack() {
    let work = || time(&chain(20_000));
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap();
    assert!(thread.join().unwrap() < Duration::from_secs(20));
}

#[test]
fn shared_operands_are_evaluated_once() {
    assert!(time(&doubling(2000)) < Duration::from_secs(5));
}

#[test]
fn twice_the_kernel_takes_about_twice_the_time() {
    let best = |depth| (0..3).map(|_| time(&chain(depth))).min().unwrap_or_default();
    let (one, eight) = (best(1500), best(12_000));
    assert!(eight < one * 40, "{one:?} for one, {eight:?} for eight times as much");
}
