//! Loads and stores over lanes, and what they are watched for.

use super::affine::Addresses;
use super::lanes::{Bank, Lane, NONE};
use super::machine::{Machine, Stop};
use super::memory::{Local, MANY, Output, Store, Toucher, Watched};
use super::program::{Access, Op, Space};
use crate::FindingKind;

/// An access that a kernel may not make: its kind, and what to say of it after the place.
type Objection = (FindingKind, usize, String);

impl Machine<'_> {
    /// The elements of a memory.
    fn size(&self, memory: u32) -> i64 {
        match self.stores.get(memory as usize) {
            Some(Store::Input(input)) => input.buffer.size,
            Some(Store::Output(output)) => output.size,
            Some(Store::Local(local)) => local.size as i64,
            _ => i64::MAX,
        }
    }

    /// Bounds and alignment of an access.
    pub(super) fn check(&mut self, op: &Op) {
        let Some(&access) = self.program.accesses.get(op.extra as usize) else { return };
        let size = self.size(access.memory);
        let width = access.width as i32;
        let last = (size - i64::from(width)).min(i64::from(i32::MAX) - 1) as i32;
        let bad = |index: i32| (index < 0) | (index > last) | (width > 1 && index % width.max(1) != 0);
        self.addresses = self.look(op);
        let index = self.lanes_of::<i32>(op.a);
        let suspect = match self.addresses {
            Addresses::Affine(affine) => {
                let (low, high) = affine.bounds();
                let width = i64::from(width.max(1));
                low < 0 || high > i64::from(last) || affine.first % width != 0 || affine.step % width != 0
            }
            _ if width.count_ones() == 1 => index
                .iter()
                .fold(false, |found, &index| found | (index < 0) | (index > last) | (index & (width - 1) != 0)),
            _ => index.iter().any(|&index| bad(index)),
        };
        if !suspect {
            return;
        }
        let Some(lane) = self.find(op.c, |lane| bad(index[lane])) else { return };
        let element = index[lane];
        let outside = element < 0 || element > last;
        let kind = if outside { FindingKind::OutOfBounds } else { FindingKind::Misaligned };
        if self.faults.wants(op.uop, kind) {
            let verb = if access.write { "writes" } else { "reads" };
            let image = self.program.memories.get(access.memory as usize).and_then(|memory| memory.image);
            let elements = match width {
                _ if image.is_some() => "a pixel outside the image".to_owned(),
                1 => format!("element {element}"),
                _ => format!("elements {element} to {}", i64::from(element) + i64::from(width) - 1),
            };
            let reason = match kind {
                FindingKind::OutOfBounds => format!(", which has {size}"),
                _ => format!(" at once, but {element} is no multiple of {width}"),
            };
            let memory = self.name(access.memory);
            let what = format!("{}: {verb} {elements} of {memory}{reason}", self.place(op, lane));
            self.faults.add(self.list, op.uop, kind, &what);
        }
    }

    /// A memory, for people.
    fn name(&self, memory: u32) -> String {
        match self.program.memories.get(memory as usize).map(|memory| memory.space) {
            Some(Space::Input(argument)) => format!("argument {argument}"),
            Some(Space::Output(argument)) => format!("output argument {argument}"),
            Some(Space::Local(_)) => "local memory".to_owned(),
            Some(Space::Marks(_)) | None => "memory".to_owned(),
        }
    }

    pub(super) fn load(&mut self, op: &Op) {
        match op.bank {
            Bank::Word => self.load_as::<i32>(op),
            Bank::Long => self.load_as::<i64>(op),
            Bank::Single => self.load_as::<f32>(op),
            Bank::Double => self.load_as::<f64>(op),
        }
    }

    pub(super) fn store(&mut self, op: &Op) {
        match op.bank {
            Bank::Word => self.store_as::<i32>(op),
            Bank::Long => self.store_as::<i64>(op),
            Bank::Single => self.store_as::<f32>(op),
            Bank::Double => self.store_as::<f64>(op),
        }
    }

    fn load_as<T: Lane>(&mut self, op: &Op) {
        let Some(&access) = self.program.accesses.get(op.extra as usize) else { return };
        let addresses = self.addresses(op, access);
        let mut out = self.registers.take::<T>(op.d);
        let mut stores = std::mem::take(&mut self.stores);
        let mut objection = None;
        let offset = i64::from(access.offset);
        match stores.get_mut(access.memory as usize) {
            Some(Store::Input(input)) => {
                if let Some(cells) = input.cells.as_ref().and_then(T::cells) {
                    self.load_cells(addresses, cells, offset, op, &mut out);
                } else {
                    let size = input.buffer.size;
                    self.gather(&mut out, op, |index, _| {
                        let index = index + offset;
                        if (0..size).contains(&index) { input.element(index) } else { T::default() }
                    });
                }
            }
            Some(Store::Output(output)) => {
                let mut again = None;
                self.gather(&mut out, op, |index, lane| {
                    self.read_output(output, index + offset, lane, &mut objection, &mut again)
                });
                self.again = self.again.or(again);
            }
            Some(Store::Local(local)) => {
                self.gather(&mut out, op, |index, lane| self.read_local(local, index + offset, lane, &mut objection));
            }
            Some(Store::LocalMarks(size, cells)) => {
                let size = *size;
                self.gather(&mut out, op, |index, lane| {
                    let cell = cell_of(index + offset, size, self.group_in_batch(lane));
                    T::from_literal(super::lanes::Literal::Word(cell.map_or(0, |cell| cells[cell])))
                });
            }
            Some(Store::OutputMarks(_)) => {
                // What a kernel reads back of an output is taken as defined.
                self.gather(&mut out, op, |_, _| T::default());
            }
            Some(Store::Nothing) | None => {}
        }
        self.stores = stores;
        self.registers.put(op.d, out);
        self.object(op, access, objection);
    }

    /// `out = read(index, lane)` in active lanes, the alternative (if any) in the others.
    fn gather<T: Lane>(&self, out: &mut [T], op: &Op, mut read: impl FnMut(i64, usize) -> T) {
        let n = self.lanes;
        let index = self.lanes_of::<i32>(op.a);
        let Some(mask) = self.mask(op.c) else {
            for (lane, (out, &index)) in out[..n].iter_mut().zip(index).enumerate() {
                *out = read(i64::from(index), lane);
            }
            return;
        };
        let other = (op.b != NONE).then(|| self.lanes_of::<T>(op.b));
        for (lane, ((out, &index), &active)) in out[..n].iter_mut().zip(index).zip(mask).enumerate() {
            *out = if active != 0 {
                read(i64::from(index), lane)
            } else {
                other.map_or(T::default(), |other| other[lane])
            };
        }
    }

    fn store_as<T: Lane>(&mut self, op: &Op) {
        let Some(&access) = self.program.accesses.get(op.extra as usize) else { return };
        let addresses = self.addresses(op, access);
        let mut stores = std::mem::take(&mut self.stores);
        let mut objection = None;
        let offset = i64::from(access.offset);
        match stores.get_mut(access.memory as usize) {
            Some(Store::Output(output)) => {
                let mut again = None;
                if !self.store_quickly::<T>(addresses, output, offset, op, &mut again) {
                    self.scatter(op, |index, lane, value: T| {
                        self.write_output(output, index + offset, lane, value, &mut objection, &mut again);
                    });
                }
                self.again = self.again.or(again);
            }
            Some(Store::Local(local)) => {
                self.scatter(op, |index, lane, value: T| {
                    self.write_local(local, index + offset, lane, value, &mut objection);
                });
            }
            Some(Store::LocalMarks(size, cells)) => {
                let size = *size;
                let values = self.lanes_of::<i32>(op.b);
                self.scatter(op, |index, lane, _: T| {
                    if let Some(cell) = cell_of(index + offset, size, self.group_in_batch(lane)) {
                        cells[cell] = values[lane];
                    }
                });
            }
            Some(Store::OutputMarks(memory)) => {
                let memory = *memory as usize;
                if let Some(Store::Output(output)) = stores.get_mut(memory) {
                    let values = self.lanes_of::<i32>(op.b);
                    self.scatter(op, |index, lane, _: T| {
                        if let Some(slot) = output.slot(index + offset) {
                            output.marks[slot] = values[lane];
                        }
                    });
                }
            }
            Some(Store::Input(_) | Store::Nothing) | None => {}
        }
        self.stores = stores;
        self.object(op, access, objection);
    }

    /// `write(index, lane, value)` in active lanes.
    fn scatter<T: Lane>(&self, op: &Op, mut write: impl FnMut(i64, usize, T)) {
        let index = self.lanes_of::<i32>(op.a);
        let value = self.lanes_of::<T>(op.b);
        let mask = self.mask(op.c);
        for (lane, (&index, &value)) in index.iter().zip(value).enumerate() {
            if mask.is_none_or(|mask| mask[lane] != 0) {
                write(i64::from(index), lane, value);
            }
        }
    }

    fn object(&mut self, op: &Op, access: Access, objection: Option<Objection>) {
        let Some((kind, lane, what)) = objection else { return };
        if self.faults.wants(op.uop, kind) {
            let what = format!("{}: {what} of {}", self.place(op, lane), self.name(access.memory));
            self.faults.add(self.list, op.uop, kind, &what);
        }
    }

    /// Whether a lane of the batch comes safely after what another lane did at a time: a barrier of their workgroup is
    /// between; or, where there are no workgroups, the iterations run one after the other.
    fn is_ordered(&self, lane: usize, other: Toucher, time: u32) -> bool {
        if !self.grid.launched {
            return self.sequential;
        }
        self.group_of(other) == self.group_of(self.toucher(lane)) && time < self.time[self.group_in_batch(lane)]
    }

    fn read_output<T: Lane>(
        &self,
        output: &mut Output,
        index: i64,
        lane: usize,
        objection: &mut Option<Objection>,
        again: &mut Option<Stop>,
    ) -> T {
        let Some(slot) = output.slot(index) else { return T::default() };
        let me = self.toucher(lane);
        let writer = output.writer.get(slot).copied().unwrap_or(0);
        let Some(watched) = output.watched.get_mut(slot) else { return T::default() };
        if writer != 0 && writer != me && !self.is_ordered(lane, writer, watched.written) {
            if self.grid.launched {
                objection.get_or_insert_with(|| {
                    let writer = self.describe_toucher(writer);
                    (FindingKind::Race, lane, format!("reads element {index}, which is written{writer},"))
                });
            } else {
                *again = Some(Stop::Dependent);
            }
        }
        watched.widely |= watched.reader != 0 && self.group_of(watched.last_reader) != self.group_of(me);
        watched.reader = if watched.reader == 0 || watched.reader == me { me } else { MANY };
        watched.last_reader = me;
        watched.read = watched.read.max(self.time[self.group_in_batch(lane)]);
        if writer != 0 {
            return T::cells(&output.cells).and_then(|cells| cells.get(slot)).copied().unwrap_or_default();
        }
        if let Some(buffer) = &output.before {
            return T::from_literal(super::convert::literal(buffer.element(index), output.scalar));
        }
        objection.get_or_insert_with(|| {
            (FindingKind::UninitialisedRead, lane, format!("reads element {index}, not written yet,"))
        });
        T::default()
    }

    fn write_output<T: Lane>(
        &self,
        output: &mut Output,
        index: i64,
        lane: usize,
        value: T,
        objection: &mut Option<Objection>,
        again: &mut Option<Stop>,
    ) {
        let Some(slot) = output.slot(index) else { return };
        let me = self.toucher(lane);
        let written = std::mem::replace(&mut output.written[slot], 1);
        if written != 0 && output.writer.is_empty() {
            *again = Some(Stop::Detailed);
        }
        let writer = output.writer.get_mut(slot).map_or(0, |writer| std::mem::replace(writer, me));
        if writer != 0 {
            objection.get_or_insert_with(|| {
                let parallel = self.grid.launched && writer != me;
                let kind = if parallel { FindingKind::Race } else { FindingKind::OutputCoverage };
                let writer = self.describe_toucher(writer);
                (kind, lane, format!("writes element {index} again, after it was written{writer},"))
            });
        }
        if let Some(watched) = output.watched.get_mut(slot) {
            let Watched { reader, last_reader, read, widely, .. } = *watched;
            if reader != 0 && reader != me && (widely || !self.is_ordered(lane, last_reader, read)) {
                if self.grid.launched {
                    objection.get_or_insert_with(|| {
                        let reader = self.describe_toucher(reader);
                        (FindingKind::Race, lane, format!("writes element {index}, which is read{reader},"))
                    });
                } else if !self.sequential {
                    *again = Some(Stop::Dependent);
                }
            }
            watched.written = self.time[self.group_in_batch(lane)];
        }
        if let Some(cell) = T::cells_mut(&mut output.cells).and_then(|cells| cells.get_mut(slot)) {
            *cell = value;
        }
    }

    fn read_local<T: Lane>(&self, local: &mut Local, index: i64, lane: usize, objection: &mut Option<Objection>) -> T {
        let group = self.group_in_batch(lane);
        let Some(cell) = cell_of(index, local.size, group) else { return T::default() };
        let (me, now) = (self.toucher(lane), self.time[group]);
        let touched = &mut local.touched[cell];
        if touched.written < self.began {
            objection.get_or_insert_with(|| {
                (FindingKind::UninitialisedRead, lane, format!("reads element {index}, not written yet,"))
            });
        } else if touched.written == now && touched.writer != me {
            let writer = touched.writer;
            objection.get_or_insert_with(|| {
                let writer = self.describe_toucher(writer);
                (
                    FindingKind::Race,
                    lane,
                    format!("reads element {index}, with no barrier since it was written{writer},"),
                )
            });
        }
        if touched.read == now && touched.reader != me {
            touched.reader = MANY;
        } else {
            (touched.read, touched.reader) = (now, me);
        }
        T::cells(&local.cells).and_then(|cells| cells.get(cell)).copied().unwrap_or_default()
    }

    fn write_local<T: Lane>(
        &self,
        local: &mut Local,
        index: i64,
        lane: usize,
        value: T,
        objection: &mut Option<Objection>,
    ) {
        let group = self.group_in_batch(lane);
        let Some(cell) = cell_of(index, local.size, group) else { return };
        let (me, now) = (self.toucher(lane), self.time[group]);
        let touched = &mut local.touched[cell];
        let other_wrote = touched.written == now && touched.writer != me;
        let other_read = touched.read == now && touched.reader != me;
        if other_wrote || other_read {
            let (verb, other) = if other_wrote { ("written", touched.writer) } else { ("read", touched.reader) };
            objection.get_or_insert_with(|| {
                let other = self.describe_toucher(other);
                (
                    FindingKind::Race,
                    lane,
                    format!("writes element {index}, with no barrier since it was {verb}{other},"),
                )
            });
        }
        (touched.written, touched.writer) = (now, me);
        if let Some(cell) = T::cells_mut(&mut local.cells).and_then(|cells| cells.get_mut(cell)) {
            *cell = value;
        }
    }
}

/// The cell of an element in the local memory of a workgroup of the batch.
fn cell_of(index: i64, size: usize, group: usize) -> Option<usize> {
    let index = usize::try_from(index).ok().filter(|&index| index < size)?;
    Some(group * size + index)
}
