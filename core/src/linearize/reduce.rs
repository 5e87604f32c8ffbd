//! The reduction: loops, accumulators, and what is combined into them.

use super::LowerStep;
use super::evaluate::Loaded;
use super::launch::Bound;
use super::load::Accumulator;
use super::state::{AxisIndices, Indices, Lowering, REDUCE};
use crate::ast::{AstId, AstOp, ReduceOp};
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::kernel::{KernelBuffer, LowerError};
use crate::rule::State;
use crate::symbolic::Sint;
use crate::uop::UopId;
use smallvec::SmallVec;

/// A reduction of the AST.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction {
    pub(super) op: ReduceOp,
    /// What is reduced.
    pub(super) source: AstId,
    /// Type of the accumulator.
    pub(super) dtype: DType,
    /// Value that an accumulator starts from.
    pub(super) init: Constant,
}

/// The value that changes nothing when combined with any value of the type.
pub(super) fn neutral(op: ReduceOp, scalar: Scalar) -> Constant {
    match (op, scalar.int_range()) {
        (ReduceOp::Sum, _) => Constant::Int(0).cast(scalar),
        (ReduceOp::Max, Some((least, _))) => Constant::Int(least).cast(scalar),
        (ReduceOp::Max, None) => Constant::Float(f64::NEG_INFINITY),
    }
}

impl Lowering {
    /// The reduction that is node `reduce` of the AST.
    pub(super) fn reduction(&mut self, reduce: AstId) -> Result<Reduction, LowerError> {
        let node = self.kernel.ast.node(reduce);
        let (AstOp::Reduce(op, _), &[source]) = (&node.op, &node.sources[..]) else {
            return Err(LowerError::Invalid(format!("node {} of the AST is no reduction", reduce.0)));
        };
        let (op, dtype) = (*op, node.dtype.base());
        let scalar = dtype.scalar();
        let init = match self.state(LowerStep::AccumulatorInit) {
            State::On => neutral(op, scalar),
            State::Altered if op == ReduceOp::Max && scalar.is_int() => Constant::Int(i32::MIN.into()).cast(scalar),
            State::Altered => neutral(op, scalar),
            State::Off => Constant::Int(0).cast(scalar),
        };
        Ok(Reduction { op, source, dtype, init })
    }

    /// Variables of the upcasted axes from axis `first` on, with the sizes of `shape`.
    pub(super) fn upcast_indices(&mut self, first: usize, shape: &[Sint]) -> Result<Indices, LowerError> {
        let sizes = shape.get(first..).unwrap_or(&[]);
        sizes.iter().enumerate().map(|(number, &size)| self.upcast_variable(number, size)).collect()
    }

    /// Lowers the reduction. Leaves in `axes` the indices that hold behind it, and returns its elements.
    pub(super) fn reduce(
        &mut self,
        reduction: Reduction,
        axes: &mut AxisIndices,
        loaded: &mut Loaded,
    ) -> Result<Vec<UopId>, LowerError> {
        let full: SmallVec<[Sint; 12]> = SmallVec::from_slice(self.kernel.full_shape());
        let (first_loop, first_upcast) = (self.kernel.first_reduce_loop(), self.kernel.first_upcast());
        let mut inside = axes.clone();
        inside.upcast = self.upcast_indices(first_upcast, &full)?;
        inside.reduce = (first_loop..first_upcast)
            .map(|axis| {
                let size = full.get(axis).copied();
                self.axis_variable(REDUCE, axis, size.unwrap_or(Sint::Int(1)))
            })
            .collect::<Result<_, _>>()?;
        axes.reduce = self.zeros(&inside.reduce);

        let tensor_core = self.kernel.tensor_core.take();
        let fragments = match &tensor_core {
            Some(core) => Some(self.fragment_indices(core, &inside)?),
            None => None,
        };
        let bound = Bound::from(self.state(LowerStep::ReduceLoop));
        let loops = self.render_loops(&inside.reduce.clone(), 2, bound)?;
        if let Some(core) = &tensor_core {
            self.accumulator_indices(core, axes)?;
        }
        let grouped = self.kernel.group_for_reduces > 0;
        let output = if grouped { self.kernel.buffers.len().saturating_sub(1) } else { 0 };
        let start = Accumulator { dtype: reduction.dtype, init: reduction.init, loops: &loops };
        let mut accumulators = self.accumulators(output, &axes.all(), start)?;

        match (&tensor_core, fragments) {
            (Some(core), Some(fragments)) => self.multiply_fragments(core, &fragments, &mut accumulators)?,
            _ => {
                self.load_early(&inside, loaded)?;
                let values = self.evaluate(&[reduction.source], loaded, None)?;
                let offsets = self.kernel.acc_offsets(self.kernel.full_buffer)?;
                self.accumulate(reduction.op, values.of(reduction.source)?, &offsets, &mut accumulators)?;
            }
        }
        self.kernel.tensor_core = tensor_core;
        self.loads.clear();

        if grouped { self.second_stage(reduction, axes, &accumulators) } else { Ok(accumulators) }
    }

    /// Loads what is read before the reduction.
    fn load_early(&mut self, inside: &AxisIndices, loaded: &mut Loaded) -> Result<(), LowerError> {
        let indices = inside.all();
        for buffer in 0..self.kernel.buffers.len() {
            if !self.kernel.early_buffers.get(buffer).copied().unwrap_or(false) {
                continue;
            }
            if let KernelBuffer::Ast(id) = self.kernel.buffers[buffer] {
                let elements = self.load(buffer, &indices, None)?;
                loaded.insert(id, elements);
            }
        }
        Ok(())
    }
}
