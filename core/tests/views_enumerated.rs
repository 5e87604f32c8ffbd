//! Views against arrays whose elements are moved about: whatever rules are on, a chain of movements shows the elements
//! that it should; and each planted fault is seen.

use plumb_core::rule::{Rules, State};
use plumb_core::shape::{Mask, ShapeTracker, View, ViewRule};
use plumb_core::symbolic::{Arena, Sint};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

/// Arrays are kept below this many elements.
const MAX_SIZE: i64 = 400;

/// An array: for each place, in row-major order, the element of the buffer there, or None for padding.
#[derive(Clone, Debug)]
struct Array {
    shape: Vec<i64>,
    elements: Vec<Option<i64>>,
}

/// The places of a shape, in row-major order.
fn places(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![vec![]], |places, &size| {
        places.iter().flat_map(|place| (0..size).map(move |last| [&place[..], &[last]].concat())).collect()
    })
}

impl Array {
    fn plain(shape: &[i64]) -> Array {
        Array { shape: shape.into(), elements: (0..shape.iter().product()).map(Some).collect() }
    }

    /// An array of `shape` that at each place has the element of `self` at the place that `source` says.
    fn gather(&self, shape: Vec<i64>, source: impl Fn(&[i64]) -> Vec<i64>) -> Array {
        let elements = places(&shape)
            .iter()
            .map(|place| {
                let source = source(place);
                let inside = source.iter().zip(&self.shape).all(|(at, size)| (0..*size).contains(at));
                let flat = source.iter().zip(&self.shape).fold(0, |flat, (at, size)| flat * size + at);
                inside.then(|| self.elements[flat as usize]).flatten()
            })
            .collect();
        Array { shape, elements }
    }
}

/// A movement, in terms of the shape that it is applied to.
#[derive(Clone, Debug)]
enum Movement {
    Reshape(Vec<i64>),
    Permute(Vec<usize>),
    Expand(Vec<i64>),
    Pad(Vec<(i64, i64)>),
    Shrink(Vec<(i64, i64)>),
    Stride(Vec<i64>),
    /// A view of any strides, offset and mask, stacked on top.
    View(Vec<i64>, Vec<i64>, i64, Option<Vec<(i64, i64)>>),
    Simplify,
}

