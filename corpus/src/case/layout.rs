//! Shapes of layouts, and whether their movements and views are legal. Like all of [`super::dim`], apart from `core`.

use super::{
    Dim, DimExpr, Layout, MAX_AXES, MAX_BUFFER_ELEMENTS, MAX_ELEMENTS, MAX_EXPRESSION_DEPTH, MAX_MOVEMENTS, Movement,
    RawView, Variable,
};

/// What a layout may refer to.
pub(super) struct Scope<'a> {
    pub(super) variables: &'a [Variable],
}

impl Scope<'_> {
    /// The shape in which a layout shows its buffer, or what is wrong with it.
    pub(super) fn shape(&self, layout: &Layout) -> Result<Vec<Dim>, String> {
        each_dim(layout, &mut |dim| self.written(dim))?;
        match layout {
            Layout::Chain { base, movements } => {
                limit("movements", movements.len(), MAX_MOVEMENTS)?;
                self.known_shape(base).map_err(|error| format!("buffer: {error}"))?;
                let elements = base.iter().try_fold(1, |all, size| Ok::<i64, String>(all * self.bounds(size)?.1))?;
                addressable(elements).map_err(|error| format!("buffer: {error}"))?;
                let mut shape = base.clone();
                for movement in movements {
                    shape = self
                        .moved(&shape, movement)
                        .and_then(|shape| self.known_shape(&shape).map(|()| shape))
                        .map_err(|error| format!("{}: {error}", name(movement)))?;
                }
                Ok(shape)
            }
            Layout::Views(views) => {
                limit("views", views.len(), MAX_MOVEMENTS)?;
                let mut below = None;
                for (number, view) in views.iter().enumerate() {
                    self.view(view, below).map_err(|error| format!("view {number}: {error}"))?;
                    below = Some(view);
                }
                below.map(|view| view.shape.clone()).ok_or_else(|| "there must be at least one view".to_owned())
            }
        }
    }

    fn moved(&self, shape: &[Dim], movement: &Movement) -> Result<Vec<Dim>, String> {
        let per_axis = |given: usize| {
            if given == shape.len() { Ok(()) } else { Err(format!("{given} entries for {} axes", shape.len())) }
        };
        let overflow = || "a size leaves 64 bits".to_owned();
        match movement {
            Movement::Reshape(new) => {
                self.known_shape(new)?;
                if Dim::same_product(shape, new) { Ok(new.clone()) } else { Err("the sizes differ".to_owned()) }
            }
            Movement::Permute(axes) => {
                per_axis(axes.len())?;
                let mut sorted = axes.clone();
                sorted.sort_unstable();
                if sorted.iter().enumerate().any(|(place, axis)| place != *axis) {
                    return Err("each axis must stand there once".to_owned());
                }
                Ok(axes.iter().filter_map(|&axis| shape.get(axis).cloned()).collect())
            }
            Movement::Expand(new) => {
                per_axis(new.len())?;
                let illegal = shape.iter().zip(new).find(|(old, new)| !old.same(&Dim::Int(1)) && !old.same(new));
                if illegal.is_some() { Err("only axes of size 1 can be repeated".to_owned()) } else { Ok(new.clone()) }
            }
            Movement::Pad(widths) => {
                per_axis(widths.len())?;
                let padded = shape.iter().zip(widths).map(|(size, (before, after))| {
                    for width in [before, after] {
                        if self.bounds(width)?.0 < 0 {
                            return Err("a width may be negative".to_owned());
                        }
                    }
                    size.plus(before).and_then(|size| size.plus(after)).ok_or_else(overflow)
                });
                padded.collect()
            }
            Movement::Shrink(ranges) => {
                per_axis(ranges.len())?;
                let shrunk = shape.iter().zip(ranges).map(|(size, (begin, end))| {
                    let kept = end.minus(begin).ok_or_else(overflow)?;
                    let cut = size.minus(end).ok_or_else(overflow)?;
                    if self.bounds(begin)?.0 < 0 || self.bounds(&kept)?.1 < 1 || self.bounds(&cut)?.1 < 0 {
                        return Err("a range must not be empty and must lie within its axis".to_owned());
                    }
                    Ok(kept)
                });
                shrunk.collect()
            }
            Movement::Stride(steps) => {
                per_axis(steps.len())?;
                let strided = shape.iter().zip(steps).map(|(size, step)| match (size, step.unsigned_abs()) {
                    (_, 0) => Err("a step is 0".to_owned()),
                    (size, 1) => Ok(size.clone()),
                    (Dim::Int(size), step) => {
                        let places = u64::try_from(*size).unwrap_or(0).div_ceil(step);
                        i64::try_from(places).map(Dim::Int).map_err(|_| overflow())
                    }
                    (Dim::Expr(_), _) => Err("an axis of symbolic size takes the steps 1 and -1 only".to_owned()),
                });
                strided.collect()
            }
        }
    }

    /// Fails where a dimension may be less than 1 or the number of elements may be too large.
    fn known_shape(&self, shape: &[Dim]) -> Result<(), String> {
        limit("axes", shape.len(), MAX_AXES)?;
        let mut elements = 1i64;
        for size in shape {
            let (low, high) = self.bounds(size)?;
            // A symbolic size that may be 0 is for the one who binds the variables to avoid.
            if high < 1 || (low < 1 && size.int().is_some()) {
                return Err("a size must be at least 1".to_owned());
            }
            elements = elements.saturating_mul(high);
        }
        if elements > MAX_ELEMENTS { Err(format!("more than {MAX_ELEMENTS} elements")) } else { Ok(()) }
    }

    /// A view, and that all it shows lies within `below`, or not before the buffer's beginning.
    fn view(&self, view: &RawView, below: Option<&RawView>) -> Result<(), String> {
        self.known_shape(&view.shape)?;
        let axes = view.shape.len();
        if view.strides.len() != axes || view.mask.as_ref().is_some_and(|mask| mask.len() != axes) {
            return Err("shape, strides and mask must have one entry for each axis".to_owned());
        }
        // The range of the index where the mask holds, with the offset and each axis at its extremes.
        let (mut low, mut high) = self.bounds(&view.offset).map(|(low, high)| (i128::from(low), i128::from(high)))?;
        let mut exact = view.offset.int().is_some();
        let mut empty = false;
        for (axis, (size, stride)) in view.shape.iter().zip(&view.strides).enumerate() {
            let full = (Dim::Int(0), size.clone());
            let (begin, end) = view.mask.as_ref().and_then(|mask| mask.get(axis)).unwrap_or(&full);
            let (begin, end) = (self.bounds(begin)?, self.bounds(end)?);
            // What holds for some values of the variables only is for the one who binds them to see to.
            if begin.1 < 0 || end.0 > self.bounds(size)?.1 || begin.0 > end.1 {
                return Err(format!("the mask of axis {axis} does not lie within the axis"));
            }
            exact &= begin.0 == begin.1 && end.0 == end.1 && stride.int().is_some();
            empty |= begin.0 >= end.1;
            let (least, most) = self.bounds(stride)?;
            let (first, last) = (i128::from(begin.0), i128::from(end.1) - 1);
            let corners = [least, most].map(i128::from).map(|stride| [stride * first, stride * last]);
            low += corners.iter().flatten().min().copied().unwrap_or(0);
            high += corners.iter().flatten().max().copied().unwrap_or(0);
        }
        let limit = 1i128 << 62;
        if low < -limit || high > limit {
            return Err("an index may leave 64 bits".to_owned());
        }
        // Symbolic parts depend on one another, so that their extremes prove nothing.
        if empty || !exact {
            return Ok(());
        }
        if low < 0 {
            return Err(format!("it shows index {low}, before the beginning"));
        }
        if below.is_none() {
            addressable(i64::try_from(high).unwrap_or(i64::MAX).saturating_add(1))?;
        }
        let room =
            below.map(|below| below.shape.iter().map(Dim::int).try_fold(1, |all, size| Some(all * i128::from(size?))));
        match room.flatten() {
            Some(room) if high >= room => Err(format!("it shows index {high} of a view of {room} elements")),
            _ => Ok(()),
        }
    }

    /// Fails where an expression that someone wrote is too deep or names a variable that is not declared.
    fn written(&self, dim: &Dim) -> Result<(), String> {
        let Dim::Expr(expression) = dim else { return Ok(()) };
        if !expression.is_at_most(MAX_EXPRESSION_DEPTH) {
            return Err(format!("an expression may nest at most {MAX_EXPRESSION_DEPTH} deep"));
        }
        if matches!(**expression, DimExpr::Int(_)) {
            return Err("a number must not stand as an expression".to_owned());
        }
        let mut stack = vec![expression];
        while let Some(expression) = stack.pop() {
            if let DimExpr::Variable(name) = &**expression
                && !self.variables.iter().any(|variable| variable.name == *name)
            {
                return Err(format!("variable {name} is not declared"));
            }
            stack.extend(expression.sides().into_iter().flat_map(|(left, right)| [left, right]));
        }
        Ok(())
    }

    /// Smallest and largest value of a dimension.
    fn bounds(&self, dim: &Dim) -> Result<(i64, i64), String> {
        let unbounded = || "an expression divides by 0, or its value leaves 64 bits".to_owned();
        dim.bounds(self.variables).ok_or_else(unbounded)
    }
}

