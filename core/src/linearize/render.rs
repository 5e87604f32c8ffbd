//! Rendering of index expressions as uops of type `i32`, and of valids as bools.

use super::state::Lowering;
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::DType;
use crate::kernel::LowerError;
use crate::shape::ShapeError;
use crate::symbolic::{Node, NodeId, Sint};
use crate::uop::{UopArg, UopId, UopKind};
use smallvec::SmallVec;

/// An operand of an expression.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    Node(NodeId),
    Number(i64),
}

impl From<Sint> for Operand {
    fn from(value: Sint) -> Operand {
        match value {
            Sint::Int(value) => Operand::Number(value),
            Sint::Node(node) => Operand::Node(node),
        }
    }
}

pub(super) type Operands = SmallVec<[Operand; 4]>;

/// A sum that was rendered, without its number: sums of neighbouring elements often differ in that alone.
#[derive(Debug, Default)]
pub(super) struct LastSum {
    terms: SmallVec<[NodeId; 4]>,
    uop: Option<UopId>,
    least: i64,
    most: i64,
}

impl Lowering {
    /// The uop of an index expression.
    ///
    /// # Errors
    /// Where a part of it does not fit in 32 bits, and where it holds a variable that is not the kernel's.
    pub(super) fn render(&mut self, root: NodeId) -> Result<UopId, LowerError> {
        if let Some(uop) = self.rendered_node(root) {
            return Ok(uop);
        }
        if self.graph.has_objects() {
            return self.render_object(root);
        }
        if let Some(uop) = self.render_next_sum(root)? {
            return Ok(uop);
        }
        let mut stack: SmallVec<[NodeId; 16]> = SmallVec::from_slice(&[root]);
        while let Some(&node) = stack.last() {
            if self.rendered_node(node).is_some() {
                stack.pop();
                continue;
            }
            if self.is_variable(node) {
                let uop = self.define_namesake(node)?;
                self.define(node, uop);
                continue;
            }
            let (op, operands) = self.operation(node)?;
            let depth = stack.len();
            for &operand in &operands {
                if let Operand::Node(operand) = operand
                    && self.rendered_node(operand).is_none()
                {
                    stack.push(operand);
                }
            }
            if stack.len() == depth {
                let uop = self.fold(node, op, &operands)?;
                self.define(node, uop);
                stack.pop();
            }
        }
        self.rendered_node(root).ok_or_else(|| LowerError::Invalid("an index expression that holds itself".into()))
    }

    /// The uop of a sum that differs from the last one in the number alone.
    fn render_next_sum(&mut self, node: NodeId) -> Result<Option<UopId>, LowerError> {
        let Node::Sum(terms) = self.kernel.arena.node(node) else { return Ok(None) };
        let Some((&last, terms)) = terms.split_last() else { return Ok(None) };
        let Node::Number(number) = *self.kernel.arena.node(last) else { return Ok(None) };
        let LastSum { terms: known, uop: Some(left), least, most } = &self.last_sum else { return Ok(None) };
        if known[..] != *terms {
            return Ok(None);
        }
        let (left, least, most) = (*left, *least, *most);
        self.fits(node, least.saturating_add(number), most.saturating_add(number))?;
        let right = self.index_constant(number)?;
        let uop = self.graph.alu(AluOp::Add, &[left, right]);
        self.fits(node, self.kernel.arena.min(node), self.kernel.arena.max_int(node))?;
        self.define(node, uop);
        Ok(Some(uop))
    }

    /// The uop of a number or an expression.
    pub(super) fn render_sint(&mut self, value: Sint) -> Result<UopId, LowerError> {
        match value {
            Sint::Int(value) => self.index_constant(value),
            Sint::Node(node) => self.render(node),
        }
    }

    /// The constant of type `i32`.
    pub(super) fn index_constant(&mut self, value: i64) -> Result<UopId, LowerError> {
        if i32::try_from(value).is_err() {
            return Err(ShapeError::IndexRange(value.to_string()).into());
        }
        Ok(self.graph.constant(DType::I32, Constant::Int(value.into())))
    }

    /// Sets the uop of a node.
    pub(super) fn define(&mut self, node: NodeId, uop: UopId) {
        let place = node.0 as usize;
        if self.rendered.len() <= place {
            self.rendered.resize(self.kernel.arena.len().max(place + 1), None);
        }
        self.rendered[place] = Some(uop);
    }

    /// The uop of a symbolic variable, passed to the kernel.
    pub(super) fn define_variable(&mut self, variable: NodeId) -> Result<UopId, LowerError> {
        let arg = self.variable_arg(variable)?;
        Ok(self.graph.add(UopKind::DefineVar, Some(DType::I32), &[], arg))
    }

