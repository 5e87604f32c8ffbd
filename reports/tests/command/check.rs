//! `plumb check`.

use super::{GOOD, plumb_in, repository, shared};

#[test]
fn a_right_kernel_passes() {
    let ran = plumb_in(std::path::Path::new("."), &["check", "-"], GOOD);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("passed   1"), "{}", ran.out);
}

#[test]
fn a_kernel_that_should_be_refused_is() {
    let refused =
        GOOD.replace("opts hand", "opts LOCAL:7:2").replace("expect pass", "expect refused \"opt/invalid-axis\"");
    let ran = plumb_in(std::path::Path::new("."), &["check", "-"], &refused);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let lowered = GOOD.replace("expect pass", "expect refused \"opt/invalid-axis\"");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = plumb_in(folder.path(), &["check", "-"], &lowered);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("should be refused"), "{}", ran.out);
}

#[test]
fn judges_can_be_chosen_by_name() {
    let ran = plumb_in(std::path::Path::new("."), &["check", "-", "--oracles", "astrology"], GOOD);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("there is no judge astrology"), "{}", ran.err);
}

/// Captured kernels of real networks, for targets with and without workgroups.
#[test]
fn captured_kernels_pass() {
    let kernels = repository().join("corpus/kernels");
    let mut files: Vec<String> = std::fs::read_dir(&kernels)
        .expect("the captured kernels")
        .map(|entry| entry.expect("an entry").path().display().to_string())
        .filter(|path| path.ends_with(".kernel"))
        .collect();
    files.sort_unstable();
    let sample: Vec<&str> = files.iter().step_by(5).map(String::as_str).collect();
    assert!(sample.len() > 50, "only {} kernels", sample.len());
    for target in ["clang", "metal"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let arguments = [&["check", "--target", target, "--opts", "hand"][..], &sample].concat();
        let ran = plumb_in(folder.path(), &arguments, "");
        assert_eq!(ran.status, 0, "{target}: {}{}", ran.out, ran.err);
    }
}

/// A sample of tinygrad's recorded kernels; `plumb check` of the whole file is a sweep of its own.
#[test]
fn recorded_kernels_pass() {
    let Some(log) = shared("data/sops.gz") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = log.display().to_string();
    for target in ["clang", "opencl"] {
        let ran = plumb_in(folder.path(), &["check", &log, "--target", target, "--opts", "hand", "--every", "40"], "");
        assert_eq!(ran.status, 0, "{target}: {}{}", ran.out, ran.err);
    }
}
