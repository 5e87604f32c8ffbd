//! Which elements a wrong output came from, and which it should have: for people.

use super::algebra::Origin;
use super::lane::TraceId;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Elements listed of each kind.
const LISTED: usize = 3;

/// How often each element of each buffer occurs.
pub(super) type Multiset = BTreeMap<(u32, i64), u64>;

/// The elements from which a traced value came. Later values are traced after those that they came from.
pub(super) fn elements(trace: &[Origin], root: TraceId) -> Multiset {
    let mut times = vec![0u64; root as usize + 1];
    let mut elements = Multiset::new();
    if let Some(last) = times.last_mut() {
        *last = 1;
    }
    for at in (1..=root as usize).rev().filter(|&at| at < trace.len()) {
        let count = times[at];
        match trace[at] {
            _ if count == 0 => {}
            Origin::Nothing => {}
            Origin::Element { buffer, element } => {
                let known = elements.entry((buffer, element)).or_default();
                *known = known.saturating_add(count);
            }
            Origin::Both(a, b) => {
                for source in [a, b] {
                    times[source as usize] = times[source as usize].saturating_add(count);
                }
            }
        }
    }
    elements
}

/// What differs, in words.
pub(super) fn describe(expected: &Multiset, got: &Multiset) -> String {
    let count = |set: &Multiset, key: &(u32, i64)| set.get(key).copied().unwrap_or(0);
    let name = |&(buffer, element): &(u32, i64)| format!("buf{buffer}[{element}]");
    let list = |what: &str, names: Vec<String>| {
        let mut text = format!("{what} {}", names[..names.len().min(LISTED)].join(", "));
        if names.len() > LISTED {
            let _ = write!(text, " and {} more", names.len() - LISTED);
        }
        text
    };
    let missing: Vec<String> = expected.keys().filter(|key| count(got, key) == 0).map(name).collect();
    let extra: Vec<String> = got.keys().filter(|key| count(expected, key) == 0).map(name).collect();
    let times = |key: &(u32, i64)| format!("{} {} times, not {}", name(key), count(got, key), count(expected, key));
    let other = expected.keys().filter(|key| count(got, key) != 0 && count(got, key) != count(expected, key));
    let other: Vec<String> = other.map(times).collect();
    let parts = [("misses", missing), ("has besides", extra), ("has", other)];
    let parts: Vec<String> =
        parts.into_iter().filter(|(_, names)| !names.is_empty()).map(|(what, names)| list(what, names)).collect();
    if parts.is_empty() {
        "comes from the right elements, combined in another way".to_owned()
    } else {
        parts.join("; ")
    }
}
