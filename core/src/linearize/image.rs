//! Images: pixels of four channels, addressed by column and row.

use super::LowerStep;
use super::state::Lowering;
use crate::ast::AluOp;
use crate::dtype::{DType, Image};
use crate::kernel::LowerError;
use crate::rule::State;
use crate::symbolic::{NodeId, Sint};
use crate::uop::{UopArg, UopId, UopKind};

/// Channels of a pixel.
pub(super) const CHANNELS: i64 = 4;

impl Lowering {
    /// Column and row of the pixel that holds element `index`, as the vector that addresses it.
    pub(super) fn pixel(&mut self, image: Image, index: NodeId) -> Result<UopId, LowerError> {
        let pixel = self.coordinates(image, index)?;
        self.address(pixel)
    }

    /// Column and row of the pixel that holds element `index`.
    pub(super) fn coordinates(&mut self, image: Image, index: NodeId) -> Result<[NodeId; 2], LowerError> {
        let arena = &mut self.kernel.arena;
        let (width, row) = (i64::from(image.width), i64::from(image.width) * CHANNELS);
        let pixel = arena.floor_div(index, Sint::Int(CHANNELS))?;
        let column = arena.modulo(pixel, Sint::Int(width))?;
        Ok([column, arena.floor_div(index, Sint::Int(row))?])
    }

    /// The vector that addresses a pixel.
    pub(super) fn address(&mut self, [column, row]: [NodeId; 2]) -> Result<UopId, LowerError> {
        let place = [self.render(column)?, self.render(row)?];
        Ok(self.graph.add(UopKind::Cast, Some(DType::I32.vector(2)), &place, UopArg::None))
    }

    /// The channel of a loaded pixel that holds element `index`: chosen among those that it can be.
    pub(super) fn channel(&mut self, pixel: UopId, index: NodeId) -> Result<UopId, LowerError> {
        let lane = self.kernel.arena.modulo(index, Sint::Int(CHANNELS))?;
        let (first, last) = (self.kernel.arena.min(lane), self.kernel.arena.max_int(lane));
        let lane = self.render(lane)?;
        let step = self.state(LowerStep::ImageLane);
        if step == State::Off {
            return Ok(self.lane(pixel, 0));
        }
        let turned = |channel: i64| if step == State::Altered { first + last - channel } else { channel };
        let mut chosen = self.lane(pixel, turned(last));
        for channel in (first..last).rev() {
            let here = self.lane(pixel, turned(channel));
            let bound = self.index_constant(channel + 1)?;
            let earlier = self.graph.alu(AluOp::CmpLt, &[lane, bound]);
            chosen = self.graph.alu(AluOp::Where, &[earlier, here, chosen]);
        }
        Ok(chosen)
    }

    /// One lane of a vector; of a scalar, the scalar itself.
    pub(super) fn lane(&mut self, vector: UopId, lane: i64) -> UopId {
        let dtype = self.graph.uop(vector).dtype.unwrap_or(DType::F32).scalar();
        self.graph.add(UopKind::Gep, Some(dtype.into()), &[vector], UopArg::Lane(lane as u32))
    }
}
