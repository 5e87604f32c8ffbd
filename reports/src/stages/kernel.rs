//! AST, buffers, axes, and index expressions.

use crate::terminal::{DIM, HEADING, axis_style, padded, styled};
use plumb_core::ast::{Ast, AstOp, Source, Value};
use plumb_core::constant::Constant;
use plumb_core::kernel::{Kernel, KernelBuffer};
use plumb_core::linearize::TracedAccess;
use plumb_core::shape::ShapeTracker;
use plumb_core::symbolic::{Arena, Sint};
use std::fmt::Write;

/// The nodes of an AST, one a line, sources first.
pub(super) fn show_ast(text: &mut String, ast: &Ast) {
    let width = ast.nodes().len().saturating_sub(1).to_string().len() + 1;
    for (number, node) in ast.nodes().iter().enumerate() {
        let sources: Vec<String> = node.sources.iter().map(|source| format!("%{}", source.0)).collect();
        let sources = sources.join(" ");
        let place = |buffer| {
            let buffer = ast.buffer(buffer);
            let contents = contents(&ast.symbols, buffer.source);
            format!("{contents} {}", styled(DIM, view(&ast.symbols, &buffer.view)))
        };
        let (name, detail) = match &node.op {
            AstOp::Load(buffer) => ("LOAD", place(*buffer)),
            AstOp::Constant(buffer) => ("CONST", place(*buffer)),
            AstOp::Store(buffer) => ("STORE", format!("{sources} to {}", place(*buffer))),
            AstOp::Alu(op) => (op.name(), sources),
            AstOp::Cast(_) => ("CAST", sources),
            AstOp::Bitcast(_) => ("BITCAST", sources),
            AstOp::Reduce(op, axes) => {
                let axes: Vec<String> = axes.iter().map(ToString::to_string).collect();
                (op.name(), format!("{sources} over axis {}", axes.join(", ")))
            }
        };
        let _ = writeln!(text, "  {:>width$}  {name:<7} {:<5} {detail}", format!("%{number}"), node.dtype.to_string());
    }
}

/// A kernel's axes and the views of its buffers, after a step of this name.
pub(super) fn show_state(text: &mut String, kernel: &Kernel, step: &str) {
    let sizes = kernel.full_shape().iter().zip(kernel.axis_kinds());
    let axes: Vec<String> = sizes
        .map(|(&size, kind)| {
            let size = kernel.arena.render_sint(size);
            styled(axis_style(kind), format_args!("{size} {}", kind.name()))
        })
        .collect();
    let axes = if axes.is_empty() { "no axes".to_owned() } else { axes.join("  ") };
    let _ = writeln!(text, "  {} {axes}", padded(HEADING, step, STEP));
    for (number, tracker) in kernel.views.iter().enumerate() {
        let buffer = buffer(kernel, number);
        let _ = writeln!(text, "  {:STEP$} {buffer:<BUFFER$} {}", "", styled(DIM, view(&kernel.arena, tracker)));
    }
}

/// Width of the names of steps and of buffers.
const STEP: usize = 14;
const BUFFER: usize = 11;

/// A buffer of a kernel: where its elements come from.
fn buffer(kernel: &Kernel, number: usize) -> String {
    match kernel.buffers.get(number) {
        Some(KernelBuffer::Ast(id)) => {
            let source = kernel.ast.buffer(*id).source;
            let contents = contents(&kernel.arena, source);
            if number < kernel.outputs { format!("{contents} out") } else { contents }
        }
        Some(KernelBuffer::Local { name, .. }) => name.to_string(),
        None => "?".to_owned(),
    }
}

fn contents(arena: &Arena, source: Source) -> String {
    match source {
        Source::Memory(index) => format!("buf{index}"),
        Source::Constant(Value::Constant(Constant::Bool(value))) => value.to_string(),
        Source::Constant(Value::Constant(Constant::Int(value))) => value.to_string(),
        Source::Constant(Value::Constant(Constant::Float(value))) => format!("{value:?}"),
        Source::Constant(Value::Variable(node)) => arena.render(node),
    }
}

/// Views as `shape:strides+offset[mask]`, the one on the buffer first.
fn view(arena: &Arena, tracker: &ShapeTracker) -> String {
    let list = |sizes: &[Sint]| sizes.iter().map(|&size| arena.render_sint(size)).collect::<Vec<_>>().join(",");
    let one = |view: &plumb_core::shape::View| {
        let mut text = format!("({}):({})", list(&view.shape), list(&view.strides));
        match view.offset {
            Sint::Int(0) => {}
            Sint::Int(offset) => text.push_str(&format!("{offset:+}")),
            offset => text.push_str(&format!("+{}", arena.render_sint(offset))),
        }
        if let Some(mask) = &view.mask {
            let range = |&(from, to): &(Sint, Sint)| format!("{}:{}", arena.render_sint(from), arena.render_sint(to));
            text.push_str(&format!("[{}]", mask.iter().map(range).collect::<Vec<_>>().join(",")));
        }
        text
    };
    tracker.views.iter().map(one).collect::<Vec<_>>().join(" < ")
}

/// Which elements are accessed, one access a line.
pub(super) fn show_accesses(text: &mut String, kernel: &Kernel, accesses: &[TracedAccess]) {
    for access in accesses {
        let buffer = buffer(kernel, access.buffer);
        let _ = write!(text, "  {:<12} {buffer:<BUFFER$} {}", access.kind.name(), access.index);
        if access.valid != "1" {
            let _ = write!(text, " {} {}", styled(DIM, "where"), access.valid);
        }
        text.push('\n');
    }
}
