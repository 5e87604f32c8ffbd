//! What the axes of a kernel are for.

use super::Kernel;

/// What an axis is for. The members stand in the order in which axes of these kinds stand in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AxisKind {
    /// Of the launch grid, counted in workgroups (a loop, on targets without workgroups).
    Global,
    /// Of the launch grid, counted in work items: workgroups are given up.
    Flat,
    /// Lanes of a workgroup.
    Local,
    /// Lanes of a workgroup that share a reduction.
    Group,
    /// Lanes of a workgroup in the first stage of a reduction, upcasted in the second (images only).
    UpcastMid,
    /// A reduce loop.
    Reduce,
    /// A reduce axis, unrolled.
    Unroll,
    /// An axis of the outputs, several of whose elements one lane computes.
    Upcast,
}

impl AxisKind {
    /// All of them, in order.
    pub const ALL: [AxisKind; 8] = [
        AxisKind::Global,
        AxisKind::Flat,
        AxisKind::Local,
        AxisKind::Group,
        AxisKind::UpcastMid,
        AxisKind::Reduce,
        AxisKind::Unroll,
        AxisKind::Upcast,
    ];

    /// The name in reports: `global`, `flat`, `local`, `group`, `upcast-mid`, `reduce`, `unroll`, `upcast`.
    pub const fn name(self) -> &'static str {
        match self {
            AxisKind::Global => "global",
            AxisKind::Flat => "flat",
            AxisKind::Local => "local",
            AxisKind::Group => "group",
            AxisKind::UpcastMid => "upcast-mid",
            AxisKind::Reduce => "reduce",
            AxisKind::Unroll => "unroll",
            AxisKind::Upcast => "upcast",
        }
    }

    /// The colour of such axes, by 0.9.0's name for it (`BLUE` is the bright one).
    pub const fn color(self) -> &'static str {
        match self {
            AxisKind::Global => "blue",
            AxisKind::Flat => "BLUE",
            AxisKind::Local => "cyan",
            AxisKind::Group => "green",
            AxisKind::UpcastMid => "white",
            AxisKind::Reduce => "red",
            AxisKind::Unroll => "magenta",
            AxisKind::Upcast => "yellow",
        }
    }

    /// The colour as a terminal's number for it (of the foreground: ECMA-48, Select Graphic Rendition).
    pub const fn ansi(self) -> u8 {
        match self {
            AxisKind::Group => 32,
            AxisKind::Reduce => 31,
            AxisKind::Upcast => 33,
            AxisKind::Global => 34,
            AxisKind::Unroll => 35,
            AxisKind::Local => 36,
            AxisKind::UpcastMid => 37,
            AxisKind::Flat => 94,
        }
    }
}

impl Kernel {
    /// What each axis is for.
    pub fn axis_kinds(&self) -> Vec<AxisKind> {
        let (first_reduce, first_upcast) = (self.first_reduce(), self.first_upcast());
        let (global, reduce_loop) = (self.global_dims(), first_reduce + self.group_for_reduces);
        let kind = |axis: usize| match self.is_reduced(axis) {
            true if axis >= first_upcast => AxisKind::Unroll,
            false if axis >= first_upcast => AxisKind::Upcast,
            _ if axis >= reduce_loop => AxisKind::Reduce,
            true if axis >= first_reduce => AxisKind::Group,
            false if axis >= first_reduce => AxisKind::UpcastMid,
            _ if axis >= global => AxisKind::Local,
            _ if self.dont_use_locals => AxisKind::Flat,
            _ => AxisKind::Global,
        };
        (0..self.shape_len()).map(kind).collect()
    }

    /// Colour of each axis, as 0.9.0 names them ([`AxisKind::color`]).
    pub fn colors(&self) -> Vec<&'static str> {
        self.axis_kinds().into_iter().map(AxisKind::color).collect()
    }
}
