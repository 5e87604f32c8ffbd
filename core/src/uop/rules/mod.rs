//! The rewrite rules of the uop graph, and which of them are tried on which uop, in which order.
//!
//! A rule looks at one uop and what it is made of, and answers with the uop that takes its place. Most rules can't apply
//! to most uops: the table says by what [`Marks`] of its sources a uop that a rule may apply to is known.

mod accumulate;
mod collapse;
mod compare;
mod constants;
mod identities;
mod memory;
mod site;

use super::marks::Marks;
use super::{UopArg, UopId, UopKind, UopRule};
use crate::ast::AluOp;
pub(super) use site::{AccumulatorLanes, Site};

/// A rule, and when and how it is tried.
pub(super) struct Rewrite {
    /// Its place in the table of rules.
    pub(super) rule: UopRule,
    /// What the sources of a uop show where the rule may apply, whether as it should be or altered.
    pub(super) needs: Marks,
    /// The uop that takes the place of the one looked at, or `None` where the rule does not apply.
    pub(super) apply: fn(&mut Site<'_>) -> Option<UopId>,
}

/// A rule that may apply where the sources show `needs`.
const fn where_shown(needs: Marks, rule: UopRule, apply: fn(&mut Site<'_>) -> Option<UopId>) -> Rewrite {
    Rewrite { rule, needs, apply }
}

/// The rules to try on a uop of a kind with an argument, in order.
pub(super) fn rules_for(kind: UopKind, arg: &UopArg) -> &'static [Rewrite] {
    match (kind, arg) {
        (UopKind::Alu, UopArg::Alu(op)) => match op {
            AluOp::Add => ADD,
            AluOp::Sub => SUB,
            AluOp::Mul => MUL,
            AluOp::Div => DIV,
            AluOp::Max => MAX,
            AluOp::Neg => NEG,
            AluOp::CmpLt => CMPLT,
            AluOp::Where => WHERE,
            _ => ALU,
        },
        (UopKind::Phi, _) => PHI,
        (UopKind::DefineAcc, _) => DEFINE_ACC,
        (UopKind::Unmul, _) => UNMUL,
        (UopKind::Gep, _) => GEP,
        (UopKind::Cast, _) => CAST,
        (UopKind::Bitcast, _) => BITCAST,
        (UopKind::Store, _) => STORE,
        _ => &[],
    }
}

const FOLD: Rewrite = where_shown(Marks::ALL_CONSTANT, UopRule::FoldConstants, constants::fold);
const FOLD_UNROUNDED: Rewrite = where_shown(Marks::ALL_CONSTANT, UopRule::FoldUnrounded, constants::fold_unrounded);

const ADD: &[Rewrite] = &[
    where_shown(Marks::NEG, UopRule::AddNegated, identities::add_negated),
    where_shown(Marks::ZERO, UopRule::AddZero, identities::add_zero),
    where_shown(Marks::ZERO, UopRule::AddZeroFloat, identities::add_zero_float),
    where_shown(Marks::SUM_WITH_CONSTANT.and(Marks::CONSTANT), UopRule::AddTwice, identities::add_twice),
    where_shown(Marks::SUM_WITH_CONSTANT.and(Marks::CONSTANT), UopRule::AddTwiceFloat, identities::add_twice_float),
    where_shown(
        Marks::DIFFERENCE_WITH_CONSTANT.and(Marks::CONSTANT),
        UopRule::SubtractThenAdd,
        identities::subtract_then_add,
    ),
    where_shown(
        Marks::DIFFERENCE_WITH_CONSTANT.and(Marks::CONSTANT),
        UopRule::SubtractThenAddFloat,
        identities::subtract_then_add_float,
    ),
    FOLD_UNROUNDED,
    FOLD,
];
const SUB: &[Rewrite] = &[
    where_shown(Marks::ZERO, UopRule::SubtractZero, identities::subtract_zero),
    where_shown(Marks::SAME, UopRule::SubtractSelf, identities::subtract_self),
    where_shown(Marks::SAME, UopRule::SubtractSelfFloat, identities::subtract_self_float),
    FOLD_UNROUNDED,
    FOLD,
];
const MUL: &[Rewrite] = &[
    where_shown(Marks::UNMUL.and(Marks::CONSTANT), UopRule::UndoMultiplication, collapse::undo_multiplication),
    where_shown(Marks::MINUS_ONE, UopRule::MultiplyMinusOne, identities::multiply_minus_one),
    where_shown(Marks::ONE, UopRule::MultiplyOne, identities::multiply_one),
    where_shown(Marks::ZERO, UopRule::MultiplyZero, identities::multiply_zero),
    where_shown(Marks::ZERO, UopRule::MultiplyZeroFloat, identities::multiply_zero_float),
    FOLD_UNROUNDED,
    FOLD,
];
const DIV: &[Rewrite] = &[
    where_shown(Marks::ONE, UopRule::DivideOne, identities::divide_one),
    where_shown(Marks::MINUS_ONE, UopRule::DivideMinusOne, identities::divide_minus_one),
    FOLD_UNROUNDED,
    FOLD,
];
const MAX: &[Rewrite] = &[
    where_shown(Marks::SPECIAL.and(Marks::CONSTANT), UopRule::MaximumIndex, compare::maximum_index),
    where_shown(Marks::LEAST, UopRule::MaximumLeastInteger, compare::maximum_least_integer),
    FOLD,
];
const NEG: &[Rewrite] = &[where_shown(Marks::NEG, UopRule::NegateTwice, identities::negate_twice), FOLD];
const CMPLT: &[Rewrite] = &[
    where_shown(Marks::ZERO, UopRule::LessThanFalse, compare::less_than_false),
    where_shown(Marks::ONE, UopRule::TrueLessThan, compare::true_less_than),
    where_shown(Marks::NEG.and(Marks::CONSTANT), UopRule::LessNegated, compare::less_negated),
    FOLD,
];
const WHERE: &[Rewrite] = &[
    where_shown(Marks::SAME, UopRule::WhereSame, compare::where_same),
    where_shown(Marks::FIRST_CONSTANT, UopRule::WhereConstant, compare::where_constant),
    FOLD,
];
const ALU: &[Rewrite] = &[FOLD_UNROUNDED, FOLD];
const PHI: &[Rewrite] = &[
    where_shown(Marks::SUM_OF_CHOICE, UopRule::LoopCollapse, collapse::loop_collapse),
    where_shown(Marks::SUM_OF_CHOICE, UopRule::LoopCollapseFloat, collapse::loop_collapse_float),
    where_shown(Marks::FREE_SIDE, UopRule::SumCollapse, collapse::sum_collapse),
    where_shown(Marks::FREE_SIDE, UopRule::SumCollapseFloat, collapse::sum_collapse_float),
    where_shown(Marks::SAME, UopRule::PhiUnchanged, accumulate::unchanged),
    where_shown(Marks::NO_LOOP, UopRule::PhiNoLoop, accumulate::no_loop),
    where_shown(Marks::FIRST_CONSTANT, UopRule::PhiConstant, accumulate::constant),
];
const DEFINE_ACC: &[Rewrite] =
    &[where_shown(Marks::NO_SOURCES, UopRule::AccumulatorNoLoop, accumulate::accumulator_no_loop)];
const UNMUL: &[Rewrite] = &[where_shown(Marks::ZERO, UopRule::UndoOfZero, collapse::undo_of_zero)];
const GEP: &[Rewrite] = &[where_shown(Marks::CONSTANT, UopRule::LaneOfConstant, constants::lane)];
const CAST: &[Rewrite] = &[
    where_shown(Marks::UNMUL, UopRule::CastUndo, collapse::cast_undo),
    where_shown(Marks::ALL_CONSTANT, UopRule::CastConstant, constants::cast),
    where_shown(Marks::PHI, UopRule::CastPhis, memory::cast_phis),
    where_shown(Marks::SAME_TYPE, UopRule::CastSame, constants::cast_same),
];
const BITCAST: &[Rewrite] = &[where_shown(Marks::ALL_CONSTANT, UopRule::CastConstant, constants::bitcast)];
const STORE: &[Rewrite] = &[
    where_shown(Marks::LOAD, UopRule::StoreLoaded, memory::store_loaded),
    where_shown(Marks::CHOICE, UopRule::StoreGate, memory::store_gate),
    where_shown(Marks::CAST, UopRule::StoreVector, memory::store_vector),
];
