//! The value of an expression where those of its variables are known.

use super::error::{checked_div, checked_mod};
use super::substitute::PLAIN_WALK;
use super::{Arena, Node, NodeId, Sint};
use rustc_hash::FxHashMap;

/// Values by variable, and of what was evaluated before.
struct Evaluation<'a> {
    value: &'a dyn Fn(&str) -> Option<i64>,
    done: FxHashMap<NodeId, i64>,
}

impl Arena {
    /// The value of `id` under bindings of every variable, by name. None where a variable has no value (a bound one has its
    /// own), or a value leaves 64 bits.
    pub fn evaluate(&self, id: NodeId, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        self.value(id, &mut Evaluation { value, done: FxHashMap::default() })
    }

    fn value(&self, id: NodeId, evaluation: &mut Evaluation<'_>) -> Option<i64> {
        let entry = self.entry(id);
        let remembered = entry.size > PLAIN_WALK;
        if remembered && let Some(&value) = evaluation.done.get(&id) {
            return Some(value);
        }
        let value = match &entry.node {
            Node::Number(value) => *value,
            Node::Variable(number) => {
                let variable = self.variable_info(*number);
                (evaluation.value)(&variable.name).or(variable.value)?
            }
            Node::Mul(a, b) => self.value(*a, evaluation)?.checked_mul(self.sint_value(*b, evaluation)?)?,
            Node::Div(a, b) => checked_div(self.value(*a, evaluation)?, *b).ok()?,
            Node::Mod(a, b) => checked_mod(self.value(*a, evaluation)?, *b).ok()?,
            Node::Less(a, b) => i64::from(self.value(*a, evaluation)? < self.sint_value(*b, evaluation)?),
            Node::Sum(terms) => {
                let mut sum = 0i64;
                for &term in terms {
                    sum = sum.checked_add(self.value(term, evaluation)?)?;
                }
                sum
            }
            Node::And(terms) => {
                let mut all = true;
                for &term in terms {
                    all &= self.value(term, evaluation)? != 0;
                }
                i64::from(all)
            }
        };
        if remembered {
            evaluation.done.insert(id, value);
        }
        Some(value)
    }

    fn sint_value(&self, value: Sint, evaluation: &mut Evaluation<'_>) -> Option<i64> {
        match value {
            Sint::Int(value) => Some(value),
            Sint::Node(id) => self.value(id, evaluation),
        }
    }
}
