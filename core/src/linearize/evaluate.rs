//! Evaluation of the AST on what was loaded: each node once, for every expansion.

use super::state::Lowering;
use crate::ast::{AstId, AstOp, BufferId, ReduceOp};
use crate::kernel::LowerError;
use crate::uop::{UopArg, UopId, UopKind};
use smallvec::SmallVec;
use std::ops::Range;

/// What was loaded of each buffer of the AST.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    buffers: Vec<Option<Vec<UopId>>>,
}

impl Loaded {
    pub(super) fn insert(&mut self, buffer: BufferId, elements: Vec<UopId>) {
        let place = buffer.0 as usize;
        if self.buffers.len() <= place {
            self.buffers.resize_with(place + 1, || None);
        }
        self.buffers[place] = Some(elements);
    }

    pub(super) fn get(&self, buffer: BufferId) -> Result<&[UopId], LowerError> {
        let loaded = self.buffers.get(buffer.0 as usize).and_then(Option::as_deref);
        loaded.ok_or_else(|| LowerError::Invalid(format!("buffer {} of the AST was not loaded", buffer.0)))
    }
}

/// The elements of the nodes that were evaluated.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) uops: Vec<UopId>,
    pub(super) nodes: Vec<Option<Range<usize>>>,
}

impl Values {
    /// The elements of `node`.
    pub(super) fn of(&self, node: AstId) -> Result<&[UopId], LowerError> {
        let range = self.nodes.get(node.0 as usize).cloned().flatten();
        let values = range.and_then(|range| self.uops.get(range));
        values.ok_or_else(|| LowerError::Invalid(format!("node {} of the AST was not evaluated", node.0)))
    }
}

impl Lowering {
    /// Evaluates `roots` and all that they are made of. `reduced` gives the elements of the reduction, which is not
    /// looked into; `None` where `roots` are below it.
    pub(super) fn evaluate(
        &mut self,
        roots: &[AstId],
        loaded: &Loaded,
        reduced: Option<(AstId, &[UopId])>,
    ) -> Result<Values, LowerError> {
        if self.graph.has_objects() {
            return self.evaluate_objects(roots, loaded, reduced);
        }
        let ast = self.kernel.ast.clone();
        let end = roots.iter().map(|root| root.0 as usize + 1).max().unwrap_or(0);
        let mut needed = vec![false; end];
        for root in roots {
            needed[root.0 as usize] = true;
        }
        for place in (0..end).rev() {
            let node = &ast.nodes()[place];
            if needed[place] && !matches!(node.op, AstOp::Reduce(..)) {
                for source in &node.sources {
                    needed[source.0 as usize] = true;
                }
            }
        }

        let mut values = Values { uops: Vec::new(), nodes: vec![None; end] };
        for place in (0..end).filter(|&place| needed[place]) {
            let start = values.uops.len();
            let node = &ast.nodes()[place];
            match &node.op {
                AstOp::Load(buffer) | AstOp::Constant(buffer) => {
                    values.uops.extend_from_slice(loaded.get(*buffer)?);
                }
                AstOp::Reduce(..) => match reduced {
                    Some((reduction, elements)) if reduction.0 as usize == place => {
                        values.uops.extend_from_slice(elements);
                    }
                    _ => return Err(LowerError::Invalid("a second reduction".into())),
                },
                AstOp::Store(_) => return Err(LowerError::Invalid("a store whose value is used".into())),
                op => {
                    let sources = node.sources.iter().map(|&source| {
                        let range = values.nodes.get(source.0 as usize).cloned().flatten();
                        range.ok_or_else(|| LowerError::Invalid(format!("node {place} precedes its source")))
                    });
                    let sources: SmallVec<[Range<usize>; 3]> = sources.collect::<Result<_, _>>()?;
                    let width = sources.first().map_or(0, Range::len);
                    if sources.iter().any(|range| range.len() != width) {
                        let message = format!(
                            "the operands of node {place} of the AST have different numbers of upcasted elements"
                        );
                        return Err(LowerError::Invalid(message));
                    }
                    for element in 0..width {
                        let operands: SmallVec<[UopId; 3]> =
                            sources.iter().map(|range| values.uops[range.start + element]).collect();
                        let uop = match op {
                            AstOp::Alu(alu) => self.graph.alu(*alu, &operands),
                            AstOp::Bitcast(dtype) => {
                                self.graph.add(UopKind::Bitcast, Some(dtype.base()), &operands, UopArg::None)
                            }
                            _ => self.graph.add(UopKind::Cast, Some(node.dtype.base()), &operands, UopArg::None),
                        };
                        values.uops.push(uop);
                    }
                }
            }
            values.nodes[place] = Some(start..values.uops.len());
        }
        Ok(values)
    }

    /// Combines `values`, element by element, into the accumulators that `offsets` gives, and writes these back.
    pub(super) fn accumulate(
        &mut self,
        op: ReduceOp,
        values: &[UopId],
        offsets: &[usize],
        accumulators: &mut [UopId],
    ) -> Result<(), LowerError> {
        if values.len() != offsets.len() {
            let message = format!("{} values for {} places of accumulators", values.len(), offsets.len());
            return Err(LowerError::Invalid(message));
        }
        let before: SmallVec<[UopId; 16]> = SmallVec::from_slice(accumulators);
        for (&value, &offset) in values.iter().zip(offsets) {
            let accumulator = accumulators
                .get_mut(offset)
                .ok_or_else(|| LowerError::Invalid(format!("there is no accumulator {offset}")))?;
            *accumulator = self.graph.alu(op.alu(), &[value, *accumulator]);
        }
        if !self.does(super::LowerStep::WriteBack) {
            return Ok(());
        }
        for (&start, end) in before.iter().zip(accumulators) {
            if start != *end {
                let dtype = self.graph.uop(start).dtype;
                *end = self.graph.add(UopKind::Phi, dtype, &[start, *end], UopArg::None);
            }
        }
        Ok(())
    }
}
