//! What is left out or kept for speed changes nothing: rules are not tried only where they would not apply, and memory is
//! used again without what was in it.

use super::semantics::{build, config, programs};
use crate::rule::Rules;
use crate::uop::rules::{AccumulatorLanes, Site, rules_for};
use crate::uop::{UopGraph, UopId, UopWorkspace};
use proptest::prelude::*;

/// The rules that apply to a uop of the graph, as they should be or altered, without what they need to be shown.
fn unforeseen(graph: &UopGraph) -> Vec<String> {
    let mut found = Vec::new();
    for id in (0..graph.len() as u32).map(UopId) {
        let uop = graph.uop(id);
        let marks = graph.arena.marks_of_sources(id);
        for (rewrite, altered) in rules_for(uop.kind, &uop.arg).iter().flat_map(|rule| [(rule, false), (rule, true)]) {
            let (mut arena, lanes) = (graph.arena.clone(), &mut AccumulatorLanes::default());
            let mut site = Site { arena: &mut arena, id, altered, first_round: false, lanes, held_back: false };
            let applies = (rewrite.apply)(&mut site).is_some_and(|rewritten| rewritten != id);
            if applies && (!marks.have(rewrite.needs) || graph.arena.is_settled(id)) {
                found.push(format!("{:?} on {uop:?}", rewrite.rule));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn rules_apply_only_where_they_are_tried((scalar, steps, _) in programs()) {
        prop_assert_eq!(unforeseen(&build(scalar, &steps, Rules::default())), Vec::<String>::new());
    }

    /// The same list, and the same number of firings, whatever was lowered before in the same memory.
    #[test]
    fn memory_leaves_no_trace(programs in prop::collection::vec(programs(), 1..6)) {
        let mut workspace = UopWorkspace::default();
        for (scalar, steps, _) in programs {
            let alone = build(scalar, &steps, Rules::default());
            let mut again = UopGraph::with_workspace(Rules::default(), &mut workspace);
            for id in (0..alone.len() as u32).map(UopId) {
                let uop = alone.uop(id).clone();
                prop_assert_eq!(again.add(uop.kind, uop.dtype, &uop.sources, uop.arg), id);
            }
            let again = again.finish_with(&mut workspace, &mut || true);
            let alone = alone.finish();
            prop_assert_eq!(alone.map_err(|error| error.to_string()), again.map_err(|error| error.to_string()));
        }
    }
}
