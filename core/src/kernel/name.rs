//! Names of kernels.

use super::{AxisKind, Kernel};
use crate::ast::AstOp;
use crate::symbolic::{Arena, Node, NodeId, Sint};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::ops::Range;

/// An axis as a kernel's name shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedAxis {
    /// What the axis is for.
    pub kind: AxisKind,
    /// Where in the name its size stands, in bytes.
    pub place: Range<usize>,
}

impl Kernel {
    /// The kernel's name without colours and uniqueness suffix: `r_3_16_8_20`. `r` stands for a reduction, `E` for
    /// arithmetic alone, `C` for a mere copy; then the number of outputs, if not one; then the full shape, symbolic
    /// sizes as `<(1+pos[1-100])>`.
    pub fn name(&self) -> String {
        self.name_and_axes().0
    }

    /// The [name](Kernel::name), and what its parts stand for.
    pub fn name_and_axes(&self) -> (String, Vec<NamedAxis>) {
        let arithmetic = |op: &AstOp| matches!(op, AstOp::Alu(_) | AstOp::Cast(_) | AstOp::Bitcast(_));
        let mut name = String::with_capacity(32);
        name.push_str(match self.reduce {
            Some(_) => "r",
            None if self.reachable_ops().any(arithmetic) => "E",
            None => "C",
        });
        if self.outputs > 1 {
            let _ = write!(name, "{}", self.outputs);
        }
        name.push('_');
        let kinds = self.axis_kinds();
        let mut axes = Vec::with_capacity(kinds.len());
        for (axis, (&size, kind)) in self.full_shape().iter().zip(kinds).enumerate() {
            if axis > 0 {
                name.push('_');
            }
            let start = name.len();
            let _ = match size {
                Sint::Int(size) => write!(name, "{size}"),
                Sint::Node(node) => write!(name, "<{}>", with_bounds(&self.arena, node)),
            };
            axes.push(NamedAxis { kind, place: start..name.len() });
        }
        (name, axes)
    }

    fn reachable_ops(&self) -> impl Iterator<Item = &AstOp> {
        let mut seen = vec![false; self.ast.nodes().len()];
        let mut stack = self.ast.outputs().to_vec();
        std::iter::from_fn(move || {
            let id = stack.pop()?;
            let node = self.ast.node(id);
            if !std::mem::replace(&mut seen[id.0 as usize], true) {
                stack.extend_from_slice(&node.sources);
            }
            Some(&node.op)
        })
    }
}

/// The expression with the bounds of each variable: `(1+pos[1-100])`.
fn with_bounds(arena: &Arena, root: NodeId) -> String {
    let mut texts: FxHashMap<NodeId, String> = FxHashMap::default();
    let mut stack = vec![root];
    while let Some(&id) = stack.last() {
        let missing: Vec<NodeId> = parts(arena.node(id)).into_iter().filter(|part| !texts.contains_key(part)).collect();
        if missing.is_empty() {
            texts.insert(id, write(arena, id, &texts));
            stack.pop();
        } else {
            stack.extend(missing);
        }
    }
    texts.remove(&root).unwrap_or_default()
}

fn parts(node: &Node) -> Vec<NodeId> {
    match node {
        Node::Number(_) | Node::Variable(_) => Vec::new(),
        Node::Mul(a, Sint::Node(b)) | Node::Less(a, Sint::Node(b)) => vec![*a, *b],
        Node::Mul(a, _) | Node::Less(a, _) | Node::Div(a, _) | Node::Mod(a, _) => vec![*a],
        Node::Sum(terms) | Node::And(terms) => terms.to_vec(),
    }
}

/// One node's text from those of its parts.
fn write(arena: &Arena, id: NodeId, texts: &FxHashMap<NodeId, String>) -> String {
    let of = |id: &NodeId| texts.get(id).cloned().unwrap_or_default();
    let sint = |value: &Sint| match value {
        Sint::Int(value) => value.to_string(),
        Sint::Node(id) => of(id),
    };
    let sorted = |terms: &[NodeId], separator: &str| {
        let mut terms: Vec<String> = terms.iter().map(of).collect();
        terms.sort();
        format!("({})", terms.join(separator))
    };
    match arena.node(id) {
        Node::Number(value) => value.to_string(),
        Node::Variable(number) => {
            let info = arena.variable_info(*number);
            let max = arena.render_sint(info.max);
            match info.value {
                Some(value) => format!("{}[{}-{max}={value}]", info.name, info.min),
                None => format!("{}[{}-{max}]", info.name, info.min),
            }
        }
        // Of two variables the one that comes first by name stands first.
        Node::Mul(a, b) => match (variable_name(arena, Sint::Node(*a)), variable_name(arena, *b)) {
            (Some(first), Some(second)) if second < first => format!("({}*{})", sint(b), of(a)),
            _ => format!("({}*{})", of(a), sint(b)),
        },
        Node::Div(a, b) => format!("({}//{b})", of(a)),
        Node::Mod(a, b) => format!("({}%{b})", of(a)),
        Node::Less(a, b) => format!("({}<{})", of(a), sint(b)),
        Node::Sum(terms) => sorted(terms, "+"),
        Node::And(terms) => sorted(terms, " and "),
    }
}

fn variable_name(arena: &Arena, value: Sint) -> Option<&str> {
    match value {
        Sint::Node(id) => match arena.node(id) {
            Node::Variable(number) => Some(&arena.variable_info(*number).name),
            _ => None,
        },
        Sint::Int(_) => None,
    }
}
