//! Whatever optimisations are tried in whatever order: nothing panics, what is refused changes nothing, and what is
//! applied keeps the number of elements (padding apart) and the invariants of the state.

mod kernel_support;

use kernel_support::{Build, elementwise, image_sum, kernel, matmul, reduction, shape};
use plumb_core::ast::{AluOp, Ast, ReduceOp};
use plumb_core::dtype::{DType, Scalar};
use plumb_core::kernel::{Kernel, Opt, OptOp};
use plumb_core::rule::{Rules, State};
use plumb_core::shape::ViewRule;
use proptest::prelude::*;
use std::sync::Arc;

fn dtypes() -> impl Strategy<Value = DType> {
    prop::sample::select(vec![DType::F32, DType::I32, DType::Scalar(Scalar::F16), DType::Scalar(Scalar::U8)])
}

fn shapes() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(prop::sample::select(vec![1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 37, 64]), 1..5)
}

/// A padded load and a broadcast one, added.
fn padded(shape: &[i64], more: &[i64]) -> Arc<Ast> {
    let mut build = Build::default();
    let view = build.view(shape);
    let padding: Vec<_> = more.iter().map(|&more| (0.into(), more.into())).collect();
    let view = view.pad(&mut build.ast.symbols, &padding[..shape.len()]).expect("padding");
    let whole: Vec<i64> = view.shape().iter().map(|size| size.int().expect("a number")).collect();
    let load = build.load_view(1, DType::F32, view);
    let wide = build.strided(&whole, &vec![0; whole.len()]);
    let wide = build.load_view(2, DType::F32, wide);
    let sum = build.alu(AluOp::Add, &[load, wide]);
    build.store(0, DType::F32, &whole, sum);
    build.finish()
}

fn asts() -> impl Strategy<Value = Arc<Ast>> {
    let ops = prop::sample::select(vec![AluOp::Add, AluOp::Mul, AluOp::Max]);
    prop_oneof![
        (dtypes(), ops, shapes()).prop_map(|(dtype, op, shape)| elementwise(dtype, op, &shape)),
        (shapes(), prop::collection::vec(0..4i64, 4)).prop_map(|(shape, more)| padded(&shape, &more)),
        (dtypes(), shapes(), any::<u8>(), any::<bool>()).prop_map(|(dtype, shape, axes, sum)| {
            let op = if sum { ReduceOp::Sum } else { ReduceOp::Max };
            let axes: Vec<u8> = (0..shape.len() as u8).filter(|axis| axes >> axis & 1 == 1).collect();
            reduction(op, dtype, &shape, &axes, |_, load| load)
        }),
        (1..9i64, 1..9i64, 1..9i64, 0..3usize).prop_map(|(m, n, k, kind)| {
            let (dtype, total) =
                [(Scalar::F32, Scalar::F32), (Scalar::F16, Scalar::F32), (Scalar::F16, Scalar::F16)][kind];
            matmul(m * 8, n * 8, k * 8, dtype, total)
        }),
        (1..4u32, 1..4u32, 1..5i64).prop_map(|(height, width, k)| image_sum(height, width, k * 16)),
    ]
}

fn opts() -> impl Strategy<Value = Opt> {
    let axis = prop_oneof![8 => (0..6i64).prop_map(Some), 1 => any::<i64>().prop_map(Some), 1 => Just(None)];
    let amounts = prop::sample::select(vec![0, 2, 3, 4, 5, 7, 8, 16, 32, 1, -1]);
    let amount = prop_oneof![12 => amounts.prop_map(Some), 1 => any::<i64>().prop_map(Some), 1 => Just(None)];
    (prop::sample::select(OptOp::ALL.to_vec()), axis, amount).prop_map(|(op, axis, amount)| Opt { op, axis, amount })
}

fn targets() -> impl Strategy<Value = &'static str> {
    prop::sample::select(plumb_core::target::NAMES.to_vec())
}

