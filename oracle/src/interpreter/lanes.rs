//! Registers: one value for each lane of a batch, in four machine types.
//!
//! A value of any dtype lives in one of four banks, wide enough for it and kept normalised: narrow integers and
//! `bool` in `i32`, halves in `f32`, rounded after every operation. Few banks keep the loops over lanes few and tight.

use crate::data::InputBuffer;
use plumb_core::dtype::Scalar;

/// Number of a register; before allocation of the list's value, afterwards within its bank.
pub(super) type Register = u32;

/// No register.
pub(super) const NONE: Register = u32::MAX;

/// The machine type in which a value is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bank {
    /// `i32`: bool (0 or 1), integers up to 32 bits (`u32` by its bits).
    Word,
    /// `i64`: integers of 64 bits (`u64` by its bits).
    Long,
    /// `f32`: `f16`, `bf16`, `f32`.
    Single,
    /// `f64`.
    Double,
}

impl Bank {
    /// The bank that holds values of a type.
    pub(super) const fn of(scalar: Scalar) -> Bank {
        match scalar {
            Scalar::I64 | Scalar::U64 => Bank::Long,
            Scalar::F16 | Scalar::BF16 | Scalar::F32 => Bank::Single,
            Scalar::F64 => Bank::Double,
            _ => Bank::Word,
        }
    }
}

/// The registers of a batch.
#[derive(Debug, Default)]
pub(super) struct Registers {
    word: Vec<Vec<i32>>,
    long: Vec<Vec<i64>>,
    single: Vec<Vec<f32>>,
    double: Vec<Vec<f64>>,
}

impl Registers {
    /// `counts` registers of each bank (in the order of [`Bank`]) with `lanes` lanes.
    pub(super) fn new(counts: [usize; 4], lanes: usize) -> Registers {
        Registers {
            word: vec![vec![0; lanes]; counts[0]],
            long: vec![vec![0; lanes]; counts[1]],
            single: vec![vec![0.0; lanes]; counts[2]],
            double: vec![vec![0.0; lanes]; counts[3]],
        }
    }

    /// A register's lanes.
    pub(super) fn get<T: Lane>(&self, register: Register) -> &[T] {
        &T::bank(self)[register as usize]
    }

    /// A register's lanes, to be changed.
    pub(super) fn get_mut<T: Lane>(&mut self, register: Register) -> &mut [T] {
        &mut T::bank_mut(self)[register as usize]
    }

    /// Takes a register out, so that others can be read while it is written.
    pub(super) fn take<T: Lane>(&mut self, register: Register) -> Vec<T> {
        std::mem::take(&mut T::bank_mut(self)[register as usize])
    }

    /// Puts a register back.
    pub(super) fn put<T: Lane>(&mut self, register: Register, lanes: Vec<T>) {
        T::bank_mut(self)[register as usize] = lanes;
    }

    /// `d = f(a)` in the first `n` lanes.
    pub(super) fn unary<T: Lane, U: Lane>(&mut self, d: Register, a: Register, n: usize, f: impl Fn(T) -> U) {
        let mut out = self.take::<U>(d);
        for (out, &a) in out[..n].iter_mut().zip(&self.get::<T>(a)[..n]) {
            *out = f(a);
        }
        self.put(d, out);
    }

    /// `d = f(a, b)` in the first `n` lanes.
    pub(super) fn binary<T: Lane, U: Lane>(
        &mut self,
        d: Register,
        a: Register,
        b: Register,
        n: usize,
        f: impl Fn(T, T) -> U,
    ) {
        let mut out = self.take::<U>(d);
        let (a, b) = (&self.get::<T>(a)[..n], &self.get::<T>(b)[..n]);
        for ((out, &a), &b) in out[..n].iter_mut().zip(a).zip(b) {
            *out = f(a, b);
        }
        self.put(d, out);
    }

    /// `d = f(d)` in the first `n` lanes.
    pub(super) fn in_place<T: Lane>(&mut self, d: Register, n: usize, f: impl Fn(T) -> T) {
        for value in &mut self.get_mut::<T>(d)[..n] {
            *value = f(*value);
        }
    }

    /// `d = f(d, a)` in the first `n` lanes; `d` is not `a`.
    pub(super) fn accumulate<T: Lane>(&mut self, d: Register, a: Register, n: usize, f: impl Fn(T, T) -> T) {
        let mut out = self.take::<T>(d);
        for (out, &a) in out[..n].iter_mut().zip(&self.get::<T>(a)[..n]) {
            *out = f(*out, a);
        }
        self.put(d, out);
    }

