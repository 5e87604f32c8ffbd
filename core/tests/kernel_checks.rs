//! Each legality check refuses its example, leaves the kernel as it was, counts the refusal, and, switched off, lets
//! the example through or to a typed error.

mod kernel_support;

use kernel_support::{
    Build, elementwise, image, image_sum, ints, kernel, matmul, opt, optimised, reduction, shape, sum, target,
};
use plumb_core::ast::{AluOp, Ast, ReduceOp};
use plumb_core::dtype::{DType, Scalar};
use plumb_core::kernel::{Kernel, OptCheck, OptError, OptPlan};
use plumb_core::rule::{RuleId, Rules, State};
use plumb_core::symbolic::Sint;
use std::collections::HashSet;
use std::sync::Arc;

struct Example {
    check: OptCheck,
    ast: Arc<Ast>,
    target: &'static str,
    /// What is applied before.
    before: &'static str,
    /// What is refused.
    refused: &'static str,
    /// Checks that are off, as they would refuse it first.
    off: &'static [OptCheck],
}

fn bools() -> Arc<Ast> {
    reduction(ReduceOp::Sum, DType::BOOL, &[5, 9], &[1], |build, load| {
        let complement = build.alu(AluOp::Neg, &[load]);
        build.ast.cast(complement, DType::I32)
    })
}

fn exponentials() -> Arc<Ast> {
    reduction(ReduceOp::Sum, DType::F32, &[37], &[0], |build, load| build.alu(AluOp::Exp2, &[load]))
}

/// A row times a matrix, the same for each of `m` rows of the output: both factors are constant along these.
fn row_times_matrix(m: i64) -> Arc<Ast> {
    let mut build = Build::default();
    let (a, b) = (build.strided(&[m, 8, 64], &[0, 0, 1]), build.strided(&[m, 8, 64], &[0, 1, 8]));
    let f16 = DType::Scalar(Scalar::F16);
    let (a, b) = (build.load_view(1, f16, a), build.load_view(2, f16, b));
    let product = build.alu(AluOp::Mul, &[a, b]);
    let product = build.ast.cast(product, DType::F32);
    let summed = build.ast.reduce(ReduceOp::Sum, product, &[2]);
    build.store(0, DType::F32, &[m, 8, 1], summed);
    build.finish()
}

/// One number, stored to an image.
fn image_total() -> Arc<Ast> {
    let mut build = Build::default();
    let load = build.load(1, DType::F32, &[64]);
    let total = build.ast.reduce(ReduceOp::Sum, load, &[0]);
    build.store(0, image(1, 1), &[1], total);
    build.finish()
}

/// Sums stored to every second channel of an image.
fn image_of_every_second() -> Arc<Ast> {
    let mut build = Build::default();
    let load = build.load(1, DType::F32, &[3, 4, 64]);
    let sums = build.ast.reduce(ReduceOp::Sum, load, &[2]);
    let view = build.strided(&[3, 4, 1], &[16, 2, 0]);
    let source = plumb_core::ast::Source::Memory(0);
    build.ast.store(plumb_core::ast::Buffer { source, dtype: image(1, 6), view }, sums);
    build.finish()
}

fn symbolic() -> Arc<Ast> {
    let mut build = Build::default();
    let variable = build.ast.symbols.variable("i", 1, Sint::Int(10), None).expect("a variable");
    let dims = [Sint::Node(variable), Sint::Int(12)];
    let view = plumb_core::shape::ShapeTracker::from_shape(&mut build.ast.symbols, &dims).expect("a shape");
    let load = build.load_view(1, DType::F32, view.clone());
    let root = build.alu(AluOp::Sqrt, &[load]);
    let source = plumb_core::ast::Source::Memory(0);
    build.ast.store(plumb_core::ast::Buffer { source, dtype: DType::F32, view }, root);
    build.finish()
}

