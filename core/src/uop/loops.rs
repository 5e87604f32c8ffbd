//! Sets of loops, in a word.

/// A set of loops by number. Loops from 63 on share one place, so that the set may say "contains" of a loop that it
/// does not contain, and never the reverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LoopSet(u64);

impl LoopSet {
    const fn bit(number: usize) -> u64 {
        1 << if number < 63 { number } else { 63 }
    }

    /// Adds a loop.
    pub(super) fn insert(&mut self, number: usize) {
        self.0 |= LoopSet::bit(number);
    }

    /// Adds all loops of `other`.
    pub(super) fn unite(&mut self, other: LoopSet) {
        self.0 |= other.0;
    }

    /// Whether the loop may be among them; `false` is certain.
    pub(super) const fn contains(self, number: usize) -> bool {
        self.0 & LoopSet::bit(number) != 0
    }
}
