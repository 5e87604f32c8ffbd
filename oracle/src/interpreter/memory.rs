//! Memory while a kernel runs: inputs, outputs, what the lanes of a workgroup share.

use super::convert;
use super::lanes::{Bank, Cells, Lane, Literal};
use crate::data::InputBuffer;
use plumb_core::dtype::Scalar;

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

/// A kernel argument that is written. Only the pages that are touched take memory: of a large output a share may be
/// all that is run.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) size: i64,
    pub(super) scalar: Scalar,
    /// What it holds before the run, where the kernel may read it.
    pub(super) before: Option<InputBuffer>,
    /// For each page of the output 1 + its place in the vectors below; 0: not touched.
    pages: Vec<u32>,
    pub(super) cells: Cells,
    /// Who wrote each slot.
    pub(super) writer: Vec<Toucher>,
    /// The accesses of each slot; empty where the kernel reads none.
    pub(super) watched: Vec<Watched>,
    /// Whether each slot's value is undefined; empty where none can be.
    pub(super) marks: Vec<i32>,
    is_loaded: bool,
    is_marked: bool,
}

impl Output {
    /// An output of `size` elements; whether the kernel loads from it too, and whether its values may be undefined.
    pub(super) fn new(
        size: i64,
        scalar: Scalar,
        before: Option<InputBuffer>,
        is_loaded: bool,
        is_marked: bool,
    ) -> Output {
        // Addresses are `i32`.
        let reachable = size.clamp(0, 1 << 31) as usize;
        Output {
            size,
            scalar,
            before,
            pages: vec![0; reachable.div_ceil(PAGE)],
            cells: Cells::new(Bank::of(scalar), 0),
            writer: Vec::new(),
            watched: Vec::new(),
            marks: Vec::new(),
            is_loaded,
            is_marked,
        }
    }

    /// The slot of an element, if there is such an element.
    #[inline]
    pub(super) fn slot(&mut self, index: i64) -> Option<usize> {
        if index >= self.size {
            return None;
        }
        let index = usize::try_from(index).ok()?;
        let mut page = *self.pages.get(index / PAGE)?;
        if page == 0 {
            page = self.add_page();
            self.pages[index / PAGE] = page;
        }
        Some((page - 1) as usize * PAGE + index % PAGE)
    }

    #[cold]
    fn add_page(&mut self) -> u32 {
        let slots = self.writer.len() + PAGE;
        self.cells.resize(slots);
        self.writer.resize(slots, 0);
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
        let value = |slot: usize| match &self.cells {
            Cells::Word(cells) => Literal::Word(cells[slot]),
            Cells::Long(cells) => Literal::Long(cells[slot]),
            Cells::Single(cells) => Literal::Single(cells[slot]),
            Cells::Double(cells) => Literal::Double(cells[slot]),
        };
        for (number, &page) in self.pages.iter().enumerate().filter(|&(_, &page)| page != 0) {
            let first = (page - 1) as usize * PAGE;
            for (place, slot) in (first..first + PAGE).enumerate().filter(|&(_, slot)| self.writer[slot] != 0) {
                let element = (number * PAGE + place) as i64;
                written.push((element, convert::bits(value(slot), self.scalar)));
                if self.marks.get(slot).is_some_and(|&mark| mark != 0) {
                    undefined.push(element);
                }
            }
        }
        (written, undefined)
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
