//! Matrix instructions: the indices of the fragments that each lane holds, and the instructions themselves.

use super::LowerStep;
use super::state::{AxisIndices, Indices, Lowering};
use crate::dtype::{DType, Scalar};
use crate::kernel::LowerError;
use crate::rule::State;
use crate::symbolic::Sint;
use crate::target::TensorCore;
use crate::uop::{UopArg, UopId, UopKind, Wmma};
use smallvec::SmallVec;

/// Name of the variable that runs over the elements of a fragment.
const ELEMENT: &str = "._uidx_tc";

/// The fragments of A or B: what is loaded, and where.
pub(super) struct Fragment {
    /// Number of the buffer.
    buffer: usize,
    /// Number of its local alias, whose view says how fragments repeat.
    alias: usize,
    indices: Indices,
}

/// How the fragments of one operand repeat along an upcasted axis: how far the next one is, counted in fragments, and
/// how many there are.
type Repeats = SmallVec<[(usize, usize); 4]>;

impl Lowering {
    /// For each thread axis and register axis of the instruction the index of the operand that has these register
    /// sizes and aliases.
    fn aliased(
        &mut self,
        sizes: &[usize],
        aliases: &[Vec<i32>],
        lanes: &[crate::symbolic::NodeId],
    ) -> Result<Indices, LowerError> {
        let malformed = || LowerError::Invalid("a matrix instruction whose aliases do not fit its threads".into());
        let count = product(sizes);
        let element = self.axis_variable(ELEMENT, 0, Sint::Int(i64::try_from(count).unwrap_or(i64::MAX)))?;
        self.expand_over(element);
        let mut rest = element;
        let mut registers = Indices::new();
        for &size in sizes {
            let size = Sint::Int(size as i64);
            registers.push(self.kernel.arena.modulo(rest, size)?);
            rest = self.kernel.arena.floor_div(rest, size)?;
        }
        let mut indices = Indices::new();
        for alias in aliases {
            let mut index = self.zero();
            let mut step = Sint::Int(1);
            for &which in alias.iter().filter(|_| alias.first() != Some(&0)) {
                let place = (which.unsigned_abs() as usize).checked_sub(1).ok_or_else(malformed)?;
                let part = if which > 0 { lanes.get(place) } else { registers.get(place) };
                let part = *part.ok_or_else(malformed)?;
                let term = self.kernel.arena.mul(part, step)?;
                index = self.kernel.arena.add(index, term)?;
                let last = self.kernel.arena.max(part);
                let size = self.kernel.arena.sint_add(last, Sint::Int(1))?;
                step = self.kernel.arena.sint_mul(step, size)?;
            }
            indices.push(index);
        }
        Ok(indices)
    }

    /// The fragments of A and B that each lane loads.
    pub(super) fn fragment_indices(
        &mut self,
        core: &TensorCore,
        inside: &AxisIndices,
    ) -> Result<Vec<Fragment>, LowerError> {
        let threads = core.threads.len();
        let mut fragments = Vec::with_capacity(2);
        let aliased = self.kernel.local_alias.clone();
        for (operand, &(buffer, alias)) in aliased.iter().enumerate().take(2) {
            let mut indices = inside.all();
            let view = self.kernel.views.get(buffer);
            let view = view.ok_or_else(|| LowerError::Invalid(format!("buffer {buffer} has no view")))?;
            let strides = view.real_strides(&mut self.kernel.arena, false)?;
            let zero = self.zero();
            for (index, stride) in indices.iter_mut().zip(&strides) {
                if *stride == Some(Sint::Int(0)) {
                    *index = zero;
                }
            }
            let own =
                self.aliased(&core.thread_local_sizes[operand], &core.thread_local_aliases[operand], &inside.local)?;
            let places =
                [(0, self.kernel.global_dims(), threads), (threads, self.kernel.first_upcast(), core.upcasts())];
            for (from, to, count) in places {
                let (Some(own), Some(target)) = (own.get(from..from + count), indices.get_mut(to..to + count)) else {
                    return Err(LowerError::Invalid("a matrix instruction on fewer axes than it has".into()));
                };
                target.copy_from_slice(own);
            }
            fragments.push(Fragment { buffer, alias, indices });
        }
        Ok(fragments)
    }

    /// Puts the accumulator's indices in place of those of lanes and upcasted axes.
    pub(super) fn accumulator_indices(&mut self, core: &TensorCore, axes: &mut AxisIndices) -> Result<(), LowerError> {
        let threads = core.threads.len();
        let own = self.aliased(&core.thread_local_sizes[2], &core.thread_local_aliases[2], &axes.local)?;
        let (lanes, registers) = own.split_at(threads.min(own.len()));
        let (Some(local), Some(upcast)) = (axes.local.get_mut(..lanes.len()), axes.upcast.get_mut(..registers.len()))
        else {
            return Err(LowerError::Invalid("a matrix instruction on fewer axes than it has".into()));
        };
        local.copy_from_slice(lanes);
        upcast.copy_from_slice(registers);
        Ok(())
    }

