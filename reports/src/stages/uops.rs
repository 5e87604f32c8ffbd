//! Uops as built, after rewriting, and in their order.

use super::heading;
use crate::terminal::{DIM, GONE, NEW, padded, styled, uop_style};
use plumb_core::linearize::Lowered;
use plumb_core::symbolic::Arena;
use plumb_core::uop::{GraphStage, GraphStages, Uop, UopList};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The graph before and after rewriting, then the list.
pub(super) fn show(text: &mut String, stages: &GraphStages, lowered: &Lowered) {
    show_graph(text, stages, &lowered.arena);
    heading(text, &format!("Uops in their order: {}", lowered.uops.uops.len()));
    table(text, &lowered.uops, &lowered.arena, |_| Mark::None);
}

/// The graph before and, where that is something else, after rewriting.
pub(super) fn show_graph(text: &mut String, stages: &GraphStages, arena: &Arena) {
    let numbers = |stage: &GraphStage| stage.numbers.iter().copied().collect::<BTreeSet<u32>>();
    let (before, after) = (numbers(&stages.built), numbers(&stages.rewritten));
    let gone = before.difference(&after).count();
    let came = after.difference(&before).count();
    let marked = |stage: &GraphStage, other: &BTreeSet<u32>, mark: Mark| {
        stage.numbers.iter().map(|number| if other.contains(number) { Mark::None } else { mark }).collect::<Vec<_>>()
    };
    let marks = if after.is_empty() { Vec::new() } else { marked(&stages.built, &after, Mark::Gone) };
    heading(text, &format!("Uops as built: {}", before.len()));
    table(text, &stages.built.list, arena, |place| marks.get(place).copied().unwrap_or(Mark::None));
    if after.is_empty() {
        return;
    }
    if gone + came == 0 {
        heading(text, "Rewriting changes nothing");
        return;
    }
    let marks = marked(&stages.rewritten, &before, Mark::New);
    heading(
        text,
        &format!("Uops after rewriting: {}; {gone} of those built are gone (-), {came} are new (+)", after.len()),
    );
    table(text, &stages.rewritten.list, arena, |place| marks.get(place).copied().unwrap_or(Mark::None));
}

/// What becomes, or became, of a uop by rewriting.
#[derive(Clone, Copy)]
enum Mark {
    None,
    Gone,
    New,
}

/// One line a uop: number, kind, type, argument, sources.
fn table(text: &mut String, list: &UopList, arena: &Arena, mark: impl Fn(usize) -> Mark) {
    let rows: Vec<[String; 4]> = list.uops.iter().map(|uop| cells(uop, arena)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(40);
    let (kind, dtype, arg) = (width(0), width(1), width(2));
    let number = list.uops.len().saturating_sub(1).to_string().len().max(3);
    for (place, (row, uop)) in rows.iter().zip(&list.uops).enumerate() {
        let mark = match mark(place) {
            Mark::None => " ".to_owned(),
            Mark::Gone => styled(GONE, "-"),
            Mark::New => styled(NEW, "+"),
        };
        let line = format!(
            "{mark} {place:>number$}  {}  {:dtype$}  {:arg$}  {}",
            padded(uop_style(uop.kind), &row[0], kind),
            row[1],
            row[2],
            styled(DIM, &row[3]),
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn cells(uop: &Uop, arena: &Arena) -> [String; 4] {
    let nothing = |text: String| if text == "-" { String::new() } else { text };
    let sources: Vec<String> = uop.sources.iter().map(|source| source.0.to_string()).collect();
    [
        uop.kind.name().to_owned(),
        uop.dtype.map(|dtype| dtype.to_string()).unwrap_or_default(),
        nothing(crate::dot::arg_text(uop, arena)),
        sources.join(" "),
    ]
}
