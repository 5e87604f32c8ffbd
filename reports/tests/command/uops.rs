//! `plumb uops`.

use super::{GOOD, plumb, plumb_in};
use expect_test::expect;

#[test]
fn a_kernel_is_printed() {
    let ran = plumb_in(std::path::Path::new("."), &["uops", "-"], GOOD);
    assert_eq!(ran.status, 0, "{}", ran.err);
    expect![[r#"
        ; r_4_8 global=[1,1,1]local=[4,1,1] 00b261b8093b605f
    "#]]
    .assert_eq(&format!("{}\n", ran.out.lines().next().unwrap_or_default()));
    assert!(ran.out.lines().any(|line| line.contains(" STORE - [0,")), "{}", ran.out);
}

#[test]
fn a_refused_kernel_does_not_hide_the_others() {
    let input = format!("{GOOD}{}{GOOD}", GOOD.replace("opts hand", "opts LOCAL:7:2"));
    let ran = plumb_in(std::path::Path::new("."), &["uops", "-", "--digest"], &input);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ran.out);
    assert!(lines[0].starts_with("0 r_4_8 global=["), "{}", lines[0]);
    assert!(lines[1].starts_with("1 error KernelOptError "), "{}", lines[1]);
    assert_eq!(lines[0].strip_prefix('0'), lines[2].strip_prefix('2'));
}

#[test]
fn whoever_stops_reading_stops_the_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("many.kernel");
    std::fs::write(&file, GOOD.repeat(3000)).expect("a file");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_plumb"))
        .arg("uops")
        .arg(&file)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("plumb starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("plumb ends").code(), Some(0));
}

#[test]
fn unknown_targets_and_optimisations_are_named() {
    let ran = plumb(&["uops", "-", "--target", "vax"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("clang, opencl, metal, cuda, hip"), "{}", ran.err);
    let ran = plumb(&["uops", "-", "--opts", "FOLD:0:4"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("there is no optimisation FOLD"), "{}", ran.err);
}
