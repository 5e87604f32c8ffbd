//! Loads and constants.

use super::build::{Builder, Known};
use super::chain::{Chain, number};
use super::interval::Interval;
use super::views;
use crate::case::{Dim, Layout, Step, Value};
use plumb_core::dtype::{Channel, DType, Image, Scalar};

/// Whole constants, the simplest first.
const WHOLE: [i64; 12] = [1, 0, 2, -1, 3, 4, -2, 5, 7, 8, -3, 6];
/// Fractions, exact in every float type.
const FRACTIONS: [f64; 6] = [0.5, -0.5, 0.25, 1.5, -0.125, 2.5];
/// What floats have besides numbers.
const SPECIAL: [f64; 4] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0];

impl Builder<'_> {
    /// A load of the present shape, seen in any way.
    pub(super) fn load(&mut self, scalar: Scalar) -> usize {
        let numbers: Option<Vec<i64>> = self.shape.iter().map(number).collect();
        if let Some(shape) = numbers.filter(|_| self.swarm.raw_views)
            && self.choice.chance(1, 2)
        {
            let layout = views::layout(self.choice, &shape, self.profile.elements);
            return self.load_in(scalar, layout);
        }
        let mut chain = Chain::to(&self.shape, self.profile.elements);
        self.move_any(&mut chain);
        let layout = chain.finish();
        self.load_in(scalar, layout)
    }

    /// Puts random movements before the chain, or none.
    pub(super) fn move_any(&mut self, chain: &mut Chain) {
        if self.choice.chance(3, 5) {
            let length = 1 + self.choice.below(self.profile.movements.max(1));
            chain.undo_any(self.choice, &self.swarm.movements, length);
        }
        for axis in 0..chain.shape().len() {
            if chain.shape()[axis] == Dim::Int(1) || number(&chain.shape()[axis]).is_some() {
                continue;
            }
            // The axis is the first part of one that has room for the variable's largest value.
            if let Some(variable) = self.variables.first()
                && self.choice.chance(1, 3)
            {
                chain.undo_shrink_to_symbolic(axis, variable.max);
            }
        }
    }

    /// A load in a layout, of an argument of its own or of one that is loaded already.
    pub(super) fn load_in(&mut self, scalar: Scalar, layout: Layout) -> usize {
        self.loads_left = self.loads_left.saturating_sub(1);
        let dtype = self.image_of(scalar, &layout).unwrap_or(scalar.into());
        let known = self.inputs.iter().position(|&input| input == dtype && !dtype.is_image());
        let place = match known.filter(|_| self.swarm.shared_buffers) {
            Some(place) if self.choice.chance(1, 3) => place,
            _ => {
                self.inputs.push(dtype);
                self.inputs.len() - 1
            }
        };
        let buffer = self.first_input + place as u32;
        let known = self.loaded(scalar);
        self.push(Step::Load { buffer, dtype, layout }, known)
    }

    /// What is known of an input's elements, padding included.
    pub(super) fn loaded(&self, scalar: Scalar) -> Known {
        let interval = Interval::of_input(scalar).with_zero();
        Known { special: self.special_inputs && scalar.is_float(), ..self.leaf(scalar, interval) }
    }

    /// An image for a buffer of `f32`, where images are asked for and its size allows it.
    fn image_of(&mut self, scalar: Scalar, layout: &Layout) -> Option<DType> {
        let Layout::Chain { base, .. } = layout else { return None };
        if scalar != Scalar::F32 {
            return None;
        }
        let elements = base.iter().map(number).try_fold(1, |product, size| Some(product * size?))?;
        self.image(elements, true)
    }

    /// An image of so many elements, of floats or perhaps of halves, or in one of two cases none.
    pub(super) fn image(&mut self, elements: i64, half: bool) -> Option<DType> {
        if !self.swarm.images || elements % 4 != 0 || !self.choice.chance(1, 2) {
            return None;
        }
        let pixels = elements / 4;
        let heights: Vec<i64> = (1..=pixels.min(64)).filter(|height| pixels % height == 0).collect();
        let height = self.choice.pick_detail(&heights);
        let half = half && self.choice.chance(1, 2);
        let channel = if half { Channel::Half } else { Channel::Float };
        let (height, width) = (u32::try_from(height).ok()?, u32::try_from(pixels / height).ok()?);
        Some(DType::Image(Image { channel, height, width }))
    }

    /// A constant of the type, perhaps with padding.
    pub(super) fn any_constant(&mut self, scalar: Scalar) -> usize {
        if !self.variables.is_empty() && scalar == Scalar::I32 && self.choice.chance(1, 3) {
            return self.variable();
        }
        let value = self.constant_value(scalar);
        if !self.swarm.masked_constants || !self.choice.chance(1, 2) {
            return self.constant(scalar, value);
        }
        let mut chain = Chain::to(&self.shape, self.profile.elements);
        self.move_any(&mut chain);
        let layout = chain.finish_constant();
        self.constant_in(scalar, value, layout, true)
    }

    fn constant_value(&mut self, scalar: Scalar) -> f64 {
        if scalar.is_float() {
            if self.swarm.special_constants && self.choice.chance(1, 3) {
                return self.choice.pick_detail(&SPECIAL);
            }
            if self.swarm.rounding && self.choice.chance(1, 3) {
                return self.choice.pick_detail(&FRACTIONS);
            }
        }
        if matches!(scalar, Scalar::I64 | Scalar::U64) && self.choice.chance(1, 4) {
            return 2f64.powi(self.choice.range(31, 40) as i32) + 1.0;
        }
        let value = self.choice.pick_detail(&WHOLE);
        let value = if scalar.is_unsigned() { value.abs() } else { value };
        if scalar == Scalar::Bool { f64::from(u8::from(value > 0)) } else { value as f64 }
    }

    /// The value of the variable.
    fn variable(&mut self) -> usize {
        let Some(variable) = self.variables.first() else { return self.constant(Scalar::I32, 1.0) };
        let interval = Interval::new(variable.min as f64, variable.max as f64);
        let value = Value::Variable(variable.name.clone());
        let layout = Chain::to(&self.shape, self.profile.elements).finish_constant();
        let known = self.leaf(Scalar::I32, interval);
        self.push(Step::Constant { value, dtype: Scalar::I32.into(), layout }, known)
    }
}
