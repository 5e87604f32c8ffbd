//! An expression for each combination of values of some of its variables.
//!
//! What each part is for the variables that it holds is worked out once, and combined: for a sum over two variables of
//! four values the terms are substituted eight times, not thirty-two. That is left where the order of substitutions decides
//! about the order of terms.

use super::arena::for_each_child;
use super::error::checked_add;
use super::substitute::PLAIN_WALK;
use super::sum::SumBase;
use super::{Arena, Node, NodeId, Result, Sint};
use smallvec::SmallVec;

/// A variable and the values that it takes: `size` of them, from `min` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Values {
    /// The variable's node.
    pub variable: NodeId,
    /// The first value.
    pub min: i64,
    /// How many values there are; at least 1.
    pub size: usize,
}

/// What an expression is for each combination of values of the variables that it holds.
struct Table {
    /// One for each combination; the first variable's value runs fastest.
    nodes: SmallVec<[NodeId; 8]>,
    /// For each variable how far its neighbouring values lie apart in `nodes`; 0 where it is not held.
    steps: Steps,
}

type Steps = SmallVec<[usize; 4]>;
type Terms = SmallVec<[NodeId; 8]>;
/// The parts of a sum that vary.
type Varying<'a> = SmallVec<[&'a Table; 4]>;

impl Table {
    /// The place of a combination, by the number of each variable's value.
    fn at(&self, digits: &[usize]) -> NodeId {
        let place: usize = self.steps.iter().zip(digits).map(|(step, digit)| step * digit).sum();
        self.nodes[place]
    }
}

impl Arena {
    /// `id` for each combination of values, the first variable's running fastest; each is what
    /// [`Arena::substitute`] makes of it.
    ///
    /// # Errors
    /// Those of the arithmetic that rebuilds the expression.
    pub fn substitute_each(&mut self, id: NodeId, values: &[Values]) -> Result<Vec<NodeId>> {
        let count = values.iter().map(|values| values.size).product();
        if self.entry(id).size > PLAIN_WALK || self.remembers_order(id, values) {
            return self.substitute_one_by_one(id, values, count);
        }
        let table = self.table(id, values)?;
        let mut digits: Steps = SmallVec::from_elem(0, values.len());
        let mut each = Vec::with_capacity(count);
        for _ in 0..count {
            each.push(table.at(&digits));
            advance(&mut digits, values);
        }
        Ok(each)
    }

    /// Whether substituting these variables meets operations on sums whose results are remembered, with the terms in the
    /// order of the first time: then the order of the substitutions decides.
    fn remembers_order(&self, id: NodeId, values: &[Values]) -> bool {
        if !values.iter().any(|values| self.contains(id, values.variable)) {
            return false;
        }
        match self.node(id) {
            Node::Div(..) | Node::Mod(..) => return true,
            Node::Mul(a, _) if matches!(self.node(*a), Node::Sum(_)) => return true,
            _ => {}
        }
        let mut found = false;
        for_each_child(self.node(id), |child| found = found || self.remembers_order(child, values));
        found
    }

    /// The same where the order counts, or for expressions whose parts may be shared by many: a table of each would take
    /// too long.
    fn substitute_one_by_one(&mut self, id: NodeId, values: &[Values], count: usize) -> Result<Vec<NodeId>> {
        let mut digits: Steps = SmallVec::from_elem(0, values.len());
        let mut each = Vec::with_capacity(count);
        for _ in 0..count {
            let mut replacements: SmallVec<[(NodeId, NodeId); 4]> = SmallVec::new();
            for (values, &digit) in values.iter().zip(&digits) {
                replacements.push((values.variable, self.number(values.min + digit as i64)));
            }
            each.push(self.substitute(id, &replacements)?);
            advance(&mut digits, values);
        }
        Ok(each)
    }

    fn table(&mut self, id: NodeId, values: &[Values]) -> Result<Table> {
        let mut steps: Steps = SmallVec::new();
        let mut count = 1;
        for values in values {
            let held = self.contains(id, values.variable);
            steps.push(if held { count } else { 0 });
            count *= if held { values.size } else { 1 };
        }
        let mut nodes: SmallVec<[NodeId; 8]> = SmallVec::with_capacity(count);
        if count == 1 && steps.iter().all(|&step| step == 0) {
            nodes.push(self.substitute(id, &[])?);
            return Ok(Table { nodes, steps });
        }
        if let Node::Variable(_) = self.node(id) {
            if let Some(values) = values.iter().find(|values| values.variable == id) {
                nodes.extend((0..values.size).map(|value| self.number(values.min + value as i64)));
            }
            return Ok(Table { nodes, steps });
        }
        let node = self.node(id).clone();
        let mut parts: SmallVec<[Table; 4]> = SmallVec::new();
        let mut children: Terms = SmallVec::new();
        for_each_child(&node, |child| children.push(child));
        for child in children {
            parts.push(self.table(child, values)?);
        }
        let held =
            |(values, &step): (&Values, &usize)| Values { size: if step == 0 { 1 } else { values.size }, ..*values };
        let held: SmallVec<[Values; 4]> = values.iter().zip(&steps).map(held).collect();
        let mut digits: Steps = SmallVec::from_elem(0, values.len());
        if let (Node::Sum(_), Some((base, varying))) = (&node, self.base_and_numbers(&parts)?) {
            for _ in 0..count {
                let mut number = 0;
                for part in &varying {
                    if let Node::Number(value) = *self.node(part.at(&digits)) {
                        number = checked_add(number, value)?;
                    }
                }
                nodes.push(self.add_to_base(&base, number)?);
                advance(&mut digits, &held);
            }
            return Ok(Table { nodes, steps });
        }
        let mut own: Terms = SmallVec::new();
        for _ in 0..count {
            own.clear();
            own.extend(parts.iter().map(|part| part.at(&digits)));
            nodes.push(self.rebuild(&node, &own)?);
            advance(&mut digits, &held);
        }
        Ok(Table { nodes, steps })
    }

