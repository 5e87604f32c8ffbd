//! Micro-operations: the graph that lowering builds, its rewrite rules, its ordering into a list, and the list's text.

use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::symbolic::Sint;
use smallvec::SmallVec;
use std::fmt;

mod arena;
mod bounds;
mod compare;
mod cost;
mod digest;
mod error;
mod evaluate;
mod graph;
mod loops;
mod order;
mod rewrite;
mod round;
mod rules;
mod subgraph;
#[cfg(test)]
mod tests;
mod text;
mod verify;

pub use error::UopError;
pub use evaluate::evaluate_alu;
pub use graph::UopGraph;
use loops::LoopSet;

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
        UopRule::AddZeroFloat,
        UopRule::MultiplyZeroFloat,
        UopRule::SubtractSelfFloat,
        UopRule::AddTwiceFloat,
        UopRule::SubtractThenAddFloat,
    ];
}

impl crate::rule::Rules {
    /// The same rules without those that hold for finite floats only ([`UopRule::FINITE_FLOAT_ONLY`]).
    #[must_use]
    pub fn strict_float(self) -> crate::rule::Rules {
        UopRule::FINITE_FLOAT_ONLY.iter().fold(self, |rules, &rule| rules.with(rule, crate::rule::State::Off))
    }
}

/// What a uop does. The order of the members is the order in which the list prefers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum UopKind {
    /// The root that holds all stores; never in a list.
    Sink,
    /// A kernel argument: a pointer or an image.
    DefineGlobal,
    /// A symbolic variable, passed to the kernel.
    DefineVar,
    /// Memory shared by a workgroup.
    DefineLocal,
    /// An accumulator; its sources are the loops it lives through.
    DefineAcc,
    /// A constant.
    Const,
    /// An index of the launch grid.
    Special,
    /// Nothing; never in a list.
    Noop,
    /// Marks a multiplication to be undone by loop collapse; never in a list.
    Unmul,
    /// One lane of a vector.
    Gep,
    /// Conversion by value of one source; of several sources: a vector of them.
    Cast,
    /// Reinterpretation of bits.
    Bitcast,
    /// Arithmetic.
    Alu,
    /// A matrix instruction of a whole warp.
    Wmma,
    /// Sources: buffer, index; then, where gated: gate, alternative; then perhaps a barrier to wait for.
    Load,
    /// Sources: buffer, index, value; then, where gated: gate.
    Store,
    /// Sources: accumulator, its new value.
    Phi,
    /// All lanes of a workgroup wait; sources are what must have happened before.
    Barrier,
    /// Sources: condition, barrier.
    If,
    /// A loop from its first source to below its second.
    Range,
    /// Ends the loop that is its source.
    EndRange,
    /// Ends the `If` that is its source.
    EndIf,
}

impl UopKind {
    /// The name in the uop text.
    pub const fn name(self) -> &'static str {
        match self {
            UopKind::Sink => "SINK",
            UopKind::DefineGlobal => "DEFINE_GLOBAL",
            UopKind::DefineVar => "DEFINE_VAR",
            UopKind::DefineLocal => "DEFINE_LOCAL",
            UopKind::DefineAcc => "DEFINE_ACC",
            UopKind::Const => "CONST",
            UopKind::Special => "SPECIAL",
            UopKind::Noop => "NOOP",
            UopKind::Unmul => "UNMUL",
            UopKind::Gep => "GEP",
            UopKind::Cast => "CAST",
            UopKind::Bitcast => "BITCAST",
            UopKind::Alu => "ALU",
            UopKind::Wmma => "WMMA",
            UopKind::Load => "LOAD",
            UopKind::Store => "STORE",
            UopKind::Phi => "PHI",
            UopKind::Barrier => "BARRIER",
            UopKind::If => "IF",
            UopKind::Range => "RANGE",
            UopKind::EndRange => "ENDRANGE",
            UopKind::EndIf => "ENDIF",
        }
    }
}

/// A uop, in a graph or (as a position) in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UopId(pub u32);

impl UopId {
    /// The place in the graph or list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Name of a local buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LocalName {
    /// `temp`: the partial results of a two-stage reduction.
    Temp,
    /// `ldata<i>`: an alias of buffer `i` for a matrix instruction.
    Alias(u32),
}

/// Name of an index of the launch grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexName {
    /// `gidx<i>`: of a workgroup.
    Global(u32),
    /// `lidx<i>`: of a lane in its workgroup.
    Local(u32),
    /// `idx<i>`: of a work item, where no workgroups are used.
    Flat(u32),
}

/// A matrix instruction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wmma {
    /// `WMMA_n_m_k_in_out`, with the C names of the types as tinygrad spells them.
    pub name: String,
    /// N, M, K.
    pub dims: [usize; 3],
    /// Type of A and B.
    pub dtype_in: Scalar,
    /// Type of C and D.
    pub dtype_out: Scalar,
    /// Elements of A, B and the accumulator in each lane.
    pub sizes: [usize; 3],
    /// Name of the target, whose lane layout holds.
    pub target: String,
}

/// What a uop carries besides sources and type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum UopArg {
    /// Nothing.
    None,
    /// ALU: the operation.
    Alu(AluOp),
    /// CONST: the value.
    Const(Constant),
    /// DEFINE_GLOBAL: number of the kernel argument, and whether it is an output.
    Global {
        /// Number of the buffer.
        index: u32,
        /// Whether the kernel writes it.
        output: bool,
    },
    /// DEFINE_LOCAL: name and number of elements.
    Local {
        /// Its name.
        name: LocalName,
        /// Number of elements.
        size: i64,
    },
    /// DEFINE_VAR: a variable with its bounds.
    Var {
        /// Its name.
        name: Box<str>,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// DEFINE_ACC: initial value, buffer it accumulates for, number among that buffer's accumulators.
    Acc {
        /// Initial value.
        init: Constant,
        /// Number of the buffer in the kernel (-1: the local buffer of a two-stage reduction).
        buffer: i32,
        /// Number of the accumulator.
        number: u32,
    },
    /// SPECIAL: launch dimension, name, size.
    Special {
        /// Launch dimension, 0 to 2.
        dim: u32,
        /// Its name.
        name: IndexName,
        /// Number of values; symbolic parts are nodes of the lowered kernel's arena.
        size: Sint,
    },
    /// RANGE: depth (1 launch, 2 reduce, 3 late reduce) and number within it.
    Range {
        /// Depth.
        depth: u32,
        /// Number within the depth.
        number: u32,
    },
    /// GEP: the lane.
    Lane(u32),
    /// WMMA: the instruction.
    Wmma(Box<Wmma>),
}

/// One uop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Uop {
    /// What it does.
    pub kind: UopKind,
    /// Type of the result; `None` where there is none.
    pub dtype: Option<DType>,
    /// What it works on. In a list: earlier positions.
    pub sources: SmallVec<[UopId; 4]>,
    /// What it carries besides.
    pub arg: UopArg,
}

/// The uops of a kernel in an order in which they can be executed; sources are positions in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UopList {
    /// In order.
    pub uops: Vec<Uop>,
}

impl fmt::Display for LocalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LocalName::Temp => f.write_str("temp"),
            LocalName::Alias(buffer) => write!(f, "ldata{buffer}"),
        }
    }
}

impl fmt::Display for IndexName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexName::Global(i) => write!(f, "gidx{i}"),
            IndexName::Local(i) => write!(f, "lidx{i}"),
            IndexName::Flat(i) => write!(f, "idx{i}"),
        }
    }
}
