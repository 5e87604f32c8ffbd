//! What becomes of kernels when they enter `core`.

mod support;

use plumb_core::ast::{Ast, Buffer};
use plumb_core::dtype::DType;
use plumb_core::symbolic::Sint;
use plumb_corpus::case::{Dim, DimExpr, Kernel, Layout, Movement, RawView, Step, Variable};
use plumb_corpus::log::parse_line;
use plumb_corpus::source::kernel_files;
use plumb_corpus::text;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// tinygrad's views were made canonical before it logged them, so that `core` must take them as they are.
#[test]
fn kernels_of_the_reference_log_enter_unchanged() {
    let Some(text) = support::data("sops.gz") else { return };
    let mut spent = Duration::ZERO;
    for (index, line) in text.lines().enumerate() {
        let kernel = parse_line(line, index + 1).unwrap_or_else(|error| panic!("{error}")).kernel;
        let begin = Instant::now();
        let ast = kernel.ast().unwrap_or_else(|error| panic!("line {index}: {error}"));
        spent += begin.elapsed();
        assert_eq!(ast.outputs().len(), kernel.steps.iter().filter(|step| matches!(step, Step::Store { .. })).count());
        let order = ast.outputs().iter().flat_map(|&root| ast.descendants(root));
        let mut order: Vec<u32> = order.map(|id| id.0).collect();
        order.sort_unstable();
        order.dedup();
        // The reader enters each distinct node once, so that each step is a node of its own.
        assert_eq!(order.len(), kernel.steps.len(), "line {index}: nodes and steps");
        assert_same_views(&kernel, &ast, index);
    }
    eprintln!("{spent:?} for {} kernels", text.lines().count());
}

fn assert_same_views(kernel: &Kernel, ast: &Ast, index: usize) {
    let mut distinct: Vec<(String, &Layout)> = Vec::new();
    for step in &kernel.steps {
        let (key, layout) = match step {
            Step::Load { buffer, dtype, layout } | Step::Store { buffer, dtype, layout, .. } => {
                (format!("{buffer} {dtype}"), layout)
            }
            Step::Constant { value, dtype, layout } => (format!("{value:?} {dtype}"), layout),
            _ => continue,
        };
        if !distinct.iter().any(|known| *known == (key.clone(), layout)) {
            distinct.push((key, layout));
        }
    }
    assert_eq!(distinct.len(), ast.buffers().len(), "line {index}: buffers");
    for ((_, layout), buffer) in distinct.iter().zip(ast.buffers()) {
        let Layout::Views(views) = layout else { panic!("line {index}: a log has views") };
        // For a symbolic view, sample the variables: all at their least, all at their greatest, and between.
        for quarter in [0, 1, 4] {
            let value = |variable: &Variable| variable.min + (variable.max - variable.min) * quarter / 4;
            let values = |name: &str| kernel.variables.iter().find(|known| known.name == name).map(value);
            let logged: Vec<_> = views.iter().map(|view| logged_numbers(view, &values)).collect();
            assert_eq!(entered_numbers(buffer, ast, &values), logged, "line {index}");
        }
    }
}

/// Shape, strides, offset and mask of a view.
type Numbers = (Vec<i64>, Vec<i64>, i64, Option<Vec<(i64, i64)>>);
/// The value of a variable.
type Values<'a> = &'a dyn Fn(&str) -> Option<i64>;

fn logged_numbers(view: &RawView, values: Values<'_>) -> Numbers {
    let number = |dim: &Dim| dim.evaluate(values).expect("no overflow");
    let mask = view.mask.as_ref().map(|mask| mask.iter().map(|(low, high)| (number(low), number(high))).collect());
    (view.shape.iter().map(number).collect(), view.strides.iter().map(number).collect(), number(&view.offset), mask)
}

