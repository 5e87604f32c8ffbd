//! The index and valid expressions of a stack of views, and what they tell.

use super::compare::may_be_nonzero;
use super::error::argument;
use super::merge::index_variable;
use super::{Result, ShapeError, ShapeTracker, View, ViewRule};
use crate::symbolic::{Arena, Node, NodeId, Sint, SumBase, SymbolicError};
use smallvec::{SmallVec, smallvec};

/// The index into an unmasked view of places that differ along some axes only, and have numbers there.
pub(crate) struct PartialIndex {
    /// What the other axes give.
    base: SumBase,
    /// The axes along which the places differ, with their strides.
    varying: SmallVec<[(usize, i64); 4]>,
}

impl PartialIndex {
    /// The index of the place that has the number `place` along the axis it is asked for: what
    /// [`ShapeTracker::index_and_valid`] answers for it.
    pub(crate) fn at(&self, arena: &mut Arena, place: impl Fn(usize) -> NodeId) -> Result<NodeId> {
        let mut distance = Sint::Int(0);
        for &(axis, stride) in &self.varying {
            let place = arena.lower(place(axis));
            let step = arena.sint_mul(place, Sint::Int(stride))?;
            distance = arena.sint_add(distance, step)?;
        }
        let distance = arena.lift(distance);
        match *arena.node(distance) {
            Node::Number(distance) => {
                let index = arena.add_to_base(&self.base, distance)?;
                in_range(arena, index)
            }
            _ => Err(SymbolicError::Unsupported("a place that is no number".to_owned()).into()),
        }
    }
}

impl ShapeTracker {
    /// The index of places of which the axes of `indices` that are `None` are still open. `None` where there are
    /// several views, or one with a mask or with a symbolic stride along an open axis.
    pub(crate) fn partial_index(&self, arena: &mut Arena, indices: &[Option<NodeId>]) -> Result<Option<PartialIndex>> {
        let [view] = &self.views[..] else { return Ok(None) };
        if view.mask.is_some() || indices.len() != view.shape.len() {
            return Ok(None);
        }
        let mut terms: SmallVec<[NodeId; 8]> = smallvec![arena.lift(view.offset)];
        let mut varying = SmallVec::new();
        for (axis, &index) in indices.iter().enumerate() {
            let stride = view.strides[axis];
            if view.shape[axis] == Sint::Int(1) || stride == Sint::Int(0) {
                continue;
            }
            match (index, stride) {
                (Some(index), _) => terms.push(arena.mul(index, stride)?),
                (None, Sint::Int(stride)) => varying.push((axis, stride)),
                (None, Sint::Node(_)) => return Ok(None),
            }
        }
        Ok(arena.sum_base(&terms)?.map(|base| PartialIndex { base, varying }))
    }

    /// Number of elements that the buffer must have: one more than the largest index.
    pub fn real_size(&self, arena: &mut Arena) -> Result<i64> {
        if self.last().has_no_places() {
            return Ok(0);
        }
        let (index, valid) = self.index_and_valid(arena, None)?;
        Ok(if may_be_nonzero(arena, valid) { arena.max_int(index).saturating_add(1) } else { 0 })
    }

    /// The index of the buffer's element at each place, and whether there is one (1) or padding (0), for the given
    /// index of each axis, or for variables `idx0`, `idx1`, … over the axes.
    pub fn index_and_valid(&self, arena: &mut Arena, indices: Option<&[NodeId]>) -> Result<(NodeId, NodeId)> {
        let (mut index, mut valid) = match indices {
            Some(indices) => view_index(arena, self.last(), indices, None)?,
            None => {
                let indices = self.index_variables(arena)?;
                view_index(arena, self.last(), &indices, None)?
            }
        };
        for view in self.views[..self.views.len() - 1].iter().rev() {
            if arena.max(valid) == Sint::Int(0) {
                return Ok((arena.number(-1), valid));
            }
            let view = view.minify(arena)?;
            let places = places(arena, &view, index)?;
            (index, valid) = view_index(arena, &view, &places, Some(valid))?;
        }
        Ok((in_range(arena, index)?, valid))
    }

    fn index_variables(&self, arena: &mut Arena) -> Result<SmallVec<[NodeId; 6]>> {
        self.shape().iter().enumerate().map(|(axis, &size)| index_variable(arena, axis, size)).collect()
    }

