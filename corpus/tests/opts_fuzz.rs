//! Random optimisations on random kernels: each is applied or refused for a reason that has a name, and what is refused leaves
//! the kernel as it was.
//!
//! `PLUMB_OPT_ATTEMPTS=1000000 cargo test --release -p plumb-corpus --test opts_fuzz -- --nocapture` tries a million.

mod support;

use plumb_core::ast::Ast;
use plumb_core::kernel::{Kernel, Opt, OptError, OptOp};
use plumb_core::rule::Rules;
use plumb_core::target::{NAMES, Target};
use plumb_corpus::case::Case;
use plumb_corpus::generate;
use plumb_corpus::log::parse_line;
use plumb_corpus::source::kernel_files;
use plumb_corpus::text;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Attempts where nobody asks for more.
const ATTEMPTS: usize = 50_000;
/// Attempts on one kernel, each on what those before made of it.
const ON_ONE: usize = 24;
/// No attempt takes longer, however slow the machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Kernels that were captured, here and (where the file is there) by others.
fn captured() -> Vec<Arc<Ast>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let files = kernel_files(&folder).expect("the folder of captured kernels");
    let case =
        |file: &std::path::PathBuf| text::parse(&std::fs::read_to_string(file).expect("a file")).expect("a case");
    let mut asts: Vec<Arc<Ast>> =
        files.iter().filter_map(|file| Some(Arc::new(case(file).kernel.ast().ok()?))).collect();
    if let Some(log) = support::data("sops.gz") {
        // Every so many, as reading all takes longer than trying.
        for (number, line) in log.lines().enumerate().step_by(11) {
            let kernel = parse_line(line, number + 1).expect("a line of the log").kernel;
            asts.extend(kernel.ast().ok().map(Arc::new));
        }
    }
    asts
}

fn random_opt(random: &mut SmallRng, axes: usize) -> Opt {
    let amounts = [0, 1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 10, 12, 16, 16, 24, 29, 32, 32, 64, 256];
    let op = OptOp::ALL[random.random_range(0..OptOp::ALL.len())];
    let odd = [i64::MIN, i64::MIN + 1, -64, -4, -1, 1023, 1 << 31, 1 << 40, i64::MAX - 1, i64::MAX];
    let axis = match random.random_range(0..40) {
        0 => None,
        1 => Some(odd[random.random_range(0..odd.len())]),
        _ => Some(random.random_range(0..=axes as i64)),
    };
    let amount = match random.random_range(0..40) {
        0 => None,
        1 => Some(odd[random.random_range(0..odd.len())]),
        _ => Some(amounts[random.random_range(0..amounts.len())]),
    };
    Opt { op, axis, amount }
}

#[test]
fn optimisations_are_applied_or_refused() {
    let attempts = match std::env::var("PLUMB_OPT_ATTEMPTS") {
        Ok(number) => number.parse().expect("PLUMB_OPT_ATTEMPTS is a number"),
        Err(_) => ATTEMPTS,
    };
    let targets: Vec<Arc<Target>> = NAMES.iter().filter_map(|name| Target::named(name).map(Arc::new)).collect();
    let captured = captured();
    let mut random = SmallRng::seed_from_u64(7);
    let (mut tally, mut kernels, mut longest) = (BTreeMap::<String, usize>::new(), 0u64, Duration::ZERO);
    let mut tried = 0;
    while tried < attempts {
        kernels += 1;
        let ast = match kernels % 3 {
            0 => Arc::clone(&captured[random.random_range(0..captured.len())]),
            _ => {
                let Case { kernel, .. } = generate::case(11, kernels);
                Arc::new(kernel.ast().expect("generated kernels are legal"))
            }
        };
        let target = &targets[random.random_range(0..targets.len())];
        let Ok(mut kernel) = Kernel::new(&ast, target, &Rules::default()) else { continue };
        if random.random_range(0..4) == 0 {
            kernel.apply_tensor_cores();
        }
        for _ in 0..ON_ONE.min(attempts - tried) {
            let opt = random_opt(&mut random, kernel.shape_len());
            let before = kernel.clone();
            let begin = Instant::now();
            let answer = kernel.apply_opt(opt);
            longest = longest.max(begin.elapsed());
            tried += 1;
            let outcome = match &answer {
                Ok(()) => format!("applied {}", opt.op.name()),
                Err(OptError::Refused { check, .. }) => format!("refused {}", check.info().name),
                Err(OptError::Shape(error)) => format!("refused by views: {}", first_word(&error.to_string())),
                Err(error) => panic!("{opt} on {:?} after {:?}: {error}", before.full_shape(), before.applied),
            };
            *tally.entry(outcome).or_default() += 1;
            if answer.is_err() {
                assert!(kernel.same_state(&before), "{opt} after {:?} was refused: {answer:?}", before.applied);
            }
        }
    }
    eprintln!("{tried} attempts on {kernels} kernels, the longest of {longest:?}");
    for (outcome, count) in &tally {
        eprintln!("{count:>9}  {outcome}");
    }
    assert!(longest < PATIENCE, "an attempt took {longest:?}");
    for op in OptOp::ALL.iter().filter(|op| **op != OptOp::UpcastMid) {
        assert!(tally.contains_key(&format!("applied {}", op.name())), "no {} was ever applied", op.name());
    }
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}
