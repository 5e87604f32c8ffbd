//! What uops carry besides sources and type.

use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::Scalar;
use crate::symbolic::Sint;
use std::fmt;

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
