//! Stacks of views.

use super::{Dims, Result, View, row_major_strides};
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

    /// The variables of all views, each once.
    pub fn vars(&self, arena: &Arena) -> Vec<NodeId> {
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
        let views = self.views.iter().map(|view| view.substitute(arena, &replacements)).collect::<Result<_>>()?;
        Ok(ShapeTracker { views })
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
        let inner = &self.views[..self.views.len() - 1];
        ShapeTracker { views: inner.iter().cloned().chain([view]).collect() }
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
