//! The way from a kernel to its uops, step by step.

use super::Lowered;
use super::evaluate::Loaded;
use super::launch::LaunchSizes;
use super::state::{AxisIndices, Lowering};
use crate::ast::{Ast, AstId, Source};
use crate::dtype::DType;
use crate::kernel::{Kernel, KernelBuffer, LowerError, NamedAxis, OptPlan};
use crate::rule::{Firings, Rules};
use crate::symbolic::Sint;
use crate::target::Target;
use crate::uop::{UopArg, UopError, UopGraph, UopKind, UopList, UopWorkspace};
use smallvec::SmallVec;
use std::sync::Arc;

/// Builds the kernel of an AST, applies the optimisations and lowers it.
///
/// # Errors
/// Where the AST is no kernel, where an optimisation is refused, and where the kernel can't be lowered.
pub fn lower(ast: &Arc<Ast>, target: &Arc<Target>, plan: &OptPlan, rules: &Rules) -> Result<Lowered, LowerError> {
    let mut kernel = Kernel::new(ast, target, rules)?;
    kernel.apply_plan(plan)?;
    kernel.linearize()
}

/// As [`lower`], in the memory that `workspace` keeps from kernel to kernel: faster for many kernels.
///
/// # Errors
/// As [`lower`].
pub fn lower_with(
    ast: &Arc<Ast>,
    target: &Arc<Target>,
    plan: &OptPlan,
    rules: &Rules,
    workspace: &mut UopWorkspace,
) -> Result<Lowered, LowerError> {
    let mut kernel = Kernel::new(ast, target, rules)?;
    kernel.apply_plan(plan)?;
    kernel.prepare()?;
    let mut lowering = Lowering::new(kernel);
    lowering.graph = UopGraph::with_workspace(*rules, workspace);
    let named = lowering.run()?;
    lowering.built(named).finish_by(|graph, fires| graph.finish_with(workspace, fires))
}

/// A kernel whose uops stand in a graph, neither rewritten nor ordered.
#[derive(Clone, Debug)]
pub struct Built {
    kernel: Kernel,
    graph: UopGraph,
    name: String,
    axes: Vec<NamedAxis>,
    global_size: Option<Vec<Sint>>,
    local_size: Option<Vec<Sint>>,
}

impl Built {
    /// Rewrites, orders and verifies the uops.
    ///
    /// # Errors
    /// Those of [`UopGraph::finish`].
    pub fn finish(self) -> Result<Lowered, LowerError> {
        self.finish_by(|graph, fires| graph.finish_as(fires))
    }

    /// As [`Built::finish`], with a way of one's own from the graph to the list.
    pub(super) fn finish_by(
        self,
        finish: impl FnOnce(UopGraph, &mut dyn FnMut() -> bool) -> Result<(UopList, Firings), UopError>,
    ) -> Result<Lowered, LowerError> {
        let Built { kernel, graph, name, axes, global_size, local_size } = self;
        let (uops, mut firings) = finish(graph, &mut || super::objects::anything_fires(&kernel))?;
        firings.merge(&kernel.firings);
        firings.merge(kernel.arena.firings());
        let Kernel { applied, arena, target, rules, .. } = kernel;
        Ok(Lowered { target, rules, name, axes, global_size, local_size, applied, uops, arena, firings })
    }
}

impl Kernel {
    /// Lowers the kernel as it stands.
    ///
    /// # Errors
    /// Where a view can't be indexed in 32 bits, where launch dimensions exceed the target's, and where a symbolic size
    /// stands where only a number can.
    pub fn linearize(self) -> Result<Lowered, LowerError> {
        self.build()?.finish()
    }

    /// The first half of [`Kernel::linearize`]: the uops as a graph, neither rewritten nor ordered.
    ///
    /// # Errors
    /// As [`Kernel::linearize`].
    pub fn build(mut self) -> Result<Built, LowerError> {
        self.prepare()?;
        let mut lowering = Lowering::new(self);
        let named = lowering.run()?;
        Ok(lowering.built(named))
    }

    /// As [`Kernel::build`], as a graph of [objects](UopGraph::objects).
    pub(super) fn build_objects(mut self) -> Result<UopGraph, LowerError> {
        self.prepare()?;
        let graph = UopGraph::objects(self.rules);
        let mut lowering = Lowering::new(self);
        lowering.graph = graph;
        lowering.run()?;
        Ok(lowering.graph)
    }

    /// The last changes to the kernel, before it is lowered: its axes come within the launch's limits, and it gets the local
    /// memory that a matrix instruction needs.
    pub(super) fn prepare(&mut self) -> Result<(), LowerError> {
        self.alias_fragments()?;
        if self.target.global_max.is_some() && self.target.local_max.is_some() {
            self.limit_dims_to_max()?;
        }
        Ok(())
    }

