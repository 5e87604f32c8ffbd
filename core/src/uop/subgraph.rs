//! The part of a graph that its stores need, numbered so that sources come first, with the users of each uop.

use super::arena::UopArena;
use super::{Uop, UopId, UopKind};

/// What the stores need. A *node* is a place in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Subgraph {
    /// The uop of each node; sources come first.
    pub(super) nodes: Vec<UopId>,
    /// The kind of each node.
    pub(super) kinds: Vec<UopKind>,
    /// Nodes of the RANGE uops, in increasing order. A loop's number is its place here.
    pub(super) loops: Vec<usize>,
    /// Nodes of the IF uops.
    pub(super) ifs: Vec<usize>,
    /// The sources of each node.
    sources: Edges,
    /// The users of each node, once for each use.
    users: Edges,
    /// The node of each uop, or [`UNKNOWN`] or [`PENDING`].
    node_of: Vec<u32>,
}

/// The neighbours of each node: those of node `n` are `nodes[first[n]..first[n + 1]]`.
#[derive(Clone, Debug, Default)]
struct Edges {
    nodes: Vec<u32>,
    first: Vec<u32>,
}

impl Edges {
    fn of(&self, node: usize) -> &[u32] {
        &self.nodes[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// A uop that was not met yet.
const UNKNOWN: u32 = u32::MAX;
/// A uop whose sources are being collected.
const PENDING: u32 = u32::MAX - 1;

impl Subgraph {
    /// Collects what `roots` need.
    pub(super) fn new(arena: &UopArena, roots: &[UopId]) -> Subgraph {
        let mut graph = Subgraph::default();
        graph.fill(arena, roots);
        graph
    }

    /// Collects what `roots` need in the place of what was collected before.
    pub(super) fn fill(&mut self, arena: &UopArena, roots: &[UopId]) {
        let Subgraph { nodes, kinds, loops, ifs, sources, users, node_of } = self;
        nodes.clear();
        kinds.clear();
        loops.clear();
        ifs.clear();
        for edges in [sources, users] {
            edges.nodes.clear();
            edges.first.clear();
        }
        node_of.clear();
        node_of.resize(arena.len(), UNKNOWN);
        nodes.reserve(arena.len());
        kinds.reserve(arena.len());
        self.collect(arena, roots);
        self.find_users();
    }

    /// Depth first, without recursion: a chain of sources may be as long as the graph is large.
    fn collect(&mut self, arena: &UopArena, roots: &[UopId]) {
        let node_of = &mut self.node_of;
        let mut stack: Vec<(UopId, u32)> = Vec::with_capacity(64);
        self.sources.first.reserve(arena.len() + 1);
        self.sources.first.push(0);
        self.sources.nodes.reserve(2 * arena.len());
        for &root in roots {
            if node_of[root.index()] == UNKNOWN {
                node_of[root.index()] = PENDING;
                stack.push((root, 0));
            }
            while let Some((id, place)) = stack.last_mut() {
                let uop = arena.get(*id);
                let rest = uop.sources.get(*place as usize..).unwrap_or_default();
                let next = rest.iter().position(|source| node_of[source.index()] == UNKNOWN);
                if let Some(skipped) = next {
                    let source = rest[skipped];
                    *place += skipped as u32 + 1;
                    node_of[source.index()] = PENDING;
                    stack.push((source, 0));
                    continue;
                }
                let node = self.nodes.len();
                node_of[id.index()] = node as u32;
                self.nodes.push(*id);
                self.kinds.push(uop.kind);
                match uop.kind {
                    UopKind::Range => self.loops.push(node),
                    UopKind::If => self.ifs.push(node),
                    _ => {}
                }
                self.sources.nodes.extend(uop.sources.iter().map(|source| node_of[source.index()]));
                self.sources.first.push(self.sources.nodes.len() as u32);
                stack.pop();
            }
        }
    }

    fn find_users(&mut self) {
        // Counted one place late, so that the places at which users are entered end up as the first of the next node.
        let Edges { nodes: users, first } = &mut self.users;
        first.resize(self.nodes.len() + 2, 0);
        for &source in &self.sources.nodes {
            first[source as usize + 2] += 1;
        }
        for node in 2..first.len() {
            first[node] += first[node - 1];
        }
        users.resize(self.sources.nodes.len(), 0);
        for node in 0..self.nodes.len() {
            for &source in self.sources.of(node) {
                let place = &mut first[source as usize + 1];
                users[*place as usize] = node as u32;
                *place += 1;
            }
        }
    }

    /// The uop of a node.
    pub(super) fn uop<'a>(&self, arena: &'a UopArena, node: usize) -> &'a Uop {
        arena.get(self.nodes[node])
    }

    /// The number of the loop that a node opens.
    pub(super) fn opens(&self, node: usize) -> Option<usize> {
        if self.kinds[node] == UopKind::Range { self.loops.binary_search(&node).ok() } else { None }
    }

    /// The nodes of a node's sources.
    pub(super) fn sources(&self, node: usize) -> &[u32] {
        self.sources.of(node)
    }

    /// The nodes that use a node, once for each use.
    pub(super) fn users(&self, node: usize) -> &[u32] {
        self.users.of(node)
    }
}

/// For each uop of the graph that `roots` need, by number, whether it works on the result of an IF, whatever is between;
/// and one IF, where there is any.
pub(super) fn waiting_for_if(arena: &UopArena, roots: &[UopId]) -> (Vec<bool>, Option<UopId>) {
    let graph = Subgraph::new(arena, roots);
    let mut waits = vec![false; arena.len()];
    // Sources come first.
    for &id in &graph.nodes {
        let uop = arena.get(id);
        waits[id.index()] = uop.kind == UopKind::If || uop.sources.iter().any(|source| waits[source.index()]);
    }
    (waits, graph.ifs.first().map(|&node| graph.nodes[node]))
}
