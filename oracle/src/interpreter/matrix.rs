//! Matrix instructions: D = A·B + C by all lanes of a warp of 32, of which each holds some elements.
//!
//! Where an element lies is the fact that tinygrad 0.9.0's emulator of these instructions states for each family. The
//! products are exact in `f64` and are summed there, C last; the sum is rounded once to C's type.

use super::convert::round_f64;
use super::machine::Machine;
use super::program::{MatrixLayout, Op};
use crate::FindingKind;

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
        let mut out: Vec<Vec<f32>> = d.iter().map(|&register| self.registers.take(register)).collect();
        for base in (0..self.lanes).step_by(WARP) {
            let read = |registers: &[u32], (lane, element): Held| -> f32 {
                registers.get(element).map_or(0.0, |&register| self.registers.get::<f32>(register)[base + lane])
            };
            let mut left = [[0.0f64; 16]; 16];
            let mut right = [[0.0f64; 16]; 16];
            for k in 0..depth {
                for (m, row) in left.iter_mut().enumerate().take(rows) {
                    row[k] = f64::from(read(a, layout.a(m, k)));
                }
                for (n, column) in right.iter_mut().enumerate().take(columns) {
                    column[k] = f64::from(read(b, layout.b(k, n)));
                }
            }
            for (m, row) in left.iter().enumerate().take(rows) {
                for (n, column) in right.iter().enumerate().take(columns) {
                    let (lane, element) = layout.c(m, n);
                    let products = row.iter().zip(column).take(depth).map(|(a, b)| a * b);
                    let sum = products.sum::<f64>() + f64::from(read(c, (lane, element)));
                    if let Some(out) = out.get_mut(element) {
                        out[base + lane] = round_f64(sum, matrix.out);
                    }
                }
            }
        }
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
