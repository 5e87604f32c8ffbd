//! (signatures only, to be replaced by the implementation)
#![allow(unused_variables, missing_docs, dead_code, clippy::all)]
use super::*;
use crate::rule::{Firings, Rules};
use crate::symbolic::Arena;

/// The graph that lowering builds: hash-consed uops.
#[derive(Clone, Debug, Default)]
pub struct UopGraph {}
impl UopGraph {
    pub fn new(rules: Rules) -> UopGraph {
        unimplemented!()
    }
    pub fn uop(&self, id: UopId) -> &Uop {
        unimplemented!()
    }
    /// Enters a uop or finds the equal one. STOREs are remembered, in order, as what the graph is for.
    pub fn add(&mut self, kind: UopKind, dtype: Option<DType>, sources: &[UopId], arg: UopArg) -> UopId {
        unimplemented!()
    }
    /// ALU; the result's type as 0.9.0's UOp.alu: bool for comparisons, otherwise the last operand's.
    pub fn alu(&mut self, op: AluOp, sources: &[UopId]) -> UopId {
        unimplemented!()
    }
    /// CONST of a type, the value converted as Constant::cast does (per lane for a vector type).
    pub fn constant(&mut self, dtype: DType, value: Constant) -> UopId {
        unimplemented!()
    }
    /// Rewrites to a fixed point, orders, verifies types.
    pub fn finish(self) -> Result<(UopList, Firings), UopError> {
        unimplemented!()
    }
}
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UopError {
    /// Types of a uop and its sources do not agree (a fault of what built the graph).
    #[error("uop {position} {text}: {reason}")]
    Type { position: usize, text: String, reason: String },
    /// Rewriting did not come to an end.
    #[error("rewriting did not end after {rounds} rounds")]
    Endless { rounds: usize },
}
impl UopList {
    /// The lines of FORMATS.md §2 below the two comment lines, each `number UOP dtype [sources] arg`.
    pub fn text(&self, arena: &Arena) -> String {
        unimplemented!()
    }
    /// The graph digest of FORMATS.md §2; `head` is `global=…local=…`.
    pub fn digest(&self, arena: &Arena, head: &str) -> String {
        unimplemented!()
    }
    /// 0.9.0's flops_mem of the list: (operations, bytes), where they are numbers.
    pub fn cost(&self, arena: &mut Arena) -> Option<(i64, i64)> {
        unimplemented!()
    }
    /// Types, sources before uses, loops and ifs nested and closed.
    pub fn verify(&self) -> Result<(), UopError> {
        unimplemented!()
    }
}
/// One operation on constants of type `dtype`, with the wrap-around and rounding of the type (0.9.0's exec_alu, less its faults N19, N20).
pub fn evaluate_alu(op: AluOp, dtype: DType, operands: &[Constant]) -> Option<Constant> {
    unimplemented!()
}
