//! One kernel for each thing that lowering does, with the uops that it becomes.
//!
//! The digest in each expected text is tinygrad 0.9.0's for the same kernel.

mod elements;
mod reductions;
mod targets;

use expect_test::Expect;
use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::sync::Arc;

fn check(kernel: &str, target: &str, opts: &str, expected: Expect) {
    let text = format!("plumb case 1\ntarget {target}\n{kernel}opts {opts}\ndata auto seed 0\nexpect pass\n");
    let case = plumb_corpus::text::parse(&text).unwrap_or_else(|error| panic!("{}", error.show(&text)));
    let ast = Arc::new(case.kernel.ast().unwrap());
    let target = Arc::new(Target::named(target).unwrap());
    let lowered = lower(&ast, &target, &case.opts, &Rules::default()).unwrap();
    expected.assert_eq(&lowered.text());
}
