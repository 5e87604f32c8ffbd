//! Expansion of an expression over the variables of upcasted axes: what it is for each of their values.

use super::LowerStep;
use super::state::{Indices, Lowering};
use crate::kernel::LowerError;
use crate::symbolic::{NodeId, Values};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// What an access is expanded over: for each axis the upcasted variable that its index holds, where that variable was
/// not in the index of an earlier axis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ExpandAxes {
    axes: SmallVec<[Option<ExpandAxis>; 12]>,
    /// Which of the lists that were met it is.
    number: u32,
    count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExpandAxis {
    pub(super) variable: NodeId,
    min: i64,
    pub(super) size: usize,
    /// How many expansions lie between two neighbouring values: the first axis runs fastest.
    step: usize,
}

/// The most expansions of one access: far more than the legal optimisations make.
const MOST_EXPANSIONS: usize = 1 << 20;

impl ExpandAxes {
    /// Number of expansions.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The axis that runs, at this place of the view.
    pub(super) fn axis(&self, axis: usize) -> Option<ExpandAxis> {
        self.axes.get(axis).copied().flatten()
    }

    fn running(&self) -> impl Iterator<Item = ExpandAxis> {
        self.axes.iter().copied().flatten()
    }
}

impl ExpandAxis {
    /// Which value, counted from 0, the variable has in expansion number `expansion`.
    pub(super) fn digit(&self, expansion: usize) -> usize {
        expansion / self.step % self.size
    }

    /// The expansion that differs from `first` in this axis alone, where the variable has value number `digit` and
    /// not number 0.
    pub(super) fn neighbour(&self, first: usize, digit: usize) -> usize {
        first + digit * self.step
    }
}

/// Expansions that were computed, by expression and what it was expanded over. Expressions that differ only in the
/// order of a sum's terms share one, as in 0.9.0, where it decides the order of terms in the uops.
#[derive(Debug, Default)]
pub(super) struct Expansions {
    lists: Vec<Rc<ExpandAxes>>,
    /// The list of each access's indices, until there are more variables to expand over.
    known: Vec<(Indices, Rc<ExpandAxes>)>,
    done: FxHashMap<(NodeId, u32), Rc<[NodeId]>>,
}

impl Expansions {
    /// There are more variables to expand over.
    pub(super) fn forget_lists(&mut self) {
        self.known.clear();
    }

    fn list(&mut self, mut axes: ExpandAxes) -> Rc<ExpandAxes> {
        if let Some(list) = self.lists.iter().find(|list| list.axes == axes.axes) {
            return Rc::clone(list);
        }
        axes.number = self.lists.len() as u32;
        axes.count = axes.running().map(|axis| axis.size).product();
        let list = Rc::new(axes);
        self.lists.push(Rc::clone(&list));
        list
    }
}

impl Lowering {
    /// The upcasted variable that an expression holds. Only the indices of matrix fragments hold other variables
    /// besides, and none holds two upcasted ones.
    fn expand_variable(&self, node: NodeId) -> Option<NodeId> {
        if self.upcast_variables.contains(&node) {
            return Some(node);
        }
        if !self.upcast_variables.iter().any(|&variable| self.kernel.arena.contains(node, variable)) {
            return None;
        }
        let variables = self.kernel.arena.variables(node);
        variables.into_iter().find(|variable| self.upcast_variables.contains(variable))
    }

    /// What an access with these indices is expanded over.
    pub(super) fn expand_axes(&mut self, indices: &[NodeId]) -> Result<Rc<ExpandAxes>, LowerError> {
        if let Some((_, list)) = self.expansions.known.iter().find(|(known, _)| known[..] == *indices) {
            return Ok(Rc::clone(list));
        }
        let mut found = ExpandAxes::default();
        let mut step = 1usize;
        for &index in indices {
            let mut variable = self.expand_variable(index);
            let taken = variable.is_some_and(|v| found.running().any(|axis| axis.variable == v));
            if taken && self.does(LowerStep::FirstOccurrence) {
                variable = None;
            }
            let axis = match variable {
                None => None,
                Some(variable) => {
                    let arena = &self.kernel.arena;
                    let min = arena.min(variable);
                    let size = arena
                        .max(variable)
                        .int()
                        .and_then(|max| usize::try_from(max.checked_sub(min)?.checked_add(1)?).ok())
                        .ok_or_else(|| LowerError::Unsupported("an upcasted axis of symbolic size".into()))?;
                    let axis = ExpandAxis { variable, min, size, step };
                    step = step.checked_mul(size).filter(|&count| count <= MOST_EXPANSIONS).ok_or_else(|| {
                        LowerError::Unsupported(format!("an access of more than {MOST_EXPANSIONS} upcasted elements"))
                    })?;
                    Some(axis)
                }
            };
            found.axes.push(axis);
        }
        let list = self.expansions.list(found);
        self.expansions.known.push((Indices::from_slice(indices), Rc::clone(&list)));
        Ok(list)
    }

    /// What `node` is for each value of its own upcasted variable; `node` alone where it has none.
    pub(super) fn expand_index(&mut self, node: NodeId) -> Result<Rc<[NodeId]>, LowerError> {
        let axes = self.expand_axes(&[node])?;
        self.expand(node, &axes)
    }

    /// What `node` is in each expansion.
    pub(super) fn expand(&mut self, node: NodeId, axes: &ExpandAxes) -> Result<Rc<[NodeId]>, LowerError> {
        let key = (self.kernel.arena.canonical(node), axes.number);
        if let Some(done) = self.expansions.done.get(&key) {
            return Ok(Rc::clone(done));
        }
        let expanded: Rc<[NodeId]> = self.substitutions(node, axes)?.into();
        self.expansions.done.insert(key, Rc::clone(&expanded));
        Ok(expanded)
    }

    /// Substitutes each combination of values of the variables that `node` holds, once.
    fn substitutions(&mut self, node: NodeId, axes: &ExpandAxes) -> Result<Vec<NodeId>, LowerError> {
        let arena = &mut self.kernel.arena;
        let held: SmallVec<[ExpandAxis; 4]> =
            axes.running().filter(|axis| arena.contains(node, axis.variable)).collect();
        let values = |axis: &ExpandAxis| Values { variable: axis.variable, min: axis.min, size: axis.size };
        let values: SmallVec<[Values; 4]> = held.iter().map(values).collect();
        let values = arena.substitute_each(node, &values)?;
        if axes.count == values.len() {
            return Ok(values);
        }
        let place = |expansion: usize| {
            let digits = held.iter().rev();
            digits.fold(0, |place, axis| place * axis.size + axis.digit(expansion))
        };
        Ok((0..axes.count).map(|expansion| values[place(expansion)]).collect())
    }
}