/// Numbers that choices are made by; each choice takes one.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    /// A number from `low` to `high`, inclusive.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::from(*self.0.next().unwrap_or(&0)) % (high - low + 1)
    }

    fn of<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.between(0, options.len() as i64 - 1) as usize]
    }

    /// A range within an axis of this size; empty only for an empty axis, or seldom.
    fn range(&mut self, size: i64) -> (i64, i64) {
        let low = self.between(0, (size - 1).max(0));
        let low = self.of(&[0, low]);
        let high = self.between((low + 1).min(size), size);
        (low, self.of(&[high, size, high]))
    }

    fn shape(&mut self, size: i64) -> Vec<i64> {
        let mut shape = Vec::new();
        let mut rest = size;
        while rest > 1 {
            let divisors: Vec<i64> = (2..=rest).filter(|divisor| rest % divisor == 0).collect();
            let divisor = self.of(&divisors);
            shape.push(divisor);
            rest /= divisor;
        }
        if self.between(0, 3) == 0 {
            shape.insert(self.between(0, shape.len() as i64) as usize, 1);
        }
        shape
    }

    fn movement(&mut self, shape: &[i64]) -> Movement {
        let size: i64 = shape.iter().product();
        match self.between(0, 14) {
            0..=2 if size > 0 => {
                let at = self.between(0, shape.len().saturating_sub(2) as i64) as usize;
                if shape.len() >= 2 && self.between(0, 2) > 0 {
                    Movement::Reshape([&shape[..at], &[shape[at] * shape[at + 1]], &shape[at + 2..]].concat())
                } else if let (Some(&size), true) = (shape.get(at), self.between(0, 1) > 0) {
                    Movement::Reshape([&shape[..at], &self.shape(size), &shape[at + 1..]].concat())
                } else {
                    Movement::Reshape(self.shape(size))
                }
            }
            3 => {
                let mut axes: Vec<usize> = (0..shape.len()).collect();
                for last in (1..axes.len()).rev() {
                    axes.swap(last, self.between(0, last as i64) as usize);
                }
                Movement::Permute(axes)
            }
            4 => {
                Movement::Expand(shape.iter().map(|&size| if size == 1 { self.between(1, 3) } else { size }).collect())
            }
            5..=7 => Movement::Pad(shape.iter().map(|_| (self.of(&[0, 0, 1, 2]), self.of(&[0, 0, 1, 2]))).collect()),
            8 | 9 => Movement::Shrink(shape.iter().map(|&size| self.range(size)).collect()),
            10 | 11 => Movement::Stride(shape.iter().map(|_| self.of(&[1, 1, -1, 2, -2, 3])).collect()),
            12 | 13 if size > 0 => self.view(size),
            _ => Movement::Simplify,
        }
    }

    fn view(&mut self, size: i64) -> Movement {
        let shape: Vec<i64> = (0..self.between(0, 3)).map(|_| self.between(1, 4)).collect();
        let strides: Vec<i64> = shape.iter().map(|_| self.of(&[0, 1, 2, 3, 5, 8, -1])).collect();
        let ends = || shape.iter().zip(&strides).map(|(size, stride)| (size - 1) * stride);
        let (low, high): (i64, i64) = (ends().map(|end| end.min(0)).sum(), ends().map(|end| end.max(0)).sum());
        if high - low >= size {
            return Movement::Simplify;
        }
        let offset = -low + self.between(0, size - 1 - (high - low));
        let mask = (self.between(0, 2) == 0).then(|| shape.iter().map(|&size| self.range(size)).collect());
        Movement::View(shape, strides, offset, mask)
    }
}

fn ints(values: &[i64]) -> Vec<Sint> {
    values.iter().map(|&value| Sint::Int(value)).collect()
}

fn pairs(values: &[(i64, i64)]) -> Mask {
    values.iter().map(|&(low, high)| (Sint::Int(low), Sint::Int(high))).collect()
}

impl Movement {
    fn array(&self, array: &Array) -> Array {
        match self {
            Movement::Reshape(shape) => Array { shape: shape.clone(), elements: array.elements.clone() },
            Movement::Permute(axes) => array.gather(axes.iter().map(|&axis| array.shape[axis]).collect(), |place| {
                let mut source = vec![0; place.len()];
                axes.iter().zip(place).for_each(|(&axis, &at)| source[axis] = at);
                source
            }),
            Movement::Expand(shape) => array.gather(shape.clone(), |place| {
                place.iter().zip(&array.shape).map(|(&at, &size)| if size == 1 { 0 } else { at }).collect()
            }),
            Movement::Pad(padding) => {
                let shape = array.shape.iter().zip(padding).map(|(size, (before, after))| size + before + after);
                array.gather(shape.collect(), |place| {
                    place.iter().zip(padding).map(|(at, (before, _))| at - before).collect()
                })
            }
            Movement::Shrink(ranges) => {
                let shape = ranges.iter().map(|(low, high)| high - low).collect();
                array.gather(shape, |place| place.iter().zip(ranges).map(|(at, (low, _))| at + low).collect())
            }
            Movement::Stride(steps) => {
                let shape = array.shape.iter().zip(steps).map(|(size, step)| (size + step.abs() - 1) / step.abs());
                array.gather(shape.collect(), |place| {
                    let axes = place.iter().zip(steps).zip(&array.shape);
                    axes.map(|((at, &step), size)| at * step + if step < 0 { size - 1 } else { 0 }).collect()
                })
            }
            Movement::View(shape, strides, offset, mask) => {
                let flat = Array { shape: vec![array.elements.len() as i64], elements: array.elements.clone() };
                flat.gather(shape.clone(), |place| {
                    let shown = mask.iter().flatten().zip(place).all(|((low, high), at)| (low..high).contains(&at));
                    let at = offset + place.iter().zip(strides).map(|(at, stride)| at * stride).sum::<i64>();
                    vec![if shown { at } else { -1 }]
                })
            }
            Movement::Simplify => array.clone(),
        }
    }

