//! Stacks of views, and their index and valid expressions.

use super::compare::maybe_true;
use super::merge::index_variable;
use super::{Dims, Result, ShapeError, View, row_major_strides};
use crate::symbolic::{Arena, Node, NodeId, Sint};
use smallvec::{SmallVec, smallvec};

/// A stack of views: the last one is seen, each reads through the one before it, the first reads the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShapeTracker {
    /// At least one.
    pub views: SmallVec<[View; 1]>,
}

impl ShapeTracker {
    /// The plain row-major view of a buffer of this shape.
    pub fn from_shape(arena: &mut Arena, shape: &[Sint]) -> Result<ShapeTracker> {
        Ok(ShapeTracker { views: smallvec![View::new(arena, shape, None, Sint::Int(0), None)?] })
    }

    /// [`ShapeTracker::from_shape`] of numbers.
    pub fn from_ints(arena: &mut Arena, shape: &[i64]) -> Result<ShapeTracker> {
        let shape: Dims = shape.iter().map(|&size| Sint::Int(size)).collect();
        ShapeTracker::from_shape(arena, &shape)
    }

    /// The view that is seen.
    pub fn last(&self) -> &View {
        // A stack holds at least one view: all constructors see to it.
        &self.views[self.views.len() - 1]
    }

    /// The shape that is seen.
    pub fn shape(&self) -> &Dims {
        &self.last().shape
    }

    /// Whether it is the plain row-major view of a whole buffer.
    pub fn contiguous(&self) -> bool {
        self.views.len() == 1 && self.views[0].contiguous
    }

    /// Whether it walks consecutive elements, from whatever offset.
    pub fn consecutive(&self, arena: &mut Arena) -> Result<bool> {
        let [view] = &self.views[..] else { return Ok(false) };
        Ok(view.mask.is_none() && view.strides == row_major_strides(arena, &view.shape)?)
    }

    /// Number of places, the largest where the shape is symbolic.
    pub fn size(&self, arena: &Arena) -> i64 {
        self.last().size(arena)
    }

    /// Number of elements that the buffer must have: one more than the largest index.
    pub fn real_size(&self, arena: &mut Arena) -> Result<i64> {
        if self.last().has_no_places() {
            return Ok(0);
        }
        let (index, valid) = self.index_and_valid(arena, None)?;
        Ok(if maybe_true(arena, valid) { arena.max_int(index).saturating_add(1) } else { 0 })
    }

    /// The variables of all views, each once.
    pub fn vars(&self, arena: &mut Arena) -> Vec<NodeId> {
        let mut found = Vec::new();
        for view in &self.views {
            for variable in view.vars(arena) {
                if !found.contains(&variable) {
                    found.push(variable);
                }
            }
        }
        found
    }

    /// The same with every bound variable replaced by the same one, unbound.
    pub fn unbind(&self, arena: &mut Arena) -> Result<ShapeTracker> {
        let mut replacements: SmallVec<[(NodeId, NodeId); 2]> = SmallVec::new();
        for variable in self.vars(arena) {
            if let Node::Variable(number) = *arena.node(variable) {
                let info = arena.variable_info(number).clone();
                if info.value.is_some() {
                    replacements.push((variable, arena.variable(&info.name, info.min, info.max, None)?));
                }
            }
        }
        if replacements.is_empty() {
            return Ok(self.clone());
        }
        let views = self.views.iter().map(|view| view.map(arena, &replacements)).collect::<Result<_>>()?;
        Ok(ShapeTracker { views })
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
            let mut places: SmallVec<[NodeId; 6]> = SmallVec::new();
            let mut passed = Sint::Int(1);
            for &size in view.shape.iter().rev() {
                let place = arena.floor_div(index, passed)?;
                places.push(arena.modulo(place, size)?);
                passed = arena.sint_mul(passed, size)?;
            }
            places.reverse();
            (index, valid) = view_index(arena, &view, &places, Some(valid))?;
        }
        let least = arena.min(index);
        let fits =
            least >= i64::from(i32::MIN) && arena.max(index).int().is_none_or(|most| most <= i64::from(i32::MAX));
        if fits { Ok((index, valid)) } else { Err(ShapeError::IndexRange(arena.render(index))) }
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

