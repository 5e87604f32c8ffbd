//! Which values stand within the expression that uses them, instead of getting a name.

use crate::dtype::DType;
use crate::uop::{Uop, UopKind, UopList};

/// Whether a uop is a lane of a vector accumulator: another name of it, which PHI may write to.
fn is_accumulator_lane(uops: &[Uop], uop: &Uop) -> bool {
    let source = uop.sources.first().and_then(|id| uops.get(id.index()));
    uop.kind == UopKind::Gep && source.is_some_and(|source| source.kind == UopKind::DefineAcc)
}

/// For each uop whether its expression takes the place of its name: scalar arithmetic that is used once, in the same
/// block, and does not look at an accumulator that changes in between.
pub(super) fn inlined(list: &UopList) -> Vec<bool> {
    let uops = &list.uops;
    let mut uses = vec![0_u32; uops.len()];
    let mut user = vec![usize::MAX; uops.len()];
    let mut block = Vec::with_capacity(uops.len());
    let mut updates = Vec::with_capacity(uops.len());
    let mut from_accumulator = vec![false; uops.len()];
    let (mut blocks, mut open, mut updated) = (0_u32, vec![0_u32], 0_u32);
    for (position, uop) in uops.iter().enumerate() {
        for source in &uop.sources {
            if let Some(count) = uses.get_mut(source.index()) {
                *count += 1;
                user[source.index()] = position;
            }
        }
        from_accumulator[position] = matches!(uop.kind, UopKind::DefineAcc | UopKind::Phi)
            || uop.kind != UopKind::Load
                && uop.sources.iter().any(|source| from_accumulator.get(source.index()) == Some(&true));
        block.push(open.last().copied().unwrap_or(0));
        updates.push(updated);
        match uop.kind {
            UopKind::Range | UopKind::If => {
                blocks += 1;
                open.push(blocks);
            }
            UopKind::EndRange | UopKind::EndIf if open.len() > 1 => {
                open.pop();
            }
            UopKind::Phi => updated += 1,
            _ => {}
        }
    }
    // Where a value is computed in the end: at its own place, or where what it stands in is computed.
    let mut at: Vec<usize> = (0..uops.len()).collect();
    let mut inlined = vec![false; uops.len()];
    for (position, uop) in uops.iter().enumerate().rev() {
        let scalar = matches!(uop.dtype, Some(DType::Scalar(_)));
        let simple = matches!(uop.kind, UopKind::Alu | UopKind::Cast | UopKind::Gep) && scalar;
        if uop.kind == UopKind::Const || is_accumulator_lane(uops, uop) {
            inlined[position] = true;
        } else if simple && uses[position] == 1 && user[position] > position {
            let place = at[user[position]];
            let unchanged = !from_accumulator[position] || updates[place] == updates[position];
            if unchanged && block[place] == block[position] {
                at[position] = place;
                inlined[position] = true;
            }
        }
    }
    inlined
}
