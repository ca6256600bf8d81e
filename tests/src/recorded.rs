//! What real Puppet printed for calls of its command, in files below `tests/goldens`: each run holds Bunraku against them, whether Puppet is
//! there or not. `UPDATE=1` has Puppet 7 and 8 write them anew; whether they would write the same today is asked every night.
//!
//! A file has one part for each call:
//!
//! ```text
//! # 7 and 8: puppet parser validate
//! stdin:
//!     notice(1
//! status 1
//! stderr:
//!     Error: …
//! ```
//!
//! Where the two versions part, there is one part for each. A stream on which nothing was printed is left out.

use std::fmt::Write as _;
use std::fs;
use std::process::Output;

use crate::oracle::{self, Oracle};
use crate::paths;

/// A line of arguments, what it reads, and the versions that take it.
pub struct Call {
    /// The versions, in order.
    pub versions: &'static [u8],
    /// What stands behind `puppet`.
    pub line: String,
    /// What is on the standard input.
    pub input: String,
}

/// The text of a recording: each call by each of its versions, as `run` runs them and `plain` writes what was printed.
pub fn text(calls: &[Call], run: impl Fn(u8, &Call) -> Output, plain: impl Fn(&[u8]) -> String) -> String {
    let mut all = String::new();
    for call in calls {
        let mut parts: Vec<(String, String)> = Vec::new();
        for version in call.versions {
            let printed = printed(&run(*version, call), &plain);
            match parts.last_mut() {
                Some((versions, before)) if *before == printed => *versions += &format!(" and {version}"),
                _ => parts.push((version.to_string(), printed)),
            }
        }
        for (versions, printed) in parts {
            let _ = writeln!(all, "{}", format!("# {versions}: puppet {}", call.line).trim_end());
            stream(&mut all, "stdin", &call.input);
            let _ = writeln!(all, "{printed}");
        }
    }
    all
}

fn printed(output: &Output, plain: impl Fn(&[u8]) -> String) -> String {
    let mut text = match output.status.code() {
        Some(code) => format!("status {code}\n"),
        None => "killed\n".to_owned(),
    };
    stream(&mut text, "stdout", &plain(&output.stdout));
    stream(&mut text, "stderr", &plain(&output.stderr));
    text
}

/// Adds what is on a stream, indented.
fn stream(text: &mut String, name: &str, content: &str) {
    if content.is_empty() {
        return;
    }
    let end = if content.ends_with('\n') { "" } else { ", its last line without an end" };
    let _ = writeln!(text, "{name}{end}:");
    for line in content.split_terminator('\n') {
        let _ = writeln!(text, "{}{line}", if line.is_empty() { "" } else { "    " });
    }
}

/// The text of a recording as it is kept.
///
/// # Panics
/// When there is none.
pub fn kept(name: &str) -> String {
    let path = path(name);
    fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; UPDATE=1 writes it", path.display()))
}

fn path(name: &str) -> std::path::PathBuf {
    paths::root().join("tests/goldens").join(format!("{name}.txt"))
}

/// Whether `UPDATE` asks for a new recording.
///
/// # Panics
/// When it does, and one of the two versions is not here.
pub fn is_wanted() -> bool {
    let is_wanted = std::env::var_os("UPDATE").is_some();
    assert!(
        !is_wanted || oracle::seven_and_eight("a recording").len() == 2,
        "Puppet 7.23.0 and 8.10.0 write the recordings, and one of them is not here"
    );
    is_wanted
}

/// Keeps a recording.
///
/// # Panics
/// When it can't be written.
pub fn keep(name: &str, text: &str) {
    paths::write(&path(name), text);
}

/// Real Puppet's command of a version.
///
/// # Panics
/// When there is no such version.
pub fn puppet(version: u8) -> std::process::Command {
    Oracle::of(&version.to_string()).expect("there is one").command()
}

/// Where a text parts from the recording of this name, with the call that it belongs to; nothing when it does not.
pub fn difference(name: &str, found: &str) -> Option<String> {
    let kept = kept(name);
    if kept == found {
        return None;
    }
    let (kept, found): (Vec<&str>, Vec<&str>) = (kept.lines().collect(), found.lines().collect());
    let at = kept.iter().zip(&found).take_while(|(kept, found)| kept == found).count();
    let call = |lines: &[&str]| {
        lines[..lines.len().min(at + 1)]
            .iter()
            .rfind(|line| line.starts_with("# "))
            .copied()
            .map(str::to_owned)
    };
    let some = |lines: &[&str]| {
        lines.iter().skip(at).take(5).map(|line| format!("    {line}\n")).collect::<String>()
    };
    let call = call(&kept).unwrap_or_default();
    Some(format!(
        "tests/goldens/{name}.txt:{}: {call}\nrecorded:\n{}found:\n{}",
        at + 1,
        some(&kept),
        some(&found)
    ))
}
