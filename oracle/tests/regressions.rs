//! Every case of `corpus/regressions`, and a share of `corpus/kernels`, stands as it expects, by all judges.

mod support;

use plumb_core::rule::Rules;
use plumb_core::target::Target;
use plumb_corpus::case::{Case, Expect, Step};
use std::path::{Path, PathBuf};
use support::Outcome;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(name)
}

/// What is wrong with how a case stands.
fn objection(case: &Case) -> Option<String> {
    match (support::outcome(case, Rules::default()), &case.expect) {
        (Outcome::Passed, Expect::Pass) => None,
        (Outcome::Refused(error), Expect::Refused(text)) if error.contains(text.as_str()) => None,
        (outcome, expected) => Some(format!("{outcome:?}, expected {expected:?}")),
    }
}

fn has_images(case: &Case) -> bool {
    case.kernel.steps.iter().any(|step| match step {
        Step::Load { dtype, .. } | Step::Store { dtype, .. } => dtype.is_image(),
        _ => false,
    })
}

fn all_stand(files: impl Iterator<Item = PathBuf>, targets: &[&str]) -> usize {
    let mut objections = Vec::new();
    let mut judged = 0;
    for file in files {
        let mut case = support::case(&file);
        let own = [case.target.clone()];
        let targets = if targets.is_empty() { own.iter().map(String::as_str).collect() } else { targets.to_vec() };
        for target in targets {
            // Pixels are stored whole, which takes vectors.
            if has_images(&case) && Target::named(target).is_some_and(|target| !target.supports_float4) {
                continue;
            }
            target.clone_into(&mut case.target);
            judged += 1;
            if let Some(objection) = objection(&case) {
                objections.push(format!("{} on {target}: {objection}", file.display()));
            }
        }
    }
    assert!(objections.is_empty(), "{}", objections.join("\n"));
    judged
}

#[test]
fn regressions_stand() {
    let judged = all_stand(support::kernel_files(&folder("regressions")).into_iter(), &[]);
    eprintln!("{judged} regressions");
}

#[test]
fn captured_kernels_stand() {
    let files = support::kernel_files(&folder("kernels")).into_iter().step_by(support::every(4));
    let judged = all_stand(files, &["clang", "opencl", "metal"]);
    eprintln!("{judged} captured kernels");
}
