//! What the tests share.

#![allow(dead_code)]

use plumb_corpus::source::Source;
use std::path::PathBuf;

/// The reference data's file of this name, or `None`, said loudly, where the data is not at hand.
pub(crate) fn shared(name: &str) -> Option<Source> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("PLUMB_SHARED").map_or_else(beside, PathBuf::from).join("data");
    let path = folder.join(name);
    if !path.exists() {
        eprintln!("SKIPPED: no {name} in {} (set PLUMB_SHARED to the folder that holds data/)", folder.display());
        return None;
    }
    Some(Source::open(&path).unwrap_or_else(|error| panic!("{error}")))
}

/// Of a long list of things each `PLUMB_EVERY`-th is tried, by default each `default`-th.
pub(crate) fn every(default: usize) -> usize {
    std::env::var("PLUMB_EVERY").ok().and_then(|every| every.parse().ok()).unwrap_or(default).max(1)
}
