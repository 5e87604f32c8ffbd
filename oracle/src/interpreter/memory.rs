//! Memory while a kernel runs: inputs, outputs, what the lanes of a workgroup share.

use super::convert;
use super::lanes::{Bank, Cells, Lane, Literal};
use super::program::Memory;
use crate::data::InputBuffer;
use plumb_core::dtype::Scalar;
use std::ops::Range;
use std::sync::Arc;

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

/// Elements of a page of an output.
const PAGE: usize = 256;

/// Most elements of an output that is kept in one piece.
const WHOLE_MAX: u64 = 1 << 24;

/// A kernel argument that is written. Only the pages that are touched take memory: of a large output a share may be
/// all that is run.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) size: i64,
    pub(super) scalar: Scalar,
    /// What it holds before the run, where the kernel may read it.
    pub(super) before: Option<InputBuffer>,
    /// Whether the vectors below hold all elements, one after the other.
    pub(super) is_whole: bool,
    /// Otherwise for each page of the output 1 + its place in the vectors below; 0: not touched.
    pages: Vec<u32>,
    pub(super) cells: Cells,
    /// Whether each slot was written: 0 or 1.
    pub(super) written: Vec<u8>,
    /// Who wrote each slot; empty in a run that need not know.
    pub(super) writer: Vec<Toucher>,
    /// The accesses of each slot; empty where the kernel reads none.
    pub(super) watched: Vec<Watched>,
    /// Whether each slot's value is undefined; empty where none can be.
    pub(super) marks: Vec<i32>,
    is_detailed: bool,
    is_loaded: bool,
    is_marked: bool,
}

impl Output {
    /// An output of `size` elements; what it holds before the run, whether its values may be undefined, how many lanes
    /// run if all of a kernel's do (then most elements will be written, and are kept in one piece), and whether it is
    /// noted who writes.
    pub(super) fn new(
        size: i64,
        memory: &Memory,
        before: Option<InputBuffer>,
        is_marked: bool,
        whole: Option<u64>,
        is_detailed: bool,
    ) -> Output {
        // Addresses are `i32`.
        let reachable = size.clamp(0, 1 << 31) as usize;
        let most = whole.map_or(0, |items| items.saturating_mul(16)).clamp(4096, WHOLE_MAX);
        let is_whole = whole.is_some() && reachable as u64 <= most;
        let (is_loaded, scalar) = (memory.loaded, memory.scalar);
        let mut output = Output {
            size,
            scalar,
            before,
            is_whole,
            pages: Vec::new(),
            cells: Cells::new(Bank::of(scalar), 0),
            written: Vec::new(),
            writer: Vec::new(),
            is_detailed,
            watched: Vec::new(),
            marks: Vec::new(),
            is_loaded,
            is_marked,
        };
        if is_whole {
            output.cells = Cells::new(Bank::of(scalar), reachable);
            output.written = vec![0; reachable];
            output.writer = vec![0; if is_detailed { reachable } else { 0 }];
            output.watched = vec![Watched::default(); if is_loaded { reachable } else { 0 }];
            output.marks = vec![0; if is_marked { reachable } else { 0 }];
        } else {
            output.pages = vec![0; reachable.div_ceil(PAGE)];
        }
        output
    }

    /// As it was before the run.
    pub(super) fn reset(&mut self) {
        if !self.is_whole {
            self.pages.fill(0);
            self.cells.resize(0);
            self.written.clear();
            self.writer.clear();
            self.watched.clear();
            self.marks.clear();
        }
        self.written.fill(0);
        self.writer.fill(0);
        self.watched.fill(Watched::default());
        self.marks.fill(0);
    }

    /// The slot of an element, if there is such an element.
    #[inline]
    pub(super) fn slot(&mut self, index: i64) -> Option<usize> {
        if index >= self.size {
            return None;
        }
        let index = usize::try_from(index).ok()?;
        if self.is_whole {
            return (index < self.written.len()).then_some(index);
        }
        let mut page = *self.pages.get(index / PAGE)?;
        if page == 0 {
            page = self.add_page();
            self.pages[index / PAGE] = page;
        }
        Some((page - 1) as usize * PAGE + index % PAGE)
    }

