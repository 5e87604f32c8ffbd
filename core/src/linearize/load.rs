//! Loads: elements of a buffer, constants and accumulators, for each expansion of their indices.

use super::LowerStep;
use super::expand::ExpandAxes;
use super::image::CHANNELS;
use super::state::{Indices, Lowering};
use super::trace::AccessKind;
use crate::ast::{AluOp, Source, Value};
use crate::constant::Constant;
use crate::dtype::DType;
use crate::kernel::{KernelBuffer, LowerError};
use crate::rule::State;
use crate::symbolic::{NodeId, Sint};
use crate::uop::{LocalName, UopArg, UopId, UopKind};
use smallvec::SmallVec;
use std::rc::Rc;

/// Which load it is. Equal keys are one load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LoadKey {
    /// Number of the place and type.
    place: u32,
    index: Option<NodeId>,
    valid: Option<NodeId>,
}

/// What of an access decides whether two loads of a place are one.
#[derive(Clone, Copy, Debug)]
struct Keyed {
    index: bool,
    valid: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Memory(u32),
    Local(LocalName),
    Constant(Value),
    Accumulator,
    /// The accumulator of elements that are never stored: apart from those of elements that are, whatever their index.
    IdleAccumulator,
}

/// What is loaded where an access is not valid.
const INVALID: Constant = Constant::Int(0);

/// A vector access: the axis along which its elements lie, and how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VectorAxis {
    pub(super) axis: usize,
    pub(super) lanes: u8,
}

/// An accumulator's start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulator<'a> {
    /// Its type.
    pub(super) dtype: DType,
    /// Its initial value.
    pub(super) init: Constant,
    /// The loops that it lives through.
    pub(super) loops: &'a [UopId],
}

/// One buffer's access with given indices, before expansion.
struct Access {
    buffer: usize,
    /// Type of what one access yields.
    dtype: DType,
    vector: Option<VectorAxis>,
    axes: Rc<ExpandAxes>,
    indices: Rc<[NodeId]>,
    valids: Rc<[NodeId]>,
}

impl Lowering {
    /// The elements of `buffer` at `indices`, for each expansion: loads, or the constant. `wait` is what they have to
    /// wait for.
    pub(super) fn load(
        &mut self,
        buffer: usize,
        indices: &[NodeId],
        wait: Option<UopId>,
    ) -> Result<Vec<UopId>, LowerError> {
        let (place, dtype) = match self.buffer(buffer)? {
            KernelBuffer::Local { name, dtype, .. } => (Place::Local(*name), *dtype),
            KernelBuffer::Ast(id) => {
                let contents = self.kernel.ast.buffer(*id);
                let place = match contents.source {
                    Source::Memory(number) => Place::Memory(number),
                    Source::Constant(value) => Place::Constant(value),
                };
                (place, contents.dtype)
            }
        };
        self.note(AccessKind::Load, buffer, indices);
        let access = self.access(buffer, dtype.base(), indices)?;
        let number = self.load_place(place, access.dtype);
        let keyed = self.keyed();
        self.loads.reserve(access.axes.count());
        let mut loaded = Vec::with_capacity(access.axes.count());
        for expansion in 0..access.axes.count() {
            let (index, mut valid) = (access.indices[expansion], access.valids[expansion]);
            let mut never = self.kernel.arena.max_int(valid) == 0;
            if never && !self.does(LowerStep::NeverLoaded) {
                never = false;
                valid = self.kernel.arena.number(1);
            }
            let value = if never && self.graph.has_objects() {
                self.invalid_object(access.dtype)
            } else if never {
                self.graph.constant(access.dtype, INVALID)
            } else {
                let key = self.load_key(number, keyed, index, valid);
                match self.loads.get(&key) {
                    Some(&value) => value,
                    None => {
                        let value = match place {
                            Place::Constant(value) => self.load_constant(value, access.dtype, valid)?,
                            _ => self.load_memory(&access, dtype, index, valid, wait)?,
                        };
                        self.loads.insert(key, value);
                        value
                    }
                }
            };
            loaded.push(self.element(value, &access, expansion));
        }
        Ok(loaded)
    }

