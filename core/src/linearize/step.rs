//! The steps of lowering that a correct kernel can't do without.

crate::rule_table! {
    /// Steps of lowering that a correct kernel can't do without; switching one off plants a fault.
    pub enum LowerStep in Lower {
        GateLoads = "lower/gate-loads": "a load whose index may lie in padding is gated by its valid";
        GateStores = "lower/gate-stores": "a store whose index may lie in padding is gated by its valid";
        MaskConstants = "lower/mask-constants": "a constant is zero where its valid does not hold";
        NeverLoaded = "lower/never-loaded": "a load that is nowhere valid is the constant zero; switched off, it is made";
        NeverStored = "lower/never-stored":
            "a store that is nowhere valid is left out; switched off, it stays, gated by the number 0, as in 0.9.0";
        AccumulatorInit = "lower/accumulator-init":
            "an accumulator starts from the neutral element of its operation and type; switched off, from zero",
            altered "the maximum of any integer type starts from the least i32";
        AccumulatorNumber = "lower/accumulator-number": "each upcasted output has an accumulator of its own";
        ReduceLoop = "lower/reduce-loop": "a reduce axis is a loop over its size; switched off, its index is 0",
            altered "the loop ends one iteration early";
        WriteBack = "lower/write-back": "the new value of an accumulator is written back to it";
        LateBarrier = "lower/late-barrier":
            "lanes wait for one another between the two stages of a reduction";
        FirstLane = "lower/first-lane": "only the first lane of a group runs the second stage of a reduction",
            altered "only the first grouped axis is asked whether its lane is the first";
        OneLane = "lower/one-lane":
            "an output that does not wait for the second stage of a reduction is stored by the first lane alone; switched \
             off, by all, as in 0.9.0";
        LateLoop = "lower/late-loop":
            "the second stage of a reduction runs over the partial results of all lanes; switched off, over one",
            altered "the loop ends one iteration early";
        LocalIndex = "lower/local-index":
            "the lanes of a workgroup that do not share a reduction have cells of their own in local memory";
        Alignment = "lower/float4-alignment":
            "neighbouring elements are accessed as one vector only where its index is a multiple of its size, in an image \
             where it is a whole pixel's",
            altered "in an image, too, a multiple of the vector's size is enough, as in 0.9.0";
        WholePixels = "lower/whole-pixels":
            "a store to an image that does not write whole pixels is refused; switched off, it is made, as in 0.9.0";
        ImageLane = "lower/image-lane": "a scalar read from an image is the lane of the pixel that its index says",
            altered "the lanes are counted from the other end";
        ImageBorder = "lower/image-border":
            "where the target says so, an image load has no gate if its coordinates lie outside wherever the gate is false",
            altered "no image load has a gate, wherever its coordinates lie";
        FirstOccurrence = "lower/first-occurrence":
            "an upcasted variable that several axes use is expanded once, at the first of them";
        LoadKeyValid = "lower/load-key-valid": "loads with different valids are different loads";
        LoadKeyIndex = "lower/load-key-index": "loads with different indices are different loads";
        LaunchOrder = "lower/launch-order":
            "the launch grid counts its dimensions from the last axis; switched off, the sizes are not reversed";
        LaneDimensions = "lower/lane-dimensions":
            "axes of lanes share dimensions of a workgroup so that these keep within the target's limits; switched off, only \
             where there are more axes than dimensions, as in 0.9.0";
        MergedAxes = "lower/merged-axes":
            "an index of the launch grid that stands for several axes is divided among them",
            altered "each is divided by its own size alone, not by those before it";
        UpcastOrder = "lower/upcast-order":
            "elements of a vector store stand in the order of their indices",
            altered "they stand in the reverse order";
        FragmentOrder = "lower/fragment-order":
            "a matrix instruction gets the fragments of A and B that belong to its accumulator",
            altered "A and B are exchanged";
    }
}
