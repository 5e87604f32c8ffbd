//! Stores: a value for each expansion of a buffer's indices, neighbours as vectors.

use super::LowerStep;
use super::expand::ExpandAxes;
use super::image::CHANNELS;
use super::state::{Indices, Lowering};
use super::trace::AccessKind;
use crate::dtype::DType;
use crate::kernel::LowerError;
use crate::rule::State;
use crate::shape::PartialIndex;
use crate::symbolic::{Node, NodeId};
use crate::uop::{UopArg, UopId, UopKind};
use smallvec::SmallVec;
use std::rc::Rc;

/// A store under way.
struct Target {
    buffer: usize,
    dtype: DType,
    /// For each axis its index in each expansion.
    places: SmallVec<[Rc<[NodeId]>; 12]>,
    /// The index, but for the axes along which the expansions differ.
    partial: Option<PartialIndex>,
}

impl Target {
    fn indices(&self, expansion: usize) -> Indices {
        self.places.iter().map(|places| places[expansion]).collect()
    }
}

impl Lowering {
    /// Stores `values`, one for each expansion of `indices`, to `buffer`. Returns the stores.
    pub(super) fn store(
        &mut self,
        buffer: usize,
        indices: &[NodeId],
        values: &[UopId],
    ) -> Result<Vec<UopId>, LowerError> {
        let dtype = self.kernel.buffer_dtype(buffer);
        let dtype = dtype.ok_or_else(|| LowerError::Invalid(format!("there is no buffer {buffer}")))?;
        self.note(AccessKind::Store, buffer, indices);
        let axes = self.expand_axes(indices)?;
        if values.len() != axes.count() {
            let message = format!("{} values for {} elements of buffer {buffer}", values.len(), axes.count());
            return Err(LowerError::Invalid(message));
        }
        let places = indices.iter().map(|&index| self.expand(index, &axes));
        let places: SmallVec<[Rc<[NodeId]>; 12]> = places.collect::<Result<_, _>>()?;
        let partial = self.partial_index(buffer, &places)?;
        let target = Target { buffer, dtype, places, partial };
        if let Some(stores) = self.store_vectors(&target, &axes, indices, values)? {
            return Ok(stores);
        }
        // Without vectors nothing can be stored to an image; 0.9.0's uops are kept, which its renderers refuse.
        if dtype.is_image() && self.kernel.target.supports_float4 && self.does(LowerStep::WholePixels) {
            return Err(LowerError::Unsupported("a store to an image that does not write whole pixels".into()));
        }
        let mut stores = Vec::with_capacity(values.len());
        for (expansion, &value) in values.iter().enumerate() {
            let place = self.place(&target, expansion)?;
            stores.extend(self.store_one(&target, place, value)?);
        }
        Ok(stores)
    }

    /// The index of a buffer at each of several places, where these differ in numbers along some axes only; `places`
    /// has them by axis.
    fn partial_index(&mut self, buffer: usize, places: &[Rc<[NodeId]>]) -> Result<Option<PartialIndex>, LowerError> {
        let arena = &mut self.kernel.arena;
        let is_number = |&place: &NodeId| matches!(arena.node(place), Node::Number(_));
        let mut indices: SmallVec<[Option<NodeId>; 12]> = SmallVec::new();
        for places in places {
            let Some((&first, rest)) = places.split_first() else { return Ok(None) };
            let fixed = rest.iter().all(|&place| place == first);
            if !fixed && !places.iter().all(is_number) {
                return Ok(None);
            }
            indices.push(fixed.then_some(first));
        }
        match self.kernel.views.get(buffer) {
            Some(view) if indices.contains(&None) => Ok(view.partial_index(arena, &indices)?),
            _ => Ok(None),
        }
    }

    /// Index and valid of an expansion.
    fn place(&mut self, target: &Target, expansion: usize) -> Result<(NodeId, NodeId), LowerError> {
        let Some(partial) = &target.partial else {
            return self.index_and_valid(target.buffer, &target.indices(expansion));
        };
        let index = partial.at(&mut self.kernel.arena, |axis| target.places[axis][expansion])?;
        Ok((index, self.kernel.arena.number(1)))
    }

    /// Stores vectors along an axis whose index is an upcasted variable, where every vector is aligned. `None` where
    /// there is no such axis.
    fn store_vectors(
        &mut self,
        target: &Target,
        axes: &ExpandAxes,
        indices: &[NodeId],
        values: &[UopId],
    ) -> Result<Option<Vec<UopId>>, LowerError> {
        let Some((vector, _)) = self.vector_axis(target.buffer, indices)? else { return Ok(None) };
        let Some(axis) = axes.axis(vector.axis) else { return Ok(None) };
        let parts = target.dtype.is_image() && i64::from(vector.lanes) != CHANNELS;
        if (parts && self.does(LowerStep::WholePixels)) || indices.get(vector.axis) != Some(&axis.variable) {
            return Ok(None);
        }
        let firsts = (0..axes.count()).filter(|&expansion| axis.digit(expansion) == 0);
        let mut places = Vec::with_capacity(values.len() / axis.size);
        for first in firsts {
            let place = self.place(target, first)?;
            if !self.is_aligned(target.buffer, place.0, vector.lanes)? {
                return Ok(None);
            }
            places.push((first, place));
        }
        let dtype = target.dtype.vector(vector.lanes);
        let reversed = self.state(LowerStep::UpcastOrder) == State::Altered;
        let mut stores = Vec::with_capacity(places.len());
        for (first, place) in places {
            let lanes = (0..axis.size).filter_map(|lane| values.get(axis.neighbour(first, lane)).copied());
            let mut lanes: SmallVec<[UopId; 4]> = lanes.collect();
            if reversed {
                lanes.reverse();
            }
            let value = self.graph.add(UopKind::Cast, Some(dtype), &lanes, UopArg::None);
            stores.extend(self.store_one(target, place, value)?);
        }
        Ok(Some(stores))
    }

    /// One store, gated where it is not always valid; none where it never is.
    fn store_one(
        &mut self,
        target: &Target,
        (index, valid): (NodeId, NodeId),
        value: UopId,
    ) -> Result<Option<UopId>, LowerError> {
        if self.kernel.arena.max_int(valid) == 0 && self.does(LowerStep::NeverStored) {
            return Ok(None);
        }
        let pointer = self.pointer(target.buffer)?;
        let place = match target.dtype {
            DType::Image(image) => self.pixel(image, index)?,
            _ => self.render(index)?,
        };
        let mut sources: SmallVec<[UopId; 4]> = SmallVec::from_slice(&[pointer, place, value]);
        if self.kernel.arena.min(valid) == 0 && self.does(LowerStep::GateStores) {
            sources.push(self.render(valid)?);
        }
        Ok(Some(self.graph.add(UopKind::Store, None, &sources, UopArg::None)))
    }
}