    /// The accumulators of the elements of `buffer` at `indices`, for each expansion.
    pub(super) fn accumulators(
        &mut self,
        buffer: usize,
        indices: &[NodeId],
        start: Accumulator<'_>,
    ) -> Result<Vec<UopId>, LowerError> {
        self.note(AccessKind::Accumulator, buffer, indices);
        let access = self.access(buffer, start.dtype, indices)?;
        let local = matches!(self.buffer(buffer)?, KernelBuffer::Local { .. });
        let zero = self.zero();
        let own = self.does(LowerStep::AccumulatorNumber);
        let places = [Place::Accumulator, Place::IdleAccumulator].map(|place| self.load_place(place, access.dtype));
        let keyed = self.keyed();
        let mut number = 0;
        let mut loaded = Vec::with_capacity(access.axes.count());
        for expansion in 0..access.axes.count() {
            let (index, valid) = (access.indices[expansion], access.valids[expansion]);
            let key = if self.kernel.arena.max_int(valid) == 0 {
                LoadKey { place: places[1], index: Some(zero), valid: None }
            } else {
                self.load_key(places[0], keyed, index, valid)
            };
            let value = match self.loads.get(&key) {
                Some(&value) => value,
                None => {
                    let arg = UopArg::Acc { init: start.init, buffer: if local { -1 } else { buffer as i32 }, number };
                    let value = self.graph.add(UopKind::DefineAcc, Some(access.dtype), start.loops, arg);
                    self.loads.insert(key, value);
                    number += u32::from(own);
                    value
                }
            };
            loaded.push(self.element(value, &access, expansion));
        }
        Ok(loaded)
    }

    /// Expands index and valid of a buffer that is not loaded.
    pub(super) fn expand_access(&mut self, buffer: usize, indices: &[NodeId]) -> Result<(), LowerError> {
        self.access(buffer, DType::F32, indices).map(|_| ())
    }

    /// What is loaded where an access is not valid, as one object for all accesses of a type.
    fn invalid_object(&mut self, dtype: DType) -> UopId {
        let (zero, one) = (self.zero(), self.kernel.arena.number(1));
        let place = self.load_place(Place::Constant(Value::Constant(INVALID)), dtype);
        let keyed = self.keyed();
        let key = self.load_key(place, keyed, zero, one);
        match self.loads.get(&key) {
            Some(&value) => value,
            None => {
                let value = self.graph.constant(dtype, INVALID);
                self.loads.insert(key, value);
                value
            }
        }
    }

    fn load_place(&mut self, place: Place, dtype: DType) -> u32 {
        let next = self.load_places.len() as u32;
        *self.load_places.entry((place, dtype)).or_insert(next)
    }

    fn keyed(&mut self) -> Keyed {
        Keyed { index: self.does(LowerStep::LoadKeyIndex), valid: self.does(LowerStep::LoadKeyValid) }
    }

    fn load_key(&self, place: u32, keyed: Keyed, index: NodeId, valid: NodeId) -> LoadKey {
        let arena = &self.kernel.arena;
        let index = keyed.index.then(|| arena.canonical(index));
        LoadKey { place, index, valid: keyed.valid.then(|| arena.canonical(valid)) }
    }

    /// The element of an expansion: a lane where the access is a vector.
    fn element(&mut self, value: UopId, access: &Access, expansion: usize) -> UopId {
        match access.vector {
            None => value,
            Some(VectorAxis { axis, .. }) => {
                let lane = access.axes.axis(axis).map_or(0, |axis| axis.digit(expansion));
                self.lane(value, lane as i64)
            }
        }
    }

    /// Index and valid of an access, expanded; as vectors where neighbouring elements lie so.
    fn access(&mut self, buffer: usize, dtype: DType, indices: &[NodeId]) -> Result<Access, LowerError> {
        let axes = self.expand_axes(indices)?;
        let mut vector = None;
        let mut place = None;
        if let Some((candidate, first)) = self.vector_axis(buffer, indices)? {
            let mut based: Indices = indices.into();
            based[candidate.axis] = first;
            let (index, valid) = self.index_and_valid(buffer, &based)?;
            if self.is_aligned(buffer, index, candidate.lanes)? {
                vector = Some(candidate);
                place = Some((index, valid));
            }
        }
        let (index, valid) = match place {
            Some(place) => place,
            None => self.index_and_valid(buffer, indices)?,
        };
        let indices = self.expand(index, &axes)?;
        let valids = self.expand(valid, &axes)?;
        let dtype = vector.map_or(dtype, |vector| dtype.vector(vector.lanes));
        Ok(Access { buffer, dtype, vector, axes, indices, valids })
    }