fn examples() -> Vec<Example> {
    use OptCheck::*;
    let rows = || elementwise(DType::F32, AluOp::Add, &[12, 64]);
    let transposed = || {
        // No axis merges, as the second operand is read across.
        let mut build = Build::default();
        let across = build.strided(&[12, 64], &[1, 12]);
        let (a, b) = (build.load(1, DType::F32, &[12, 64]), build.load_view(2, DType::F32, across));
        let sum = build.alu(AluOp::Add, &[a, b]);
        build.store(0, DType::F32, &[12, 64], sum);
        build.finish()
    };
    let f32_matmul = || matmul(64, 64, 64, Scalar::F32, Scalar::F32);
    let maximum = || reduction(ReduceOp::Max, DType::F32, &[5, 9], &[1], |_, load| load);
    let divided = || elementwise(DType::I32, AluOp::Div, &[5]);
    let example =
        |check, ast: Arc<Ast>, target, before, refused| Example { check, ast, target, before, refused, off: &[] };
    let with_off = |example: Example, off| Example { off, ..example };
    vec![
        example(TcFirst, f32_matmul(), "metal", "UPCAST:0:4", "TC:0:0"),
        example(TcArguments, f32_matmul(), "metal", "", "TC:0:None"),
        example(TcArguments, f32_matmul(), "metal", "", "TC:-1:0"),
        example(TcTarget, f32_matmul(), "opencl", "", "TC:0:0"),
        example(TcMatch, f32_matmul(), "cuda", "", "TC:0:0"),
        example(TcMatch, f32_matmul(), "metal", "", "TC:1:0"),
        example(TcMatch, matmul(60, 64, 64, Scalar::F32, Scalar::F32), "metal", "", "TC:0:1"),
        example(TcAxisUsed, row_times_matrix(16), "cuda", "", "TC:1:2"),
        example(InvalidAxis, rows(), "opencl", "", "UPCAST:2:4"),
        example(InvalidAxis, rows(), "opencl", "", "UPCAST:-1:4"),
        example(InvalidAxis, rows(), "opencl", "", "LOCAL:None:4"),
        example(InvalidAxis, rows(), "opencl", "", "UPCAST:9223372036854775807:4"),
        example(AmountMissing, rows(), "opencl", "", "UPCAST:0:None"),
        example(AmountPositive, rows(), "opencl", "", "UPCAST:0:-4"),
        example(AmountOne, rows(), "opencl", "", "UPCAST:0:1"),
        example(AmountOne, symbolic(), "opencl", "", "UPCAST:0:0"),
        example(NoLongerValidShift, transposed(), "opencl", "", "UPCAST:0:5"),
        example(NoLongerValidShift, rows(), "opencl", "", "UPCAST:0:9223372036854775807"),
        example(SharedMemory, sum(&[64, 65536], &[1]), "opencl", "LOCAL:0:64", "GROUP:0:256"),
        example(SharedMemory, sum(&[64, 65536], &[1]), "opencl", "GROUP:0:256", "LOCAL:0:64"),
        example(SharedMemory, sum(&[60, 65536], &[1]), "opencl", "LOCAL:0:30 GROUP:0:256", "PADTO:1:64"),
        example(NolocalsBefore, rows(), "opencl", "NOLOCALS", "LOCAL:0:4"),
        example(NolocalsBefore, sum(&[64, 64], &[1]), "opencl", "NOLOCALS", "GROUPTOP:0:16"),
        example(LocalUnsupported, rows(), "clang", "", "LOCAL:0:4"),
        example(LocalNotGlobal, sum(&[12, 64], &[1]), "opencl", "", "LOCAL:1:4"),
        example(LocalNotGlobal, transposed(), "opencl", "LOCAL:0:2", "LOCAL:2:2"),
        example(GroupUnsupported, sum(&[12, 64], &[1]), "clang", "", "GROUP:0:4"),
        example(GroupAxis, sum(&[12, 64], &[1]), "opencl", "UNROLL:0:4", "GROUP:1:2"),
        example(GroupTensorCore, f32_matmul(), "metal", "TC:0:0", "GROUP:0:2"),
        example(UnrollAlreadyUpcasted, sum(&[12, 64], &[1]), "opencl", "UNROLL:0:4", "UNROLL:1:2"),
        example(Unroll32, sum(&[12, 64], &[1]), "opencl", "", "UNROLL:0:0"),
        example(UpcastReduce, sum(&[12, 64], &[1]), "opencl", "", "UPCAST:1:4"),
        example(UpcastTcLocal, f32_matmul(), "metal", "TC:0:0", "UPCAST:2:2"),
        example(Upcast8, transposed(), "opencl", "", "UPCAST:1:16"),
        with_off(example(UpcastOne, rows(), "opencl", "", "UPCAST:0:1"), &[AmountOne]),
        example(UpcastmidImage, sum(&[4, 64], &[1]), "opencl", "GROUP:0:4", "UPCASTMID:0:4"),
        example(UpcastmidFloat4, image_sum(1, 3, 64), "opencl", "UPCAST:1:4 GROUP:0:4", "UPCASTMID:0:3"),
        example(UpcastmidGroup, image_sum(1, 3, 64), "opencl", "", "UPCASTMID:1:4"),
        example(UpcastmidDims, image_sum(2, 3, 64), "opencl", "GROUP:0:4", "UPCASTMID:2:4"),
        example(UpcastmidSize, image_total(), "opencl", "GROUP:0:4", "UPCASTMID:1:4"),
        example(UpcastmidStride, image_of_every_second(), "opencl", "GROUP:0:4", "UPCASTMID:1:4"),
        example(UpcastmidAxis, image_sum(1, 3, 64), "opencl", "GROUP:0:4", "UPCASTMID:0:3"),
        example(UpcastmidFour, image_sum(1, 3, 64), "opencl", "GROUP:0:4", "UPCASTMID:1:2"),
        example(NolocalsMeaningless, rows(), "clang", "", "NOLOCALS"),
        example(NolocalsMeaningless, rows(), "opencl", "NOLOCALS", "NOLOCALS"),
        example(NolocalsLocals, rows(), "opencl", "LOCAL:0:4", "NOLOCALS"),
        example(PadtoSymbolic, symbolic(), "opencl", "", "PADTO:0:8"),
        example(PadtoUpcasted, sum(&[5, 13], &[1]), "opencl", "UNROLL:0:0", "PADTO:1:32"),
        example(PadtoTcLocal, f32_matmul(), "metal", "TC:0:0", "PADTO:2:4"),
        example(PadtoMaxReduce, maximum(), "opencl", "", "PADTO:1:16"),
        example(PadtoUnsafeOp, exponentials(), "opencl", "", "PADTO:0:64"),
        example(PadtoUnsafeOp, bools(), "opencl", "", "PADTO:1:16"),
        example(PadtoDivision, divided(), "clang", "", "PADTO:0:8"),
        example(PadtoQuadruple, sum(&[5, 7], &[1]), "opencl", "", "PADTO:1:32"),
        example(PadtoQuadruple, sum(&[5, 7], &[1]), "opencl", "", "PADTO:1:9223372036854775807"),
        example(PadtoNothing, sum(&[5, 7], &[1]), "opencl", "", "PADTO:1:7"),
        example(PadtoNothing, sum(&[5, 7], &[1]), "opencl", "", "PADTO:1:0"),
    ]
}

