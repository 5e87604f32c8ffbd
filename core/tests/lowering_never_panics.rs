//! Whatever the AST, the optimisations, the target and the rules: lowering yields uops that pass their checks, or an
//! error, and it does so in bounded time.

use plumb_core::ast::{AluOp, Ast, AstId, Buffer, ReduceOp, Source, Value};
use plumb_core::constant::Constant;
use plumb_core::dtype::{Channel, DType, Image, Scalar};
use plumb_core::kernel::{Kernel, Opt, OptOp, OptPlan};
use plumb_core::linearize::{LowerStep, lower};
use plumb_core::rule::{RuleInfo, Rules, State};
use plumb_core::shape::{ShapeTracker, View};
use plumb_core::symbolic::{NodeId, Sint};
use plumb_core::target::{NAMES, Target};
use proptest::prelude::*;
use std::sync::Arc;

/// Number of a dimension or the like in a plan of a view: what it stands for is looked up when the AST is built.
type Number = i64;

/// A plan of a view: shape, strides, offset, mask.
#[derive(Clone, Debug)]
struct ViewPlan {
    shape: Vec<Number>,
    strides: Vec<Number>,
    offset: Number,
    mask: Option<Vec<(Number, Number)>>,
}

/// A plan of a node; operands are taken modulo the nodes there are.
#[derive(Clone, Debug)]
enum NodePlan {
    Load(u32, DType, Vec<ViewPlan>),
    Constant(Constant, DType, Vec<ViewPlan>),
    Variable(DType, Vec<ViewPlan>),
    Alu(AluOp, [usize; 3]),
    Cast(DType, usize),
    Bitcast(DType, usize),
    Reduce(ReduceOp, usize, Vec<u8>),
    Store(u32, DType, Vec<ViewPlan>, usize),
}

fn sizes() -> impl Strategy<Value = i64> {
    // -1 stands for a variable.
    prop_oneof![30 => 1..9i64, 9 => Just(4), 9 => Just(16), 3 => Just(64), 3 => Just(-1), 1 => Just(0), 1 => Just(1 << 33)]
}

fn shapes() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(sizes(), 0..5)
}

fn numbers() -> impl Strategy<Value = i64> {
    prop_oneof![8 => 0..5i64, 4 => -8..70i64, 1 => any::<i64>()]
}

fn views(shape: Vec<i64>) -> impl Strategy<Value = Vec<ViewPlan>> {
    let view = move |shape: Vec<i64>| {
        let axes = shape.len();
        let row_major: Vec<i64> = (0..axes)
            .map(|axis| shape[axis + 1..].iter().fold(1i64, |product, &size| product.saturating_mul(size.max(1))))
            .collect();
        let strides = prop_oneof![3 => Just(row_major), 1 => prop::collection::vec(numbers(), axes)];
        let offset = prop_oneof![5 => Just(0), 1 => numbers()];
        let mask = prop::option::weighted(0.3, prop::collection::vec((0..5i64, 0..9i64), axes));
        (strides, offset, mask).prop_map(move |(strides, offset, mask)| ViewPlan {
            shape: shape.clone(),
            strides,
            offset,
            mask,
        })
    };
    let outer = view(shape);
    let inner = prop::collection::vec(shapes().prop_flat_map(view), 0..2);
    (inner, outer).prop_map(|(mut inner, outer)| {
        inner.push(outer);
        inner
    })
}

fn dtypes() -> impl Strategy<Value = DType> {
    prop_oneof![
        16 => Just(DType::F32),
        16 => prop::sample::select(Scalar::ALL.to_vec()).prop_map(DType::Scalar),
        3 => (0..5u32, 1..5u32).prop_map(|(height, width)| {
            DType::Image(Image { channel: Channel::Float, height, width })
        }),
        1 => Just(DType::Pointer(Scalar::F32)),
        1 => Just(DType::Vector(Scalar::F32, 4)),
    ]
}

