//! One optimisation: its checks, then the change.

use super::movement::Shift;
use super::state::Counts;
use super::{Kernel, Opt, OptCheck, OptError, OptOp, dims};
use crate::rule::State;
use crate::shape::ShapeTracker;
use crate::symbolic::Sint;

/// What an optimisation does once nothing objects.
pub(super) enum Change {
    /// Moves a part of an axis, and changes how many axes are of which kind.
    Shift(Shift, Counts),
    /// Replaces the views.
    Views(Vec<ShapeTracker>),
    /// Changes only how many axes are of which kind.
    Counts(Counts),
}

impl Kernel {
    /// Applies one optimisation, or leaves the kernel as it was.
    ///
    /// Fails where a check refuses, and (with checks switched off) where the optimisation can't be done.
    pub fn apply_opt(&mut self, opt: Opt) -> Result<(), OptError> {
        if opt.op == OptOp::Tc {
            self.apply_tc(opt)?;
        } else {
            self.apply_axis_opt(opt)?;
        }
        self.applied.push(opt);
        Ok(())
    }

    /// Any optimisation but TC, without noting it.
    pub(super) fn apply_axis_opt(&mut self, opt: Opt) -> Result<(), OptError> {
        let makes_lanes = matches!(opt.op, OptOp::Local | OptOp::Group | OptOp::GroupTop | OptOp::UpcastMid);
        self.require(OptCheck::NolocalsBefore, !(self.dont_use_locals && makes_lanes), |_| {
            format!("{opt} after NOLOCALS")
        })?;
        let axis = self.real_axis(opt)?;
        let amount = self.amount(opt, axis)?;
        self.check_shared_memory(opt.op, amount)?;
        let change = match opt.op {
            OptOp::Tc => return Err(OptError::Impossible("TC is no optimisation of one axis".to_owned())),
            OptOp::Local => self.local(axis, amount)?,
            OptOp::Group | OptOp::GroupTop => self.group(axis, amount, opt.op == OptOp::GroupTop)?,
            OptOp::Unroll => self.unroll(axis, amount)?,
            OptOp::Upcast => self.upcast_axis(axis, amount)?,
            OptOp::UpcastMid => self.upcast_mid(axis, amount)?,
            OptOp::NoLocals => self.no_locals()?,
            OptOp::PadTo => Change::Views(self.padded(axis, amount)?),
        };
        self.change(change, axis)
    }

    /// The axis that an optimisation counts from its own first one; for NOLOCALS, which has none, 0.
    fn real_axis(&mut self, opt: Opt) -> Result<usize, OptError> {
        let len = self.shape_len();
        let from = match opt.op {
            OptOp::Unroll => self.first_reduce(),
            OptOp::Group | OptOp::GroupTop => self.first_reduce_loop(),
            _ => 0,
        };
        let axis = match opt.axis {
            None if opt.op == OptOp::NoLocals => return Ok(0),
            Some(axis) if axis >= 0 => usize::try_from(axis).ok().and_then(|axis| axis.checked_add(from)),
            _ => None,
        };
        self.require(OptCheck::InvalidAxis, axis.is_some_and(|axis| axis < len), |_| match axis {
            Some(axis) => format!("{opt} means axis {axis} of {len}"),
            None => format!("{opt} names no axis"),
        })?;
        axis.ok_or_else(|| OptError::Impossible(format!("{opt} names no axis")))
    }

    /// The amount by which to split or pad `axis`; 1 for NOLOCALS.
    fn amount(&mut self, opt: Opt, axis: usize) -> Result<i64, OptError> {
        let size = self.full_shape().get(axis).copied();
        let Some(amount) = opt.amount else {
            if opt.op == OptOp::NoLocals {
                return Ok(1);
            }
            self.require(OptCheck::AmountMissing, false, |_| format!("{opt} names no amount"))?;
            return Err(OptError::Impossible(format!("{opt} names no amount")));
        };
        self.require(OptCheck::AmountPositive, amount >= 0, |_| format!("{opt} has a negative amount"))?;
        let whole = if amount == 0 { size.and_then(Sint::int) } else { Some(amount) };
        self.require(OptCheck::AmountOne, whole.is_some_and(|amount| amount != 1), |kernel| {
            format!("{opt} on an axis of size {}", size.map_or_else(String::new, |size| kernel.arena.render_sint(size)))
        })?;
        let Some(amount) = whole else {
            return Err(OptError::Impossible(format!("{opt} by a symbolic amount")));
        };
        if opt.op != OptOp::PadTo && !self.rules.is_altered(OptCheck::NoLongerValidShift) {
            let divides = match size {
                Some(size) => dims::divides(&mut self.arena, amount, size)?,
                None => false,
            };
            self.require(OptCheck::NoLongerValidShift, divides, |kernel| {
                let shape = dims::text(&kernel.arena, kernel.full_shape());
                format!("{amount} does not divide axis {axis} of {shape}")
            })?;
        }
        Ok(amount)
    }