/// What holds of every state.
fn check_invariants(kernel: &mut Kernel) {
    let len = kernel.shape_len();
    for view in &kernel.views {
        assert_eq!(view.shape().len(), len, "views have equally many axes");
    }
    for (output, full) in kernel.output_shape().iter().zip(kernel.full_shape()) {
        assert!(output == full || output.int() == Some(1), "outputs have full size, or 1 where reduced");
        assert_ne!(full.int(), Some(1), "axes of size 1 are dropped");
    }
    assert!(kernel.local_dims <= kernel.first_reduce());
    assert!(kernel.first_reduce_loop() <= kernel.first_upcast());
    assert_eq!(kernel.colors().len(), len);
    if let Some(core) = &kernel.tensor_core {
        assert!(core.threads.len() <= kernel.local_dims, "a warp has all its lanes");
        let lanes: Vec<i64> = core.threads.iter().map(|&(_, size)| size as i64).collect();
        let global = kernel.global_dims();
        assert_eq!(shape(kernel)[global..global + lanes.len()], lanes);
        assert!(kernel.upcasted >= core.upcasts());
    }
    for buffer in 0..kernel.buffers.len() {
        kernel.upcasted_axis(buffer).expect("sizes are numbers");
        kernel.get_float4_upcast_dim(buffer).expect("views have indices");
    }
}

fn padded_elements(opts: &[Opt]) -> bool {
    opts.iter().any(|opt| opt.op == OptOp::PadTo || (opt.op == OptOp::Tc && opt.amount > Some(1)))
}

proptest! {
    #[test]
    fn refused_opts_change_nothing_and_applied_ones_keep_the_elements(
        ast in asts(), name in targets(), opts in prop::collection::vec(opts(), 1..9)
    ) {
        let mut kernel = kernel(&ast, name, &Rules::default());
        check_invariants(&mut kernel);
        let elements: i64 = shape(&kernel).iter().product();
        for opt in opts {
            let before = kernel.clone();
            match kernel.apply_opt(opt) {
                Ok(()) => {
                    prop_assert_eq!(kernel.applied.last(), Some(&opt));
                    if !padded_elements(&kernel.applied) {
                        prop_assert_eq!(shape(&kernel).iter().product::<i64>(), elements, "after {}", opt);
                    }
                    check_invariants(&mut kernel);
                }
                Err(_) => prop_assert!(kernel.same_state(&before), "refused {opt} changed the kernel"),
            }
        }
    }

    /// Shortcuts, taken only where all rules of views are on, give the views that the movement operations give: the
    /// rule that is off here plays no part in them.
    #[test]
    fn shortcuts_move_views_as_the_movement_operations_do(
        ast in asts(), name in targets(), opts in prop::collection::vec(opts(), 1..9)
    ) {
        let general = Rules::default().with(ViewRule::InvertSign, State::Off);
        let (mut direct, mut general) = (kernel(&ast, name, &Rules::default()), kernel(&ast, name, &general));
        prop_assert_eq!(&direct.views, &general.views);
        for opt in opts {
            prop_assert_eq!(direct.apply_opt(opt).is_ok(), general.apply_opt(opt).is_ok());
            prop_assert_eq!(&direct.views, &general.views, "after {}", opt);
        }
        prop_assert_eq!(direct.hand_coded_optimizations().is_ok(), general.hand_coded_optimizations().is_ok());
        prop_assert!(direct.same_state(&general));
    }

    /// With any two checks off or altered there is still no panic, and an error still changes nothing.
    #[test]
    fn nothing_panics_with_checks_switched_off(
        ast in asts(), name in targets(), opts in prop::collection::vec(opts(), 1..6),
        first in 0..plumb_core::kernel::OptCheck::TABLE.len(), second in 0..plumb_core::kernel::OptCheck::TABLE.len(),
        altered in any::<bool>()
    ) {
        let table = plumb_core::kernel::OptCheck::TABLE;
        let state = if altered { State::Altered } else { State::Off };
        let rules = Rules::default().with(table[first].id, state).with(table[second].id, State::Off);
        let mut kernel = kernel(&ast, name, &rules);
        for opt in opts {
            let before = kernel.clone();
            if kernel.apply_opt(opt).is_err() {
                prop_assert!(kernel.same_state(&before), "refused {opt} changed the kernel");
            }
            let _ = (kernel.colors(), kernel.name(), kernel.upcast_in_mid_reduce_axes());
            for buffer in 0..kernel.buffers.len() {
                let _ = kernel.acc_offsets(buffer);
            }
        }
    }

    #[test]
    fn heuristics_apply_and_actions_are_what_applies(ast in asts(), name in targets()) {
        let mut kernel = kernel(&ast, name, &Rules::default());
        for action in kernel.actions() {
            prop_assert!(kernel.clone().apply_opt(action).is_ok(), "{action}");
        }
        if !kernel.apply_tensor_cores() {
            prop_assert!(kernel.hand_coded_optimizations().is_ok());
        }
        check_invariants(&mut kernel);
    }
}
