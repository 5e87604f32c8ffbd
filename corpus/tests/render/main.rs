//! Source code: small kernels in each language as they should read, and every captured kernel through a C compiler.

mod captured;
mod snapshots;

use plumb_core::linearize::{Lowered, lower};
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::sync::Arc;

/// Lowers a case's text.
fn lowered(text: &str) -> Lowered {
    let case = plumb_corpus::text::parse(text).unwrap_or_else(|error| panic!("{}", error.show(text)));
    let ast = Arc::new(case.kernel.ast().unwrap());
    let target = Arc::new(Target::named(&case.target).unwrap());
    lower(&ast, &target, &case.opts, &Rules::default()).unwrap()
}
