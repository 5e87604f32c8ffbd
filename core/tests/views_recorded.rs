//! Views that chains of movements lead to, field by field, against recorded ones.

mod view_support;

use view_support::Reader;

#[test]
fn chains_lead_to_the_recorded_views() {
    let lines = include_str!("data/views.txt").lines().filter(|line| !line.is_empty() && !line.starts_with(';'));
    let mut count = 0;
    for line in lines {
        let (chain, recorded) = line.split_once('\t').unwrap_or_else(|| panic!("not two parts: {line}"));
        let answer = Reader::answer(chain).unwrap_or_else(|error| format!("error {error}"));
        assert_eq!(answer, recorded, "{chain}");
        count += 1;
    }
    assert!(count > 200, "only {count} lines");
}