    /// Whether the partial results that the lanes of a workgroup share fit in its memory, once `op` has taken
    /// `amount`. As 0.9.0, this counts each part taken as a factor, whatever it is taken from.
    fn check_shared_memory(&mut self, op: OptOp, amount: i64) -> Result<(), OptError> {
        let grows = match op {
            OptOp::Group | OptOp::GroupTop => true,
            OptOp::NoLocals | OptOp::PadTo => false,
            _ => self.group_for_reduces > 0,
        };
        if !grows || self.reduce.is_none() {
            return Ok(());
        }
        let partial_results = self.partial_results();
        self.require_shared_memory(partial_results.saturating_mul(amount))
    }

    /// Number of partial results that the lanes of a workgroup share (one, without GROUP).
    pub(super) fn partial_results(&self) -> i64 {
        let (full, output) = (self.full_shape(), self.output_shape());
        let upcasted = (self.first_upcast()..full.len()).filter(|&axis| !self.is_reduced(axis));
        let upcasted = upcasted.filter_map(|axis| output.get(axis)?.int()).fold(1, i64::saturating_mul);
        let lanes = self.global_dims()..self.first_reduce_loop().min(full.len());
        upcasted.saturating_mul(dims::product_of_numbers(full.get(lanes).unwrap_or(&[])))
    }

    /// Whether so many partial results fit in the shared memory of a workgroup.
    pub(super) fn require_shared_memory(&mut self, partial_results: i64) -> Result<(), OptError> {
        let Some(reduce) = self.reduce else { return Ok(()) };
        let size = match self.rules.state(OptCheck::SharedMemory) {
            State::Altered => 1,
            _ => self.ast.node(reduce).dtype.base().size() as i64,
        };
        let (needed, most) = (partial_results.saturating_mul(size), self.target.shared_max);
        self.require(OptCheck::SharedMemory, needed <= most, |_| format!("needs {needed} bytes, there are {most}"))
    }

    fn local(&mut self, axis: usize, amount: i64) -> Result<Change, OptError> {
        self.require(OptCheck::LocalUnsupported, self.target.has_local, |_| "no workgroups".to_owned())?;
        let global = self.global_dims();
        self.require(OptCheck::LocalNotGlobal, axis < global, |_| {
            format!("axis {axis} is none of the {global} of the launch grid")
        })?;
        let counts = self.counts();
        let counts = Counts { local_dims: counts.local_dims + 1, ..counts };
        Ok(Change::Shift(self.shift(axis, amount, false, self.first_reduce()), counts))
    }

    fn group(&mut self, axis: usize, amount: i64, top: bool) -> Result<Change, OptError> {
        self.require(OptCheck::GroupUnsupported, self.target.has_local && self.target.has_shared, |_| {
            "no workgroups or no shared memory".to_owned()
        })?;
        let (first, end) = (self.first_reduce_loop(), self.first_upcast());
        self.require(OptCheck::GroupAxis, (first..end).contains(&axis), |_| {
            format!("axis {axis} is none of the reduce loops {first} to {end}")
        })?;
        self.require(OptCheck::GroupTensorCore, self.tensor_core.is_none(), |_| {
            "a matrix instruction sums".to_owned()
        })?;
        let counts = self.counts();
        let counts = Counts { group_for_reduces: counts.group_for_reduces + 1, ..counts };
        Ok(Change::Shift(self.shift(axis, amount, top, first), counts))
    }

    fn unroll(&mut self, axis: usize, amount: i64) -> Result<Change, OptError> {
        let end = self.first_upcast();
        self.require(OptCheck::UnrollAlreadyUpcasted, axis < end, |_| format!("axis {axis} is upcasted"))?;
        self.require(OptCheck::Unroll32, amount <= 32, |_| format!("{amount} elements"))?;
        let mut counts = self.counts();
        if self.full_shape().get(axis) == Some(&Sint::Int(amount)) {
            // The axis, of size 1 then, is about to be dropped. Until then it counts as the last one before the
            // reduced axes, where dropping it takes one of the lanes' axes away.
            if axis == self.first_reduce() {
                counts.local_dims += 1;
            }
            if axis < self.first_reduce_loop() {
                counts.group_for_reduces = counts.group_for_reduces.saturating_sub(1);
            }
        }
        self.upcasting(axis, amount, counts)
    }

    fn upcast_axis(&mut self, axis: usize, amount: i64) -> Result<Change, OptError> {
        let first_reduce = self.first_reduce();
        self.require(OptCheck::UpcastReduce, axis < first_reduce, |_| format!("axis {axis} is reduced"))?;
        let free = !self.is_tensor_core_lane(axis);
        self.require(OptCheck::UpcastTcLocal, free, |_| format!("axis {axis} is of the warp's lanes"))?;
        self.require(OptCheck::Upcast8, amount <= 8, |_| format!("{amount} elements"))?;
        self.upcasting(axis, amount, self.counts())
    }

