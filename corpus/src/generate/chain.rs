//! Layouts as chains of movements, built from the shape that is wanted backwards to the buffer's.
//!
//! Backwards, every movement can be chosen freely and the chain still ends in the wanted shape: nothing is thrown away.

use super::choice::Choice;
use super::swarm::MovementKind;
use crate::case::{Dim, Layout, Movement};

/// Most axes between the movements of a chain.
const MOST_AXES: usize = 8;

/// The number that a dimension is, if it is one.
pub(super) fn number(dim: &Dim) -> Option<i64> {
    match dim {
        Dim::Int(size) => Some(*size),
        Dim::Expr(_) => None,
    }
}

/// Plain numbers as dimensions.
pub(super) fn dims(sizes: &[i64]) -> Vec<Dim> {
    sizes.iter().copied().map(Dim::Int).collect()
}

/// A chain under construction. Axes of symbolic size are carried along: moved and expanded, but never cut or merged.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The shape before the movements so far.
    shape: Vec<Dim>,
    /// The movements so far, the last one first.
    backwards: Vec<Movement>,
    /// Most elements of `shape`.
    limit: i64,
    /// Whether the shape that is wanted has a symbolic size.
    symbolic: bool,
}

impl Chain {
    /// The chain without movements to `shape`, whose earlier shapes shall have at most `limit` elements.
    pub(super) fn to(shape: &[Dim], limit: i64) -> Chain {
        let symbolic = shape.iter().any(|size| number(size).is_none());
        Chain { shape: shape.to_vec(), backwards: Vec::new(), limit, symbolic }
    }

    /// The layout.
    pub(super) fn finish(mut self) -> Layout {
        self.backwards.reverse();
        Layout::Chain { base: self.shape, movements: self.backwards }
    }

    /// The layout of a constant: what is left is expanded from a single element.
    pub(super) fn finish_constant(mut self) -> Layout {
        let ones = vec![Dim::Int(1); self.shape.len()];
        self.undo(Movement::Expand(self.shape.clone()), ones);
        self.undo(Movement::Reshape(self.shape.clone()), Vec::new());
        self.finish()
    }

    /// The shape before the movements so far.
    pub(super) fn shape(&self) -> &[Dim] {
        &self.shape
    }

    fn undo(&mut self, movement: Movement, before: Vec<Dim>) {
        if before != self.shape {
            self.backwards.push(movement);
            self.shape = before;
        } else if matches!(movement, Movement::Permute(_) | Movement::Stride(_)) {
            self.backwards.push(movement);
        }
    }

    /// How many elements the shape would have with `new` in the place of `old` of one axis.
    fn grown(&self, old: i64, new: i64) -> i64 {
        let elements = self.shape.iter().map(|size| number(size).unwrap_or(1)).fold(1, i64::saturating_mul);
        (elements / old.max(1)).saturating_mul(new)
    }

    /// The axes whose size is a number of at least `least`, with it.
    fn axes(&self, least: i64) -> Vec<(usize, i64)> {
        let numbers = self.shape.iter().enumerate().filter_map(|(axis, size)| Some((axis, number(size)?)));
        numbers.filter(|&(_, size)| size >= least).collect()
    }

    /// Puts up to `length` random movements of `kinds` before the chain.
    pub(super) fn undo_any(&mut self, choice: &mut dyn Choice, kinds: &[MovementKind], length: u32) {
        if kinds.is_empty() {
            return;
        }
        // Views that do not merge would divide by a symbolic size, which 0.9.0 can't.
        let merges = |kind| matches!(kind, MovementKind::Permute | MovementKind::Expand | MovementKind::Shrink);
        for _ in 0..length {
            match choice.pick(kinds) {
                kind if self.symbolic && !merges(kind) => {}
                MovementKind::Permute => self.undo_permute(choice),
                MovementKind::Expand => self.undo_expand(choice),
                MovementKind::Pad => self.undo_pad(choice),
                MovementKind::Shrink => self.undo_shrink(choice),
                MovementKind::Reshape => self.undo_reshape(choice),
                MovementKind::Flip => self.undo_step(choice, true),
                MovementKind::Step => self.undo_step(choice, false),
            }
        }
    }

    /// Two axes change places, or all are shuffled.
    pub(super) fn undo_permute(&mut self, choice: &mut dyn Choice) {
        let axes = self.shape.len();
        if axes < 2 {
            return;
        }
        let mut order: Vec<usize> = (0..axes).collect();
        if choice.chance(1, 3) {
            (1..axes).rev().for_each(|last| order.swap(last, choice.range(0, last as i64) as usize));
        } else {
            let first = choice.index(axes - 1);
            order.swap(first, first + 1 + choice.index(axes - 1 - first));
        }
        self.undo_order(order);
    }

