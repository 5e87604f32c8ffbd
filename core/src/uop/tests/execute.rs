//! Runs a list, one lane of it, to compare the rewritten with the original.

use super::typed::{self, Value};
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::uop::{UopArg, UopId, UopKind, UopList};

/// What a run needs from outside.
pub(super) struct Inputs<'a> {
    /// The element of a buffer at an index.
    pub(super) load: &'a dyn Fn(u32, i64, Scalar) -> Value,
    /// The index of the lane, in each dimension.
    pub(super) lane: [i64; 3],
}

/// What a run did.
pub(super) struct Outcome {
    /// What was stored: buffer, index and value of each store that took place, sorted.
    pub(super) stored: Vec<(u32, i64, Vec<Value>)>,
    /// Whether every float on the way is an integer that the type holds exactly, as are those next to it.
    pub(super) exact: bool,
}

pub(super) fn value_of(value: Constant, scalar: Scalar) -> Value {
    match value {
        Constant::Bool(value) => Value(u64::from(value)),
        Constant::Int(value) => typed::integer(value, scalar),
        Constant::Float(value) => typed::number(value, scalar),
    }
}

/// Runs a list.
pub(super) fn run(list: &UopList, inputs: &Inputs<'_>) -> Outcome {
    let mut values: Vec<Vec<Value>> = vec![Vec::new(); list.uops.len()];
    let (mut stored, mut exact) = (Vec::new(), true);
    let buffer = |id: UopId| match list.uops[id.index()].arg {
        UopArg::Global { index, .. } => index,
        _ => unreachable!("buffers are global"),
    };
    let mut position = 0;
    while let Some(uop) = list.uops.get(position) {
        let of = |id: UopId| list.uops[id.index()].dtype.expect("a value").scalar();
        let source = |place: usize| &values[uop.sources[place].index()];
        let index = |place: usize| source(place)[0].0 as i64;
        let lanes = usize::from(uop.dtype.map_or(1, DType::lanes));
        let value = match (uop.kind, &uop.arg, uop.dtype.map(DType::scalar)) {
            (UopKind::Const, UopArg::Const(value), Some(scalar)) => vec![value_of(*value, scalar); lanes],
            (UopKind::DefineAcc, UopArg::Acc { init, .. }, Some(scalar)) => vec![value_of(*init, scalar); lanes],
            (UopKind::Special, UopArg::Special { dim, .. }, _) => vec![Value(inputs.lane[*dim as usize] as u64)],
            (UopKind::Load, _, Some(scalar)) => match uop.sources.get(2) {
                Some(gate) if values[gate.index()][0] == Value(0) => source(3).clone(),
                _ => (0..lanes as i64)
                    .map(|lane| (inputs.load)(buffer(uop.sources[0]), index(1) + lane, scalar))
                    .collect(),
            },
            (UopKind::Cast, _, Some(to)) if uop.sources.len() == 1 => {
                source(0).iter().map(|&value| typed::cast(value, of(uop.sources[0]), to)).collect()
            }
            (UopKind::Cast, ..) => (0..uop.sources.len()).map(|place| source(place)[0]).collect(),
            (UopKind::Gep, UopArg::Lane(lane), _) => vec![source(0)[*lane as usize]],
            (UopKind::Alu, &UopArg::Alu(op), _) => {
                let operands: Vec<Value> = (0..uop.sources.len()).map(|place| source(place)[0]).collect();
                vec![typed::alu(op, of(*uop.sources.last().expect("operands")), &operands)]
            }
            (UopKind::Store, ..) => {
                if uop.sources.len() < 4 || source(3)[0] != Value(0) {
                    stored.push((buffer(uop.sources[0]), index(1), source(2).clone()));
                }
                Vec::new()
            }
            (UopKind::Phi, ..) => {
                let value = source(1).clone();
                update(list, &mut values, uop.sources[0], &value);
                value
            }
            (UopKind::Range, ..) => source(0).clone(),
            (UopKind::EndRange, ..) => {
                let range = uop.sources[0].index();
                let next = values[range][0].0 + 1;
                if next < values[list.uops[range].sources[1].index()][0].0 {
                    values[range] = vec![Value(next)];
                    position = range;
                }
                Vec::new()
            }
            (UopKind::DefineGlobal, ..) => Vec::new(),
            (kind, ..) => unreachable!("{} in a test", kind.name()),
        };
        if let Some(dtype) = uop.dtype {
            exact &= value.iter().all(|&value| typed::is_exact(value, dtype.scalar()));
        }
        if !matches!(uop.kind, UopKind::EndRange) {
            values[position] = value;
        }
        position += 1;
    }
    stored.sort();
    Outcome { stored, exact }
}

/// Gives an accumulator, or a lane of one, a new value.
fn update(list: &UopList, values: &mut [Vec<Value>], accumulator: UopId, value: &[Value]) {
    let uop = &list.uops[accumulator.index()];
    match (uop.kind, &uop.arg) {
        (UopKind::Gep, UopArg::Lane(lane)) => values[uop.sources[0].index()][*lane as usize] = value[0],
        _ => values[accumulator.index()] = value.to_vec(),
    }
}