    /// How the fragments of `buffer` repeat along the upcasted axes that are not the instruction's own.
    fn repeats(&mut self, core: &TensorCore, buffer: usize) -> Result<Repeats, LowerError> {
        let mut next = 1;
        let axes = self.kernel.upcasted_axis(buffer)?;
        Ok(axes
            .iter()
            .skip(core.upcasts())
            .map(|&(size, stride, _)| {
                let size = usize::try_from(size).unwrap_or(0);
                let step = if stride == Some(Sint::Int(0)) { 0 } else { next };
                if step != 0 {
                    next *= size;
                }
                (step, size)
            })
            .collect())
    }

    /// Loads the fragments, multiplies each pair into its accumulators and writes these back.
    pub(super) fn multiply_fragments(
        &mut self,
        core: &TensorCore,
        fragments: &[Fragment],
        accumulators: &mut [UopId],
    ) -> Result<(), LowerError> {
        let [a, b] = fragments else {
            return Err(LowerError::Invalid("a matrix instruction takes two fragments".into()));
        };
        let sizes = core.thread_local_sizes.each_ref().map(|sizes| product(sizes).max(1));
        let operands = [self.load(a.buffer, &a.indices, None)?, self.load(b.buffer, &b.indices, None)?];
        let repeats = [self.repeats(core, a.alias)?, self.repeats(core, b.alias)?, self.repeats(core, 0)?];
        let arg = Wmma {
            name: core_name(core),
            dims: core.dims,
            dtype_in: core.dtype_in,
            dtype_out: core.dtype_out,
            sizes,
            target: self.kernel.target.name.clone(),
        };
        let out = DType::from(core.dtype_out).vector(lanes(sizes[2])?);
        let chunks = accumulators.chunks(sizes[2]);
        let mut results: Vec<UopId> =
            chunks.map(|chunk| self.graph.add(UopKind::Cast, Some(out), chunk, UopArg::None)).collect();

        let step = self.state(LowerStep::FragmentOrder);
        let count: usize = repeats[0].iter().map(|&(_, size)| size).product();
        for iteration in 0..count {
            let place = |operand: usize| {
                let mut rest = iteration;
                let mut place = 0;
                for (&(step, _), &(_, size)) in repeats[operand].iter().zip(&repeats[0]) {
                    place += rest % size * step;
                    rest /= size;
                }
                place
            };
            let (first, second) = match step {
                State::On => (place(0), place(1)),
                State::Altered | State::Off => (0, 0),
            };
            let mut sources = [
                self.fragment(core, &operands[0], first, sizes[0])?,
                self.fragment(core, &operands[1], second, sizes[1])?,
                UopId(0),
            ];
            let result = results.get_mut(place(2));
            let result = result.ok_or_else(|| LowerError::Invalid("a fragment without accumulators".into()))?;
            sources[2] = *result;
            if step == State::Altered {
                sources.swap(0, 1);
            }
            *result = self.graph.add(UopKind::Wmma, Some(out), &sources, UopArg::Wmma(Box::new(arg.clone())));
        }
        for (place, accumulator) in accumulators.iter_mut().enumerate() {
            let Some(&result) = results.get(place / sizes[2]) else { continue };
            let value = self.lane(result, (place % sizes[2]) as i64);
            let dtype = DType::from(core.dtype_out);
            *accumulator = self.graph.add(UopKind::Phi, Some(dtype), &[*accumulator, value], UopArg::None);
        }
        Ok(())
    }

    /// The vector of fragment number `place`.
    fn fragment(
        &mut self,
        core: &TensorCore,
        elements: &[UopId],
        place: usize,
        size: usize,
    ) -> Result<UopId, LowerError> {
        let part = elements.get(place * size..(place + 1) * size);
        let part = part.ok_or_else(|| LowerError::Invalid("a fragment beyond what was loaded".into()))?;
        // From level 1 what is loaded may be of another type than the instruction's.
        let dtype = DType::from(core.dtype_in);
        let converted: SmallVec<[UopId; 16]> = part
            .iter()
            .map(|&element| match self.graph.uop(element).dtype {
                Some(loaded) if loaded != dtype => self.graph.add(UopKind::Cast, Some(dtype), &[element], UopArg::None),
                _ => element,
            })
            .collect();
        Ok(self.graph.add(UopKind::Cast, Some(dtype.vector(lanes(size)?)), &converted, UopArg::None))
    }
}

/// How many elements registers of these sizes hold.
fn product(sizes: &[usize]) -> usize {
    sizes.iter().fold(1, |product, &size| product.saturating_mul(size))
}

fn lanes(size: usize) -> Result<u8, LowerError> {
    u8::try_from(size).map_err(|_| LowerError::Invalid(format!("a fragment of {size} elements in one lane")))
}

/// `WMMA_n_m_k_in_out`, the types by their names in C.
fn core_name(core: &TensorCore) -> String {
    let [n, m, k] = core.dims;
    format!("WMMA_{n}_{m}_{k}_{}_{}", c_name(core.dtype_in), c_name(core.dtype_out))
}

fn c_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "char",
        Scalar::U8 => "unsigned char",
        Scalar::I16 => "short",
        Scalar::U16 => "unsigned short",
        Scalar::I32 => "int",
        Scalar::U32 => "unsigned int",
        Scalar::I64 => "long",
        Scalar::U64 => "unsigned long",
        Scalar::F16 => "half",
        Scalar::BF16 => "__bf16",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}
