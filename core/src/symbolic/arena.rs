//! Storage of index expressions: each distinct node once, with what is known about it.

use super::bounds::Bounds;
use super::node::{Node, NodeId, Sint, Variable};
use super::{Result, SymbolicError, SymbolicRule};
use crate::rule::{Firings, Rules, State};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Deeper expressions are refused, so that walks over them may recurse. Real kernels stay below 30.
const MAX_DEPTH: u16 = 400;

/// Room for so many nodes is made at once: most kernels'.
const FIRST: usize = 112;

/// Numbers below this are found without a search.
const SMALL: usize = 64;

/// The nodes of small numbers that were entered.
#[derive(Clone, Debug)]
struct SmallNumbers([Option<NodeId>; SMALL]);

impl Default for SmallNumbers {
    fn default() -> SmallNumbers {
        SmallNumbers([None; SMALL])
    }
}

/// The nodes of one lowering, hash-consed.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    rules: Rules,
    firings: Firings,
    entries: Vec<Entry>,
    ids: HashTable<NodeId>,
    small_numbers: SmallNumbers,
    variables: Vec<Variable>,
    variable_ids: HashTable<u32>,
    /// The node of each variable.
    variable_nodes: Vec<NodeId>,
    /// The variable over each axis of each size, by which views are asked for their index expressions.
    pub(crate) axis_variables: FxHashMap<(usize, Sint), NodeId>,
    /// Operations on sums that were done before. 0.9.0 remembers these too, and answers with the terms in the order of the
    /// first time, whatever the order now.
    pub(super) memo: FxHashMap<MemoKey, NodeId>,
}

/// A node and what was computed when it was entered.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) node: Node,
    pub(super) bounds: Bounds,
    /// Equal for nodes that are the same up to the order of terms.
    hash: u64,
    /// The first node entered that is the same up to the order of terms.
    pub(super) class: NodeId,
    /// What the node becomes when it is built anew with nothing replaced, once that was asked.
    pub(super) rebuilt: Option<NodeId>,
    /// Bit `number % 64` of each variable below.
    pub(super) variables: u64,
    /// Nodes of the expression written out as a tree, at most `u32::MAX`.
    pub(super) size: u32,
    depth: u16,
}

impl Entry {
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }
}

/// An operation on a sum: the canonical node, the canonical operand, a number for the operation.
pub(super) type MemoKey = (NodeId, Sint, u8);

/// Scrambles `value` into `hash`.
fn mix(hash: u64, value: u64) -> u64 {
    const FACTOR: u64 = 0xf135_7aea_2e62_a9c5;
    let mixed = (hash.rotate_left(23) ^ value).wrapping_mul(FACTOR);
    mixed ^ (mixed >> 32)
}

fn variable_hash(name: &str, min: i64, max: Sint, value: Option<i64>) -> u64 {
    let mut hasher = FxHasher::default();
    (name, min, max, value).hash(&mut hasher);
    mix(hasher.finish(), 0)
}

impl Arena {
    /// An empty arena that simplifies by `rules`.
    pub fn new(rules: Rules) -> Arena {
        Arena { rules, ..Arena::default() }
    }

    /// The rules that it simplifies by.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Simplifies by `rules` from now on. Nodes that exist stay.
    pub fn set_rules(&mut self, rules: Rules) {
        if self.rules != rules {
            self.rules = rules;
            self.memo.clear();
            self.entries.iter_mut().for_each(|entry| entry.rebuilt = None);
        }
    }

    /// How often each rule fired.
    pub fn firings(&self) -> &Firings {
        &self.firings
    }

    /// The counts of firings, for other tables' rules to be counted along.
    pub fn firings_mut(&mut self) -> &mut Firings {
        &mut self.firings
    }

    /// Whether `rule` may fire.
    #[inline]
    pub(super) fn on(&self, rule: SymbolicRule) -> bool {
        self.rules.is_on(rule)
    }

    /// Whether `rule` has its planted fault.
    #[inline]
    pub(super) fn altered(&self, rule: SymbolicRule) -> bool {
        self.rules.state(rule) == State::Altered
    }

    /// Counts a firing of `rule`.
    #[inline]
    pub(super) fn fired(&mut self, rule: SymbolicRule) {
        self.firings.count(rule);
    }

    /// Remembers the result of an operation on a sum.
    pub(super) fn remember(&mut self, key: MemoKey, result: NodeId) {
        if self.memo.is_empty() {
            self.memo.reserve(FIRST / 4);
        }
        self.memo.insert(key, result);
    }

    #[inline]
    pub(super) fn entry_mut(&mut self, id: NodeId) -> &mut Entry {
        &mut self.entries[id.0 as usize]
    }

