//! From a graph to a list: an order in which the uops can be executed, with the ends of loops and ifs.
//!
//! Uops are taken as they become ready, those of open loops first and loops last, as 0.9.0 does. Unlike there, loops
//! end in the reverse of the order in which they were opened (known fault N38), and nothing that comes after a loop is
//! placed before its end.

use super::arena::UopArena;
use super::compare::Comparison;
use super::nesting::Nesting;
use super::subgraph::Subgraph;
use super::workspace::OrderBuffers;
use super::{Uop, UopArg, UopError, UopId, UopKind, UopList};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Orders what `roots` need, whose uops it takes out of the arena. An IF as the last source of a store only says that the store belongs in it, and is taken
/// out.
///
/// # Errors
/// [`UopError::Order`] where a value computed after a loop is needed within it.
pub(super) fn order(arena: &mut UopArena, roots: &[UopId], buffers: &mut OrderBuffers) -> Result<UopList, UopError> {
    let OrderBuffers { graph, keys } = buffers;
    graph.fill(arena, roots);
    let graph = &*graph;
    let entries = {
        let nesting = Nesting::new(arena, graph);
        let comparison = Comparison::new(arena, graph, keys);
        Schedule::new(arena, graph, &nesting, &comparison).run()?
    };
    let mut position = vec![UopId(0); graph.nodes.len()];
    for (place, entry) in (0..).zip(&entries) {
        if let Entry::Node(node) = entry {
            position[*node] = UopId(place);
        }
    }
    let uops = entries.into_iter().map(|entry| match entry {
        Entry::Node(node) => {
            let mut uop = arena.take(graph.nodes[node]);
            let mut sources = graph.sources(node);
            if let (UopKind::Store, [before @ .., last]) = (uop.kind, sources)
                && graph.kinds[*last as usize] == UopKind::If
            {
                // It was there for the order alone.
                uop.sources.pop();
                sources = before;
            }
            uop.sources.iter_mut().zip(sources).for_each(|(source, &node)| *source = position[node as usize]);
            uop
        }
        Entry::End(kind, of) => {
            Uop { kind, dtype: None, sources: SmallVec::from_slice(&[position[of]]), arg: UopArg::None }
        }
    });
    Ok(UopList { uops: uops.collect() })
}

/// An entry of the list to be.
#[derive(Clone, Copy)]
enum Entry {
    Node(usize),
    /// The end of the loop or the if that a node opens.
    End(UopKind, usize),
}

/// A node whose sources are all placed.
struct Ready<'a> {
    weight: i64,
    node: u32,
    comparison: &'a Comparison<'a>,
}

impl Ord for Ready<'_> {
    /// The greatest is taken first: the most preferred, of those the least in the order of uops.
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.cmp(&other.weight).then_with(|| self.comparison.compare(other.node, self.node))
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
    arena: &'a UopArena,
    graph: &'a Subgraph,
    nesting: &'a Nesting,
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
    fn new(
        arena: &'a UopArena,
        graph: &'a Subgraph,
        nesting: &'a Nesting,
        comparison: &'a Comparison<'a>,
    ) -> Schedule<'a> {
        let (count, loops) = (graph.nodes.len(), graph.loops.len());
        let mut remaining = vec![0; loops];
        for node in graph.loops.first().copied().unwrap_or(count)..count {
            nesting.inside.row(node).for_each(|number| remaining[number] += 1);
        }
        Schedule {
            arena,
            graph,
            nesting,
            comparison,
            steps: Vec::with_capacity(count + loops),
            missing: (0..count).map(|node| graph.sources(node).len() as u32).collect(),
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
        let is_ready = |&node: &usize| self.missing[node] == 0;
        let ready: Vec<Ready<'a>> =
            (0..self.graph.nodes.len()).filter(is_ready).map(|node| self.ready_at(node)).collect();
        self.ready = BinaryHeap::from(ready);
        while let Some(Ready { node, .. }) = self.ready.pop() {
            let node = node as usize;
            if self.nesting.after.row(node).any(|number| self.is_open[number]) {
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
                text: super::text::line(self.graph.uop(self.arena, node), None),
                reason: "uses within a loop what that loop accumulates".into(),
            }),
            None => Ok(self.entries()),
        }
    }

    fn ready_at(&self, node: usize) -> Ready<'a> {
        Ready { weight: self.nesting.weight(node), node: node as u32, comparison: self.comparison }
    }

    fn push(&mut self, node: usize) {
        self.ready.push(self.ready_at(node));
    }

    fn place(&mut self, node: usize) {
        let sources = self.graph.sources(node);
        match self.graph.kinds[node] {
            UopKind::DefineAcc if !sources.is_empty() => {
                let loops = sources.iter().filter_map(|&source| self.graph.opens(source as usize));
                let outermost = loops.min_by_key(|&number| self.opened_at[number]);
                match outermost {
                    Some(outermost) => self.accumulators[outermost].push(node),
                    None => self.steps.push(Step::Node(node)),
                }
            }
            _ => self.steps.push(Step::Node(node)),
        }
        if let Some(number) = self.graph.opens(node) {
            self.opened_at[number] = self.steps.len();
            self.is_open[number] = true;
            self.open.push(number);
        }
        for number in self.nesting.inside.row(node) {
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
        let graph = self.graph;
        let mut entries = Vec::with_capacity(graph.nodes.len() + graph.loops.len() + graph.ifs.len());
        for &step in &self.steps {
            match step {
                Step::Node(node) => {
                    if let Some(number) = graph.opens(node) {
                        entries.extend(self.accumulators[number].iter().map(|&node| Entry::Node(node)));
                    }
                    entries.push(Entry::Node(node));
                }
                Step::End(number) => entries.push(Entry::End(UopKind::EndRange, graph.loops[number])),
            }
        }
        entries.extend(graph.ifs.iter().rev().map(|&node| Entry::End(UopKind::EndIf, node)));
        entries
    }
}
