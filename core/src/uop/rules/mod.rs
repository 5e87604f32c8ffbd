//! The rewrite rules of the uop graph, and which of them are tried on which uop, in which order.
//!
//! A rule looks at one uop and what it is made of, and answers with the uop that takes its place.

mod accumulate;
mod collapse;
mod compare;
mod constants;
mod identities;
mod memory;
mod site;

use super::{UopArg, UopId, UopKind, UopRule};
use crate::ast::AluOp;
pub(super) use site::{AccumulatorLanes, Site};

/// A rule and what does it: the uop that takes the place of the one looked at, or `None` where the rule does not apply.
pub(super) type Rewrite = (UopRule, fn(&mut Site<'_>) -> Option<UopId>);

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

const FOLD: Rewrite = (UopRule::FoldConstants, constants::fold);

const ADD: &[Rewrite] = &[
    (UopRule::AddNegated, identities::add_negated),
    (UopRule::AddZero, identities::add_zero),
    (UopRule::AddZeroFloat, identities::add_zero_float),
    (UopRule::AddTwice, identities::add_twice),
    (UopRule::AddTwiceFloat, identities::add_twice_float),
    (UopRule::SubtractThenAdd, identities::subtract_then_add),
    (UopRule::SubtractThenAddFloat, identities::subtract_then_add_float),
    FOLD,
];
const SUB: &[Rewrite] = &[
    (UopRule::SubtractZero, identities::subtract_zero),
    (UopRule::SubtractSelf, identities::subtract_self),
    (UopRule::SubtractSelfFloat, identities::subtract_self_float),
    FOLD,
];
const MUL: &[Rewrite] = &[
    (UopRule::UndoMultiplication, collapse::undo_multiplication),
    (UopRule::MultiplyMinusOne, identities::multiply_minus_one),
    (UopRule::MultiplyOne, identities::multiply_one),
    (UopRule::MultiplyZero, identities::multiply_zero),
    (UopRule::MultiplyZeroFloat, identities::multiply_zero_float),
    FOLD,
];
const DIV: &[Rewrite] =
    &[(UopRule::DivideOne, identities::divide_one), (UopRule::DivideMinusOne, identities::divide_minus_one), FOLD];
const MAX: &[Rewrite] = &[
    (UopRule::MaximumIndex, compare::maximum_index),
    (UopRule::MaximumLeastInteger, compare::maximum_least_integer),
    FOLD,
];
const NEG: &[Rewrite] = &[(UopRule::NegateTwice, identities::negate_twice), FOLD];
const CMPLT: &[Rewrite] = &[
    (UopRule::LessThanFalse, compare::less_than_false),
    (UopRule::TrueLessThan, compare::true_less_than),
    (UopRule::LessNegated, compare::less_negated),
    FOLD,
];
const WHERE: &[Rewrite] =
    &[(UopRule::WhereSame, compare::where_same), (UopRule::WhereConstant, compare::where_constant), FOLD];
const ALU: &[Rewrite] = &[FOLD];
const PHI: &[Rewrite] = &[
    (UopRule::LoopCollapse, collapse::loop_collapse),
    (UopRule::LoopCollapseFloat, collapse::loop_collapse_float),
    (UopRule::SumCollapse, collapse::sum_collapse),
    (UopRule::SumCollapseFloat, collapse::sum_collapse_float),
    (UopRule::PhiUnchanged, accumulate::unchanged),
    (UopRule::PhiNoLoop, accumulate::no_loop),
    (UopRule::PhiConstant, accumulate::constant),
];
const DEFINE_ACC: &[Rewrite] = &[(UopRule::AccumulatorNoLoop, accumulate::accumulator_no_loop)];
const UNMUL: &[Rewrite] = &[(UopRule::UndoOfZero, collapse::undo_of_zero)];
const GEP: &[Rewrite] = &[(UopRule::LaneOfConstant, constants::lane)];
const CAST: &[Rewrite] = &[
    (UopRule::CastUndo, collapse::cast_undo),
    (UopRule::CastConstant, constants::cast),
    (UopRule::CastPhis, memory::cast_phis),
    (UopRule::CastSame, constants::cast_same),
];
const BITCAST: &[Rewrite] = &[(UopRule::CastConstant, constants::bitcast)];
const STORE: &[Rewrite] = &[
    (UopRule::StoreLoaded, memory::store_loaded),
    (UopRule::StoreGate, memory::store_gate),
    (UopRule::StoreVector, memory::store_vector),
];
