//! Sources of choices: what the grammar asks, answered by a fuzzer's bytes or by a seeded generator.
//!
//! The grammar only ever asks for a number below a bound, and orders its alternatives so that 0 is the simplest. A
//! source that has run out answers 0 for ever, so that any bytes make a case and few bytes make a simple one.

use arbitrary::Unstructured;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A source of choices.
///
/// What shapes a case (which kind of kernel, which operation) is asked for apart from details (sizes, widths, constants),
/// so that a source can keep a change of the one from shifting the other.
pub trait Choice {
    /// A number below `bound`, which is at least 1, for something that shapes the case; 0 is the simplest.
    fn below(&mut self, bound: u32) -> u32;

    /// A number below `bound`, which is at least 1, for a detail; 0 is the simplest.
    fn detail(&mut self, bound: u32) -> u32;
}

impl dyn Choice + '_ {
    /// True in about `numerator` of `denominator` cases; false is the simplest.
    pub(super) fn chance(&mut self, numerator: u32, denominator: u32) -> bool {
        numerator > 0 && self.below(denominator) >= denominator.saturating_sub(numerator)
    }

    /// A place in a list of `len`, which is at least 1.
    pub(super) fn index(&mut self, len: usize) -> usize {
        self.below(u32::try_from(len).unwrap_or(u32::MAX)) as usize
    }

    /// One of `alternatives`, which are not none.
    pub(super) fn pick<T: Copy>(&mut self, alternatives: &[T]) -> T {
        alternatives[self.index(alternatives.len())]
    }

    /// One of `alternatives`, which are not none, as a detail.
    pub(super) fn pick_detail<T: Copy>(&mut self, alternatives: &[T]) -> T {
        alternatives[self.detail(u32::try_from(alternatives.len()).unwrap_or(u32::MAX)) as usize]
    }

    /// One of `alternatives`, in proportion to its weight; the first where no weight is above 0. There is at least one.
    pub(super) fn weighted<T: Copy>(&mut self, alternatives: &[(u32, T)]) -> T {
        let total: u32 = alternatives.iter().map(|(weight, _)| weight).sum();
        let mut drawn = self.below(total.max(1));
        for &(weight, alternative) in alternatives {
            if drawn < weight {
                return alternative;
            }
            drawn -= weight;
        }
        alternatives[0].1
    }

    /// A number from `low` to `high`, inclusive, as a detail; `low` where the range is empty.
    pub(super) fn range(&mut self, low: i64, high: i64) -> i64 {
        let bound = high.saturating_sub(low).saturating_add(1).clamp(1, i64::from(u32::MAX));
        low + i64::from(self.detail(bound as u32))
    }
}

/// A fuzzer's bytes: the structure is read from the front and details from the back, until the two meet.
#[derive(Clone, Debug)]
pub struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    /// All of these bytes.
    pub const fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes { rest: bytes }
    }

    /// All that is left of `input`.
    pub fn all_of(input: &mut Unstructured<'a>) -> arbitrary::Result<Bytes<'a>> {
        Ok(Bytes { rest: input.bytes(input.len())? })
    }

    /// A number below `bound` from as few bytes as hold one, each taken by `take`.
    fn number(&mut self, bound: u32, take: fn(&mut &'a [u8]) -> Option<u8>) -> u32 {
        let mut most = bound.saturating_sub(1);
        let mut number = 0u32;
        while most > 0 {
            let Some(byte) = take(&mut self.rest) else { break };
            number = number << 8 | u32::from(byte);
            most >>= 8;
        }
        number % bound.max(1)
    }
}

impl Choice for Bytes<'_> {
    fn below(&mut self, bound: u32) -> u32 {
        self.number(bound, |rest| rest.split_off_first().copied())
    }

    fn detail(&mut self, bound: u32) -> u32 {
        self.number(bound, |rest| rest.split_off_last().copied())
    }
}

/// A generator of pseudorandom numbers, the same on every machine: xoshiro256++ started from the SHA-256 of a seed and a
/// number, so that neighbouring numbers have nothing in common.
#[derive(Clone, Debug)]
pub struct Seeded {
    generator: Xoshiro256PlusPlus,
}

impl Seeded {
    /// The source for case `number` of `seed`.
    pub fn new(seed: u64, number: u64) -> Seeded {
        let hash = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(number.to_le_bytes()).finalize();
        Seeded { generator: Xoshiro256PlusPlus::from_seed(hash.into()) }
    }
}

impl Choice for Seeded {
    fn below(&mut self, bound: u32) -> u32 {
        // The upper half of a product spreads 32 random bits over `bound` numbers; `rand` may change how it does that.
        let bits = self.generator.next_u64() >> 32;
        ((bits * u64::from(bound.max(1))) >> 32) as u32
    }

    fn detail(&mut self, bound: u32) -> u32 {
        self.below(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_from_both_ends_and_end_in_zeros() {
        let mut bytes = Bytes::new(&[7, 1, 2, 9]);
        assert_eq!(bytes.below(10), 7);
        assert_eq!(bytes.detail(10), 9);
        assert_eq!(bytes.below(1), 0, "a choice of one takes no byte");
        assert_eq!(bytes.below(1000), 0x102);
        assert_eq!((bytes.below(10), bytes.detail(10), bytes.below(u32::MAX)), (0, 0, 0));
    }

    #[test]
    fn seeds_and_numbers_give_streams_of_their_own() {
        let start = |seed, number| Seeded::new(seed, number).below(u32::MAX);
        assert_eq!(start(1, 2), start(1, 2));
        let starts: std::collections::BTreeSet<u32> =
            (0..40).flat_map(|seed| (0..40).map(move |number| (seed, number))).map(|(s, n)| start(s, n)).collect();
        assert!(starts.len() >= 1599, "{}", starts.len());
    }

    #[test]
    fn the_seeded_generator_is_the_same_for_ever() {
        let mut source = Seeded::new(1, 0);
        let drawn: Vec<u32> = (0..6).map(|_| source.below(1000)).collect();
        // Computed apart, from the definitions of SHA-256 and xoshiro256++.
        assert_eq!(drawn, [220, 218, 934, 715, 339, 264]);
    }

    #[test]
    fn weights_and_chances_hold() {
        let mut source = Seeded::new(3, 3);
        let source: &mut dyn Choice = &mut source;
        let mut counts = [0; 3];
        (0..6000).for_each(|_| counts[source.weighted(&[(1, 0), (0, 1), (2, 2)])] += 1);
        assert_eq!(counts[1], 0);
        assert!((1800..2200).contains(&counts[0]), "{counts:?}");
        let hits = (0..6000).filter(|_| source.chance(1, 4)).count();
        assert!((1350..1650).contains(&hits), "{hits}");
        let mut none = Bytes::new(&[]);
        let none: &mut dyn Choice = &mut none;
        assert!(!none.chance(3, 4));
        assert_eq!(none.range(-2, 5), -2);
    }
}
