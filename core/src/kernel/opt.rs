//! Optimisations as values: what, on which axis, by how much.

use std::fmt;

/// What an optimisation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OptOp {
    /// Use a matrix instruction.
    Tc,
    /// Compute several neighbouring outputs in one lane.
    Upcast,
    /// Upcast an output axis between the two stages of a reduction (images only).
    UpcastMid,
    /// Unroll a reduce axis.
    Unroll,
    /// Make a part of a global axis lanes of a workgroup.
    Local,
    /// Split a reduction over the lanes of a workgroup, neighbouring lanes taking neighbouring elements' blocks.
    Group,
    /// As [`OptOp::Group`], splitting at the top of the axis.
    GroupTop,
    /// Use no workgroups.
    NoLocals,
    /// Pad an axis up to a multiple.
    PadTo,
}

impl OptOp {
    /// All of them, in order.
    pub const ALL: [OptOp; 9] = [
        OptOp::Tc,
        OptOp::Upcast,
        OptOp::UpcastMid,
        OptOp::Unroll,
        OptOp::Local,
        OptOp::Group,
        OptOp::GroupTop,
        OptOp::NoLocals,
        OptOp::PadTo,
    ];

    /// The name in texts and logs (`GROUPTOP`).
    pub const fn name(self) -> &'static str {
        match self {
            OptOp::Tc => "TC",
            OptOp::Upcast => "UPCAST",
            OptOp::UpcastMid => "UPCASTMID",
            OptOp::Unroll => "UNROLL",
            OptOp::Local => "LOCAL",
            OptOp::Group => "GROUP",
            OptOp::GroupTop => "GROUPTOP",
            OptOp::NoLocals => "NOLOCALS",
            OptOp::PadTo => "PADTO",
        }
    }

    /// The optimisation of this [name](OptOp::name).
    pub fn from_name(name: &str) -> Option<OptOp> {
        OptOp::ALL.into_iter().find(|op| op.name() == name)
    }
}

/// One optimisation: what, on which axis (counted as the operation counts: UNROLL and GROUP from the first reduce
/// axis), by how much (0: the whole axis).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opt {
    /// What.
    pub op: OptOp,
    /// On which axis; `None` where there is none (NOLOCALS).
    pub axis: Option<i64>,
    /// By how much.
    pub amount: Option<i64>,
}

impl fmt::Display for Opt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |value: Option<i64>| value.map_or_else(|| "None".to_owned(), |value| value.to_string());
        write!(f, "{}:{}:{}", self.op.name(), part(self.axis), part(self.amount))
    }
}

/// Which optimisations a kernel gets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OptPlan {
    /// The required ones, then tensor cores, and where those do not apply the hand-coded ones: what tinygrad does.
    Hand,
    /// Only the required ones.
    Required,
    /// Exactly these; the first that is refused ends the lowering with its error.
    List(Vec<Opt>),
}
