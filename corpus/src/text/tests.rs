//! Round trips of arbitrary cases, and what readers are told of wrong texts.

use super::{ParseError, parse, parse_plan, print, print_plan};
use crate::case::{
    Case, Data, DataMode, Dim, DimExpr, Expect, Kernel, Layout, Movement, RawView, Step, Value, Variable,
};
use expect_test::{Expect as Snapshot, expect};
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

fn plan() -> impl Strategy<Value = OptPlan> {
    let opt = (select(OptOp::ALL.to_vec()), any::<Option<i64>>(), any::<Option<i64>>())
        .prop_map(|(op, axis, amount)| Opt { op, axis, amount });
    prop_oneof![Just(OptPlan::Hand), Just(OptPlan::Required), vec(opt, 0..4).prop_map(OptPlan::List)]
}

fn case() -> impl Strategy<Value = Case> {
    let variables = vec((any::<u32>(), any::<u32>(), any::<Option<u32>>()), NAMES.len()).prop_map(|bounds| {
        let variable = |(name, (a, b, value)): (&&str, (u32, u32, Option<u32>))| {
            let (min, max) = (i64::from(a.min(b)), i64::from(a.max(b)));
            Variable { name: (*name).to_owned(), min, max, value: value.map(|v| i64::from(v).clamp(min, max)) }
        };
        NAMES.iter().zip(bounds).map(variable).collect::<Vec<_>>()
    });
    let mode = select(vec![DataMode::Auto, DataMode::Exact, DataMode::Bounded]);
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_case_reads_back_as_it_was(case in case()) {
        let text = print(&case);
        let (read, _) = super::parse::unchecked(&text, 1).unwrap_or_else(|error| panic!("{}\n{text}", error.show(&text)));
        prop_assert_eq!(&read, &case, "{}", text);
        prop_assert_eq!(print(&read), text);
    }

    #[test]
    fn any_plan_reads_back_as_it_was(plan in plan()) {
        prop_assert_eq!(parse_plan(&print_plan(&plan)), Ok(plan));
    }

    #[test]
    fn any_text_is_read_or_refused(case in case(), at in any::<usize>(), cut in 0..20usize, instead in "[-a-z0-9 ()%,:;|<>+*/.\\[\\]\"é]{0,6}") {
        let text = print(&case);
        let at = text.floor_char_boundary(at % (text.len() + 1));
        let end = text.floor_char_boundary((at + cut).min(text.len()));
        let changed = format!("{}{instead}{}", &text[..at], &text[end..]);
        match parse(&changed) {
            // Whatever is accepted has one canonical text.
            Ok(case) => prop_assert_eq!(parse(&print(&case)), Ok(case)),
            Err(error) => {
                prop_assert!(error.line >= 1 && error.line <= changed.lines().count().max(1));
                prop_assert!(error.show(&changed).contains('^'));
            }
        }
    }
}

/// A short case, in no canonical form.
const SMALL: &str = "plumb case 1
; the mask of a padded axis must reach the store
target opencl
var i [1,10] = 3
%x = load f32 buf1 (5, i) |> permute(1,0) |> pad((0,0),(1,2))  ; eight
%1 = load f32 buf2 view((i,8):(8,1)+0 mask((0,i),(1,8)))
%2 = mul %x %1
%3 = sum %2 axis(1)
store f32 buf0 (i,1,) %3
opts UPCAST:0:4 NOLOCALS:None:None
data exact seed 7
";

