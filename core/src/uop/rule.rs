//! The table of the rewrite rules.

use crate::rule::{Rules, State};

crate::rule_table! {
    /// Rewrites of the uop graph.
    pub enum UopRule in Uop {
        LoopCollapse = "uop/loop-collapse": "in a sum of integers over a loop, a choice between a constant and 0 by a bound on the loop's index is counted, not looped over",
            altered "the count is not bounded by the loop's length";
        LoopCollapseFloat = "uop/loop-collapse-float": "in a sum of floats over a loop, a choice between a constant and 0 by a bound on the loop's index is counted, not looped over",
            altered "the count is not bounded by the loop's length";
        SumCollapse = "uop/sum-collapse": "in a sum of integers over a loop, what does not depend on the loop is added once, times the loop's length",
            altered "it is added once, not times the loop's length";
        SumCollapseFloat = "uop/sum-collapse-float": "in a sum of floats over a loop, what does not depend on the loop is added once, times the loop's length",
            altered "it is added once, not times the loop's length";
        UndoMultiplication = "uop/undo-multiplication": "a product by the length that an UNMUL divides by is what it divides";
        UndoOfZero = "uop/undo-of-zero": "an UNMUL of zero is zero";
        CastUndo = "uop/cast-undo": "a conversion of an UNMUL is the UNMUL of the conversion";
        MaximumIndex = "uop/maximum-index": "the larger one of an index and a constant that it can't exceed is the constant",
            altered "also where the index exceeds the constant by one";
        LaneOfConstant = "uop/lane-of-constant": "a lane of a constant is the constant";
        CastConstant = "uop/cast-constant": "a conversion of a constant is a constant",
            altered "a reinterpretation of bits is folded as a conversion, too";
        PhiUnchanged = "uop/phi-unchanged": "an accumulator that nothing is added to has its initial value",
            altered "it is 0, whatever the initial value";
        PhiNoLoop = "uop/phi-no-loop": "the new value of an accumulator without loops is that value";
        PhiConstant = "uop/phi-constant": "the new value of what is a constant by now is that value";
        AccumulatorNoLoop = "uop/accumulator-no-loop": "an accumulator without loops is its initial value";
        MaximumLeastInteger = "uop/maximum-least-integer": "the larger one of x and the least i32 is x",
            altered "for any integer type";
        NegateTwice = "uop/negate-twice": "-(-x) is x",
            altered "-(-x) is -x";
        AddNegated = "uop/add-negated": "x + -y is x - y, but of bools",
            altered "of bools, too";
        MultiplyMinusOne = "uop/multiply-minus-one": "x * -1 is -x";
        LessThanFalse = "uop/less-than-false": "nothing is less than false";
        TrueLessThan = "uop/true-less-than": "true is less than nothing";
        WhereSame = "uop/where-same-branches": "a choice between the same is that";
        WhereConstant = "uop/where-constant": "a choice by a constant is what it chooses",
            altered "it is the other one";
        FoldConstants = "uop/fold-constants": "arithmetic on constants is a constant, where the result is defined",
            altered "integers are divided as floats";
        FoldUnrounded = "uop/fold-unrounded": "arithmetic on f32 constants takes them unrounded where that gives the next value, as 0.9.0 does";
        AddZero = "uop/add-zero": "x + 0 is x";
        AddZeroFloat = "uop/add-zero-float": "x + 0.0 is x, which is wrong for -0.0";
        MultiplyOne = "uop/multiply-one": "x * 1 is x";
        SubtractZero = "uop/subtract-zero": "x - 0 is x";
        DivideOne = "uop/divide-one": "x / 1 is x";
        DivideMinusOne = "uop/divide-minus-one": "x / -1 is -x",
            altered "x / -1 is x";
        MultiplyZero = "uop/multiply-zero": "x * 0 is 0",
            altered "x * 0 is x";
        MultiplyZeroFloat = "uop/multiply-zero-float": "x * 0.0 is 0.0, which is wrong for infinities, NaN and the sign of zero",
            altered "x * 0.0 is x";
        SubtractSelf = "uop/subtract-self": "x - x is 0";
        SubtractSelfFloat = "uop/subtract-self-float": "x - x is 0.0, which is wrong for infinities and NaN";
        StoreLoaded = "uop/store-loaded": "a store of what was loaded from the same place is left out";
        AddTwice = "uop/add-twice": "(x + a) + b is x + (a + b) for constants a, b",
            altered "it is x + (a - b)";
        AddTwiceFloat = "uop/add-twice-float": "(x + a) + b is x + (a + b) for constants a, b, which rounds differently",
            altered "it is x + (a - b)";
        SubtractThenAdd = "uop/subtract-then-add": "(x - a) + b is x + (b - a) for constants a, b, but of bools",
            altered "it is x + (b + a)";
        SubtractThenAddFloat = "uop/subtract-then-add-float": "(x - a) + b is x + (b - a) for constants a, b, which rounds differently",
            altered "it is x + (b + a)";
        StoreGate = "uop/store-gate": "a store of either something new or what was loaded from the same place is a gated store of the new",
            altered "it is a store of the new without a gate";
        StoreVector = "uop/store-vector": "a store of a vector made of all lanes of a vector is a store of the latter",
            altered "also of the first lanes of a longer one";
        CastPhis = "uop/cast-phis": "a vector of the new values of an accumulator's lanes is the new value of the accumulator",
            altered "with its lanes in reverse order";
        LessNegated = "uop/less-negated": "-x < c is -c < x for a constant c, unless -x or -c can wrap around",
            altered "-x < c is c < x";
        CastSame = "uop/cast-same": "a conversion to the type that the source has is the source";
    }
}

impl UopRule {
    /// Rules that hold for floats only where all values are finite, or but for rounding and the sign of zero. 0.9.0 has
    /// them, for floats and integers alike.
    pub const FINITE_FLOAT_ONLY: &'static [UopRule] = &[
        UopRule::LoopCollapseFloat,
        UopRule::SumCollapseFloat,
        UopRule::FoldUnrounded,
        UopRule::AddZeroFloat,
        UopRule::MultiplyZeroFloat,
        UopRule::SubtractSelfFloat,
        UopRule::AddTwiceFloat,
        UopRule::SubtractThenAddFloat,
    ];
}

impl Rules {
    /// The same rules without those that hold for finite floats only ([`UopRule::FINITE_FLOAT_ONLY`]).
    #[must_use]
    pub fn strict_float(self) -> Rules {
        UopRule::FINITE_FLOAT_ONLY.iter().fold(self, |rules, &rule| rules.with(rule, State::Off))
    }
}
