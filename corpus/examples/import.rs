//! Turns logs of kernels into `.kernel` files, one for each distinct kernel:
//!
//! ```text
//! cargo run -p plumb-corpus --example import -- LOGS FOLDER
//! ```
//!
//! LOGS is a folder of files `NAME.log`; FOLDER's `.kernel` files are replaced. A file is called after its log, the
//! kernel's place in it, and the axes that the kernel walks: `mlp_step_03_r_12_10_20.kernel`.

use plumb_corpus::case::{Case, Dim, Kernel, Step};
use plumb_corpus::source::{Source, kernel_files};
use plumb_corpus::text;
use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::path::Path;

/// What the cases run on unless told otherwise: a target with workgroups and vector loads.
const TARGET: &str = "opencl";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [logs, folder] = arguments.as_slice() else {
        return Err("usage: import LOGS FOLDER".into());
    };
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    for old in kernel_files(folder)? {
        fs::remove_file(old)?;
    }
    let mut logs: Vec<_> =
        fs::read_dir(logs)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    logs.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
    logs.sort_unstable();
    let mut seen = HashSet::new();
    for log in logs {
        let name = log.file_stem().and_then(|stem| stem.to_str()).ok_or("a log's name is no UTF-8")?;
        let source = Source::open(&log)?;
        let pieces = source.pieces();
        for piece in &pieces {
            let content = piece.read().map_err(|error| format!("{}: {}", log.display(), error.show(&source.text())))?;
            if !seen.insert(content.kernel().clone()) {
                continue;
            }
            let comment = format!("{name}, kernel {} of {}; see corpus/capture", piece.number, pieces.len());
            let case = Case { comments: vec![comment], ..content.into_case(TARGET) };
            case.check().map_err(|error| format!("{}, line {}: {error}", log.display(), piece.line))?;
            let file = format!("{name}_{:02}_{}.kernel", piece.number, axes(&case.kernel)?);
            fs::write(folder.join(file), text::print(&case))?;
        }
    }
    Ok(())
}

/// `r_` (a reduction) or `E_` and the sizes of the axes that the kernel walks, those of size 1 left out.
fn axes(kernel: &Kernel) -> Result<String, Box<dyn Error>> {
    let shapes = kernel.shapes()?;
    let reduced = kernel.steps.iter().find_map(|step| match step {
        Step::Reduce(_, source, _) => Some(*source),
        _ => None,
    });
    let widest = reduced.or_else(|| kernel.steps.iter().position(|step| matches!(step, Step::Store { .. })));
    let shape = widest.and_then(|step| shapes.get(step)).ok_or("a kernel without stores")?;
    let mut name = if reduced.is_some() { "r" } else { "E" }.to_owned();
    for size in shape {
        match size {
            Dim::Int(1) => {}
            Dim::Int(size) => name += &format!("_{size}"),
            Dim::Expr(_) => name += "_v",
        }
    }
    Ok(name)
}