    /// The uop of a variable that is one of the kernel's, but for a value that one of both is bound to.
    pub(super) fn define_namesake(&mut self, variable: NodeId) -> Result<UopId, LowerError> {
        let arg = self.variable_arg(variable)?;
        for &known in &self.kernel.variables {
            if self.variable_arg(known)? == arg {
                return self.define_variable(known);
            }
        }
        let name = self.kernel.arena.render(variable);
        Err(LowerError::Invalid(format!("variable {name} has no value in the kernel")))
    }

    /// Name and bounds of a symbolic variable.
    fn variable_arg(&self, variable: NodeId) -> Result<UopArg, LowerError> {
        let arena = &self.kernel.arena;
        let Node::Variable(number) = *arena.node(variable) else {
            return Err(LowerError::Invalid(format!("{} is no variable", arena.render(variable))));
        };
        let info = arena.variable_info(number);
        let max = info.max.int().ok_or_else(|| {
            LowerError::Unsupported(format!("variable {}, whose largest value is symbolic", info.name))
        })?;
        if i32::try_from(max).is_err() {
            return Err(ShapeError::IndexRange(info.name.clone()).into());
        }
        Ok(UopArg::Var { name: info.name.as_str().into(), min: info.min, max })
    }

    pub(super) fn rendered_node(&self, node: NodeId) -> Option<UopId> {
        self.rendered.get(node.0 as usize).copied().flatten()
    }

    /// The operation that a node is, and its operands: applied from the left where there are more than two. A number
    /// is its only operand.
    pub(super) fn operation(&self, node: NodeId) -> Result<(AluOp, Operands), LowerError> {
        let arena = &self.kernel.arena;
        let two = |a: NodeId, b: Operand| SmallVec::from_slice(&[Operand::Node(a), b]);
        Ok(match arena.node(node) {
            Node::Number(value) => (AluOp::Add, SmallVec::from_slice(&[Operand::Number(*value)])),
            Node::Variable(_) => return Err(LowerError::Invalid("a variable is no operation".into())),
            Node::Mul(a, b) => (AluOp::Mul, two(*a, (*b).into())),
            Node::Div(a, b) => (AluOp::Div, two(*a, Operand::Number(*b))),
            Node::Mod(a, b) => (AluOp::Mod, two(*a, Operand::Number(*b))),
            Node::Less(a, b) => (AluOp::CmpLt, two(*a, (*b).into())),
            Node::Sum(terms) => (AluOp::Add, terms.iter().map(|&term| Operand::Node(term)).collect()),
            Node::And(terms) => (AluOp::Mul, terms.iter().map(|&term| Operand::Node(term)).collect()),
        })
    }

    /// Applies `op` from the left to operands that are rendered.
    fn fold(&mut self, node: NodeId, op: AluOp, operands: &[Operand]) -> Result<UopId, LowerError> {
        let mut result = None;
        let (mut least, mut most) = (0i64, 0i64);
        let number = operands.len().wrapping_sub(1);
        for (place, &operand) in operands.iter().enumerate() {
            if let (true, AluOp::Add, Operand::Node(last)) = (place == number, op, operand)
                && matches!(self.kernel.arena.node(last), Node::Number(_))
            {
                let terms = operands[..place].iter().filter_map(|operand| match operand {
                    Operand::Node(term) => Some(*term),
                    Operand::Number(_) => None,
                });
                self.last_sum = LastSum { terms: terms.collect(), uop: result, least, most };
            }
            let (uop, bounds) = match operand {
                Operand::Number(value) => (self.index_constant(value)?, (value, value)),
                Operand::Node(operand) => {
                    let uop = self.rendered_node(operand);
                    let uop = uop.ok_or_else(|| LowerError::Invalid("an operand that was not rendered".into()))?;
                    (uop, (self.kernel.arena.min(operand), self.kernel.arena.max_int(operand)))
                }
            };
            if op == AluOp::Add {
                (least, most) = (least.saturating_add(bounds.0), most.saturating_add(bounds.1));
                self.fits(node, least, most)?;
            }
            result = Some(match result {
                None => uop,
                Some(left) => self.graph.alu(op, &[left, uop]),
            });
        }
        self.fits(node, self.kernel.arena.min(node), self.kernel.arena.max_int(node))?;
        result.ok_or_else(|| LowerError::Invalid("an operation without operands".into()))
    }

    /// Whether all values from `least` to `most` fit in the type of indices.
    fn fits(&self, node: NodeId, least: i64, most: i64) -> Result<(), LowerError> {
        if i32::try_from(least).is_ok() && i32::try_from(most).is_ok() {
            return Ok(());
        }
        Err(ShapeError::IndexRange(self.kernel.arena.render(node)).into())
    }
}