    /// Takes `amount` from `axis` and makes it the last upcasted axis.
    fn upcasting(&mut self, axis: usize, amount: i64, counts: Counts) -> Result<Change, OptError> {
        self.require(OptCheck::UpcastOne, amount != 1, |_| "one element".to_owned())?;
        let counts = Counts { upcasted: counts.upcasted + 1, ..counts };
        Ok(Change::Shift(self.shift(axis, amount, false, self.shape_len()), counts))
    }

    fn upcast_mid(&mut self, axis: usize, amount: i64) -> Result<Change, OptError> {
        self.require(OptCheck::UpcastmidImage, self.stores_image(), |_| "no image is stored".to_owned())?;
        let float4 = self.float4_axis(0)?;
        self.require(OptCheck::UpcastmidFloat4, float4.is_empty(), |_| "pixels are upcasted".to_owned())?;
        self.require(OptCheck::UpcastmidGroup, self.group_for_reduces != 0, |_| "no GROUP before".to_owned())?;
        let first_reduce = self.first_reduce();
        self.require(OptCheck::UpcastmidDims, first_reduce <= 2, |_| format!("{first_reduce} axes"))?;
        let outputs = self.output_size()?;
        let several = dims::may_exceed(&self.arena, outputs, 1);
        self.require(OptCheck::UpcastmidSize, several, |_| "one output".to_owned())?;
        let unit = self.unit_stride_axes(0, false)?;
        self.require(OptCheck::UpcastmidStride, unit.len() == 1, |_| format!("axes {unit:?} have stride 1"))?;
        self.require(OptCheck::UpcastmidAxis, unit.first() == Some(&axis), |_| format!("axis {axis} is not {unit:?}"))?;
        self.require(OptCheck::UpcastmidFour, amount == 4, |_| format!("{amount} elements"))?;
        let counts = self.counts();
        let counts = Counts { group_for_reduces: counts.group_for_reduces + 1, ..counts };
        Ok(Change::Shift(self.shift(axis, amount, false, self.first_reduce_loop()), counts))
    }

    fn no_locals(&mut self) -> Result<Change, OptError> {
        let meaningful = self.target.has_local && !self.dont_use_locals;
        self.require(OptCheck::NolocalsMeaningless, meaningful, |kernel| {
            if kernel.dont_use_locals { "a second time".to_owned() } else { "no workgroups".to_owned() }
        })?;
        let counts = self.counts();
        let none = counts.local_dims == 0 && counts.group_for_reduces == 0;
        self.require(OptCheck::NolocalsLocals, none, |_| {
            format!("{} axes of lanes", counts.local_dims + counts.group_for_reduces)
        })?;
        Ok(Change::Counts(Counts { dont_use_locals: true, ..counts }))
    }

    /// Whether the axis is one of the lanes of a matrix instruction's warp.
    pub(super) fn is_tensor_core_lane(&self, axis: usize) -> bool {
        let global = self.global_dims();
        self.tensor_core.as_ref().is_some_and(|core| (global..global + core.threads.len()).contains(&axis))
    }

    /// Number of elements of an output.
    pub(super) fn output_size(&mut self) -> Result<Sint, OptError> {
        let Kernel { arena, views, .. } = self;
        Ok(dims::product(arena, views.first().map_or(&[], |view| view.shape()))?)
    }

    fn shift(&self, axis: usize, amount: i64, top: bool, insert_before: usize) -> Shift {
        let truncate = self.rules.is_altered(OptCheck::NoLongerValidShift);
        Shift { axis, amount, top, insert_before, truncate }
    }

    /// Does it, drops axes that now have size 1, and checks that what comes out is a kernel's state; otherwise
    /// returns to the state before.
    fn change(&mut self, change: Change, axis: usize) -> Result<(), OptError> {
        let before = self.counts();
        let (views, counts) = match change {
            Change::Shift(shift, counts) => (self.shifted(shift)?, counts),
            Change::Views(views) => (views, before),
            Change::Counts(counts) => {
                self.set_counts(counts);
                return Ok(());
            }
        };
        let views_before = std::mem::replace(&mut self.views, views);
        self.set_counts(counts);
        let simplified = self.simplify_ones().map_err(OptError::from).and_then(|removed| {
            let first_reduce = self.first_reduce();
            if self.local_dims <= first_reduce && self.first_reduce_loop() <= self.first_upcast() {
                Ok(removed)
            } else {
                Err(OptError::Impossible(format!(
                    "{} axes of lanes and {} of lanes that share a reduction, where {first_reduce} of {} axes are not reduced",
                    self.local_dims,
                    self.group_for_reduces,
                    self.shape_len(),
                )))
            }
        });
        match simplified {
            Ok(removed) => {
                if let (true, Some(opts)) = (removed, &mut self.tensor_core_opts) {
                    opts.axis_removed(axis);
                }
                Ok(())
            }
            Err(error) => {
                self.views = views_before;
                self.set_counts(before);
                Err(error)
            }
        }
    }
}