/// Calls `visit` with each dimension that a layout has.
fn each_dim(layout: &Layout, visit: &mut dyn FnMut(&Dim) -> Result<(), String>) -> Result<(), String> {
    let pairs = |pairs: &[(Dim, Dim)], visit: &mut dyn FnMut(&Dim) -> Result<(), String>| {
        pairs.iter().try_for_each(|(low, high)| visit(low).and_then(|()| visit(high)))
    };
    match layout {
        Layout::Chain { base, movements } => {
            base.iter().try_for_each(&mut *visit)?;
            movements.iter().try_for_each(|movement| match movement {
                Movement::Reshape(shape) | Movement::Expand(shape) => shape.iter().try_for_each(&mut *visit),
                Movement::Pad(widths) => pairs(widths, visit),
                Movement::Shrink(ranges) => pairs(ranges, visit),
                Movement::Permute(_) | Movement::Stride(_) => Ok(()),
            })
        }
        Layout::Views(views) => views.iter().try_for_each(|view| {
            view.shape.iter().chain(&view.strides).chain([&view.offset]).try_for_each(&mut *visit)?;
            pairs(view.mask.as_deref().unwrap_or(&[]), visit)
        }),
    }
}

/// Fails for a buffer of more elements than indices of 32 bits can tell apart.
fn addressable(elements: i64) -> Result<(), String> {
    if elements <= MAX_BUFFER_ELEMENTS {
        return Ok(());
    }
    Err(format!(
        "{elements} elements; indices are of 32 bits, so that a buffer has at most {MAX_BUFFER_ELEMENTS} that a kernel can reach"
    ))
}

fn name(movement: &Movement) -> &'static str {
    match movement {
        Movement::Reshape(_) => "reshape",
        Movement::Permute(_) => "permute",
        Movement::Expand(_) => "expand",
        Movement::Pad(_) => "pad",
        Movement::Shrink(_) => "shrink",
        Movement::Stride(_) => "stride",
    }
}

fn limit(what: &str, found: usize, most: usize) -> Result<(), String> {
    if found > most { Err(format!("{found} {what}; at most {most} are allowed")) } else { Ok(()) }
}