    #[cold]
    fn add_page(&mut self) -> u32 {
        let slots = self.written.len() + PAGE;
        self.cells.resize(slots);
        self.written.resize(slots, 0);
        if self.is_detailed {
            self.writer.resize(slots, 0);
        }
        if self.is_loaded {
            self.watched.resize(slots, Watched::default());
        }
        if self.is_marked {
            self.marks.resize(slots, 0);
        }
        (slots / PAGE) as u32
    }

    /// The elements written, ascending, with their bits, and those of undefined value.
    pub(super) fn written(&self) -> (Vec<(i64, u64)>, Vec<i64>) {
        let (mut written, mut undefined) = (Vec::new(), Vec::new());
        if self.is_whole {
            written.reserve(self.written.len());
            self.append_written(0, 0..self.written.len(), &mut written, &mut undefined);
        }
        for (number, &page) in self.pages.iter().enumerate().filter(|&(_, &page)| page != 0) {
            let first = (page - 1) as usize * PAGE;
            self.append_written(number * PAGE, first..first + PAGE, &mut written, &mut undefined);
        }
        (written, undefined)
    }

    /// Those of the elements from `element` on, which are kept in `slots`.
    fn append_written(
        &self,
        element: usize,
        slots: Range<usize>,
        written: &mut Vec<(i64, u64)>,
        undefined: &mut Vec<i64>,
    ) {
        let (scalar, present) = (self.scalar, &self.written[slots.clone()]);
        match &self.cells {
            Cells::Single(cells) if scalar == Scalar::F32 => {
                append(element, present, &cells[slots.clone()], written, |cell| u64::from(cell.to_bits()));
            }
            Cells::Single(cells) => append(element, present, &cells[slots.clone()], written, |cell| {
                convert::bits(Literal::Single(cell), scalar)
            }),
            Cells::Word(cells) => append(element, present, &cells[slots.clone()], written, |cell| {
                convert::bits(Literal::Word(cell), scalar)
            }),
            Cells::Long(cells) => append(element, present, &cells[slots.clone()], written, |cell| cell as u64),
            Cells::Double(cells) => append(element, present, &cells[slots.clone()], written, f64::to_bits),
        }
        if let Some(marks) = self.marks.get(slots.clone()) {
            let marks = (element as i64..).zip(marks).zip(&self.written[slots]);
            undefined.extend(marks.filter(|((_, mark), present)| **mark != 0 && **present != 0).map(|((at, _), _)| at));
        }
    }
}

/// Appends those of the elements from `element` on that are present, with their bits.
fn append<T: Copy>(
    element: usize,
    present: &[u8],
    cells: &[T],
    written: &mut Vec<(i64, u64)>,
    bits: impl Fn(T) -> u64,
) {
    let cells = (element as i64..).zip(present).zip(cells).filter(|((_, present), _)| **present != 0);
    written.extend(cells.map(|((element, _), &cell)| (element, bits(cell))));
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
    /// No memory.
    Nothing,
    /// An argument that is only read.
    Input(Arc<Input>),
    /// An argument that is written.
    Output(Output),
    /// Shared by a workgroup.
    Local(Local),
    /// Marks of the cells of a local memory, one for each cell.
    LocalMarks(usize, Vec<i32>),
    /// Marks of an output, kept with it: the number of its memory.
    OutputMarks(u32),
}

impl Store {
    /// As it was before the run.
    pub(super) fn reset(&mut self) {
        match self {
            Store::Output(output) => output.reset(),
            Store::Local(local) => local.touched.fill(Touched::default()),
            Store::Nothing | Store::Input(_) | Store::LocalMarks(..) | Store::OutputMarks(_) => {}
        }
    }
}
