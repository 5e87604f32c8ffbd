//! The nodes of a logged AST, `LazyOp(op=…, src=(…), arg=…)`, entered as a kernel's steps. Equal subtrees become one
//! step, so that the memory taken follows the number of distinct nodes and not the length of the line.

use super::buffers::{Arg, arg, argument, require};
use super::variables::Variables;
use crate::case::{Kernel, Step};
use crate::scan::Scanner;
use crate::text::ParseError;
use plumb_core::ast::{AluOp, ReduceOp};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::hash::BuildHasher;

const NAMES: [&str; 3] = ["op", "src", "arg"];

/// A node's operation.
#[derive(Clone, Copy, Debug)]
enum Op {
    Load,
    Constant,
    Store,
    Cast,
    Bitcast,
    Alu(AluOp),
    Reduce(ReduceOp),
}

impl Op {
    /// The name in logs.
    fn name(self) -> &'static str {
        match self {
            Op::Load => "LOAD",
            Op::Constant => "CONST",
            Op::Store => "STORE",
            Op::Cast => "CAST",
            Op::Bitcast => "BITCAST",
            Op::Alu(op) => op.name(),
            Op::Reduce(ReduceOp::Sum) => "SUM",
            Op::Reduce(ReduceOp::Max) => "MAX",
        }
    }
}

/// The steps found so far.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) variables: Variables,
    steps: Vec<Step>,
    by_hash: FxHashMap<u64, SmallVec<[u32; 1]>>,
}

/// A node of which not all has been read.
#[derive(Debug)]
struct Frame {
    start: usize,
    given: u32,
    op: Option<Op>,
    sources: SmallVec<[usize; 3]>,
    /// Whether the cursor is within the node's tuple of sources.
    in_sources: bool,
    arg: Arg,
    arg_at: usize,
}

impl Builder {
    /// The kernel that was read.
    pub(super) fn finish(self) -> Kernel {
        Kernel { variables: self.variables.0, steps: self.steps }
    }

    /// Reads one node with all that it is made of; nodes that enclose one another are kept on a stack of our own, as
    /// there may be any number of them.
    pub(super) fn node(&mut self, scanner: &mut Scanner<'_>) -> Result<(), ParseError> {
        let mut stack = vec![open(scanner)?];
        while let Some(frame) = stack.last_mut() {
            if frame.in_sources {
                if !frame.sources.is_empty() && !scanner.eat(",") && scanner.peek() != Some(b')') {
                    return Err(scanner.expected("`,` or `)`"));
                }
                frame.in_sources = !scanner.eat(")");
                if frame.in_sources {
                    stack.push(open(scanner)?);
                }
                continue;
            }
            match argument(scanner, &NAMES, &mut frame.given)? {
                Some(0) => frame.op = Some(op(scanner)?),
                Some(1) => {
                    scanner.expect("(")?;
                    frame.in_sources = true;
                }
                Some(_) => {
                    scanner.skip_blanks();
                    frame.arg_at = scanner.at();
                    frame.arg = arg(scanner, &mut self.variables)?;
                }
                None => {
                    let Some(frame) = stack.pop() else { break };
                    let step = close(scanner, frame)?;
                    let number = self.enter(step);
                    if let Some(parent) = stack.last_mut() {
                        parent.sources.push(number);
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of `step`: the equal step's, or a new one. Stores stay apart: each is an output.
    fn enter(&mut self, step: Step) -> usize {
        let number = self.steps.len();
        if !matches!(step, Step::Store { .. }) {
            let candidates = self.by_hash.entry(FxBuildHasher.hash_one(&step)).or_default();
            for &candidate in candidates.iter() {
                if self.steps.get(candidate as usize) == Some(&step) {
                    return candidate as usize;
                }
            }
            candidates.push(number as u32);
        }
        self.steps.push(step);
        number
    }
}

fn open(scanner: &mut Scanner<'_>) -> Result<Frame, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    if !scanner.eat("LazyOp(") {
        return Err(scanner.expected("`LazyOp(…)`"));
    }
    let sources = SmallVec::new();
    Ok(Frame { start, given: 0, op: None, sources, in_sources: false, arg: Arg::None, arg_at: start })
}

fn op(scanner: &mut Scanner<'_>) -> Result<Op, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    let group = scanner.word().unwrap_or("");
    scanner.expect(".")?;
    let name = scanner.word().unwrap_or("");
    let arity = match group {
        "UnaryOps" => 1,
        "BinaryOps" => 2,
        "TernaryOps" => 3,
        _ => 0,
    };
    let op = match (group, name) {
        ("BufferOps", "LOAD") => Some(Op::Load),
        ("BufferOps", "CONST") => Some(Op::Constant),
        ("BufferOps", "STORE") => Some(Op::Store),
        ("UnaryOps", "CAST") => Some(Op::Cast),
        ("UnaryOps", "BITCAST") => Some(Op::Bitcast),
        ("ReduceOps", "SUM") => Some(Op::Reduce(ReduceOp::Sum)),
        ("ReduceOps", "MAX") => Some(Op::Reduce(ReduceOp::Max)),
        _ => AluOp::from_name(name).filter(|op| op.arity() == arity).map(Op::Alu),
    };
    op.ok_or_else(|| scanner.error_since(start, format!("expected an operation of a kernel, found `{group}.{name}`")))
}

/// The step that a node is, once all of it has been read.
fn close(scanner: &mut Scanner<'_>, frame: Frame) -> Result<Step, ParseError> {
    require(scanner, "LazyOp", &NAMES, frame.given, 1, frame.start)?;
    let Some(op) = frame.op else {
        return Err(scanner.error_since(frame.start, "`LazyOp(…)` lacks `op=`"));
    };
    let arity = match op {
        Op::Load | Op::Constant => 0,
        Op::Store | Op::Cast | Op::Bitcast | Op::Reduce(_) => 1,
        Op::Alu(op) => op.arity(),
    };
    if frame.sources.len() != arity {
        let message = format!("{} takes {arity} operands, not {}", op.name(), frame.sources.len());
        return Err(scanner.error_at(frame.start, "LazyOp", message));
    }
    let first = frame.sources.first().copied().unwrap_or(0);
    let expected = match (op, frame.arg) {
        (Op::Load, Arg::Memory { buffer, dtype, layout }) => return Ok(Step::Load { buffer, dtype, layout }),
        (Op::Store, Arg::Memory { buffer, dtype, layout }) => {
            return Ok(Step::Store { buffer, dtype, layout, source: first });
        }
        (Op::Constant, Arg::Constant { value, dtype, layout }) => return Ok(Step::Constant { value, dtype, layout }),
        (Op::Cast, Arg::DType(dtype)) => return Ok(Step::Cast(dtype, first)),
        (Op::Bitcast, Arg::DType(dtype)) => return Ok(Step::Bitcast(dtype, first)),
        (Op::Reduce(op), Arg::Axes(axes)) => return Ok(Step::Reduce(op, first, axes)),
        (Op::Alu(op), Arg::None) => return Ok(Step::Alu(op, frame.sources.to_vec())),
        (Op::Load | Op::Store, _) => "`MemBuffer(…)`",
        (Op::Constant, _) => "`ConstBuffer(…)`",
        (Op::Cast | Op::Bitcast, _) => "a dtype",
        (Op::Reduce(_), _) => "a tuple of axes",
        (Op::Alu(_), _) => "`None`",
    };
    Err(scanner.error_at(frame.arg_at, "arg", format!("{} must have {expected} as its arg", op.name())))
}
