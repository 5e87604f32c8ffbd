//! (signatures only, to be replaced by the implementation)
#![allow(unused_variables, missing_docs, dead_code, clippy::all)]
use crate::ast::Ast;
use crate::kernel::{Kernel, LowerError, Opt, OptPlan};
use crate::rule::{Firings, Rules};
use crate::symbolic::{Arena, Sint};
use crate::target::Target;
use crate::uop::UopList;
use std::sync::Arc;

/// A lowered kernel.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// `r_3_16_8_20`, without colours and suffix.
    pub name: String,
    /// Launch grid in workgroups (or work items where there are no workgroups), padded with 1 to three; None: the list holds all loops.
    pub global_size: Option<Vec<Sint>>,
    /// Lanes of a workgroup in each dimension.
    pub local_size: Option<Vec<Sint>>,
    pub applied: Vec<Opt>,
    pub uops: UopList,
    /// Symbolic parts of sizes.
    pub arena: Arena,
    pub firings: Firings,
}
impl Lowered {
    /// `global=[49,1,1]local=[3,4,1]`
    pub fn head(&self) -> String {
        unimplemented!()
    }
    pub fn digest(&self) -> String {
        unimplemented!()
    }
    /// The whole text of FORMATS.md §2, both comment lines included.
    pub fn text(&self) -> String {
        unimplemented!()
    }
}
impl Kernel {
    /// Lowers the kernel as it stands.
    pub fn linearize(self) -> Result<Lowered, LowerError> {
        unimplemented!()
    }
}
/// Builds the kernel, applies the plan, lowers.
pub fn lower(ast: &Arc<Ast>, target: &Arc<Target>, plan: &OptPlan, rules: &Rules) -> Result<Lowered, LowerError> {
    unimplemented!()
}
