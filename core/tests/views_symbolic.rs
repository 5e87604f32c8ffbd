//! Views with a symbolic axis against views of numbers: a chain of movements over a variable shows, for each value of the
//! variable, what the same chain over that value shows.

use plumb_core::shape::{Dims, Mask, ShapeError, ShapeTracker, View};
use plumb_core::symbolic::{Arena, Sint};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A size: so many times the variable, and so many more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    times: i64,
    more: i64,
}

impl Size {
    const fn fixed(more: i64) -> Size {
        Size { times: 0, more }
    }

    fn at(self, arena: &mut Arena, n: Sint) -> Sint {
        let multiple = arena.sint_mul(n, Sint::Int(self.times)).expect("small");
        arena.sint_add(multiple, Sint::Int(self.more)).expect("small")
    }

    fn plus(self, more: i64) -> Size {
        Size { more: self.more + more, ..self }
    }

    /// The product, where it is linear.
    fn product(self, other: Size) -> Option<Size> {
        match (self.times, other.times) {
            (0, _) => Some(Size { times: other.times * self.more, more: other.more * self.more }),
            (_, 0) => other.product(self),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
enum Movement {
    Permute(Vec<usize>),
    Pad(Vec<(i64, i64)>),
    Shrink(Vec<(Size, Size)>),
    Stride(Vec<i64>),
    Reshape(Vec<Size>),
    Expand(Vec<Size>),
}

impl Movement {
    /// A movement of this shape, by numbers that choose it; with the shape that it leads to.
    fn choose(choices: &mut impl Iterator<Item = u8>, shape: &[Size]) -> Option<(Movement, Vec<Size>)> {
        let mut below = |limit: usize| usize::from(choices.next().unwrap_or(0)) % limit.max(1);
        let mut shape = shape.to_vec();
        let movement = match below(7) {
            0 => {
                let axes: Vec<usize> = (0..shape.len()).rev().collect();
                shape.reverse();
                Movement::Permute(axes)
            }
            1 | 2 => {
                let padding: Vec<(i64, i64)> = shape.iter().map(|_| (below(3) as i64, below(2) as i64)).collect();
                shape = shape.iter().zip(&padding).map(|(size, (before, after))| size.plus(before + after)).collect();
                Movement::Pad(padding)
            }
            3 => {
                let mut ranges = Vec::new();
                for size in &mut shape {
                    // Of a symbolic axis, what stays is known to be there for all values of the variable.
                    let cut = if size.times == 0 { below(size.more as usize) as i64 } else { 0 };
                    let low = if below(2) == 0 { cut } else { 0 };
                    ranges.push((Size::fixed(low), size.plus(low - cut)));
                    *size = size.plus(-cut);
                }
                Movement::Shrink(ranges)
            }
            4 => {
                let steps: Vec<i64> =
                    shape.iter().map(|size| [1, -1, 2][below(if size.times == 0 { 3 } else { 2 })]).collect();
                for (size, step) in shape.iter_mut().zip(&steps) {
                    if step.abs() == 2 {
                        *size = Size::fixed((size.more + 1) / 2);
                    }
                }
                Movement::Stride(steps)
            }
            5 if shape.len() > 1 => {
                let at = below(shape.len() - 1);
                let joined = shape[at].product(shape[at + 1])?;
                shape.splice(at..at + 2, [joined]);
                Movement::Reshape(shape.clone())
            }
            5 => {
                shape.insert(below(shape.len() + 1), Size::fixed(1));
                Movement::Reshape(shape.clone())
            }
            _ => {
                for size in &mut shape {
                    if *size == Size::fixed(1) {
                        *size = [Size::fixed(2), Size { times: 1, more: 0 }][below(2)];
                    }
                }
                Movement::Expand(shape.clone())
            }
        };
        Some((movement, shape))
    }

    fn apply(&self, tracker: &ShapeTracker, arena: &mut Arena, n: Sint) -> Result<ShapeTracker, ShapeError> {
        let mut dims = |sizes: &[Size]| sizes.iter().map(|size| size.at(arena, n)).collect::<Dims>();
        match self {
            Movement::Permute(axes) => tracker.permute(arena, axes),
            Movement::Pad(padding) => {
                let padding: Mask = padding.iter().map(|&(a, b)| (Sint::Int(a), Sint::Int(b))).collect();
                tracker.pad(arena, &padding)
            }
            Movement::Shrink(ranges) => {
                let ranges: Mask = ranges.iter().map(|(low, high)| (low.at(arena, n), high.at(arena, n))).collect();
                tracker.shrink(arena, &ranges)
            }
            Movement::Stride(steps) => tracker.stride(arena, steps),
            Movement::Reshape(shape) => {
                let shape = dims(shape);
                tracker.reshape(arena, &shape)
            }
            Movement::Expand(shape) => {
                let shape = dims(shape);
                tracker.expand(arena, &shape)
            }
        }
    }
}

/// A buffer's shape and movements.
#[derive(Debug)]
struct Chain(Vec<Size>, Vec<Movement>);

impl Chain {
    fn of(choices: Vec<u8>) -> Chain {
        let mut choices = choices.into_iter();
        let mut next = || i64::from(choices.next().unwrap_or(0));
        let mut shape = vec![Size { times: 1, more: 0 }];
        for _ in 0..next() % 3 {
            shape.insert(next() as usize % (shape.len() + 1), Size::fixed(1 + next() % 4));
        }
        let (start, mut movements) = (shape.clone(), Vec::new());
        for _ in 0..1 + next() % 6 {
            if let Some((movement, moved)) = Movement::choose(&mut choices, &shape) {
                movements.push(movement);
                shape = moved;
            }
        }
        Chain(start, movements)
    }

    fn views(&self, arena: &mut Arena, n: Sint) -> Result<ShapeTracker, ShapeError> {
        let start: Dims = self.0.iter().map(|size| size.at(arena, n)).collect();
        let tracker = ShapeTracker::from_shape(arena, &start)?;
        self.1.iter().try_fold(tracker, |tracker, movement| movement.apply(&tracker, arena, n))
    }
}

/// What is shown at each place, `n` being this.
fn shown(tracker: &ShapeTracker, arena: &mut Arena, n: i64) -> Result<Vec<Option<i64>>, ShapeError> {
    let (index, valid) = tracker.index_and_valid(arena, None)?;
    let size = |dim: &Sint| match *dim {
        Sint::Int(size) => size,
        Sint::Node(node) => arena.evaluate(node, &|_| Some(n)).expect("n is its only variable"),
    };
    let shape: Vec<i64> = tracker.shape().iter().map(size).collect();
    Ok((0..shape.iter().product::<i64>())
        .map(|flat| {
            let value = |name: &str| {
                let Some(axis) = name.strip_prefix(".idx") else { return Some(n) };
                let axis: usize = axis.parse().ok()?;
                Some(flat / shape[axis + 1..].iter().product::<i64>() % shape[axis])
            };
            (arena.evaluate(valid, &value)? == 1).then(|| arena.evaluate(index, &value)).flatten()
        })
        .collect())
}

#[test]
fn chains_over_a_variable_show_what_chains_over_its_values_show() {
    let mut runner = TestRunner::deterministic();
    let strategy = (1i64..4, 0i64..5, prop::collection::vec(any::<u8>(), 10..100));
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..1500 {
        let (min, range, choices) = strategy.new_tree(&mut runner).expect("nothing is rejected").current();
        let chain = Chain::of(choices);
        let mut arena = Arena::default();
        let n = arena.variable("n", min, Sint::Int(min + range), None).expect("a variable");
        let n = arena.lower(n);
        let symbolic = chain.views(&mut arena, n);
        for value in min..=min + range {
            let wanted = chain.views(&mut arena, Sint::Int(value)).expect("movements of numbers");
            let wanted = shown(&wanted, &mut arena, value).expect("an index over numbers");
            let found = symbolic.clone().and_then(|symbolic| shown(&symbolic, &mut arena, value));
            match found {
                Ok(found) => {
                    assert_eq!(found, wanted, "n={value}: {chain:?}");
                    answered += 1;
                }
                // A quotient by something symbolic, or a bound that depends on the variable.
                Err(ShapeError::Symbolic(_)) => refused += 1,
                Err(error) => panic!("{error}: {chain:?}"),
            }
        }
    }
    assert!(refused * 10 < answered, "{refused} of {} refused", answered + refused);
}

#[test]
fn a_users_variable_is_never_taken_for_the_place_along_an_axis() {
    // Known fault N30 is of this kind: the variable idx0 has the name and the range of the one along axis 0.
    let mut arena = Arena::default();
    let variable = arena.variable("idx0", 0, Sint::Int(7), None).expect("a variable");
    let eight = Sint::Int(8);
    let product = arena.mul(variable, Sint::Int(-8)).expect("small");
    let number = arena.number(56);
    let offset = arena.add(product, number).expect("small");
    let mask: Mask = [(Sint::Int(0), eight), (Sint::Int(0), Sint::Int(7))].into_iter().collect();
    let strides = [eight, Sint::Int(1)];
    let view = View::new(&mut arena, &[eight, eight], Some(&strides), Sint::Node(offset), Some(&mask)).expect("legal");
    let view = ShapeTracker { views: [view].into_iter().collect() };
    let strides = view.real_strides(&mut arena, true).expect("an index");
    assert_eq!(strides.as_slice(), [Some(eight), Some(Sint::Int(1))]);
}