    /// Gives the operands of a matrix instruction their aliases.
    fn alias_fragments(&mut self) -> Result<(), LowerError> {
        let (Some(core), Some(opts)) = (&self.tensor_core, &self.tensor_core_opts) else { return Ok(()) };
        let (buffers, threads) = (opts.buffers, core.threads.len());
        let (global, first_reduce, first_upcast) = (self.global_dims(), self.first_reduce(), self.first_upcast());
        let pattern: SmallVec<[usize; 12]> = (0..self.shape_len())
            .map(|axis| match axis {
                _ if axis >= first_upcast + 2 => 3,
                _ if axis >= first_upcast => 1,
                _ if axis < first_reduce && (global..global + threads).contains(&axis) => 2,
                _ => 0,
            })
            .collect();
        for buffer in buffers {
            self.alias_buffer(buffer, &pattern)?;
        }
        Ok(())
    }
}

/// Name and launch of a kernel whose graph is built.
pub(super) struct Named {
    name: String,
    axes: Vec<NamedAxis>,
    sizes: LaunchSizes,
}

impl Lowering {
    /// Builds the graph.
    pub(super) fn run(&mut self) -> Result<Named, LowerError> {
        self.define_buffers();
        for variable in self.kernel.variables.clone() {
            let uop = self.define_variable(variable)?;
            self.define(variable, uop);
        }
        let reduction = match self.kernel.reduce {
            Some(reduce) => Some((reduce, self.reduction(reduce)?)),
            None => None,
        };
        if let Some((_, reduction)) = reduction
            && self.kernel.group_for_reduces > 0
        {
            self.add_partial_results(reduction.dtype)?;
        }
        let (name, named_axes) = self.kernel.name_and_axes();
        let (mut axes, sizes) = self.define_launch()?;
        let output: SmallVec<[Sint; 12]> = SmallVec::from_slice(self.kernel.output_shape());
        axes.upcast = self.upcast_indices(self.kernel.first_upcast(), &output)?;

        let mut loaded = Loaded::default();
        let reduced = match reduction {
            Some((reduce, reduction)) => Some((reduce, self.reduce(reduction, &mut axes, &mut loaded)?)),
            None => None,
        };
        self.load_late(&axes, &mut loaded)?;
        self.store_outputs(&axes, &loaded, reduced)?;

        Ok(Named { name, axes: named_axes, sizes })
    }

    /// What was built.
    pub(super) fn built(self, named: Named) -> Built {
        let Lowering { kernel, graph, .. } = self;
        let Named { name, axes, sizes } = named;
        Built { kernel, graph, name, axes, global_size: sizes.global, local_size: sizes.local }
    }

    /// Defines the kernel's memory arguments.
    fn define_buffers(&mut self) {
        let ast = self.kernel.ast.clone();
        let memory = |buffer: &KernelBuffer| match buffer {
            KernelBuffer::Ast(id) => match ast.buffer(*id).source {
                Source::Memory(index) => Some((index, ast.buffer(*id).dtype)),
                Source::Constant(_) => None,
            },
            KernelBuffer::Local { .. } => None,
        };
        let buffers: SmallVec<[Option<(u32, DType)>; 16]> = self.kernel.buffers.iter().map(memory).collect();
        let outputs = &buffers[..self.kernel.outputs.min(buffers.len())];
        for &buffer in &buffers {
            let pointer = buffer.map(|(index, dtype)| {
                let dtype = if dtype.is_image() { dtype } else { DType::Pointer(dtype.scalar()) };
                let output = outputs.iter().flatten().any(|&(output, _)| output == index);
                self.graph.add(UopKind::DefineGlobal, Some(dtype), &[], UopArg::Global { index, output })
            });
            self.pointers.push(pointer);
        }
    }

    /// Loads what is read behind the reduction. 0.9.0 loads the outputs first: nothing uses that, but an equal index of
    /// a later buffer takes on the order of terms of an output's.
    fn load_late(&mut self, axes: &AxisIndices, loaded: &mut Loaded) -> Result<(), LowerError> {
        let indices = axes.all();
        for buffer in 0..self.kernel.buffers.len() {
            if self.kernel.early_buffers.get(buffer).copied().unwrap_or(false) {
                continue;
            }
            if buffer < self.kernel.outputs {
                self.expand_access(buffer, &indices)?;
                continue;
            }
            if let KernelBuffer::Ast(id) = self.kernel.buffers[buffer] {
                let elements = self.load(buffer, &indices, None)?;
                loaded.insert(id, elements);
            }
        }
        Ok(())
    }

    /// Evaluates and stores the outputs.
    fn store_outputs(
        &mut self,
        axes: &AxisIndices,
        loaded: &Loaded,
        reduced: Option<(AstId, Vec<crate::uop::UopId>)>,
    ) -> Result<(), LowerError> {
        let ast = self.kernel.ast.clone();
        let mut roots: SmallVec<[AstId; 4]> = SmallVec::new();
        for &output in ast.outputs() {
            match ast.node(output).sources[..] {
                [value] => roots.push(value),
                _ => return Err(LowerError::Invalid("a store takes one value".into())),
            }
        }
        let reduced = reduced.as_ref().map(|(reduce, elements)| (*reduce, &elements[..]));
        let values = self.evaluate(&roots, loaded, reduced)?;
        let indices = axes.all();
        for (buffer, &root) in roots.iter().enumerate() {
            self.store(buffer, &indices, values.of(root)?)?;
        }
        Ok(())
    }
}
