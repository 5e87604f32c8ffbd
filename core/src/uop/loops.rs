//! Sets of loops: of those that a uop depends on, and of those around it.

/// A set of loops by number, in a word. Loops from 63 on share one place, so that the set may say "contains" of a loop
/// that it does not contain, and never the reverse.
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

    /// Whether all loops of `other` may be among them; `false` is certain.
    pub(super) const fn contains_all(self, other: LoopSet) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the loop may be among them; `false` is certain.
    pub(super) const fn contains(self, number: usize) -> bool {
        self.0 & LoopSet::bit(number) != 0
    }
}

/// A set of loops for each of many uops, exact for any number of loops: one bit a loop, one row of words a uop.
#[derive(Clone, Debug)]
pub(super) struct LoopTable {
    words: usize,
    bits: Vec<u64>,
}

impl LoopTable {
    /// Empty sets for `rows` uops, of `loops` loops.
    pub(super) fn new(rows: usize, loops: usize) -> LoopTable {
        let words = loops.div_ceil(64);
        LoopTable { words, bits: vec![0; rows * words] }
    }

    /// Adds a loop to a row.
    pub(super) fn insert(&mut self, row: usize, number: usize) {
        self.bits[row * self.words + number / 64] |= 1 << (number % 64);
    }

    /// Adds the loops of the row `from`, less `without`, to the row `to`.
    pub(super) fn unite(&mut self, to: usize, from: usize, without: &[usize]) {
        for word in 0..self.words {
            let left_out = without.iter().filter(|&&number| number / 64 == word).map(|number| 1u64 << (number % 64));
            let left_out = left_out.fold(0, |all, bit| all | bit);
            self.bits[to * self.words + word] |= self.bits[from * self.words + word] & !left_out;
        }
    }

    /// The loops of a row, in increasing order.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let words = &self.bits[row * self.words..][..self.words];
        words.iter().enumerate().flat_map(|(place, &word)| Bits(word).map(move |bit| place * 64 + bit))
    }
}

/// The places of the ones in a word.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
