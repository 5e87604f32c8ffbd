//! What the tests share: the reference data beside the project.

use std::io::Read;
use std::path::PathBuf;

/// The text of a gzip file of the reference data, or `None`, said loudly, where the data is not at hand.
pub(crate) fn data(name: &str) -> Option<String> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("PLUMB_SHARED").map_or_else(beside, PathBuf::from).join("data");
    let Ok(file) = std::fs::File::open(folder.join(name)) else {
        eprintln!("SKIPPED: no {name} in {} (set PLUMB_SHARED to the folder that holds data/)", folder.display());
        return None;
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("reference data is gzip of UTF-8 text");
    Some(text)
}
