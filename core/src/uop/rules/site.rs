//! What a rule looks at, and the short words that rules are written in.

use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::uop::arena::UopArena;
use crate::uop::{Uop, UopArg, UopId, UopKind};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// How vectors of accumulators are written back: as one, or lane by lane with something taken out of the sum. Both at once
/// would add to an accumulator what the other has taken out.
#[derive(Debug, Default)]
pub(in crate::uop) struct AccumulatorLanes {
    /// The arguments of those written back as one.
    vectors: Vec<UopArg>,
    /// The PHIs that something was taken out of.
    collapsed: FxHashSet<UopId>,
}

impl AccumulatorLanes {
    /// As the uops of a graph have it before anything is rewritten.
    pub(in crate::uop) fn of(arena: &UopArena) -> AccumulatorLanes {
        let mut lanes = AccumulatorLanes::default();
        for uop in arena.uops() {
            if uop.kind == UopKind::Phi
                && uop.dtype.is_some_and(|dtype| dtype.lanes() > 1)
                && let Some(&accumulator) = uop.sources.first()
                && arena.get(accumulator).kind == UopKind::DefineAcc
            {
                lanes.vector(arena.get(accumulator).arg.clone());
            }
        }
        lanes
    }

    /// Notes that the accumulator with this argument is written back as one.
    pub(super) fn vector(&mut self, accumulator: UopArg) {
        if !self.vectors.contains(&accumulator) {
            self.vectors.push(accumulator);
        }
    }

    pub(super) fn is_vector(&self, accumulator: &UopArg) -> bool {
        self.vectors.contains(accumulator)
    }

    /// Notes that something is taken out of the sum that `phi` writes back.
    pub(super) fn collapsed(&mut self, phi: UopId) {
        self.collapsed.insert(phi);
    }

    pub(super) fn is_collapsed(&self, phi: UopId) -> bool {
        self.collapsed.contains(&phi)
    }
}

/// A uop that a rule is tried on.
pub(in crate::uop) struct Site<'a> {
    /// Where it and what it is made of live, and where what takes its place goes.
    pub(in crate::uop) arena: &'a mut UopArena,
    /// The uop.
    pub(in crate::uop) id: UopId,
    /// Whether the rule has its planted fault.
    pub(in crate::uop) altered: bool,
    /// Whether this is the first round, where 0.9.0 does not yet see that constants are equal.
    pub(in crate::uop) first_round: bool,
    /// How accumulators are written back so far.
    pub(in crate::uop) lanes: &'a mut AccumulatorLanes,
    /// Set by a rule that would apply if this were not the first round.
    pub(in crate::uop) held_back: bool,
}

impl Site<'_> {
    pub(super) fn uop(&self) -> &Uop {
        self.arena.get(self.id)
    }

    pub(super) fn get(&self, id: UopId) -> &Uop {
        self.arena.get(id)
    }

    /// The type of a uop.
    pub(super) fn dtype(&self, id: UopId) -> Option<DType> {
        self.arena.get(id).dtype
    }

    /// The element type of the uop looked at.
    pub(super) fn scalar(&self) -> Option<Scalar> {
        self.uop().dtype.map(DType::scalar)
    }

    pub(super) fn is_float(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_float)
    }

    pub(super) fn is_bool(&self) -> bool {
        self.scalar() == Some(Scalar::Bool)
    }

    /// The sources of a uop, where it is of the kind and has exactly `N`.
    pub(super) fn sources_of<const N: usize>(&self, id: UopId, kind: UopKind) -> Option<[UopId; N]> {
        let uop = self.arena.get(id);
        if uop.kind == kind { uop.sources.as_slice().try_into().ok() } else { None }
    }

    /// The operands of a uop, where it is this arithmetic and has exactly `N`.
    pub(super) fn operands_of<const N: usize>(&self, id: UopId, op: AluOp) -> Option<[UopId; N]> {
        let uop = self.arena.get(id);
        if uop.arg == UopArg::Alu(op) { uop.sources.as_slice().try_into().ok() } else { None }
    }

    /// The sources of the uop looked at, where it has exactly `N`.
    pub(super) fn sources<const N: usize>(&self) -> Option<[UopId; N]> {
        self.uop().sources.as_slice().try_into().ok()
    }

    /// The operands of a commutative operation in either order; rules take the first that fits.
    pub(super) fn orders(&self) -> SmallVec<[[UopId; 2]; 2]> {
        self.sources().map_or_else(SmallVec::new, |[x, y]| SmallVec::from_buf([[x, y], [y, x]]))
    }

    /// The value of a CONST.
    pub(super) fn value(&self, id: UopId) -> Option<Constant> {
        self.arena.constant_value(id)
    }

    /// Whether this is a CONST of zero, of either sign, or false.
    pub(super) fn is_zero(&self, id: UopId) -> bool {
        self.arena.constant_spelled(id).is_some_and(Constant::is_zero)
    }

    /// Whether this is a CONST of this number, as it is spelled; false counts as 0 and true as 1.
    pub(super) fn is_number(&self, id: UopId, number: i8) -> bool {
        self.arena.constant_spelled(id).is_some_and(|value| match value {
            Constant::Float(value) => value == f64::from(number),
            other => other.as_int() == Some(i128::from(number)),
        })
    }

    /// Whether two of these may be two to 0.9.0 in the first round: it evaluates what is converted anew for each conversion.
    pub(super) fn is_made_anew(&self, id: UopId) -> bool {
        let mut uop = self.get(id);
        let mut converted = false;
        while let (UopKind::Cast | UopKind::Bitcast, &[source]) = (uop.kind, &uop.sources[..]) {
            uop = self.get(source);
            converted = true;
        }
        converted && uop.kind == UopKind::Alu
    }

    pub(super) fn alu(&mut self, op: AluOp, operands: &[UopId]) -> UopId {
        self.arena.alu(op, operands)
    }

    pub(super) fn cast(&mut self, dtype: DType, source: UopId) -> UopId {
        self.arena.make(UopKind::Cast, Some(dtype), &[source], UopArg::None)
    }

    /// A constant of the type of the uop looked at.
    pub(super) fn constant(&mut self, value: Constant) -> Option<UopId> {
        let dtype = self.uop().dtype?;
        Some(self.arena.constant(dtype, value))
    }
}
