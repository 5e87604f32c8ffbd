//! The mask of a reshaped view.

use super::{Mask, View, ViewRule};
use crate::rule::{Rules, State};
use crate::symbolic::{Arena, Sint};
use smallvec::{SmallVec, smallvec};

/// What becomes of a mask.
pub(super) enum Reshaped {
    /// The mask of the new shape; `None`: nothing is masked.
    Mask(Option<Mask>),
    /// No mask of the new shape can express it.
    Impossible,
}

type Range = (i64, i64);

/// The mask of `view`, reshaped to `shape`, which has as many places.
pub(super) fn reshape_mask(arena: &mut Arena, view: &View, shape: &[Sint]) -> Reshaped {
    let Some(mask) = &view.mask else { return Reshaped::Mask(None) };
    let ranges: Option<SmallVec<[Range; 6]>> = mask.iter().map(|(low, high)| Some((low.int()?, high.int()?))).collect();
    let sizes = |dims: &[Sint]| dims.iter().map(|dim| dim.int()).collect::<Option<SmallVec<[i64; 6]>>>();
    // 0.9.0 divides symbolic sizes here as if they were numbers, which it can't; two views say the same.
    let (Some(ranges), Some(old), Some(new)) = (ranges, sizes(&view.shape), sizes(shape)) else {
        return Reshaped::Impossible;
    };
    let rules = *arena.rules();
    match walk(&rules, &ranges, &old, &new) {
        Walked::Mask(ranges) => {
            arena.firings_mut().count(ViewRule::ReshapeMaskSplit);
            Reshaped::Mask(Some(ranges.iter().rev().map(|&(low, high)| (Sint::Int(low), Sint::Int(high))).collect()))
        }
        Walked::Nothing => Reshaped::Mask(Some(smallvec![(Sint::Int(0), Sint::Int(0)); shape.len()])),
        Walked::Impossible => Reshaped::Impossible,
    }
}

enum Walked {
    /// Ranges of the new axes, innermost first.
    Mask(SmallVec<[Range; 6]>),
    /// The mask leaves nothing.
    Nothing,
    Impossible,
}

/// Walks both shapes from the innermost axis, splitting an old axis over several new ones and joining several old
/// ones into a new one.
fn walk(rules: &Rules, mask: &[Range], old: &[i64], new: &[i64]) -> Walked {
    let mut masks = mask.iter().rev().copied();
    let mut old_sizes = old.iter().rev().copied();
    let mut new_sizes = new.iter().rev().copied();
    let mut take = || masks.next();
    let mut ranges: SmallVec<[Range; 6]> = SmallVec::new();
    // The new axis in the making covers `step` places of the old one for each of its own.
    let mut step = 1i64;
    let mut size = old_sizes.next().unwrap_or(1);
    let mut wanted = new_sizes.next().unwrap_or(1);
    let mut range = take().unwrap_or((0, 1));
    if range.1 - range.0 < 1 {
        return Walked::Nothing;
    }
    while ranges.len() < new.len() {
        let (low, high) = range;
        let Some(next_step) = wanted.checked_mul(step) else { return Walked::Impossible };
        if next_step < 1 {
            return Walked::Impossible;
        }
        if size == next_step {
            ranges.push((low / step, (high - 1) / step + 1));
            step = 1;
            size = old_sizes.next().unwrap_or(1);
            wanted = new_sizes.next().unwrap_or(1);
            range = take().unwrap_or((0, 1));
            if range.1 - range.0 < 1 {
                return Walked::Nothing;
            }
        } else if size > next_step {
            let cuts_mask =
                (low % next_step != 0 || high % next_step != 0) && low / next_step != (high - 1) / next_step;
            let uneven = size % next_step != 0;
            match rules.state(ViewRule::ReshapeMaskSplit) {
                State::On if cuts_mask || uneven => return Walked::Impossible,
                State::Altered if cuts_mask => return Walked::Impossible,
                State::Off => return Walked::Impossible,
                _ => {}
            }
            ranges.push((low % next_step / step, (high - 1) % next_step / step + 1));
            step = next_step;
            wanted = new_sizes.next().unwrap_or(1);
        } else {
            let outer = take().unwrap_or((0, 1));
            let continuous = range == (0, size) || outer.1 - outer.0 == 1;
            match rules.state(ViewRule::ReshapeMaskMerge) {
                State::On if !continuous => return Walked::Impossible,
                State::Off => return Walked::Impossible,
                _ => {}
            }
            let joined = (|| {
                let low = outer.0.checked_mul(size)?.checked_add(low)?;
                let high = (outer.1 - 1).checked_mul(size)?.checked_add(high)?;
                Some(((low, high), size.checked_mul(old_sizes.next().unwrap_or(1))?))
            })();
            let Some(joined) = joined else { return Walked::Impossible };
            (range, size) = joined;
        }
    }
    // What is left of the old shape are leading axes of size 1.
    let mut rest = std::iter::from_fn(take);
    if rest.any(|range| range != (0, 1)) { Walked::Nothing } else { Walked::Mask(ranges) }
}
