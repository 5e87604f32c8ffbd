//! Forms that logs may have, and what readers are told of wrong lines.

use super::parse_line;
use crate::case::{Case, Data, DataMode, Expect as Expected};
use crate::text;
use expect_test::{Expect as Snapshot, expect};
use plumb_core::kernel::OptPlan;
use proptest::prelude::*;

const VIEW: &str = "ShapeTracker(views=(View(shape=(4,), strides=(1,), offset=0, mask=None, contiguous=True),))";

fn load(number: u32) -> String {
    format!("LazyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(idx={number}, dtype=dtypes.float, st={VIEW}))")
}

fn store(source: &str) -> String {
    format!("LazyOp(op=BufferOps.STORE, src=({source},), arg=MemBuffer(idx=0, dtype=dtypes.float, st={VIEW}))")
}

/// The steps of a line, as the text of a case has them.
fn steps(line: &str) -> String {
    let logged = parse_line(line, 1).unwrap_or_else(|error| panic!("{}", error.show(line)));
    let case = Case {
        comments: Vec::new(),
        target: "clang".to_owned(),
        kernel: logged.kernel,
        opts: logged.opts.map_or(OptPlan::Hand, OptPlan::List),
        data: Data { mode: DataMode::Auto, seed: 0 },
        expect: Expected::Pass,
    };
    let text = text::print(&case);
    let shown = |line: &&str| !["plumb", "target", "data", "expect"].iter().any(|word| line.starts_with(word));
    text.lines().filter(shown).map(|line| format!("{line}\n")).collect()
}

