//! Each judge alone, the others switched off: how many of the planted faults it catches.

mod support;

use plumb_core::rule::Rules;
use plumb_corpus::case::Expect;
use plumb_oracle::{Oracle as _, Verdict, judges};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The planted faults that each judge catches by itself, by the judge's name.
fn caught() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let mut caught: BTreeMap<&'static str, BTreeSet<&'static str>> = BTreeMap::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted_faults");
    for case in support::kernel_files(&folder).iter().map(|path| support::case(path)) {
        if case.expect != Expect::Pass {
            continue;
        }
        for (info, state) in support::plants(&case) {
            let Ok(lowered) = support::lowered(&case, Rules::default().with(info.id, state)) else { continue };
            for judge in judges() {
                if let Verdict::Fail(_) = judge.judge(plumb_oracle::Subject { case: &case, lowered: &lowered }) {
                    caught.entry(judge.name()).or_default().insert(info.name);
                }
            }
        }
    }
    caught
}

#[test]
fn provenance_alone_catches_faults_of_indices() {
    let caught = caught();
    for (judge, names) in &caught {
        eprintln!("{judge}: {} faults: {names:?}", names.len());
    }
    let provenance = caught.get("provenance").cloned().unwrap_or_default();
    assert!(provenance.len() >= 35, "{} faults", provenance.len());
    for group in ["view/", "symbolic/", "lower/", "uop/"] {
        assert!(provenance.iter().any(|name| name.starts_with(group)), "none of {group}");
    }
}

#[test]
fn findings_name_elements() {
    let text = "plumb case 1\ntarget clang\n%0 = load f32 buf1 (3,2) |> pad((0,0),(1,1))\n%1 = load f32 buf2 (3,4)\n\
                %2 = add %0 %1\nstore f32 buf0 (3,4) %2\nopts none\ndata exact seed 1\nexpect pass\n";
    let case = plumb_corpus::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut lowered = support::lowered(&case, Rules::default()).unwrap_or_else(|error| panic!("{error}"));
    let judge = plumb_oracle::provenance::Provenance::default();
    let verdict = |lowered: &_| judge.judge(plumb_oracle::Subject { case: &case, lowered });
    assert_eq!(verdict(&lowered), Verdict::Pass { share: None });
    // The loads read what the other one reads.
    let loads = lowered.uops.uops.iter().enumerate().filter(|(_, uop)| uop.kind == plumb_core::uop::UopKind::Load);
    let loads: Vec<usize> = loads.map(|(position, _)| position).collect();
    let [first, second] = loads[..] else { panic!("{} loads", loads.len()) };
    let later = first.max(second);
    lowered.uops.uops[later].sources[0] = lowered.uops.uops[first.min(second)].sources[0];
    let Verdict::Fail(finding) = verdict(&lowered) else { panic!("{:?}", verdict(&lowered)) };
    assert!(finding.message.contains("misses buf"), "{finding}");
}

/// Known faults of this kind of code, by the ids under which the project lists them, each planted in a case that names it
/// in a comment (that the case catches its plants is what `planted_faults` tests).
#[test]
fn known_faults_are_planted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted_faults");
    let mut planted = BTreeSet::new();
    for case in support::kernel_files(&folder).iter().map(|path| support::case(path)) {
        if support::plants(&case).is_empty() {
            continue;
        }
        let words = case.comments.iter().flat_map(|line| line.split(|letter: char| !letter.is_ascii_alphanumeric()));
        let is_id = |word: &&str| word.len() == 3 && word[1..].chars().all(|digit| digit.is_ascii_digit());
        planted.extend(words.filter(is_id).map(str::to_owned));
    }
    let known = ["H05", "H06", "H07", "H10", "H14", "H16", "H18", "H19", "H20", "H21", "N17", "N19", "P10"];
    let missing: Vec<_> = known.iter().filter(|id| !planted.contains(**id)).collect();
    assert!(missing.is_empty(), "no case plants {missing:?}");
}
