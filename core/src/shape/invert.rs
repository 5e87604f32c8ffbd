//! The inverse of a view: where each element of the buffer is shown.

use super::compare::product;
use super::{Result, View, ViewRule, row_major_strides};
use crate::rule::State;
use crate::symbolic::{Arena, Sint};

impl View {
    /// The inverse: a view of this view's places, in buffer order, as many as `out_shape` has. `None` where this view
    /// leaves out or repeats elements, or its strides are symbolic.
    pub fn invert(&self, arena: &mut Arena, out_shape: &[Sint]) -> Result<Option<View>> {
        let mut inverse = View::new(arena, &self.shape, None, Sint::Int(0), None)?;
        if let Some(mask) = &self.mask {
            inverse = inverse.shrink(arena, mask)?;
        }
        let Some(strides) = self.strides.iter().map(|stride| stride.int()).collect::<Option<Vec<i64>>>() else {
            return Ok(None);
        };
        let backwards = strides.iter().any(|&stride| stride < 0);
        let state = arena.rules().state(ViewRule::InvertSign);
        if backwards {
            if state == State::Off {
                return Ok(None);
            }
            arena.firings_mut().count(ViewRule::InvertSign);
        }
        let sign = |stride: i64| if stride < 0 && state == State::On { -1 } else { 1 };
        let steps: Vec<i64> = strides.iter().map(|&stride| sign(stride)).collect();
        let mut axes: Vec<usize> = (0..strides.len()).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(strides[axis].unsigned_abs()));
        let inverse = inverse.stride(arena, &steps)?.permute(arena, &axes)?;
        let (size, wanted) = (product(arena, &inverse.shape)?, product(arena, out_shape)?);
        // Only where the axes in this order walk a plain buffer does it show each element once.
        let plain = row_major_strides(arena, &inverse.shape)?;
        let walks_all = axes.iter().zip(&plain).zip(&inverse.shape).all(|((&axis, &stride), &size)| {
            size == Sint::Int(1)
                || stride.int().is_some_and(|stride| stride.unsigned_abs() == strides[axis].unsigned_abs())
        });
        Ok((walks_all && arena.same_sint(size, wanted)).then_some(inverse))
    }
}