#[test]
fn equal_subtrees_are_one_step() {
    let product = format!("LazyOp(op=BinaryOps.MUL, src=({}, {}), arg=None)", load(1), load(2));
    let sum = format!("LazyOp(op=BinaryOps.ADD, src=({product}, {product}), arg=None)");
    expect![[r#"
        %0 = load f32 buf1 view((4):(1)+0)
        %1 = load f32 buf2 view((4):(1)+0)
        %2 = mul %0 %1
        %3 = add %2 %2
        store f32 buf0 view((4):(1)+0) %3
        opts hand
    "#]]
    .assert_eq(&steps(&store(&sum)));
}

#[test]
fn every_form_of_a_line_is_read() {
    let (one, two) = (store(&load(1)), store(&load(2)));
    let opts = "[Opt(op=OptOps.LOCAL, axis=0, amt=8), Opt(op=OptOps.NOLOCALS, axis=None, amt=None)]";
    let plain = steps(&one);
    assert_eq!(steps(&format!("({one},)")), plain);
    assert_eq!(steps(&format!("({one})")), plain);
    assert_eq!(steps(&format!("  ( {one} , )  \r")), plain);
    let optimised = plain.replace("opts hand", "opts LOCAL:0:8 NOLOCALS:None:None");
    assert_eq!(steps(&format!("({one}, {opts})")), optimised);
    assert_eq!(steps(&format!("(({one},), {opts})")), optimised);
    assert_eq!(steps(&format!("(({one},), [])")), plain.replace("opts hand", "opts []"));
    let both = steps(&format!("(({one}, {two}), {opts})"));
    assert_eq!(both, steps(&format!("({one}, {two})")).replace("opts hand", "opts LOCAL:0:8 NOLOCALS:None:None"));
    assert_eq!(both.lines().count(), 5, "{both}");
}

#[test]
fn arguments_may_stand_without_keywords_or_in_another_order() {
    let plain = steps(&store(&load(1)));
    let places = store(&load(1)).replace("op=", "").replace("src=", "").replace("arg=", "").replace("idx=", "");
    assert_eq!(steps(&places), plain);
    let turned = format!("LazyOp(arg=MemBuffer(st={VIEW}, dtype=dtypes.float32, idx=1), op=BufferOps.LOAD)");
    assert_eq!(steps(&store(&turned)), plain);
}

#[test]
fn constants_and_symbols_are_kept_exactly() {
    let constant = |value: &str, dtype: &str| {
        let constant = format!(
            "LazyOp(op=BufferOps.CONST, src=(), arg=ConstBuffer(val={value}, dtype=dtypes.{dtype}, st={VIEW}))"
        );
        let cast = format!("LazyOp(op=UnaryOps.CAST, src=({constant},), arg=dtypes.float)");
        steps(&store(&cast)).lines().next().unwrap_or("").to_owned() + "\n"
    };
    let values = [
        ("1e-05", "float"),
        ("-0.0", "half"),
        ("10000000000.0", "double"),
        ("0.1", "bfloat16"),
        ("-inf", "imageh((8, 16, 4))"),
        ("nan", "float64"),
        ("1", "float"),
        ("-1", "uchar"),
        ("18446744073709551615", "ulong"),
        ("True", "bool"),
        ("2.0", "long"),
        ("NumNode(3)", "int"),
    ];
    expect![[r#"
        %0 = const f32 1e-5 view((4):(1)+0)
        %0 = const f16 -0.0 view((4):(1)+0)
        %0 = const f64 10000000000.0 view((4):(1)+0)
        %0 = const bf16 0.1 view((4):(1)+0)
        %0 = const imageh[8,16,4] -inf view((4):(1)+0)
        %0 = const f64 nan view((4):(1)+0)
        %0 = const f32 1.0 view((4):(1)+0)
        %0 = const u8 -1 view((4):(1)+0)
        %0 = const u64 18446744073709551615 view((4):(1)+0)
        %0 = const bool true view((4):(1)+0)
        %0 = const i64 2 view((4):(1)+0)
        %0 = const i32 3 view((4):(1)+0)
    "#]]
    .assert_eq(&values.map(|(value, dtype)| constant(value, dtype)).concat());

    let view = "ShapeTracker(views=(View(shape=((NumNode(2)+Variable('i', 1, 10)), 3), strides=(((Variable('i', 1, 10)*3)+NumNode(6)), 1), \
        offset=(Variable('i', 1, 10).bind(5)*-3), mask=((Variable('i', 1, 10), (Variable('i', 1, 10)+Variable('j', 0, 4))), (0, 3)), contiguous=False), \
        View(shape=(3, (Variable('i', 1, 10)//2)), strides=(1, 3), offset=NumNode(0), mask=None, contiguous=False)))";
    let value = "LazyOp(op=BufferOps.CONST, src=(), arg=ConstBuffer(val=Variable('j', 0, 4).bind(2), dtype=dtypes.int, st=VIEW))";
    expect![[r#"
        var j[0,4] = 2
        var i[1,10] = 5 shown
        %0 = const i32 j view((2+i,3):(i*3+6,1)+i*-3 mask((i,i+j),(0,3))) |> view((3,i//2):(1,3)+0)
        store f32 buf0 view((4):(1)+0) %0
        opts hand
    "#]]
    .assert_eq(&steps(&store(&value.replace("VIEW", view))));
}

/// The error that a line gives with `from` replaced by `to`.
fn refused(from: &str, to: &str, expected: Snapshot) {
    let pair = format!("({}, [Opt(op=OptOps.LOCAL, axis=0, amt=8)])", store(&load(1)));
    assert!(pair.contains(from), "{from} is a part of the line");
    let line = pair.replacen(from, to, 1);
    expected
        .assert_eq(&parse_line(&line, 7).expect_err("the line is wrong").show(&format!("{}{line}", "\n".repeat(6))));
}

#[test]
fn errors_point_at_what_is_wrong() {
    refused(
        "(LazyOp",
        "(LayzOp",
        expect![[r#"
        line 7, column 2: expected `LazyOp(…)`, found `LayzOp`
          (LayzOp(op=BufferOps.STORE, src=(LazyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(idx=1, dtype=dtypes.float, st=ShapeTrac
           ^^^^^^"#]],
    );
    refused(
        "BufferOps.LOAD",
        "BufferOps.LAOD",
        expect![[r#"
        line 7, column 44: expected an operation of a kernel, found `BufferOps.LAOD`
          (LazyOp(op=BufferOps.STORE, src=(LazyOp(op=BufferOps.LAOD, src=(), arg=MemBuffer(idx=1, dtype=dtypes.float, st=ShapeTrac
                                                     ^^^^^^^^^^^^^^"#]],
    );
    refused(
        "BufferOps.STORE",
        "LoadOps.EMPTY",
        expect![[r#"
        line 7, column 12: expected an operation of a kernel, found `LoadOps.EMPTY`
          (LazyOp(op=LoadOps.EMPTY, src=(LazyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(idx=1, dtype=dtypes.float, st=ShapeTracke
                     ^^^^^^^^^^^^^"#]],
    );
    refused(
        "idx=1",
        "id=1",
        expect![[r#"
            line 7, column 82: expected `)` or one of idx=, dtype=, st= not yet given, found `id`
              STORE, src=(LazyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(id=1, dtype=dtypes.float, st=ShapeTracker(views=(View(shape=
                                                                          ^^"#]],
    );
    refused(
        "idx=1",
        "idx=-1",
        expect![[r#"
        line 7, column 86: the buffer's number must be in 0..=4294967295, not -1
          E, src=(LazyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(idx=-1, dtype=dtypes.float, st=ShapeTracker(views=(View(shape=(4
                                                                      ^^"#]],
    );
    refused(
        "idx=1, ",
        "",
        expect![[r#"
        line 7, column 72: `MemBuffer(…)` lacks `idx=`
          BufferOps.STORE, src=(LazyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(dtype=dtypes.float, st=ShapeTracker(views=(View(sh
                                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "dtypes.float",
        "dtypes.flaot",
        expect![[r#"
        line 7, column 95: expected a scalar or image dtype, found `dtypes.flaot`
          azyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(idx=1, dtype=dtypes.flaot, st=ShapeTracker(views=(View(shape=(4,), stride
                                                                      ^^^^^^^^^^^^"#]],
    );
    refused(
        "dtypes.float",
        "dtypes._float4",
        expect![[r#"
        line 7, column 95: expected a scalar or image dtype, found `dtypes._float4`
          azyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(idx=1, dtype=dtypes._float4, st=ShapeTracker(views=(View(shape=(4,), stri
                                                                      ^^^^^^^^^^^^^^"#]],
    );
    refused(
        "strides=(1,)",
        "strides=(1, 2)",
        expect![[r#"
        line 7, column 132: shape, strides and mask of a view must have one entry for each axis
          MemBuffer(idx=1, dtype=dtypes.float, st=ShapeTracker(views=(View(shape=(4,), strides=(1, 2), offset=0, mask=None, contig
                                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "offset=0",
        "offset=0.5",
        expect![[r#"
        line 7, column 170: expected an integer, found `0.5`
          t=ShapeTracker(views=(View(shape=(4,), strides=(1,), offset=0.5, mask=None, contiguous=True),)))),), arg=MemBuffer(idx=0
                                                                      ^^^"#]],
    );
    refused(
        "offset=0",
        "offset=Variable('i', 1)",
        expect![[r#"
        line 7, column 185: expected `,`, found `)`
          views=(View(shape=(4,), strides=(1,), offset=Variable('i', 1), mask=None, contiguous=True),)))),), arg=MemBuffer(idx=0,
                                                                      ^"#]],
    );
    refused(
        "offset=0",
        "offset=Variable('i', 5, 1)",
        expect![[r#"
        line 7, column 170: variable i: expected 0 <= smallest <= largest, found 5 and 1
          t=ShapeTracker(views=(View(shape=(4,), strides=(1,), offset=Variable('i', 5, 1), mask=None, contiguous=True),)))),), arg
                                                                      ^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "offset=0",
        "offset=(Variable('i', 1, 5)+Variable('i', 1, 6))",
        expect![[r#"
        line 7, column 191: variable i has other bounds here than before (1 to 5)
          (View(shape=(4,), strides=(1,), offset=(Variable('i', 1, 5)+Variable('i', 1, 6)), mask=None, contiguous=True),)))),), ar
                                                                      ^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "offset=0",
        "offset=(Variable('i', 1, 5).bind(1)+Variable('i', 1, 5).bind(2))",
        expect![[r#"
        line 7, column 199: variable i is bound to 2 here, and to 1 before
          ape=(4,), strides=(1,), offset=(Variable('i', 1, 5).bind(1)+Variable('i', 1, 5).bind(2)), mask=None, contiguous=True),))
                                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "mask=None",
        "mask=((0, 4), (0, 4))",
        expect![[r#"
        line 7, column 132: shape, strides and mask of a view must have one entry for each axis
          MemBuffer(idx=1, dtype=dtypes.float, st=ShapeTracker(views=(View(shape=(4,), strides=(1,), offset=0, mask=((0, 4), (0, 4
                                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    refused(
        "contiguous=True",
        "contiguous=1",
        expect![[r#"
        line 7, column 195: expected `True` or `False`, found `1`
          w(shape=(4,), strides=(1,), offset=0, mask=None, contiguous=1),)))),), arg=MemBuffer(idx=0, dtype=dtypes.float, st=Shape
                                                                      ^"#]],
    );
    refused(
        "arg=MemBuffer",
        "arg=None, arg=MemBuffer",
        expect![[r#"
        line 7, column 78: expected `)` or one of op=, src=, arg= not yet given, found `arg`
          Ops.STORE, src=(LazyOp(op=BufferOps.LOAD, src=(), arg=None, arg=MemBuffer(idx=1, dtype=dtypes.float, st=ShapeTracker(vie
                                                                      ^^^"#]],
    );
    refused(
        "src=(), arg=MemBuffer",
        "src=(), arg=ConstBuffer",
        expect![[r#"
            line 7, column 84: expected `)` or one of val=, dtype=, st= not yet given, found `idx`
              ORE, src=(LazyOp(op=BufferOps.LOAD, src=(), arg=ConstBuffer(idx=1, dtype=dtypes.float, st=ShapeTracker(views=(View(shape
                                                                          ^^^"#]],
    );
    refused(
        "OptOps.LOCAL",
        "OptOps.LOKAL",
        expect![[r#"
        line 7, column 363: `LOKAL` is no optimisation
           offset=0, mask=None, contiguous=True),)))), [Opt(op=OptOps.LOKAL, axis=0, amt=8)])
                                                                      ^^^^^"#]],
    );
    refused(
        "amt=8)])",
        "amt=8)]",
        expect![[r#"
        line 7, column 385: expected `)`, found the end of the line
          contiguous=True),)))), [Opt(op=OptOps.LOCAL, axis=0, amt=8)]
                                                                      ^"#]],
    );
    refused(
        "amt=8)])",
        "amt=8)]) extra",
        expect![[r#"
        line 7, column 387: expected the end of the line, found `extra`
          ntiguous=True),)))), [Opt(op=OptOps.LOCAL, axis=0, amt=8)]) extra
                                                                      ^^^^^"#]],
    );
}

#[test]
fn hostile_nesting_needs_no_stack() {
    // Each of these would overflow the stack of a parser that recurses.
    let deep = 200_000;
    let parentheses = "(".repeat(deep);
    assert!(parse_line(&parentheses, 1).is_err());
    let negations = format!("{}{}", "LazyOp(op=UnaryOps.NEG, src=(".repeat(deep), load(1));
    assert!(parse_line(&negations, 1).is_err());
    let offset = store(&load(1)).replacen("offset=0", &format!("offset={parentheses}"), 1);
    let error = parse_line(&offset, 1).expect_err("nested too deeply");
    assert_eq!(error.message, "an expression may nest at most 64 deep");
    let closed = format!("{}{}{}", "LazyOp(op=UnaryOps.NEG, src=(".repeat(deep), load(1), ",))".repeat(deep));
    let kernel = parse_line(&store(&closed), 1).expect("any depth of operations is a kernel").kernel;
    assert_eq!(kernel.steps.len(), deep + 2);
    assert_eq!(kernel.check(), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_line_is_read_or_refused(at in any::<usize>(), cut in 0..30usize, instead in "[-(),.=*+/%A-Za-z0-9' \\[\\]é]{0,8}") {
        let line = format!("(({},), [Opt(op=OptOps.LOCAL, axis=0, amt=8)])", store(&load(1)))
            .replacen("offset=0", "offset=(Variable('i', 1, 10).bind(3)*-3)", 1);
        let at = line.floor_char_boundary(at % (line.len() + 1));
        let end = line.floor_char_boundary((at + cut).min(line.len()));
        let changed = format!("{}{instead}{}", &line[..at], &line[end..]);
        match parse_line(&changed, 1) {
            Ok(logged) => {
                let _ = logged.kernel.check();
                let _ = logged.kernel.ast();
            }
            Err(error) => prop_assert!(error.show(&changed).contains('^')),
        }
    }
}
