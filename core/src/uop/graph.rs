//! The graph that lowering builds, and the way from it to a list.

use super::arena::UopArena;
use super::rewrite::Rewriter;
use super::{Uop, UopArg, UopError, UopId, UopKind, UopList, UopRule, UopWorkspace};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::DType;
use crate::rule::{Firings, Rules, State};

/// The graph that lowering builds: hash-consed uops, and the stores that they are for.
#[derive(Clone, Debug, Default)]
pub struct UopGraph {
    pub(super) arena: UopArena,
    pub(super) stores: Vec<UopId>,
    /// The IF that every store to global memory is to be in.
    storing_if: Option<UopId>,
    rules: Rules,
}

impl UopGraph {
    /// An empty graph, to be rewritten by `rules`.
    pub fn new(rules: Rules) -> UopGraph {
        UopGraph { rules, ..UopGraph::default() }
    }

    /// As [`UopGraph::new`], in the memory of earlier graphs that `workspace` keeps; [`UopGraph::finish_with`] gives it back.
    pub fn with_workspace(rules: Rules, workspace: &mut UopWorkspace) -> UopGraph {
        UopGraph { arena: workspace.take_arena(), rules, ..UopGraph::default() }
    }

    /// An empty graph in which arithmetic and constants are entered anew each time, to ask it whether
    /// [anything fires](UopGraph::anything_fires).
    pub fn objects(rules: Rules) -> UopGraph {
        UopGraph { arena: UopArena::objects(), rules, ..UopGraph::default() }
    }

    /// Whether this is a graph of [objects](UopGraph::objects).
    pub fn has_objects(&self) -> bool {
        self.arena.has_objects()
    }

    /// Whether 0.9.0's first round of rewriting changes anything in this graph of objects; false where that takes too
    /// long to tell.
    pub fn anything_fires(self) -> bool {
        super::objects::anything_fires(self.arena, &self.stores, self.rules).unwrap_or(false)
    }

    /// The uop of this graph.
    ///
    /// # Panics
    /// If `id` is of another graph.
    pub fn uop(&self, id: UopId) -> &Uop {
        self.arena.get(id)
    }

    /// Number of uops entered.
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Whether nothing was entered.
    pub fn is_empty(&self) -> bool {
        self.arena.len() == 0
    }

    /// Enters a uop or finds the equal one. Stores are remembered, in order, as what the graph is for.
    ///
    /// # Panics
    /// If a source is of another graph.
    pub fn add(&mut self, kind: UopKind, dtype: Option<DType>, sources: &[UopId], arg: UopArg) -> UopId {
        let before = self.arena.len();
        let id = self.arena.make(kind, dtype, sources, arg);
        if kind == UopKind::Store && self.arena.len() > before {
            self.stores.push(id);
        }
        id
    }

    /// Enters arithmetic. The result has the type of the last operand; a comparison's is bool.
    pub fn alu(&mut self, op: AluOp, sources: &[UopId]) -> UopId {
        self.arena.alu(op, sources)
    }

    /// Enters a constant of a type, the value converted as [`Constant::spelled`] does; a vector has it in every lane.
    pub fn constant(&mut self, dtype: DType, value: Constant) -> UopId {
        self.arena.constant(dtype, value)
    }

    /// Has every store to global memory happen in this IF, also those that do not wait for it by what they store. Which
    /// those are shows only after rewriting, which may do away with what they waited for.
    ///
    /// # Panics
    /// If `id` is of another graph.
    pub fn store_in(&mut self, id: UopId) {
        self.storing_if = Some(id);
    }

    /// Rewrites to a fixed point, orders, verifies.
    ///
    /// # Errors
    /// Where types don't agree, where loops can't be nested, and where the rewriting does not come to an end.
    pub fn finish(self) -> Result<(UopList, Firings), UopError> {
        self.finish_as(&mut || true)
    }

    /// As [`UopGraph::finish`]. `fires` tells whether anything fires in the first round of the same graph of
    /// [objects](UopGraph::objects); it is asked where the first round does nothing but what takes two uops for one.
    ///
    /// # Errors
    /// As [`UopGraph::finish`].
    pub fn finish_as(self, fires: &mut dyn FnMut() -> bool) -> Result<(UopList, Firings), UopError> {
        self.finish_with(&mut UopWorkspace::default(), fires)
    }

