//! Kernels under optimisation stand where tinygrad 0.9.0's stand: the same optimisations apply, the same views come
//! out. `core/tools/kernel_states.py` writes what is compared with.

use plumb_core::ast::Ast;
use plumb_core::kernel::{Kernel, Opt, OptOp, OptPlan};
use plumb_core::rule::Rules;
use plumb_core::symbolic::Sint;
use plumb_core::target::Target;
use plumb_corpus::log::parse_line;
use std::sync::Arc;

const KERNELS: &str = include_str!("data/kernel_states/kernels.txt");

/// What differs from 0.9.0 on purpose (see core/DIFFERENCES.md), by a part of the refused optimisation's error.
const BETTER: [&str; 4] = ["opt/padto-unsafe-op", "opt/padto-division", "opt/padto-tc-local", "opt/shared-memory"];

fn is_better(error: &str) -> bool {
    BETTER.iter().any(|check| error.contains(check))
}

fn ast(text: &str) -> Arc<Ast> {
    let logged = parse_line(text, 1).unwrap_or_else(|error| panic!("{error}: {text}"));
    Arc::new(logged.kernel.ast().unwrap_or_else(|error| panic!("{error}: {text}")))
}

fn opt(text: &str) -> Opt {
    let mut parts = text.split(':');
    let op = parts.next().and_then(OptOp::from_name).unwrap_or_else(|| panic!("{text}"));
    let mut number = || parts.next().filter(|part| *part != "None").map(|part| part.parse().expect("a number"));
    Opt { op, axis: number(), amount: number() }
}

/// The state as the script writes it.
fn state(kernel: &Kernel) -> String {
    let sints = |values: &[Sint]| {
        let values: Vec<String> = values.iter().map(|&value| kernel.arena.render_sint(value)).collect();
        format!("({})", values.join(","))
    };
    let view = |view: &plumb_core::shape::View| {
        let offset = kernel.arena.render_sint(view.offset);
        let mask = view.mask.as_ref().map(|mask| {
            let ranges = mask
                .iter()
                .map(|&(from, to)| format!("{}:{}", kernel.arena.render_sint(from), kernel.arena.render_sint(to)));
            format!("[{}]", ranges.collect::<Vec<_>>().join(","))
        });
        format!("{}:{}+{offset}{}", sints(&view.shape), sints(&view.strides), mask.unwrap_or_default())
    };
    let views = kernel.views.iter().map(|tracker| tracker.views.iter().map(view).collect::<Vec<_>>().join("<"));
    let list = |items: Vec<String>| if items.is_empty() { "-".to_owned() } else { items.join(" ") };
    format!(
        "{} | {} | {} | {},{},{} | {}",
        kernel.name(),
        list(kernel.applied.iter().map(ToString::to_string).collect()),
        list(kernel.colors().into_iter().map(str::to_owned).collect()),
        kernel.local_dims,
        kernel.group_for_reduces,
        kernel.upcasted,
        views.collect::<Vec<_>>().join("; ")
    )
}

/// Replays a line of the script's output and says what differs, if anything.
fn replay(line: &str, kernels: &[&str]) -> Option<String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [target, opts, expected, text] = fields[..] else { return Some(format!("not four fields: {line}")) };
    let text = text.strip_prefix('#').map_or(text, |number| kernels[number.parse::<usize>().expect("a number")]);
    let target = Arc::new(Target::named(target).expect("a built-in target"));
    let differs =
        |found: String| Some(format!("{}\n{opts}\n  0.9.0: {expected}\n  found: {found}\n  {text:.300}", target.name));
    let mut kernel = match Kernel::new(&ast(text), &target, &Rules::default()) {
        Ok(kernel) => kernel,
        Err(_) if expected.starts_with("error") => return None,
        Err(error) => return differs(format!("error {error}")),
    };
    let plan = match opts {
        "hand" => Some(OptPlan::Hand),
        "none" => Some(OptPlan::Required),
        _ => None,
    };
    if let Some(plan) = plan {
        if let Err(error) = kernel.apply_plan(&plan) {
            return if expected.starts_with("error") { None } else { differs(format!("error {error}")) };
        }
    } else {
        for step in opts.split(' ').filter(|step| *step != "-") {
            let (step, outcome) = step.split_at(step.len() - 1);
            let before = kernel.clone();
            match (kernel.apply_opt(opt(step)), outcome) {
                (Ok(()), "+") => {}
                (Err(error), "-" | "!") => {
                    assert!(kernel.same_state(&before), "{step} was refused ({error}) and changed the kernel: {text}");
                }
                (Err(error), "+") if is_better(&error.to_string()) => return None,
                (result, _) => return differs(format!("{step} gives {result:?}, not {outcome}")),
            }
        }
    }
    let found = state(&kernel);
    if found == expected { None } else { differs(found) }
}

/// Replays a line of the script's `actions`.
fn replay_actions(line: &str, kernels: &[&str]) -> Option<String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [target, expected, _, text] = fields[..] else { return Some(format!("not four fields: {line}")) };
    let text = text.strip_prefix('#').map_or(text, |number| kernels[number.parse::<usize>().expect("a number")]);
    let target = Arc::new(Target::named(target).expect("a built-in target"));
    let kernel = match Kernel::new(&ast(text), &target, &Rules::default()) {
        Ok(kernel) => kernel,
        Err(error) => return Some(format!("{error}: {text:.300}")),
    };
    let found: Vec<String> = kernel.actions().iter().map(ToString::to_string).collect();
    let expected: Vec<&str> = expected
        .split(' ')
        .filter(|action| *action != "-")
        .filter(|action| !kernel.clone().apply_opt(opt(action)).is_err_and(|error| is_better(&error.to_string())))
        .collect();
    (found != expected).then(|| format!("{}: {found:?}, not {expected:?}\n  {text:.300}", target.name))
}

fn compare(states: &str, kernels: &[&str]) {
    let replay = |line: &str| match line.split('\t').nth(2) {
        Some("-") => replay_actions(line, kernels),
        _ => replay(line, kernels),
    };
    let differences: Vec<String> = states.lines().filter_map(replay).collect();
    let all = states.lines().count();
    assert!(
        differences.is_empty(),
        "{} of {all} states differ:\n{}",
        differences.len(),
        differences[..differences.len().min(20)].join("\n\n")
    );
}

#[test]
fn optimised_kernels_stand_as_in_0_9_0() {
    let kernels: Vec<&str> = KERNELS.lines().collect();
    compare(include_str!("data/kernel_states/plans.tsv"), &kernels);
    compare(include_str!("data/kernel_states/sequences.tsv"), &kernels);
    compare(include_str!("data/kernel_states/images.tsv"), &kernels);
}

#[test]
fn searches_may_try_what_they_try_in_0_9_0() {
    compare(include_str!("data/kernel_states/actions.tsv"), &KERNELS.lines().collect::<Vec<_>>());
}

/// Any other output of the script, named by the environment variable `PLUMB_KERNEL_STATES`.
#[test]
fn further_states_are_as_in_0_9_0() {
    let Some(path) = std::env::var_os("PLUMB_KERNEL_STATES") else {
        eprintln!("SKIPPED: PLUMB_KERNEL_STATES names no output of core/tools/kernel_states.py");
        return;
    };
    compare(&std::fs::read_to_string(path).expect("a readable file"), &[]);
}
