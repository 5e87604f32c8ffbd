//! Matrix instructions: which element of the tile each lane holds, and which values of the kernel's axes that element
//! stands at. Where elements lie is stated here anew, in the direction in which the proof needs it.

use super::extract::{Extracted, Index};
use super::forms::{FormId, Forms, Overflow, Result};
use super::structure::{AxisKind, Structure};
use plumb_core::linearize::Lowered;
use plumb_core::uop::{IndexName, UopArg};

/// Lanes of a warp.
const WARP: i64 = 32;

/// An operand of a matrix instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Operand {
    /// The left factor, M×K.
    A,
    /// The right factor, K×N.
    B,
    /// The accumulator and result, M×N.
    C,
}

/// A place in the tile; what an operand does not have is `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TilePlace {
    /// Column of B and C.
    pub(super) n: Option<FormId>,
    /// Row of A and C.
    pub(super) m: Option<FormId>,
    /// Column of A and row of B.
    pub(super) k: Option<FormId>,
}

/// The axes of a kernel that make the tile.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    /// N, M, K.
    dims: [i64; 3],
    /// The unrolled axis that is K.
    pub(super) k: usize,
    /// For N and M the axes whose values are its digits, the lowest first.
    digits: [Vec<usize>; 2],
    /// Upcasted axes of the tile.
    pub(super) upcasted: Vec<usize>,
    /// The lane's number in its warp.
    lane: FormId,
    /// Elements of each operand in a lane.
    pub(super) sizes: [i64; 3],
}

impl Tile {
    /// The tile of a kernel; `None` where it uses no matrix instruction.
    pub(super) fn new(
        forms: &mut Forms,
        structure: &Structure,
        lowered: &Lowered,
        extracted: &Extracted,
    ) -> Result<Option<Tile>> {
        let Some(core) = &structure.core else { return Ok(None) };
        let threads = core.threads.len();
        let first_lane = structure.of_kind(&[AxisKind::Global]).len();
        let behind = [AxisKind::Upcasted, AxisKind::Unrolled];
        let k = *structure.of_kind(&behind).first().ok_or(Overflow)?;
        let upcasted: Vec<usize> = (k + 1..k + core.upcasts()).collect();
        let mut digits = [Vec::new(), Vec::new()];
        let mut own = upcasted.iter();
        for (dimension, digits) in digits.iter_mut().enumerate() {
            let lanes: usize = core.threads.iter().filter(|(of, _)| *of == dimension).map(|(_, size)| size).product();
            if core.dims[dimension] > lanes {
                digits.push(*own.next().ok_or(Overflow)?);
            }
            let threads = core.threads.iter().enumerate().filter(|(_, (of, _))| *of == dimension);
            digits.extend(threads.map(|(thread, _)| first_lane + thread));
        }
        if digits.iter().flatten().chain([&k]).any(|&axis| axis >= structure.axes.len()) || threads == 0 {
            return Err(Overflow);
        }
        let dims = core.dims.map(|size| size as i64);
        let sizes = core.thread_local_sizes.each_ref().map(|sizes| sizes.iter().product::<usize>() as i64);
        let lane = lane(forms, lowered, extracted)?;
        Ok(Some(Tile { dims, k, digits, upcasted, lane, sizes }))
    }

    /// The place of element `element` of an operand in each lane.
    pub(super) fn place(&self, forms: &mut Forms, operand: Operand, element: i64) -> Result<TilePlace> {
        // digit(q, s): the lane's digit of weight q below q·s.
        let mut digit = |weight: i64, size: i64| -> Result<FormId> {
            let quotient = forms.quotient(self.lane, weight)?;
            forms.remainder(quotient, size)
        };
        let (row, column) = match self.dims {
            // Metal: two neighbours of a row of 8 in each lane, for all operands.
            [8, 8, 8] => {
                let (low, high) = (digit(2, 4)?, digit(16, 2)?);
                let (left, right) = (digit(1, 2)?, digit(8, 2)?);
                let row = forms.add_scaled(low, high, 4)?;
                let column = forms.constant(element);
                let column = forms.add_scaled(column, left, 2)?;
                (row, forms.add_scaled(column, right, 4)?)
            }
            [8, 16, 16] => {
                let (quad, within) = (digit(4, 8)?, digit(1, 4)?);
                let pair = forms.constant(element % 2);
                let pair = forms.add_scaled(pair, within, 2)?;
                match operand {
                    Operand::A => (forms.offset(quad, element / 2 % 2 * 8)?, forms.offset(pair, element / 4 * 8)?),
                    Operand::B => (forms.offset(pair, element / 2 * 8)?, quad),
                    Operand::C => (forms.offset(quad, element / 2 * 8)?, pair),
                }
            }
            [16, 16, 16] => {
                let (half, within) = (digit(16, 2)?, digit(1, 16)?);
                let own = forms.constant(element);
                match operand {
                    Operand::A => (within, own),
                    Operand::B => (own, within),
                    Operand::C => (forms.offset(half, 2 * element)?, within),
                }
            }
            _ => return Err(Overflow),
        };
        Ok(match operand {
            Operand::A => TilePlace { n: None, m: Some(row), k: Some(column) },
            Operand::B => TilePlace { n: Some(column), m: None, k: Some(row) },
            Operand::C => TilePlace { n: Some(column), m: Some(row), k: None },
        })
    }

    /// Puts a place of the tile in the values of the axes. What an operand does not have is 0.
    pub(super) fn set(
        &self,
        forms: &mut Forms,
        structure: &Structure,
        place: TilePlace,
        values: &mut [FormId],
    ) -> Result<()> {
        let zero = forms.constant(0);
        values[self.k] = place.k.unwrap_or(zero);
        for (digits, of) in self.digits.iter().zip([place.n, place.m]) {
            let mut rest = of.unwrap_or(zero);
            for &axis in digits {
                let size = structure.axes[axis].size;
                values[axis] = forms.remainder(rest, size)?;
                rest = forms.quotient(rest, size)?;
            }
        }
        Ok(())
    }
}

/// The lane's number in its warp.
fn lane(forms: &mut Forms, lowered: &Lowered, extracted: &Extracted) -> Result<FormId> {
    let mut dims: Vec<(u32, FormId, i64)> = Vec::new();
    for (index, definition) in &extracted.indices {
        if let (Index::Launch(IndexName::Local(_)), UopArg::Special { dim, .. }) =
            (index, &lowered.uops.uops[definition.uop as usize].arg)
        {
            dims.push((*dim, definition.form, definition.range.1));
        }
    }
    dims.sort_unstable();
    let mut lane = forms.constant(0);
    let mut stride = 1i64;
    for (_, form, size) in dims {
        lane = forms.add_scaled(lane, form, stride)?;
        stride = stride.checked_mul(size).ok_or(Overflow)?;
    }
    forms.remainder(lane, WARP)
}
