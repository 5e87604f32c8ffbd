//! The uops of real kernels are tinygrad 0.9.0's, but for what `core/DIFFERENCES.md` says.

mod golden;
mod support;

use golden::{Difference, Golden};
use plumb_core::rule::Rules;
use std::collections::BTreeMap;

/// Golden rows whose terms stand in the order of an equal expression of a kernel lowered before, in the same run of
/// tinygrad: it keeps expansions by expressions, whatever the order of their terms, from one kernel to the next. A
/// tinygrad with empty caches gives core's digest for each of them (for two with 0.9.0's stores that are nowhere valid).
const FROM_ANOTHER_KERNEL: &[(&str, usize, &str, &[&str])] = &[
    ("golden.jsonl.gz", 5872, "hand", &["clang", "cuda", "hip", "metal", "opencl"]),
    ("golden.jsonl.gz", 5878, "hand", &["clang", "cuda", "hip", "metal", "opencl"]),
    ("golden.jsonl.gz", 5882, "hand", &["clang", "cuda", "hip", "metal", "opencl"]),
    ("golden.jsonl.gz", 9102, "hand", &["metal"]),
    ("golden-tensor-cores.jsonl.gz", 20, "tc2", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 53, "tc2", &["cuda", "hip"]),
    ("golden-tensor-cores.jsonl.gz", 58, "tc0", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 58, "tc2", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 69, "tc2", &["metal"]),
    ("golden-tensor-cores.jsonl.gz", 69, "tcr", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 71, "tcr", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 73, "tc2", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 83, "tcr", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 95, "tcr", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 97, "tcr", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 98, "tc0", &["cuda"]),
    ("golden-tensor-cores.jsonl.gz", 98, "tc2", &["cuda"]),
    ("golden-tensor-cores.jsonl.gz", 101, "tcr", &["hip"]),
    ("golden-tensor-cores.jsonl.gz", 128, "tc2", &["metal", "hip"]),
];

/// Rows that differ for a reason that no rule stands for; `DIFFERENCES.md` has an entry for each.
const DOCUMENTED: &[(&str, usize, &str, &[&str])] = &[
    // 0.7 of type half is 0.7001953125.
    ("golden.jsonl.gz", 2902, "hand", &["clang", "cuda", "hip", "metal", "opencl"]),
    // Two lanes of an image's pixel are stored at once.
    ("golden.jsonl.gz", 10674, "rand", &["metal"]),
    ("golden.jsonl.gz", 10710, "rand", &["opencl"]),
    ("golden.jsonl.gz", 10738, "rand", &["opencl"]),
];

/// Every so many lines of the log are compared here; all of them where tests are run with `--release`.
const EVERY: usize = if cfg!(debug_assertions) { 12 } else { 1 };

fn excused(file: &str, golden: &Golden) -> bool {
    let row = |&(name, line, mode, targets): &(&str, usize, &str, &[&str])| {
        (name, line, mode) == (file, golden.line, golden.mode.as_str()) && targets.contains(&golden.target.as_str())
    };
    FROM_ANOTHER_KERNEL.iter().chain(DOCUMENTED).any(row)
}

/// Compares every `every`-th kernel; returns how many lines are equal, and all that differ without an excuse.
fn differing(kernels: &str, file: &str, every: usize) -> Option<(usize, Vec<String>)> {
    let (kernels, goldens) = (support::data(kernels)?, support::data(file)?);
    let kernels: Vec<&str> = kernels.lines().collect();
    let (targets, faults) = (golden::targets(), golden::faults_of_tinygrad());
    let mut asts = BTreeMap::new();
    let (mut equal, mut differ) = (0, Vec::new());
    for golden in golden::parse(&goldens) {
        let Golden { line, target, mode, .. } = &golden;
        if line % every != 0 {
            continue;
        }
        let ast = asts.entry(*line).or_insert_with(|| golden::ast(kernels[*line], *line).unwrap());
        let target = &targets[target.as_str()];
        let same = |rules: &Rules| golden::compare(&golden, ast, target, rules).0;
        match same(&Rules::default()) {
            Ok(_) => equal += 1,
            // An excuse is one for the graph alone: optimisations, launch dimensions and name must be equal.
            Err(Difference::Digest(_)) if excused(file, &golden) => {}
            // With 0.9.0's faults all four are.
            Err(_) if same(&faults).is_ok() => {}
            Err(difference) => {
                differ.push(format!("line {line} {} {mode} [{}]: {difference:?}", target.name, golden.opts))
            }
        }
    }
    Some((equal, differ))
}

#[test]
fn uops_of_real_kernels_are_tinygrads() {
    let Some((equal, differ)) = differing("sops.gz", "golden.jsonl.gz", EVERY) else { return };
    assert_eq!(differ, Vec::<String>::new());
    assert!(equal > 3000, "only {equal} equal");
}

#[test]
fn uops_of_matrix_products_are_tinygrads() {
    let Some((equal, differ)) = differing("tensor-core-kernels.txt.gz", "golden-tensor-cores.jsonl.gz", 1) else {
        return;
    };
    assert_eq!(differ, Vec::<String>::new());
    assert!(equal > 700, "only {equal} equal");
}
