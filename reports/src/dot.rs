//! A kernel's uops as a graph in the DOT language of Graphviz: what `plumb uops --dot` prints.
//!
//! Ends of loops and ifs are no nodes. `plumb uops FILE --dot --kernel 0 | dot -Tsvg > kernel.svg` draws it.

use plumb_core::linearize::Lowered;
use plumb_core::symbolic::Arena;
use plumb_core::uop::{Uop, UopKind};
use std::fmt::Write;

/// The graph; an edge leads from a source to what uses it.
pub(crate) fn graph(lowered: &Lowered, origin: &str) -> String {
    let title = quoted(&format!("{} {}\n{origin}", lowered.name, lowered.head()));
    let mut text = format!("digraph {} {{\n", quoted(&lowered.name));
    let _ = writeln!(text, "  graph [rankdir=LR, label={title}, labelloc=t, fontname=\"Helvetica\"];");
    let _ = writeln!(text, "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=10];");
    text.push_str(
        "  edge [arrowsize=0.6, color=\"#868e96\", labelfontsize=8, labelfontcolor=\"#868e96\", labeldistance=1.6];\n",
    );
    let drawn = |uop: &Uop| !matches!(uop.kind, UopKind::EndRange | UopKind::EndIf);
    for (number, uop) in lowered.uops.uops.iter().enumerate().filter(|(_, uop)| drawn(uop)) {
        let mut label = format!("{number} {}", uop.kind.name());
        let arg = arg_text(uop, &lowered.arena);
        if arg != "-" {
            let _ = write!(label, " {arg}");
        }
        if let Some(dtype) = uop.dtype {
            let _ = write!(label, "\n{dtype}");
        }
        let _ = writeln!(text, "  n{number} [label={}, fillcolor=\"{}\"];", quoted(&label), color(uop.kind));
    }
    for (number, uop) in lowered.uops.uops.iter().enumerate().filter(|(_, uop)| drawn(uop)) {
        for (place, source) in uop.sources.iter().enumerate() {
            // Which source it is tells x - y from y - x.
            let _ = match uop.sources.len() {
                1 => writeln!(text, "  n{} -> n{number};", source.0),
                _ => writeln!(text, "  n{} -> n{number} [headlabel={place}];", source.0),
            };
        }
    }
    text.push_str("}\n");
    text
}

/// What a uop carries, for people: floats in decimal where the uop text has their bits.
pub(crate) fn arg_text(uop: &Uop, arena: &Arena) -> String {
    use plumb_core::constant::Constant::Float;
    use plumb_core::uop::UopArg;
    match &uop.arg {
        UopArg::Const(Float(value)) => format!("{value:?}"),
        UopArg::Acc { init: Float(value), buffer, number } => format!("{value:?}:{buffer}:{number}"),
        arg => arg.text(arena),
    }
}

/// A quoted string of the DOT language, whose only escapes are those of labels.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The colour of nodes of a kind: arithmetic yellow, reads red, writes and accumulators green, launch blue, loops and what lanes
/// wait for violet, arguments orange.
fn color(kind: UopKind) -> &'static str {
    match kind {
        UopKind::Alu => "#fff7bf",
        UopKind::Wmma => "#ffe066",
        UopKind::Load => "#ffc9c9",
        UopKind::Store => "#b2f2bb",
        UopKind::Phi => "#d8f5a2",
        UopKind::DefineAcc => "#ebfbee",
        UopKind::Special => "#c5d8ff",
        UopKind::Const => "#e9ecef",
        UopKind::DefineGlobal | UopKind::DefineVar => "#ffe0b8",
        UopKind::DefineLocal => "#ffd8a8",
        UopKind::Range => "#d8c3f0",
        UopKind::If => "#e0c8ea",
        UopKind::Barrier => "#ff8787",
        _ => "#ffffff",
    }
}
