//! Inputs that are cases: the text of one, or bytes that the generator makes one of.

use arbitrary::Unstructured;
use plumb_corpus::case::Case;
use plumb_corpus::generate::{Profile, Seeded, from_bytes_within};
use plumb_corpus::mutate;
use plumb_corpus::text::{self, VERSION_LINE};

/// The case that an input is: where it begins as the text of a case does, what that says; otherwise what the generator
/// makes of the bytes. `None` where a text is no case.
pub fn case_of(data: &[u8], profile: &Profile) -> Option<Case> {
    if data.starts_with(VERSION_LINE.as_bytes()) {
        return text::parse(std::str::from_utf8(data).ok()?).ok();
    }
    from_bytes_within(&mut Unstructured::new(data), profile).ok()
}

/// A changed case, as text, of at most `max_size` bytes. `None` where the bytes are better changed as such: half the time
/// where they are no text.
pub fn mutate(data: &[u8], max_size: usize, seed: u32) -> Option<Vec<u8>> {
    if !data.starts_with(VERSION_LINE.as_bytes()) && seed.is_multiple_of(2) {
        return None;
    }
    let case = case_of(data, &Profile::fuzz())?;
    changed(&case, None, max_size, seed)
}

/// A case with parts of another, as text, of at most `max_size` bytes.
pub fn splice(data: &[u8], other: &[u8], max_size: usize, seed: u32) -> Option<Vec<u8>> {
    let profile = Profile::fuzz();
    changed(&case_of(data, &profile)?, Some(&case_of(other, &profile)?), max_size, seed)
}

fn changed(case: &Case, other: Option<&Case>, max_size: usize, seed: u32) -> Option<Vec<u8>> {
    let (changed, _) = mutate::mutate(case, other, &mut Seeded::new(u64::from(seed), 0))?;
    Some(text::print(&changed).into_bytes()).filter(|text| text.len() <= max_size)
}