    /// Stride of each axis in the index expression; `None` where there is no single one or, unless `ignore_valid`,
    /// where the axis is masked.
    pub fn real_strides(&self, arena: &mut Arena, ignore_valid: bool) -> Result<SmallVec<[Option<Sint>; 6]>> {
        if let [view] = &self.views[..]
            && view.mask.is_none()
        {
            return Ok(view.strides.iter().map(|&stride| Some(stride)).collect());
        }
        let axes = self.index_variables(arena)?;
        let (index, valid) = self.index_and_valid(arena, Some(&axes))?;
        let mut strides: SmallVec<[Option<Sint>; 6]> = smallvec![None; axes.len()];
        let terms: SmallVec<[NodeId; 4]> = match arena.node(index) {
            Node::Sum(terms) => terms.clone(),
            _ => smallvec![index],
        };
        let mut irregular: SmallVec<[NodeId; 4]> = SmallVec::new();
        for term in terms {
            let (base, stride) = match *arena.node(term) {
                Node::Mul(base, factor) => (base, factor),
                _ => (term, Sint::Int(1)),
            };
            match axes.iter().position(|&axis| arena.same(axis, base)) {
                Some(axis) => strides[axis] = Some(stride),
                None => irregular.extend(arena.variables(base)),
            }
        }
        for (stride, &axis) in strides.iter_mut().zip(&axes) {
            // An axis of size 1 has a number for an index.
            let varies = matches!(arena.node(axis), Node::Variable(_));
            if varies && (irregular.contains(&axis) || (!ignore_valid && arena.contains(valid, axis))) {
                *stride = None;
            } else if !varies || !arena.contains(index, axis) {
                *stride = Some(Sint::Int(0));
            }
        }
        Ok(strides)
    }

    /// The axes along which neighbouring places are neighbouring elements.
    pub fn unit_stride_axes(&self, arena: &mut Arena, ignore_valid: bool) -> Result<SmallVec<[usize; 6]>> {
        let strides = self.real_strides(arena, ignore_valid)?;
        let unit = |(axis, stride): (usize, &Option<Sint>)| (*stride == Some(Sint::Int(1))).then_some(axis);
        Ok(strides.iter().enumerate().filter_map(unit).collect())
    }

    /// Whether the place along `axis` decides between an element and padding.
    pub fn axis_is_masked(&self, arena: &mut Arena, axis: usize) -> Result<bool> {
        let axes = self.index_variables(arena)?;
        let (_, valid) = self.index_and_valid(arena, Some(&axes))?;
        Ok(axes
            .get(axis)
            .is_some_and(|&axis| matches!(arena.node(axis), Node::Variable(_)) && arena.contains(valid, axis)))
    }
}

/// An index, where it fits in 32 bits.
fn in_range(arena: &Arena, index: NodeId) -> Result<NodeId> {
    let least = arena.min(index);
    let fits = least >= i64::from(i32::MIN) && arena.max(index).int().is_none_or(|most| most <= i64::from(i32::MAX));
    if fits { Ok(index) } else { Err(ShapeError::IndexRange(arena.describe(index))) }
}

/// The place of a view, an index for each axis, that row-major index `index` of its shape is.
fn places(arena: &mut Arena, view: &View, index: NodeId) -> Result<SmallVec<[NodeId; 6]>> {
    let mut places: SmallVec<[NodeId; 6]> = SmallVec::new();
    let mut passed = Sint::Int(1);
    for (axis, &size) in view.shape.iter().enumerate().rev() {
        let place = arena.floor_div(index, passed)?;
        places.push(match arena.modulo(place, size) {
            Err(SymbolicError::Unsupported(_)) if axis == 0 && arena.rules().is_on(ViewRule::OuterIndex) => {
                arena.firings_mut().count(ViewRule::OuterIndex);
                place
            }
            rest => rest?,
        });
        passed = arena.sint_mul(passed, size)?;
    }
    places.reverse();
    Ok(places)
}

/// Index and valid of one view at a place. A `valid` that is given must hold too.
fn view_index(arena: &mut Arena, view: &View, indices: &[NodeId], valid: Option<NodeId>) -> Result<(NodeId, NodeId)> {
    if indices.len() != view.shape.len() {
        let given = format!("{} indices", indices.len());
        return Err(argument(arena, "index", &view.shape, given, "one index is needed for each axis"));
    }
    let mut terms: SmallVec<[NodeId; 8]> = smallvec![arena.lift(view.offset)];
    let mut conditions: SmallVec<[NodeId; 8]> = valid.into_iter().collect();
    for (axis, &index) in indices.iter().enumerate() {
        let stride = view.strides[axis];
        if view.shape[axis] != Sint::Int(1) && stride != Sint::Int(0) {
            terms.push(arena.mul(index, stride)?);
        }
        if let Some(mask) = &view.mask {
            let (low, high) = mask[axis];
            conditions.push(arena.create_at_least(index, low)?);
            conditions.push(arena.create_less(index, high)?);
        }
    }
    Ok((arena.sum(&terms)?, arena.ands(&conditions)?))
}
