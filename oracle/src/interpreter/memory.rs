//! Memory while a kernel runs: inputs, outputs, what the lanes of a workgroup share.

use super::convert;
use super::lanes::{Bank, Cells, Lane, Literal};
use crate::data::InputBuffer;
use plumb_core::dtype::Scalar;
use rustc_hash::FxHashMap;

/// Elements of an input that are stored rather than computed where they are read.
const STORED_MAX: i64 = 1 << 22;

/// Who touched an element: 0 nobody, [`MANY`] several, otherwise 1 + the number of a lane.
pub(super) type Toucher = u32;

/// Several lanes.
pub(super) const MANY: Toucher = u32::MAX;

/// A kernel argument that is only read.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) buffer: InputBuffer,
    pub(super) scalar: Scalar,
    /// All elements, where it pays to compute them once.
    pub(super) cells: Option<Cells>,
}

impl Input {
    /// An input from which `loads` elements will be loaded.
    pub(super) fn new(buffer: InputBuffer, scalar: Scalar, loads: u64) -> Input {
        let size = buffer.size;
        let mut input = Input { buffer, scalar, cells: None };
        if (0..=STORED_MAX).contains(&size) && loads >= size as u64 / 2 {
            let mut cells = Cells::new(Bank::of(scalar), size as usize);
            match &mut cells {
                Cells::Word(cells) => input.read_all(cells),
                Cells::Long(cells) => input.read_all(cells),
                Cells::Single(cells) => input.read_all(cells),
                Cells::Double(cells) => input.read_all(cells),
            }
            input.cells = Some(cells);
        }
        input
    }

    fn read_all<T: Lane>(&self, cells: &mut [T]) {
        for (index, cell) in cells.iter_mut().enumerate() {
            *cell = self.element(index as i64);
        }
    }

    /// An element that is within the buffer.
    #[inline]
    pub(super) fn element<T: Lane>(&self, index: i64) -> T {
        if self.buffer.dtype == self.scalar {
            T::from_buffer(&self.buffer, index)
        } else {
            T::from_literal(convert::literal(self.buffer.element(index), self.scalar))
        }
    }
}

/// A kernel argument that is written.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) size: i64,
    pub(super) scalar: Scalar,
    /// What it holds before the run, where the kernel may read it.
    pub(super) before: Option<InputBuffer>,
    /// By element its slot; `None`: the slot of an element is its number.
    slots: Option<FxHashMap<i64, u32>>,
    pub(super) cells: Cells,
    /// Who wrote each slot.
    pub(super) writer: Vec<Toucher>,
    /// The accesses of each slot; empty where the kernel reads none.
    pub(super) watched: Vec<Watched>,
    /// Whether each slot's value is undefined; empty where none can be.
    pub(super) marks: Vec<i32>,
}

/// What an output is used for.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputUse {
    /// Elements that will be stored, at most.
    pub(super) stores: u64,
    /// Whether the kernel loads from it too.
    pub(super) loaded: bool,
    /// Whether its values may be undefined.
    pub(super) marked: bool,
}

impl Output {
    /// An output of `size` elements.
    pub(super) fn new(size: i64, scalar: Scalar, before: Option<InputBuffer>, wanted: OutputUse) -> Output {
        // Where few of many elements are written, a table of those is smaller.
        let dense =
            size >= 0 && size as u64 <= wanted.stores.saturating_mul(64).saturating_add(1 << 16) && size < 1 << 28;
        let slots = if dense { size as usize } else { 0 };
        Output {
            size,
            scalar,
            before,
            slots: (!dense).then(FxHashMap::default),
            cells: Cells::new(Bank::of(scalar), slots),
            writer: vec![0; slots],
            watched: vec![Watched::default(); if wanted.loaded { slots } else { 0 }],
            marks: vec![0; if wanted.marked { slots } else { 0 }],
        }
    }

    /// The slot of an element, made where there is none.
    #[inline]
    pub(super) fn slot(&mut self, index: i64) -> Option<usize> {
        if index < 0 || index >= self.size {
            return None;
        }
        let Some(slots) = &mut self.slots else { return Some(index as usize) };
        let next = self.writer.len() as u32;
        let slot = *slots.entry(index).or_insert(next);
        if slot == next {
            self.cells.grow();
            self.writer.push(0);
            self.watched.push(Watched::default());
            self.marks.push(0);
        }
        Some(slot as usize)
    }

    /// The elements written, ascending, with their bits, and those of undefined value.
    pub(super) fn written(&self) -> (Vec<(i64, u64)>, Vec<i64>) {
        let written = |&(_, slot): &(i64, usize)| self.writer.get(slot).is_some_and(|&writer| writer != 0);
        let mut places: Vec<(i64, usize)> = match &self.slots {
            Some(slots) => slots.iter().map(|(&element, &slot)| (element, slot as usize)).filter(written).collect(),
            None => (0..self.writer.len()).map(|slot| (slot as i64, slot)).filter(written).collect(),
        };
        places.sort_unstable();
        let marked =
            |&(element, slot): &(i64, usize)| self.marks.get(slot).is_some_and(|&mark| mark != 0).then_some(element);
        let undefined = places.iter().filter_map(marked).collect();
        let value = |slot: usize| match &self.cells {
            Cells::Word(cells) => Literal::Word(cells[slot]),
            Cells::Long(cells) => Literal::Long(cells[slot]),
            Cells::Single(cells) => Literal::Single(cells[slot]),
            Cells::Double(cells) => Literal::Double(cells[slot]),
        };
        let bits = |(element, slot)| (element, convert::bits(value(slot), self.scalar));
        (places.into_iter().map(bits).collect(), undefined)
    }
}

/// Memory that the lanes of a workgroup share, for all workgroups of a batch.
#[derive(Debug)]
pub(super) struct Local {
    /// Elements for each workgroup.
    pub(super) size: usize,
    pub(super) cells: Cells,
    /// For each cell when it was last written, by whom, when it was last read, by whom.
    pub(super) touched: Vec<Touched>,
}

/// The last accesses of a cell of local memory. Times count barriers, of all batches; 0 is never.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Touched {
    pub(super) written: u32,
    pub(super) writer: Toucher,
    pub(super) read: u32,
    pub(super) reader: Toucher,
}

/// The accesses of an element of an output that the kernel reads too, besides its writer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watched {
    /// When it was written.
    pub(super) written: u32,
    /// When it was last read.
    pub(super) read: u32,
    pub(super) reader: Toucher,
    pub(super) last_reader: Toucher,
    /// Whether lanes of several workgroups read it.
    pub(super) widely: bool,
}

impl Local {
    /// Of `size` elements for each of `groups` workgroups.
    pub(super) fn new(size: usize, scalar: Scalar, groups: usize) -> Local {
        Local {
            size,
            cells: Cells::new(Bank::of(scalar), size * groups),
            touched: vec![Touched::default(); size * groups],
        }
    }
}

/// A memory of a running kernel.
#[derive(Debug)]
pub(super) enum Store {
    /// An argument that is only read.
    Input(Input),
    /// An argument that is written.
    Output(Output),
    /// Shared by a workgroup.
    Local(Local),
    /// Marks of the cells of a local memory, one for each cell.
    LocalMarks(usize, Vec<i32>),
    /// Marks of an output, kept with it: the number of its memory.
    OutputMarks(u32),
}
