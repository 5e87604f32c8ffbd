//! A question in a form of its own, apart from the kernel it comes from: variables are numbered in the order in which
//! they occur, so that equal questions of different kernels are one.

use super::forms::{Atom, AtomId, FormId, Forms};
use super::gate::Gate;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A node of a question; operands are numbers of earlier nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A variable, by its place in [`Question::ranges`].
    Variable(u32),
    /// A constant plus multiples of nodes.
    Linear(i64, Vec<(u32, i64)>),
    /// A quotient rounded down; the divisor is positive.
    Quotient(u32, i64),
    /// A quotient rounded towards zero; the divisor is positive.
    Truncated(u32, i64),
}

/// A conjunction of nodes that are at least zero, or `None`: what never holds.
pub(super) type Conjunction = Option<Vec<u32>>;

/// Whether, for all values of the variables, two conjunctions hold or do not hold alike and, where they do, a
/// difference is zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    /// Inclusive ranges of the variables.
    pub(super) ranges: Vec<(i64, i64)>,
    /// The nodes.
    pub(super) nodes: Vec<Node>,
    /// The difference.
    pub(super) difference: u32,
    /// The conjunctions.
    pub(super) sides: [Conjunction; 2],
}

/// A gate as a side of a question.
pub(super) struct Side<'a>(&'a Gate);

impl<'a> From<&'a Gate> for Side<'a> {
    fn from(gate: &'a Gate) -> Side<'a> {
        Side(gate)
    }
}

/// A question, and which variable of the kernel each of its own is.
pub(super) struct Asked {
    /// The question.
    pub(super) question: Question,
    /// Numbers of variables.
    pub(super) variables: Vec<u32>,
}

struct Builder<'a> {
    forms: &'a Forms,
    asked: Asked,
    linear: FxHashMap<FormId, u32>,
    atoms: FxHashMap<AtomId, u32>,
}

impl Builder<'_> {
    fn push(&mut self, node: Node) -> u32 {
        self.asked.question.nodes.push(node);
        self.asked.question.nodes.len() as u32 - 1
    }

    /// The node of a form, after those of what it is made of; a stack of its own, as quotients nest.
    fn form(&mut self, root: FormId) -> u32 {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.linear.contains_key(&id) {
                stack.pop();
                continue;
            }
            let form = self.forms.form(id);
            let before = stack.len();
            for &(atom, _) in &form.terms {
                if let Atom::Quotient(inner, _) | Atom::Truncated(inner, _) = self.forms.atom_info(atom).0
                    && !self.linear.contains_key(&inner)
                {
                    stack.push(inner);
                }
            }
            if stack.len() > before {
                continue;
            }
            let terms = form.terms.clone().into_iter().map(|(atom, c)| (self.atom(atom), c)).collect();
            let constant = form.constant;
            let node = self.push(Node::Linear(constant, terms));
            self.linear.insert(id, node);
            stack.pop();
        }
        self.linear[&root]
    }

    fn atom(&mut self, atom: AtomId) -> u32 {
        if let Some(&node) = self.atoms.get(&atom) {
            return node;
        }
        let (kind, bounds) = self.forms.atom_info(atom);
        let node = match kind {
            Atom::Variable(number) => {
                self.asked.variables.push(number);
                self.asked.question.ranges.push(bounds);
                Node::Variable(self.asked.variables.len() as u32 - 1)
            }
            Atom::Quotient(inner, d) => Node::Quotient(self.linear[&inner], d),
            Atom::Truncated(inner, d) => Node::Truncated(self.linear[&inner], d),
        };
        let node = self.push(node);
        self.atoms.insert(atom, node);
        node
    }
}

impl Question {
    /// The question whether `a` and `b` hold alike and `difference` is zero where they do.
    pub(super) fn between(forms: &Forms, difference: FormId, a: Side<'_>, b: Side<'_>) -> Asked {
        let question =
            Question { ranges: Vec::new(), nodes: Vec::new(), difference: 0, sides: [Some(Vec::new()), None] };
        let asked = Asked { question, variables: Vec::new() };
        let mut builder = Builder { forms, asked, linear: FxHashMap::default(), atoms: FxHashMap::default() };
        builder.asked.question.difference = builder.form(difference);
        for (place, side) in [a, b].into_iter().enumerate() {
            let nodes = side.0.forms.iter().map(|&form| builder.form(form)).collect();
            builder.asked.question.sides[place] = (!side.0.never).then_some(nodes);
        }
        builder.asked
    }

