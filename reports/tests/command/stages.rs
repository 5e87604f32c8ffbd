//! `plumb uops --stages` and `--json`.

use super::{GOOD, plumb_in, shared};
use expect_test::expect;
use std::path::Path;

/// Small, with padding and an optimisation.
const SMALL: &str = "plumb case 1\ntarget opencl\n%0 = load f32 buf1 (3) |> pad((1,0)) |> reshape(2,2)\n\
                     %1 = sum %0 axis(1)\nstore f32 buf0 (2,1) %1\nopts UNROLL:0:0\ndata exact seed 7\nexpect pass\n";

#[test]
fn the_way_to_the_uops_is_shown() {
    let ran = plumb_in(Path::new("."), &["uops", "-", "--stages"], SMALL);
    assert_eq!(ran.status, 0, "{}", ran.err);
    // How often rules of index expressions fire is a matter of what was computed before, and of speed.
    let (before, after) = ran.out.split_once("Rules that fired\n").expect("the rules");
    let (rules, record) = after.split_once("Program").expect("the record");
    assert!(rules.contains("  lower/gate-loads  "), "{rules}");
    expect![[r#"
        r_2_2 for opencl, standard input

        AST
          %0  LOAD    f32   buf1 (4):(1)-1[1:4] < (2,2):(2,1)
          %1  SUM     f32   %0 over axis 1
          %2  STORE   f32   %1 to buf0 (2,1):(1,0)

        Kernel, and what optimisations make of it
          start          2 global  2 reduce
                         buf0 out    (2,1):(1,0)
                         buf1        (4):(1)-1[1:4] < (2,2):(2,1)
          UNROLL:0:0     2 global  2 unroll
                         buf0 out    (2,1):(1,0)
                         buf1        (4):(1)-1[1:4] < (2,2):(2,1)

        Index expressions, before their expansion over upcasted axes (_uidx)
          accumulator  buf0 out    gidx0
          load         buf1        ((gidx0*2)+-1+_uidx0) where (((_uidx0*-1)+(gidx0*-2))<0)
          store        buf0 out    gidx0

        Uops as built: 18
            0  DEFINE_GLOBAL  f32*  0:out
            1  DEFINE_GLOBAL  f32*  1:in
            2  SPECIAL        i32   0:gidx0:2
        -   3  DEFINE_ACC     f32   0.0:0:0
            4  CONST          i32   -1
            5  CONST          i32   2
            6  ALU            i32   MUL        2 5
            7  ALU            i32   ADD        6 4
        -   8  ALU            i32   MUL        2 4
            9  CONST          i32   0
        -  10  ALU            bool  CMPLT      8 9
           11  CONST          f32   0.0
        -  12  LOAD           f32              1 7 10 11
           13  LOAD           f32              1 6
        -  14  ALU            f32   ADD        12 3
        -  15  ALU            f32   ADD        13 14
        -  16  PHI            f32              3 15
        -  17  STORE                           0 2 16

        Uops after rewriting: 14; 8 of those built are gone (-), 4 are new (+)
            0  DEFINE_GLOBAL  f32*  0:out
            1  DEFINE_GLOBAL  f32*  1:in
            2  SPECIAL        i32   0:gidx0:2
            3  CONST          i32   -1
            4  CONST          i32   2
            5  ALU            i32   MUL        2 4
            6  ALU            i32   ADD        5 3
            7  CONST          i32   0
            8  CONST          f32   0.0
            9  LOAD           f32              1 5
        +  10  ALU            bool  CMPLT      7 2
        +  11  LOAD           f32              1 6 10 8
        +  12  ALU            f32   ADD        9 11
        +  13  STORE                           0 2 12

        Uops in their order: 14
            0  DEFINE_GLOBAL  f32*  0:out
            1  DEFINE_GLOBAL  f32*  1:in
            2  CONST          i32   -1
            3  CONST          i32   0
            4  CONST          f32   0.0
            5  CONST          i32   2
            6  SPECIAL        i32   0:gidx0:2
            7  ALU            bool  CMPLT      3 6
            8  ALU            i32   MUL        6 5
            9  ALU            i32   ADD        8 2
           10  LOAD           f32              1 8
           11  LOAD           f32              1 9 7 4
           12  ALU            f32   ADD        10 11
           13  STORE                           0 6 12

        Program
          launch      global=[2,1,1] local=[1,1,1]
          arguments   buf0 f32* out, buf1 f32*
          operations  4 (AST 4, uops 8)
          bytes       20 (AST 20, uops 24)
          digest      0d2289eb81a4b1de

    "#]]
    .assert_eq(&format!("{before}Program{record}"));
}

/// The stages that a refused kernel reached, then why it went no further; the others go on.
#[test]
fn a_refused_kernel_is_shown_as_far_as_it_gets() {
    let refused = SMALL.replace("UNROLL:0:0", "LOCAL:0:2 UPCAST:7:2");
    let ran = plumb_in(Path::new("."), &["uops", "-", "--stages"], &format!("{refused}{SMALL}"));
    assert_eq!(ran.status, 0, "{}", ran.err);
    let (first, second) = ran.out.split_once("not lowered: ").expect("a refusal");
    assert!(first.contains("  LOCAL:0:2") && !first.contains("UPCAST"), "{first}");
    assert!(second.starts_with("UPCAST:7:2: opt/invalid-axis: "), "{second}");
    assert!(second.contains("Program\n"), "{second}");
}

/// Names are coloured where colours are asked for, and only there; `NO_COLOR` asks for none.
#[test]
fn colours_are_for_terminals() {
    let run = |variables: &[(&str, &str)]| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("small.kernel");
        std::fs::write(&file, SMALL).expect("a file");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plumb"));
        command.args(["uops", "--stages"]).arg(file).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let output = command.envs(variables.iter().copied()).output().expect("plumb runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(run(&[("CLICOLOR_FORCE", "1")]).contains("r_\u{1b}[34m2\u{1b}[0m\u{1b}[90m_\u{1b}[0m\u{1b}[35m2\u{1b}[0m"));
    assert!(!run(&[]).contains('\u{1b}'));
    assert!(!run(&[("NO_COLOR", "1")]).contains('\u{1b}'));
}

#[test]
fn the_record_is_data() {
    let ran = plumb_in(Path::new("."), &["uops", "-", "--json"], &format!("{SMALL}{GOOD}{SMALL}"));
    let lines: Vec<serde_json::Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3, "{}", ran.out);
    assert_eq!((&lines[0]["name"], &lines[2]["name"]), (&"r_2_2".into(), &"r_2_2n1".into()));
    assert_eq!(lines[0]["axes"][1], serde_json::json!({ "size": 2, "kind": "unroll", "color": "magenta" }));
    assert_eq!(lines[0]["buffers"][0]["output"], true);
    assert_eq!((&lines[0]["operations"], &lines[0]["bytes"]), (&4.into(), &20.into()));
}

/// Every stage of real kernels can be shown, those of matrix instructions and of images too.
#[test]
fn real_kernels_are_shown() {
    let (Some(log), Some(products)) = (shared("data/sops.gz"), shared("data/tensor-core-kernels.txt.gz")) else {
        return;
    };
    for (file, target, kernels) in [(&log, "opencl", ["0", "5000", "9700"]), (&products, "metal", ["3", "40", "90"])] {
        for kernel in kernels {
            let arguments = ["uops", file.to_str().expect("UTF-8"), "--stages", "--target", target, "--kernel", kernel];
            let ran = plumb_in(Path::new("."), &arguments, "");
            assert_eq!(ran.status, 0, "{}", ran.err);
            let program = ran.out.split_once("\nProgram\n").expect("a record").1;
            assert!(program.contains("  digest      "), "{program}");
        }
    }
}
