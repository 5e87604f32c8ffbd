//! Types of a kernel's steps.

use super::{CaseError, Kernel, Step};
use plumb_core::dtype::DType;

impl Kernel {
    /// The dtype of each step's result (a store: of its buffer): of arithmetic the last operand's, of a comparison bool,
    /// as in tinygrad. An image is loaded as `f32`.
    ///
    /// # Errors
    /// A step that names a step that is not an earlier one, or arithmetic without operands.
    pub fn dtypes(&self) -> Result<Vec<DType>, CaseError> {
        let mut dtypes: Vec<DType> = Vec::with_capacity(self.steps.len());
        for (number, step) in self.steps.iter().enumerate() {
            let dtype = match step {
                Step::Load { dtype, .. } | Step::Constant { dtype, .. } => Some(dtype.base()),
                Step::Cast(dtype, source) | Step::Bitcast(dtype, source) => dtypes.get(*source).map(|_| dtype.base()),
                Step::Store { dtype, source, .. } => dtypes.get(*source).map(|_| *dtype),
                Step::Reduce(_, source, _) => dtypes.get(*source).copied(),
                Step::Alu(op, operands) => {
                    let earlier = operands.iter().all(|&operand| operand < dtypes.len());
                    let last = operands.last().and_then(|&operand| dtypes.get(operand)).copied().filter(|_| earlier);
                    last.map(|last| if op.is_comparison() { DType::BOOL } else { last })
                }
            };
            let message = "an operand is missing or not an earlier step";
            dtypes.push(dtype.ok_or_else(|| CaseError::Step { step: number, message: message.to_owned() })?);
        }
        Ok(dtypes)
    }
}
