//! What the rewrite rules make of a list that they have made.

use plumb_core::linearize::Lowered;
use plumb_core::rule::Rules;
use plumb_core::uop::{UopError, UopGraph, UopId, UopKind, UopList};

/// The list that comes out when the uops of a list are entered into a graph and rewritten anew.
pub(super) fn rewritten(lowered: &Lowered, rules: Rules) -> Result<UopList, UopError> {
    let uops = &lowered.uops.uops;
    let mut graph = UopGraph::new(rules);
    let mut entered: Vec<Option<UopId>> = vec![None; uops.len()];
    let mut begun = vec![false; uops.len()];
    let mut stack: Vec<usize> = Vec::new();
    for position in 0..uops.len() {
        // An accumulator's loops stand after it, so sources are entered first wherever they stand.
        stack.push(position);
        while let Some(&at) = stack.last() {
            let Some(uop) = uops.get(at).filter(|_| entered[at].is_none()) else {
                stack.pop();
                continue;
            };
            begun[at] = true;
            let open = uop.sources.iter().map(|id| id.index()).find(|&source| begun.get(source) == Some(&false));
            if let Some(source) = open {
                stack.push(source);
                continue;
            }
            stack.pop();
            if matches!(uop.kind, UopKind::EndRange | UopKind::EndIf) {
                entered[at] = Some(UopId(0));
                continue;
            }
            let sources: Vec<UopId> =
                uop.sources.iter().filter_map(|id| entered.get(id.index()).copied().flatten()).collect();
            let id = graph.add(uop.kind, uop.dtype, &sources, uop.arg.clone());
            if uop.kind == UopKind::If {
                graph.store_in(id);
            }
            entered[at] = Some(id);
        }
    }
    graph.finish().map(|(list, _)| list)
}

/// Whether a list is a kernel's own, but for the order.
pub(super) fn is_same(lowered: &Lowered, list: &UopList) -> bool {
    let head = lowered.head();
    lowered.uops.uops.len() == list.uops.len()
        && lowered.uops.digest(&lowered.arena, &head) == list.digest(&lowered.arena, &head)
}
