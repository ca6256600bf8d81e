//! Trusted data of a node from outside: `trusted_external_command`, a program that is given the node's certname and prints
//! JSON, or a folder of such programs.
//! Source: Puppet 7.23.0, messages included.

use bunraku_process::{Errors, Limits};
use serde_json::{Map, Value as Json};
use std::path::Path;
use std::process::Command;

/// What the command prints of a node; of a folder, what each program in it prints, by the program's name without
/// extension.
///
/// # Errors
/// When a program fails, goes beyond its limits, or prints no JSON; when two of a folder have one name.
pub fn retrieve(command: &Path, certname: &str, limits: Limits) -> Result<Json, String> {
    if !command.is_dir() {
        return fetch(command, certname, limits);
    }
    let listed = std::fs::read_dir(command);
    let listed = listed.map_err(|error| format!("Could not read {}: {error}", command.display()))?;
    let mut programs: Vec<_> = listed.flatten().map(|entry| entry.path()).filter(|path| runs(path)).collect();
    programs.sort();
    let mut all = Map::new();
    for program in programs {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if all.contains_key(&name) {
            return Err(format!("There is more than one '{name}' script in {}", command.display()));
        }
        all.insert(name, fetch(&program, certname, limits)?);
    }
    Ok(Json::Object(all))
}

fn runs(path: &Path) -> bool {
    #[cfg(unix)]
    let may_run = rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    #[cfg(not(unix))]
    let may_run = true;
    path.is_file() && may_run
}

fn fetch(program: &Path, certname: &str, limits: Limits) -> Result<Json, String> {
    let shown = format!("{} {certname}", program.display());
    let ended = bunraku_process::run(Command::new(program).arg(certname), Errors::Passed, limits)
        .map_err(|error| format!("Could not execute '{shown}': {error}"))?;
    let text = String::from_utf8_lossy(&ended.output);
    if !ended.status.success() {
        let status = ended.status.code().map_or_else(|| "a signal".to_owned(), |code| code.to_string());
        return Err(format!("Execution of '{shown}' returned {status}: {text}"));
    }
    serde_json::from_str(&text).map_err(|error| format!("Could not parse what '{shown}' printed: {error}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use serde_json::json;

    /// Written by another process: what a thread of this one starts meanwhile would inherit the open file, and the kernel runs no
    /// file that is open for writing.
    fn program(folder: &Path, name: &str, code: &str, mode: u32) {
        let text = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&text, format!("#!/bin/sh\n{code}\n")).unwrap();
        let mode = format!("--mode={mode:o}");
        let status = Command::new("install").arg(mode).arg(text.path()).arg(folder.join(name)).status();
        assert!(status.unwrap().success());
    }

    #[test]
    fn a_folder_gives_what_each_of_its_programs_gives() {
        let work = tempfile::tempdir().unwrap();
        program(work.path(), "one.sh", "echo \"{\\\"name\\\": \\\"$1\\\"}\"", 0o755);
        program(work.path(), "two", "echo 2", 0o755);
        program(work.path(), "three", "echo 3", 0o644);
        let found = retrieve(work.path(), "a.b", Limits::default());
        assert_eq!(found, Ok(json!({"one": {"name": "a.b"}, "two": 2})));
        assert_eq!(retrieve(&work.path().join("two"), "a.b", Limits::default()), Ok(json!(2)));
        program(work.path(), "two.sh", "echo 2", 0o755);
        let error = retrieve(work.path(), "a.b", Limits::default()).unwrap_err();
        assert!(error.starts_with("There is more than one 'two' script in "), "{error}");
    }

    #[test]
    fn what_fails_is_said() {
        let work = tempfile::tempdir().unwrap();
        program(work.path(), "bad", "echo no; exit 4", 0o755);
        program(work.path(), "text", "echo '{['", 0o755);
        let error = |name: &str| retrieve(&work.path().join(name), "a", Limits::default()).unwrap_err();
        let path = work.path().display();
        assert_eq!(error("bad"), format!("Execution of '{path}/bad a' returned 4: no\n"));
        assert!(error("text").starts_with(&format!("Could not parse what '{path}/text a' printed: ")));
    }
}
