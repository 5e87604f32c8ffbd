//! Which output axes become lanes of a workgroup.

use crate::kernel::{Kernel, OptError, OptOp, dims};
use crate::symbolic::Sint;
use smallvec::SmallVec;

/// The most lanes of a workgroup.
const MOST_LANES: i64 = 128;
/// The most axes of lanes.
const MOST_AXES: usize = 3;
/// How many lanes an axis may give; the first axis also 32.
const AMOUNTS: [i64; 6] = [32, 16, 8, 4, 3, 2];

impl Kernel {
    /// Makes parts of up to three output axes lanes, first of those along which some buffer shows the same element,
    /// from the last to the first.
    pub(super) fn add_lanes(&mut self) -> Result<(), OptError> {
        if !self.target.has_local {
            return Ok(());
        }
        let mut chosen: SmallVec<[(usize, i64); 8]> = SmallVec::new();
        let mut lanes = 1i64;
        let first_reduce = self.first_reduce();
        for expanded in [true, false] {
            for axis in (0..first_reduce).rev() {
                if self.is_expanded_somewhere(axis) != expanded {
                    continue;
                }
                let Some(&size) = self.full_shape().get(axis) else { continue };
                for &amount in &AMOUNTS[usize::from(axis != 0)..] {
                    if lanes * amount <= MOST_LANES && dims::divides(&mut self.arena, amount, size)? {
                        chosen.push((axis, amount));
                        lanes *= amount;
                        break;
                    }
                }
            }
        }
        chosen.truncate(MOST_AXES);
        chosen.sort_unstable();
        let mut dropped = 0;
        for (axis, amount) in chosen {
            let axis = axis - dropped;
            if self.full_shape().get(axis) == Some(&Sint::Int(amount)) {
                dropped += 1;
            }
            self.choose(OptOp::Local, axis, amount)?;
        }
        Ok(())
    }

    /// Whether some buffer's last view has stride 0 along the axis.
    fn is_expanded_somewhere(&self, axis: usize) -> bool {
        let last =
            |view: &crate::shape::ShapeTracker| view.views.last().and_then(|view| view.strides.get(axis).copied());
        self.views.iter().any(|view| last(view) == Some(Sint::Int(0)))
    }
}