fn entered_numbers(buffer: &Buffer, ast: &Ast, values: Values<'_>) -> Vec<Numbers> {
    let number = |value: &Sint| match *value {
        Sint::Int(value) => value,
        Sint::Node(node) => ast.symbols.evaluate(node, values).expect("no overflow"),
    };
    let numbers = buffer.view.views.iter().map(|view| {
        let mask = view.mask.as_ref().map(|mask| mask.iter().map(|(low, high)| (number(low), number(high))).collect());
        (view.shape.iter().map(number).collect(), view.strides.iter().map(number).collect(), number(&view.offset), mask)
    });
    numbers.collect()
}

#[test]
fn captured_kernels_are_canonical_and_become_asts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let files = kernel_files(&folder).expect("the folder can be read");
    assert!(files.len() > 400, "{} files in {}", files.len(), folder.display());
    for file in files {
        let written = std::fs::read_to_string(&file).expect("the file can be read");
        let case = text::parse(&written).unwrap_or_else(|error| panic!("{}: {}", file.display(), error.show(&written)));
        assert_eq!(text::print(&case), written, "{} is not as it would be printed", file.display());
        let unbound = case.kernel.variables.iter().find(|variable| variable.value.is_none());
        assert_eq!(unbound, None, "{}: a variable without a value can't be run", file.display());
        let ast = case.kernel.ast().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(!ast.outputs().is_empty());
    }
}

#[test]
fn steps_that_nothing_needs_are_left_out() {
    let text = "plumb case 1\ntarget clang\n%0 = load f32 buf1 (4)\n%1 = load f32 buf2 (4)\n%2 = sin %1\nstore f32 buf0 (4) %0\n";
    let ast = text::parse(text).expect("well-formed").kernel.ast().expect("an AST");
    assert_eq!((ast.nodes().len(), ast.buffers().len()), (2, 2));
}

#[test]
fn kernels_that_are_none_are_refused() {
    let refused = |kernel: Kernel| kernel.ast().expect_err("no kernel").to_string();
    let load = |views| Step::Load { buffer: 1, dtype: DType::F32, layout: Layout::Views(views) };
    let store = |source| Step::Store { buffer: 0, dtype: DType::F32, layout: chain(vec![]), source };
    let kernel = |steps| Kernel { variables: vec![], steps };
    assert_eq!(refused(kernel(vec![])), "the kernel stores nothing");
    assert_eq!(refused(kernel(vec![store(0)])), "step %0: operand %0 is not an earlier step");
    assert_eq!(
        refused(kernel(vec![store(usize::MAX)])),
        format!("step %0: operand %{} is not an earlier step", usize::MAX)
    );
    assert_eq!(refused(kernel(vec![load(vec![]), store(0)])), "step %0: a stack of no views");
    let view = RawView { shape: vec![Dim::Int(4)], strides: vec![], offset: Dim::Int(0), mask: None };
    let message = "step %0: a view's shape, strides and mask differ in their number of axes";
    assert_eq!(refused(kernel(vec![load(vec![view]), store(0)])), message);
    let shape = vec![Dim::Expr(Arc::new(DimExpr::Variable("i".to_owned())))];
    let load = Step::Load { buffer: 1, dtype: DType::F32, layout: chain(shape) };
    assert_eq!(refused(kernel(vec![load, store(0)])), "step %0: variable i is not declared");
    let mut deep = DimExpr::Int(1);
    for _ in 0..1000 {
        deep = DimExpr::Add(Arc::new(deep), Arc::new(DimExpr::Int(1)));
    }
    let load = Step::Load { buffer: 1, dtype: DType::F32, layout: chain(vec![Dim::Expr(Arc::new(deep))]) };
    assert_eq!(refused(kernel(vec![load, store(0)])), "step %0: an expression that nests more than 64 deep");
    let huge = (Dim::Int(i64::MAX), Dim::Int(i64::MAX));
    let layout = Layout::Chain { base: vec![Dim::Int(4)], movements: vec![Movement::Pad(vec![huge])] };
    let load = Step::Load { buffer: 1, dtype: DType::F32, layout };
    assert!(refused(kernel(vec![load, store(0)])).contains("does not fit in 64 bits"));
}

fn chain(base: Vec<Dim>) -> Layout {
    Layout::Chain { base, movements: vec![] }
}