#[test]
fn each_check_refuses_its_example_and_leaves_the_kernel_as_it_was() {
    for Example { check, ast, target, before, refused, off } in examples() {
        let name = check.info().name;
        let rules = off.iter().fold(Rules::default(), |rules, &other| rules.with(other, State::Off));
        let mut kernel = optimised(&ast, target, before, &rules);
        let untouched = kernel.clone();
        match kernel.apply_opt(opt(refused)) {
            Err(OptError::Refused { check: found, message }) => {
                assert_eq!(found.info().name, name, "{refused} after {before:?}: {message}");
            }
            other => panic!("{name}: {refused} after {before:?} gives {other:?}"),
        }
        assert!(kernel.same_state(&untouched), "{name}: refused {refused} changed the kernel");
        assert_eq!(kernel.firings.of(check), untouched.firings.of(check) + 1, "{name} counts one refusal");
        for state in [State::Off, State::Altered] {
            let mut kernel = optimised(&ast, target, before, &rules.with(check, state));
            let untouched = kernel.clone();
            match kernel.apply_opt(opt(refused)) {
                Ok(()) => {
                    // Whatever came out can be looked at.
                    let colors = kernel.colors();
                    assert_eq!(colors.len(), kernel.shape_len(), "{name} {state:?}");
                    let _ = (kernel.name(), kernel.actions());
                }
                Err(OptError::Refused { check: found, .. }) if found == check => {
                    assert!(state == State::Altered, "{name} is off and refuses {refused}");
                }
                Err(_) => assert!(kernel.same_state(&untouched), "{name} {state:?}: {refused}"),
            }
        }
    }
}

