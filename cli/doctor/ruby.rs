//! Ruby: whether a process of it runs what is not run natively, and whether one can be shut in.

use super::finding::Finding;
use bunraku::{Compiler, Environment, Node, Settings};
use std::path::Path;
use std::process::{Command, Stdio};

const AREA: &str = "Ruby";

/// What follows where there is no Ruby.
const WITHOUT: &str = "functions and templates in Ruby that are not run natively fail; all others need none";

/// What a process of Ruby says of itself, through a template as modules have them.
const ASKS: &str = "inline_template('<%= RUBY_VERSION %>')";

/// Starts a process as a compile would, with all rights and without any.
pub fn look(program: &Path) -> Vec<Finding> {
    let shown = program.display();
    if let Err(error) = Command::new(program).arg("--version").stdin(Stdio::null()).output() {
        return vec![Finding::note(AREA, format!("{shown} does not run: {error}"), WITHOUT)];
    }
    let version = match version(&Compiler::new(), program) {
        Ok(version) => version,
        Err(message) => {
            return vec![Finding::note(AREA, format!("{shown} does not run: {message}"), WITHOUT)];
        }
    };
    let mut found = vec![Finding::fine(AREA, format!("{shown} {version} runs what is not run natively"))];
    found.push(match self::version(&Compiler::new().confined_to(Vec::new(), Vec::new()), program) {
        Ok(_) => Finding::fine(AREA, "it can be confined (Landlock and namespaces)"),
        Err(message) => {
            let consequence = "with --confine, Ruby that is not run natively is refused";
            Finding::note(AREA, format!("it can't be confined: {message}"), consequence)
        }
    });
    found
}

/// The version that a process of it says it has.
///
/// # Errors
/// Why there is no such process.
fn version(compiler: &Compiler, program: &Path) -> Result<String, String> {
    let mut settings = Settings { native_ruby: false, ..Settings::default() };
    settings.ruby.program = program.to_owned();
    let ran = compiler.evaluate(&Environment::of_code(ASKS), &Node::new("localhost"), &settings);
    let value = ran.result.map_err(|diagnostic| diagnostic.message)?;
    Ok(value.map(|value| value.text.trim_matches('\'').to_owned()).unwrap_or_default())
}
