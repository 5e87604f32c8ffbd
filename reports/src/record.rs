//! The program record as JSON: what `plumb uops --json` prints.

use plumb_core::kernel::UniqueNames;
use plumb_core::linearize::Lowered;
use plumb_core::program::Program;
use plumb_core::symbolic::Sint;
use serde_json::{Value, json};

/// One object. Sizes and estimates are numbers, or texts where they depend on variables.
pub(crate) fn json(
    number: usize,
    target: &str,
    lowered: &Lowered,
    program: &Program,
    names: &mut UniqueNames,
) -> Value {
    let size = |size: Sint| match size {
        Sint::Int(number) => json!(number),
        expression => json!(program.text(expression)),
    };
    let sizes = |sizes: &Option<Vec<Sint>>| match sizes {
        Some(sizes) => sizes.iter().map(|&one| size(one)).collect(),
        None => Value::Null,
    };
    let axes = program.axes.iter().map(|axis| {
        let text = program.name.get(axis.place.clone()).unwrap_or_default();
        let size = text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number));
        json!({ "size": size, "kind": axis.kind.name(), "color": axis.kind.color() })
    });
    let variables = program
        .variables
        .iter()
        .map(|variable| json!({ "name": variable.name, "min": variable.min, "max": variable.max }));
    let buffers = program
        .buffers
        .iter()
        .map(|buffer| json!({ "index": buffer.index, "dtype": buffer.dtype.to_string(), "output": buffer.output }));
    let suffix = names.suffix(&program.name);
    json!({
        "kernel": number,
        "name": format!("{}{suffix}", program.name),
        "function": program.function_name(&suffix),
        "target": target,
        "axes": axes.collect::<Value>(),
        "global_size": sizes(&program.global_size),
        "local_size": sizes(&program.local_size),
        "variables": variables.collect::<Value>(),
        "buffers": buffers.collect::<Value>(),
        "outputs": program.output_count(),
        "operations": size(program.operations.estimate),
        "bytes": size(program.bytes.estimate),
        "opts": lowered.applied.iter().map(|opt| json!(opt.to_string())).collect::<Value>(),
        "uops": lowered.uops.uops.len(),
        "digest": lowered.digest(),
    })
}