fn constants() -> impl Strategy<Value = Constant> {
    prop_oneof![
        any::<bool>().prop_map(Constant::Bool),
        any::<i128>().prop_map(Constant::Int),
        (-3..4i128).prop_map(Constant::Int),
        any::<f64>().prop_map(Constant::Float),
    ]
}

fn nodes() -> impl Strategy<Value = Vec<NodePlan>> {
    // Most shapes of an AST are one shape, so that some ASTs are valid.
    (shapes(), dtypes()).prop_flat_map(|(shape, dtype)| {
        let dtype = prop_oneof![20 => Just(dtype), 1 => dtypes()].boxed();
        let shape = prop_oneof![20 => Just(shape.clone()), 1 => shapes()].boxed();
        let stacks = || shape.clone().prop_flat_map(views);
        let argument = || 0..4u32;
        let node = prop_oneof![
            4 => (argument(), dtype.clone(), stacks()).prop_map(|(a, d, v)| NodePlan::Load(a, d, v)),
            2 => (constants(), dtype.clone(), stacks()).prop_map(|(c, d, v)| NodePlan::Constant(c, d, v)),
            1 => (dtype.clone(), stacks()).prop_map(|(d, v)| NodePlan::Variable(d, v)),
            5 => (prop::sample::select(AluOp::ALL.to_vec()), any::<[usize; 3]>()).prop_map(|(o, s)| NodePlan::Alu(o, s)),
            1 => (dtype.clone(), any::<usize>()).prop_map(|(d, s)| NodePlan::Cast(d, s)),
            1 => (dtype.clone(), any::<usize>()).prop_map(|(d, s)| NodePlan::Bitcast(d, s)),
        ];
        let reduce = (
            prop::sample::select(vec![ReduceOp::Sum, ReduceOp::Max]),
            any::<usize>(),
            prop::collection::vec(0..5u8, 0..3),
        );
        let reduce = prop::option::weighted(0.6, reduce.prop_map(|(o, s, a)| NodePlan::Reduce(o, s, a)));
        let store = (argument(), dtype, stacks(), any::<usize>()).prop_map(|(a, d, v, s)| NodePlan::Store(a, d, v, s));
        (prop::collection::vec(node, 1..6), reduce, prop::collection::vec(store, 1..3)).prop_map(
            |(mut nodes, reduce, stores)| {
                nodes.extend(reduce);
                nodes.extend(stores);
                nodes
            },
        )
    })
}

fn tracker(ast: &mut Ast, variable: NodeId, plans: &[ViewPlan], shape: Option<Vec<i64>>) -> Option<ShapeTracker> {
    let number = |number: i64| if number == -1 { Sint::Node(variable) } else { Sint::Int(number) };
    let mut views = Vec::new();
    for plan in plans {
        let shape: Vec<Sint> = shape.as_ref().unwrap_or(&plan.shape).iter().copied().map(number).collect();
        let mut strides: Vec<Sint> = plan.strides.iter().copied().map(Sint::Int).collect();
        strides.resize(shape.len(), Sint::Int(0));
        let mask = plan.mask.as_ref().filter(|mask| mask.len() == shape.len());
        let mask: Option<Vec<(Sint, Sint)>> =
            mask.map(|mask| mask.iter().map(|&(low, high)| (low.into(), high.into())).collect());
        views.push(View::new(&mut ast.symbols, &shape, Some(&strides), plan.offset.into(), mask.as_deref()).ok()?);
    }
    Some(ShapeTracker { views: views.into_iter().collect() })
}

