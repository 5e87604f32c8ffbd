//! Layouts in numbers: which element of memory stands at a place, computed naively from movements or raw views.

use super::dims::{resolve, resolve_all, resolve_pairs};
use super::lanes::{Coordinates, ravel, size_of, unravel_into};
use super::{ReferenceError, dims};
use plumb_corpus::case::{self, Movement, RawView};

/// What stands for a place that no element of memory stands at: padding, which holds zero.
pub(crate) const PADDING: i64 = -1;

/// Layouts of several views with at most this many places have their reach enumerated; of larger ones the reach of the
/// buffer's own view is taken, which can only be larger.
const ENUMERATED: i64 = 1 << 17;

/// A layout without symbolic parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Layout {
    /// A row-major buffer, moved.
    Chain {
        /// Shape of the buffer.
        base: Vec<i64>,
        /// Movements with the shape that each one yields.
        moves: Vec<(Move, Vec<i64>)>,
    },
    /// A stack of views, the buffer's first; never empty.
    Views(Vec<View>),
}

/// A movement without symbolic parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Move {
    Reshape,
    Permute(Vec<usize>),
    Expand,
    Pad(Vec<(i64, i64)>),
    Shrink(Vec<(i64, i64)>),
    Stride(Vec<i64>),
}

/// A view without symbolic parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct View {
    pub(crate) shape: Vec<i64>,
    pub(crate) strides: Vec<i64>,
    pub(crate) offset: i64,
    pub(crate) mask: Option<Vec<(i64, i64)>>,
}

fn invalid<T>(message: impl Into<String>) -> Result<T, ReferenceError> {
    Err(ReferenceError::Invalid(message.into()))
}

impl Layout {
    /// The layout's numbers under `bindings`, checked.
    pub(crate) fn new(layout: &case::Layout, bindings: &[(String, i64)]) -> Result<Layout, ReferenceError> {
        match layout {
            case::Layout::Chain { base, movements } => {
                let base = resolve_all(base, bindings)?;
                size_of(&base)?;
                let mut moves: Vec<(Move, Vec<i64>)> = Vec::with_capacity(movements.len());
                for movement in movements {
                    let from = moves.last().map_or(&base, |(_, shape)| shape);
                    let next = apply(movement, from, bindings)?;
                    size_of(&next.1)?;
                    moves.push(next);
                }
                Ok(Layout::Chain { base, moves })
            }
            case::Layout::Views(views) if views.is_empty() => invalid("a layout without views"),
            case::Layout::Views(views) => {
                Ok(Layout::Views(views.iter().map(|view| View::new(view, bindings)).collect::<Result<_, _>>()?))
            }
        }
    }

    /// The shape that the kernel sees.
    pub(crate) fn shape(&self) -> &[i64] {
        match self {
            Layout::Chain { base, moves } => moves.last().map_or(base, |(_, shape)| shape),
            Layout::Views(views) => views.last().map_or(&[], |view| &view.shape),
        }
    }

    /// Whether places may be padding.
    pub(crate) fn is_masked(&self) -> bool {
        match self {
            Layout::Chain { moves, .. } => moves.iter().any(|(step, _)| matches!(step, Move::Pad(_))),
            Layout::Views(views) => views.iter().any(|view| view.mask.is_some()),
        }
    }

    /// Whether the element at each place is the place's own row-major number.
    pub(crate) fn is_identity(&self) -> bool {
        match self {
            Layout::Chain { moves, .. } => moves.iter().all(|(step, _)| matches!(step, Move::Reshape)),
            Layout::Views(views) => views.iter().all(|view| {
                let mut stride = 1;
                let row_major = view.shape.iter().zip(&view.strides).rev().all(|(&size, &actual)| {
                    let here = stride;
                    stride *= size;
                    size == 1 || actual == here
                });
                row_major && view.offset == 0 && view.mask.is_none()
            }),
        }
    }

    /// One more than the largest element of memory that any place holds.
    pub(crate) fn reach(&self) -> Result<i64, ReferenceError> {
        match self {
            Layout::Chain { base, .. } => size_of(base),
            Layout::Views(views) => match views.as_slice() {
                [only] => only.reach(),
                _ if size_of(self.shape())? <= ENUMERATED => {
                    let coordinates = Coordinates::of_range(self.shape(), 0..size_of(self.shape())?);
                    let mut elements = Vec::new();
                    self.locate(&coordinates, &mut elements)?;
                    Ok(elements.into_iter().max().unwrap_or(PADDING) + 1)
                }
                [first, ..] => first.reach(),
                [] => Ok(0),
            },
        }
    }

