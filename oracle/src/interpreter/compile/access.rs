//! Memory: definitions, loads, stores, images, matrix instructions.

use super::super::RunError;
use super::super::check::is_order;
use super::super::lanes::{Bank, Literal, NONE, Register};
use super::super::program::{Access, Code, Index, Matrix, MatrixLayout, Memory, Space};
use super::{Compiler, Component, Value};
use plumb_core::dtype::{Channel, DType, Scalar};
use plumb_core::uop::{IndexName, Uop, UopArg};
use smallvec::SmallVec;

/// A checked address of an access.
#[derive(Clone, Copy)]
struct Address {
    memory: u32,
    /// Element, as a word.
    element: Register,
    /// Lanes that access.
    mask: Register,
}

impl Compiler<'_> {
    pub(super) fn define_memory(&mut self, uop: &Uop) -> Result<Value, RunError> {
        let dtype = uop.dtype.unwrap_or(DType::I32);
        let space = match uop.arg {
            UopArg::Global { index, output: true } => Space::Output(index),
            UopArg::Global { index, output: false } => Space::Input(index),
            UopArg::Local { size, .. } => Space::Local(
                u32::try_from(size)
                    .ok()
                    .filter(|&size| size <= 1 << 20)
                    .ok_or_else(|| RunError::Unsupported(format!("local memory of {size} elements")))?,
            ),
            _ => Space::Local(0),
        };
        let image = match dtype {
            DType::Image(image) => Some(image),
            _ => None,
        };
        if let Some(image) = image
            && u64::from(image.width) * u64::from(image.height) >= 1 << 29
        {
            return Err(RunError::Unsupported(format!("an image of {} by {} pixels", image.height, image.width)));
        }
        let known = self.program.memories.iter().position(|memory| match (memory.space, space) {
            (Space::Input(a) | Space::Output(a), Space::Input(b) | Space::Output(b)) => a == b,
            _ => false,
        });
        if let Some(known) = known {
            let memory = &self.program.memories[known];
            if (memory.space, memory.scalar, memory.image) != (space, dtype.scalar(), image) {
                return Err(RunError::Unsupported("one argument defined in two ways".to_owned()));
            }
            self.memory_numbers[self.uop as usize] = known as u32;
            return Ok(Value::new());
        }
        let uop_number = self.uop;
        let memory = Memory { space, scalar: dtype.scalar(), image, loaded: false, uop: uop_number };
        self.program.memories.push(memory);
        self.program.loads.push(0);
        let number = self.program.memories.len() as u32 - 1;
        self.memory_numbers[uop_number as usize] = number;
        if self.marked.memories.contains(&uop_number) {
            let marks = Memory {
                space: Space::Marks(number),
                scalar: Scalar::I32,
                image: None,
                loaded: false,
                uop: uop_number,
            };
            self.program.memories.push(marks);
            self.program.loads.push(0);
        }
        Ok(Value::new())
    }

    /// The memory that keeps the marks of another.
    fn marks_of(&self, memory: u32) -> Option<u32> {
        let is_it = |candidate: &Memory| candidate.space == Space::Marks(memory);
        self.program.memories.iter().position(is_it).map(|number| number as u32)
    }

    /// An access of which the addresses are looked at anew, if it is the first since they were computed.
    fn access(&mut self, memory: u32, offset: u32, width: u32, write: bool) -> u32 {
        let begins = !std::mem::replace(&mut self.looked_at, true);
        self.program.accesses.push(Access { memory, offset, width, write, begins });
        self.program.accesses.len() as u32 - 1
    }

    /// The address of a load or store of `width` elements, gated by source `gate`, checked.
    fn address(&mut self, uop: &Uop, gate: Option<usize>, width: u32, write: bool) -> (Address, Register) {
        let memory = uop.sources.first().map_or(0, |id| self.memory_numbers[id.index()]);
        let gate = match gate {
            Some(n) => self.truth(uop, n),
            None => Component { register: NONE, mark: NONE },
        };
        self.refuse(gate.mark, self.mask);
        let mask = self.both(self.mask, gate.register);
        let index = self.value(uop, 1);
        for component in &index {
            self.refuse(component.mark, mask);
        }
        let image = self.program.memories.get(memory as usize).and_then(|memory| memory.image);
        let part = |n: usize| index.get(n).map_or(NONE, |component: &Component| component.register);
        let element = if image.is_some() {
            self.make(Code::Pixel, Bank::Word, Bank::Word, [part(0), part(1), NONE], memory)
        } else {
            let scalar = self.scalar(uop, 1);
            if matches!(scalar, Scalar::U32 | Scalar::I64 | Scalar::U64) {
                self.make(Code::Saturate(scalar), Bank::Word, Bank::Word, [part(0), NONE, NONE], 0)
            } else {
                part(0)
            }
        };
        self.looked_at = false;
        // A read outside an image gives zeros.
        if (image.is_none() || write) && !self.is_proved(uop, memory, width) {
            let access = self.access(memory, 0, width, write);
            self.emit(Code::Check, Bank::Word, NONE, [element, NONE, mask], access);
        }
        if !write && let Some(memory) = self.program.memories.get_mut(memory as usize) {
            memory.loaded = true;
        }
        if !write && let Some(loads) = self.program.loads.get_mut(memory as usize) {
            *loads = loads.saturating_add(self.trips.saturating_mul(u64::from(width)));
        }
        (Address { memory, element, mask }, gate.register)
    }

    /// Whether an access of `width` elements is known to lie within its memory, at a multiple of its width.
    fn is_proved(&self, uop: &Uop, memory: u32, width: u32) -> bool {
        let Some(memory) = self.program.memories.get(memory as usize) else { return false };
        let Some(&index) = uop.sources.get(1) else { return false };
        let size = match memory.space {
            _ if memory.image.is_some() => None,
            Space::Input(argument) | Space::Output(argument) => (self.source.size)(argument),
            Space::Local(size) => Some(i64::from(size)),
            Space::Marks(_) => None,
        };
        let facts = self.source.facts;
        let bounds = facts.bounds.get(index.index());
        let multiple = facts.multiples.get(index.index()).copied().unwrap_or(1);
        match (bounds, size) {
            (Some(&(low, high)), Some(size)) => {
                let end = high + i128::from(width);
                low >= 0 && end <= i128::from(size) && end <= 1 << 31 && multiple.is_multiple_of(u64::from(width))
            }
            _ => false,
        }
    }

    /// A finding where a mark is set.
    pub(super) fn refuse(&mut self, mark: Register, mask: Register) {
        if mark != NONE {
            self.emit(Code::Refuse, Bank::Word, NONE, [mark, NONE, mask], 0);
        }
    }

    pub(super) fn load(&mut self, uop: &Uop) -> Value {
        let dtype = uop.dtype.unwrap_or(DType::I32);
        let ordered = is_order(self.source.list, uop, uop.sources.len().wrapping_sub(1));
        let gated = uop.sources.len() - usize::from(ordered) == 4;
        let width = u32::from(dtype.lanes());
        let (address, gate) = self.address(uop, gated.then_some(2), width, false);
        let alternative = if gated { self.value(uop, 3) } else { Value::new() };
        let Some(memory) = self.program.memories.get(address.memory as usize) else { return Value::new() };
        let (stored, wanted) = (memory.scalar, dtype.scalar());
        let marks = self.marks_of(address.memory);
        let mut value = Value::new();
        for lane in 0..width {
            let other = alternative.get(lane as usize).copied();
            let other_register = other.filter(|_| stored == wanted).map_or(NONE, |other| other.register);
            let access = self.access(address.memory, lane, width, false);
            let operands = [address.element, other_register, address.mask];
            let register = self.make(Code::Load, Bank::of(stored), Bank::of(stored), operands, access);
            let mark = marks.map_or(NONE, |marks| {
                let access = self.access(marks, lane, width, false);
                self.make(Code::Load, Bank::Word, Bank::Word, [address.element, NONE, address.mask], access)
            });
            let mut component = Component { register, mark };
            if stored != wanted {
                component = self.convert(component, stored, wanted);
                if let Some(other) = other {
                    let gate = Component { register: gate, mark: NONE };
                    component = self.select(Bank::of(wanted), gate, component, other);
                }
            } else if let Some(other) = other.filter(|other| other.mark != NONE) {
                let zero = if mark == NONE { self.literal(Literal::Word(0)) } else { mark };
                component.mark = self.make(Code::Select, Bank::Word, Bank::Word, [gate, zero, other.mark], 0);
            }
            value.push(component);
        }
        value
    }

    pub(super) fn store(&mut self, uop: &Uop) -> Value {
        let components = self.value(uop, 2);
        let width = components.len() as u32;
        let gated = uop.sources.len() == 4;
        let (address, _) = self.address(uop, gated.then_some(3), width, true);
        let Some(memory) = self.program.memories.get(address.memory as usize).cloned() else { return Value::new() };
        let from = self.scalar(uop, 2);
        let marks = self.marks_of(address.memory);
        for (lane, &component) in components.iter().enumerate() {
            let mut component = component;
            if from != memory.scalar {
                component = self.convert(component, from, memory.scalar);
            }
            if memory.image.is_some_and(|image| image.channel == Channel::Half) {
                component = self.convert(component, Scalar::F32, Scalar::F32);
                self.emit(Code::Narrow(Scalar::F16), Bank::Single, component.register, [NONE; 3], 0);
            }
            let access = self.access(address.memory, lane as u32, width, true);
            let operands = [address.element, component.register, address.mask];
            self.emit(Code::Store, Bank::of(memory.scalar), NONE, operands, access);
            match marks {
                Some(marks) => {
                    let zero = || Literal::Word(0);
                    let mark = if component.mark == NONE { self.literal(zero()) } else { component.mark };
                    let access = self.access(marks, lane as u32, width, true);
                    self.emit(Code::Store, Bank::Word, NONE, [address.element, mark, address.mask], access);
                }
                None if component.mark != NONE && !self.found.memories.contains(&memory.uop) => {
                    self.found.memories.push(memory.uop);
                }
                None => {}
            }
        }
        Value::new()
    }

    pub(super) fn special(&mut self, uop: &Uop) -> Value {
        let index = match uop.arg {
            UopArg::Special { dim, name: IndexName::Local(_), .. } => Index::Lane(dim),
            UopArg::Special { dim, .. } => Index::Group(dim),
            _ => Index::Group(0),
        };
        self.index(index)
    }

    pub(super) fn index(&mut self, index: Index) -> Value {
        self.program.indices.push(index);
        let extra = self.program.indices.len() as u32 - 1;
        let register = self.make(Code::Index, Bank::Word, Bank::Word, [NONE; 3], extra);
        SmallVec::from_elem(Component { register, mark: NONE }, 1)
    }

    pub(super) fn matrix(&mut self, uop: &Uop) -> Result<Value, RunError> {
        let UopArg::Wmma(wmma) = &uop.arg else { return Ok(Value::new()) };
        let layout = match (wmma.dims, wmma.sizes) {
            ([8, 8, 8], [2, 2, 2]) => MatrixLayout::Metal,
            ([8, 16, 16], [8, 4, 4]) => MatrixLayout::Cuda,
            ([16, 16, 16], [16, 16, 8]) => MatrixLayout::Hip,
            _ => return Err(RunError::Unsupported(format!("matrix instruction {}", wmma.name))),
        };
        let (input, out) = (Bank::of(wmma.dtype_in), Bank::of(wmma.dtype_out));
        if (input, out) != (Bank::Single, Bank::Single) {
            return Err(RunError::Unsupported(format!("matrix instruction {}", wmma.name)));
        }
        let operands: Vec<Value> = (0..3).map(|n| self.value(uop, n)).collect();
        let mark = operands.iter().flatten().fold(NONE, |mark, part| self.either(mark, part.mark));
        if mark != NONE {
            return Err(RunError::Unsupported("undefined values in a matrix instruction".to_owned()));
        }
        let registers = |value: &Value| value.iter().map(|component| component.register).collect::<Vec<_>>();
        let result: Vec<Register> = (0..wmma.sizes[2]).map(|_| self.register(out)).collect();
        let [a, b, c] = [0, 1, 2].map(|n| registers(&operands[n]));
        let operands = [a, b, c, result.clone()];
        self.program.matrices.push(Matrix { layout, out: wmma.dtype_out, operands });
        let extra = self.program.matrices.len() as u32 - 1;
        self.emit(Code::Matrix, Bank::Single, NONE, [NONE, NONE, self.mask], extra);
        Ok(result.into_iter().map(|register| Component { register, mark: NONE }).collect())
    }
}