    /// Axis `i` of the shape was axis `order[i]` before.
    fn undo_order(&mut self, order: Vec<usize>) {
        let mut before = self.shape.clone();
        order.iter().zip(&self.shape).for_each(|(&from, size)| before[from] = size.clone());
        if order.iter().enumerate().any(|(place, &axis)| place != axis) {
            self.undo(Movement::Permute(order), before);
        }
    }

    /// One axis, also one of symbolic size, was repeated.
    fn undo_expand(&mut self, choice: &mut dyn Choice) {
        let axes: Vec<usize> = (0..self.shape.len()).filter(|&axis| self.shape[axis] != Dim::Int(1)).collect();
        if !axes.is_empty() {
            self.undo_expand_of(&[choice.pick(&axes)]);
        }
    }

    /// These axes were repeated.
    pub(super) fn undo_expand_of(&mut self, axes: &[usize]) {
        let mut before = self.shape.clone();
        axes.iter().for_each(|&axis| before[axis] = Dim::Int(1));
        self.undo(Movement::Expand(self.shape.clone()), before);
    }

    /// One axis was padded, in one of three cases another one too.
    fn undo_pad(&mut self, choice: &mut dyn Choice) {
        let axes = self.axes(2);
        if axes.is_empty() {
            return;
        }
        let mut chosen = vec![choice.pick(&axes)];
        if choice.chance(1, 3) {
            chosen.push(choice.pick(&axes));
        }
        let (mut before, mut widths) = (self.shape.clone(), vec![(0, 0); self.shape.len()]);
        for (axis, size) in chosen {
            let total = choice.range(1, size - 1);
            let front = choice.range(0, total);
            before[axis] = Dim::Int(size - total);
            widths[axis] = (front, total - front);
        }
        self.undo(Movement::Pad(pairs(&widths)), before);
    }

    /// Pads axis `axis` by `front` and `back` places that it has already.
    pub(super) fn undo_pad_of(&mut self, axis: usize, front: i64, back: i64) {
        let (mut before, mut widths) = (self.shape.clone(), vec![(0, 0); self.shape.len()]);
        if let Some(size) = number(&self.shape[axis]).filter(|size| *size > front + back) {
            before[axis] = Dim::Int(size - front - back);
            widths[axis] = (front, back);
            self.undo(Movement::Pad(pairs(&widths)), before);
        }
    }

    /// One axis was cut from a larger one.
    fn undo_shrink(&mut self, choice: &mut dyn Choice) {
        let axes = self.axes(1);
        if axes.is_empty() {
            return;
        }
        let (axis, size) = choice.pick(&axes);
        let more = if choice.chance(1, 4) { size } else { choice.range(1, 4) };
        let front = choice.range(0, more);
        if self.grown(size, size + more) <= self.limit {
            self.undo_shrink_of(axis, front, more - front);
        }
    }

    /// Axis `axis` lost `front` places in front and `back` behind.
    fn undo_shrink_of(&mut self, axis: usize, front: i64, back: i64) {
        let mut before = self.shape.clone();
        let whole = |size: &Dim| (Dim::Int(0), size.clone());
        let mut ranges: Vec<(Dim, Dim)> = self.shape.iter().map(whole).collect();
        if let Some(size) = number(&self.shape[axis]) {
            before[axis] = Dim::Int(front + size + back);
            ranges[axis] = (Dim::Int(front), Dim::Int(front + size));
            self.undo(Movement::Shrink(ranges), before);
        }
    }

    /// An axis was cut from a larger one, down to its symbolic size.
    pub(super) fn undo_shrink_to_symbolic(&mut self, axis: usize, from: i64) {
        let mut before = self.shape.clone();
        before[axis] = Dim::Int(from);
        let ranges = self.shape.iter().map(|size| (Dim::Int(0), size.clone())).collect();
        self.undo(Movement::Shrink(ranges), before);
    }

    /// One axis was walked backwards, or (`flip` not set) in steps, forwards or backwards.
    fn undo_step(&mut self, choice: &mut dyn Choice, flip: bool) {
        let axes = self.axes(2);
        if axes.is_empty() {
            return;
        }
        let (axis, size) = choice.pick(&axes);
        let step: i64 = if flip { -1 } else { choice.pick_detail(&[2, -2, 3, -3, 4]) };
        let width = step.abs();
        let before = (size - 1) * width + 1 + choice.range(0, width - 1);
        if self.grown(size, before) <= self.limit {
            self.undo_step_of(axis, step, before);
        }
    }

