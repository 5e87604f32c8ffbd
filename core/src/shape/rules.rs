//! The table of simplifications of views.

crate::rule_table! {
    /// Simplifications of views. One that is off does not fire: more views are stacked, or more is written out, and what
    /// is shown is still right.
    pub enum ViewRule in View {
        WholeMask = "view/whole-mask": "a mask that leaves everything is dropped",
            altered "a mask is dropped where it leaves everything of the first axis";
        StrideFold = "view/masked-stride-zero": "the stride of an axis of which a mask leaves one place goes to the offset",
            altered "the stride is dropped, the offset stays";
        Merge = "view/merge": "two stacked views become one where one can express both";
        MergePlain = "view/merge-plain": "a plain view and another of as many places become that other view, reshaped where need be";
        MergePadded = "view/merge-padded": "what the mask of the outer view leaves is merged, and padded again",
            altered "padded again one place too far to the end";
        MergeJoin = "view/merge-join": "axes of the inner view that the outer one moves along together are joined";
        MergeMask = "view/merge-mask": "the mask of the inner of two merged views is projected on the outer one",
            altered "the mask of the inner view is forgotten";
        Minify = "view/minify": "a view that is read through is first reduced to as few axes as can express it";
        Reshape = "view/reshape": "a strided view is reshaped in place where its strides allow it";
        ReshapePlain = "view/reshape-plain": "a plain view reshaped is a plain view";
        ReshapeMaskSplit = "view/reshape-mask-split": "a mask is split with its axis where the split divides the axis evenly",
            altered "an axis is split although it does not divide evenly";
        ReshapeMaskRows = "view/reshape-mask-rows": "a mask is split into rows where it is whole rows or part of one",
            altered "a mask is split into rows although it ends within one";
        ReshapeMaskMerge = "view/reshape-mask-merge": "the masks of merged axes become one where they unfold continuously",
            altered "the masks of merged axes become one although they do not unfold continuously";
        ReshapeOffset = "view/reshape-offset": "a masked view is reshaped in place where that moves its origin: the offset accounts for where the masks start",
            altered "the offset accounts for the new masks only";
        ReshapeScalar = "view/reshape-scalar": "a view that shows nothing but padding is reshaped to a scalar by stacking a view",
            altered "padding becomes readable when a view is reshaped to a scalar";
        InvertSign = "view/invert-sign": "the inverse of a view walks backwards along axes that the view walks backwards (off: such a view has no inverse)",
            altered "the inverse of a view ignores negative strides";
        OuterIndex = "view/outer-index": "an index is divided down to the outermost axis of a symbolic size without a remainder, which a valid index never needs";
    }
}
