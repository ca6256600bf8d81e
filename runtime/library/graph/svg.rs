//! DOT as SVG, by Graphviz's program `dot`: laying a graph out is its art.

use bunraku_process::{self as process, Errors, Limits};
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// The program.
const PROGRAM: &str = "dot";

/// Lays a graph out.
///
/// # Errors
/// When Graphviz is not installed, fails, or goes beyond the limits.
pub fn from_dot(dot: &str, limits: Limits) -> Result<String, String> {
    let ended = run(dot, limits).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("Drawing needs Graphviz, and its program '{PROGRAM}' is not installed; --format dot does without")
        }
        _ => format!("Graphviz's '{PROGRAM}' gave no picture: {error}; a part of the graph is drawn sooner"),
    })?;
    match (ended.status.success(), String::from_utf8(ended.output)) {
        (true, Ok(svg)) => Ok(svg),
        (true, Err(_)) => Err(format!("Graphviz's '{PROGRAM}' printed what is not UTF-8")),
        (false, _) => Err(format!("Graphviz's '{PROGRAM}' gave no picture: {}", ended.status)),
    }
}

fn run(dot: &str, limits: Limits) -> io::Result<process::Ended> {
    let (reader, mut writer) = io::pipe()?;
    std::thread::scope(|scope| {
        // What it does not read to its end is of no use to it: it says so itself.
        scope.spawn(move || {
            let _ = writer.write_all(dot.as_bytes());
        });
        let mut command = Command::new(PROGRAM);
        command.arg("-Tsvg");
        process::run_with(&mut command, Stdio::from(reader), Errors::Passed, limits)
    })
}
