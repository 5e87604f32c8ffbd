//! Accesses of lanes whose addresses lie at equal distances: a stretch of memory at once, without a look at each lane.

use super::lanes::{Lane, NONE};
use super::machine::{Machine, Stop};
use super::memory::Output;
use super::program::{Access, Op};

/// Addresses at equal distances: lane `n` has `first + n * step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    pub(super) first: i64,
    pub(super) step: i64,
    last: i64,
}

/// What is known of the addresses of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addresses {
    /// All lanes are active, and their addresses lie at equal distances.
    Affine(Affine),
    /// All lanes are active.
    Any,
    /// Some lanes are not active.
    Masked,
}

/// Lanes whose distances are compared at once.
const CHUNK: usize = 64;

impl Affine {
    /// Of the addresses of all lanes, if that is how they lie.
    pub(super) fn of(index: &[i32]) -> Option<Affine> {
        let (first, last) = (*index.first()?, *index.last()?);
        let rest = index.get(1..)?;
        let step = rest.first().map_or(0, |second| second.wrapping_sub(first));
        for (one, next) in index.chunks(CHUNK).zip(rest.chunks(CHUNK)) {
            let differs = one.iter().zip(next).fold(0, |found, (one, next)| found | (next.wrapping_sub(*one) ^ step));
            if differs != 0 {
                return None;
            }
        }
        let [first, step, last] = [first, step, last].map(i64::from);
        // Not so where a distance was taken around the end of the type.
        (first + step * rest.len() as i64 == last).then_some(Affine { first, step, last })
    }

    /// The smallest and the largest address.
    pub(super) fn bounds(self) -> (i64, i64) {
        (self.first.min(self.last), self.first.max(self.last))
    }

    /// The first and the last cell, `offset` added, where all are among `size`.
    fn cells(self, offset: i64, size: usize) -> Option<(usize, usize)> {
        let cell = |address: i64| usize::try_from(address + offset).ok().filter(|&cell| cell < size);
        Some((cell(self.first)?, cell(self.last)?))
    }

    /// `out[n]` = the cell of lane `n`; `false` where one is beyond the cells.
    pub(super) fn load<T: Lane>(self, cells: &[T], offset: i64, out: &mut [T]) -> bool {
        let Some((first, last)) = self.cells(offset, cells.len()) else { return false };
        let [within @ .., end] = out else { return true };
        *end = cells[last];
        match self.step {
            0 => within.fill(cells[first]),
            1 => within.copy_from_slice(&cells[first..last]),
            2 => take::<T, 2>(&cells[first..], within),
            4 => take::<T, 4>(&cells[first..], within),
            8 => take::<T, 8>(&cells[first..], within),
            16 => take::<T, 16>(&cells[first..], within),
            step => {
                let mut at = first as i64;
                for out in within {
                    *out = cells[at as usize];
                    at += step;
                }
            }
        }
        true
    }

    /// Writes the values of the lanes to an output in which none of the cells has been written; `false` where that is
    /// not so, and nothing was done.
    fn store<T: Lane>(self, output: &mut Output, offset: i64, values: &[T]) -> bool {
        let Some((first, last)) = self.cells(offset, output.written.len()) else { return false };
        let Some(cells) = T::cells_mut(&mut output.cells) else { return false };
        let Ok(step) = usize::try_from(self.step) else { return false };
        if last < first || step == 0 {
            return false;
        }
        let (written, cells) = (&mut output.written[first..=last], &mut cells[first..=last]);
        match step {
            1 => {
                if written.iter().fold(0, |found, written| found | written) != 0 {
                    return false;
                }
                written.fill(1);
                cells.copy_from_slice(values);
                true
            }
            2 => put::<T, 2>(written, cells, values),
            4 => put::<T, 4>(written, cells, values),
            8 => put::<T, 8>(written, cells, values),
            16 => put::<T, 16>(written, cells, values),
            step => {
                if written.iter().step_by(step).any(|&written| written != 0) {
                    return false;
                }
                let places = written.iter_mut().step_by(step).zip(cells.iter_mut().step_by(step));
                for ((written, cell), &value) in places.zip(values) {
                    (*written, *cell) = (1, value);
                }
                true
            }
        }
    }
}

