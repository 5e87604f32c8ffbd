//! Sizes of axes.

use super::choice::Choice;

/// Small sizes, the simplest first.
const SMALL: [i64; 4] = [2, 3, 4, 5];
/// Powers of two.
const POWERS: [i64; 6] = [4, 8, 16, 32, 64, 2];
/// Sizes just below and above those that optimisations like.
const NEAR: [i64; 8] = [3, 5, 7, 9, 15, 17, 31, 33];
/// Primes.
const PRIMES: [i64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
/// Multiples of what optimisations like.
const MULTIPLES: [i64; 8] = [6, 12, 20, 24, 48, 28, 40, 10];
/// Sizes that reductions are split for.
const WIDE: [i64; 7] = [64, 96, 128, 256, 512, 100, 1024];
/// Sizes that matrix instructions take, and their neighbours.
const MATRIX: [i64; 8] = [16, 8, 32, 24, 64, 48, 17, 40];
/// All that a size that is too large is cut down to.
const LADDER: [i64; 22] = [2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 17, 24, 31, 32, 33, 48, 64, 96, 128, 256, 512];

/// What an axis is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// One of the outputs' axes.
    Output,
    /// It is reduced.
    Reduce,
    /// An axis of a matrix product.
    Matrix,
    /// The taps of a window.
    Taps,
}

/// A size for an axis of that use.
pub(super) fn size(choice: &mut dyn Choice, of: Use) -> i64 {
    let classes: &[(u32, &[i64])] = match of {
        Use::Output => {
            &[(5, &SMALL), (4, &POWERS), (3, &NEAR), (2, &PRIMES), (2, &[1]), (2, &MULTIPLES), (1, &[64, 100, 128])]
        }
        Use::Reduce => &[(4, &SMALL), (4, &POWERS), (3, &NEAR), (2, &PRIMES), (2, &MULTIPLES), (3, &WIDE)],
        Use::Matrix => &[(8, &MATRIX), (1, &SMALL), (1, &NEAR)],
        Use::Taps => &[(4, &[3, 2, 4, 5, 7]), (1, &[1, 8, 9])],
    };
    let class = choice.weighted(classes);
    choice.pick_detail(class)
}

/// Cuts the largest sizes down, one step of the ladder at a time, until the product is at most `limit`.
pub(super) fn cut(sizes: &mut [i64], limit: i64) {
    while sizes.iter().copied().fold(1, i64::saturating_mul) > limit.max(1) {
        let Some(largest) = sizes.iter_mut().max_by_key(|size| **size) else { return };
        if *largest <= 1 {
            return;
        }
        *largest = LADDER.iter().rev().copied().find(|step| step < largest).unwrap_or(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_ends_at_the_limit_and_leaves_what_fits() {
        for (sizes, limit, expected) in [
            (vec![64, 64, 64], 4096, vec![16, 16, 16]),
            (vec![3, 5], 15, vec![3, 5]),
            (vec![1024, 2], 100, vec![48, 2]),
            (vec![2, 2], 0, vec![1, 1]),
            (vec![], 0, vec![]),
        ] {
            let mut cut_sizes = sizes.clone();
            cut(&mut cut_sizes, limit);
            assert_eq!(cut_sizes, expected, "{sizes:?} to {limit}");
        }
    }
}
