//! A core that is deliberately broken is caught: the judges are tried on planted faults.
//!
//! Each file of `planted_faults/` is a case that passes, with lines `; plant: RULE off` or `; plant: RULE altered` among
//! its comments. With that rule in that state a judge must object. Adding one needs no code.

mod support;

use plumb_core::rule::{self, Rules, State};
use plumb_corpus::case::{Case, Expect};
use std::collections::BTreeSet;
use std::path::Path;
use support::Outcome;

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
    let open = rule::all().filter(|info| info.altered.is_some() && !caught.contains(&(info.name, true)));
    for info in open {
        eprintln!("no case here catches {}: {}", info.name, info.altered.unwrap_or_default());
    }
    assert!(caught.len() >= 65, "{} different faults are caught", caught.len());
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