    /// The sum of the parts that do not vary, and the parts that do, where these are numbers.
    fn base_and_numbers<'a>(&mut self, parts: &'a [Table]) -> Result<Option<(SumBase, Varying<'a>)>> {
        let mut fixed: Terms = SmallVec::new();
        let mut varying: Varying<'_> = SmallVec::new();
        for part in parts {
            match part.nodes[..] {
                [node] => fixed.push(node),
                _ if part.nodes.iter().all(|&node| matches!(self.node(node), Node::Number(_))) => varying.push(part),
                _ => return Ok(None),
            }
        }
        Ok(self.sum_base(&fixed)?.map(|base| (base, varying)))
    }

    /// `node` with these parts in place of its own.
    fn rebuild(&mut self, node: &Node, parts: &[NodeId]) -> Result<NodeId> {
        match (node, parts) {
            (Node::Mul(_, Sint::Node(_)), &[a, b]) => self.mul(a, Sint::Node(b)),
            (&Node::Mul(_, b), &[a]) => self.mul(a, b),
            (&Node::Div(_, b), &[a]) => self.floor_div(a, Sint::Int(b)),
            (&Node::Mod(_, b), &[a]) => self.modulo(a, Sint::Int(b)),
            (Node::Less(_, Sint::Node(_)), &[a, b]) => {
                let b = self.lower(b);
                self.create_less(a, b)
            }
            (&Node::Less(_, b), &[a]) => self.create_less(a, b),
            (Node::Sum(_), terms) => self.sum(terms),
            (Node::And(_), terms) => match terms.iter().any(|&term| self.is_zero(term)) {
                true => Ok(self.number(0)),
                false => self.ands(terms),
            },
            // Numbers and variables have no parts.
            (&Node::Number(value), _) => Ok(self.number(value)),
            (&Node::Mul(a, _) | &Node::Div(a, _) | &Node::Mod(a, _) | &Node::Less(a, _), _) => Ok(a),
            (&Node::Variable(number), _) => Ok(self.variable_node(number)),
        }
    }
}

/// The digits of the next combination.
fn advance(digits: &mut [usize], values: &[Values]) {
    for (digit, values) in digits.iter_mut().zip(values) {
        *digit += 1;
        if *digit < values.size {
            return;
        }
        *digit = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rules;

    /// What [`Arena::substitute`] makes of each combination, one by one.
    fn one_by_one(arena: &mut Arena, id: NodeId, values: &[Values]) -> Vec<NodeId> {
        let count = values.iter().map(|values| values.size).product();
        arena.substitute_one_by_one(id, values, count).expect("small numbers")
    }

    /// Sums whose terms cancel out, products, conjunctions and quotients come out as by plain substitution.
    #[test]
    fn each_is_what_substitution_makes_of_it() {
        let mut arena = Arena::new(Rules::default());
        let variables = ["a", "b", "x", "y"].map(|name| arena.variable(name, 0, Sint::Int(3), None).expect("bounds"));
        let [a, b, x, y] = variables;
        let values = [a, b].map(|variable| Values { variable, min: 0, size: 4 });
        let mut times = |node, factor| arena.mul(node, Sint::Int(factor)).expect("small numbers");
        let (scaled_x, scaled_a, scaled_b) = (times(x, 16), times(a, 4), times(b, -8));
        let minus = arena.number(-4);
        let sum = arena.sum(&[scaled_x, scaled_a, y, scaled_b, minus]).expect("small numbers");
        let alone = arena.sum(&[x, scaled_a, minus]).expect("small numbers");
        let below = arena.create_less(sum, Sint::Int(20)).expect("small numbers");
        let above = arena.create_at_least(alone, Sint::Int(1)).expect("small numbers");
        let both = arena.ands(&[below, above]).expect("small numbers");
        let rest = arena.modulo(alone, Sint::Int(5)).expect("small numbers");
        let product = arena.add(rest, sum).expect("small numbers");
        for id in [a, x, sum, alone, below, both, rest, product] {
            let each = arena.substitute_each(id, &values).expect("small numbers");
            assert_eq!(each, one_by_one(&mut arena, id, &values), "{}", arena.render(id));
        }
    }
}