    #[inline]
    pub(super) fn entry(&self, id: NodeId) -> &Entry {
        &self.entries[id.0 as usize]
    }

    /// What `id` is. Ids belong to the arena that gave them out.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.entry(id).node
    }

    /// Number of distinct nodes.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The node of a number.
    pub fn number(&mut self, value: i64) -> NodeId {
        let small = usize::try_from(value).ok().filter(|&value| value < SMALL);
        if let Some(value) = small
            && let Some(id) = self.small_numbers.0[value]
        {
            return id;
        }
        let node = Node::Number(value);
        let hash = self.hash(&node);
        let id = match self.find(hash, &node) {
            Some(id) => id,
            None => self.push(node, hash, Bounds::exactly(value)),
        };
        if let Some(value) = small {
            self.small_numbers.0[value] = Some(id);
        }
        id
    }

    /// The node of a dimension or the like: a number becomes a [`Node::Number`].
    pub fn lift(&mut self, value: Sint) -> NodeId {
        match value {
            Sint::Int(value) => self.number(value),
            Sint::Node(id) => id,
        }
    }

    /// The other way: a [`Node::Number`] becomes [`Sint::Int`].
    pub fn lower(&self, id: NodeId) -> Sint {
        match self.node(id) {
            Node::Number(value) => Sint::Int(*value),
            _ => Sint::Node(id),
        }
    }

    /// `value` with a [`Node::Number`] replaced by its number.
    pub(super) fn plain(&self, value: Sint) -> Sint {
        match value {
            Sint::Int(_) => value,
            Sint::Node(id) => self.lower(id),
        }
    }

    /// The variable `name` from `min` to `max`, both inclusive; a number where they are equal.
    ///
    /// # Errors
    /// [`SymbolicError::Bounds`] where `min` is negative or certainly above `max`.
    pub fn variable(&mut self, name: &str, min: i64, max: Sint, value: Option<i64>) -> Result<NodeId> {
        let max = self.plain(max);
        let max_int = match max {
            Sint::Int(max) => max,
            Sint::Node(id) => self.max_int(id),
        };
        if min < 0 || min > max_int {
            return Err(SymbolicError::Bounds { name: name.to_owned(), min, max: max_int });
        }
        if max == Sint::Int(min) {
            return Ok(self.number(min));
        }
        let hash = variable_hash(name, min, max, value);
        let variables = &self.variables;
        let known = self.variable_ids.find(hash, |&number| {
            let known = &variables[number as usize];
            known.min == min && known.max == max && known.value == value && known.name == name
        });
        if let Some(&number) = known {
            return Ok(self.variable_nodes[number as usize]);
        }
        let number = self.variables.len() as u32;
        self.variables.push(Variable { name: name.to_owned(), min, max, value });
        let variables = &self.variables;
        self.variable_ids.insert_unique(hash, number, |&number| {
            let known = &variables[number as usize];
            variable_hash(&known.name, known.min, known.max, known.value)
        });
        let node = Node::Variable(number);
        let hash = self.hash(&node);
        let id = self.push(node, hash, Bounds { min, max, max_int });
        self.variable_nodes.push(id);
        Ok(id)
    }

    /// A variable's name, bounds and value, by the number in [`Node::Variable`].
    pub fn variable_info(&self, number: u32) -> &Variable {
        &self.variables[number as usize]
    }

    /// The node of a variable, by the number in [`Node::Variable`].
    pub(super) fn variable_node(&self, number: u32) -> NodeId {
        self.variable_nodes[number as usize]
    }

    /// Whether [`Entry::variables`] has a bit for each variable of its own.
    pub(super) fn has_few_variables(&self) -> bool {
        self.variables.len() <= 64
    }

    /// Smallest value that the node can have.
    #[inline]
    pub fn min(&self, id: NodeId) -> i64 {
        self.entry(id).bounds.min
    }

    /// Largest value that the node can have; symbolic where it depends on a variable's symbolic bound.
    #[inline]
    pub fn max(&self, id: NodeId) -> Sint {
        self.entry(id).bounds.max
    }

    /// The largest number that [`Arena::max`] can be.
    #[inline]
    pub fn max_int(&self, id: NodeId) -> i64 {
        self.entry(id).bounds.max_int
    }

    /// Whether the node is 0 for certain.
    pub(super) fn is_zero(&self, id: NodeId) -> bool {
        let bounds = &self.entry(id).bounds;
        bounds.min == 0 && bounds.max == Sint::Int(0)
    }

    /// Hash of `node`, independent of the order of terms.
    fn hash(&self, node: &Node) -> u64 {
        let of = |id: NodeId| self.entries[id.0 as usize].hash;
        let sint = |value: Sint| match value {
            Sint::Int(value) => mix(1, value as u64),
            Sint::Node(id) => of(id),
        };
        let all = |terms: &[NodeId]| terms.iter().fold(0u64, |hash, &id| hash.wrapping_add(mix(of(id), 9)));
        match node {
            Node::Number(value) => mix(1, *value as u64),
            Node::Variable(number) => mix(2, u64::from(*number)),
            // Two variables multiplied are the same either way round.
            Node::Mul(a, Sint::Node(b)) => mix(of(*a).wrapping_add(of(*b)), 3),
            Node::Mul(a, b) => mix(mix(of(*a), sint(*b)), 3),
            Node::Div(a, b) => mix(mix(of(*a), *b as u64), 4),
            Node::Mod(a, b) => mix(mix(of(*a), *b as u64), 5),
            Node::Less(a, b) => mix(mix(of(*a), sint(*b)), 6),
            Node::Sum(terms) => mix(all(terms), 7),
            Node::And(terms) => mix(all(terms), 8),
        }
    }

    fn find(&self, hash: u64, node: &Node) -> Option<NodeId> {
        let equal = |id: &NodeId| {
            let entry = &self.entries[id.0 as usize];
            entry.hash == hash && entry.node == *node
        };
        self.ids.find(hash, equal).copied()
    }

    fn push(&mut self, node: Node, hash: u64, bounds: Bounds) -> NodeId {
        let (mut variables, mut size, mut depth) = (0u64, 1u32, 0u16);
        if let Node::Variable(number) = node {
            variables = 1 << (number % 64);
        }
        for_each_child(&node, |child| {
            let child = &self.entries[child.0 as usize];
            variables |= child.variables;
            size = size.saturating_add(child.size);
            depth = depth.max(child.depth.saturating_add(1));
        });
        let id = NodeId(self.entries.len() as u32);
        if self.entries.is_empty() {
            self.entries.reserve(FIRST);
            let entries = &self.entries;
            self.ids.reserve(FIRST, |id| entries[id.0 as usize].hash);
        }
        self.entries.push(Entry { node, bounds, hash, class: id, rebuilt: None, variables, size, depth });
        if let Some(&known) = self.ids.find(hash, |&known| self.same_structure(known, id)) {
            self.entries[id.0 as usize].class = self.entries[known.0 as usize].class;
        }
        let entries = &self.entries;
        self.ids.insert_unique(hash, id, |id| entries[id.0 as usize].hash);
        id
    }

    /// Enters `node`, without folding it.
    pub(super) fn intern(&mut self, node: Node) -> Result<NodeId> {
        let hash = self.hash(&node);
        if let Some(id) = self.find(hash, &node) {
            return Ok(id);
        }
        let bounds = self.bounds(&node)?;
        self.enter(node, hash, bounds)
    }

    /// Enters `node`, or the number that it is where its bounds are equal.
    pub(super) fn create(&mut self, node: Node) -> Result<NodeId> {
        let hash = self.hash(&node);
        if let Some(id) = self.find(hash, &node) {
            return Ok(id);
        }
        let bounds = self.bounds(&node)?;
        if Sint::Int(bounds.min) == bounds.max && self.on(SymbolicRule::Constant) {
            self.fired(SymbolicRule::Constant);
            return Ok(self.number(bounds.min));
        }
        self.enter(node, hash, bounds)
    }

    fn enter(&mut self, node: Node, hash: u64, bounds: Bounds) -> Result<NodeId> {
        let mut depth = 0;
        for_each_child(&node, |child| depth = depth.max(self.entries[child.0 as usize].depth));
        if depth >= MAX_DEPTH {
            return Err(SymbolicError::Unsupported(format!("an expression nested more than {MAX_DEPTH} deep")));
        }
        // A symbolic bound may have entered nodes, perhaps this one.
        Ok(self.find(hash, &node).unwrap_or_else(|| self.push(node, hash, bounds)))
    }
}

/// Calls `visit` with each node directly below `node`.
pub(super) fn for_each_child(node: &Node, mut visit: impl FnMut(NodeId)) {
    match node {
        Node::Number(_) | Node::Variable(_) => {}
        Node::Mul(a, b) | Node::Less(a, b) => {
            visit(*a);
            if let Sint::Node(b) = b {
                visit(*b);
            }
        }
        Node::Div(a, _) | Node::Mod(a, _) => visit(*a),
        Node::Sum(terms) | Node::And(terms) => terms.iter().for_each(|&term| visit(term)),
    }
}