    /// The element of memory at each of the places `coordinates`, or [`PADDING`].
    pub(crate) fn locate(&self, coordinates: &Coordinates, elements: &mut Vec<i64>) -> Result<(), ReferenceError> {
        match self {
            Layout::Chain { base, moves } => locate_in_chain(base, moves, coordinates, elements),
            Layout::Views(views) => locate_in_views(views, coordinates, elements),
        }
    }
}

impl View {
    fn new(view: &RawView, bindings: &[(String, i64)]) -> Result<View, ReferenceError> {
        let view = View {
            shape: resolve_all(&view.shape, bindings)?,
            strides: resolve_all(&view.strides, bindings)?,
            offset: resolve(&view.offset, bindings)?,
            mask: view.mask.as_ref().map(|mask| dims::resolve_pairs(mask, bindings)).transpose()?,
        };
        size_of(&view.shape)?;
        let axes = view.shape.len();
        if view.strides.len() != axes || view.mask.as_ref().is_some_and(|mask| mask.len() != axes) {
            return invalid("a view whose strides or mask have another number of axes than its shape");
        }
        let span: i128 = view.shape.iter().zip(&view.strides).map(|(&n, &s)| i128::from(n) * i128::from(s).abs()).sum();
        if span + i128::from(view.offset).abs() > i128::from(i64::MAX) {
            return invalid("a view that reaches beyond 64 bits");
        }
        Ok(view)
    }

