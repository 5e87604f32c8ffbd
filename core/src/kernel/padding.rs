//! PADTO, and whether a reduction may be padded.

use super::{Kernel, OptCheck, OptError};
use crate::ast::{AluOp, Ast, AstId, AstOp, ReduceOp};
use crate::dtype::Scalar;
use crate::rule::State;
use crate::shape::{ShapeError, ShapeTracker};
use crate::symbolic::Sint;
use smallvec::{SmallVec, smallvec};

impl Kernel {
    /// The views with `axis` padded at its end up to a multiple of `amount`.
    pub(super) fn padded(&mut self, axis: usize, amount: i64) -> Result<Vec<ShapeTracker>, OptError> {
        self.require(OptCheck::PadtoSymbolic, self.variables.is_empty(), |_| "sizes are symbolic".to_owned())?;
        let end = self.first_upcast();
        self.require_unless_altered(OptCheck::PadtoUpcasted, axis < end, |_| format!("axis {axis} is upcasted"))?;
        let free = !self.is_tensor_core_lane(axis);
        self.require_unless_altered(OptCheck::PadtoTcLocal, free, |_| format!("axis {axis} is of the warp's lanes"))?;
        // Of the upcasted axes none is looked at, where the check that refuses them is altered or off.
        if (self.first_reduce()..end).contains(&axis) {
            self.check_padded_reduce()?;
        } else if !self.target.has_local && self.rules.is_on(OptCheck::PadtoDivision) {
            let division = self.integer_division();
            self.require(OptCheck::PadtoDivision, division.is_none(), |_| {
                format!("{} of integers", division.unwrap_or_default())
            })?;
        }
        let Some(&Sint::Int(size)) = self.full_shape().get(axis) else { return Err(self.no_axis("pad", axis).into()) };
        self.require(OptCheck::PadtoQuadruple, size > amount / 4, |_| format!("{size} elements to {amount}"))?;
        let more = (amount.checked_sub(1).and_then(|less| size.checked_add(less)))
            .map(|most| most / amount * amount - size)
            .ok_or_else(|| OptError::Impossible(format!("a size of {size} padded to a multiple of {amount}")))?;
        self.require(OptCheck::PadtoNothing, more > 0, |_| format!("{size} is a multiple of {amount}"))?;
        if (self.global_dims()..self.first_reduce_loop()).contains(&axis) && self.group_for_reduces > 0 {
            self.require_shared_memory(self.partial_results() / size * (size + more))?;
        }
        let Kernel { arena, views, .. } = self;
        let padded: Result<Vec<ShapeTracker>, ShapeError> = views
            .iter()
            .map(|view| {
                let shape = view.shape();
                if shape.get(axis) == Some(&Sint::Int(1)) {
                    return Ok(view.clone());
                }
                let mut padding: SmallVec<[(Sint, Sint); 6]> = smallvec![(Sint::Int(0), Sint::Int(0)); shape.len()];
                if let Some((_, after)) = padding.get_mut(axis) {
                    *after = Sint::Int(more);
                }
                view.pad(arena, &padding)
            })
            .collect();
        Ok(padded?)
    }

    /// The division of integers that the kernel computes, if any. In padding its divisor is zero, also a constant one,
    /// and that traps in plain C on some machines; elsewhere the quotient is unspecified, and is not stored.
    fn integer_division(&self) -> Option<&'static str> {
        self.ast.nodes().iter().find_map(|node| match node.op {
            AstOp::Alu(op @ (AluOp::Div | AluOp::Mod)) if !node.dtype.is_float() => Some(op.name()),
            _ => None,
        })
    }

    /// Whether elements that are zero wherever something is loaded do not change the reduction's result.
    fn check_padded_reduce(&mut self) -> Result<(), OptError> {
        let Some(reduce) = self.reduce else { return Ok(()) };
        let node = self.ast.node(reduce);
        let AstOp::Reduce(op, _) = node.op else { return Ok(()) };
        let source = node.sources.first().copied();
        self.require_unless_altered(OptCheck::PadtoMaxReduce, op == ReduceOp::Sum, |_| "a maximum".to_owned())?;
        let known = match self.rules.state(OptCheck::PadtoUnsafeOp) {
            State::On => KnownUnsafe::All,
            State::Altered => KnownUnsafe::Listed,
            State::Off => return Ok(()),
        };
        let unsafe_op = source.and_then(|source| op_that_is_not_zero(&self.ast, source, known));
        self.require(OptCheck::PadtoUnsafeOp, unsafe_op.is_none(), |_| {
            format!("{} does not keep zero", unsafe_op.unwrap_or_default())
        })
    }
}

/// Which operations count as unsafe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KnownUnsafe {
    /// All that are, or that 0.9.0 takes to be.
    All,
    /// Those of 0.9.0's list.
    Listed,
}

/// What is known of a value where all that is loaded is zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Zero {
    /// All its bits are zero.
    Bits,
    /// It is zero or, of a float, negative zero.
    Value,
}

/// The operation in `root` that may make something else than zero of zeros, if any. Constants are zero in the padding
/// as well, as their views are padded.
///
/// 0.9.0 lists DIV, CMPLT, CMPEQ, LOG2 and EXP2, and misses MOD by zero, the complement of a bool (true), and a
/// negative zero reinterpreted as an integer. (CMPLT of zeros is false; 0.9.0 refuses it, and so is it here.)
fn op_that_is_not_zero(ast: &Ast, root: AstId, known: KnownUnsafe) -> Option<&'static str> {
    let mut zeros: Vec<Option<Zero>> = vec![None; root.0 as usize + 1];
    let mut below = vec![false; root.0 as usize + 1];
    below[root.0 as usize] = true;
    for id in (0..=root.0).rev() {
        if below[id as usize] {
            for source in &ast.node(AstId(id)).sources {
                below[source.0 as usize] = true;
            }
        }
    }
    for id in 0..=root.0 {
        if !below[id as usize] {
            continue;
        }
        let node = ast.node(AstId(id));
        let sources = node.sources.iter().filter_map(|source| zeros[source.0 as usize]).max().unwrap_or(Zero::Bits);
        let listed = known == KnownUnsafe::Listed;
        zeros[id as usize] = match node.op {
            AstOp::Alu(op) => match op {
                AluOp::Exp2 | AluOp::Log2 | AluOp::Div | AluOp::CmpLt | AluOp::CmpEq => return Some(op.name()),
                AluOp::Mod if !listed => return Some("MOD"),
                AluOp::Neg if node.dtype.scalar() == Scalar::Bool && !listed => return Some("NEG of a bool"),
                AluOp::Neg if node.dtype.is_float() => Some(Zero::Value),
                _ => Some(sources),
            },
            AstOp::Bitcast(_) if sources == Zero::Value && !listed => return Some("BITCAST of a negative zero"),
            AstOp::Cast(dtype) if !dtype.is_float() => Some(Zero::Bits),
            _ => Some(sources),
        };
    }
    None
}