#[test]
fn every_check_has_an_example() {
    let shown: HashSet<RuleId> = examples().iter().map(|example| example.check.into()).collect();
    let missing: Vec<&str> =
        OptCheck::TABLE.iter().filter(|info| !shown.contains(&info.id)).map(|info| info.name).collect();
    assert!(missing.is_empty(), "without an example: {missing:?}");
}

/// Each planted fault lets through, or does, what the check is there to prevent.
#[test]
fn planted_faults_change_the_outcome() {
    let altered = |check: OptCheck, ast: &Arc<Ast>, target: &str, opts: &str| -> Kernel {
        assert!(check.info().id.index as usize <= OptCheck::TABLE.len());
        assert!(check.info().altered.is_some(), "{} has no planted fault", check.info().name);
        optimised(ast, target, opts, &Rules::default().with(check, State::Altered))
    };
    let kernel =
        altered(OptCheck::NoLongerValidShift, &elementwise(DType::F32, AluOp::Add, &[13]), "opencl", "UPCAST:0:4");
    assert_eq!(shape(&kernel), [3, 4], "the thirteenth element is lost");
    let kernel = altered(OptCheck::PadtoUnsafeOp, &bools(), "opencl", "PADTO:1:16");
    assert_eq!(shape(&kernel), [5, 16]);
    let maximum = reduction(ReduceOp::Max, DType::F32, &[5, 9], &[1], |_, load| load);
    assert_eq!(shape(&altered(OptCheck::PadtoMaxReduce, &maximum, "opencl", "PADTO:1:16")), [5, 16]);
    let unrolled = reduction(ReduceOp::Sum, DType::F32, &[5, 13], &[1], |build, load| build.alu(AluOp::Exp2, &[load]));
    assert_eq!(shape(&altered(OptCheck::PadtoUpcasted, &unrolled, "opencl", "UNROLL:0:0 PADTO:1:32")), [5, 32]);
    let product = matmul(64, 64, 64, Scalar::F32, Scalar::F32);
    altered(OptCheck::TcAxisUsed, &row_times_matrix(16), "cuda", "TC:1:2");
    altered(OptCheck::PadtoTcLocal, &product, "metal", "TC:0:0 PADTO:2:4");
    altered(OptCheck::SharedMemory, &sum(&[64, 65536], &[1]), "opencl", "LOCAL:0:64 GROUP:0:256");
}

/// One axis can be N and M, where it is long enough for both.
#[test]
fn an_axis_that_is_long_enough_is_n_and_m() {
    let kernel = optimised(&row_times_matrix(256), "cuda", "TC:1:0", &Rules::default());
    assert_eq!(shape(&kernel), [2, 8, 2, 2, 2, 2, 2, 4, 16, 4]);
}

/// 0.9.0 leaves an axis padded, and its loop variable overwritten, when a later step of TC is refused.
#[test]
fn a_refused_matrix_instruction_leaves_no_padding() {
    // N and M fit, but K of 3 elements can't be padded to 8, as that is more than twice as much.
    let ast = matmul(60, 60, 2, Scalar::F32, Scalar::F32);
    let mut kernel = kernel(&ast, "metal", &Rules::default());
    let before = kernel.clone();
    assert!(kernel.apply_opt(opt("TC:0:2")).is_err());
    assert!(kernel.same_state(&before));
    assert_eq!(shape(&kernel), [60, 60, 2]);
}

