//! Functions at the head of a text, each there once and after those that it calls.

use std::collections::BTreeSet;

/// The functions so far.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    names: BTreeSet<String>,
    texts: Vec<String>,
}

impl Helpers {
    /// Adds a function unless it is there.
    pub(super) fn add(&mut self, name: &str, definition: impl FnOnce() -> String) {
        if self.names.insert(name.to_owned()) {
            self.texts.push(definition());
        }
    }

    /// The definitions, in order.
    pub(super) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}
