//! (signatures only, to be replaced by the implementation)
#![allow(unused_variables, missing_docs, dead_code, clippy::all)]
use super::*;
use crate::symbolic::{Arena, NodeId};
type R<T> = Result<T, ShapeError>;

impl View {
    /// Canonical view (0.9.0's View.create); strides None: row-major.
    pub fn new(
        arena: &mut Arena,
        shape: &[Sint],
        strides: Option<&[Sint]>,
        offset: Sint,
        mask: Option<&[(Sint, Sint)]>,
    ) -> R<View> {
        unimplemented!()
    }
    pub fn size(&self, arena: &Arena) -> i64 {
        unimplemented!()
    }
    pub fn vars(&self, arena: &mut Arena) -> Vec<NodeId> {
        unimplemented!()
    }
    pub fn pad(&self, arena: &mut Arena, arg: &[(Sint, Sint)]) -> R<View> {
        unimplemented!()
    }
    pub fn shrink(&self, arena: &mut Arena, arg: &[(Sint, Sint)]) -> R<View> {
        unimplemented!()
    }
    pub fn expand(&self, arena: &mut Arena, shape: &[Sint]) -> R<View> {
        unimplemented!()
    }
    pub fn permute(&self, arena: &mut Arena, axes: &[usize]) -> R<View> {
        unimplemented!()
    }
    pub fn stride(&self, arena: &mut Arena, steps: &[i64]) -> R<View> {
        unimplemented!()
    }
    /// None where one view can't express it.
    pub fn reshape(&self, arena: &mut Arena, shape: &[Sint]) -> R<Option<View>> {
        unimplemented!()
    }
    /// `self` read through `outer` (0.9.0's self + outer); None where two views are needed.
    pub fn merge(&self, arena: &mut Arena, outer: &View) -> R<Option<View>> {
        unimplemented!()
    }
    pub fn minify(&self, arena: &mut Arena) -> R<View> {
        unimplemented!()
    }
    pub fn invert(&self, arena: &mut Arena, out_shape: &[Sint]) -> R<Option<View>> {
        unimplemented!()
    }
}
impl ShapeTracker {
    pub fn from_shape(arena: &mut Arena, shape: &[Sint]) -> R<ShapeTracker> {
        unimplemented!()
    }
    /// Row-major, integers only.
    pub fn from_ints(arena: &mut Arena, shape: &[i64]) -> R<ShapeTracker> {
        unimplemented!()
    }
    pub fn shape(&self) -> &Dims {
        unimplemented!()
    }
    pub fn contiguous(&self) -> bool {
        unimplemented!()
    }
    pub fn consecutive(&self) -> bool {
        unimplemented!()
    }
    pub fn size(&self, arena: &Arena) -> i64 {
        unimplemented!()
    }
    pub fn real_size(&self, arena: &mut Arena) -> R<i64> {
        unimplemented!()
    }
    pub fn vars(&self, arena: &mut Arena) -> Vec<NodeId> {
        unimplemented!()
    }
    pub fn unbind(&self, arena: &mut Arena) -> R<ShapeTracker> {
        unimplemented!()
    }
    /// Stride of each axis in the index expression; None where there is no single one, or (unless ignore_valid) it is masked.
    pub fn real_strides(&self, arena: &mut Arena, ignore_valid: bool) -> R<SmallVec<[Option<Sint>; 6]>> {
        unimplemented!()
    }
    pub fn unit_stride_axes(&self, arena: &mut Arena, ignore_valid: bool) -> R<SmallVec<[usize; 6]>> {
        unimplemented!()
    }
    pub fn axis_is_masked(&self, arena: &mut Arena, axis: usize) -> R<bool> {
        unimplemented!()
    }
    /// Index and valid for the given index of each axis (None: variables idx0, idx1, …).
    pub fn index_and_valid(&self, arena: &mut Arena, indices: Option<&[NodeId]>) -> R<(NodeId, NodeId)> {
        unimplemented!()
    }
    pub fn simplify(&self, arena: &mut Arena) -> R<ShapeTracker> {
        unimplemented!()
    }
    /// `self` read through `outer`, merged where possible (0.9.0's st + st).
    pub fn through(&self, arena: &mut Arena, outer: &ShapeTracker) -> R<ShapeTracker> {
        unimplemented!()
    }
    pub fn invert(&self, arena: &mut Arena, out_shape: &[Sint]) -> R<Option<ShapeTracker>> {
        unimplemented!()
    }
    pub fn pad(&self, arena: &mut Arena, arg: &[(Sint, Sint)]) -> R<ShapeTracker> {
        unimplemented!()
    }
    pub fn shrink(&self, arena: &mut Arena, arg: &[(Sint, Sint)]) -> R<ShapeTracker> {
        unimplemented!()
    }
    pub fn expand(&self, arena: &mut Arena, shape: &[Sint]) -> R<ShapeTracker> {
        unimplemented!()
    }
    pub fn permute(&self, arena: &mut Arena, axes: &[usize]) -> R<ShapeTracker> {
        unimplemented!()
    }
    pub fn stride(&self, arena: &mut Arena, steps: &[i64]) -> R<ShapeTracker> {
        unimplemented!()
    }
    pub fn reshape(&self, arena: &mut Arena, shape: &[Sint]) -> R<ShapeTracker> {
        unimplemented!()
    }
}
/// 0.9.0's strides_for_shape.
pub fn row_major_strides(arena: &mut Arena, shape: &[Sint]) -> R<Dims> {
    unimplemented!()
}
