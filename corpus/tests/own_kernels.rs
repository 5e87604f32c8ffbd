//! What tinygrad 0.9.0 makes of kernels of our own (`tools/kernels.py`), and which optimisations it refuses: rows that
//! `tools/compare.py` wrote.

mod golden;

use plumb_core::kernel::{LowerError, OptPlan};
use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use std::sync::Arc;

/// What a row says about one kernel, target and list of optimisations.
fn difference(row: &serde_json::Value, kernels: &[&str]) -> Option<String> {
    let text = |key: &str| row[key].as_str().unwrap_or("");
    let number = row["k"].as_u64().map_or(0, |number| number as usize);
    let ast = golden::ast(kernels[number], number).unwrap_or_else(|error| panic!("kernel {number}: {error}"));
    let target = Arc::clone(&golden::targets()[text("t")]);
    let plan = match text("ask") {
        "hand" => OptPlan::Hand,
        "none" => OptPlan::Required,
        list => OptPlan::List(list.split_whitespace().filter_map(golden::opt).collect()),
    };
    let answer = |rules: &Rules| match lower(&ast, &target, &plan, rules) {
        Ok(lowered) => {
            let opts = if lowered.opts() == "-" { String::new() } else { lowered.opts() };
            format!("{} {} [{opts}] {} {}", lowered.name, lowered.head(), lowered.digest(), lowered.uops.uops.len())
        }
        Err(error @ LowerError::Opt { .. }) => error.kind().to_owned(),
        Err(error) => error.to_string(),
    };
    let expected = match row["error"].as_str() {
        Some(error) => error.to_owned(),
        None => format!("{} {} [{}] {} {}", text("name"), text("head"), text("opts"), text("d"), row["n"]),
    };
    let got = answer(&Rules::default());
    let same = got == expected || answer(&golden::faults_of_tinygrad()) == expected;
    (!same).then(|| format!("kernel {number} {} {} [{}]: {expected}, not {got}", text("f"), text("t"), text("ask")))
}

fn compare(kernels: &str, rows: &str) {
    let kernels: Vec<&str> = kernels.lines().collect();
    let rows: Vec<serde_json::Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let differ: Vec<String> = rows.iter().filter_map(|row| difference(row, &kernels)).collect();
    assert_eq!(differ, Vec::<String>::new());
    assert!(rows.len() > 100, "only {} rows", rows.len());
}

/// What 0.9.0 enters twice, and takes for the same from the second round on only, if there is one: the index of a value
/// that is stored where it was loaded from, what is converted twice, zeros spelled 0 and 0.0. core took them for the same
/// from the start.
#[test]
fn what_is_entered_twice() {
    compare(include_str!("data/tinygrad/twice.kernels"), include_str!("data/tinygrad/twice.rows"));
}

#[test]
fn some_of_each_family() {
    compare(include_str!("data/tinygrad/families.kernels"), include_str!("data/tinygrad/families.rows"));
}
