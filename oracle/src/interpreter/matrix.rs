//! Matrix instructions: D = A·B + C by all lanes of a warp of 32, of which each holds some elements.
//!
//! Where an element lies is what each maker documents: Apple's `simdgroup_matrix` of 8×8, the PTX ISA's
//! `mma.m16n8k16`, the RDNA3 ISA's `v_wmma_…_16x16x16`. The tests state it a second time, from lane to place. The
//! products are exact in `f64` and are summed there, C last; the sum is rounded once to C's type.

use super::convert::round_f64;
use super::lanes::Register;
use super::machine::Machine;
use super::program::{MatrixLayout, Op};
use crate::FindingKind;
use smallvec::SmallVec;

/// Lanes of a warp.
const WARP: usize = 32;

/// A lane of the warp, and which of its elements.
type Held = (usize, usize);

impl MatrixLayout {
    /// N, M, K.
    const fn dims(self) -> [usize; 3] {
        match self {
            MatrixLayout::Metal => [8, 8, 8],
            MatrixLayout::Cuda => [8, 16, 16],
            MatrixLayout::Hip => [16, 16, 16],
        }
    }

    /// Where A's element in row `m`, column `k` lies.
    const fn a(self, m: usize, k: usize) -> Held {
        match self {
            MatrixLayout::Metal => tile(m, k),
            MatrixLayout::Cuda => (m % 8 * 4 + k / 2 % 4, k % 2 + m / 8 * 2 + k / 8 * 4),
            MatrixLayout::Hip => (m, k),
        }
    }

    /// Where B's element in row `k`, column `n` lies.
    const fn b(self, k: usize, n: usize) -> Held {
        match self {
            MatrixLayout::Metal => tile(k, n),
            MatrixLayout::Cuda => (n * 4 + k / 2 % 4, k % 2 + k / 8 * 2),
            MatrixLayout::Hip => (n, k),
        }
    }

    /// Where C's and D's element in row `m`, column `n` lies.
    const fn c(self, m: usize, n: usize) -> Held {
        match self {
            MatrixLayout::Metal => tile(m, n),
            MatrixLayout::Cuda => (m % 8 * 4 + n / 2, n % 2 + m / 8 * 2),
            MatrixLayout::Hip => (n + m % 2 * 16, m / 2),
        }
    }
}

/// An 8×8 tile of Metal: two neighbours of a row in each lane.
const fn tile(row: usize, column: usize) -> Held {
    (column / 2 % 2 + row % 4 * 2 + column / 4 * 8 + row / 4 * 16, column % 2)
}

/// The largest matrix, by rows.
type Tile = [f64; 256];

/// For each register of an operand which lanes hold elements, and where in a tile.
type Places = Vec<Vec<(u8, u8)>>;

/// The places of a matrix of `height` rows of which each lane holds elements in `registers` registers.
fn places(registers: usize, height: usize, width: usize, at: &dyn Fn(usize, usize) -> Held) -> Places {
    let mut places = vec![Vec::with_capacity(WARP); registers];
    for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
        let (lane, element) = at(row, column);
        if let Some(places) = places.get_mut(element) {
            places.push((lane as u8, (row * 16 + column) as u8));
        }
    }
    places
}

/// The elements of a matrix, from the registers of the lanes from `base` on.
fn read(registers: &[&[f32]], base: usize, places: &Places, tile: &mut Tile) {
    for (register, places) in registers.iter().zip(places) {
        let Some(lanes) = register.get(base..).and_then(<[f32]>::first_chunk::<WARP>) else { continue };
        for &(lane, at) in places {
            tile[usize::from(at)] = f64::from(lanes[usize::from(lane) % WARP]);
        }
    }
}

/// `sum` = the products summed over `k` from 0 on, and `sum` last.
fn accumulate<const COLUMNS: usize>(left: &Tile, right: &Tile, [rows, depth]: [usize; 2], sum: &mut Tile) {
    let (left, right) = (left.as_chunks::<16>().0, right.as_chunks::<16>().0);
    for (left, sum) in left.iter().zip(sum.as_chunks_mut::<16>().0).take(rows) {
        let mut products = [-0.0; COLUMNS];
        for (factor, right) in left.iter().zip(right).take(depth) {
            for (product, other) in products.iter_mut().zip(right) {
                *product += factor * other;
            }
        }
        for (sum, product) in sum.iter_mut().zip(products) {
            *sum += product;
        }
    }
}

