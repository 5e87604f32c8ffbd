//! Arbitrary cases for tests: every form that a case can have, whether it makes sense or not.

use crate::case::{
    Case, Data, DataMode, Dim, DimExpr, Expect, Kernel, Layout, Movement, RawView, Step, Value, Variable,
};
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::constant::Constant;
use plumb_core::dtype::{Channel, DType, Image, Scalar};
use plumb_core::kernel::{Opt, OptOp, OptPlan};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;

const NAMES: [&str; 4] = ["i", "start_pos", "mask", "axis"];

fn expression() -> impl Strategy<Value = DimExpr> {
    let leaf = prop_oneof![
        select(NAMES.to_vec()).prop_map(|name| DimExpr::Variable(name.to_owned())),
        prop_oneof![-3..10i64, any::<i64>(), Just(i64::MIN)].prop_map(DimExpr::Int),
    ];
    leaf.prop_recursive(6, 24, 2, |inner| {
        (0..5, inner.clone(), inner).prop_map(|(op, left, right)| {
            let (left, right) = (Arc::new(left), Arc::new(right));
            match op {
                0 => DimExpr::Add(left, right),
                1 => DimExpr::Mul(left, right),
                2 => DimExpr::FloorDiv(left, right),
                3 => DimExpr::Mod(left, right),
                _ => DimExpr::Less(left, right),
            }
        })
    })
}

fn dim() -> impl Strategy<Value = Dim> {
    prop_oneof![
        4 => any::<i8>().prop_map(|value| Dim::Int(value.into())),
        1 => any::<i64>().prop_map(Dim::Int),
        2 => expression().prop_map(|tree| match tree {
            DimExpr::Int(value) => Dim::Int(value),
            tree => Dim::Expr(Arc::new(tree)),
        }),
    ]
}

fn dims() -> impl Strategy<Value = Vec<Dim>> {
    vec(dim(), 0..4)
}

fn pairs() -> impl Strategy<Value = Vec<(Dim, Dim)>> {
    vec((dim(), dim()), 0..4)
}

fn layout() -> impl Strategy<Value = Layout> {
    let movement = prop_oneof![
        dims().prop_map(Movement::Reshape),
        vec(0..9usize, 0..4).prop_map(Movement::Permute),
        dims().prop_map(Movement::Expand),
        pairs().prop_map(Movement::Pad),
        pairs().prop_map(Movement::Shrink),
        vec(any::<i64>(), 0..4).prop_map(Movement::Stride),
    ];
    let view = (dims(), dims(), dim(), option::of(pairs())).prop_map(|(shape, strides, offset, mask)| RawView {
        shape,
        strides,
        offset,
        mask,
    });
    prop_oneof![
        (dims(), vec(movement, 0..3)).prop_map(|(base, movements)| Layout::Chain { base, movements }),
        vec(view, 1..3).prop_map(Layout::Views),
    ]
}

fn dtype() -> impl Strategy<Value = DType> {
    prop_oneof![
        4 => select(Scalar::ALL.to_vec()).prop_map(DType::Scalar),
        1 => (any::<bool>(), any::<u32>(), any::<u32>()).prop_map(|(half, height, width)| {
            DType::Image(Image { channel: if half { Channel::Half } else { Channel::Float }, height, width })
        }),
    ]
}

/// A constant of a type's kind; floats of all bit patterns.
fn constant() -> impl Strategy<Value = (DType, Value)> {
    let special =
        select(vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, f64::MAX, 1e16, 1e-7, 2.0]);
    let float = prop_oneof![any::<u64>().prop_map(f64::from_bits), special];
    (dtype(), float, any::<i128>(), any::<bool>(), 0..5).prop_map(|(dtype, float, int, truth, variable)| {
        let constant = match dtype.scalar() {
            _ if variable == 0 => return (dtype, Value::Variable("start_pos".to_owned())),
            Scalar::Bool => Constant::Bool(truth),
            scalar if scalar.is_float() => Constant::Float(float),
            _ => Constant::Int(int),
        };
        (dtype, Value::Constant(constant))
    })
}

