//! Programs that trees are prepared with: `git`, and what is told of what they say.

use bunraku::process::{self, Errors, Limits};
use std::process::Command;

/// A command of `git`.
pub(super) fn git(arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    // Programs that a repository's configuration has run beside whatever git does.
    command.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
    command.args(arguments);
    command
}

/// What a command has printed, in one line; where it failed, what it said of that.
pub(super) fn said(mut command: Command, limits: Limits) -> Result<String, String> {
    let ended =
        process::run(&mut command, Errors::Joined, limits).map_err(|error| format!("git: {error}"))?;
    match ended.status.success() {
        true => Ok(String::from_utf8_lossy(&ended.output).trim_end().to_owned()),
        false => match last_lines(&ended.output) {
            text if text.is_empty() => Err("git does not know it".to_owned()),
            text => Err(text),
        },
    }
}

/// The end of what a program has said.
pub(super) fn last_lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
