//! Operations and bytes of a run: of the AST, and of the uops.

use crate::ast::{Ast, AstId, AstOp, Source};
use crate::kernel::LowerError;
use crate::linearize::Lowered;
use crate::shape::Dims;
use crate::symbolic::{Arena, Sint, SymbolicError};
use rustc_hash::FxHashSet;

/// An estimate, counted in two ways. Symbolic parts are expressions over the variables of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// By the AST, on the way to its first output. Operations: for each node that is arithmetic or a reduction, once, the
    /// elements that it works on. Bytes: for each buffer the elements up to the last that a view can reach.
    pub ast: Sint,
    /// By the uops, each as often as its loops run, times the work items of the launch. `None` where the length of a loop is no
    /// sum or product of numbers and variables.
    pub uops: Option<Sint>,
    /// The lower one, as 0.9.0 has it: where that depends on the variables, the one by the uops.
    pub estimate: Sint,
}

impl Estimate {
    fn new(arena: &mut Arena, ast: Sint, uops: Option<Sint>) -> Result<Estimate, SymbolicError> {
        let estimate = match uops {
            Some(uops) if may_be_less(arena, uops, ast)? => uops,
            _ => ast,
        };
        Ok(Estimate { ast, uops, estimate })
    }
}

/// Whether `a < b` for some values of the variables, as far as bounds tell.
fn may_be_less(arena: &mut Arena, a: Sint, b: Sint) -> Result<bool, SymbolicError> {
    match (a, b) {
        (Sint::Int(a), Sint::Int(b)) => Ok(a < b),
        (Sint::Node(a), b) => {
            let less = arena.less(a, b)?;
            Ok(arena.max_int(less) != 0)
        }
        (a, Sint::Node(b)) => {
            let (negative_b, negative_a) = (arena.neg(b)?, arena.sint_neg(a)?);
            let less = arena.less(negative_b, negative_a)?;
            Ok(arena.max_int(less) != 0)
        }
    }
}

/// Operations and bytes of a run of `lowered`, which was made of `ast`.
pub(super) fn estimates(lowered: &Lowered, ast: &Ast, arena: &mut Arena) -> Result<(Estimate, Estimate), LowerError> {
    let operations = operations(ast, arena)?;
    let bytes = Sint::Int(bytes(ast, arena)?);
    let mut items = Sint::Int(1);
    for &size in lowered.global_size.iter().chain(&lowered.local_size).flatten() {
        items = arena.sint_mul(items, size)?;
    }
    let of_uops = match lowered.uops.cost(arena)? {
        Some((operations, bytes)) => Some((arena.sint_mul(operations, items)?, arena.sint_mul(bytes, items)?)),
        None => None,
    };
    Ok((
        Estimate::new(arena, operations, of_uops.map(|(operations, _)| operations))?,
        Estimate::new(arena, bytes, of_uops.map(|(_, bytes)| bytes))?,
    ))
}

/// The elements that the arithmetic nodes on the way to the first output work on, each node once.
fn operations(ast: &Ast, arena: &mut Arena) -> Result<Sint, SymbolicError> {
    let Some(&output) = ast.outputs().first() else { return Ok(Sint::Int(0)) };
    let mut counter =
        Counter { ast, shapes: vec![None; ast.nodes().len()], counts: vec![Sint::Int(0); ast.nodes().len()] };
    // A node's count goes to the first that uses it, with its own added behind: 0.9.0's order of terms.
    let mut stack = vec![output];
    while let Some(&id) = stack.last() {
        if counter.shapes[id.0 as usize].is_some() {
            stack.pop();
            continue;
        }
        let waits = stack.len();
        stack.extend(ast.node(id).sources.iter().rev().filter(|source| counter.shapes[source.0 as usize].is_none()));
        if stack.len() == waits {
            counter.visit(id, arena)?;
            stack.pop();
        }
    }
    Ok(counter.counts[output.0 as usize])
}

struct Counter<'a> {
    ast: &'a Ast,
    /// Shape of each node that was visited.
    shapes: Vec<Option<Dims>>,
    /// The operations of each node and of what only it has used so far.
    counts: Vec<Sint>,
}

impl Counter<'_> {
    /// Takes on the counts of the node's sources, which were visited, and adds its own.
    fn visit(&mut self, id: AstId, arena: &mut Arena) -> Result<(), SymbolicError> {
        let node = self.ast.node(id);
        let first = node.sources.first().and_then(|source| self.shapes[source.0 as usize].clone());
        let mut count = Sint::Int(0);
        for (place, source) in node.sources.iter().enumerate() {
            let taken = std::mem::replace(&mut self.counts[source.0 as usize], Sint::Int(0));
            count = if place == 0 { taken } else { arena.sint_add(count, taken)? };
        }
        let mut shape = match &node.op {
            AstOp::Load(buffer) | AstOp::Constant(buffer) | AstOp::Store(buffer) => {
                self.ast.buffer(*buffer).view.shape().clone()
            }
            _ => first.unwrap_or_default(),
        };
        if matches!(node.op, AstOp::Alu(_) | AstOp::Reduce(..)) {
            let mut elements = Sint::Int(1);
            for &size in &shape {
                elements = arena.sint_mul(elements, size)?;
            }
            count = arena.sint_add(count, elements)?;
        }
        if let AstOp::Reduce(_, axes) = &node.op {
            for &axis in axes {
                if let Some(size) = shape.get_mut(usize::from(axis)) {
                    *size = Sint::Int(1);
                }
            }
        }
        self.counts[id.0 as usize] = count;
        self.shapes[id.0 as usize] = Some(shape);
        Ok(())
    }
}

/// Bytes of the buffers that the first output is made of, itself included. Of several views of a buffer the last one
/// counts, from left to right; the output's own before all.
fn bytes(ast: &Ast, arena: &mut Arena) -> Result<i64, LowerError> {
    let Some(&output) = ast.outputs().first() else { return Ok(0) };
    let mut seen = vec![false; ast.nodes().len()];
    let mut counted = FxHashSet::default();
    let mut total = 0i64;
    let mut stack = vec![output];
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        let node = ast.node(id);
        // From right to left, so that the last one comes first.
        stack.extend(node.sources.iter());
        let (AstOp::Load(buffer) | AstOp::Store(buffer)) = node.op else { continue };
        let buffer = ast.buffer(buffer);
        let Source::Memory(index) = buffer.source else { continue };
        if counted.insert(index) {
            let elements = buffer.view.real_size(arena)?;
            let size = i64::try_from(buffer.dtype.size()).unwrap_or(i64::MAX);
            let bytes = elements.checked_mul(size).and_then(|bytes| total.checked_add(bytes));
            total = bytes.ok_or_else(|| SymbolicError::Overflow(format!("{elements} elements of {size} bytes")))?;
        }
    }
    Ok(total)
}
