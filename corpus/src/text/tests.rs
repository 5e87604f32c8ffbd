//! Round trips of arbitrary cases, and what readers are told of wrong texts.

use super::strategies::{case, plan};
use super::{ParseError, parse, parse_plan, print, print_plan};
use expect_test::{Expect as Snapshot, expect};
use proptest::prelude::*;

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
    fn no_kernel_makes_anything_panic(case in case()) {
        let fits = case.check().is_ok();
        let _ = case.kernel.ast();
        prop_assert!(case.kernel.dtypes().is_ok() || !fits);
        prop_assert!(case.kernel.shapes().is_ok() || !fits);
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

#[test]
fn the_example_of_the_documentation_is_canonical() {
    let documentation = include_str!("../../README.md");
    let indented = documentation.lines().skip_while(|line| !line.ends_with(super::VERSION_LINE));
    let lines = indented.map_while(|line| line.strip_prefix("    "));
    let example: String = lines.map(|line| format!("{line}\n")).collect();
    let case = parse(&example).unwrap_or_else(|error| panic!("{}", error.show(&example)));
    assert_eq!(print(&case), example);
}

#[test]
fn large_texts_take_little_time() {
    // Quadratic work on any of these would take minutes.
    let begin = std::time::Instant::now();
    let shape = |size: &str| format!("({})", vec![size; 64].join(","));
    let head = "plumb case 1\ntarget clang\nvar i[1,1]\n";
    let load = |name: &str, size: &str| format!("%{name} = load f32 buf1 {}\n", shape(size));
    let sums: String = (1..50_000).map(|number| format!("%a{number} = add %a{} %b\n", number - 1)).collect();
    let store = format!("store f32 buf0 {} %a49999\n", shape("i"));
    assert!(parse(&format!("{head}{}{}{sums}{store}", load("a0", "i*i*i-i*i+i"), load("b", "i+i*i*(i-1)"))).is_err());
    let same = format!("{head}{}{}{sums}{}", load("a0", "i*2-i"), load("b", "i"), store);
    assert_eq!(parse(&same).map(|case| case.kernel.steps.len()), Ok(50_002));
    let variables: String = (0..50_000).map(|number| format!("var v{number}[0,1]\n")).collect();
    assert!(parse(&format!("plumb case 1\ntarget clang\n{variables}")).is_err());
    assert!(parse(&format!("{head}%0 = load f32 buf1 (1){}\n", " |> reshape(1)".repeat(50_000))).is_err());
    assert!(parse(&format!("{head}%0 = load f32 buf1 ({})\n", "1,".repeat(500_000))).is_err());
    assert!(parse(&format!("{head}%0 = load f32 buf1 ({})\n", vec!["(i*7+1)"; 60].join("*"))).is_err());
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}
