//! (signatures only, to be replaced by the implementation)
#![allow(unused_variables, missing_docs, dead_code, clippy::all)]
use super::*;

impl Arena {
    /// An empty arena that simplifies by `rules`.
    pub fn new(rules: Rules) -> Arena {
        unimplemented!()
    }
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
    pub fn set_rules(&mut self, rules: Rules) {
        unimplemented!()
    }
    pub fn firings(&self) -> &Firings {
        &self.firings
    }
    pub fn firings_mut(&mut self) -> &mut Firings {
        &mut self.firings
    }
    pub fn node(&self, id: NodeId) -> &Node {
        unimplemented!()
    }
    pub fn number(&mut self, value: i64) -> NodeId {
        unimplemented!()
    }
    /// Sint -> node (a number becomes a Number node).
    pub fn lift(&mut self, value: Sint) -> NodeId {
        unimplemented!()
    }
    /// Node -> Sint (a Number node becomes Int).
    pub fn lower(&self, id: NodeId) -> Sint {
        unimplemented!()
    }
    /// Variable(name, min, max); a number where min == max.
    pub fn variable(&mut self, name: &str, min: i64, max: Sint, value: Option<i64>) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    pub fn variable_info(&self, number: u32) -> &Variable {
        unimplemented!()
    }
    /// Bounds, inclusive; max may be symbolic as in 0.9.0.
    pub fn min(&self, id: NodeId) -> i64 {
        unimplemented!()
    }
    pub fn max(&self, id: NodeId) -> Sint {
        unimplemented!()
    }
    /// The largest integer that max() can be.
    pub fn max_int(&self, id: NodeId) -> i64 {
        unimplemented!()
    }
    /// Python's `==` of nodes: equal up to the order of a sum's terms.
    pub fn same(&self, a: NodeId, b: NodeId) -> bool {
        unimplemented!()
    }
    pub fn add(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    pub fn neg(&mut self, a: NodeId) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    pub fn sum(&mut self, terms: &[NodeId]) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    pub fn mul(&mut self, a: NodeId, b: Sint) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    pub fn floor_div(&mut self, a: NodeId, b: Sint) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    pub fn modulo(&mut self, a: NodeId, b: Sint) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    /// Python's `a < b` (an unsimplified comparison, folded where its bounds decide it).
    pub fn less(&mut self, a: NodeId, b: Sint) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    /// 0.9.0's create_lt_node / create_ge_node.
    pub fn create_less(&mut self, a: NodeId, b: Sint) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    pub fn create_at_least(&mut self, a: NodeId, b: Sint) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    pub fn ands(&mut self, terms: &[NodeId]) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    /// Each pair: a Variable node and its replacement (a number or a variable).
    pub fn substitute(&mut self, id: NodeId, replacements: &[(NodeId, NodeId)]) -> Result<NodeId, SymbolicError> {
        unimplemented!()
    }
    /// The Variable nodes below `id`, each once.
    pub fn variables(&mut self, id: NodeId) -> SmallVec<[NodeId; 4]> {
        unimplemented!()
    }
    pub fn contains(&self, id: NodeId, variable: NodeId) -> bool {
        unimplemented!()
    }
    /// 0.9.0's rendering (sorted sums): `((x*4)+y)`.
    pub fn render(&self, id: NodeId) -> String {
        unimplemented!()
    }
    pub fn render_sint(&self, value: Sint) -> String {
        unimplemented!()
    }
    /// The value under bindings of every variable, by name; None where one is unbound.
    pub fn evaluate(&self, id: NodeId, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        unimplemented!()
    }
    // arithmetic on Sint, for shapes (plain i64, checked, where both are numbers)
    pub fn sint_add(&mut self, a: Sint, b: Sint) -> Result<Sint, SymbolicError> {
        unimplemented!()
    }
    pub fn sint_sub(&mut self, a: Sint, b: Sint) -> Result<Sint, SymbolicError> {
        unimplemented!()
    }
    pub fn sint_mul(&mut self, a: Sint, b: Sint) -> Result<Sint, SymbolicError> {
        unimplemented!()
    }
    pub fn sint_floor_div(&mut self, a: Sint, b: Sint) -> Result<Sint, SymbolicError> {
        unimplemented!()
    }
    pub fn sint_mod(&mut self, a: Sint, b: Sint) -> Result<Sint, SymbolicError> {
        unimplemented!()
    }
}
/// `plumb sym`: ranges `x[0,9] y[0,3]` and an expression (FORMATS.md §3); answers `(x%3) min=0 max=2`.
pub fn simplify_text(ranges: &str, expression: &str, rules: &Rules) -> Result<String, ExpressionError> {
    unimplemented!()
}
/// What is wrong with the text given to `plumb sym`: where (byte column, from 1) and what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct ExpressionError {
    pub column: usize,
    pub message: String,
}
