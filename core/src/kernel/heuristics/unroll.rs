//! Unrolling the last reduce axes.

use crate::kernel::{Kernel, OptError, OptOp, dims};
use crate::symbolic::Sint;

/// The longest reduce axis that is unrolled completely.
const LONGEST_WHOLE: i64 = 32;
/// The longest reduce axis after which a second one is unrolled, and the longest such one.
const LONGEST_OF_TWO: i64 = 3;
/// By how much longer ones are unrolled.
const PART: i64 = 4;
/// The most outputs of a lane, where reduce axes are unrolled already.
const MOST_OUTPUTS: usize = 4;
/// From so many upcasted elements on nothing more is unrolled.
const MANY_ELEMENTS: i64 = 64;

impl Kernel {
    /// Unrolls the last reduce axis, completely where it is short.
    pub(super) fn unroll_reduction(&mut self) -> Result<(), OptError> {
        if self.first_reduce() >= self.first_upcast() {
            return Ok(());
        }
        let full = self.full_buffer;
        if self.shape_offsets_count(full) > MOST_OUTPUTS
            && self.upcasted_axis(full)?.iter().any(|&(_, _, reduced)| reduced)
        {
            return Ok(());
        }
        if self.upcasted > 0 && dims::product_of_numbers(self.full_upcasted_shape()) >= MANY_ELEMENTS {
            return Ok(());
        }
        let Some(size) = self.full_unupcasted_shape().last().copied() else { return Ok(()) };
        match size {
            Sint::Int(size) if size <= LONGEST_WHOLE => {
                self.unroll_last(0)?;
                let next = self.full_unupcasted_shape().last().copied();
                if size <= LONGEST_OF_TWO
                    && self.first_reduce() < self.first_upcast()
                    && matches!(next, Some(Sint::Int(next)) if next <= LONGEST_OF_TWO)
                {
                    self.unroll_last(0)?;
                }
            }
            _ if dims::divides(&mut self.arena, PART, size)? => self.unroll_last(PART)?,
            _ => {}
        }
        Ok(())
    }

    fn unroll_last(&mut self, amount: i64) -> Result<(), OptError> {
        let last = (self.first_upcast() - self.first_reduce()).saturating_sub(1);
        self.choose(OptOp::Unroll, last, amount)
    }
}
