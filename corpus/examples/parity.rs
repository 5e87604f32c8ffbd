//! How far core agrees with tinygrad 0.9.0 on real kernels, by target and mode, with the first that differ.
//!
//! `cargo run --release -p plumb-corpus --example parity -- KERNELS GOLDEN [every N] [show N] [target T] [mode M]
//! [line L] [text] [repeat N: the least of N times counts]`
#![allow(clippy::print_stdout)]

#[path = "../tests/golden/mod.rs"]
mod golden;

use golden::Difference;
use plumb_core::rule::Rules;
use std::collections::BTreeMap;
use std::io::Read;
use std::time::Duration;

#[derive(Default)]
struct Tally {
    equal: usize,
    /// Equal once 0.9.0's documented faults are switched on.
    documented: usize,
    differ: usize,
    time: Duration,
}

/// The text of a file, gzip or plain.
fn text(path: &str) -> std::io::Result<String> {
    let file = std::fs::File::open(path)?;
    let mut text = String::new();
    if path.ends_with(".gz") {
        flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    } else {
        std::io::BufReader::new(file).read_to_string(&mut text)?;
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [kernels, golden, options @ ..] = &args[..] else { return Err("parity KERNELS GOLDEN [options]".into()) };
    let value = |name: &str| options.iter().position(|option| option == name).and_then(|place| options.get(place + 1));
    let number = |name: &str| value(name).and_then(|text| text.parse::<usize>().ok());
    let every = number("every").unwrap_or(1).max(1);
    let show = number("show").unwrap_or(10);
    let repeat = number("repeat").unwrap_or(1);
    let verbose = options.iter().any(|option| option == "text");

    let (kernels, goldens) = (text(kernels)?, text(golden)?);
    let kernels: Vec<&str> = kernels.lines().collect();
    let targets = golden::targets();
    let mut tallies: BTreeMap<(String, String), Tally> = BTreeMap::new();
    let mut kinds: BTreeMap<&'static str, usize> = BTreeMap::new();
    let faults = golden::faults_of_tinygrad();
    let (mut shown, mut last) = (0, None);
    for golden in golden::parse(&goldens) {
        let wanted = golden.line % every == 0
            && value("target").is_none_or(|target| *target == golden.target)
            && value("mode").is_none_or(|mode| *mode == golden.mode)
            && number("line").is_none_or(|line| line == golden.line);
        let (true, Some(text), Some(target)) = (wanted, kernels.get(golden.line), targets.get(golden.target.as_str()))
        else {
            continue;
        };
        let ast = match &last {
            Some((line, ast)) if *line == golden.line => std::sync::Arc::clone(ast),
            _ => golden::ast(text, golden.line)?,
        };
        last = Some((golden.line, ast.clone()));
        let (result, mut time) = golden::compare(&golden, &ast, target, &Rules::default());
        for _ in 1..repeat {
            time = time.min(golden::compare(&golden, &ast, target, &Rules::default()).1);
        }
        let tally = tallies.entry((golden.target.clone(), golden.mode.clone())).or_default();
        tally.time += time;
        if result.is_err() && golden::compare(&golden, &ast, target, &faults).0.is_ok() {
            tally.documented += 1;
            continue;
        }
        let (kind, detail) = match result {
            Ok(lowered) => {
                tally.equal += 1;
                if verbose {
                    print!("{}", lowered.text());
                }
                continue;
            }
            Err(Difference::Error(text)) => ("error", text),
            Err(Difference::Opts(text)) => ("opts", text),
            Err(Difference::Head(text)) => ("head", text),
            Err(Difference::Name(text)) => ("name", text),
            Err(Difference::Digest(text)) if verbose => ("digest", text),
            Err(Difference::Digest(text)) => {
                let digest = text.lines().next().and_then(|line| line.split(' ').next_back());
                ("digest", format!("{} uops {}", text.lines().count() - 2, digest.unwrap_or("")))
            }
        };
        tally.differ += 1;
        *kinds.entry(kind).or_default() += 1;
        if shown < show {
            shown += 1;
            println!(
                "{kind}: line {} {} {} {} {} [{}] {} uops; ours: {detail}",
                golden.line, golden.target, golden.mode, golden.name, golden.head, golden.opts, golden.uops
            );
        }
    }
    for ((target, mode), tally) in &tallies {
        let count = tally.equal + tally.documented + tally.differ;
        println!(
            "{target:8} {mode:6} {:6} equal {:4} documented {:4} differ  {:.2}%  {:.1} µs a kernel",
            tally.equal,
            tally.documented,
            tally.differ,
            100.0 * tally.equal as f64 / count as f64,
            tally.time.as_secs_f64() * 1e6 / count as f64
        );
    }
    println!("{kinds:?}");
    Ok(())
}
