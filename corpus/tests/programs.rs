//! Program records are those of tinygrad 0.9.0. `core/tools/programs.py` writes what is compared with.

use plumb_core::kernel::{Kernel, NamedAxis, Opt, OptOp, OptPlan, UniqueNames, function_name};
use plumb_core::program::Program;
use plumb_core::rule::Rules;
use plumb_core::symbolic::Sint;
use plumb_core::target::Target;
use plumb_corpus::log::parse_line;
use std::sync::Arc;

const KERNELS: &str = include_str!("data/kernel_states/kernels.txt");

fn opt(text: &str) -> Option<Opt> {
    let mut parts = text.split(':');
    let op = OptOp::from_name(parts.next()?)?;
    let mut number = || parts.next().and_then(|part| part.parse().ok());
    Some(Opt { op, axis: number(), amount: number() })
}

/// The name as tinygrad colours it, with `^` for the escape character.
fn colored(name: &str, axes: &[NamedAxis], suffix: &str) -> String {
    let start = axes.first().map_or(name.len(), |axis| axis.place.start);
    let sizes: Vec<String> =
        axes.iter().map(|axis| format!("^[{}m{}^[0m", axis.kind.ansi(), &name[axis.place.clone()])).collect();
    format!("{}{}^[90m{suffix}^[0m", &name[..start], sizes.join("^[90m_^[0m"))
}

/// The record, in the form and order of the script's fields.
fn fields(program: &Program, suffix: &str) -> Vec<String> {
    let sizes = |sizes: &Option<Vec<Sint>>| match sizes {
        None => "None".to_owned(),
        Some(sizes) => format!("[{}]", sizes.iter().map(|&size| program.text(size)).collect::<Vec<_>>().join(",")),
    };
    let numbers = |numbers: &Option<Vec<i64>>| match numbers {
        None => "None".to_owned(),
        Some(numbers) => format!("[{}]", numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")),
    };
    let variables =
        program.variables.iter().map(|variable| format!("{}[{},{}]", variable.name, variable.min, variable.max));
    let variables = variables.collect::<Vec<_>>().join(" ");
    let buffers =
        program.buffers.iter().map(|buffer| format!("{}:{}", buffer.index, if buffer.output { "out" } else { "in" }));
    let free = program.free_variables();
    let middle = |name: &str| {
        let variable = free.iter().find(|variable| variable.name == name)?;
        Some((variable.min + variable.max) / 2)
    };
    let at_middle = program.launch(&middle).and_then(|launch| {
        let (global, local) = (numbers(&launch.global_size), numbers(&launch.local_size));
        let operations = program.number(program.operations.estimate, &middle)?;
        let bytes = program.number(program.bytes.estimate, &middle)?;
        let cost = program.cost(&middle)?;
        assert!(cost.operations <= operations && cost.bytes <= bytes, "{cost:?}");
        assert!(!free.is_empty() || (cost.operations, cost.bytes) == (operations, bytes), "{cost:?}");
        Ok(format!("global={global}local={local} {operations} {bytes}"))
    });
    vec![
        colored(&program.name, &program.axes, suffix),
        program.function_name(suffix),
        format!("global={}local={}", sizes(&program.global_size), sizes(&program.local_size)),
        if variables.is_empty() { "-".to_owned() } else { variables },
        buffers.collect::<Vec<_>>().join(" "),
        program.output_count().to_string(),
        program.text(program.operations.estimate),
        program.text(program.bytes.estimate),
        at_middle.unwrap_or_else(|error| error.to_string()),
    ]
}

/// Makes the record of a line's kernel, and says what differs.
fn difference(line: &str, kernels: &[&str], names: &mut UniqueNames) -> Option<String> {
    let parts: Vec<&str> = line.split('\t').collect();
    let [target, opts, expected @ .., text] = &parts[..] else { return Some(format!("too few fields: {line}")) };
    let text = text.strip_prefix('#').map_or(*text, |number| kernels[number.parse::<usize>().expect("a number")]);
    if expected[0] == "error" {
        return None;
    }
    let plan = match *opts {
        "hand" => OptPlan::Hand,
        "none" => OptPlan::Required,
        list => OptPlan::List(list.split(' ').filter_map(opt).collect()),
    };
    let ast = Arc::new(parse_line(text, 1).expect("a kernel").kernel.ast().expect("an AST"));
    let target = Arc::new(Target::named(target).expect("a target"));
    let lowered = Kernel::new(&ast, &target, &Rules::default()).and_then(|mut kernel| {
        kernel.apply_plan(&plan)?;
        kernel.linearize()
    });
    let lowered = lowered.unwrap_or_else(|error| panic!("{error}: {text:.300}"));
    let suffix = names.suffix(&lowered.name);
    let program = lowered.program(&ast).unwrap_or_else(|error| panic!("{error}: {text:.300}"));
    assert_eq!(program.function_name(&suffix), function_name(&lowered.name) + &suffix);
    let found = fields(&program, &suffix);
    (found != expected).then(|| {
        let pairs = found.iter().zip(expected).filter(|(found, expected)| found.as_str() != **expected);
        let pairs: Vec<String> = pairs.map(|(found, expected)| format!("  {found}\n  0.9.0: {expected}")).collect();
        format!("{} {opts} {}\n{}\n  {text:.200}", target.name, lowered.name, pairs.join("\n"))
    })
}

/// Compares all lines. One file is several runs of the script, one for each target and plan, each of which counts names anew.
fn compare(records: &str, kernels: &[&str]) {
    let mut names = UniqueNames::new();
    let mut run = ("", "");
    let mut differences = Vec::new();
    for line in records.lines() {
        let mut parts = line.split('\t');
        let this = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if this != run {
            (names, run) = (UniqueNames::new(), this);
        }
        differences.extend(difference(line, kernels, &mut names));
    }
    let all = records.lines().count();
    assert!(
        differences.is_empty(),
        "{} of {all} records differ:\n{}",
        differences.len(),
        differences[..differences.len().min(20)].join("\n\n")
    );
}

/// Every kernel of the snapshot for two targets, and those with variables for three.
#[test]
fn program_records_are_those_of_0_9_0() {
    compare(include_str!("data/programs.tsv"), &KERNELS.lines().collect::<Vec<_>>());
}

/// Any other output of the script, named by the environment variable `PLUMB_PROGRAMS`.
#[test]
fn further_program_records_are_those_of_0_9_0() {
    let Some(path) = std::env::var_os("PLUMB_PROGRAMS") else {
        eprintln!("SKIPPED: PLUMB_PROGRAMS names no output of core/tools/programs.py");
        return;
    };
    compare(&std::fs::read_to_string(path).expect("a readable file"), &[]);
}