    /// One more than the largest element that the view's valid places hold.
    fn reach(&self) -> Result<i64, ReferenceError> {
        let (mut least, mut largest) = (self.offset, self.offset);
        for (axis, (&size, &stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            let (low, high) =
                self.mask.as_ref().map_or((0, size), |mask| (mask[axis].0.max(0), mask[axis].1.min(size)));
            if low >= high {
                return Ok(0);
            }
            let (first, last) = (low * stride, (high - 1) * stride);
            least += first.min(last);
            largest += first.max(last);
        }
        if least < 0 { invalid("a view that reaches before its buffer") } else { Ok(largest + 1) }
    }
}

/// The movement in numbers and the shape it yields.
fn apply(movement: &Movement, from: &[i64], bindings: &[(String, i64)]) -> Result<(Move, Vec<i64>), ReferenceError> {
    let same_axes = |count: usize, what: &str| {
        if count == from.len() {
            Ok(())
        } else {
            invalid(format!("{what} of {count} axes on a shape of {}", from.len()))
        }
    };
    Ok(match movement {
        Movement::Reshape(to) => {
            let to = resolve_all(to, bindings)?;
            if size_of(&to)? != size_of(from)? {
                return invalid(format!("a reshape of {from:?} to {to:?}, which has another size"));
            }
            (Move::Reshape, to)
        }
        Movement::Permute(axes) => {
            same_axes(axes.len(), "a permutation")?;
            let mut seen = vec![false; from.len()];
            for &axis in axes {
                if axis >= from.len() || std::mem::replace(&mut seen[axis], true) {
                    return invalid(format!("{axes:?} is no permutation"));
                }
            }
            (Move::Permute(axes.clone()), axes.iter().map(|&axis| from[axis]).collect())
        }
        Movement::Expand(to) => {
            same_axes(to.len(), "an expansion")?;
            let to = resolve_all(to, bindings)?;
            if from.iter().zip(&to).any(|(&a, &b)| a != b && a != 1) {
                return invalid(format!("an expansion of {from:?} to {to:?}"));
            }
            (Move::Expand, to)
        }
        Movement::Pad(pads) => {
            same_axes(pads.len(), "a pad")?;
            let pads = resolve_pairs(pads, bindings)?;
            let mut to = Vec::with_capacity(from.len());
            for (&size, &(before, after)) in from.iter().zip(&pads) {
                match size.checked_add(before).and_then(|sum| sum.checked_add(after)) {
                    Some(sum) if before >= 0 && after >= 0 => to.push(sum),
                    _ => return invalid(format!("a pad by ({before},{after})")),
                }
            }
            (Move::Pad(pads), to)
        }
        Movement::Shrink(ranges) => {
            same_axes(ranges.len(), "a shrink")?;
            let ranges = resolve_pairs(ranges, bindings)?;
            for (&size, &(start, end)) in from.iter().zip(&ranges) {
                if !(0 <= start && start <= end && end <= size) {
                    return invalid(format!("a shrink of an axis of {size} to ({start},{end})"));
                }
            }
            let to = ranges.iter().map(|(start, end)| end - start).collect();
            (Move::Shrink(ranges), to)
        }
        Movement::Stride(steps) => {
            same_axes(steps.len(), "a stride")?;
            if steps.iter().any(|&step| step == 0 || step == i64::MIN) {
                return invalid("a stride of zero");
            }
            let to = from.iter().zip(steps).map(|(&size, step)| (size - 1) / step.abs() + 1).collect();
            (Move::Stride(steps.clone()), to)
        }
    })
}

/// From the last movement back to the buffer: each one's inverse on all places at once.
fn locate_in_chain(
    base: &[i64],
    moves: &[(Move, Vec<i64>)],
    coordinates: &Coordinates,
    elements: &mut Vec<i64>,
) -> Result<(), ReferenceError> {
    let lanes = coordinates.lanes;
    let mut axes = coordinates.axes.clone();
    let mut valid: Option<Vec<bool>> = None;
    for (number, (step, shape)) in moves.iter().enumerate().rev() {
        let from = if number == 0 { base } else { &moves[number - 1].1 };
        match step {
            Move::Reshape => {
                ravel(&axes, shape, lanes, elements);
                unravel_into(elements, from, &mut axes);
            }
            Move::Permute(order) => {
                let mut moved = vec![Vec::new(); axes.len()];
                for (column, &axis) in axes.into_iter().zip(order) {
                    moved[axis] = column;
                }
                axes = moved;
            }
            Move::Expand => {
                for (column, _) in axes.iter_mut().zip(from.iter().zip(shape)).filter(|(_, (a, b))| a != b) {
                    column.fill(0);
                }
            }
            Move::Pad(pads) => {
                for ((column, &(before, _)), &size) in axes.iter_mut().zip(pads).zip(from) {
                    let valid = valid.get_or_insert_with(|| vec![true; lanes]);
                    for (place, valid) in column.iter_mut().zip(valid) {
                        let inner = *place - before;
                        let inside = 0 <= inner && inner < size;
                        *valid &= inside;
                        *place = if inside { inner } else { 0 };
                    }
                }
            }
            Move::Shrink(ranges) => {
                for (column, &(start, _)) in axes.iter_mut().zip(ranges).filter(|(_, (start, _))| *start != 0) {
                    column.iter_mut().for_each(|place| *place += start);
                }
            }
            Move::Stride(steps) => {
                for ((column, &step), &size) in axes.iter_mut().zip(steps).zip(from) {
                    let origin = if step < 0 { size - 1 } else { 0 };
                    column.iter_mut().for_each(|place| *place = origin + *place * step);
                }
            }
        }
    }
    ravel(&axes, base, lanes, elements);
    blank(elements, valid.as_deref());
    Ok(())
}

/// From the last view back to the buffer's: each one's element is the place in the view before it.
fn locate_in_views(views: &[View], coordinates: &Coordinates, elements: &mut Vec<i64>) -> Result<(), ReferenceError> {
    let lanes = coordinates.lanes;
    let mut valid: Option<Vec<bool>> = None;
    let mut unravelled: Vec<Vec<i64>> = Vec::new();
    for (number, view) in views.iter().enumerate().rev() {
        let axes = if number + 1 == views.len() { &coordinates.axes } else { &unravelled };
        elements.clear();
        elements.resize(lanes, view.offset);
        for (axis, column) in axes.iter().enumerate().filter(|&(axis, _)| view.shape[axis] != 1) {
            let stride = view.strides[axis];
            if stride != 0 {
                elements.iter_mut().zip(column).for_each(|(element, place)| *element += place * stride);
            }
        }
        if let Some(mask) = &view.mask {
            let valid = valid.get_or_insert_with(|| vec![true; lanes]);
            for ((column, &(low, high)), &size) in axes.iter().zip(mask).zip(&view.shape) {
                if low > 0 || high < size {
                    valid.iter_mut().zip(column).for_each(|(valid, &place)| *valid &= low <= place && place < high);
                }
            }
        }
        let limit = match number.checked_sub(1) {
            Some(before) => size_of(&views[before].shape)?,
            None => i64::MAX,
        };
        let outside = |element: i64| element < 0 || element >= limit;
        match &valid {
            None if elements.iter().any(|&element| outside(element)) => {
                return invalid("a view that leaves what it views");
            }
            None => {}
            Some(valid) => {
                for (element, &valid) in elements.iter_mut().zip(valid) {
                    if !valid {
                        *element = 0;
                    } else if outside(*element) {
                        return invalid("a view that leaves what it views");
                    }
                }
            }
        }
        if let Some(before) = number.checked_sub(1) {
            unravel_into(elements, &views[before].shape, &mut unravelled);
        }
    }
    blank(elements, valid.as_deref());
    Ok(())
}

fn blank(elements: &mut [i64], valid: Option<&[bool]>) {
    for (element, _) in elements.iter_mut().zip(valid.unwrap_or_default()).filter(|(_, valid)| !**valid) {
        *element = PADDING;
    }
}