/// `out[n] = cells[n * STEP]`.
fn take<T: Copy, const STEP: usize>(cells: &[T], out: &mut [T]) {
    for (out, cells) in out.iter_mut().zip(cells.as_chunks::<STEP>().0) {
        *out = cells[0];
    }
}

/// Every cell at a multiple of `STEP` becomes a value, if none has been written; whether that is so.
fn put<T: Copy, const STEP: usize>(written: &mut [u8], cells: &mut [T], values: &[T]) -> bool {
    let ([.., last_written], [.., last_cell], [.., last_value]) = (&mut *written, &mut *cells, values) else {
        return true;
    };
    if *last_written != 0 {
        return false;
    }
    (*last_written, *last_cell) = (1, *last_value);
    let (chunks, _) = written.as_chunks_mut::<STEP>();
    if chunks.iter().fold(0, |found, written| found | written[0]) != 0 {
        // The last cell is beyond the whole chunks.
        written[written.len() - 1] = 0;
        return false;
    }
    for ((written, cells), &value) in chunks.iter_mut().zip(cells.as_chunks_mut::<STEP>().0).zip(values) {
        (written[0], cells[0]) = (1, value);
    }
    true
}

impl Machine<'_> {
    /// Looks at the addresses of an access.
    pub(super) fn look(&self, op: &Op) -> Addresses {
        if self.mask(op.c).is_some_and(|mask| mask.iter().fold(-1, |all, active| all & -active) == 0) {
            return Addresses::Masked;
        }
        Affine::of(self.lanes_of::<i32>(op.a)).map_or(Addresses::Any, Addresses::Affine)
    }

    /// The addresses of an access of which this may be the first operation.
    pub(super) fn addresses(&mut self, op: &Op, access: Access) -> Addresses {
        if access.begins {
            self.addresses = self.look(op);
        }
        self.addresses
    }

    /// Loads from an input whose elements are stored.
    pub(super) fn load_cells<T: Lane>(&self, addresses: Addresses, cells: &[T], offset: i64, op: &Op, out: &mut [T]) {
        let out = &mut out[..self.lanes];
        if let Addresses::Affine(affine) = addresses
            && affine.load(cells, offset, out)
        {
            return;
        }
        let cells = usize::try_from(offset).ok().and_then(|offset| cells.get(offset..)).unwrap_or_default();
        // An address below zero is beyond all cells.
        let cell = |index: i32| cells.get(index as isize as usize).copied().unwrap_or_default();
        let index = self.lanes_of::<i32>(op.a);
        let mask = if addresses == Addresses::Masked { self.mask(op.c) } else { None };
        match mask {
            None => {
                for (out, &index) in out.iter_mut().zip(index) {
                    *out = cell(index);
                }
            }
            Some(mask) if op.b != NONE => {
                let other = self.lanes_of::<T>(op.b);
                for (((out, &index), &active), &other) in out.iter_mut().zip(index).zip(mask).zip(other) {
                    *out = if active != 0 { cell(index) } else { other };
                }
            }
            Some(mask) => {
                for ((out, &index), &active) in out.iter_mut().zip(index).zip(mask) {
                    *out = if active != 0 { cell(index) } else { T::default() };
                }
            }
        }
    }

    /// Stores to an output of which nobody needs to know who writes it; `false`: it is not one, and nothing was done.
    /// A second write of an element asks for another run.
    pub(super) fn store_quickly<T: Lane>(
        &self,
        addresses: Addresses,
        output: &mut Output,
        offset: i64,
        op: &Op,
        again: &mut Option<Stop>,
    ) -> bool {
        if !output.is_whole || !output.writer.is_empty() {
            return false;
        }
        let (index, values) = (self.lanes_of::<i32>(op.a), self.lanes_of::<T>(op.b));
        if let Addresses::Affine(affine) = addresses
            && affine.store(output, offset, values)
        {
            return true;
        }
        let Some(cells) = T::cells_mut(&mut output.cells) else { return false };
        let written = &mut output.written;
        let mut twice = 0;
        let mut write = |index: i32, value: T| {
            let place = (i64::from(index) + offset) as usize;
            if let (Some(written), Some(cell)) = (written.get_mut(place), cells.get_mut(place)) {
                twice |= *written;
                (*written, *cell) = (1, value);
            }
        };
        let mask = if addresses == Addresses::Masked { self.mask(op.c) } else { None };
        match mask {
            None => index.iter().zip(values).for_each(|(&index, &value)| write(index, value)),
            Some(mask) => {
                for ((&index, &value), _) in index.iter().zip(values).zip(mask).filter(|(_, active)| **active != 0) {
                    write(index, value);
                }
            }
        }
        if twice != 0 {
            *again = Some(Stop::Detailed);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::{Memory, Space};
    use super::*;
    use plumb_core::dtype::Scalar;

    #[test]
    fn equal_distances() {
        let of = |index: &[i32]| Affine::of(index).map(|affine| (affine.first, affine.step));
        assert_eq!(of(&[5]), Some((5, 0)));
        assert_eq!(of(&[5, 5, 5]), Some((5, 0)));
        assert_eq!(of(&[5, 3, 1, -1]), Some((5, -2)));
        assert_eq!(of(&[0, 1, 3]), None);
        let mut long: Vec<i32> = (0..1000).map(|n| 7 + 4 * n).collect();
        assert_eq!(of(&long), Some((7, 4)));
        for at in [1, 64, 65, 128, 500, 999] {
            long[at] += 1;
            assert_eq!(of(&long), None, "{at}");
            long[at] -= 1;
        }
        // These distances are equal only modulo 2^32.
        assert_eq!(of(&[i32::MAX - 1, i32::MAX, i32::MIN]), None);
    }

    /// Twice in a row: the second time nothing may be changed.
    #[test]
    fn stores_at_every_distance() {
        let memory = Memory { space: Space::Output(0), scalar: Scalar::I32, image: None, loaded: false, uop: 0 };
        for step in [1i32, 2, 3, 4, 8, 16] {
            for lanes in [2usize, 7, 16] {
                let index: Vec<i32> = (0..lanes as i32).map(|n| 3 + n * step).collect();
                let affine = Affine::of(&index).expect("equal distances");
                for taken in 0..=lanes {
                    let mut output = Output::new(300, &memory, None, false, Some(300), false);
                    if let Some(&taken) = index.get(taken) {
                        output.written[taken as usize + 1] = 1;
                    }
                    let before = output.written.clone();
                    let values: Vec<i32> = (0..lanes as i32).map(|n| n + 50).collect();
                    let stored = affine.store(&mut output, 1, &values);
                    assert_eq!(stored, taken == lanes, "step {step}, {taken} of {lanes} taken");
                    if !stored {
                        assert_eq!(output.written, before, "step {step}, {taken} of {lanes} taken");
                        continue;
                    }
                    let expected: Vec<(i64, u64)> = index
                        .iter()
                        .zip(&values)
                        .map(|(&index, &value)| (i64::from(index) + 1, value as u64))
                        .collect();
                    assert_eq!(output.written().0, expected);
                    assert!(!affine.store(&mut output, 1, &values));
                }
            }
        }
    }

    #[test]
    fn loads_at_every_distance() {
        let cells: Vec<i32> = (100..400).collect();
        for step in [-3i32, -1, 0, 1, 2, 3, 4, 5, 8, 16] {
            for lanes in [1usize, 2, 7, 16] {
                let first = if step < 0 { 60 } else { 3 };
                let index: Vec<i32> = (0..lanes as i32).map(|n| first + n * step).collect();
                let mut out = vec![0; lanes];
                assert!(Affine::of(&index).is_some_and(|affine| affine.load(&cells, 2, &mut out)));
                let expected: Vec<i32> = index.iter().map(|index| 100 + index + 2).collect();
                assert_eq!(out, expected, "step {step}");
                let beyond = Affine::of(&index).is_some_and(|affine| affine.load(&cells[..4], 2, &mut out));
                assert!(!beyond, "step {step}");
            }
        }
    }
}
