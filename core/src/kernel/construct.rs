//! From an AST to the first state of a kernel.

use super::{Kernel, KernelBuffer, LowerError, dims, direct};
use crate::ast::{Ast, AstId, AstOp, BufferId, Source, Value};
use crate::rule::{Firings, Rules};
use crate::shape::{Dims, ShapeTracker};
use crate::symbolic::{Node, NodeId, Sint};
use crate::target::Target;
use smallvec::SmallVec;
use std::sync::Arc;

/// The most axes that a kernel may have; more than any real one has.
const MOST_AXES: usize = 64;

impl Kernel {
    /// The kernel of an AST, before any optimisation: reduced axes stand last, axes of size 1 are dropped, and axes
    /// that are neighbours in every buffer are merged.
    ///
    /// Fails where the AST has no output, more than one reduction, or buffers whose shapes do not fit each other.
    pub fn new(ast: &Arc<Ast>, target: &Arc<Target>, rules: &Rules) -> Result<Kernel, LowerError> {
        ast.check().map_err(|error| LowerError::Invalid(error.to_string()))?;
        let Contents { reduce, buffers, outputs, early_buffers, full_buffer } = read(ast)?;
        let mut arena = ast.symbols.clone();
        arena.set_rules(*rules);
        let views: Vec<ShapeTracker> = buffers.iter().map(|&id| ast.buffer(id).view.clone()).collect();
        let mut kernel = Kernel {
            ast: Arc::clone(ast),
            target: Arc::clone(target),
            rules: *rules,
            arena,
            firings: Firings::default(),
            reduce,
            buffers: buffers.into_iter().map(KernelBuffer::Ast).collect(),
            outputs,
            early_buffers,
            full_buffer,
            variables: Vec::new(),
            views,
            applied: Vec::new(),
            group_for_reduces: 0,
            upcasted: 0,
            local_dims: 0,
            local_alias: Vec::new(),
            tensor_core: None,
            tensor_core_opts: None,
            dont_use_locals: false,
            direct_views: direct::allowed(rules),
        };
        kernel.check_shapes()?;
        kernel.variables = kernel.find_variables()?;
        kernel.move_reduced_axes_last()?;
        kernel.simplify_ones()?;
        kernel.merge_adjacent_axes()?;
        Ok(kernel)
    }

    /// Whether every buffer has the outputs' shape or, where it is read by the reduction, the full shape, of which
    /// the reduction leaves the outputs' shape.
    fn check_shapes(&self) -> Result<(), LowerError> {
        let (output, full) = (self.output_shape(), self.full_shape());
        let text = |shape: &[Sint]| dims::text(&self.arena, shape);
        if output.len() > MOST_AXES {
            return Err(LowerError::Unsupported(format!("{} axes; at most {MOST_AXES} are", output.len())));
        }
        if let Some(axis) = full.iter().position(|&size| dims::least(&self.arena, size) < 1) {
            return Err(LowerError::Unsupported(format!("axis {axis} of {} may have no elements", text(full))));
        }
        let reduced = match self.reduce.map(|id| &self.ast.node(id).op) {
            Some(AstOp::Reduce(_, axes)) => {
                let mut reduced = Dims::from_slice(full);
                for &axis in axes {
                    match reduced.get_mut(usize::from(axis)) {
                        Some(size) => *size = Sint::Int(1),
                        None => {
                            let shape = text(full);
                            return Err(LowerError::Invalid(format!("reduction over axis {axis} of {shape}")));
                        }
                    }
                }
                reduced
            }
            _ => Dims::from_slice(full),
        };
        if !dims::all_same(&self.arena, &reduced, output) {
            return Err(LowerError::Invalid(format!(
                "what is computed has shape {}, what is stored {}",
                text(&reduced),
                text(output)
            )));
        }
        for (number, (view, &early)) in self.views.iter().zip(&self.early_buffers).enumerate() {
            let expected = if early { full } else { output };
            if !dims::all_same(&self.arena, view.shape(), expected) {
                return Err(LowerError::Invalid(format!(
                    "buffer {number} of the kernel has shape {}, not {}",
                    text(view.shape()),
                    text(expected)
                )));
            }
        }
        Ok(())
    }

