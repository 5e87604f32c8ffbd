//! Lowering object by object, as 0.9.0 does: see [`crate::uop::UopGraph::objects`].
//!
//! 0.9.0 renders each index and each valid anew, as a tree, and evaluates what a conversion converts anew for each use. It is
//! done a second time in this manner for the few kernels for which that decides what they are rewritten to.

use super::evaluate::{Loaded, Values};
use super::render::{Operand, Operands};
use super::state::Lowering;
use crate::ast::{AluOp, AstId, AstOp};
use crate::kernel::{Kernel, LowerError};
use crate::symbolic::NodeId;
use crate::uop::{UopArg, UopGraph, UopId, UopKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The most objects that are looked at.
const MOST_OBJECTS: usize = 1 << 18;

/// Whether anything fires in the first round of the graph of objects of `kernel`, which may have been lowered meanwhile:
/// it is made anew from what it was made of.
pub(super) fn anything_fires(kernel: &Kernel) -> bool {
    object_graph(kernel).is_ok_and(UopGraph::anything_fires)
}

fn object_graph(kernel: &Kernel) -> Result<UopGraph, LowerError> {
    let mut anew = Kernel::new(&kernel.ast, &kernel.target, &kernel.rules)?;
    for &opt in &kernel.applied {
        anew.apply_opt(opt).map_err(|error| LowerError::Opt { opt, error: Box::new(error) })?;
    }
    anew.build_objects()
}

/// An expression that is being rendered.
struct Rendering {
    op: AluOp,
    operands: Operands,
    done: usize,
    result: Option<UopId>,
}

/// A node of the AST that is being evaluated, among those whose results are shared in `scope`.
struct Evaluation {
    node: AstId,
    scope: u32,
    sources: SmallVec<[Vec<UopId>; 3]>,
}

impl Lowering {
    /// Renders an expression and all its parts anew.
    pub(super) fn render_object(&mut self, root: NodeId) -> Result<UopId, LowerError> {
        let mut stack = Vec::new();
        let mut finished = self.begin(root, &mut stack)?;
        loop {
            let Some(top) = stack.last_mut() else {
                return finished.ok_or_else(|| LowerError::Invalid("an expression without a value".into()));
            };
            if let Some(uop) = finished.take() {
                top.result = Some(match top.result {
                    None => uop,
                    Some(left) => self.graph.alu(top.op, &[left, uop]),
                });
            }
            match top.operands.get(top.done).copied() {
                None => {
                    finished = top.result;
                    stack.pop();
                }
                Some(operand) => {
                    top.done += 1;
                    finished = match operand {
                        Operand::Number(value) => Some(self.index_constant(value)?),
                        Operand::Node(node) => self.begin(node, &mut stack)?,
                    };
                }
            }
        }
    }

    /// The uop of a variable; anything else is to be rendered next.
    fn begin(&mut self, node: NodeId, stack: &mut Vec<Rendering>) -> Result<Option<UopId>, LowerError> {
        if let Some(uop) = self.rendered_node(node) {
            return Ok(Some(uop));
        }
        if self.is_variable(node) {
            return self.define_namesake(node).map(Some);
        }
        if self.graph.len() > MOST_OBJECTS {
            return Err(LowerError::Unsupported("more objects than are looked at".into()));
        }
        let (op, operands) = self.operation(node)?;
        stack.push(Rendering { op, operands, done: 0, result: None });
        Ok(None)
    }

    /// As [`Lowering::evaluate`]. Results are shared among the nodes of an output, but for what is converted, which is
    /// evaluated on its own.
    pub(super) fn evaluate_objects(
        &mut self,
        roots: &[AstId],
        loaded: &Loaded,
        reduced: Option<(AstId, &[UopId])>,
    ) -> Result<Values, LowerError> {
        let end = roots.iter().map(|root| root.0 as usize + 1).max().unwrap_or(0);
        let mut values = Values { uops: Vec::new(), nodes: vec![None; end] };
        let mut shared: FxHashMap<(u32, AstId), Vec<UopId>> = FxHashMap::default();
        let mut scopes = 0;
        for &root in roots {
            let elements = self.evaluate_object(root, &mut scopes, &mut shared, loaded, reduced)?;
            let start = values.uops.len();
            values.uops.extend(elements);
            values.nodes[root.0 as usize] = Some(start..values.uops.len());
            scopes += 1;
        }
        Ok(values)
    }

    fn evaluate_object(
        &mut self,
        root: AstId,
        scopes: &mut u32,
        shared: &mut FxHashMap<(u32, AstId), Vec<UopId>>,
        loaded: &Loaded,
        reduced: Option<(AstId, &[UopId])>,
    ) -> Result<Vec<UopId>, LowerError> {
        let ast = self.kernel.ast.clone();
        let mut stack = vec![Evaluation { node: root, scope: *scopes, sources: SmallVec::new() }];
        loop {
            let Some(top) = stack.last() else {
                return Err(LowerError::Invalid("an AST without a value".into()));
            };
            let (id, scope) = (top.node, top.scope);
            let node = ast.node(id);
            let conversion = matches!(node.op, AstOp::Cast(_) | AstOp::Bitcast(_));
            let known = match &node.op {
                AstOp::Load(buffer) | AstOp::Constant(buffer) => Some(loaded.get(*buffer)?.to_vec()),
                AstOp::Reduce(..) => match reduced {
                    Some((reduction, elements)) if reduction == id => Some(elements.to_vec()),
                    _ => return Err(LowerError::Invalid("a second reduction".into())),
                },
                _ => shared.get(&(scope, id)).cloned(),
            };
            let elements = match known {
                Some(elements) => elements,
                None => {
                    if let Some(&source) = node.sources.get(top.sources.len()) {
                        if conversion {
                            *scopes += 1;
                        }
                        let scope = if conversion { *scopes } else { scope };
                        stack.push(Evaluation { node: source, scope, sources: SmallVec::new() });
                        continue;
                    }
                    let elements = self.element_objects(id, &top.sources)?;
                    if !conversion {
                        shared.insert((scope, id), elements.clone());
                    }
                    elements
                }
            };
            stack.pop();
            match stack.last_mut() {
                Some(user) => user.sources.push(elements),
                None => return Ok(elements),
            }
        }
    }

    /// The elements of a node, from those of its sources.
    fn element_objects(&mut self, id: AstId, sources: &[Vec<UopId>]) -> Result<Vec<UopId>, LowerError> {
        let ast = self.kernel.ast.clone();
        let node = ast.node(id);
        if self.graph.len() > MOST_OBJECTS {
            return Err(LowerError::Unsupported("more objects than are looked at".into()));
        }
        let width = sources.iter().map(Vec::len).min().unwrap_or(0);
        let mut elements = Vec::with_capacity(width);
        for element in 0..width {
            let operands: SmallVec<[UopId; 3]> = sources.iter().map(|source| source[element]).collect();
            elements.push(match &node.op {
                AstOp::Alu(alu) => self.graph.alu(*alu, &operands),
                AstOp::Bitcast(dtype) => self.graph.add(UopKind::Bitcast, Some(dtype.base()), &operands, UopArg::None),
                _ => self.graph.add(UopKind::Cast, Some(node.dtype.base()), &operands, UopArg::None),
            });
        }
        Ok(elements)
    }
}
