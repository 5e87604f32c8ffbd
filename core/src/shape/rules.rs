//! The table of simplifications of views.

crate::rule_table! {
    /// Simplifications of views. One that is off does not fire: more views are stacked, and what they show is still
    /// right.
    pub enum ViewRule in View {
        Merge = "view/merge": "two stacked views become one where one can express both";
        MergeMask = "view/merge-mask": "the mask of the inner of two merged views is projected on the outer one",
            altered "the mask of the inner view is forgotten";
        Minify = "view/minify": "a view that is read through is first reduced to as few axes as can express it";
        Reshape = "view/reshape": "a strided view is reshaped in place where its strides allow it";
        ReshapeMaskSplit = "view/reshape-mask-split": "a mask is split with its axis where the split cuts the axis evenly and not across the mask",
            altered "an axis is split although it does not divide evenly";
        ReshapeMaskMerge = "view/reshape-mask-merge": "the masks of merged axes become one where they unfold continuously",
            altered "the masks of merged axes become one although they do not unfold continuously";
        ReshapeOffset = "view/reshape-offset": "the offset of a reshaped, masked view accounts for where its masks start",
            altered "the offset of a reshaped view stays as it was";
        ReshapeScalar = "view/reshape-scalar": "a view that shows nothing but padding is not reshaped to a scalar in place (off or altered: it is, and padding is read)",
            altered "padding becomes readable when a view is reshaped to a scalar";
        InvertSign = "view/invert-sign": "the inverse of a view walks backwards along axes that the view walks backwards",
            altered "the inverse of a view ignores negative strides";
        StrideFold = "view/masked-stride-zero": "the stride of an axis of which a mask leaves one place goes to the offset",
            altered "the stride is dropped, the offset stays";
    }
}
