//! Input that is wrong: said clearly, with its place, and the rest goes on.

use super::{GOOD, plumb, plumb_in};

#[test]
fn a_wrong_kernel_is_named_and_the_others_are_judged() {
    let wrong = GOOD.replace("axis(1)", "axis(one)");
    let ran = plumb_in(std::path::Path::new("."), &["check", "-"], &format!("{GOOD}{wrong}{GOOD}"));
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("kernel 1") && ran.err.contains("line 12, column 18"), "{}", ran.err);
    assert!(ran.out.contains("passed      2"), "{}", ran.out);
    assert!(ran.out.contains("unreadable  1"), "{}", ran.out);
}

#[test]
fn a_wrong_line_of_a_log_is_named_and_the_others_are_judged() {
    let line = "LazyOp(op=BufferOps.STORE, src=(LazyOp(op=BufferOps.CONST, src=(), arg=ConstBuffer(val=1.0, \
                dtype=dtypes.float, st=ShapeTracker(views=(View(shape=(3,), strides=(0,), offset=0, mask=None, \
                contiguous=False),)))),), arg=MemBuffer(idx=0, dtype=dtypes.float, st=ShapeTracker(views=(View(shape=(3,), \
                strides=(1,), offset=0, mask=None, contiguous=True),))))";
    let wrong = line.replace("BufferOps.CONST", "BufferOps.CONS");
    let ran = plumb_in(std::path::Path::new("."), &["check", "-"], &format!("{line}\n{wrong}\n{line}\n"));
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("line 2, column 43"), "{}", ran.err);
    assert!(ran.out.contains("passed      2"), "{}", ran.out);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let ran = plumb(&["check", "no-such-file.kernel"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("no-such-file.kernel"), "{}", ran.err);
}

#[test]
fn a_broken_archive_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("broken.gz"), [0x1f, 0x8b, 8, 0, 1, 2, 3]).expect("a file");
    let ran = plumb_in(folder.path(), &["check", "broken.gz"], "");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("broken.gz"), "{}", ran.err);
}

#[test]
fn wrong_options_are_wrong_calls() {
    for arguments in [
        &["sweep", "--shard", "3/2"][..],
        &["sweep", "--time", "0s"],
        &["check"],
        &["sweep", "--rule", "no/such-rule"],
        &["frobnicate"],
    ] {
        assert_eq!(plumb(arguments).status, 2, "{arguments:?}");
    }
}

#[test]
fn nothing_to_judge_is_a_wrong_call() {
    let ran = plumb_in(std::path::Path::new("."), &["check", "-", "--kernel", "99"], GOOD);
    assert_eq!(ran.status, 2, "{}", ran.out);
    let ran = plumb_in(std::path::Path::new("."), &["check", "-"], "");
    assert_eq!(ran.status, 2, "{}", ran.out);
}