#[test]
fn invalid_asts_are_typed_errors() {
    let refusal = |ast: Ast| match Kernel::new(&Arc::new(ast), &target("opencl"), &Rules::default()) {
        Ok(kernel) => panic!("accepted as {}", kernel.name()),
        Err(error) => error.to_string(),
    };
    assert!(refusal(Ast::new()).contains("nothing is stored"));

    let mut build = Build::default();
    let load = build.load(1, DType::F32, &[4, 4]);
    build.store(0, DType::F32, &[16], load);
    assert!(refusal(build.ast).contains("shape"));

    let mut build = Build::default();
    let load = build.load(1, DType::F32, &[4, 4]);
    let rows = build.ast.reduce(ReduceOp::Sum, load, &[1]);
    let all = build.ast.reduce(ReduceOp::Sum, rows, &[0]);
    build.store(0, DType::F32, &[1, 1], all);
    assert!(refusal(build.ast).contains("two reductions"));

    let mut build = Build::default();
    let load = build.load(1, DType::F32, &[4, 4]);
    let out = build.ast.reduce(ReduceOp::Sum, load, &[7]);
    build.store(0, DType::F32, &[4, 4], out);
    assert!(refusal(build.ast).contains("axis 7"));

    let mut build = Build::default();
    let load = build.load(1, DType::F32, &[4, 0]);
    build.store(0, DType::F32, &[4, 0], load);
    assert!(refusal(build.ast).contains("no elements"));

    let mut build = Build::default();
    let (a, b) = (build.load(1, DType::F32, &[4]), build.load(2, DType::F32, &[3]));
    let sum = build.alu(AluOp::Add, &[a, b]);
    build.store(0, DType::F32, &[4], sum);
    assert!(refusal(build.ast).contains("buffer 2"));

    let mut build = Build::default();
    let load = build.load(1, DType::F32, &[4]);
    build.store(0, DType::F32, &[4], load);
    let stored = build.ast.outputs()[0];
    build.store(1, DType::F32, &[4], stored);
    assert!(refusal(build.ast).contains("used as a value"));
}

#[test]
fn images_without_an_axis_of_channels_are_typed_errors() {
    let mut build = Build::default();
    let load = build.load(1, DType::F32, &[6]);
    build.store(0, image(1, 2), &[6], load);
    let ast = build.finish();
    let mut kernel = kernel(&ast, "opencl", &Rules::default());
    assert!(kernel.required_optimizations().is_err());
    assert!(kernel.apply_plan(&OptPlan::Hand).is_err());
}

#[test]
fn symbolic_sizes_split_where_the_amount_divides_them() {
    let mut build = Build::default();
    let variable = build.ast.symbols.variable("i", 1, Sint::Int(10), None).expect("a variable");
    let four = build.ast.symbols.mul(variable, Sint::Int(4)).expect("a product");
    let dims = [Sint::Node(four), Sint::Int(3)];
    let view = plumb_core::shape::ShapeTracker::from_shape(&mut build.ast.symbols, &dims).expect("a shape");
    let across = plumb_core::shape::View::new(&mut build.ast.symbols, &dims, Some(&ints(&[1, 40])), Sint::Int(0), None);
    let across = plumb_core::shape::ShapeTracker { views: [across.expect("a view")].into_iter().collect() };
    let load = build.load_view(1, DType::F32, across);
    let root = build.alu(AluOp::Sqrt, &[load]);
    let source = plumb_core::ast::Source::Memory(0);
    build.ast.store(plumb_core::ast::Buffer { source, dtype: DType::F32, view }, root);
    let ast = build.finish();
    let kernel = optimised(&ast, "opencl", "LOCAL:0:2 UPCAST:0:2", &Rules::default());
    assert_eq!(kernel.name(), "E_<i[1-10]>_3_2_2");
}
