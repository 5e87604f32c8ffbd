//! Small kernels to optimise.

#![allow(dead_code, reason = "not every test binary builds every kernel")]

use plumb_core::ast::{AluOp, Ast, AstId, Buffer, ReduceOp, Source, Value};
use plumb_core::constant::Constant;
use plumb_core::dtype::{Channel, DType, Image, Scalar};
use plumb_core::kernel::{Kernel, Opt, OptOp};
use plumb_core::rule::Rules;
use plumb_core::shape::{ShapeTracker, View};
use plumb_core::symbolic::Sint;
use plumb_core::target::Target;
use std::sync::Arc;

/// Builds an AST step by step.
#[derive(Default)]
pub(crate) struct Build {
    pub(crate) ast: Ast,
}

pub(crate) fn ints(values: &[i64]) -> Vec<Sint> {
    values.iter().map(|&value| Sint::Int(value)).collect()
}

impl Build {
    pub(crate) fn view(&mut self, shape: &[i64]) -> ShapeTracker {
        ShapeTracker::from_ints(&mut self.ast.symbols, shape).expect("a shape")
    }

    /// One view with the given strides.
    pub(crate) fn strided(&mut self, shape: &[i64], strides: &[i64]) -> ShapeTracker {
        let view = View::new(&mut self.ast.symbols, &ints(shape), Some(&ints(strides)), Sint::Int(0), None);
        ShapeTracker { views: [view.expect("a view")].into_iter().collect() }
    }

    pub(crate) fn load_view(&mut self, argument: u32, dtype: DType, view: ShapeTracker) -> AstId {
        self.ast.load(Buffer { source: Source::Memory(argument), dtype, view })
    }

    pub(crate) fn load(&mut self, argument: u32, dtype: DType, shape: &[i64]) -> AstId {
        let view = self.view(shape);
        self.load_view(argument, dtype, view)
    }

    /// A constant everywhere in `shape`.
    pub(crate) fn constant(&mut self, value: Constant, dtype: DType, shape: &[i64]) -> AstId {
        let view = self.strided(shape, &vec![0; shape.len()]);
        self.ast.load(Buffer { source: Source::Constant(Value::Constant(value)), dtype, view })
    }

    pub(crate) fn alu(&mut self, op: AluOp, sources: &[AstId]) -> AstId {
        self.ast.alu(op, sources).expect("operands")
    }

    pub(crate) fn store(&mut self, argument: u32, dtype: DType, shape: &[i64], source: AstId) {
        let view = self.view(shape);
        self.ast.store(Buffer { source: Source::Memory(argument), dtype, view }, source);
    }

    pub(crate) fn finish(self) -> Arc<Ast> {
        Arc::new(self.ast)
    }
}

/// The sum of two loads.
pub(crate) fn elementwise(dtype: DType, op: AluOp, shape: &[i64]) -> Arc<Ast> {
    let mut build = Build::default();
    let (a, b) = (build.load(1, dtype, shape), build.load(2, dtype, shape));
    let sum = build.alu(op, &[a, b]);
    build.store(0, dtype, shape, sum);
    build.finish()
}

/// A reduction over `axes` of what `source` makes of a load.
pub(crate) fn reduction(
    op: ReduceOp,
    dtype: DType,
    shape: &[i64],
    axes: &[u8],
    source: impl FnOnce(&mut Build, AstId) -> AstId,
) -> Arc<Ast> {
    let mut build = Build::default();
    let load = build.load(1, dtype, shape);
    let source = source(&mut build, load);
    let dtype = build.ast.node(source).dtype;
    let reduced = build.ast.reduce(op, source, axes);
    let kept: Vec<i64> =
        shape.iter().enumerate().map(|(axis, &size)| if axes.contains(&(axis as u8)) { 1 } else { size }).collect();
    build.store(0, dtype, &kept, reduced);
    build.finish()
}

pub(crate) fn sum(shape: &[i64], axes: &[u8]) -> Arc<Ast> {
    reduction(ReduceOp::Sum, DType::F32, shape, axes, |_, load| load)
}

/// A product of an `m`×`k` and a `k`×`n` matrix of `dtype`, summed in `total`.
pub(crate) fn matmul(m: i64, n: i64, k: i64, dtype: Scalar, total: Scalar) -> Arc<Ast> {
    let mut build = Build::default();
    let a = build.strided(&[m, n, k], &[k, 0, 1]);
    let b = build.strided(&[m, n, k], &[0, 1, n]);
    let (a, b) = (build.load_view(1, dtype.into(), a), build.load_view(2, dtype.into(), b));
    let mut product = build.alu(AluOp::Mul, &[a, b]);
    if dtype != total {
        product = build.ast.cast(product, total.into());
    }
    let summed = build.ast.reduce(ReduceOp::Sum, product, &[2]);
    build.store(0, total.into(), &[m, n, 1], summed);
    build.finish()
}

pub(crate) fn image(height: u32, width: u32) -> DType {
    DType::Image(Image { channel: Channel::Float, height, width })
}

/// A sum over `k` of pixels, stored to an image.
pub(crate) fn image_sum(height: u32, width: u32, k: i64) -> Arc<Ast> {
    let (h, w) = (i64::from(height), i64::from(width));
    let mut build = Build::default();
    let load = build.load(1, DType::F32, &[h, w, 4, k]);
    let summed = build.ast.reduce(ReduceOp::Sum, load, &[3]);
    build.store(0, image(height, width), &[h, w, 4, 1], summed);
    build.finish()
}

pub(crate) fn opt(text: &str) -> Opt {
    let parts: Vec<&str> = text.split(':').collect();
    let number = |place: usize| parts.get(place).filter(|part| **part != "None").map(|part| part.parse().expect(text));
    Opt { op: OptOp::from_name(parts[0]).expect(text), axis: number(1), amount: number(2) }
}

pub(crate) fn target(name: &str) -> Arc<Target> {
    Arc::new(Target::named(name).expect("a built-in target"))
}

pub(crate) fn kernel(ast: &Arc<Ast>, target_name: &str, rules: &Rules) -> Kernel {
    Kernel::new(ast, &target(target_name), rules).expect("a valid kernel")
}

/// The kernel after these, all of which must apply.
pub(crate) fn optimised(ast: &Arc<Ast>, target_name: &str, opts: &str, rules: &Rules) -> Kernel {
    let mut kernel = kernel(ast, target_name, rules);
    for text in opts.split_whitespace() {
        kernel.apply_opt(opt(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    kernel
}

pub(crate) fn shape(kernel: &Kernel) -> Vec<i64> {
    kernel.full_shape().iter().map(|size| size.int().expect("a number")).collect()
}
