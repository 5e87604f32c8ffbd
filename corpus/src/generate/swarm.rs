//! Which features one case may use.
//!
//! A case that may use everything uses a bit of everything, and what needs much of one feature and none of another is
//! never seen (swarm testing: Groce et al., ISSTA 2012). So each case first draws what it may use at all.

use super::choice::Choice;
use super::profile::Profile;
use plumb_core::ast::AluOp;
use plumb_core::dtype::Scalar;

/// A step backwards through a layout's movements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MovementKind {
    Permute,
    Expand,
    Pad,
    Shrink,
    Reshape,
    Flip,
    Step,
}

impl MovementKind {
    const ALL: [MovementKind; 7] = [
        MovementKind::Permute,
        MovementKind::Expand,
        MovementKind::Pad,
        MovementKind::Shrink,
        MovementKind::Reshape,
        MovementKind::Flip,
        MovementKind::Step,
    ];
}

/// Which features one case may use.
#[derive(Clone, Debug)]
pub(super) struct Swarm {
    /// Movements of layouts.
    pub(super) movements: Vec<MovementKind>,
    /// Arithmetic, a bit for each operation.
    operations: u32,
    /// Types of loads, the likeliest first.
    pub(super) palette: Vec<Scalar>,
    /// Conversions by value.
    pub(super) casts: bool,
    /// Reinterpretations of bits.
    pub(super) bitcasts: bool,
    /// Operations whose result is rounded: division of floats, EXP2, LOG2, SIN, SQRT, fractions as constants.
    pub(super) rounding: bool,
    /// Constants as operands.
    pub(super) constants: bool,
    /// Constants under masks.
    pub(super) masked_constants: bool,
    /// Values that are used twice.
    pub(super) sharing: bool,
    /// Buffers that are seen in two ways.
    pub(super) shared_buffers: bool,
    /// Raw views.
    pub(super) raw_views: bool,
    /// Stores that are not row-major.
    pub(super) moved_stores: bool,
    /// Outputs that are read.
    pub(super) assign: bool,
    /// Unsigned integers that wrap around.
    pub(super) wraparound: bool,
    /// Infinities, NaN and the negative zero among constants.
    pub(super) special_constants: bool,
    /// Images.
    pub(super) images: bool,
}

impl Swarm {
    /// Draws what a case may use.
    pub(super) fn draw(choice: &mut dyn Choice, profile: &Profile) -> Swarm {
        let movements = choice.below(1 << MovementKind::ALL.len());
        let movements = MovementKind::ALL.into_iter().enumerate().filter(|(bit, _)| movements >> bit & 1 == 1);
        let movements = movements.map(|(_, kind)| kind).collect();
        let operations = choice.below(1 << AluOp::ALL.len());
        let types = 1 + choice.below(3);
        let palette = (0..types).map(|_| scalar(choice, profile)).collect();
        let rare = choice.below(1 << 8);
        let flag = |bit: u32| rare >> bit & 1 == 1;
        Swarm {
            movements,
            operations,
            palette,
            casts: flag(0),
            bitcasts: flag(1) && choice.chance(1, 2),
            rounding: flag(2) && choice.chance(2, 3),
            constants: flag(3),
            masked_constants: flag(4),
            sharing: flag(5),
            shared_buffers: flag(6),
            raw_views: profile.raw_views && choice.chance(1, 6),
            moved_stores: profile.moved_stores && choice.chance(1, 6),
            assign: profile.assign && choice.chance(1, 12),
            wraparound: profile.wraparound && choice.chance(1, 4),
            special_constants: profile.special_constants && choice.chance(1, 2),
            images: profile.images && choice.chance(1, 2),
        }
    }

    /// Whether the case may use `op`.
    pub(super) fn allows(&self, op: AluOp) -> bool {
        let bit = AluOp::ALL.iter().position(|&other| other == op).unwrap_or(0);
        self.operations >> bit & 1 == 1
    }

    /// The type of a load.
    pub(super) fn scalar(&self, choice: &mut dyn Choice) -> Scalar {
        self.palette[choice.index(self.palette.len())]
    }
}

/// A type of the profile, one in three times the simplest.
fn scalar(choice: &mut dyn Choice, profile: &Profile) -> Scalar {
    let Some(&first) = profile.scalars.first() else { return Scalar::F32 };
    let place = choice.index(profile.scalars.len() * 3 / 2);
    profile.scalars.get(place).copied().unwrap_or(first)
}
