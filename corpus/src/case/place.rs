//! Layouts in plain numbers: which element of its buffer a layout shows at a place, and at which place it shows an element.
//! Apart from `core`'s views.

use super::{Dim, Layout, Movement, RawView, Variable};

/// A layout for certain values of the variables.
pub(super) struct PlainLayout {
    shape: Vec<i64>,
    /// From the buffer to the shape.
    steps: Vec<Step>,
}

/// What a place on one side of a step is on the other. Inner is the buffer's side.
enum Step {
    /// Row-major places of two shapes of equal size.
    Reshape { inner: Vec<i64>, outer: Vec<i64> },
    /// Outer axis `i` is inner axis `axes[i]`.
    Permute(Vec<usize>),
    /// Inner axes of size 1 that are repeated; false for the others.
    Expand(Vec<bool>),
    /// Outer places lie `before` further on; the inner shape ends the elements.
    Pad { before: Vec<i64>, inner: Vec<i64> },
    /// Outer places begin here, and are so many.
    Shrink { begin: Vec<i64>, outer: Vec<i64> },
    /// Every so many-th place, from the end where negative.
    Stride { steps: Vec<i64>, inner: Vec<i64>, outer: Vec<i64> },
    /// A strided view of the row-major places of the inner shape (none: of the buffer).
    View { view: PlainView, inner: Option<Vec<i64>> },
}

struct PlainView {
    shape: Vec<i64>,
    strides: Vec<i64>,
    offset: i64,
    mask: Option<Vec<(i64, i64)>>,
}

/// The row-major number of a place.
fn ravel(shape: &[i64], place: &[i64]) -> i64 {
    shape.iter().zip(place).fold(0, |number, (size, index)| number * size + index)
}

/// The place of a row-major number.
pub(super) fn unravel(shape: &[i64], number: i64) -> Vec<i64> {
    let mut rest = number;
    let mut place: Vec<i64> = shape
        .iter()
        .rev()
        .map(|&size| {
            let index = rest % size.max(1);
            rest /= size.max(1);
            index
        })
        .collect();
    place.reverse();
    place
}

fn within(place: &[i64], shape: &[i64]) -> bool {
    place.iter().zip(shape).all(|(index, size)| (0..*size).contains(index))
}

impl PlainLayout {
    /// The layout for the values that the variables are bound to; `None` where one is open, or something is no number.
    pub(super) fn of(layout: &Layout, variables: &[Variable]) -> Option<PlainLayout> {
        let value = |name: &str| variables.iter().find(|variable| variable.name == name)?.value;
        let number = |dim: &Dim| dim.evaluate(&value);
        let numbers = |dims: &[Dim]| dims.iter().map(number).collect::<Option<Vec<i64>>>();
        let pairs = |pairs: &[(Dim, Dim)]| {
            pairs.iter().map(|(low, high)| Some((number(low)?, number(high)?))).collect::<Option<Vec<_>>>()
        };
        let mut steps = Vec::new();
        let shape = match layout {
            Layout::Views(views) => {
                let mut inner = None;
                for RawView { shape, strides, offset, mask } in views {
                    let mask = match mask {
                        Some(mask) => Some(pairs(mask)?),
                        None => None,
                    };
                    let view =
                        PlainView { shape: numbers(shape)?, strides: numbers(strides)?, offset: number(offset)?, mask };
                    let outer = view.shape.clone();
                    steps.push(Step::View { view, inner: inner.replace(outer) });
                }
                inner?
            }
            Layout::Chain { base, movements } => {
                let mut shape = numbers(base)?;
                let buffer = shape.clone();
                let strides = (0..shape.len()).map(|axis| shape[axis + 1..].iter().product()).collect();
                let view = PlainView { shape: buffer, strides, offset: 0, mask: None };
                steps.push(Step::View { view, inner: None });
                for movement in movements {
                    let inner = shape.clone();
                    let step = match movement {
                        Movement::Reshape(new) => {
                            shape = numbers(new)?;
                            Step::Reshape { inner, outer: shape.clone() }
                        }
                        Movement::Permute(axes) => {
                            shape = axes.iter().map(|&axis| inner.get(axis).copied()).collect::<Option<_>>()?;
                            Step::Permute(axes.clone())
                        }
                        Movement::Expand(new) => {
                            shape = numbers(new)?;
                            Step::Expand(inner.iter().zip(&shape).map(|(old, new)| old != new).collect())
                        }
                        Movement::Pad(widths) => {
                            let widths = pairs(widths)?;
                            shape = inner.iter().zip(&widths).map(|(size, (a, b))| size + a + b).collect();
                            Step::Pad { before: widths.iter().map(|&(before, _)| before).collect(), inner }
                        }
                        Movement::Shrink(ranges) => {
                            let ranges = pairs(ranges)?;
                            shape = ranges.iter().map(|(begin, end)| end - begin).collect();
                            let begin = ranges.iter().map(|&(begin, _)| begin).collect();
                            Step::Shrink { begin, outer: shape.clone() }
                        }
                        Movement::Stride(strides) => {
                            let places = |(size, step): (&i64, &i64)| {
                                let step = step.checked_abs().filter(|&step| step > 0)?;
                                Some((size - 1) / step + 1)
                            };
                            shape = inner.iter().zip(strides).map(places).collect::<Option<_>>()?;
                            Step::Stride { steps: strides.clone(), inner, outer: shape.clone() }
                        }
                    };
                    steps.push(step);
                }
                shape
            }
        };
        Some(PlainLayout { shape, steps })
    }

