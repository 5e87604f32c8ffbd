//! Matrix instructions: which axes of a sum of products become N, M and K, and how warps share them.

use super::{Kernel, Opt, OptCheck, OptError, OptOp, TensorCoreOpts, dims};
use crate::ast::{AluOp, AstId, AstOp, ReduceOp};
use crate::dtype::{DType, Scalar};
use crate::symbolic::Sint;
use crate::target::{Target, TensorCore};
use smallvec::SmallVec;
use std::sync::Arc;

/// The lowest level at which sources may be converted and several axes reduced.
const LEVEL_CASTS: i64 = 1;
/// The lowest level at which axes may be padded to the instruction's size.
const LEVEL_PADS: i64 = 2;

/// What an instruction is about to compute: buffers of A and B, axes N, M and K.
struct Match {
    buffers: [usize; 2],
    axes: [usize; 3],
}

impl Kernel {
    /// Uses a matrix instruction where one applies without conversions and padding, then upcasts and adds lanes as
    /// 0.9.0 does by itself; says whether one applied, and otherwise leaves the kernel as it was.
    pub fn apply_tensor_cores(&mut self) -> bool {
        if !self.target.tensor_cores.iter().any(|core| self.factors(core).is_some()) {
            return false;
        }
        let before = self.checkpoint();
        let opt = Opt { op: OptOp::Tc, axis: Some(0), amount: Some(0) };
        let applied = self.apply_opt(opt).and_then(|()| self.follow_up_tensor_core());
        if applied.is_err() {
            self.restore(before);
        }
        applied.is_ok()
    }