fn step() -> impl Strategy<Value = Step> {
    let operand = any::<usize>;
    prop_oneof![
        (any::<u32>(), dtype(), layout()).prop_map(|(buffer, dtype, layout)| Step::Load { buffer, dtype, layout }),
        (constant(), layout()).prop_map(|((dtype, value), layout)| Step::Constant { value, dtype, layout }),
        (select(AluOp::ALL.to_vec()), vec(operand(), 3))
            .prop_map(|(op, operands)| Step::Alu(op, operands.into_iter().take(op.arity()).collect())),
        (dtype(), operand()).prop_map(|(dtype, source)| Step::Cast(dtype, source)),
        (dtype(), operand()).prop_map(|(dtype, source)| Step::Bitcast(dtype, source)),
        (any::<bool>(), operand(), vec(0..9usize, 0..4)).prop_map(|(max, source, axes)| {
            Step::Reduce(if max { ReduceOp::Max } else { ReduceOp::Sum }, source, axes)
        }),
        (any::<u32>(), dtype(), layout(), operand()).prop_map(|(buffer, dtype, layout, source)| Step::Store {
            buffer,
            dtype,
            layout,
            source
        }),
    ]
}

/// Makes operands name earlier steps that are no stores, where there are any.
fn link(steps: Vec<Step>) -> Vec<Step> {
    let mut values = Vec::new();
    let mut linked = Vec::new();
    for mut step in steps {
        let pick = |operand: &mut usize| match values.len() {
            0 => false,
            count => {
                *operand = values[*operand % count];
                true
            }
        };
        let fits = match &mut step {
            Step::Load { .. } | Step::Constant { .. } => true,
            Step::Alu(_, operands) => operands.iter_mut().all(pick),
            Step::Cast(_, source) | Step::Bitcast(_, source) | Step::Reduce(_, source, _) => pick(source),
            Step::Store { source, .. } => pick(source),
        };
        if fits {
            if !matches!(step, Step::Store { .. }) {
                values.push(linked.len());
            }
            linked.push(step);
        }
    }
    linked
}

pub(super) fn plan() -> impl Strategy<Value = OptPlan> {
    let opt = (select(OptOp::ALL.to_vec()), any::<Option<i64>>(), any::<Option<i64>>())
        .prop_map(|(op, axis, amount)| Opt { op, axis, amount });
    prop_oneof![Just(OptPlan::Hand), Just(OptPlan::Required), vec(opt, 0..4).prop_map(OptPlan::List)]
}

pub(super) fn case() -> impl Strategy<Value = Case> {
    let variables = vec((any::<u32>(), any::<u32>(), any::<Option<u32>>()), NAMES.len()).prop_map(|bounds| {
        let variable = |(name, (a, b, value)): (&&str, (u32, u32, Option<u32>))| {
            let (min, max) = (i64::from(a.min(b)), i64::from(a.max(b)));
            Variable {
                name: (*name).to_owned(),
                min,
                max,
                value: value.map(|v| i64::from(v).clamp(min, max)),
                shown: false,
            }
        };
        NAMES.iter().zip(bounds).map(variable).collect::<Vec<_>>()
    });
    let mode = select(vec![DataMode::Auto, DataMode::Exact, DataMode::Bounded, DataMode::Special]);
    let expected = prop_oneof![Just(Expect::Pass), any::<String>().prop_map(Expect::Refused)];
    let comments = vec("[^\\n\\r]{0,20}", 0..3);
    (comments, variables, vec(step(), 0..8), plan(), mode, any::<u64>(), expected).prop_map(
        |(comments, variables, steps, opts, mode, seed, expect)| Case {
            comments,
            target: "made-up_2.0".to_owned(),
            kernel: Kernel { variables, steps: link(steps) },
            opts,
            data: Data { mode, seed },
            expect,
        },
    )
}
