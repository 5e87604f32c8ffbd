//! The prover against planted faults and against running the kernels whole.

mod support;

use plumb_core::linearize::{Lowered, lower};
use plumb_core::rule::{self, Rules, State};
use plumb_core::target::Target;
use plumb_corpus::case::{Case, Expect};
use plumb_corpus::generate;
use plumb_oracle::prove::worker::Workers;
use plumb_oracle::prove::{Effort, Ending, Proof, Prover, identity};
use plumb_oracle::values::Values;
use plumb_oracle::{Oracle, Subject, Verdict};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn lowered(case: &Case, rules: Rules) -> Option<Lowered> {
    let rules = case.rules(rules);
    let target = Target::named(&case.target)?;
    let ast = case.kernel.ast_with(&rules).ok()?;
    lower(&Arc::new(ast), &Arc::new(target), &case.opts, &rules).ok()
}

/// What became of a kernel's obligations, in a word.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Proved,
    Refuted(String),
    Unknown(String),
}

fn prove(prover: &Prover, case: &Case, lowered: &Lowered) -> Outcome {
    let obligations = match prover.prove(case, lowered, &case.rules(Rules::default())) {
        Ok(obligations) => obligations,
        Err(why) => return Outcome::Unknown(why),
    };
    let mut outcome = Outcome::Proved;
    for obligation in obligations {
        match obligation.ending {
            Ending::Refuted(why) => return Outcome::Refuted(why),
            Ending::Unknown(why) => outcome = Outcome::Unknown(why),
            Ending::Proved(_) => {}
        }
    }
    outcome
}

fn cases(folder: &str) -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    support::kernel_files(&folder).iter().map(|path| (name(path), support::case(path))).collect()
}

/// Faults of values, of which nothing shows in an access: of another judge.
fn is_of_values(name: &str) -> bool {
    name.starts_with("uop/") || name.starts_with("opt/")
}

#[test]
fn planted_faults_are_refuted() {
    let prover = Prover::new(Workers::InProcess);
    let mut refuted = BTreeSet::new();
    let mut missed = Vec::new();
    for (name, case) in cases("planted_faults") {
        if case.expect != Expect::Pass {
            continue;
        }
        let right = lowered(&case, Rules::default()).unwrap_or_else(|| panic!("{name} is not lowered"));
        if let Outcome::Refuted(why) = prove(&prover, &case, &right) {
            panic!("{name} is right, but refuted: {why}");
        }
        for line in &case.comments {
            let Some((rule, state)) = line.trim().strip_prefix("plant: ").and_then(|rest| rest.split_once(' ')) else {
                continue;
            };
            let info = rule::named(rule).unwrap_or_else(|| panic!("there is no rule {rule}"));
            let state_of_rule = if state == "off" { State::Off } else { State::Altered };
            let Some(wrong) = lowered(&case, Rules::default().with(info.id, state_of_rule)) else { continue };
            match prove(&prover, &case, &wrong) {
                // Only what the interpreter confirms is refuted at all.
                Outcome::Refuted(_) => {
                    refuted.insert(format!("{rule} {state}"));
                }
                Outcome::Proved if !is_of_values(rule) => missed.push(format!("{name}: {rule} {state} is proved")),
                Outcome::Proved => {}
                Outcome::Unknown(why) => missed.push(format!("{name}: {rule} {state}: unknown, {why}")),
            }
        }
    }
    missed.iter().for_each(|missed| eprintln!("{missed}"));
    refuted.iter().for_each(|refuted| eprintln!("refuted: {refuted}"));
    assert!(refuted.len() >= 30, "{} different planted faults are refuted", refuted.len());
}

/// Number of random kernels to compare: `PLUMB_PROVE_KERNELS`, by default a few.
fn kernels() -> u64 {
    std::env::var("PLUMB_PROVE_KERNELS").ok().and_then(|count| count.parse().ok()).unwrap_or(150)
}

