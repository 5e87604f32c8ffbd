//! The launch: how many workgroups of how many lanes, and which of them run within the budget.

use super::Budget;
use super::RunError;
use super::fault::Faults;
use crate::FindingKind;
use plumb_core::linearize::Lowered;
use plumb_core::symbolic::{Arena, Node, NodeId, Sint};
use plumb_core::uop::{IndexName, Uop, UopArg, UopKind};

/// Most lanes in a workgroup.
const LANES_MAX: i64 = 1 << 16;

/// How many times the budget a single workgroup may take.
const GROUP_BUDGETS: u64 = 250;

/// Depth to which a symbolic size is evaluated.
const DEPTH_MAX: usize = 100;

/// Workgroups and lanes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    /// Workgroups in each dimension, the first running fastest: of the launch, or iterations of the loops that are
    /// spread over lanes.
    pub(super) groups: Vec<i64>,
    /// Lanes of a workgroup in each dimension, the first running fastest.
    pub(super) lanes: [i64; 3],
    /// Whether there is a launch at all; otherwise the list is one thread's.
    pub(super) launched: bool,
}

impl Grid {
    /// The grid that a lowered kernel asks for, under values of the symbolic variables.
    pub(super) fn of(
        lowered: &Lowered,
        variable: &dyn Fn(&str) -> Option<i64>,
        faults: &mut Faults,
    ) -> Result<Grid, RunError> {
        let sizes = |sizes: &Option<Vec<Sint>>| -> Result<[i64; 3], RunError> {
            let mut out = [1; 3];
            for (n, &size) in sizes.iter().flatten().enumerate() {
                let value = evaluate(&lowered.arena, size, variable)?;
                match out.get_mut(n) {
                    Some(out) => *out = value,
                    None if value == 1 => {}
                    None => return Err(RunError::Unsupported("a launch of more than three dimensions".to_owned())),
                }
            }
            Ok(out)
        };
        let groups = sizes(&lowered.global_size)?;
        let lanes = sizes(&lowered.local_size)?;
        let launched = lowered.global_size.is_some();
        for (position, uop) in lowered.uops.uops.iter().enumerate() {
            let (UopKind::Special, UopArg::Special { dim, name, size }) = (uop.kind, &uop.arg) else { continue };
            let mut fault = |what: &str| faults.add(&lowered.uops, position as u32, FindingKind::Malformed, what);
            let dimensions = if matches!(name, IndexName::Local(_)) { &lanes } else { &groups };
            let size = evaluate(&lowered.arena, *size, variable)?;
            if !launched {
                fault(": an index of a launch, but the kernel is not launched over a grid");
            } else if let Some(launched) = dimensions.get(*dim as usize).filter(|&&launched| launched != size) {
                fault(&format!(": the launch has size {launched} in dimension {dim}, not {size}"));
            }
        }
        let grid = Grid { groups: groups.to_vec(), lanes, launched };
        let all = grid.groups.iter().chain(&grid.lanes);
        if all.clone().any(|&size| size < 0) || all.map(|&size| i128::from(size)).product::<i128>() >= 1 << 62 {
            return Err(RunError::Unsupported(format!("a launch of {:?} workgroups of {:?}", grid.groups, grid.lanes)));
        }
        if grid.lanes_per_group() as i64 > LANES_MAX {
            return Err(RunError::Unsupported(format!("a workgroup of {} lanes", grid.lanes_per_group())));
        }
        Ok(grid)
    }

    /// Lanes in a workgroup.
    pub(super) fn lanes_per_group(&self) -> usize {
        self.lanes.iter().product::<i64>() as usize
    }

    /// Workgroups in all.
    pub(super) fn group_count(&self) -> u64 {
        self.groups.iter().product::<i64>() as u64
    }

    /// Coordinate of a workgroup.
    pub(super) fn group_coordinate(&self, mut group: u64, dimension: usize) -> i64 {
        for &size in self.groups.iter().take(dimension) {
            group /= (size as u64).max(1);
        }
        self.groups.get(dimension).map_or(0, |&size| (group % (size as u64).max(1)) as i64)
    }

    /// The coordinates of workgroup `first` and those after it, `start` added, for each of their lanes.
    pub(super) fn fill_group_coordinates(&self, first: u64, dimension: usize, start: i64, out: &mut [i32]) {
        let lanes = self.lanes_per_group().max(1) as u64;
        let size = self.groups.get(dimension).map_or(1, |&size| size.max(1));
        let below: u64 = self.groups.iter().take(dimension).map(|&size| size.max(1) as u64).product();
        let (mut value, mut passed) = (self.group_coordinate(first, dimension), first % below);
        let mut out = out;
        while !out.is_empty() {
            if below == 1 && lanes == 1 {
                // Lane after lane the next value.
                let count = usize::try_from(size - value).unwrap_or(usize::MAX).min(out.len());
                let (run, rest) = out.split_at_mut(count);
                for (out, value) in run.iter_mut().zip((start + value) as i32..) {
                    *out = value;
                }
                (out, value) = (rest, 0);
            } else {
                let count =
                    usize::try_from((below - passed).saturating_mul(lanes)).unwrap_or(usize::MAX).min(out.len());
                let (run, rest) = out.split_at_mut(count);
                run.fill((start + value) as i32);
                (out, passed) = (rest, 0);
                value = if value + 1 == size { 0 } else { value + 1 };
            }
        }
    }

