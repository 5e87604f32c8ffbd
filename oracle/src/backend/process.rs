//! Child processes with a limit on time.

use super::BackendError;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// What a process said, shortened.
const MOST_OUTPUT: usize = 2000;

/// Runs a command to its end, its standard output and error to a file in `folder`; gives what it said.
///
/// # Errors
/// Where it can't be started, fails, crashes or takes longer than `limit`.
pub(super) fn run(command: &mut Command, folder: &Path, limit: Duration) -> Result<String, BackendError> {
    let environment = |error: std::io::Error| BackendError::Environment(format!("{}: {error}", folder.display()));
    let said = tempfile::NamedTempFile::new_in(folder).map_err(environment)?;
    let output = File::create(said.path()).map_err(environment)?;
    let errors = output.try_clone().map_err(environment)?;
    let mut child = command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn().map_err(|error| {
        BackendError::Environment(format!("can't start {}: {error}", command.get_program().display()))
    })?;
    let Some(status) = child.wait_timeout(limit).map_err(environment)? else {
        // It may have ended in between; either way it is gone afterwards.
        let _ = child.kill();
        let _ = child.wait();
        return Err(BackendError::TimedOut(limit.as_secs()));
    };
    let mut text = String::from_utf8_lossy(&std::fs::read(said.path()).map_err(environment)?).into_owned();
    if let Some((end, _)) = text.char_indices().nth(MOST_OUTPUT) {
        text.truncate(end);
        text.push('…');
    }
    if status.success() { Ok(text) } else { Err(BackendError::Crashed(format!("{status}: {}", text.trim()))) }
}
