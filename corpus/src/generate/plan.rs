//! What a case is about: its kind, its axes and what each of them is for.

use super::choice::Choice;
use super::profile::Profile;
use super::sizes::{self, Use};
use plumb_core::ast::ReduceOp;
use plumb_core::dtype::Scalar;
use plumb_core::target::{Target, TensorCore};

/// What an axis is for, by the kind of kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Any axis of the outputs.
    Plain,
    /// Any axis that is reduced.
    Reduced,
    /// Both factors of a product have it, each its own element: batches.
    Batch,
    /// Only the first factor has it: rows of a matrix.
    Rows,
    /// Only the second factor has it: columns of a matrix, channels of a convolution's output.
    Columns,
    /// Both factors have it, and it is reduced.
    Inner,
    /// The places of windows: of the first or the second pair.
    Places(u8),
    /// The taps of windows, reduced.
    Taps(u8),
}

impl Role {
    pub(super) const fn is_reduced(self) -> bool {
        matches!(self, Role::Reduced | Role::Inner | Role::Taps(_))
    }

    const fn size(self, kind: Kind) -> Use {
        match self {
            Role::Taps(_) if matches!(kind, Kind::Convolution) => Use::Taps,
            Role::Rows | Role::Columns | Role::Inner if matches!(kind, Kind::Product) => Use::Matrix,
            _ if self.is_reduced() => Use::Reduce,
            _ => Use::Output,
        }
    }
}

/// The kind of kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Elementwise,
    Reduction,
    Product,
    Convolution,
    Window,
}

/// What a case is about.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) kind: Kind,
    /// What each axis is for.
    pub(super) roles: Vec<Role>,
    /// How the reduced axes are combined.
    pub(super) reduce: ReduceOp,
    /// How many outputs there are.
    pub(super) outputs: u32,
    /// Size of each axis.
    pub(super) sizes: Vec<i64>,
    /// The types of the factors of a product and of its sum.
    pub(super) types: Option<(Scalar, Scalar)>,
}

/// Types of the factors of a product and of its sum, as models have them.
const PRODUCT_TYPES: [(Scalar, Scalar); 5] = [
    (Scalar::F32, Scalar::F32),
    (Scalar::F16, Scalar::F32),
    (Scalar::F16, Scalar::F16),
    (Scalar::BF16, Scalar::F32),
    (Scalar::I8, Scalar::I32),
];

/// Multiples of a matrix instruction's sizes.
const FITTING: [i64; 6] = [1, 2, 1, 3, 4, 5];

impl Plan {
    /// Draws the plan of a case.
    pub(super) fn draw(choice: &mut dyn Choice, profile: &Profile, target: Option<&Target>) -> Plan {
        let kinds = profile.kinds;
        let kind = choice.weighted(&[
            (kinds.elementwise, Kind::Elementwise),
            (kinds.reduction, Kind::Reduction),
            (kinds.product, Kind::Product),
            (kinds.convolution, Kind::Convolution),
            (kinds.window, Kind::Window),
        ]);
        let mut roles = roles(choice, kind, profile.axes);
        roles.truncate(profile.axes);
        if choice.chance(1, 4) {
            (1..roles.len()).rev().for_each(|last| roles.swap(last, choice.index(last + 1)));
        }
        let maximum = matches!(kind, Kind::Reduction | Kind::Window) && choice.chance(1, 3);
        let reduce = if maximum { ReduceOp::Max } else { ReduceOp::Sum };
        let outputs = if choice.chance(1, 4) { 1 + choice.below(profile.outputs.max(1)) } else { 1 };
        let mut plan = Plan { kind, roles, reduce, outputs, sizes: Vec::new(), types: None };
        let fits = |core: &&TensorCore| core.dims.iter().product::<usize>() as i64 <= profile.work;
        let cores: Vec<&TensorCore> = target.iter().flat_map(|target| &target.tensor_cores).filter(fits).collect();
        if kind == Kind::Product && !cores.is_empty() && choice.chance(2, 3) {
            let core = choice.pick(&cores);
            plan.types = Some((core.dtype_in, core.dtype_out));
            plan.sizes = plan.fitting(choice, profile, core);
        } else {
            if choice.chance(1, 2) {
                plan.types = Some(choice.pick(&PRODUCT_TYPES));
            }
            plan.sizes = Plan::sizes(choice, profile, kind, &plan.roles);
        }
        plan
    }

