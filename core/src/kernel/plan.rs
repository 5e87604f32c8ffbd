//! Plans: which optimisations a kernel gets.

use super::{Kernel, LowerError, OptError, OptPlan};

impl Kernel {
    /// Applies a plan. Fails with the first optimisation of a list that is refused; those before it stay applied.
    pub fn apply_plan(&mut self, plan: &OptPlan) -> Result<(), LowerError> {
        match plan {
            OptPlan::Hand => {
                self.required_optimizations().map_err(heuristic)?;
                if !self.apply_tensor_cores() {
                    self.hand_coded_optimizations().map_err(heuristic)?;
                }
            }
            OptPlan::Required => self.required_optimizations().map_err(heuristic)?,
            OptPlan::List(opts) => {
                for &opt in opts {
                    self.apply_opt(opt).map_err(|error| LowerError::Opt { opt, error: Box::new(error) })?;
                }
            }
        }
        Ok(())
    }
}

fn heuristic(error: OptError) -> LowerError {
    LowerError::Heuristic(Box::new(error))
}
