//! `plumb sweep`.

use super::plumb_in;

/// The verdicts of a sweep, without what depends on the clock.
fn verdicts(arguments: &[&str]) -> (i32, Vec<String>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = plumb_in(folder.path(), arguments, "");
    let lines = ran.out.lines().map(|line| line.split("\"seconds\"").next().unwrap_or_default().to_owned()).collect();
    (ran.status, lines)
}

#[test]
fn a_verdict_does_not_depend_on_the_number_of_threads() {
    let alone = verdicts(&["sweep", "--cases", "300", "--seed", "5", "--json", "--jobs", "1"]);
    let together = verdicts(&["sweep", "--cases", "300", "--seed", "5", "--json", "--jobs", "3"]);
    assert_eq!(alone, together);
    assert_eq!(alone.0, 0, "{:?}", alone.1);
}

#[test]
fn shards_together_are_the_whole() {
    let count = |arguments: &[&str]| {
        let (_, lines) = verdicts(arguments);
        let summary: serde_json::Value =
            serde_json::from_str(&format!("{}\"x\":0}}}}", lines.last().expect("a summary"))).expect("JSON");
        summary["summary"]["cases"].as_u64().expect("a number")
    };
    let parts: u64 =
        (1..=3).map(|part| count(&["sweep", "--cases", "31", "--json", "--shard", &format!("{part}/3")])).sum();
    assert_eq!(parts, 31);
}

#[test]
fn a_planted_fault_is_found_saved_and_replayed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rule = "lower/gate-loads=off";
    let ran = plumb_in(folder.path(), &["sweep", "--cases", "300", "--rule", rule, "--max-failures", "1"], "");
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    let replay = ran.out.lines().find_map(|line| line.trim().strip_prefix("replay: plumb ")).expect("a replay line");
    let words: Vec<&str> = replay.split(' ').collect();
    assert!(folder.path().join(words[1]).is_file(), "{replay}");
    let again = plumb_in(folder.path(), &words, "");
    assert_eq!(again.status, 1, "{}{}", again.out, again.err);
    // The saved case is right as soon as the fault is gone.
    let healed = plumb_in(folder.path(), &words[..2], "");
    assert_eq!(healed.status, 0, "{}{}", healed.out, healed.err);
}