impl Machine<'_> {
    pub(super) fn matrix(&mut self, op: &Op) {
        let Some(matrix) = self.program.matrices.get(op.extra as usize) else { return };
        if !self.group_lanes.is_multiple_of(WARP) {
            let what = format!(": the {} lanes of a workgroup are no whole warps of {WARP}", self.group_lanes);
            self.faults.add(self.list, op.uop, FindingKind::Malformed, &what);
            return;
        }
        let mask = self.mask(op.c);
        let missing = (0..self.lanes / WARP).find_map(|warp| {
            let mut lanes = warp * WARP..(warp + 1) * WARP;
            let active = mask.map_or(WARP, |mask| mask[lanes.clone()].iter().filter(|&&on| on != 0).count());
            lanes.find(|&lane| active != 0 && mask.is_some_and(|mask| mask[lane] == 0))
        });
        if let Some(lane) = missing {
            let what = format!("{}: not reached by this lane, but by others of its warp", self.place(op, lane));
            self.faults.add(self.list, op.uop, FindingKind::DivergentBarrier, &what);
        }
        if matrix.layout == MatrixLayout::Hip {
            self.check_halves(op);
        }
        let layout = matrix.layout;
        let [columns, rows, depth] = layout.dims();
        let [a, b, c, d] = &matrix.operands;
        let in_left = places(a.len(), rows, depth, &|m, k| layout.a(m, k));
        let in_right = places(b.len(), depth, columns, &|k, n| layout.b(k, n));
        let in_sum = places(d.len(), rows, columns, &|m, n| layout.c(m, n));
        let mut out: Vec<Vec<f32>> = d.iter().map(|&register| self.registers.take(register)).collect();
        let lanes = |registers: &[Register]| -> SmallVec<[&[f32]; 16]> {
            registers.iter().map(|&register| self.registers.get::<f32>(register)).collect()
        };
        let [a, b, c] = [lanes(a), lanes(b), lanes(c)];
        let (mut left, mut right, mut sum): (Tile, Tile, Tile) = ([0.0; 256], [0.0; 256], [0.0; 256]);
        for base in (0..self.lanes).step_by(WARP) {
            read(&a, base, &in_left, &mut left);
            read(&b, base, &in_right, &mut right);
            read(&c, base, &in_sum, &mut sum);
            if columns == 8 {
                accumulate::<8>(&left, &right, [rows, depth], &mut sum);
            } else {
                accumulate::<16>(&left, &right, [rows, depth], &mut sum);
            }
            for (out, places) in out.iter_mut().zip(&in_sum) {
                let Some(lanes) = out.get_mut(base..).and_then(<[f32]>::first_chunk_mut::<WARP>) else { continue };
                for &(lane, at) in places {
                    lanes[usize::from(lane) % WARP] = round_f64(sum[usize::from(at)], matrix.out);
                }
            }
        }
        drop([a, b, c]);
        for (&register, lanes) in d.iter().zip(out) {
            self.registers.put(register, lanes);
        }
    }

    /// The upper half of a warp must hold the same elements of A and B as the lower half.
    fn check_halves(&mut self, op: &Op) {
        let Some(matrix) = self.program.matrices.get(op.extra as usize) else { return };
        let [a, b, ..] = &matrix.operands;
        let differs = a.iter().chain(b).find_map(|&register| {
            let lanes = self.lanes_of::<f32>(register);
            let other = |lane: usize| lanes[lane ^ 16].to_bits();
            self.find(op.c, |lane| lanes[lane].to_bits() != other(lane))
        });
        if let Some(lane) = differs {
            let place = self.place(op, lane);
            let what = format!("{place}: its elements of A or B are not those of the lane 16 away, as they must be");
            self.faults.add(self.list, op.uop, FindingKind::Malformed, &what);
        }
    }
}
