//! Launch dimensions within the limits of the target.

use super::{Kernel, LowerError, dims};
use crate::shape::Dims;
use crate::symbolic::Sint;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Launch dimensions that there can be.
const LAUNCH_DIMS: usize = 3;

impl Kernel {
    /// Reorders, or else reshapes, the axes of the launch grid so that its dimensions keep within the target's
    /// limits.
    ///
    /// The last axis becomes launch dimension 0, the one before it dimension 1, all others together dimension 2; the
    /// limits are listed the other way round. Fails where no three factors of the grid's size keep within them, or
    /// sizes that do not are symbolic.
    pub fn limit_dims_to_max(&mut self) -> Result<(), LowerError> {
        let target = Arc::clone(&self.target);
        let Some(limits) = target.global_max.as_deref().filter(|_| target.has_local) else { return Ok(()) };
        self.swap_long_axes(limits)?;
        if self.launch_fits(limits) {
            return Ok(());
        }
        let global = self.global_dims();
        let mut order: SmallVec<[usize; 8]> = (0..self.shape_len()).collect();
        order[..global].sort_by_key(|&axis| dims::most(&self.arena, self.full_shape()[axis]));
        let unordered = self.views.clone();
        self.permute_all(&order)?;
        if self.launch_fits(limits) {
            return Ok(());
        }
        self.views = unordered;
        self.factor_launch(limits)
    }

    /// Swaps each axis that is too long with the last one of the grid, as 0.9.0 does.
    fn swap_long_axes(&mut self, limits: &[i64]) -> Result<(), LowerError> {
        let global = self.global_dims();
        for (axis, &limit) in limits.iter().enumerate().take(global.saturating_sub(1)) {
            if self.full_shape().get(axis).is_some_and(|&size| dims::may_exceed(&self.arena, size, limit)) {
                let mut order: SmallVec<[usize; 8]> = (0..self.shape_len()).collect();
                order.swap(axis, global - 1);
                self.permute_all(&order)?;
            }
        }
        Ok(())
    }

    /// Whether all launch dimensions keep within the limits.
    fn launch_fits(&self, limits: &[i64]) -> bool {
        let axes = &self.full_shape()[..self.global_dims()];
        let (merged, single) = axes.split_at(axes.len().saturating_sub(LAUNCH_DIMS - 1));
        let most = |size: &Sint| dims::most(&self.arena, *size);
        let merged = merged.iter().map(most).fold(1, i64::saturating_mul);
        let sizes = single.iter().rev().map(most).chain([1; LAUNCH_DIMS - 1]).take(LAUNCH_DIMS - 1).chain([merged]);
        sizes.zip(limits.iter().rev()).all(|(size, &limit)| size <= limit)
    }

    /// Gives the grid new axes: three factors of its size, within the limits.
    fn factor_launch(&mut self, limits: &[i64]) -> Result<(), LowerError> {
        let global = self.global_dims();
        let grid = Dims::from_slice(&self.full_shape()[..global]);
        let refused = |kernel: &Kernel| {
            let grid = dims::text(&kernel.arena, &grid);
            LowerError::Unsupported(format!("a launch grid of {grid} on a target with the limits {limits:?}"))
        };
        let size = grid.iter().try_fold(1i64, |product, size| product.checked_mul(size.int()?));
        let Some(factors) = size.and_then(|size| three_factors(size, limits)) else { return Err(refused(self)) };
        let new: SmallVec<[Sint; 3]> = factors.into_iter().filter(|&size| size > 1).map(Sint::Int).collect();
        let ones: SmallVec<[Sint; 3]> = smallvec![Sint::Int(1); new.len()];
        let fits = |shape: &[Sint]| shape.get(..global).is_some_and(|axes| axes == &grid[..] || is_ones(axes));
        if !self.views.iter().all(|view| fits(view.shape())) {
            return Err(refused(self));
        }
        self.views = self.reshaped(|shape| {
            let (axes, rest) = shape.split_at(global);
            let new = if is_ones(axes) { &ones } else { &new };
            new.iter().chain(rest).copied().collect()
        })?;
        Ok(())
    }
}

fn is_ones(shape: &[Sint]) -> bool {
    shape.iter().all(|&size| size == Sint::Int(1))
}

/// Three factors of `size`, outermost first, each within its limit: the last as large as it can be, then the second.
fn three_factors(size: i64, limits: &[i64]) -> Option<[i64; 3]> {
    let limit = |from_last: usize| limits.iter().rev().nth(from_last).copied().unwrap_or(i64::MAX);
    let divisors = divisors(size);
    for &x in divisors.iter().rev().filter(|&&x| x <= limit(0)) {
        let rest = size / x;
        let y = divisors.iter().rev().find(|&&y| y <= limit(1) && rest % y == 0);
        if let Some(&y) = y
            && rest / y <= limit(2)
        {
            return Some([rest / y, y, x]);
        }
    }
    None
}

/// The divisors of a positive number, ascending. Prime factors beyond 2²⁰ are taken together as one: no launch
/// dimension would be given such a factor alone.
fn divisors(size: i64) -> Vec<i64> {
    let mut found = vec![1];
    let mut rest = size;
    let add = |prime: i64, power: u32, found: &mut Vec<i64>| {
        let before = found.clone();
        let mut factor = 1;
        for _ in 0..power {
            factor *= prime;
            found.extend(before.iter().map(|divisor| divisor * factor));
        }
    };
    let mut candidate = 2;
    while candidate < 1 << 20 && candidate * candidate <= rest {
        let mut power = 0;
        while rest % candidate == 0 {
            rest /= candidate;
            power += 1;
        }
        add(candidate, power, &mut found);
        candidate += 1;
    }
    if rest > 1 {
        add(rest, 1, &mut found);
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::{divisors, three_factors};

    #[test]
    fn divisors_are_complete_and_ascending() {
        for size in 1..200 {
            let expected: Vec<i64> = (1..=size).filter(|divisor| size % divisor == 0).collect();
            assert_eq!(divisors(size), expected, "of {size}");
        }
        assert_eq!(divisors(1 << 40).len(), 41);
        assert_eq!(divisors(2_147_483_647), [1, 2_147_483_647]);
    }

    #[test]
    fn factors_are_found_exactly_where_there_are_any() {
        for size in 1..=600 {
            let expected = (1..=8).any(|x| (1..=8).any(|y| size % (x * y) == 0 && size / (x * y) <= 8));
            let found = three_factors(size, &[8, 8, 8]);
            assert_eq!(found.is_some(), expected, "of {size}");
            if let Some(factors) = found {
                assert_eq!(factors.iter().product::<i64>(), size);
                assert!(factors.iter().all(|&factor| factor <= 8), "{factors:?}");
            }
        }
    }

    #[test]
    fn limits_differ_by_dimension() {
        assert_eq!(three_factors(70_000 * 3, &[65535, 65535, 2_147_483_647]), Some([1, 1, 210_000]));
        assert_eq!(three_factors(12, &[1, 2, 6]), Some([1, 2, 6]));
        assert_eq!(three_factors(13, &[8, 8, 8]), None);
    }
}
