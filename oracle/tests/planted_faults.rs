//! A core that is deliberately broken is caught: the judges are tried on planted faults.
//!
//! Each file of `planted_faults/` is a case that passes, with lines `; plant: RULE off` or `; plant: RULE altered` among
//! its comments. With that rule in that state a judge must object. Adding one needs no code. A line `; views: simplified`
//! has stacked views merged before the kernel is lowered, which tinygrad's scheduler does and lowering does not.
//! Every planted fault of every table must be caught by such a case, or be listed with the reason why none can.

mod support;

use plumb_core::rule::{self, Firings, Rules, State};
use plumb_corpus::case::{Case, Expect};
use plumb_corpus::generate;
use std::collections::BTreeSet;
use std::path::Path;
use support::Outcome;

/// Planted faults that no kernel can show, each with the reason. They are seen by tests of the tables themselves.
const NO_KERNEL_SHOWS: &[(&str, &str)] = &[
    (
        "view/invert-sign",
        "no view is inverted on the way from a kernel to its uops; core/tests/views_enumerated.rs sees it on enumerated views",
    ),
    (
        "uop/maximum-index",
        "an index of the launch stands bare in a maximum only if a kernel put it there: kernels name loads, constants and \
         variables, and what loop collapse takes a maximum of is a sum; core/src/uop/tests sees it on uops",
    ),
];

fn files() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted_faults");
    let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    support::kernel_files(&folder).iter().map(|path| (name(path), support::case(path))).collect()
}

#[test]
fn without_a_fault_nobody_objects() {
    let mut wrong = Vec::new();
    for (name, case) in files() {
        match (support::outcome(&case, Rules::default()), &case.expect) {
            (Outcome::Passed, Expect::Pass) => {}
            (Outcome::Refused(error), Expect::Refused(text)) if error.contains(text.as_str()) => {}
            (outcome, expected) => wrong.push(format!("{name}: {outcome:?}, expected {expected:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_planted_fault_is_caught() {
    let mut caught = BTreeSet::new();
    for (name, case) in files() {
        for (info, state) in support::plants(&case) {
            match support::outcome(&case, Rules::default().with(info.id, state)) {
                Outcome::Failed(_) => caught.insert((info.name, state == State::Altered)),
                outcome => panic!("{name}: {} {state:?} is not caught: {outcome:?}", info.name),
            };
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opt_faults");
    let by_values = support::kernel_files(&folder);
    let by_values: BTreeSet<String> =
        by_values.iter().filter_map(|path| Some(format!("opt/{}", path.file_stem()?.to_str()?))).collect();
    for info in rule::all().filter(|info| info.altered.is_some()) {
        let shown = caught.contains(&(info.name, true)) || by_values.contains(info.name);
        let listed = NO_KERNEL_SHOWS.iter().find(|(name, _)| *name == info.name);
        match (shown, listed) {
            (false, None) => panic!("no case catches {}: {}", info.name, info.altered.unwrap_or_default()),
            (true, Some((name, reason))) => panic!("a case catches {name}, of which it is said that {reason}"),
            _ => {}
        }
    }
    eprintln!("{} different faults are caught", caught.len());
}

/// What is said of faults that no kernel shows holds for generated kernels: the rules do not fire.
#[test]
fn what_no_kernel_shows_does_not_fire() {
    let mut firings = Firings::default();
    for number in 0..400 {
        if let Ok(lowered) = support::lowered(&generate::case(4, number), Rules::default()) {
            firings.merge(&lowered.firings);
        }
    }
    for (name, reason) in NO_KERNEL_SHOWS {
        let info = rule::named(name).unwrap_or_else(|| panic!("no rule {name}"));
        assert_eq!(firings.of(info.id), 0, "{name} fires, of which it is said that {reason}");
    }
}

/// Prints which case catches which fault of the rules whose name begins with `PLUMB_MATRIX`, for whoever adds a case:
/// `PLUMB_MATRIX=view/ cargo test … matrix -- --nocapture`.
#[test]
fn matrix() {
    let Ok(prefix) = std::env::var("PLUMB_MATRIX") else { return };
    let files = files();
    for info in rule::all().filter(|info| info.name.starts_with(&prefix)) {
        for state in [State::Off, State::Altered] {
            if state == State::Altered && info.altered.is_none() {
                continue;
            }
            let rules = Rules::default().with(info.id, state);
            let catches = |(_, case): &&(String, Case)| matches!(support::outcome(case, rules), Outcome::Failed(_));
            let names: Vec<&str> = files.iter().filter(catches).map(|(name, _)| name.as_str()).collect();
            eprintln!("{} {state:?}: {}", info.name, names.join(" "));
        }
    }
}