    fn apply(&self, tracker: &ShapeTracker, arena: &mut Arena) -> Result<ShapeTracker, plumb_core::shape::ShapeError> {
        match self {
            Movement::Reshape(shape) => tracker.reshape(arena, &ints(shape)),
            Movement::Permute(axes) => tracker.permute(arena, axes),
            Movement::Expand(shape) => tracker.expand(arena, &ints(shape)),
            Movement::Pad(padding) => tracker.pad(arena, &pairs(padding)),
            Movement::Shrink(ranges) => tracker.shrink(arena, &pairs(ranges)),
            Movement::Stride(steps) => tracker.stride(arena, steps),
            Movement::View(shape, strides, offset, mask) => {
                let mask = mask.as_ref().map(|mask| pairs(mask));
                let view = View::new(arena, &ints(shape), Some(&ints(strides)), Sint::Int(*offset), mask.as_deref())?;
                tracker.through(arena, &ShapeTracker { views: [view].into_iter().collect() })
            }
            Movement::Simplify => tracker.simplify(arena),
        }
    }
}

/// Shape of the buffer, and movements.
#[derive(Clone, Debug)]
struct Chain(Vec<i64>, Vec<Movement>);

impl Chain {
    fn of(choices: &[u8]) -> Chain {
        let mut choices = Choices(choices.iter());
        let shape: Vec<i64> = (0..choices.between(1, 4)).map(|_| choices.of(&[1, 2, 2, 3, 4, 5, 6])).collect();
        let mut array = Array::plain(&shape);
        let mut movements = Vec::new();
        for _ in 0..choices.between(1, 8) {
            let movement = choices.movement(&array.shape);
            let moved = movement.array(&array);
            if moved.elements.len() as i64 <= MAX_SIZE && moved.shape.len() <= 7 {
                movements.push(movement);
                array = moved;
            }
        }
        Chain(shape, movements)
    }

    /// What is wrong with what the chain's views show, if anything.
    fn fault(&self, arena: &mut Arena) -> Option<String> {
        let mut array = Array::plain(&self.0);
        let mut tracker = ShapeTracker::from_ints(arena, &self.0).expect("a small shape");
        for movement in &self.1 {
            array = movement.array(&array);
            tracker = match movement.apply(&tracker, arena) {
                Ok(tracker) => tracker,
                Err(error) => return Some(format!("{movement:?} is refused: {error}")),
            };
        }
        if tracker.shape().as_slice() != ints(&array.shape) {
            return Some(format!("the shape is {:?}, not {:?}", tracker.shape(), array.shape));
        }
        shows(&tracker, &array, arena).or_else(|| inverse_fault(&tracker, &array, &self.0, arena))
    }
}

