//! From a graph to a list: an order in which the uops can be executed, with the ends of loops and ifs.
//!
//! Uops are taken as they become ready, those of open loops first and loops last, as 0.9.0 does. Unlike there, loops
//! end in the reverse of the order in which they were opened (known fault N38), and nothing that comes after a loop is
//! placed before its end.

use super::arena::UopArena;
use super::compare::Comparison;
use super::loops::LoopTable;
use super::subgraph::Subgraph;
use super::{Uop, UopArg, UopError, UopId, UopKind, UopList};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Orders what `roots` need. An IF as the last source of a store only says that the store belongs in it, and is taken
/// out.
///
/// # Errors
/// [`UopError::Order`] where a value computed after a loop is needed within it.
pub(super) fn order(mut arena: UopArena, roots: &[UopId]) -> Result<UopList, UopError> {
    let entries = {
        let graph = Subgraph::new(&arena, roots);
        let scopes = Scopes::new(&graph);
        let comparison = Comparison::new(&graph);
        Schedule::new(&graph, &scopes, &comparison).run()?
    };
    let mut position = vec![UopId(0); arena.len()];
    for (place, entry) in (0..).zip(&entries) {
        if let Entry::Uop(id) = entry {
            position[id.index()] = UopId(place);
        }
    }
    let is_if: Vec<bool> = (0..arena.len()).map(|id| arena.get(UopId(id as u32)).kind == UopKind::If).collect();
    let uops = entries.into_iter().map(|entry| match entry {
        Entry::Uop(id) => {
            let mut uop = arena.take(id);
            if uop.kind == UopKind::Store && uop.sources.last().is_some_and(|&last| is_if[last.index()]) {
                // It was there for the order alone.
                uop.sources.pop();
            }
            uop.sources.iter_mut().for_each(|source| *source = position[source.index()]);
            uop
        }
        Entry::End(kind, of) => {
            Uop { kind, dtype: None, sources: SmallVec::from_slice(&[position[of.index()]]), arg: UopArg::None }
        }
    });
    Ok(UopList { uops: uops.collect() })
}

/// An entry of the list to be.
#[derive(Clone, Copy)]
enum Entry {
    Uop(UopId),
    /// The end of a loop or an if.
    End(UopKind, UopId),
}

/// Where each node stands to the loops.
struct Scopes {
    /// For each loop: by how much its nodes are preferred.
    weights: Vec<i64>,
    /// The number of the loop that a node opens.
    opens: Vec<Option<usize>>,
    /// The loops that 0.9.0 counts a node to: those that it depends on other than through the result of a reduction.
    preferred: LoopTable,
    /// The loops that a node must be in.
    inside: LoopTable,
    /// The loops that must have ended before a node, as it depends on what they accumulate.
    after: LoopTable,
}

impl Scopes {
    fn new(graph: &Subgraph<'_>) -> Scopes {
        let (count, loops) = (graph.nodes.len(), graph.loops.len());
        let table = || LoopTable::new(count, loops);
        let (mut preferred, mut inside, mut after) = (table(), table(), table());
        let mut opens = vec![None; count];
        for (number, &node) in graph.loops.iter().enumerate() {
            opens[node] = Some(number);
        }
        for node in 0..count {
            for source in graph.sources(node) {
                let ended = accumulated_over(graph, &opens, source);
                after.unite(node, source, &[]);
                inside.unite(node, source, &ended);
                for number in ended {
                    after.insert(node, number);
                }
                if graph.uop(source).kind != UopKind::Phi {
                    preferred.unite(node, source, &[]);
                }
                if let Some(number) = opens[source] {
                    preferred.insert(node, number);
                    inside.insert(node, number);
                }
            }
        }
        let weight = |&node: &usize| match graph.uop(node).arg {
            UopArg::Range { depth, number } => i64::from(depth) * 1000 + i64::from(number),
            _ => 0,
        };
        Scopes { weights: graph.loops.iter().map(weight).collect(), opens, preferred, inside, after }
    }

    /// How much a node that is ready is preferred to others.
    fn weight(&self, node: usize) -> i64 {
        self.preferred.row(node).map(|number| self.weights[number]).sum()
    }
}

/// The loops over which the value of a node, if it is a PHI, is accumulated: what uses it comes after them.
fn accumulated_over(graph: &Subgraph<'_>, opens: &[Option<usize>], node: usize) -> SmallVec<[usize; 4]> {
    let mut node = node;
    if graph.uop(node).kind != UopKind::Phi {
        return SmallVec::new();
    }
    while let UopKind::Phi | UopKind::Gep | UopKind::Cast = graph.uop(node).kind
        && let Some(accumulator) = graph.sources(node).next()
    {
        node = accumulator;
    }
    match graph.uop(node).kind {
        UopKind::DefineAcc => graph.sources(node).filter_map(|source| opens[source]).collect(),
        _ => SmallVec::new(),
    }
}

/// A node whose sources are all placed.
struct Ready<'a> {
    weight: i64,
    node: usize,
    id: UopId,
    comparison: &'a Comparison<'a>,
}

impl Ord for Ready<'_> {
    /// The greatest is taken first: the most preferred, of those the least in the order of uops.
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.cmp(&other.weight).then_with(|| self.comparison.compare(other.id, self.id))
    }
}

