//! The command line, run as people run it.

mod bad_input;
mod check;
mod dot;
mod rules;
mod stages;
mod sweep;
mod sym;
mod uops;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of `plumb` gave.
struct Ran {
    status: i32,
    out: String,
    err: String,
}

/// Runs `plumb` in `folder` with `arguments`, `input` on its standard input.
fn plumb_in(folder: &Path, arguments: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("plumb starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("plumb reads its input");
    let output = child.wait_with_output().expect("plumb ends");
    Ran {
        status: output.status.code().expect("plumb exits by itself"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs `plumb` in a folder that is thrown away.
fn plumb(arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a temporary folder");
    plumb_in(folder.path(), arguments, "")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The recorded data beside the repository, or where `PLUMB_SHARED` points; where there is none, says so.
fn shared(file: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PLUMB_SHARED").map_or_else(|| repository().join("../shared"), PathBuf::from);
    let path = folder.join(file);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is not there; set PLUMB_SHARED to the folder that holds it", path.display());
    None
}

/// A kernel that is right.
const GOOD: &str = "plumb case 1\ntarget opencl\n%0 = load f32 buf1 (5,4) |> permute(1,0) |> pad((0,0),(1,2))\n\
                    %1 = sum %0 axis(1)\nstore f32 buf0 (4,1) %1\nopts hand\ndata exact seed 7\nexpect pass\n";