/// What is wrong with what `tracker` shows, if anything.
fn shows(tracker: &ShapeTracker, array: &Array, arena: &mut Arena) -> Option<String> {
    if array.elements.is_empty() {
        return None;
    }
    let (index, valid) = match tracker.index_and_valid(arena, None) {
        Ok(expressions) => expressions,
        Err(error) => return Some(format!("no index: {error}")),
    };
    let strides = tracker.real_strides(arena, false).expect("as the index");
    let mut last_place = -1;
    for (place, &wanted) in places(&array.shape).iter().zip(&array.elements) {
        let value = |name: &str| place.get(name.strip_prefix(".idx")?.parse::<usize>().ok()?).copied();
        let at = arena.evaluate(index, &value);
        let shown = match arena.evaluate(valid, &value) {
            Some(1) => at,
            Some(0) => None,
            other => return Some(format!("valid is {other:?} at {place:?}")),
        };
        if shown != wanted {
            let (index, valid) = (arena.render(index), arena.render(valid));
            return Some(format!("{shown:?}, not {wanted:?}, at {place:?}: {index} where {valid}"));
        }
        last_place = last_place.max(wanted.unwrap_or(-1));
        for (axis, stride) in strides.iter().enumerate() {
            let next: Vec<i64> = place.iter().enumerate().map(|(other, at)| at + i64::from(other == axis)).collect();
            let neighbour = |name: &str| next.get(name.strip_prefix(".idx")?.parse::<usize>().ok()?).copied();
            if let (Some(Sint::Int(stride)), Some(wanted), true) = (stride, wanted, next[axis] < array.shape[axis])
                && arena.evaluate(index, &neighbour) != Some(wanted + stride)
            {
                return Some(format!("stride {stride} of axis {axis} does not hold at {place:?}"));
            }
        }
    }
    let size = tracker.real_size(arena).expect("as the index");
    (size <= last_place).then(|| format!("the buffer needs {} elements, not {size}", last_place + 1))
}

/// What is wrong with the inverse, if there is one.
fn inverse_fault(tracker: &ShapeTracker, array: &Array, buffer: &[i64], arena: &mut Arena) -> Option<String> {
    let Ok(Some(inverse)) = tracker.invert(arena, &ints(buffer)) else { return None };
    let size: i64 = buffer.iter().product();
    let position =
        |element: i64| array.elements.iter().position(|&shown| shown == Some(element)).map(|place| place as i64);
    let wanted = Array { shape: buffer.to_vec(), elements: (0..size).map(position).collect() };
    shows(&inverse, &wanted, arena).map(|fault| format!("the inverse: {fault}"))
}

fn chains(count: usize) -> impl Iterator<Item = Chain> {
    let mut runner = TestRunner::deterministic();
    let strategy = prop::collection::vec(any::<u8>(), 20..160);
    (0..count).map(move |_| Chain::of(&strategy.new_tree(&mut runner).expect("nothing is rejected").current()))
}

#[test]
fn chains_show_the_elements_that_they_should() {
    let mut fired = BTreeSet::new();
    for chain in chains(4000) {
        let mut arena = Arena::default();
        assert_eq!(chain.fault(&mut arena), None, "{chain:?}");
        fired.extend(ViewRule::TABLE.iter().filter(|rule| arena.firings().of(rule.id) > 0).map(|rule| rule.name));
    }
    let idle: Vec<&str> = ViewRule::TABLE.iter().map(|rule| rule.name).filter(|name| !fired.contains(name)).collect();
    // A symbolic size is needed for that; see the recorded chains.
    assert_eq!(idle, ["view/outer-index"], "these rules never fired");
}

#[test]
fn every_rule_can_be_left_out() {
    for rule in ViewRule::TABLE {
        let rules = Rules::default().with(rule.id, State::Off);
        for chain in chains(400) {
            assert_eq!(chain.fault(&mut Arena::new(rules)), None, "without {}: {chain:?}", rule.name);
        }
    }
    let rules = ViewRule::TABLE.iter().fold(Rules::default(), |rules, rule| rules.with(rule.id, State::Off));
    for chain in chains(800) {
        assert_eq!(chain.fault(&mut Arena::new(rules)), None, "without any: {chain:?}");
    }
}

#[test]
fn every_planted_fault_shows_wrong_elements() {
    for rule in ViewRule::TABLE.iter().filter(|rule| rule.altered.is_some()) {
        let rules = Rules::default().with(rule.id, State::Altered);
        let wrong = |chain: &Chain| chain.fault(&mut Arena::new(rules)).is_some();
        // Not only until one is found: none of them may hang.
        let seen = chains(500).filter(wrong).count() > 0 || chains(6000).any(|chain| wrong(&chain));
        assert!(seen, "{} altered ({:?}) is not seen", rule.name, rule.altered);
    }
}
