//! `plumb rules`.

use super::{GOOD, plumb, plumb_in};
use expect_test::expect;
use std::path::Path;

fn objects(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn rules_are_listed_with_what_to_know_of_them() {
    let ran = plumb(&["rules", "uop/add-"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    expect![[r#"
        uop/add-negated      D x + -y is x - y, but of bools
                               altered: of bools, too
        uop/add-zero           x + 0 is x
        uop/add-zero-float  F  x + 0.0 is x, which is wrong for -0.0
        uop/add-twice          (x + a) + b is x + (a + b) for constants a, b
                               altered: it is x + (a - b)
        uop/add-twice-float F  (x + a) + b is x + (a + b) for constants a, b, which rounds differently
                               altered: it is x + (a - b)

        5 rules
        F  2 of floats, right only for finite ones, or but for rounding and the sign of zero
        D  1 about which core differs from tinygrad 0.9.0 (core/DIFFERENCES.md)
    "#]]
    .assert_eq(&ran.out);
}

/// Counts are those of the kernels' lowering: what they do not depend on is the number of threads.
#[test]
fn firings_are_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = GOOD.replace("opts hand", "opts UPCAST:0:4 UPCAST:0:3");
    std::fs::write(folder.path().join("three.kernel"), format!("{GOOD}{GOOD}{refused}")).expect("a file");
    let ran = plumb_in(folder.path(), &["rules", "--format", "json", "--count", "three.kernel"], "");
    assert_eq!(ran.status, 0, "{}", ran.err);
    let rules = objects(&ran.out);
    let of = |name: &str| rules.iter().find(|rule| rule["name"] == name).expect("a rule");
    // All is unrolled: what is padding is known.
    assert_eq!((&of("lower/reduce-loop")["kernels"], &of("lower/accumulator-init")["kernels"]), (&2.into(), &2.into()));
    assert_eq!((&of("lower/never-loaded")["fired"], &of("lower/never-loaded")["kernels"]), (&6.into(), &2.into()));
    assert_eq!(of("lower/gate-loads")["kernels"], 0);
    assert_eq!(of("opt/no-longer-valid-shift")["fired"], 1);
    assert!(of("opt/no-longer-valid-shift")["passed"].as_u64().is_some_and(|passed| passed >= 3));
    assert_eq!(of("uop/loop-collapse")["fired"], 0);
    assert!(of("uop/loop-collapse").get("passed").is_none());

    let of_threads = |threads| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plumb"));
        command.args(["rules", "--cases", "300", "--seed", "5"]).env("RAYON_NUM_THREADS", threads);
        command.output().expect("plumb runs").stdout
    };
    assert_eq!(of_threads("1"), of_threads("4"));
}

#[test]
fn what_cannot_be_read_is_said() {
    let ran = plumb_in(Path::new("."), &["rules", "--count", "-"], "plumb case 1\ntarget vax\n");
    assert_eq!(ran.status, 2);
    assert!(ran.out.contains("0 kernels lowered, 0 refused") && ran.err.contains("vax"), "{}{}", ran.out, ran.err);
}