#[test]
fn nothing_is_proved_that_a_whole_run_refutes() {
    let prover = Prover::new(Workers::InProcess);
    let faults: Vec<(&rule::RuleInfo, State)> = rule::all()
        .filter(|info| !is_of_values(info.name))
        .flat_map(|info| {
            let altered = info.altered.map(|_| (info, State::Altered));
            [Some((info, State::Off)), altered].into_iter().flatten()
        })
        .collect();
    let values = Values::default();
    let (mut right, mut wrong, mut open) = (0, 0, 0);
    for number in 0..kernels() {
        let case = generate::case(9, number);
        // Every other kernel as it should be, the others with a fault.
        let rules = match number % 2 {
            0 => Rules::default(),
            _ => {
                let (info, state) = faults[(number / 2) as usize % faults.len()];
                Rules::default().with(info.id, state)
            }
        };
        let Some(lowered) = lowered(&case, rules) else { continue };
        let run = values.judge(Subject { case: &case, lowered: &lowered });
        let proof = prove(&prover, &case, &lowered);
        match (&proof, &run) {
            (Outcome::Proved, Verdict::Fail(finding)) => panic!("kernel {number} is proved, but {finding}"),
            (Outcome::Refuted(why), Verdict::Pass { share: None }) => panic!("kernel {number} is right, but {why}"),
            (Outcome::Proved, _) => right += 1,
            (Outcome::Refuted(_), _) => wrong += 1,
            (Outcome::Unknown(why), _) => {
                open += 1;
                eprintln!("kernel {number}: {why}");
            }
        }
    }
    eprintln!("{right} proved, {wrong} refuted, {open} unknown");
    assert!(right > 0);
}

/// A random expression over x, y and z, as a text; divisors are numbers other than 0.
fn expression(random: &mut impl FnMut(u64) -> u64, depth: u64) -> String {
    if depth == 0 || random(5) == 0 {
        return match random(4) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            2 => "z".to_owned(),
            _ => (random(13) as i64 - 6).to_string(),
        };
    }
    let left = expression(random, depth - 1);
    match random(6) {
        0 | 1 => format!("({left})+({})", expression(random, depth - 1)),
        2 => format!("({left})-({})", expression(random, depth - 1)),
        3 => format!("({left})*({})", random(13) as i64 - 6),
        4 => format!("({left})//({})", [-4, -3, -2, 2, 3, 4, 6, 12][random(8) as usize]),
        _ => format!("({left})%({})", [-3, -2, 2, 3, 4, 5, 6, 12][random(8) as usize]),
    }
}

#[test]
fn random_expressions_are_judged_as_by_full_enumeration() {
    let count: u64 = std::env::var("PLUMB_PROVE_EXPRESSIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(2000);
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut proved, mut refuted, mut open) = (0u64, 0u64, 0u64);
    for _ in 0..count {
        let ranges = format!("x[0,{}] y[{},{}] z[0,{}]", random(9), random(3), 2 + random(6), random(5));
        let left = expression(&mut random, 3);
        let divisor = 2 + random(5);
        // Equal, equal by an identity, or most likely different.
        let right = match random(4) {
            0 => format!("(({left})*{divisor}+{})//{divisor}", random(divisor)),
            1 => format!("({left})%{divisor}+(({left})//{divisor})*{divisor}"),
            2 => format!("(({left})//{divisor})*{divisor}+({left})-({left})"),
            _ => expression(&mut random, 3),
        };
        let by_enumeration =
            identity(&ranges, &left, &right, Effort { enumerate: u64::MAX, resources: 1 }).expect("well-formed");
        // Without enumeration, so that arithmetic and Z3 have to tell.
        let told = identity(&ranges, &left, &right, Effort { enumerate: 0, resources: 50_000 }).expect("well-formed");
        match (&told, &by_enumeration) {
            (Proof::Proved, Proof::Proved) => proved += 1,
            (Proof::Refuted(_), Proof::Refuted(_)) => refuted += 1,
            (Proof::Unknown(_), _) => open += 1,
            _ => panic!("{ranges}: {left} == {right}: {told:?}, by enumeration {by_enumeration:?}"),
        }
    }
    eprintln!("{proved} proved, {refuted} refuted, {open} unknown");
    assert!(proved > count / 8 && refuted > count / 8 && open < count / 20, "{proved} {refuted} {open}");
}