    /// The axis along which neighbouring elements could be accessed as one vector, and the index of its first place.
    pub(super) fn vector_axis(
        &mut self,
        buffer: usize,
        indices: &[NodeId],
    ) -> Result<Option<(VectorAxis, NodeId)>, LowerError> {
        let candidates = self.kernel.get_float4_upcast_dim(buffer)?;
        let &[axis] = &candidates[..] else { return Ok(None) };
        let Some(&index) = indices.get(axis) else { return Ok(None) };
        let places = self.expand_index(index)?;
        if !matches!(places.len(), 2 | 4) {
            return Ok(None);
        }
        let first = places[0];
        for (offset, &place) in places.iter().enumerate().skip(1) {
            let offset = self.kernel.arena.number(offset as i64);
            let expected = self.kernel.arena.add(first, offset)?;
            if !self.kernel.arena.same(expected, place) {
                return Ok(None);
            }
        }
        Ok(Some((VectorAxis { axis, lanes: places.len() as u8 }, first)))
    }

    /// Whether a vector of `lanes` elements may stand at `index`: a multiple of its size; in an image, a whole pixel's
    /// start.
    pub(super) fn is_aligned(&mut self, buffer: usize, index: NodeId, lanes: u8) -> Result<bool, LowerError> {
        let step = self.state(LowerStep::Alignment);
        if step == State::Off {
            return Ok(true);
        }
        let image = step == State::On && self.kernel.buffer_dtype(buffer).is_some_and(DType::is_image);
        let lanes = Sint::Int(if image { CHANNELS } else { i64::from(lanes) });
        let arena = &mut self.kernel.arena;
        let quotient = arena.floor_div(index, lanes)?;
        let aligned = arena.mul(quotient, lanes)?;
        Ok(arena.same(index, aligned))
    }

    /// Index and valid in the buffer's view.
    pub(super) fn index_and_valid(
        &mut self,
        buffer: usize,
        indices: &[NodeId],
    ) -> Result<(NodeId, NodeId), LowerError> {
        let view = self.kernel.views.get(buffer);
        let view = view.ok_or_else(|| LowerError::Invalid(format!("buffer {buffer} has no view")))?;
        Ok(view.index_and_valid(&mut self.kernel.arena, Some(indices))?)
    }

    /// A constant, or the value of a symbolic variable: zero where not valid.
    fn load_constant(&mut self, value: Value, dtype: DType, valid: NodeId) -> Result<UopId, LowerError> {
        let value = match value {
            Value::Constant(value) => self.graph.constant(dtype, value),
            Value::Variable(variable) => {
                let mut uop = self.define_variable(variable)?;
                let element = DType::Scalar(dtype.scalar());
                if element != DType::I32 {
                    uop = self.graph.add(UopKind::Cast, Some(element), &[uop], UopArg::None);
                }
                if dtype.lanes() > 1 {
                    let lanes: SmallVec<[UopId; 4]> = SmallVec::from_elem(uop, dtype.lanes().into());
                    uop = self.graph.add(UopKind::Cast, Some(dtype), &lanes, UopArg::None);
                }
                uop
            }
        };
        if self.kernel.arena.min(valid) != 0 || !self.does(LowerStep::MaskConstants) {
            return Ok(value);
        }
        let gate = self.render(valid)?;
        let zero = self.graph.constant(dtype, INVALID);
        Ok(self.graph.alu(AluOp::Where, &[gate, value, zero]))
    }

    /// A load from memory, gated where it is not always valid.
    fn load_memory(
        &mut self,
        access: &Access,
        buffer_dtype: DType,
        index: NodeId,
        valid: NodeId,
        wait: Option<UopId>,
    ) -> Result<UopId, LowerError> {
        let pointer = self.pointer(access.buffer)?;
        let mut gated = self.kernel.arena.min(valid) == 0;
        let (place, dtype) = match buffer_dtype {
            DType::Image(image) => {
                let bordered = if gated { self.bordered(image, index, valid)? } else { None };
                gated &= bordered.is_none();
                let place = match bordered {
                    Some(pixel) => self.address(pixel)?,
                    None => self.pixel(image, index)?,
                };
                (place, DType::F32.vector(CHANNELS as u8))
            }
            _ => (self.render(index)?, access.dtype),
        };
        let mut sources: SmallVec<[UopId; 5]> = SmallVec::from_slice(&[pointer, place]);
        if gated && self.does(LowerStep::GateLoads) {
            sources.push(self.render(valid)?);
            sources.push(self.graph.constant(dtype, INVALID));
        }
        sources.extend(wait);
        let loaded = self.graph.add(UopKind::Load, Some(dtype), &sources, UopArg::None);
        if buffer_dtype.is_image() && access.vector.is_none() {
            return self.channel(loaded, index);
        }
        Ok(loaded)
    }
}
