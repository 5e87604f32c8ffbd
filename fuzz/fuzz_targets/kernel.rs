//! The whole path: a case from bytes, lowered, judged by every judge.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use plumb_core::linearize;
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use plumb_corpus::{generate, text};
use plumb_oracle::{Subject, Verdict, judges};
use std::sync::Arc;

fuzz_target!(|data: &[u8]| {
    let Ok(case) = generate::from_bytes(&mut Unstructured::new(data)) else { return };
    let (Ok(ast), Some(target)) = (case.kernel.ast(), Target::named(&case.target)) else {
        panic!("an invalid case was generated:\n{}", text::print(&case));
    };
    let lowered = match linearize::lower(&Arc::new(ast), &Arc::new(target), &case.opts, &case.rules(Rules::default())) {
        Ok(lowered) => lowered,
        Err(error) => panic!("not lowered: {error}\n{}", text::print(&case)),
    };
    for judge in judges() {
        if let Verdict::Fail(finding) = judge.judge(Subject { case: &case, lowered: &lowered }) {
            panic!("{finding}\n{}", text::print(&case));
        }
    }
});
