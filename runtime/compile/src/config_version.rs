//! The version of a node's catalog: the time, or what the environment's `config_version` prints.
//! Source: Puppet 7.23.0, messages included.

use crate::compile::Compile;
use bunraku_process::Errors;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use std::process::Command;

/// What the shell would make something else of: a command without any is run as it is.
const OF_THE_SHELL: &[char] = &[
    '*', '?', '{', '}', '[', ']', '<', '>', '(', ')', '~', '&', '|', '\\', '$', ';', '\'', '`', '"', '\n',
    '#', '=', '%',
];

impl<'c> Compile<'c> {
    /// Runs the environment's command, if it has one, and keeps what it prints for the catalog. A confined compile runs no
    /// programs: its catalog has the time for its version, as without the command.
    ///
    /// # Errors
    /// Puppet's message where it fails.
    pub(crate) fn find_version(&self) -> Eval<'c, ()> {
        let Some(command) = &self.environment.config_version else { return Ok(()) };
        if self.options.settings.is_confined {
            return Ok(());
        }
        let output = self.run_version(command).map_err(|detail| {
            let message = format!("Execution of config_version command `{command}` failed: {detail}");
            Flow::formed(Diagnostic::error(message))
        })?;
        *self.version.borrow_mut() = Some(self.text(output.trim()));
        Ok(())
    }

    fn run_version(&self, command: &str) -> Result<String, String> {
        let mut program = if command.contains(OF_THE_SHELL) {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", command]);
            shell
        } else {
            let mut words = command.split_whitespace();
            let mut program = Command::new(words.next().unwrap_or_default());
            program.args(words);
            program
        };
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("LC_") || name == "LANGUAGE") {
                program.env_remove(name);
            }
        }
        program.env("LANG", "C").env("LC_ALL", "C");
        let ended = bunraku_process::run(&mut program, Errors::Joined, self.options.settings.exec);
        let ended = ended.map_err(|error| format!("Could not execute '{command}': {error}"))?;
        let text = String::from_utf8_lossy(&ended.output).into_owned();
        match ended.status.code() {
            Some(0) => Ok(text),
            Some(code) => Err(format!("Execution of '{command}' returned {code}: {}", text.trim())),
            None => Err(format!("Execution of '{command}' was ended by a signal")),
        }
    }
}
