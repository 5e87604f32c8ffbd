//! Names of the text: each kind of value has a prefix and counts.

use std::collections::HashMap;

/// Counters by prefix.
#[derive(Debug, Default)]
pub(super) struct Names {
    next: HashMap<&'static str, u32>,
}

impl Names {
    /// A new name with this prefix: `alu0`, `alu1`, …
    pub(super) fn fresh(&mut self, prefix: &'static str) -> String {
        let next = self.next.entry(prefix).or_default();
        let name = format!("{prefix}{next}");
        *next += 1;
        name
    }
}

/// `text` as an identifier: what is no ASCII letter, digit or underscore becomes an underscore.
pub(super) fn identifier(text: &str) -> String {
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { format!("k{name}") }
}
