//! What a uop and its sources look like from outside: enough to see, without looking further, that a rule can't apply.
//!
//! Each uop shows some marks to what uses it, and each rule needs some marks to be shown by the sources of the uop that
//! it is tried on. Marks say "maybe" and "certainly not": a rule that needs a mark that is not there would not apply.

use super::{Uop, UopArg, UopKind};
use crate::ast::AluOp;
use crate::constant::Constant;

/// A set of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(u32);

/// Marks that a uop shows to what uses it.
impl Marks {
    /// A constant.
    pub(super) const CONSTANT: Marks = Marks(1);
    /// A constant of zero, of either sign, or false.
    pub(super) const ZERO: Marks = Marks(1 << 1);
    /// A constant of one, or true.
    pub(super) const ONE: Marks = Marks(1 << 2);
    /// A constant of minus one.
    pub(super) const MINUS_ONE: Marks = Marks(1 << 3);
    /// A constant of the least `i32`.
    pub(super) const LEAST: Marks = Marks(1 << 4);
    /// A negation.
    pub(super) const NEG: Marks = Marks(1 << 5);
    /// A sum with a constant.
    pub(super) const SUM_WITH_CONSTANT: Marks = Marks(1 << 6);
    /// A difference with a constant.
    pub(super) const DIFFERENCE_WITH_CONSTANT: Marks = Marks(1 << 7);
    /// A choice, or conversions of one.
    pub(super) const CHOICE: Marks = Marks(1 << 8);
    /// A sum one side of which is a choice, or conversions of one.
    pub(super) const SUM_OF_CHOICE: Marks = Marks(1 << 9);
    /// An UNMUL.
    pub(super) const UNMUL: Marks = Marks(1 << 10);
    /// An index of the launch grid.
    pub(super) const SPECIAL: Marks = Marks(1 << 11);
    /// A load.
    pub(super) const LOAD: Marks = Marks(1 << 12);
    /// A conversion, or a vector made of its lanes.
    pub(super) const CAST: Marks = Marks(1 << 13);
    /// The new value of an accumulator.
    pub(super) const PHI: Marks = Marks(1 << 14);
    /// An accumulator without loops.
    pub(super) const NO_LOOP: Marks = Marks(1 << 15);
}

/// Marks of the sources taken together.
impl Marks {
    /// All sources are constants.
    pub(super) const ALL_CONSTANT: Marks = Marks(1 << 16);
    /// Two sources next to each other are the same.
    pub(super) const SAME: Marks = Marks(1 << 17);
    /// The first source is a constant.
    pub(super) const FIRST_CONSTANT: Marks = Marks(1 << 18);
    /// The first source has the type of the uop.
    pub(super) const SAME_TYPE: Marks = Marks(1 << 19);
    /// There are no sources.
    pub(super) const NO_SOURCES: Marks = Marks(1 << 20);
    /// The new value of an accumulator is a sum one side of which does not depend on all of the accumulator's loops.
    pub(super) const FREE_SIDE: Marks = Marks(1 << 21);
}

impl Marks {
    /// The marks of both.
    pub(super) const fn and(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Whether all of `needed` are among them.
    pub(super) const fn have(self, needed: Marks) -> bool {
        self.0 & needed.0 == needed.0
    }

    /// `implied` where all of `needed` are among them, otherwise none.
    const fn implies(self, needed: Marks, implied: Marks) -> Marks {
        if self.have(needed) { implied } else { Marks(0) }
    }

    /// What a uop shows, given the marks of its sources taken together.
    pub(super) fn shown(uop: &Uop, sources: Marks) -> Marks {
        match (uop.kind, &uop.arg) {
            (_, UopArg::Alu(op)) => match op {
                AluOp::Neg => Marks::NEG,
                AluOp::Add => {
                    let constant = sources.implies(Marks::CONSTANT, Marks::SUM_WITH_CONSTANT);
                    constant.and(sources.implies(Marks::CHOICE, Marks::SUM_OF_CHOICE))
                }
                AluOp::Sub => sources.implies(Marks::CONSTANT, Marks::DIFFERENCE_WITH_CONSTANT),
                AluOp::Where => Marks::CHOICE,
                _ => Marks::default(),
            },
            (UopKind::Const, UopArg::Const(value)) => {
                // Rules look at a constant as it is spelled or at what that is in its type.
                let cast = uop.dtype.map_or(*value, |dtype| value.cast(dtype.scalar()));
                Marks::of_constant(*value).and(Marks::of_constant(cast))
            }
            (UopKind::Unmul, _) => Marks::UNMUL,
            (UopKind::Special, _) => Marks::SPECIAL,
            (UopKind::Load, _) => Marks::LOAD,
            (UopKind::Cast, _) => Marks::CAST.and(sources.implies(Marks::CHOICE, Marks::CHOICE)),
            (UopKind::Phi, _) => Marks::PHI,
            (UopKind::DefineAcc, _) if uop.sources.is_empty() => Marks::NO_LOOP,
            _ => Marks::default(),
        }
    }

    fn of_constant(value: Constant) -> Marks {
        let number = match value {
            Constant::Float(value) => value,
            // No integer but the named ones becomes one of them by rounding.
            other => other.as_int().unwrap_or(2) as f64,
        };
        let named = match number {
            0.0 => Marks::ZERO,
            1.0 => Marks::ONE,
            -1.0 => Marks::MINUS_ONE,
            _ if number == f64::from(i32::MIN) => Marks::LEAST,
            _ => Marks::default(),
        };
        Marks::CONSTANT.and(named)
    }

    /// The marks of the sources of `uop` taken together, given what each source shows.
    pub(super) fn of_sources(uop: &Uop, shown: impl Fn(usize) -> Marks, first_has_type: bool) -> Marks {
        let (mut all, mut every) = (Marks::default(), Marks(u32::MAX));
        let mut before = None;
        for (place, &source) in uop.sources.iter().enumerate() {
            let marks = shown(place);
            all = all.and(marks);
            every = Marks(every.0 & marks.0);
            if place == 0 && marks.have(Marks::CONSTANT) {
                all = all.and(Marks::FIRST_CONSTANT);
            }
            if before.replace(source) == Some(source) {
                all = all.and(Marks::SAME);
            }
        }
        if uop.sources.is_empty() {
            return Marks::NO_SOURCES;
        }
        if every.have(Marks::CONSTANT) {
            all = all.and(Marks::ALL_CONSTANT);
        }
        if first_has_type {
            all = all.and(Marks::SAME_TYPE);
        }
        all
    }
}
