//! Versions of an environment's code, as programs of the site tell them. Source: `versioned-code` of Puppet Server 7.9.5.

use bunraku::process::{self, Errors, Limits};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs of Puppet Server's `versioned-code`.
#[derive(Clone, Debug)]
pub struct Versions {
    /// Prints the version of an environment's code, whose name it is given.
    pub code_id: PathBuf,
    /// Prints what a file held: it is given the environment, the version, and the file's path below the environment.
    pub content: PathBuf,
}

impl Versions {
    /// The version of an environment's code, as it is now; none where the program prints nothing.
    ///
    /// # Errors
    /// When the program fails, or prints what is no version.
    pub fn of(&self, environment: &str) -> Result<Option<String>, String> {
        let printed = run(&self.code_id, &[environment])?;
        let text = String::from_utf8_lossy(&printed);
        match text.trim_end_matches(['\n', '\r']) {
            "" => Ok(None),
            id if is_code_id(id) => Ok(Some(id.to_owned())),
            other => Err(format!(
                "Invalid code-id '{other}'. Must contain only alpha-numerics and '-', '_', ';', or ':'"
            )),
        }
    }
}

/// Whether a text may be a version: letters, digits, `-`, `_`, `:` and `;`.
pub(crate) fn is_code_id(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b';'))
}

/// What a program prints that ends well.
///
/// # Errors
/// Puppet Server's message.
pub(crate) fn run(program: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let shown = program.display();
    let mut command = Command::new(program);
    let ended = process::run(command.args(arguments), Errors::Passed, Limits::default());
    let ended = ended.map_err(|error| {
        format!("Running script generated an error. Command executed: '{shown}', error generated: '{error}'")
    })?;
    match ended.status.code() {
        Some(0) => Ok(ended.output),
        code => Err(format!(
            "Non-zero exit code returned while running '{shown}'. exit-code: '{}'",
            code.map_or_else(|| ended.status.to_string(), |code| code.to_string()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::Versions;
    use std::path::PathBuf;

    #[test]
    fn a_version_is_what_the_program_prints() {
        let of = |program: &str| {
            let program = PathBuf::from(program);
            Versions { code_id: program.clone(), content: program }.of("production")
        };
        assert_eq!(of("/bin/echo"), Ok(Some("production".to_owned())));
        assert_eq!(of("/bin/true"), Ok(None));
        assert!(of("/bin/false").unwrap_err().ends_with("exit-code: '1'"));
        assert!(of("/nowhere").unwrap_err().starts_with("Running script generated an error."));
        let odd = Versions { code_id: "/bin/echo".into(), content: "/bin/echo".into() }.of("a b");
        assert!(odd.unwrap_err().starts_with("Invalid code-id 'a b'."));
    }
}
