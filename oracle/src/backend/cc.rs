//! C compilers: many kernels to one program, each run in a process of its own.
//!
//! The program reads the arguments from a file, sets itself limits of time and memory, calls the kernel, and writes the
//! outputs to another file. Nothing is loaded into this process.

use super::process::run;
use super::{Argument, Backend, BackendError, Found, Job, Missing};
use plumb_core::render::{Language, Parameter, RenderError, Source, render};
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// How long a kernel may run.
const RUN_LIMIT: Duration = Duration::from_secs(20);

/// How long the compiler may take.
const COMPILE_LIMIT: Duration = Duration::from_secs(120);

/// Rounding after each operation, as the uops mean it: no contraction, no excess precision.
const FLAGS: [&str; 6] = ["-std=c11", "-O2", "-w", "-ffp-contract=off", "-fno-math-errno", "-o"];

/// What runs a kernel: `program NUMBER ARGUMENTS RESULTS`. Arguments are for each a word of 64 bits (0 input, 1 output, 2
/// variable), its size in bytes, and its contents.
const MAIN: &str = include_str!("main.c");

/// `gcc`, `clang`, or what `CC` says.
#[derive(Debug, Default)]
pub struct Cc {
    found: OnceLock<Result<Found, Missing>>,
}

fn compiler() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".to_owned())
}

impl Backend for Cc {
    fn name(&self) -> &'static str {
        "cc"
    }

    fn description(&self) -> &'static str {
        "compiles the kernel as C, runs it and compares what it writes with the reference"
    }

    fn language(&self) -> Language {
        Language::C
    }

    fn batch(&self) -> usize {
        32
    }

    fn find(&self) -> Result<Found, Missing> {
        let find = || {
            let compiler = compiler();
            let output = Command::new(&compiler).arg("--version").output();
            let version = output.ok().filter(|output| output.status.success()).and_then(|output| {
                String::from_utf8_lossy(&output.stdout).lines().next().map(|line| line.trim().to_owned())
            });
            version.map(|version| Found { version }).ok_or(Missing {
                what: format!("no C compiler `{compiler}`"),
                install: "install gcc or clang, or set CC",
            })
        };
        self.found.get_or_init(find).clone()
    }

    fn run(&self, jobs: &[Job<'_>]) -> Vec<Result<Vec<Vec<u8>>, BackendError>> {
        if let Err(missing) = self.find() {
            return jobs.iter().map(|_| Err(missing.clone().into())).collect();
        }
        let folder = match tempfile::tempdir() {
            Ok(folder) => folder,
            Err(error) => {
                let error = BackendError::Environment(format!("no temporary folder: {error}"));
                return jobs.iter().map(|_| Err(error.clone())).collect();
            }
        };
        run_batch(jobs, folder.path())
    }
}

fn run_batch(jobs: &[Job<'_>], folder: &Path) -> Vec<Result<Vec<Vec<u8>>, BackendError>> {
    let sources: Vec<Result<Source, BackendError>> =
        jobs.iter().enumerate().map(|(number, job)| source(job, number)).collect();
    let all: Vec<&Source> = sources.iter().filter_map(|source| source.as_ref().ok()).collect();
    let together = compile(&all, folder, "all");
    jobs.iter()
        .zip(&sources)
        .enumerate()
        .map(|(number, (job, source))| {
            let source = source.as_ref().map_err(BackendError::clone)?;
            let name = match &together {
                Ok(()) => "all".to_owned(),
                // One that is refused must not take the others with it.
                Err(_) => {
                    let name = format!("one_{number}");
                    compile(&[source], folder, &name).map_err(refused)?;
                    name
                }
            };
            execute(job, source, folder, &name)
        })
        .collect()
}

fn source(job: &Job<'_>, number: usize) -> Result<Source, BackendError> {
    render(job.lowered, Language::C, Some(&format!("kernel_{number}"))).map_err(|error| match error {
        RenderError::Unsupported { .. } => BackendError::Unsupported(error.to_string()),
        error => BackendError::Refused(error.to_string()),
    })
}

/// The first error that the compiler names.
fn refused(error: BackendError) -> BackendError {
    match error {
        BackendError::Crashed(said) => {
            let first = said.lines().find_map(|line| Some(line.split_once("error: ")?.1.trim().to_owned()));
            BackendError::Refused(first.unwrap_or(said))
        }
        error => error,
    }
}

/// Compiles kernels to the program `name`.
fn compile(sources: &[&Source], folder: &Path, name: &str) -> Result<(), BackendError> {
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, program(sources))
        .map_err(|error| BackendError::Environment(format!("can't write {}: {error}", file.display())))?;
    let mut command = Command::new(compiler());
    command.args(FLAGS).arg(folder.join(name)).arg(&file).arg("-lm");
    run(&mut command, folder, COMPILE_LIMIT).map(drop)
}

/// The text of a program of these kernels.
fn program(sources: &[&Source]) -> String {
    let mut declarations: Vec<&str> = Vec::new();
    for declaration in sources.iter().flat_map(|source| &source.declarations) {
        if !declarations.contains(&declaration.as_str()) {
            declarations.push(declaration);
        }
    }
    let mut text = declarations.concat();
    for source in sources {
        text.push_str(&source.function);
    }
    text.push_str("static void call(const char *name, void **p) {\n");
    for Source { entry, parameters, .. } in sources {
        let arguments: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(place, parameter)| match parameter {
                Parameter::Buffer { .. } => format!("p[{place}]"),
                Parameter::Variable { .. } => format!("*(int *)p[{place}]"),
            })
            .collect();
        // Writing to a string does not fail.
        let _ = writeln!(text, "  if (!__builtin_strcmp(name, \"{entry}\")) {entry}({});", arguments.join(", "));
    }
    text.push_str("}\n");
    text.push_str(MAIN);
    text
}

/// Runs one kernel of a program.
fn execute(job: &Job<'_>, source: &Source, folder: &Path, program: &str) -> Result<Vec<Vec<u8>>, BackendError> {
    let (arguments, results) = (folder.join("arguments"), folder.join("results"));
    let environment = |error: std::io::Error| BackendError::Environment(format!("{}: {error}", folder.display()));
    write_arguments(job.arguments, &arguments).map_err(environment)?;
    let mut command = Command::new(folder.join(program));
    command.arg(&source.entry).arg(&arguments).arg(&results);
    run(&mut command, folder, RUN_LIMIT)?;
    let mut rest = std::fs::read(&results).map_err(environment)?;
    let mut outputs = Vec::new();
    for argument in job.arguments {
        if let Argument::Buffer { bytes, output: true, .. } = argument {
            if rest.len() < bytes.len() {
                return Err(BackendError::Crashed("wrote fewer results than there are outputs".to_owned()));
            }
            let after = rest.split_off(bytes.len());
            outputs.push(std::mem::replace(&mut rest, after));
        }
    }
    Ok(outputs)
}

fn write_arguments(arguments: &[Argument], path: &Path) -> std::io::Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    for argument in arguments {
        let (kind, bytes): (u64, &[u8]) = match argument {
            Argument::Buffer { bytes, output, .. } => (u64::from(*output), bytes),
            Argument::Variable(value) => (2, &value.to_le_bytes()),
        };
        file.write_all(&kind.to_le_bytes())?;
        file.write_all(&(bytes.len() as u64).to_le_bytes())?;
        file.write_all(bytes)?;
    }
    file.flush()
}