    /// Number of points of the domain, where it fits.
    pub(super) fn points(&self) -> Option<u64> {
        self.ranges.iter().try_fold(1u64, |points, (low, high)| {
            points.checked_mul(u64::try_from(high.checked_sub(*low)?.checked_add(1)?).ok()?)
        })
    }

    /// Whether it holds for these values; `values` has room for one number for each node.
    pub(super) fn holds(&self, variables: &[i64], values: &mut Vec<i64>) -> Option<bool> {
        values.clear();
        for node in &self.nodes {
            values.push(match node {
                Node::Variable(place) => *variables.get(*place as usize)?,
                Node::Linear(constant, terms) => {
                    let mut sum = *constant;
                    for &(node, c) in terms {
                        sum = sum.checked_add(values.get(node as usize)?.checked_mul(c)?)?;
                    }
                    sum
                }
                Node::Quotient(node, d) => values.get(*node as usize)?.div_euclid(*d),
                Node::Truncated(node, d) => values.get(*node as usize)? / d,
            });
        }
        let side = |side: &Conjunction| match side {
            Some(nodes) => nodes.iter().all(|&node| values.get(node as usize).is_some_and(|&value| value >= 0)),
            None => false,
        };
        let (a, b) = (side(&self.sides[0]), side(&self.sides[1]));
        Some(a == b && (!a || *values.get(self.difference as usize)? == 0))
    }

    /// The question as a text: equal questions have equal texts, different ones different texts.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (low, high) in &self.ranges {
            let _ = write!(text, "{low}..{high} ");
        }
        for node in &self.nodes {
            let _ = match node {
                Node::Variable(place) => write!(text, ";v{place}"),
                Node::Linear(constant, terms) => {
                    let _ = write!(text, ";{constant}");
                    for (node, c) in terms {
                        let _ = write!(text, "+{c}*{node}");
                    }
                    Ok(())
                }
                Node::Quotient(node, d) => write!(text, ";{node}//{d}"),
                Node::Truncated(node, d) => write!(text, ";{node}/{d}"),
            };
        }
        let _ = write!(text, ";={}", self.difference);
        for side in &self.sides {
            match side {
                Some(nodes) => {
                    let _ = write!(text, "&{nodes:?}");
                }
                None => text.push_str("&never"),
            }
        }
        text
    }

    /// The contrary as SMT-LIB: satisfiable exactly where the question's answer is no.
    pub(super) fn smt(&self) -> String {
        let mut text = String::new();
        for (place, (low, high)) in self.ranges.iter().enumerate() {
            let _ = writeln!(text, "(declare-const v{place} Int)");
            let _ = writeln!(text, "(assert (and (<= {} v{place}) (<= v{place} {})))", number(*low), number(*high));
        }
        for (place, node) in self.nodes.iter().enumerate() {
            let _ = write!(text, "(define-fun n{place} () Int ");
            let _ = match node {
                Node::Variable(variable) => write!(text, "v{variable}"),
                Node::Linear(constant, terms) => {
                    let _ = write!(text, "(+ 0 {}", number(*constant));
                    for (node, c) in terms {
                        let _ = write!(text, " (* {} n{node})", number(*c));
                    }
                    write!(text, ")")
                }
                Node::Quotient(node, d) => write!(text, "(div n{node} {d})"),
                Node::Truncated(node, d) => {
                    write!(text, "(ite (>= n{node} 0) (div n{node} {d}) (- (div (- n{node}) {d})))")
                }
            };
            text.push_str(")\n");
        }
        for (place, side) in self.sides.iter().enumerate() {
            let _ = write!(text, "(define-fun s{place} () Bool ");
            match side {
                Some(nodes) => {
                    text.push_str("(and true");
                    for node in nodes {
                        let _ = write!(text, " (>= n{node} 0)");
                    }
                    text.push(')');
                }
                None => text.push_str("false"),
            }
            text.push_str(")\n");
        }
        let _ = writeln!(text, "(assert (not (and (= s0 s1) (=> s0 (= n{} 0)))))", self.difference);
        text
    }
}

fn number(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}
