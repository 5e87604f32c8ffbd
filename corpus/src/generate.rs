//! The generator of random cases: one grammar, driven by fuzzer bytes or by a seed.

use crate::case::Case;

/// Case number `number` of the sweep with `seed`: the same everywhere.
pub fn case(_seed: u64, _number: u64) -> Case {
    unimplemented!()
}

/// A case from fuzzer bytes.
pub fn from_bytes(_input: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Case> {
    unimplemented!()
}
