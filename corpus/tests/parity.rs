//! The uops of real kernels are tinygrad 0.9.0's, but for what `core/DIFFERENCES.md` says.

mod golden;
mod support;

use golden::Golden;
use plumb_core::rule::Rules;
use std::collections::BTreeMap;

/// Golden lines whose terms stand in the order of an equal expression of a kernel lowered before, in the same run of
/// tinygrad: it caches expansions by expressions, whatever the order of their terms. A fresh tinygrad gives core's
/// digest for each of them.
const FROM_ANOTHER_KERNEL: &[(&str, &[usize])] = &[
    ("golden.jsonl.gz", &[5872, 5878, 5882, 9102]),
    ("golden-tensor-cores.jsonl.gz", &[20, 53, 58, 69, 71, 73, 83, 95, 97, 98, 101, 128]),
];

/// Lines that differ for a reason that no rule stands for; `DIFFERENCES.md` has an entry for each.
const DOCUMENTED: &[(&str, &[usize], &str)] = &[
    ("golden.jsonl.gz", &[2902], "a constant of type half is one"),
    ("golden.jsonl.gz", &[2454, 6296], "a negative constant of an unsigned type wraps"),
    ("golden.jsonl.gz", &[10674, 10710, 10738], "two lanes of an image's pixel stored at once"),
    ("golden.jsonl.gz", &[104, 3454, 3516, 3546, 3696, 4978], "equal constants seen in the first round"),
    ("golden-tensor-cores.jsonl.gz", &[59, 72, 25, 27, 114], "equal constants seen in the first round"),
];

/// Every so many lines of the log are compared here; the example `parity` compares all.
const EVERY: usize = 12;

fn excused(file: &str, line: usize) -> bool {
    let from_another = FROM_ANOTHER_KERNEL.iter().any(|(name, lines)| *name == file && lines.contains(&line));
    from_another || DOCUMENTED.iter().any(|(name, lines, _)| *name == file && lines.contains(&line))
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
            Err(_) if excused(file, *line) || same(&faults).is_ok() => {}
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
