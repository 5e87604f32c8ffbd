//! Names and applied optimisations of real kernels are those of tinygrad 0.9.0, for every row of the reference data.

mod support;

use plumb_core::ast::Ast;
use plumb_core::kernel::{Kernel, Opt, OptOp, OptPlan};
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use plumb_corpus::log::parse_line;
use std::collections::HashMap;
use std::sync::Arc;

/// The value of a text field of a flat JSON object whose texts hold no escapes.
fn field<'a>(row: &'a str, name: &str) -> Option<&'a str> {
    let rest = &row[row.find(&format!("\"{name}\":"))? + name.len() + 3..];
    match rest.strip_prefix('"') {
        Some(text) => text.split('"').next(),
        None => rest.split([',', '}']).next(),
    }
}

fn opts(text: &str) -> Vec<Opt> {
    let number = |part: &str| (part != "None").then(|| part.parse().expect("a number"));
    let one = |text: &str| {
        let parts: Vec<&str> = text.split(':').collect();
        Opt { op: OptOp::from_name(parts[0]).expect("a name"), axis: number(parts[1]), amount: number(parts[2]) }
    };
    text.split_whitespace().filter(|text| *text != "-").map(one).collect()
}

/// What core makes of a row: name and applied optimisations.
fn outcome(ast: &Arc<Ast>, target: &Arc<Target>, mode: &str, listed: &str) -> Result<(String, String), String> {
    let mut kernel = Kernel::new(ast, target, &Rules::default()).map_err(|error| error.to_string())?;
    let plan = match mode {
        "hand" => OptPlan::Hand,
        "noopt" => OptPlan::Required,
        _ => OptPlan::List(opts(listed)),
    };
    kernel.apply_plan(&plan).map_err(|error| error.to_string())?;
    let applied: Vec<String> = kernel.applied.iter().map(ToString::to_string).collect();
    kernel.limit_dims_to_max().map_err(|error| error.to_string())?;
    Ok((kernel.name(), applied.join(" ")))
}

fn compare(kernels: &str, golden: &str) {
    let (Some(kernels), Some(golden)) = (support::data(kernels), support::data(golden)) else { return };
    let lines: Vec<&str> = kernels.lines().collect();
    let mut targets: HashMap<&str, Arc<Target>> = HashMap::new();
    let mut last: Option<(usize, Arc<Ast>)> = None;
    let mut differences = Vec::new();
    let mut rows = 0;
    for row in golden.lines() {
        let get = |name: &str| field(row, name).unwrap_or_else(|| panic!("no {name} in {row}"));
        let line: usize = get("i").parse().expect("a number");
        let ast = match &last {
            Some((number, ast)) if *number == line => Arc::clone(ast),
            _ => {
                let logged = parse_line(lines[line], line + 1).unwrap_or_else(|error| panic!("{error}"));
                Arc::new(logged.kernel.ast().unwrap_or_else(|error| panic!("{line}: {error}")))
            }
        };
        last = Some((line, Arc::clone(&ast)));
        let name = get("t");
        let target = targets.entry(name).or_insert_with(|| Arc::new(Target::named(name).expect("a built-in target")));
        let expected = (get("name").to_owned(), get("opts").trim_matches('-').to_owned());
        rows += 1;
        match outcome(&ast, target, get("m"), get("opts")) {
            Ok(found) if found == expected => {}
            found => differences.push(format!("line {line} {name} {}: {found:?}, not {expected:?}", get("m"))),
        }
    }
    eprintln!("{rows} rows, {} differ", differences.len());
    assert!(
        differences.is_empty(),
        "{} of {rows}:\n{}",
        differences.len(),
        differences[..differences.len().min(30)].join("\n")
    );
}

#[test]
fn names_and_opts_of_real_kernels_are_those_of_0_9_0() {
    compare("sops.gz", "golden.jsonl.gz");
}

#[test]
fn names_and_opts_of_kernels_for_matrix_instructions_are_those_of_0_9_0() {
    compare("tensor-core-kernels.txt.gz", "golden-tensor-cores.jsonl.gz");
}

#[test]
fn every_real_kernel_is_accepted_and_optimised() {
    let Some(kernels) = support::data("sops.gz") else { return };
    let target = Arc::new(Target::named("opencl").expect("a built-in target"));
    for (number, line) in kernels.lines().enumerate() {
        let logged = parse_line(line, number + 1).unwrap_or_else(|error| panic!("{error}"));
        let ast = Arc::new(logged.kernel.ast().unwrap_or_else(|error| panic!("{number}: {error}")));
        let mut kernel =
            Kernel::new(&ast, &target, &Rules::default()).unwrap_or_else(|error| panic!("{number}: {error}"));
        kernel.apply_plan(&OptPlan::Hand).unwrap_or_else(|error| panic!("{number}: {error}"));
    }
}
