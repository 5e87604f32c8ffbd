//! How the nodes of a graph stand to its loops.

use super::arena::UopArena;
use super::loops::LoopTable;
use super::subgraph::Subgraph;
use super::{UopArg, UopKind};
use smallvec::SmallVec;

/// Where each node stands to the loops.
pub(super) struct Nesting {
    /// For each loop: by how much its nodes are preferred.
    weights: Vec<i64>,
    /// The loops that 0.9.0 counts a node to: those that it depends on other than through the result of a reduction.
    preferred: LoopTable,
    /// The loops that a node must be in.
    pub(super) inside: LoopTable,
    /// The loops that must have ended before a node, as it depends on what they accumulate.
    pub(super) after: LoopTable,
}

impl Nesting {
    /// How the nodes of `graph` stand to its loops.
    pub(super) fn new(arena: &UopArena, graph: &Subgraph) -> Nesting {
        let (count, loops) = (graph.nodes.len(), graph.loops.len());
        let table = || LoopTable::new(count, loops);
        let (mut preferred, mut inside, mut after) = (table(), table(), table());
        // What comes before the first loop depends on none.
        let first = graph.loops.first().copied().unwrap_or(count);
        for node in first..count {
            for &source in graph.sources(node) {
                let source = source as usize;
                if source < first {
                    continue;
                }
                after.unite(node, source, &[]);
                if graph.kinds[source] == UopKind::Phi {
                    let ended = accumulated_over(graph, source);
                    inside.unite(node, source, &ended);
                    for number in ended {
                        after.insert(node, number);
                    }
                    continue;
                }
                inside.unite(node, source, &[]);
                preferred.unite(node, source, &[]);
                if let Some(number) = graph.opens(source) {
                    preferred.insert(node, number);
                    inside.insert(node, number);
                }
            }
        }
        let weight = |&node: &usize| match graph.uop(arena, node).arg {
            UopArg::Range { depth, number } => i64::from(depth) * 1000 + i64::from(number),
            _ => 0,
        };
        Nesting { weights: graph.loops.iter().map(weight).collect(), preferred, inside, after }
    }

    /// How much a node that is ready is preferred to others.
    pub(super) fn weight(&self, node: usize) -> i64 {
        self.preferred.row(node).map(|number| self.weights[number]).sum()
    }
}

/// The loops over which the value of a PHI is accumulated: what uses it comes after them.
fn accumulated_over(graph: &Subgraph, phi: usize) -> SmallVec<[usize; 4]> {
    let mut node = phi;
    while let UopKind::Phi | UopKind::Gep | UopKind::Cast = graph.kinds[node]
        && let Some(&accumulator) = graph.sources(node).first()
    {
        node = accumulator as usize;
    }
    match graph.kinds[node] {
        UopKind::DefineAcc => graph.sources(node).iter().filter_map(|&source| graph.opens(source as usize)).collect(),
        _ => SmallVec::new(),
    }
}
