//! Expressions as text, as tinygrad 0.9.0 writes them.

use super::{Arena, Node, NodeId, Sint};
use std::fmt::Write;

/// Expressions above this size are not written out in messages.
const DESCRIBED: u32 = 200;

impl Arena {
    /// 0.9.0's rendering: `((x*4)+y)`. Terms of sums and conjunctions are sorted as text, so nodes that are the
    /// [`same`](Arena::same) read alike.
    ///
    /// The text may be exponentially longer than the expression takes in the arena.
    pub fn render(&self, id: NodeId) -> String {
        let mut text = String::new();
        self.write(id, &mut text);
        text
    }

    /// A number, or a node's [rendering](Arena::render).
    pub fn render_sint(&self, value: Sint) -> String {
        match value {
            Sint::Int(value) => value.to_string(),
            Sint::Node(id) => self.render(id),
        }
    }

    /// The rendering for a message: short, whatever the expression.
    pub(crate) fn describe(&self, id: NodeId) -> String {
        match self.entry(id).size {
            size if size > DESCRIBED => format!("(an expression of {size} nodes)"),
            _ => self.render(id),
        }
    }

    /// As [`Arena::describe`], of a dimension.
    pub(crate) fn describe_sint(&self, value: Sint) -> String {
        match value {
            Sint::Int(value) => value.to_string(),
            Sint::Node(id) => self.describe(id),
        }
    }

    fn write(&self, id: NodeId, text: &mut String) {
        match self.node(id) {
            Node::Number(value) => write_number(*value, text),
            Node::Variable(number) => text.push_str(self.variable_info(*number).shown()),
            Node::Mul(a, Sint::Node(b)) if self.is_named_before(*b, *a) => {
                self.write_pair(*b, "*", Sint::Node(*a), text)
            }
            Node::Mul(a, b) => self.write_pair(*a, "*", *b, text),
            Node::Div(a, b) => self.write_pair(*a, "//", Sint::Int(*b), text),
            Node::Mod(a, b) => self.write_pair(*a, "%", Sint::Int(*b), text),
            Node::Less(a, b) => self.write_pair(*a, "<", *b, text),
            Node::Sum(terms) => self.write_sorted(terms, "+", text),
            Node::And(terms) => self.write_sorted(terms, " and ", text),
        }
    }

    /// Whether both are variables, and `a` comes first in the alphabet.
    fn is_named_before(&self, a: NodeId, b: NodeId) -> bool {
        match (self.node(a), self.node(b)) {
            (Node::Variable(a), Node::Variable(b)) => {
                let (a, b) = (self.variable_info(*a).shown(), self.variable_info(*b).shown());
                !a.is_empty() && a < b
            }
            _ => false,
        }
    }

    fn write_pair(&self, a: NodeId, operator: &str, b: Sint, text: &mut String) {
        text.push('(');
        self.write(a, text);
        text.push_str(operator);
        match b {
            Sint::Int(b) => write_number(b, text),
            Sint::Node(b) => self.write(b, text),
        }
        text.push(')');
    }

    fn write_sorted(&self, terms: &[NodeId], separator: &str, text: &mut String) {
        let mut written: Vec<String> = terms.iter().map(|&term| self.render(term)).collect();
        written.sort_unstable();
        text.push('(');
        text.push_str(&written.join(separator));
        text.push(')');
    }
}

fn write_number(value: i64, text: &mut String) {
    // Writing to a String can't fail.
    let _ = write!(text, "{value}");
}
