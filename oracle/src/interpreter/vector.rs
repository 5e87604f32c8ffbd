//! Accesses of four elements by each lane, where the lanes' vectors lie one after the other: all components at once.

use super::affine::{Addresses, Affine};
use super::lanes::{Bank, Lane};
use super::machine::Machine;
use super::memory::Store;
use super::program::{Access, Code, Op};

/// Components of the vectors that are accessed at once.
const WIDTH: usize = 4;

impl Machine<'_> {
    /// Loads all components of a vector, of which `op` loads the first and `rest` the others, and tells how many of
    /// these are done: none where they have to be loaded one by one.
    pub(super) fn load_vector(&mut self, op: &Op, rest: &[Op]) -> usize {
        match op.bank {
            Bank::Single => self.load_vector_as::<f32>(op, rest),
            Bank::Word => self.load_vector_as::<i32>(op, rest),
            _ => 0,
        }
    }

    /// Stores all components of a vector; as [`load_vector`](Self::load_vector).
    pub(super) fn store_vector(&mut self, op: &Op, rest: &[Op]) -> usize {
        match op.bank {
            Bank::Single => self.store_vector_as::<f32>(op, rest),
            Bank::Word => self.store_vector_as::<i32>(op, rest),
            _ => 0,
        }
    }

    /// The access of a whole vector in one piece: where it begins, and the operations of its components.
    fn whole<'a>(&mut self, code: Code, op: &'a Op, rest: &'a [Op]) -> Option<(Access, usize, [&'a Op; WIDTH])> {
        let [second, third, fourth, ..] = rest else { return None };
        let components = [op, second, third, fourth];
        let access = |op: &Op| self.program.accesses.get(op.extra as usize).copied();
        let first = access(op)?;
        if first.width as usize != WIDTH || first.offset != 0 {
            return None;
        }
        for (offset, component) in (0..).zip(components) {
            let access = access(component)?;
            let same = access.memory == first.memory && access.offset == offset && component.a == op.a;
            if component.code != code || component.uop != op.uop || !same {
                return None;
            }
        }
        match self.addresses(op, first) {
            Addresses::Affine(Affine { first: begin, step, .. }) if step == WIDTH as i64 => {
                Some((first, usize::try_from(begin).ok()?, components))
            }
            _ => None,
        }
    }

    fn load_vector_as<T: Lane>(&mut self, op: &Op, rest: &[Op]) -> usize {
        let Some((access, begin, components)) = self.whole(Code::Load, op, rest) else { return 0 };
        // Components that nothing uses may share a register.
        let shared = (1..WIDTH).any(|n| components[..n].iter().any(|before| before.d == components[n].d));
        if shared {
            return 0;
        }
        let Some(Store::Input(input)) = self.stores.get(access.memory as usize) else { return 0 };
        let cells = input.cells.as_ref().and_then(T::cells);
        let Some(cells) = cells.and_then(|cells| cells.get(begin..begin + WIDTH * self.lanes)) else { return 0 };
        let mut taken = components.map(|op| self.registers.take::<T>(op.d));
        let [a, b, c, d] = taken.each_mut().map(|lanes| lanes.iter_mut());
        for ((((cells, a), b), c), d) in cells.as_chunks::<WIDTH>().0.iter().zip(a).zip(b).zip(c).zip(d) {
            [*a, *b, *c, *d] = *cells;
        }
        for (op, lanes) in components.into_iter().zip(taken) {
            self.registers.put(op.d, lanes);
        }
        WIDTH - 1
    }

    fn store_vector_as<T: Lane>(&mut self, op: &Op, rest: &[Op]) -> usize {
        let Some((access, begin, components)) = self.whole(Code::Store, op, rest) else { return 0 };
        let [a, b, c, d] = components.map(|op| &self.registers.get::<T>(op.b)[..self.lanes]);
        let Some(Store::Output(output)) = self.stores.get_mut(access.memory as usize) else { return 0 };
        if !output.is_whole || !output.writer.is_empty() {
            return 0;
        }
        let cells = begin..begin + WIDTH * self.lanes;
        let stored = T::cells_mut(&mut output.cells).and_then(|stored| stored.get_mut(cells.clone()));
        let (Some(stored), Some(written)) = (stored, output.written.get_mut(cells)) else { return 0 };
        if written.iter().fold(0, |found, written| found | written) != 0 {
            return 0;
        }
        written.fill(1);
        for ((((cells, a), b), c), d) in stored.as_chunks_mut::<WIDTH>().0.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *cells = [*a, *b, *c, *d];
        }
        WIDTH - 1
    }
}
