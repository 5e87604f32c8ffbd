//! Z3 in processes of its own: a question that crashes it, hangs it or takes too much memory costs that question.
//!
//! Each question is asked of a new process, so that no answer depends on what was asked before.

use super::decide::{How, Verdict};
use super::question::Question;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use z3::{Params, SatResult, Solver};

/// Z3's resource limit for one question: unlike a time limit it is the same on every machine.
const RESOURCES: u32 = 1_000_000;

/// Megabytes that a process may use.
const MEMORY: &str = "2048";

/// A process that has not answered after so long is ended. The resource limit ends nearly all long before.
const PATIENCE: Duration = Duration::from_secs(60);

/// How Z3 is asked.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Workers {
    /// In this process: for tests and short runs.
    #[default]
    InProcess,
    /// In a process for each question: a program, and its arguments, that calls [`serve`].
    Processes(PathBuf, Vec<String>),
    /// Not at all.
    None,
}

impl Workers {
    /// What Z3 says of a question.
    pub(super) fn ask(&self, question: &Question) -> Verdict {
        let answer = match self {
            Workers::InProcess => Ok(solve(&question.smt())),
            Workers::Processes(program, arguments) => run(program, arguments, &question.smt()),
            Workers::None => return Verdict::Unknown("too many values to enumerate".to_owned()),
        };
        match answer.as_deref().map(|answer| read(answer, question.ranges.len())) {
            Ok(Some(Verdict::Refuted(values))) => {
                // A counterexample counts only once it was tried.
                match question.holds(&values, &mut Vec::new()) {
                    Some(false) => Verdict::Refuted(values),
                    _ => Verdict::Unknown("Z3's counterexample is none".to_owned()),
                }
            }
            Ok(Some(verdict)) => verdict,
            Ok(None) => Verdict::Unknown("Z3's process ended without an answer".to_owned()),
            Err(why) => Verdict::Unknown(format!("Z3's process: {why}")),
        }
    }
}

fn read(answer: &str, variables: usize) -> Option<Verdict> {
    let mut words = answer.split_whitespace();
    match words.next()? {
        "proved" => Some(Verdict::Proved(How::Solver)),
        "refuted" => {
            let values: Vec<i64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
            (values.len() == variables).then_some(Verdict::Refuted(values))
        }
        "unknown" => Some(Verdict::Unknown(format!("Z3: {}", words.collect::<Vec<_>>().join(" ")))),
        _ => None,
    }
}

fn run(program: &Path, arguments: &[String], text: &str) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".to_owned());
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut answer = String::new();
        let read = output.read_to_string(&mut answer).map(|_| answer);
        // Nobody listens any more where the process took too long.
        let _ = sender.send(read);
    });
    let written = input.write_all(text.as_bytes());
    drop(input);
    let answer = match written {
        Ok(()) => receiver.recv_timeout(PATIENCE),
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error.to_string());
        }
    };
    if answer.is_err() {
        let _ = child.kill();
    }
    let _ = child.wait();
    match answer {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer after {} s", PATIENCE.as_secs())),
    }
}

/// What a worker process does: reads a question, answers it, ends.
///
/// # Errors
/// Where the streams fail.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    z3::set_global_param("memory_max_size", MEMORY);
    let mut text = String::new();
    input.read_to_string(&mut text)?;
    writeln!(output, "{}", solve(&text))
}

fn solve(text: &str) -> String {
    let solver = Solver::new();
    let mut parameters = Params::new();
    parameters.set_u32("rlimit", RESOURCES);
    parameters.set_u32("random_seed", 1);
    solver.set_params(&parameters);
    if text.contains('\0') {
        return "unknown a malformed question".to_owned();
    }
    solver.from_string(text);
    match solver.check() {
        SatResult::Unsat => "proved".to_owned(),
        SatResult::Unknown => format!("unknown {}", solver.get_reason_unknown().unwrap_or_default()),
        SatResult::Sat => {
            let variables = text.matches("(declare-const v").count();
            let values: Option<Vec<String>> = solver.get_model().and_then(|model| {
                (0..variables)
                    .map(|place| {
                        let value = model.eval(&z3::ast::Int::new_const(format!("v{place}")), true)?.as_i64()?;
                        Some(value.to_string())
                    })
                    .collect()
            });
            match values {
                Some(values) => format!("refuted {}", values.join(" ")),
                None => "unknown refuted, but without values".to_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::question::Node;
    use super::*;

    /// Whether x // 4 == 0 for x from 0 to `high`.
    fn question(high: i64) -> Question {
        Question {
            ranges: vec![(0, high)],
            nodes: vec![Node::Variable(0), Node::Linear(0, vec![(0, 1)]), Node::Quotient(1, 4)],
            difference: 2,
            sides: [Some(Vec::new()), Some(Vec::new())],
        }
    }

    #[test]
    fn questions_are_answered() {
        assert_eq!(Workers::InProcess.ask(&question(3)), Verdict::Proved(How::Solver));
        assert!(matches!(Workers::InProcess.ask(&question(4)), Verdict::Refuted(values) if values == [4]));
    }

    #[test]
    fn a_worker_that_fails_costs_one_question() {
        for (program, arguments) in [("false", vec![]), ("no-such-program", vec![]), ("sh", vec!["-c", "kill -9 $$"])] {
            let arguments = arguments.into_iter().map(str::to_owned).collect();
            let workers = Workers::Processes(program.into(), arguments);
            assert!(matches!(workers.ask(&question(3)), Verdict::Unknown(_)), "{program}");
        }
    }
}