    /// Size of each axis.
    pub(super) fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The buffer's element at a place; `None` in padding.
    pub(super) fn element(&self, place: &[i64]) -> Option<i64> {
        let mut place = place.to_vec();
        for step in self.steps.iter().rev() {
            place = step.inner(&place)?;
        }
        place.first().copied()
    }

    /// The place that shows an element, where it is not one of several; `None` where there is none, or it can't be told.
    pub(super) fn place_of(&self, element: i64) -> Option<Vec<i64>> {
        self.steps.iter().try_fold(vec![element], |place, step| step.outer(place))
    }

    /// Whether no element is shown at two places for certain; `None` where that takes looking at each place.
    pub(super) fn shows_once(&self) -> Option<bool> {
        let mut all = Some(true);
        for step in &self.steps {
            match step {
                Step::Expand(repeated) if repeated.contains(&true) => return Some(false),
                Step::View { view, .. }
                    if view.strides.iter().zip(&view.shape).any(|(&s, &size)| s == 0 && size > 1) =>
                {
                    return Some(false);
                }
                Step::View { view, .. } if !view.is_nested() => all = None,
                _ => {}
            }
        }
        all
    }
}

impl PlainView {
    /// The axes with more than one place, longest steps first.
    fn by_stride(&self) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..self.shape.len()).filter(|&axis| self.shape[axis] > 1).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(self.strides[axis].unsigned_abs()));
        axes
    }

    /// Whether each step along an axis is longer than all that axes of shorter steps reach: elements are then shown once.
    fn is_nested(&self) -> bool {
        let mut reach = 0u64;
        for axis in self.by_stride().into_iter().rev() {
            let step = self.strides[axis].unsigned_abs();
            if step <= reach {
                return false;
            }
            reach = reach.saturating_add(step.saturating_mul(self.shape[axis].unsigned_abs() - 1));
        }
        true
    }

    /// The place that shows `element`, where the view is nested.
    fn place_of(&self, element: i64) -> Option<Vec<i64>> {
        if !self.is_nested() {
            return None;
        }
        // Axes that are walked backwards begin at their ends.
        let ends = |axis: usize| self.strides[axis].min(0) * (self.shape[axis] - 1);
        let least = (0..self.shape.len()).fold(self.offset, |least, axis| least + ends(axis));
        let mut rest = element - least;
        let mut place = vec![0; self.shape.len()];
        if rest < 0 {
            return None;
        }
        for axis in self.by_stride() {
            let step = self.strides[axis].abs();
            let index = (rest / step).min(self.shape[axis] - 1);
            rest -= index * step;
            place[axis] = if self.strides[axis] < 0 { self.shape[axis] - 1 - index } else { index };
        }
        (rest == 0 && self.shows(&place)).then_some(place)
    }

    fn shows(&self, place: &[i64]) -> bool {
        self.mask.iter().flatten().zip(place).all(|(&(begin, end), index)| (begin..end).contains(index))
    }
}

impl Step {
    /// The inner place that an outer one shows.
    fn inner(&self, place: &[i64]) -> Option<Vec<i64>> {
        Some(match self {
            Step::Reshape { inner, outer } => unravel(inner, ravel(outer, place)),
            Step::Permute(axes) => {
                let mut moved = vec![0; axes.len()];
                for (&axis, &index) in axes.iter().zip(place) {
                    *moved.get_mut(axis)? = index;
                }
                moved
            }
            Step::Expand(repeated) => {
                place.iter().zip(repeated).map(|(&index, &repeated)| if repeated { 0 } else { index }).collect()
            }
            Step::Pad { before, inner } => {
                let moved: Vec<i64> = place.iter().zip(before).map(|(index, before)| index - before).collect();
                return within(&moved, inner).then_some(moved);
            }
            Step::Shrink { begin, .. } => place.iter().zip(begin).map(|(index, begin)| index + begin).collect(),
            Step::Stride { steps, inner, .. } => {
                let from_end = |((index, step), size): ((&i64, &i64), &i64)| {
                    if *step < 0 { size - 1 + index * step } else { index * step }
                };
                place.iter().zip(steps).zip(inner).map(from_end).collect()
            }
            Step::View { view, inner } => {
                if !view.shows(place) {
                    return None;
                }
                let number = place.iter().zip(&view.strides).fold(view.offset, |sum, (index, step)| sum + index * step);
                inner.as_ref().map_or_else(|| vec![number], |inner| unravel(inner, number))
            }
        })
    }

    /// The outer place that shows an inner one, where it is the only one.
    fn outer(&self, place: Vec<i64>) -> Option<Vec<i64>> {
        match self {
            Step::Reshape { inner, outer } => Some(unravel(outer, ravel(inner, &place))),
            Step::Permute(axes) => axes.iter().map(|&axis| place.get(axis).copied()).collect(),
            Step::Expand(repeated) => (!repeated.contains(&true)).then_some(place),
            Step::Pad { before, .. } => Some(place.iter().zip(before).map(|(index, before)| index + before).collect()),
            Step::Shrink { begin, outer } => {
                let moved: Vec<i64> = place.iter().zip(begin).map(|(index, begin)| index - begin).collect();
                within(&moved, outer).then_some(moved)
            }
            Step::Stride { steps, inner, outer } => {
                let moved = place.iter().zip(steps).zip(inner).map(|((index, step), size)| {
                    let index = if *step < 0 { size - 1 - index } else { *index };
                    (index % step.abs() == 0).then_some(index / step.abs())
                });
                moved.collect::<Option<Vec<i64>>>().filter(|moved| within(moved, outer))
            }
            Step::View { view, inner } => {
                let number = match inner {
                    Some(inner) => ravel(inner, &place),
                    None => place.first().copied()?,
                };
                view.place_of(number)
            }
        }
    }
}
