//! Which loads a value needs where some of what it is made of is a constant zero: padding, of which a product is zero
//! whatever the other factor is.

use super::expected::Leaf;
use crate::reference::program::{Op, Program};
use plumb_core::ast::AluOp;
use plumb_core::constant::Constant;

/// The loads of each leaf that are not multiplied by a constant zero. A leaf before the reduction has one place for each
/// unrolled lane; `None` is padding.
pub(super) fn needed(program: &Program, root: usize, leaves: &[(Leaf, Vec<Option<u32>>)]) -> Vec<u32> {
    let lanes = leaves.iter().filter(|(leaf, _)| leaf.early).map(|(_, loads)| loads.len()).max().unwrap_or(0);
    let zero_constant = |op: &Op| match op {
        Op::Constant { value, .. } => is_zero(*value),
        _ => false,
    };
    let any_zero = program.steps.iter().any(|step| zero_constant(&step.op))
        || leaves.iter().any(|(_, loads)| loads.iter().any(Option::is_none));
    if !any_zero {
        return leaves.iter().flat_map(|(_, loads)| loads.iter().flatten().copied()).collect();
    }
    let reduce = program.steps.iter().position(|step| matches!(step.op, Op::Reduce { .. }));
    let mut found = Vec::new();
    let mut reduced_zero = true;
    if let Some(Op::Reduce { source, .. }) = reduce.map(|step| &program.steps[step].op) {
        for lane in 0..lanes.max(1) {
            let zeros = zeros(program, leaves, true, lane, false);
            reduced_zero &= zeros[*source];
            collect(program, leaves, *source, &zeros, true, lane, &mut found);
        }
    }
    let zeros = zeros(program, leaves, false, 0, reduced_zero);
    let before = found.len();
    let reaches = collect(program, leaves, root, &zeros, false, 0, &mut found);
    // What the reduction needs counts only where the reduction itself does.
    if !reaches {
        found.drain(..before);
    }
    found
}

fn is_zero(value: Constant) -> bool {
    match value {
        Constant::Int(value) => value == 0,
        Constant::Float(value) => value == 0.0,
        Constant::Bool(value) => !value,
    }
}

/// The load of a leaf in a lane; `None` within: padding.
fn load(leaves: &[(Leaf, Vec<Option<u32>>)], step: usize, early: bool, lane: usize) -> Option<Option<u32>> {
    let (_, loads) = leaves.iter().find(|(leaf, _)| leaf.step == step && leaf.early == early)?;
    loads.get(lane).copied()
}

/// For each step whether it is a constant zero in this lane.
fn zeros(
    program: &Program,
    leaves: &[(Leaf, Vec<Option<u32>>)],
    early: bool,
    lane: usize,
    reduced_zero: bool,
) -> Vec<bool> {
    let mut zeros: Vec<bool> = Vec::with_capacity(program.steps.len());
    for (number, step) in program.steps.iter().enumerate() {
        let of = |operand: usize| zeros.get(operand).copied().unwrap_or(false);
        zeros.push(match &step.op {
            Op::Load { .. } => load(leaves, number, early, lane) == Some(None),
            Op::Constant { value, .. } => is_zero(*value),
            Op::Alu(op, operands) => match (op, &operands[..]) {
                (AluOp::Mul, operands) => operands.iter().any(|&operand| of(operand)),
                (AluOp::Add | AluOp::Sub | AluOp::Max | AluOp::Xor, operands) => {
                    operands.iter().all(|&operand| of(operand))
                }
                (AluOp::Neg, &[operand]) => of(operand) && step.scalar != plumb_core::dtype::Scalar::Bool,
                (AluOp::Sqrt | AluOp::Sin, &[operand]) => of(operand),
                (AluOp::Div | AluOp::Mod, &[numerator, _]) => of(numerator),
                (AluOp::Where, &[gate, yes, no]) => (of(gate) || of(yes)) && of(no),
                _ => false,
            },
            Op::Cast(source) | Op::Bitcast(source) | Op::Store { source, .. } => of(*source),
            Op::Reduce { .. } => !early && reduced_zero,
        });
    }
    zeros
}

/// Adds the loads under a step that are needed; whether the reduction is.
fn collect(
    program: &Program,
    leaves: &[(Leaf, Vec<Option<u32>>)],
    root: usize,
    zeros: &[bool],
    early: bool,
    lane: usize,
    found: &mut Vec<u32>,
) -> bool {
    let mut reaches = false;
    let mut seen = vec![false; program.steps.len()];
    let mut stack = vec![root];
    while let Some(number) = stack.pop() {
        if zeros[number] || std::mem::replace(&mut seen[number], true) {
            continue;
        }
        match &program.steps[number].op {
            Op::Load { .. } => found.extend(load(leaves, number, early, lane).flatten()),
            Op::Reduce { .. } => reaches = true,
            Op::Alu(AluOp::Where, operands) if zeros[operands[0]] => stack.push(operands[2]),
            other => stack.extend(other.operands()),
        }
    }
    reaches
}
