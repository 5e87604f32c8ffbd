//! A graph as it stands, for those who want to see what rewriting does.

use super::arena::UopArena;
use super::workspace::OrderBuffers;
use super::{Uop, UopError, UopGraph, UopId, UopList};
use crate::rule::Firings;

/// What the stores of a graph need at one point of lowering, sources first.
#[derive(Clone, Debug, Default)]
pub struct GraphStage {
    /// The uops. Loops are not closed yet, and the order is that of entry.
    pub list: UopList,
    /// For each uop its number in the graph: the same number at two stages is the same uop.
    pub numbers: Vec<u32>,
}

/// A graph before and after rewriting.
#[derive(Clone, Debug, Default)]
pub struct GraphStages {
    /// As lowering built it.
    pub built: GraphStage,
    /// As the rules left it.
    pub rewritten: GraphStage,
}

impl GraphStage {
    fn new(arena: &UopArena, roots: &[UopId]) -> GraphStage {
        let mut needed = vec![false; arena.len()];
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut needed[id.index()], true) {
                stack.extend(&arena.get(id).sources);
            }
        }
        let mut position = vec![0u32; arena.len()];
        let mut stage = GraphStage::default();
        // In an arena sources have smaller numbers than what uses them.
        for (number, _) in needed.into_iter().enumerate().filter(|(_, needed)| *needed) {
            position[number] = stage.numbers.len() as u32;
            let uop = arena.get(UopId(number as u32));
            let sources = uop.sources.iter().map(|source| UopId(position[source.index()])).collect();
            stage.list.uops.push(Uop { sources, ..uop.clone() });
            stage.numbers.push(number as u32);
        }
        stage
    }
}

impl UopGraph {
    /// As [`UopGraph::finish_as`]; also leaves in `stages` what the graph was before and after rewriting, as far as it gets.
    ///
    /// # Errors
    /// As [`UopGraph::finish`].
    pub(crate) fn finish_in_stages(
        mut self,
        stages: &mut GraphStages,
        fires: &mut dyn FnMut() -> bool,
    ) -> Result<(UopList, Firings), UopError> {
        stages.built = GraphStage::new(&self.arena, &self.stores);
        let (stores, firings) = self.rewrite(fires)?;
        stages.rewritten = GraphStage::new(&self.arena, &stores);
        let list = super::order::order(&mut self.arena, &stores, &mut OrderBuffers::default())?;
        list.verify()?;
        Ok((list, firings))
    }
}
