//! The part of a graph that its stores need, numbered so that sources come first, with the users of each uop.

use super::arena::UopArena;
use super::{Uop, UopId, UopKind};

/// What the stores need. A *node* is a place in it.
pub(super) struct Subgraph<'a> {
    pub(super) arena: &'a UopArena,
    /// The uop of each node; sources come first.
    pub(super) nodes: Vec<UopId>,
    /// Nodes of the RANGE uops. A loop's number is its place here.
    pub(super) loops: Vec<usize>,
    /// Nodes of the IF uops.
    pub(super) ifs: Vec<usize>,
    /// Node of each uop of the graph; of no meaning for those that are not needed.
    node_of: Vec<u32>,
    /// The users of node `n` are `users[first_user[n]..first_user[n + 1]]`, once for each use.
    users: Vec<u32>,
    first_user: Vec<u32>,
}

impl<'a> Subgraph<'a> {
    /// Collects what `roots` need.
    pub(super) fn new(arena: &'a UopArena, roots: &[UopId]) -> Subgraph<'a> {
        let mut graph = Subgraph {
            arena,
            nodes: Vec::new(),
            loops: Vec::new(),
            ifs: Vec::new(),
            node_of: vec![u32::MAX; arena.len()],
            users: Vec::new(),
            first_user: Vec::new(),
        };
        graph.collect(roots);
        graph.find_users();
        graph
    }

    /// Depth first, without recursion: a chain of sources may be as long as the graph is large.
    fn collect(&mut self, roots: &[UopId]) {
        let arena = self.arena;
        let mut seen = vec![false; arena.len()];
        let mut stack: Vec<(UopId, usize)> = Vec::new();
        for &root in roots {
            if !std::mem::replace(&mut seen[root.index()], true) {
                stack.push((root, 0));
            }
            while let Some((id, place)) = stack.last_mut() {
                let uop = arena.get(*id);
                if let Some(&source) = uop.sources.get(*place) {
                    *place += 1;
                    if !std::mem::replace(&mut seen[source.index()], true) {
                        stack.push((source, 0));
                    }
                    continue;
                }
                let node = self.nodes.len();
                self.node_of[id.index()] = node as u32;
                self.nodes.push(*id);
                match uop.kind {
                    UopKind::Range => self.loops.push(node),
                    UopKind::If => self.ifs.push(node),
                    _ => {}
                }
                stack.pop();
            }
        }
    }

    fn find_users(&mut self) {
        let mut first = vec![0u32; self.nodes.len() + 1];
        for node in 0..self.nodes.len() {
            for source in self.sources(node) {
                first[source + 1] += 1;
            }
        }
        for node in 1..first.len() {
            first[node] += first[node - 1];
        }
        let mut next = first.clone();
        let mut users = vec![0; first.last().copied().unwrap_or(0) as usize];
        for node in 0..self.nodes.len() {
            for source in self.sources(node) {
                users[next[source] as usize] = node as u32;
                next[source] += 1;
            }
        }
        (self.users, self.first_user) = (users, first);
    }

    /// The uop of a node.
    pub(super) fn uop(&self, node: usize) -> &'a Uop {
        self.arena.get(self.nodes[node])
    }

    /// The node of a uop that is needed.
    pub(super) fn node(&self, id: UopId) -> usize {
        self.node_of[id.index()] as usize
    }

    /// The nodes of a node's sources.
    pub(super) fn sources(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.uop(node).sources.iter().map(|&source| self.node(source))
    }

    /// The nodes that use a node, once for each use.
    pub(super) fn users(&self, node: usize) -> &[u32] {
        &self.users[self.first_user[node] as usize..self.first_user[node + 1] as usize]
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