#[test]
fn a_text_by_hand_becomes_canonical() {
    let case = parse(SMALL).unwrap_or_else(|error| panic!("{}", error.show(SMALL)));
    expect![[r#"
        plumb case 1
        ; the mask of a padded axis must reach the store
        ; eight
        target opencl
        var i[1,10] = 3
        %0 = load f32 buf1 (5,i) |> permute(1,0) |> pad((0,0),(1,2))
        %1 = load f32 buf2 view((i,8):(8,1)+0 mask((0,i),(1,8)))
        %2 = mul %0 %1
        %3 = sum %2 axis(1)
        store f32 buf0 (i,1) %3
        opts UPCAST:0:4 NOLOCALS:None:None
        data exact seed 7
        expect pass
    "#]]
    .assert_eq(&print(&case));
}

/// The error that `SMALL` gives with `from` replaced by `to`.
fn refused(from: &str, to: &str, expected: Snapshot) {
    assert!(SMALL.contains(from), "{from} is a part of the text");
    let text = SMALL.replacen(from, to, 1);
    let error: ParseError = parse(&text).expect_err("the text is wrong");
    expected.assert_eq(&error.show(&text));
}

#[test]
fn errors_point_at_what_is_wrong() {
    refused(
        "plumb case 1",
        "plumb case 2",
        expect![[r#"
        line 1, column 12: the text has version 2; this program reads version 1
          plumb case 2
                     ^"#]],
    );
    refused(
        "plumb case 1",
        "hello",
        expect![[r#"
        line 1, column 1: expected `plumb case 1`, found `hello`
          hello
          ^^^^^"#]],
    );
    refused(
        "target opencl\n",
        "",
        expect![[r#"
        line 10, column 1: the case has ended; expected `target`
          data exact seed 7
          ^"#]],
    );
    refused(
        "target opencl",
        "target opencl metal",
        expect![[r#"
        line 3, column 15: expected the end of the statement, found `metal`
          target opencl metal
                        ^^^^^"#]],
    );
    refused(
        "f32 buf1",
        "f33 buf1",
        expect![[r#"
        line 5, column 11: expected a dtype: bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, imageh[…] or imagef[…], found `f33`
          %x = load f33 buf1 (5, i) |> permute(1,0) |> pad((0,0),(1,2))  ; eight
                    ^^^"#]],
    );
    refused(
        "buf1",
        "1",
        expect![[r#"
        line 5, column 15: expected a buffer such as `buf1`, found `1`
          %x = load f32 1 (5, i) |> permute(1,0) |> pad((0,0),(1,2))  ; eight
                        ^"#]],
    );
    refused(
        "(5, i)",
        "(5, j)",
        expect![[r#"
            line 5, column 24: variable j is not declared (`var j[min,max]`)
              %x = load f32 buf1 (5, j) |> permute(1,0) |> pad((0,0),(1,2))  ; eight
                                     ^"#]],
    );
    refused(
        "(5, i)",
        "(5, i+)",
        expect![[r#"
        line 5, column 26: expected an integer, a variable or an expression in parentheses, found `)`
          %x = load f32 buf1 (5, i+) |> permute(1,0) |> pad((0,0),(1,2))  ; eight
                                   ^"#]],
    );
    refused(
        "(5, i)",
        "(5; i)",
        expect![[r#"
        line 5, column 22: expected `,` or `)`, found `;`
          %x = load f32 buf1 (5; i) |> permute(1,0) |> pad((0,0),(1,2))  ; eight
                               ^"#]],
    );
    refused(
        "permute(1,0)",
        "permute(1,1)",
        expect![[r#"
        line 5, column 1: %x: permute: each axis must stand there once
          %x = load f32 buf1 (5, i) |> permute(1,1) |> pad((0,0),(1,2))  ; eight
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "permute(1,0)",
        "transpose(1,0)",
        expect![[r#"
        line 5, column 30: expected `reshape`, `permute`, `expand`, `pad`, `shrink` or `stride`, found `transpose`
          %x = load f32 buf1 (5, i) |> transpose(1,0) |> pad((0,0),(1,2))  ; eight
                                       ^^^^^^^^^"#]],
    );
    refused(
        "+0 mask",
        "mask",
        expect![[r#"
        line 6, column 36: expected the offset, with its sign, found `mask`
          %1 = load f32 buf2 view((i,8):(8,1)mask((0,i),(1,8)))
                                             ^^^^"#]],
    );
    refused(
        "(1,8)))",
        "(1,9)))",
        expect![[r#"
        line 6, column 1: %1: view 0: the mask of axis 1 does not lie within the axis
          %1 = load f32 buf2 view((i,8):(8,1)+0 mask((0,i),(1,9)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "mul %x %1",
        "mul %x %7",
        expect![[r#"
        line 7, column 13: there is no earlier step %7
          %2 = mul %x %7
                      ^^"#]],
    );
    refused(
        "mul %x %1",
        "mul %x",
        expect![[r#"
        line 7, column 12: expected an operand such as `%0`, found the end of the line
          %2 = mul %x
                     ^"#]],
    );
    refused(
        "mul %x %1",
        "mull %x %1",
        expect![[r#"
        line 7, column 6: expected `load`, `const`, `cast`, `bitcast`, `sum`, `max` or another operation, found `mull`
          %2 = mull %x %1
               ^^^^"#]],
    );
    refused(
        "mul %x %1",
        "max %x",
        expect![[r#"
        line 7, column 12: expected `axis(…)` (the largest along axes) or a second operand (the larger of two), found the end of the line
          %2 = max %x
                     ^"#]],
    );
    refused(
        "axis(1)",
        "axis(2)",
        expect![[r#"
            line 8, column 1: %3: there is no axis 2; the shape has 2
              %3 = sum %2 axis(2)
              ^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "axis(1)",
        "axis(99)",
        expect![[r#"
        line 8, column 18: an axis must be in 0..=64, not 99
          %3 = sum %2 axis(99)
                           ^^"#]],
    );
    refused(
        "%3 = sum",
        "%2 = sum",
        expect![[r#"
        line 8, column 1: a second step %2
          %2 = sum %2 axis(1)
          ^^"#]],
    );
    refused(
        "(i,1,) %3",
        "(i,2) %3",
        expect![[r#"
        line 9, column 1: the store: %3 has another shape than the place it is stored to
          store f32 buf0 (i,2) %3
          ^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "store f32",
        "store f16",
        expect![[r#"
        line 9, column 1: the store: f32 is stored to a buffer of f16
          store f16 buf0 (i,1,) %3
          ^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "[1,10] = 3",
        "[1,10] = 30",
        expect![[r#"
        line 4, column 1: variable i can't be 30: it has the bounds 1 to 10
          var i [1,10] = 30
          ^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "UPCAST:0:4",
        "UPCAST:0",
        expect![[r#"
        line 10, column 15: expected `:`, found `NOLOCALS`
          opts UPCAST:0 NOLOCALS:None:None
                        ^^^^^^^^"#]],
    );
    refused(
        "UPCAST:0:4",
        "UPCASTS:0:4",
        expect![[r#"
        line 10, column 6: expected `hand`, `none`, `[]` or optimisations such as `UPCAST:0:4`, found `UPCASTS`
          opts UPCASTS:0:4 NOLOCALS:None:None
               ^^^^^^^"#]],
    );
    refused(
        "seed 7",
        "seed -7",
        expect![[r#"
        line 11, column 17: the seed must be in 0..=18446744073709551615, not -7
          data exact seed -7
                          ^^"#]],
    );
    refused(
        "seed 7",
        "seed 7\nexpect refused \"so",
        expect![[r#"
        line 12, column 16: expected `"` at the end of the text
          expect refused "so
                         ^^^"#]],
    );
    refused(
        "seed 7",
        "seed 7\ndata auto seed 1",
        expect![[r#"
        line 12, column 1: a second `data`
          data auto seed 1
          ^^^^"#]],
    );
    refused(
        "%2 = mul",
        "%c = const i32 1.5 (i,8)\n%2 = mul",
        expect![[r#"
        line 7, column 16: expected a constant of i32
          %c = const i32 1.5 (i,8)
                         ^^^"#]],
    );
    refused(
        "%2 = mul",
        "%c = const f32 1e999 (i,8)\n%2 = mul",
        expect![[r#"
        line 7, column 16: the constant 1e999 is too large
          %c = const f32 1e999 (i,8)
                         ^^^^^"#]],
    );
    refused(
        "(5, i)",
        "(5, 9999999999999999999)",
        expect![[r#"
            line 5, column 24: 9999999999999999999 does not fit in 64 bits
              %x = load f32 buf1 (5, 9999999999999999999) |> permute(1,0) |> pad((0,0),(1,2))  ; eight
                                     ^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "(5, i)",
        "(99999999, 99999999)",
        expect![[r#"
        line 5, column 1: %x: buffer: more than 281474976710656 elements
          %x = load f32 buf1 (99999999, 99999999) |> permute(1,0) |> pad((0,0),(1,2))  ; eight
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn deep_nesting_is_refused() {
    let deep = |count: usize| SMALL.replacen("(5, i)", &format!("(5, {}i{})", "(".repeat(count), ")".repeat(count)), 1);
    assert!(parse(&deep(20)).is_ok());
    let error = parse(&deep(1_000_000)).expect_err("nested too deeply");
    assert_eq!(error.message, "an expression may nest at most 64 deep");
    let long = SMALL.replacen("(5, i)", &format!("(5, {}i)", "i+".repeat(1_000_000)), 1);
    assert_eq!(parse(&long).expect_err("nested too deeply").message, "an expression may nest at most 64 deep");
}