    /// Axis `axis` had `size` places and was walked in steps of `step`.
    fn undo_step_of(&mut self, axis: usize, step: i64, size: i64) {
        let (mut before, mut steps) = (self.shape.clone(), vec![1; self.shape.len()]);
        before[axis] = Dim::Int(size);
        steps[axis] = step;
        self.undo(Movement::Stride(steps), before);
    }

    /// Some axes had another shape.
    fn undo_reshape(&mut self, choice: &mut dyn Choice) {
        let axes = self.shape.len();
        let mut before = self.shape.clone();
        match choice.below(5) {
            // Two neighbours were one axis.
            0 if axes >= 2 => {
                let first = choice.index(axes - 1);
                let Some((left, right)) = number(&before[first]).zip(number(&before[first + 1])) else { return };
                before.splice(first..first + 2, [Dim::Int(left * right)]);
            }
            // One axis was two.
            1 if axes < MOST_AXES => {
                let axes = self.axes(4);
                if axes.is_empty() {
                    return;
                }
                let (axis, size) = choice.pick(&axes);
                let divisors: Vec<i64> = (2..size).filter(|divisor| size % divisor == 0).collect();
                if divisors.is_empty() {
                    return;
                }
                let outer = choice.pick_detail(&divisors);
                before.splice(axis..=axis, dims(&[outer, size / outer]));
            }
            // All axes were made of the same prime factors, grouped in another way.
            2 | 3 => {
                let Some(sizes) = self.shape.iter().map(number).collect::<Option<Vec<i64>>>() else { return };
                let mut factors: Vec<i64> = sizes.iter().flat_map(|&size| prime_factors(size)).collect();
                let mut groups = vec![1; 1 + choice.index(4)];
                let count = groups.len();
                while let Some(factor) = factors.pop() {
                    groups[choice.detail(4) as usize % count] *= factor;
                }
                before = dims(&groups);
            }
            // An axis of size 1 came or went.
            _ => match self.shape.iter().position(|size| *size == Dim::Int(1)) {
                Some(one) if choice.chance(1, 2) => drop(before.remove(one)),
                _ if axes < MOST_AXES => before.insert(choice.index(axes + 1), Dim::Int(1)),
                _ => return,
            },
        }
        self.undo(Movement::Reshape(self.shape.clone()), before);
    }

    /// Axes `places` and `taps` were the windows on one axis: place `p` and tap `t` saw its element
    /// `p * step + t * dilation`. That axis becomes the last one.
    ///
    /// The windows are made by repeating the axis once for each tap, in rows that are `dilation` longer than it, so that
    /// each row begins that much later: the movements that tinygrad's pooling is made of.
    pub(super) fn undo_window(&mut self, places: usize, taps: usize, step: i64, dilation: i64) {
        let Some((width, count)) = number(&self.shape[places]).zip(number(&self.shape[taps])) else { return };
        let others = (0..self.shape.len()).filter(|&axis| axis != places && axis != taps);
        let sources: Vec<usize> = others.chain([taps, places]).collect();
        // Axis `i` was at the place where `sources` has it.
        let order = (0..self.shape.len()).map(|axis| sources.iter().position(|&from| from == axis).unwrap_or(axis));
        self.undo_order(order.collect());
        let last = self.shape.len() - 1;
        let spread = (width - 1) * step + 1;
        if step > 1 {
            self.undo_step_of(last, step, spread);
        }
        let size = spread + (count - 1) * dilation;
        self.undo_shrink_of(last, 0, size + dilation - spread);
        let outer = self.shape[..last - 1].to_vec();
        let with = |tail: &[i64]| outer.iter().cloned().chain(dims(tail)).collect::<Vec<Dim>>();
        let row = count * (size + dilation);
        self.undo(Movement::Reshape(self.shape.clone()), with(&[row]));
        let repeats = (row + size - 1) / size;
        self.undo_shrink_of(last - 1, 0, repeats * size - row);
        self.undo(Movement::Reshape(self.shape.clone()), with(&[repeats, size]));
        self.undo(Movement::Expand(self.shape.clone()), with(&[1, size]));
        self.undo(Movement::Reshape(self.shape.clone()), with(&[size]));
    }
}

fn pairs(pairs: &[(i64, i64)]) -> Vec<(Dim, Dim)> {
    pairs.iter().map(|&(low, high)| (Dim::Int(low), Dim::Int(high))).collect()
}

/// The prime factors of `number`, ascending.
fn prime_factors(mut number: i64) -> Vec<i64> {
    let (mut factors, mut divisor) = (Vec::new(), 2);
    while divisor * divisor <= number {
        while number % divisor == 0 {
            factors.push(divisor);
            number /= divisor;
        }
        divisor += 1;
    }
    if number > 1 {
        factors.push(number);
    }
    factors
}