    /// The variables that the views and constants depend on, each once, ordered by name.
    fn find_variables(&self) -> Result<Vec<NodeId>, LowerError> {
        let mut found: Vec<NodeId> = Vec::new();
        for buffer in &self.buffers {
            let KernelBuffer::Ast(id) = buffer else { continue };
            let buffer = self.ast.buffer(*id);
            if let Source::Constant(Value::Variable(node)) = buffer.source {
                found.push(node);
            }
            found.extend(buffer.view.vars(&self.arena));
        }
        let arena = &self.arena;
        let key = |id: &NodeId| match arena.node(*id) {
            Node::Variable(number) => Some(arena.variable_info(*number)),
            _ => None,
        };
        found.retain(|id| key(id).is_some());
        found.sort_by(|a, b| key(a).map(|info| &info.name).cmp(&key(b).map(|info| &info.name)).then(a.cmp(b)));
        found.dedup();
        for pair in found.windows(2) {
            if let (Some(a), Some(b)) = (key(&pair[0]), key(&pair[1]))
                && a.name == b.name
                && (a.min, a.max) != (b.min, b.max)
            {
                return Err(LowerError::Invalid(format!("variable {} with two ranges", a.name)));
            }
        }
        found.dedup_by(|a, b| key(a).map(|info| &info.name) == key(b).map(|info| &info.name));
        Ok(found)
    }

    fn move_reduced_axes_last(&mut self) -> Result<(), LowerError> {
        let kept = (0..self.shape_len()).filter(|&axis| !self.is_reduced(axis));
        let reduced = (0..self.shape_len()).filter(|&axis| self.is_reduced(axis));
        let order: SmallVec<[usize; 8]> = kept.chain(reduced).collect();
        self.views = self.permuted(&order)?;
        Ok(())
    }
}

/// What a kernel takes from its AST.
struct Contents {
    reduce: Option<AstId>,
    buffers: Vec<BufferId>,
    outputs: usize,
    early_buffers: Vec<bool>,
    full_buffer: usize,
}

fn read(ast: &Ast) -> Result<Contents, LowerError> {
    let mut buffers = Vec::with_capacity(ast.buffers().len());
    for &output in ast.outputs() {
        match ast.node(output).op {
            AstOp::Store(id) if matches!(ast.buffer(id).source, Source::Memory(_)) => buffers.push(id),
            AstOp::Store(_) => return Err(LowerError::Invalid("a store to a constant".to_owned())),
            _ => return Err(LowerError::Invalid("an output that is no store".to_owned())),
        }
    }
    let outputs = buffers.len();
    if outputs == 0 {
        return Err(LowerError::Invalid("nothing is stored".to_owned()));
    }
    // What is loaded stands in the order in which a walk from the outputs first meets it.
    let mut listed = vec![false; ast.buffers().len()];
    let mut reduce = None;
    for id in walk(ast, ast.outputs()) {
        let node = ast.node(id);
        if node.sources.iter().any(|&source| matches!(ast.node(source).op, AstOp::Store(_))) {
            return Err(LowerError::Invalid("a store is used as a value".to_owned()));
        }
        match &node.op {
            AstOp::Load(buffer) | AstOp::Constant(buffer) => {
                if !std::mem::replace(&mut listed[buffer.0 as usize], true) {
                    buffers.push(*buffer);
                }
            }
            AstOp::Reduce(..) if reduce.is_some() => {
                return Err(LowerError::Invalid("two reductions".to_owned()));
            }
            AstOp::Reduce(..) => reduce = Some(id),
            AstOp::Store(_) | AstOp::Alu(_) | AstOp::Cast(_) | AstOp::Bitcast(_) => {}
        }
    }
    let mut early = vec![false; ast.buffers().len()];
    let mut full_buffer = 0;
    if let Some(reduce) = reduce {
        let mut first = None;
        for id in walk(ast, &[reduce]) {
            if let AstOp::Load(buffer) | AstOp::Constant(buffer) = ast.node(id).op {
                first.get_or_insert(buffer);
                early[buffer.0 as usize] = true;
            }
        }
        full_buffer = buffers.iter().position(|&buffer| Some(buffer) == first).unwrap_or(0);
    }
    let early_buffers = buffers.iter().map(|buffer| early[buffer.0 as usize]).collect();
    Ok(Contents { reduce, buffers, outputs, early_buffers, full_buffer })
}

/// What the roots are made of, each node once: a node, then what its sources are made of, source by source.
fn walk(ast: &Ast, roots: &[AstId]) -> Vec<AstId> {
    let mut seen = vec![false; ast.nodes().len()];
    let mut order = Vec::with_capacity(ast.nodes().len());
    let mut stack: Vec<AstId> = roots.iter().rev().copied().collect();
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        order.push(id);
        stack.extend(ast.node(id).sources.iter().rev());
    }
    order
}