    /// The same in fewer views, where the last ones can be merged.
    pub fn simplify(&self, arena: &mut Arena) -> Result<ShapeTracker> {
        let mut views = self.views.clone();
        while let [.., inner, outer] = &views[..] {
            let Some(merged) = inner.merge(arena, outer)? else { break };
            views.truncate(views.len() - 2);
            views.push(merged);
        }
        Ok(ShapeTracker { views })
    }

    /// This stack read through `outer`, one view at a time, merged where possible.
    pub fn through(&self, arena: &mut Arena, outer: &ShapeTracker) -> Result<ShapeTracker> {
        let mut stacked = self.clone();
        for view in &outer.views {
            stacked.views.push(view.clone());
            stacked = stacked.simplify(arena)?;
        }
        Ok(stacked)
    }

    /// The inverse: reading this stack through it shows a plain buffer of `out_shape`. `None` where elements are left
    /// out or repeated.
    pub fn invert(&self, arena: &mut Arena, out_shape: &[Sint]) -> Result<Option<ShapeTracker>> {
        let mut inverted: SmallVec<[View; 1]> = SmallVec::new();
        for place in (0..self.views.len()).rev() {
            let shape = if place == 0 { out_shape } else { &self.views[place - 1].shape };
            match self.views[place].invert(arena, shape)? {
                Some(view) => inverted.push(view),
                None => return Ok(None),
            }
        }
        Ok(Some(ShapeTracker { views: inverted }.reshape(arena, out_shape)?))
    }

    fn with_last(&self, view: View) -> ShapeTracker {
        let mut views = self.views.clone();
        if let Some(last) = views.last_mut() {
            *last = view;
        }
        ShapeTracker { views }
    }

    /// See [`View::pad`].
    pub fn pad(&self, arena: &mut Arena, arg: &[(Sint, Sint)]) -> Result<ShapeTracker> {
        Ok(self.with_last(self.last().pad(arena, arg)?))
    }

    /// See [`View::shrink`].
    pub fn shrink(&self, arena: &mut Arena, arg: &[(Sint, Sint)]) -> Result<ShapeTracker> {
        Ok(self.with_last(self.last().shrink(arena, arg)?))
    }

    /// See [`View::expand`].
    pub fn expand(&self, arena: &mut Arena, shape: &[Sint]) -> Result<ShapeTracker> {
        Ok(self.with_last(self.last().expand(arena, shape)?))
    }

    /// See [`View::permute`].
    pub fn permute(&self, arena: &mut Arena, axes: &[usize]) -> Result<ShapeTracker> {
        Ok(self.with_last(self.last().permute(arena, axes)?))
    }

    /// See [`View::stride`].
    pub fn stride(&self, arena: &mut Arena, steps: &[i64]) -> Result<ShapeTracker> {
        Ok(self.with_last(self.last().stride(arena, steps)?))
    }

    /// The same places, in row-major order, in another shape: in place where one view can express it, otherwise
    /// through a view stacked on top.
    pub fn reshape(&self, arena: &mut Arena, shape: &[Sint]) -> Result<ShapeTracker> {
        if let Some(view) = self.last().reshape(arena, shape)? {
            return Ok(self.with_last(view));
        }
        let mut views = self.views.clone();
        views.push(View::new(arena, shape, None, Sint::Int(0), None)?);
        Ok(ShapeTracker { views })
    }
}

/// Index and valid of one view at a place. A `valid` that is given must hold too.
fn view_index(arena: &mut Arena, view: &View, indices: &[NodeId], valid: Option<NodeId>) -> Result<(NodeId, NodeId)> {
    if indices.len() != view.shape.len() {
        return Err(ShapeError::Argument {
            operation: "index",
            shape: super::error::list(arena, &view.shape),
            argument: format!("{} indices", indices.len()),
            reason: "one index is needed for each axis".to_owned(),
        });
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
