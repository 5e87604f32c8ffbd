//! The legality checks of optimisations, each a named value.

use super::{Kernel, OptError};
use crate::rule::State;

crate::rule_table! {
    /// Legality checks of optimisations. A check that is switched off lets everything pass; what then can't be done
    /// is an error all the same.
    pub enum OptCheck in Opt {
        TcFirst = "opt/tc-first": "TC must be the first optimisation";
        TcArguments = "opt/tc-arguments": "TC takes an axis choice and a level, neither negative";
        TcTarget = "opt/tc-target": "the target must have matrix instructions";
        TcMatch = "opt/tc-match": "TC needs a sum of products that one of the target's matrix instructions can compute";
        TcAxisUsed = "opt/tc-axis-used":
            "where N and M of a matrix instruction are one axis, along which both factors are constant, it must be long enough for both",
            altered "goes on with the axis that now has the number of the one that is used up";
        InvalidAxis = "opt/invalid-axis": "the axis must exist";
        AmountMissing = "opt/amount-missing": "an optimisation that splits or pads an axis needs an amount";
        AmountPositive = "opt/amount-positive": "an amount must be positive";
        AmountOne = "opt/amount-one": "splitting or padding by 1 or by a symbolic amount is meaningless";
        NoLongerValidShift = "opt/no-longer-valid-shift": "the amount must divide the size of the axis",
            altered "cuts the axis down to a multiple of the amount, so that its last elements are dropped";
        SharedMemory = "opt/shared-memory": "the partial results of a workgroup must fit in its shared memory",
            altered "compares the number of partial results, not their bytes, with the size of the memory";
        NolocalsBefore = "opt/nolocals-before": "after NOLOCALS no optimisation may make lanes of a workgroup";
        LocalUnsupported = "opt/local-unsupported": "LOCAL needs a target with workgroups";
        LocalNotGlobal = "opt/local-not-global": "LOCAL takes an axis of the launch grid";
        GroupUnsupported = "opt/group-unsupported": "GROUP and GROUPTOP need workgroups and shared memory";
        GroupAxis = "opt/group-axis": "GROUP and GROUPTOP take a reduce axis that is neither grouped nor upcasted";
        GroupTensorCore = "opt/group-tensor-core": "a reduction by matrix instructions can't be shared by lanes";
        UnrollAlreadyUpcasted = "opt/unroll-already-upcasted": "UNROLL takes an axis that is not upcasted yet";
        Unroll32 = "opt/unroll-32": "UNROLL takes at most 32 elements";
        UpcastReduce = "opt/upcast-reduce": "UPCAST takes an axis of the outputs";
        UpcastTcLocal = "opt/upcast-tc-local": "UPCAST can't take an axis of a matrix instruction's lanes";
        Upcast8 = "opt/upcast-8": "UPCAST takes at most 8 elements";
        UpcastOne = "opt/upcast-one": "an axis of size 1 can't be upcasted";
        UpcastmidImage = "opt/upcastmid-image": "UPCASTMID is for kernels that store an image";
        UpcastmidFloat4 = "opt/upcastmid-float4": "UPCASTMID is for outputs whose pixels are not upcasted yet";
        UpcastmidGroup = "opt/upcastmid-group": "UPCASTMID is for reductions that the lanes of a workgroup share";
        UpcastmidDims = "opt/upcastmid-dims": "UPCASTMID is for at most two axes of outputs";
        UpcastmidSize = "opt/upcastmid-size": "UPCASTMID is for more than one output";
        UpcastmidStride = "opt/upcastmid-stride": "UPCASTMID needs exactly one axis with stride 1 in the output";
        UpcastmidAxis = "opt/upcastmid-axis": "UPCASTMID takes the axis with stride 1 in the output";
        UpcastmidFour = "opt/upcastmid-four": "UPCASTMID takes 4 elements, a pixel";
        NolocalsMeaningless = "opt/nolocals-meaningless":
            "NOLOCALS is for a target with workgroups, and only once";
        NolocalsLocals = "opt/nolocals-locals": "NOLOCALS can't follow an optimisation that makes lanes of a workgroup";
        PadtoSymbolic = "opt/padto-symbolic": "PADTO does not work with symbolic sizes";
        PadtoUpcasted = "opt/padto-upcasted": "PADTO can't take an upcasted axis",
            altered "pads an upcasted axis, past the check of what is summed";
        PadtoTcLocal = "opt/padto-tc-local": "PADTO can't take an axis of a matrix instruction's lanes",
            altered "lets PADTO make a warp longer than its matrix instruction's";
        PadtoMaxReduce = "opt/padto-max-reduce": "PADTO can't take a reduce axis of a maximum, as padding is zero",
            altered "pads the reduce axis of a maximum, so that an all-negative row has the maximum 0";
        PadtoUnsafeOp = "opt/padto-unsafe-op":
            "PADTO takes a reduce axis only where what is summed is zero where all that is loaded is",
            altered "knows only DIV, CMPLT, CMPEQ, LOG2 and EXP2 as unsafe, so that the complement of a padded bool is summed";
        PadtoDivision = "opt/padto-division":
            "on a target without workgroups, which runs plain C, no integer may be divided in padding, where the divisor is 0";
        PadtoQuadruple = "opt/padto-quadruple": "PADTO must not make an axis four times as long";
        PadtoNothing = "opt/padto-nothing": "PADTO must pad something";
    }
}

impl Kernel {
    /// Lets pass what holds, and what does not where the check is switched off; an altered check refuses as usual
    /// (its planted fault is where it is called).
    #[inline]
    pub(super) fn require(
        &mut self,
        check: OptCheck,
        holds: bool,
        message: impl FnOnce(&Kernel) -> String,
    ) -> Result<(), OptError> {
        if holds {
            self.firings.count_passed(check);
            return Ok(());
        }
        if self.rules.state(check) == State::Off {
            return Ok(());
        }
        self.firings.count(check);
        Err(OptError::Refused { check, message: message(self) })
    }

    /// As [`Kernel::require`], of a check whose planted fault is to let everything pass.
    #[inline]
    pub(super) fn require_unless_altered(
        &mut self,
        check: OptCheck,
        holds: bool,
        message: impl FnOnce(&Kernel) -> String,
    ) -> Result<(), OptError> {
        if self.rules.is_altered(check) { Ok(()) } else { self.require(check, holds, message) }
    }
}
