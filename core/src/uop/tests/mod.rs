//! Tests of the uop graph.

mod altered;
mod constants;
mod execute;
mod expression;
mod lists;
mod loops;
mod marks;
mod memory;
mod ordering;
mod reader;
mod rules;
mod semantics;
mod typed;

use super::{UopGraph, UopList, UopRule};
use crate::rule::{Firings, Rules, State};
use crate::symbolic::Arena;

/// Rules with all rewrites off.
fn no_rules() -> Rules {
    UopRule::TABLE.iter().fold(Rules::default(), |rules, info| rules.with(info.id, State::Off))
}

/// The list of a graph that must be in order.
fn list(graph: UopGraph) -> (UopList, Firings) {
    graph.finish().expect("the graph has a list")
}

/// The text of a graph's list, and the names of the rules that fired.
fn text(graph: UopGraph) -> String {
    let (list, firings) = list(graph);
    let fired: Vec<&str> =
        UopRule::TABLE.iter().filter(|info| firings.of(info.id) > 0).map(|info| &info.name[4..]).collect();
    format!("{}fired: {}\n", list.text(&Arena::default()), fired.join(" "))
}