    /// Upcasts what is left of M and N, and adds lanes along N.
    fn follow_up_tensor_core(&mut self) -> Result<(), OptError> {
        for (dimension, op, amounts) in
            [(1, OptOp::Upcast, &[5, 4, 3, 2][..]), (0, OptOp::Upcast, &[5, 4, 3, 2]), (0, OptOp::Local, &[4, 2])]
        {
            let Some(axis) = self.rest_of_dimension(dimension) else { continue };
            for &amount in amounts {
                let size = self.full_shape().get(axis).copied().unwrap_or(Sint::Int(1));
                if dims::divides(&mut self.arena, amount, size)? {
                    self.apply_opt(Opt { op, axis: Some(axis as i64), amount: Some(amount) })?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// The axis that holds what the instruction leaves of N (0) or M (1).
    fn rest_of_dimension(&self, dimension: usize) -> Option<usize> {
        let opts = self.tensor_core_opts.as_ref()?;
        opts.axes_exist[dimension].then_some(opts.axes[dimension])
    }

    /// TC, without noting it. `opt.axis` chooses among the possible triples of axes, the last one first; `opt.amount`
    /// is the level: 0 takes sources as they are loaded and one reduce axis, 1 also converted sources and more reduce
    /// axes, 2 also pads.
    pub(super) fn apply_tc(&mut self, opt: Opt) -> Result<(), OptError> {
        let first = self.applied.is_empty();
        self.require(OptCheck::TcFirst, first, |kernel| format!("{} optimisations before", kernel.applied.len()))?;
        let arguments = match (opt.axis, opt.amount) {
            (Some(choice), Some(level)) if level >= 0 => usize::try_from(choice).ok().map(|choice| (choice, level)),
            _ => None,
        };
        self.require(OptCheck::TcArguments, arguments.is_some(), |_| opt.to_string())?;
        let Some((choice, level)) = arguments else { return Err(OptError::Impossible(opt.to_string())) };
        let equipped = !self.target.tensor_cores.is_empty();
        self.require(OptCheck::TcTarget, equipped, |kernel| format!("{} has none", kernel.target.name))?;
        let before = self.checkpoint();
        let target = Arc::clone(&self.target);
        match self.first_match(&target, choice, level) {
            Ok(Some(core)) => {
                self.tensor_core = Some(core.clone());
                Ok(())
            }
            Ok(None) => {
                self.restore(before);
                self.require(OptCheck::TcMatch, false, |_| {
                    format!("no instruction for choice {choice} of axes at level {level}")
                })?;
                Err(OptError::Impossible(opt.to_string()))
            }
            Err(error) => {
                self.restore(before);
                Err(error)
            }
        }
    }

    /// Applies the first instruction of the target that fits. Where none does, or on an error, the kernel is left
    /// somewhere between.
    fn first_match<'t>(
        &mut self,
        target: &'t Target,
        choice: usize,
        level: i64,
    ) -> Result<Option<&'t TensorCore>, OptError> {
        if !target.has_local {
            return Ok(None);
        }
        for core in &target.tensor_cores {
            let Some(found) = self.match_instruction(core, choice, level)? else { continue };
            let before = self.checkpoint();
            let [n, m, _] = found.axes;
            self.tensor_core_opts =
                Some(TensorCoreOpts { buffers: found.buffers, axes: [n, m], axes_exist: [true, true] });
            match self.pad_to_instruction(core, &found, level) {
                Ok(true) => {
                    self.shape_for_instruction(core, &found)?;
                    return Ok(Some(core));
                }
                Ok(false) | Err(OptError::Refused { .. }) => self.restore(before),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Buffers and axes, where the reduction is a sum of products of the instruction's types.
    fn match_instruction(&mut self, core: &TensorCore, choice: usize, level: i64) -> Result<Option<Match>, OptError> {
        let Some([a, b]) = self.factors(core) else { return Ok(None) };
        let (Some(a), Some(b)) = (self.operand(a, core.dtype_in, level), self.operand(b, core.dtype_in, level)) else {
            return Ok(None);
        };
        let (first_reduce, len) = (self.first_reduce(), self.shape_len());
        let constant_axes = |kernel: &mut Kernel, buffer: usize| -> Result<SmallVec<[usize; 8]>, OptError> {
            let strides = kernel.real_strides(buffer, false)?;
            let constant = strides.iter().take(first_reduce).enumerate();
            Ok(constant.filter(|(_, stride)| **stride == Some(Sint::Int(0))).map(|(axis, _)| axis).collect())
        };
        // A is the same along N, B along M.
        let (n_axes, m_axes) = (constant_axes(self, a)?, constant_axes(self, b)?);
        let k_axes = len - first_reduce;
        if k_axes != 1 && level < LEVEL_CASTS {
            return Ok(None);
        }
        let choices = n_axes.len() * m_axes.len() * k_axes;
        let Some(place) = choices.checked_sub(1).and_then(|last| last.checked_sub(choice)) else { return Ok(None) };
        let n = n_axes[place / (m_axes.len() * k_axes)];
        let m = m_axes[place / k_axes % m_axes.len()];
        let k = first_reduce + place % k_axes;
        Ok(Some(Match { buffers: [a, b], axes: [n, m, k] }))
    }

    /// The two factors of the reduced product, of which the sum is taken in the instruction's output type.
    fn factors(&self, core: &TensorCore) -> Option<[AstId; 2]> {
        let reduce = self.ast.node(self.reduce?);
        if !matches!(reduce.op, AstOp::Reduce(ReduceOp::Sum, _)) {
            return None;
        }
        let mut product = self.ast.node(*reduce.sources.first()?);
        if core.dtype_in != core.dtype_out {
            if product.op != AstOp::Cast(DType::Scalar(core.dtype_out)) {
                return None;
            }
            product = self.ast.node(*product.sources.first()?);
        }
        match (&product.op, product.sources.as_slice()) {
            (AstOp::Alu(AluOp::Mul), &[a, b]) => Some([a, b]),
            _ => None,
        }
    }

    /// The buffer of a factor: one loaded in the instruction's type or, from level 1, converted to it.
    fn operand(&self, factor: AstId, dtype: Scalar, level: i64) -> Option<usize> {
        let node = self.ast.node(factor);
        match node.op {
            AstOp::Load(buffer) if node.dtype == DType::Scalar(dtype) => self.buffer_number(buffer),
            AstOp::Cast(to) if level >= LEVEL_CASTS && to == DType::Scalar(dtype) => {
                match self.ast.node(*node.sources.first()?).op {
                    AstOp::Load(buffer) | AstOp::Constant(buffer) => self.buffer_number(buffer),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Pads N, M and K to multiples of the instruction's, and says whether the level allows what is needed.
    fn pad_to_instruction(&mut self, core: &TensorCore, found: &Match, level: i64) -> Result<bool, OptError> {
        let mut pads: SmallVec<[(usize, i64); 3]> = SmallVec::new();
        for (axis, size) in found.axes.into_iter().zip(core.dims) {
            let size = size as i64;
            let whole = self.full_shape().get(axis).copied().unwrap_or(Sint::Int(1));
            if !dims::divides(&mut self.arena, size, whole)? {
                pads.push((axis, size));
            }
        }
        if !pads.is_empty() && level < LEVEL_PADS {
            return Ok(false);
        }
        for (axis, size) in pads {
            self.apply_part(OptOp::PadTo, axis, size)?;
        }
        Ok(true)
    }

    /// Unrolls K, upcasts what one lane holds of N and M, and makes the rest of both the lanes of a warp.
    fn shape_for_instruction(&mut self, core: &TensorCore, found: &Match) -> Result<(), OptError> {
        self.apply_part(OptOp::Unroll, found.axes[2] - self.first_reduce(), core.dims[2] as i64)?;
        for dimension in 0..2 {
            let lanes: usize = core.threads.iter().filter(|(of, _)| *of == dimension).map(|(_, size)| size).product();
            if core.dims[dimension] > lanes {
                self.apply_to_dimension(OptOp::Upcast, dimension, core.dims[dimension] / lanes)?;
            }
        }
        for &(dimension, size) in &core.threads {
            self.apply_to_dimension(OptOp::Local, dimension, size)?;
        }
        Ok(())
    }

    fn apply_to_dimension(&mut self, op: OptOp, dimension: usize, amount: usize) -> Result<(), OptError> {
        let Some(opts) = &self.tensor_core_opts else {
            return Err(OptError::Impossible(format!("dimension {dimension} of no instruction")));
        };
        let (axis, exists) = (opts.axes[dimension], opts.axes_exist[dimension]);
        self.require_unless_altered(OptCheck::TcAxisUsed, exists, |_| {
            format!("nothing is left of dimension {dimension} to take {amount} from")
        })?;
        self.apply_part(op, axis, amount as i64)
    }

    fn apply_part(&mut self, op: OptOp, axis: usize, amount: i64) -> Result<(), OptError> {
        self.apply_axis_opt(Opt { op, axis: Some(axis as i64), amount: Some(amount) })
    }
}