    /// `d = condition ? a : b` in the first `n` lanes.
    pub(super) fn select<T: Lane>(&mut self, d: Register, condition: Register, a: Register, b: Register, n: usize) {
        let mut out = self.take::<T>(d);
        let condition = &self.word[condition as usize][..n];
        let (a, b) = (&self.get::<T>(a)[..n], &self.get::<T>(b)[..n]);
        for (((out, &condition), &a), &b) in out[..n].iter_mut().zip(condition).zip(a).zip(b) {
            *out = if condition != 0 { a } else { b };
        }
        self.put(d, out);
    }

    /// `d = a` where the mask is set, in the first `n` lanes.
    pub(super) fn blend<T: Lane>(&mut self, d: Register, mask: Register, a: Register, n: usize) {
        let mut out = self.take::<T>(d);
        let (mask, a) = (&self.word[mask as usize][..n], &self.get::<T>(a)[..n]);
        for ((out, &mask), &a) in out[..n].iter_mut().zip(mask).zip(a) {
            if mask != 0 {
                *out = a;
            }
        }
        self.put(d, out);
    }
}

/// One of the four machine types.
pub(super) trait Lane: Copy + Default + PartialEq {
    /// Its registers.
    fn bank(registers: &Registers) -> &[Vec<Self>];
    /// Its registers, to be changed.
    fn bank_mut(registers: &mut Registers) -> &mut [Vec<Self>];
    /// Its vector in memory, where memory is of this type.
    fn cells(cells: &Cells) -> Option<&Vec<Self>>;
    /// Its vector in memory, to be changed.
    fn cells_mut(cells: &mut Cells) -> Option<&mut Vec<Self>>;
    /// From a constant, already of the right type.
    fn from_literal(literal: Literal) -> Self;
    /// An element of a buffer of a type that is kept in this one.
    fn from_buffer(buffer: &InputBuffer, index: i64) -> Self;
}

macro_rules! lane {
    ($type:ty, $field:ident, $variant:ident, $from_buffer:expr) => {
        impl Lane for $type {
            fn bank(registers: &Registers) -> &[Vec<$type>] {
                &registers.$field
            }
            fn bank_mut(registers: &mut Registers) -> &mut [Vec<$type>] {
                &mut registers.$field
            }
            fn cells(cells: &Cells) -> Option<&Vec<$type>> {
                match cells {
                    Cells::$variant(cells) => Some(cells),
                    _ => None,
                }
            }
            fn cells_mut(cells: &mut Cells) -> Option<&mut Vec<$type>> {
                match cells {
                    Cells::$variant(cells) => Some(cells),
                    _ => None,
                }
            }
            fn from_literal(literal: Literal) -> $type {
                match literal {
                    Literal::$variant(value) => value,
                    _ => Default::default(),
                }
            }
            #[inline]
            fn from_buffer(buffer: &InputBuffer, index: i64) -> $type {
                let from_buffer: fn(&InputBuffer, i64) -> $type = $from_buffer;
                from_buffer(buffer, index)
            }
        }
    };
}
lane!(i32, word, Word, |buffer, index| {
    let whole = buffer.whole(index);
    if buffer.dtype == Scalar::Bool { i32::from(whole != 0) } else { whole as i32 }
});
lane!(i64, long, Long, |buffer, index| buffer.whole(index));
lane!(f32, single, Single, |buffer, index| buffer.float(index) as f32);
lane!(f64, double, Double, |buffer, index| buffer.float(index));

/// Memory: elements of one machine type.
#[derive(Clone, Debug)]
pub(super) enum Cells {
    /// Of [`Bank::Word`].
    Word(Vec<i32>),
    /// Of [`Bank::Long`].
    Long(Vec<i64>),
    /// Of [`Bank::Single`].
    Single(Vec<f32>),
    /// Of [`Bank::Double`].
    Double(Vec<f64>),
}

impl Cells {
    /// `count` zeros.
    pub(super) fn new(bank: Bank, count: usize) -> Cells {
        match bank {
            Bank::Word => Cells::Word(vec![0; count]),
            Bank::Long => Cells::Long(vec![0; count]),
            Bank::Single => Cells::Single(vec![0.0; count]),
            Bank::Double => Cells::Double(vec![0.0; count]),
        }
    }

    /// Adds zeros at the end, to `count` elements.
    pub(super) fn resize(&mut self, count: usize) {
        match self {
            Cells::Word(cells) => cells.resize(count, 0),
            Cells::Long(cells) => cells.resize(count, 0),
            Cells::Single(cells) => cells.resize(count, 0.0),
            Cells::Double(cells) => cells.resize(count, 0.0),
        }
    }
}

/// A constant in its machine type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal {
    /// Of [`Bank::Word`].
    Word(i32),
    /// Of [`Bank::Long`].
    Long(i64),
    /// Of [`Bank::Single`].
    Single(f32),
    /// Of [`Bank::Double`].
    Double(f64),
}