    /// As [`UopGraph::finish_as`], in the memory that `workspace` keeps, and leaving it that of this graph.
    ///
    /// # Errors
    /// As [`UopGraph::finish`].
    pub fn finish_with(
        mut self,
        workspace: &mut UopWorkspace,
        fires: &mut dyn FnMut() -> bool,
    ) -> Result<(UopList, Firings), UopError> {
        let rewritten = self.rewrite(fires);
        let ordered = rewritten.and_then(|(stores, firings)| {
            let list = super::order::order(&mut self.arena, &stores, &mut workspace.order)?;
            list.verify()?;
            Ok((list, firings))
        });
        workspace.keep_arena(self.arena);
        ordered
    }

    /// What becomes of the stores, and how often each rule fired.
    pub(super) fn rewrite(&mut self, fires: &mut dyn FnMut() -> bool) -> Result<(Vec<UopId>, Firings), UopError> {
        let rules = self.rules;
        let (mut stores, mut firings) = Rewriter::new(&mut self.arena, rules).run(&self.stores, fires)?;
        if self.needs_unmul(&stores) {
            // A collapse whose marks don't cancel out is taken back; it takes rules that are off for that to happen.
            let rules = rules.with(UopRule::LoopCollapse, State::Off).with(UopRule::LoopCollapseFloat, State::Off);
            (stores, firings) = Rewriter::new(&mut self.arena, rules).run(&self.stores, fires)?;
        }
        stores.retain(|&store| self.arena.get(store).kind != UopKind::Noop);
        if let Some(id) = self.storing_if {
            self.wait_in_stores(&mut stores, id)?;
        }
        Ok((stores, firings))
    }

    /// Has the stores to global memory that do not wait for an IF wait for `id`, or what became of it, by a source of
    /// their own; [`order`](super::order::order) takes it out again.
    fn wait_in_stores(&mut self, stores: &mut [UopId], id: UopId) -> Result<(), UopError> {
        let (waits, found) = super::subgraph::waiting_for_if(&self.arena, stores);
        let is_early = |&&mut store: &&mut UopId| {
            let pointer = self.arena.get(store).sources.first();
            !waits[store.index()]
                && pointer.is_some_and(|&pointer| self.arena.get(pointer).kind == UopKind::DefineGlobal)
        };
        let early: Vec<&mut UopId> = stores.iter_mut().filter(is_early).collect();
        if early.is_empty() {
            return Ok(());
        }
        let rewritten = match found {
            Some(found) => found,
            // Nothing waits for it any more, so that it was not rewritten with the rest.
            None => *Rewriter::new(&mut self.arena, self.rules).run(&[id], &mut || true)?.0.first().unwrap_or(&id),
        };
        for store in early {
            let uop = self.arena.get(*store).clone();
            let mut sources = uop.sources;
            sources.push(rewritten);
            *store = self.arena.make(UopKind::Store, uop.dtype, &sources, uop.arg);
        }
        Ok(())
    }

    /// Whether any UNMUL is left in what `roots` need.
    fn needs_unmul(&self, roots: &[UopId]) -> bool {
        if !self.arena.has_unmul() {
            return false;
        }
        let graph = super::subgraph::Subgraph::new(&self.arena, roots);
        graph.kinds.contains(&UopKind::Unmul)
    }
}

impl UopArena {
    /// Enters arithmetic, see [`UopGraph::alu`].
    pub(super) fn alu(&mut self, op: AluOp, sources: &[UopId]) -> UopId {
        let dtype = match sources.last() {
            Some(_) if op.is_comparison() => Some(DType::BOOL),
            Some(&last) => self.get(last).dtype,
            None => None,
        };
        self.make_object(UopKind::Alu, dtype, sources, UopArg::Alu(op))
    }

    /// Enters a constant, see [`UopGraph::constant`].
    pub(super) fn constant(&mut self, dtype: DType, value: Constant) -> UopId {
        self.make_object(UopKind::Const, Some(dtype), &[], UopArg::Const(value.spelled(dtype.scalar())))
    }
}