impl PartialOrd for Ready<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ready<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ready<'_> {}

/// What is placed.
#[derive(Clone, Copy)]
enum Step {
    Node(usize),
    /// The end of a loop.
    End(usize),
}

/// The list in the making.
struct Schedule<'a> {
    graph: &'a Subgraph<'a>,
    scopes: &'a Scopes,
    comparison: &'a Comparison<'a>,
    steps: Vec<Step>,
    /// For each node: how many of its sources are not placed.
    missing: Vec<u32>,
    ready: BinaryHeap<Ready<'a>>,
    /// Nodes that are ready but come after a loop that is still open.
    parked: Vec<usize>,
    /// The open loops, outermost first.
    open: Vec<usize>,
    is_open: Vec<bool>,
    /// For each loop: how many of the nodes in it are not placed.
    remaining: Vec<usize>,
    /// For each loop: when it was opened.
    opened_at: Vec<usize>,
    /// For each loop: the accumulators that stand right before it.
    accumulators: Vec<Vec<usize>>,
}

impl<'a> Schedule<'a> {
    fn new(graph: &'a Subgraph<'a>, scopes: &'a Scopes, comparison: &'a Comparison<'a>) -> Schedule<'a> {
        let (count, loops) = (graph.nodes.len(), graph.loops.len());
        let mut remaining = vec![0; loops];
        for node in 0..count {
            scopes.inside.row(node).for_each(|number| remaining[number] += 1);
        }
        Schedule {
            graph,
            scopes,
            comparison,
            steps: Vec::with_capacity(count + loops),
            missing: (0..count).map(|node| graph.uop(node).sources.len() as u32).collect(),
            ready: BinaryHeap::new(),
            parked: Vec::new(),
            open: Vec::new(),
            is_open: vec![false; loops],
            remaining,
            opened_at: vec![0; loops],
            accumulators: vec![Vec::new(); loops],
        }
    }

    fn run(mut self) -> Result<Vec<Entry>, UopError> {
        for node in 0..self.graph.nodes.len() {
            if self.missing[node] == 0 {
                self.push(node);
            }
        }
        while let Some(Ready { node, .. }) = self.ready.pop() {
            if self.scopes.after.row(node).any(|number| self.is_open[number]) {
                self.parked.push(node);
                continue;
            }
            self.place(node);
            self.close_loops();
            for &user in self.graph.users(node) {
                self.missing[user as usize] -= 1;
                if self.missing[user as usize] == 0 {
                    self.push(user as usize);
                }
            }
        }
        match self.parked.first() {
            Some(&node) => Err(UopError::Order {
                position: self.steps.len(),
                text: super::text::line(self.graph.uop(node), None),
                reason: "uses within a loop what that loop accumulates".into(),
            }),
            None => Ok(self.entries()),
        }
    }

    fn push(&mut self, node: usize) {
        let (weight, id) = (self.scopes.weight(node), self.graph.nodes[node]);
        self.ready.push(Ready { weight, node, id, comparison: self.comparison });
    }

    fn place(&mut self, node: usize) {
        let uop = self.graph.uop(node);
        let loops = self.graph.sources(node).filter_map(|source| self.scopes.opens[source]);
        match uop.kind {
            UopKind::DefineAcc if !uop.sources.is_empty() => {
                let outermost = loops.min_by_key(|&number| self.opened_at[number]);
                match outermost {
                    Some(outermost) => self.accumulators[outermost].push(node),
                    None => self.steps.push(Step::Node(node)),
                }
            }
            _ => self.steps.push(Step::Node(node)),
        }
        if let Some(number) = self.scopes.opens[node] {
            self.opened_at[number] = self.steps.len();
            self.is_open[number] = true;
            self.open.push(number);
        }
        for number in self.scopes.inside.row(node) {
            self.remaining[number] -= 1;
        }
    }

    /// Ends the innermost loops that all nodes are placed of. A loop with others open in it waits for those.
    fn close_loops(&mut self) {
        while let Some(&number) = self.open.last()
            && self.remaining[number] == 0
        {
            self.open.pop();
            self.is_open[number] = false;
            self.steps.push(Step::End(number));
            for node in std::mem::take(&mut self.parked) {
                self.push(node);
            }
        }
    }

    /// The entries of the list: accumulators before their loops, the ends of ifs last.
    fn entries(&self) -> Vec<Entry> {
        let Schedule { graph, scopes, .. } = self;
        let mut entries = Vec::with_capacity(graph.nodes.len() + graph.loops.len() + graph.ifs.len());
        for &step in &self.steps {
            match step {
                Step::Node(node) => {
                    let before = scopes.opens[node].map_or(&[][..], |number| &self.accumulators[number]);
                    entries.extend(before.iter().chain([&node]).map(|&node| Entry::Uop(graph.nodes[node])));
                }
                Step::End(number) => entries.push(Entry::End(UopKind::EndRange, graph.nodes[graph.loops[number]])),
            }
        }
        entries.extend(graph.ifs.iter().rev().map(|&node| Entry::End(UopKind::EndIf, graph.nodes[node])));
        entries
    }
}
