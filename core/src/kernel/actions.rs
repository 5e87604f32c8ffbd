//! The optimisations that a search may try next.

use super::{Kernel, Opt, OptOp, dims};
use crate::symbolic::Sint;

/// The most elements that one lane may compute (beyond those of a matrix instruction).
const MOST_UPCASTED: i64 = 256;
/// The most lanes of a workgroup.
const MOST_LANES: i64 = 1024;

impl Kernel {
    /// The optimisations that a search may try next: those of 0.9.0's list that apply here and leave at most 256
    /// elements to a lane and 1024 lanes to a workgroup, in the list's order.
    pub fn actions(&self) -> Vec<Opt> {
        let mut scratch = self.clone();
        let here = scratch.checkpoint();
        let mut found = Vec::new();
        for opt in candidates() {
            if self.is_repeated(opt) || scratch.apply_opt(opt).is_err() {
                continue;
            }
            if scratch.is_moderate() {
                found.push(opt);
            }
            scratch.restore(here.clone());
        }
        found
    }

    /// Whether the axis does not exist, or another candidate takes all of it.
    fn is_repeated(&self, opt: Opt) -> bool {
        let (Some(axis), Some(amount)) = (opt.axis.and_then(|axis| usize::try_from(axis).ok()), opt.amount) else {
            return false;
        };
        let axis = match opt.op {
            OptOp::Tc | OptOp::NoLocals => return false,
            OptOp::Unroll => axis + self.first_reduce(),
            OptOp::Group | OptOp::GroupTop => axis + self.first_reduce_loop(),
            _ => axis,
        };
        // As in 0.9.0 the axis of the candidate that takes all is counted from the first one of all.
        let whole_exists = match opt.op {
            OptOp::Upcast => axis < 6,
            OptOp::Unroll => axis < 5,
            OptOp::Group => axis < 3,
            _ => false,
        };
        match self.full_shape().get(axis) {
            None => true,
            Some(&size) => whole_exists && size == Sint::Int(amount),
        }
    }

    /// Whether a lane computes at most 256 elements (beyond those of a matrix instruction) and a workgroup has at most
    /// 1024 lanes: what a search keeps to.
    pub fn is_moderate(&self) -> bool {
        let colors = self.colors();
        let product = |of: &[&str]| {
            let axes = self.full_shape().iter().zip(&colors).filter(|(_, color)| of.contains(color));
            dims::product_of_numbers(&axes.map(|(&size, _)| size).collect::<Vec<_>>())
        };
        let instruction = self.tensor_core.as_ref().map_or(1, |core| {
            let lanes: usize = core.threads.iter().map(|(_, size)| size).product();
            (core.dims.iter().product::<usize>() / lanes.max(1)).max(1) as i64
        });
        product(&["magenta", "yellow"]) / instruction <= MOST_UPCASTED
            && product(&["cyan", "green", "white"]) <= MOST_LANES
    }
}

/// 0.9.0's list.
fn candidates() -> impl Iterator<Item = Opt> {
    let of = |op: OptOp, amounts: &'static [i64], axes: i64| {
        let opts = amounts.iter().flat_map(move |&amount| (0..axes).map(move |axis| (axis, amount)));
        opts.map(move |(axis, amount)| Opt { op, axis: Some(axis), amount: Some(amount) })
    };
    of(OptOp::Upcast, &[0, 2, 3, 4, 5, 7], 6)
        .chain(of(OptOp::Unroll, &[0, 4, 7], 5))
        .chain(of(OptOp::Local, &[2, 3, 4, 8, 13, 16, 29], 5))
        .chain(of(OptOp::GroupTop, &[13, 16, 28, 29, 32, 49, 64, 256], 3))
        .chain(of(OptOp::Group, &[0, 4, 8, 16], 3))
        .chain(of(OptOp::PadTo, &[32], 7))
        .chain(of(OptOp::Local, &[32], 1))
        .chain([Opt { op: OptOp::UpcastMid, axis: Some(1), amount: Some(4) }])
        .chain(of(OptOp::Tc, &[0], 1))
        .chain(of(OptOp::Tc, &[2], 9))
}
