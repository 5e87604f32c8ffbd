//! Where the elements of a matrix instruction's matrices lie in a warp of 32 lanes: facts of each device family.

use super::algebra::Algebra;
use super::lane::Lane;
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::dtype::Scalar;
use plumb_core::uop::Wmma;

/// Lanes of a warp.
pub(super) const WARP: usize = 32;

/// Lane and register of an element.
type Held = (usize, usize);

/// Lane and register of an element by its row and column.
type Holder = fn(usize, usize) -> Held;

/// N, M, K and the holders of A, B and C.
type Family = ([usize; 3], [Holder; 3]);

const METAL: Family = ([8, 8, 8], [metal, metal, metal]);
const CUDA: Family = (
    [8, 16, 16],
    [
        |row, k| ((row & 7) << 2 | k >> 1 & 3, k & 1 | row >> 3 << 1 | k >> 3 << 2),
        |k, column| (column << 2 | k >> 1 & 3, k & 1 | k >> 3 << 1),
        |row, column| ((row & 7) << 2 | column >> 1, column & 1 | row >> 3 << 1),
    ],
);
const HIP: Family =
    ([16, 16, 16], [|row, k| (row, k), |k, column| (column, k), |row, column| (column | (row & 1) << 4, row >> 1)]);

/// Apple's tiles of 8×8: each quarter of a warp has a quadrant, two neighbours of a row a lane.
fn metal(row: usize, column: usize) -> Held {
    let lane = column >> 1 & 1 | (row & 3) << 1 | (column >> 2) << 3 | (row >> 2) << 4;
    (lane, column & 1)
}

fn family(instruction: &Wmma) -> Option<Family> {
    [METAL, CUDA, HIP].into_iter().find(|(dims, _)| *dims == instruction.dims)
}

/// A·B + C by one warp: each operand has its registers one after the other, of 32 lanes each; `None` for an instruction
/// that is not known.
pub(super) fn multiply(algebra: &mut Algebra, instruction: &Wmma, operands: [&[Lane]; 3]) -> Option<Vec<Lane>> {
    let ([columns, rows, depth], holders) = family(instruction)?;
    let get = |operand: usize, (lane, register): Held| operands[operand].get(register * WARP + lane).copied();
    let mut out = operands[2].to_vec();
    for row in 0..rows {
        for column in 0..columns {
            let place = holders[2](row, column);
            let mut total = get(2, place)?;
            for k in 0..depth {
                let factors = [get(0, holders[0](row, k))?, get(1, holders[1](k, column))?];
                let product = algebra.alu(AluOp::Mul, Scalar::F32, &factors)?;
                total = algebra.accumulate(ReduceOp::Sum, Scalar::F32, total, product);
            }
            *out.get_mut(place.1 * WARP + place.0)? = total;
        }
    }
    Some(out)
}