    /// Sizes that a matrix instruction takes, of the first axis of each of its dimensions; the others are small.
    fn fitting(&self, choice: &mut dyn Choice, profile: &Profile, core: &TensorCore) -> Vec<i64> {
        let mut left =
            [(Role::Columns, 0), (Role::Rows, 1), (Role::Inner, 2)].map(|(role, n)| (role, core.dims[n] as i64));
        let mut work = left.iter().map(|(_, size)| size).product::<i64>();
        let mut multiple = |choice: &mut dyn Choice| {
            let drawn = choice.pick_detail(&FITTING);
            let fits = work.saturating_mul(drawn) <= profile.work;
            work *= if fits { drawn } else { 1 };
            if fits { drawn } else { 1 }
        };
        let mut size = |role: &Role| {
            let first = left.iter_mut().find(|(of, size)| of == role && *size > 1);
            let least = first.map_or(1, |(_, size)| std::mem::replace(size, 1));
            let size = least * multiple(choice);
            // A second axis that is reduced takes no work of its own where there is none left.
            if role.is_reduced() && !profile.unit_reductions { size.max(2) } else { size }
        };
        self.roles.iter().map(&mut size).collect()
    }

    /// Sizes whose product keeps to the profile's work, and in three of four cases to less.
    fn sizes(choice: &mut dyn Choice, profile: &Profile, kind: Kind, roles: &[Role]) -> Vec<i64> {
        let share = choice.pick(&[4, 2, 6, 0]);
        let mut sizes: Vec<i64> = roles.iter().map(|role| sizes::size(choice, role.size(kind))).collect();
        sizes::cut(&mut sizes, profile.work >> share);
        if !profile.unit_reductions {
            roles
                .iter()
                .zip(&mut sizes)
                .filter(|(role, _)| role.is_reduced())
                .for_each(|(_, size)| *size = 2.max(*size));
            // Rounding the reduced sizes up may leave too much work, for the other axes to make up for.
            let work: i64 = sizes.iter().product();
            if work > profile.work {
                roles.iter().zip(&mut sizes).filter(|(role, _)| !role.is_reduced()).for_each(|(_, size)| *size = 1);
            }
        }
        sizes
    }

    /// The axes that are reduced.
    pub(super) fn reduced(&self) -> Vec<usize> {
        (0..self.roles.len()).filter(|&axis| self.roles[axis].is_reduced()).collect()
    }
}

fn roles(choice: &mut dyn Choice, kind: Kind, most: usize) -> Vec<Role> {
    match kind {
        Kind::Elementwise => vec![Role::Plain; choice.weighted(&axes(most, 0))],
        Kind::Reduction => {
            let axes = choice.weighted(&axes(most, 1));
            let mut roles = vec![Role::Plain; axes];
            match choice.below(4) {
                0 => roles[axes - 1] = Role::Reduced,
                1 => roles[choice.index(axes)] = Role::Reduced,
                2 => {
                    let which = 1 + choice.below((1 << axes) - 1);
                    roles.iter_mut().enumerate().filter(|(axis, _)| which >> axis & 1 == 1).for_each(|(_, role)| {
                        *role = Role::Reduced;
                    });
                }
                _ => roles[choice.index(axes)..].fill(Role::Reduced),
            }
            roles
        }
        Kind::Product => {
            let mut roles = vec![Role::Rows, Role::Columns, Role::Inner];
            match choice.below(6) {
                0 | 1 => {}
                2 => drop(roles.remove(1)),
                3 => roles.insert(0, Role::Batch),
                4 => roles.push(Role::Inner),
                _ => roles.insert(1, Role::Rows),
            }
            roles
        }
        Kind::Convolution => {
            let mut roles = vec![Role::Columns, Role::Places(0), Role::Inner, Role::Taps(0)];
            if choice.chance(1, 2) {
                roles.insert(2, Role::Places(1));
                roles.push(Role::Taps(1));
            } else if choice.chance(1, 3) {
                roles.insert(0, Role::Rows);
            }
            if roles.len() > most {
                roles = vec![Role::Columns, Role::Places(0), Role::Taps(0)];
            }
            roles
        }
        Kind::Window => {
            let mut roles = vec![Role::Places(0), Role::Taps(0)];
            if choice.chance(1, 2) {
                roles.insert(0, Role::Plain);
            }
            roles
        }
    }
}

/// How often which number of axes.
fn axes(most: usize, least: usize) -> Vec<(u32, usize)> {
    let weights = [(1, 0), (4, 1), (6, 2), (6, 3), (4, 4), (2, 5), (2, 6)];
    let kept: Vec<(u32, usize)> =
        weights.into_iter().filter(|(_, axes)| (least..=most.max(least)).contains(axes)).collect();
    if kept.is_empty() { vec![(1, least)] } else { kept }
}
