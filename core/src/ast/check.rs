//! Which types fit which operation.

use super::{AluOp, Ast, AstError, AstId, AstNode, AstOp};
use crate::dtype::DType;

impl Ast {
    /// Whether every node's types fit: those of conversions, buffers and stores, which can be entered freely, as well as
    /// those of arithmetic.
    ///
    /// # Errors
    /// What does not fit, the first such node in the order of their ids.
    pub fn check(&self) -> Result<(), AstError> {
        self.buffers.iter().try_for_each(|buffer| element(buffer.dtype))?;
        self.nodes.iter().try_for_each(|node| self.check_node(node))
    }

    fn check_node(&self, node: &AstNode) -> Result<(), AstError> {
        let source = node.sources.first().map(|&source| self.node(source).dtype.base());
        match (&node.op, source) {
            (AstOp::Cast(dtype), _) => element(*dtype),
            (AstOp::Bitcast(dtype), Some(from)) => {
                element(*dtype)?;
                let to = dtype.base();
                let fits = from.size() == to.size() && (from == DType::BOOL) == (to == DType::BOOL);
                if fits { Ok(()) } else { Err(AstError::Bitcast { from, to }) }
            }
            (AstOp::Store(_), Some(value)) if value != node.dtype.base() => {
                Err(AstError::StoredType { value, buffer: node.dtype })
            }
            (AstOp::Alu(op), _) => self.check_operands(*op, &node.sources),
            _ => Ok(()),
        }
    }

    /// Whether the operands have types that the operation takes.
    pub(super) fn check_operands(&self, op: AluOp, sources: &[AstId]) -> Result<(), AstError> {
        let dtype = |source: &AstId| self.node(*source).dtype.base();
        let fail = |dtype| Err(AstError::OperandType { op: op.name(), dtype });
        let values = match (op, sources) {
            (AluOp::Where, [gate, values @ ..]) => match dtype(gate) {
                DType::BOOL => values,
                other => return fail(other),
            },
            _ => sources,
        };
        let Some(first) = values.first().map(dtype) else { return Ok(()) };
        if let Some(other) = values.iter().map(dtype).find(|&other| other != first) {
            return Err(AstError::OperandTypes { op: op.name(), first, other });
        }
        let suits = match op {
            AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt => first.is_float(),
            AluOp::Mod => first.scalar().is_int(),
            AluOp::Xor => !first.is_float(),
            AluOp::Div => first != DType::BOOL,
            _ => true,
        };
        if suits { Ok(()) } else { fail(first) }
    }
}

/// Whether elements can have this type.
fn element(dtype: DType) -> Result<(), AstError> {
    match dtype {
        DType::Scalar(_) => Ok(()),
        DType::Image(image) if image.height > 0 && image.width > 0 => Ok(()),
        other => Err(AstError::ElementType(other)),
    }
}