/// The AST of a plan, where one can be built. Stores take the shape that fits what is reduced, as a rule.
fn ast(plans: &[NodePlan]) -> Option<Ast> {
    let mut ast = Ast::new();
    let variable = ast.symbols.variable("ridx0", 1, Sint::Int(5), None).ok()?;
    let mut ids: Vec<AstId> = Vec::new();
    let mut reduced: Option<Vec<u8>> = None;
    for plan in plans {
        let pick = |which: usize| ids.get(which % ids.len().max(1)).copied();
        let id = match plan {
            NodePlan::Load(argument, dtype, views) => {
                let view = tracker(&mut ast, variable, views, None)?;
                ast.load(Buffer { source: Source::Memory(*argument), dtype: *dtype, view })
            }
            NodePlan::Constant(value, dtype, views) => {
                let view = tracker(&mut ast, variable, views, None)?;
                ast.load(Buffer { source: Source::Constant(Value::Constant(*value)), dtype: *dtype, view })
            }
            NodePlan::Variable(dtype, views) => {
                let view = tracker(&mut ast, variable, views, None)?;
                ast.load(Buffer { source: Source::Constant(Value::Variable(variable)), dtype: *dtype, view })
            }
            NodePlan::Alu(op, which) => {
                let operands: Option<Vec<AstId>> = which[..op.arity()].iter().map(|&which| pick(which)).collect();
                match ast.alu(*op, &operands?) {
                    Ok(id) => id,
                    Err(_) => continue,
                }
            }
            NodePlan::Cast(dtype, which) => ast.cast(pick(*which)?, *dtype),
            NodePlan::Bitcast(dtype, which) => ast.bitcast(pick(*which)?, *dtype),
            NodePlan::Reduce(op, which, axes) => {
                reduced = Some(axes.clone());
                ast.reduce(*op, pick(*which)?, axes)
            }
            NodePlan::Store(argument, dtype, views, which) => {
                let fit = |axes: &Vec<u8>| {
                    let shape = views.last().map(|view| view.shape.clone()).unwrap_or_default();
                    let kept = |(axis, size)| if axes.contains(&(axis as u8)) { 1 } else { size };
                    shape.into_iter().enumerate().map(kept).collect()
                };
                let last = &views[views.len() - 1..];
                let view = tracker(&mut ast, variable, last, reduced.as_ref().map(fit))?;
                let source = if reduced.is_some() { *ids.last()? } else { pick(*which)? };
                ast.store(Buffer { source: Source::Memory(*argument), dtype: *dtype, view }, source);
                continue;
            }
        };
        ids.push(id);
    }
    Some(ast)
}

fn opts() -> impl Strategy<Value = Opt> {
    let axis = prop_oneof![9 => (0..5i64).prop_map(Some), 1 => any::<i64>().prop_map(Some), 1 => Just(None)];
    let amounts = prop::sample::select(vec![0, 2, 3, 4, 8, 16, 32]);
    let amount = prop_oneof![12 => amounts.prop_map(Some), 1 => any::<i64>().prop_map(Some), 1 => Just(None)];
    (prop::sample::select(OptOp::ALL.to_vec()), axis, amount).prop_map(|(op, axis, amount)| Opt { op, axis, amount })
}

fn faults() -> impl Strategy<Value = Vec<(&'static RuleInfo, State)>> {
    let fault = (prop::sample::select(LowerStep::TABLE.iter().collect::<Vec<_>>()), any::<bool>());
    prop::collection::vec(fault.prop_map(|(info, off)| (info, if off { State::Off } else { State::Altered })), 0..3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_ast_is_lowered_or_refused(
        nodes in nodes(), name in prop::sample::select(NAMES.to_vec()), opts in prop::collection::vec(opts(), 0..6),
        faults in faults()
    ) {
        let Some(ast) = ast(&nodes) else { return Ok(()) };
        let (ast, target) = (Arc::new(ast), Arc::new(Target::named(name).unwrap()));
        let rules = faults.iter().fold(Rules::default(), |rules, (info, state)| rules.with(info.id, *state));
        for plan in [OptPlan::Hand, OptPlan::Required] {
            if let Ok(lowered) = lower(&ast, &target, &plan, &rules) {
                prop_assert!(!faults.is_empty() || lowered.uops.verify().is_ok());
                let _ = lowered.text();
            }
        }
        let Ok(mut kernel) = Kernel::new(&ast, &target, &rules) else { return Ok(()) };
        for opt in opts {
            let _ = kernel.apply_opt(opt);
        }
        if let Ok(lowered) = kernel.linearize() {
            prop_assert!(!faults.is_empty() || lowered.uops.verify().is_ok());
            let _ = lowered.text();
        }
    }
}