    /// The coordinates of the lanes of workgroups, one after the other.
    pub(super) fn fill_lane_coordinates(&self, dimension: usize, out: &mut [i32]) {
        let lanes = self.lanes_per_group().max(1);
        for group in 0..out.len().div_ceil(lanes) {
            if group == 0 {
                for (lane, value) in out.iter_mut().enumerate().take(lanes) {
                    *value = self.lane_coordinate(lane, dimension) as i32;
                }
            } else {
                let end = (group * lanes + lanes).min(out.len());
                out.copy_within(0..end - group * lanes, group * lanes);
            }
        }
    }

    /// Coordinate of a lane in its workgroup.
    pub(super) fn lane_coordinate(&self, lane: usize, dimension: usize) -> i64 {
        let below: i64 = self.lanes.iter().take(dimension).product();
        self.lanes.get(dimension).map_or(0, |&size| lane as i64 / below.max(1) % size.max(1))
    }
}

/// The value that bounds a SPECIAL.
pub(super) fn special_max(lowered: &Lowered, variable: &dyn Fn(&str) -> Option<i64>, uop: &Uop) -> i128 {
    match &uop.arg {
        UopArg::Special { size, .. } => {
            evaluate(&lowered.arena, *size, variable).map_or(i128::from(i32::MAX), |size| i128::from(size) - 1).max(0)
        }
        _ => 0,
    }
}

/// The value of a size under values of the variables. Deliberately not the arena's own evaluation: that is judged.
pub(crate) fn evaluate(arena: &Arena, size: Sint, variable: &dyn Fn(&str) -> Option<i64>) -> Result<i64, RunError> {
    fn walk(arena: &Arena, id: NodeId, variable: &dyn Fn(&str) -> Option<i64>, depth: usize) -> Result<i64, RunError> {
        let unsupported = |what: &str| RunError::Unsupported(what.to_owned());
        let overflow = || RunError::Unsupported("a symbolic size that does not fit in 64 bits".to_owned());
        let depth = depth.checked_sub(1).ok_or_else(|| unsupported("a symbolic size nested too deeply"))?;
        let node = |id: NodeId| walk(arena, id, variable, depth);
        let sint = |value: Sint| match value {
            Sint::Int(value) => Ok(value),
            Sint::Node(id) => walk(arena, id, variable, depth),
        };
        match arena.node(id) {
            Node::Number(value) => Ok(*value),
            Node::Variable(number) => {
                let info = arena.variable_info(*number);
                variable(&info.name)
                    .or(info.value)
                    .ok_or_else(|| RunError::Unsupported(format!("no value for variable {}", info.name)))
            }
            Node::Mul(a, b) => node(*a)?.checked_mul(sint(*b)?).ok_or_else(overflow),
            Node::Div(a, b) => checked_floor_div(node(*a)?, *b).ok_or_else(overflow),
            Node::Mod(a, b) => {
                let (a, b) = (node(*a)?, *b);
                let quotient = checked_floor_div(a, b).ok_or_else(overflow)?;
                quotient.checked_mul(b).and_then(|product| a.checked_sub(product)).ok_or_else(overflow)
            }
            Node::Less(a, b) => Ok(i64::from(node(*a)? < sint(*b)?)),
            Node::Sum(terms) => {
                terms.iter().try_fold(0i64, |sum, &term| sum.checked_add(node(term)?).ok_or_else(overflow))
            }
            Node::And(terms) => terms.iter().try_fold(1, |all, &term| Ok(all & i64::from(node(term)? != 0))),
        }
    }
    match size {
        Sint::Int(value) => Ok(value),
        Sint::Node(id) => walk(arena, id, variable, DEPTH_MAX),
    }
}

fn checked_floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// Which workgroups run: all, or a share of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Share {
    /// All; how many.
    All(u64),
    /// These, ascending.
    Some(Vec<u64>),
}

impl Share {
    /// What the budget allows of `count` workgroups, each of which takes `cost` uop executions. The first, the last, and one out of
    /// each of as many equal stretches between them as there is budget for, drawn by a fixed hash: with equal
    /// distances one coordinate could be the same in all.
    pub(super) fn of(count: u64, cost: u64, budget: Budget) -> Result<Share, RunError> {
        if cost > budget.uop_lanes.saturating_mul(GROUP_BUDGETS) {
            // Without numbers of the kernel: reasons are counted.
            return Err(RunError::Unsupported(format!(
                "one workgroup alone takes more than {GROUP_BUDGETS} times the budget of uop executions"
            )));
        }
        let allowed = (budget.uop_lanes / cost.max(1)).max(1);
        if allowed >= count {
            return Ok(Share::All(count));
        }
        let strata = allowed.saturating_sub(2);
        let place = |n: u64| 1 + (u128::from(n) * u128::from(count - 2) / u128::from(strata.max(1))) as u64;
        let mut groups = vec![0];
        for n in 0..strata {
            let (low, end) = (place(n), place(n + 1));
            groups.push(low + mix(n) % (end - low).max(1));
        }
        if allowed > 1 {
            groups.push(count - 1);
        }
        Ok(Share::Some(groups))
    }

    /// How many workgroups run.
    pub(super) fn len(&self) -> u64 {
        match self {
            Share::All(count) => *count,
            Share::Some(groups) => groups.len() as u64,
        }
    }

    /// The `n`-th workgroup that runs.
    pub(super) fn group(&self, n: u64) -> u64 {
        match self {
            Share::All(_) => n,
            Share::Some(groups) => groups.get(n as usize).copied().unwrap_or(0),
        }
    }
}

/// A fixed hash (the finaliser of SplitMix64).
fn mix(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}
