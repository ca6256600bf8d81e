//! The pages of the book as programs: each block of a console is run, in the order of its page, in a folder of the page's own,
//! and what the page shows of the output is held against what came out.
//!
//! A line that begins with `$ ` is a command, `> ` goes on with it; all else is what it prints, on both streams. In an expected
//! line `…` stands for any text, alone on a line for any lines: what differs from machine to machine. Commands in a comment
//! that begins with `<!-- before` are run, too, without being shown: what a reader has already.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command of a page, with what it is to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The line of the page that it begins in, from 1.
    pub line: usize,
    /// The command, with line feeds where it goes on.
    pub command: String,
    /// What the page shows below it; none where nothing is shown on purpose.
    pub expected: Option<String>,
}

/// What divides the outputs of steps; no program prints it.
const MARK: &str = "\u{1}--step--";

/// The steps of a page.
pub fn steps(page: &str) -> Vec<Step> {
    let mut found: Vec<Step> = Vec::new();
    let mut within = Within::Prose;
    for (number, line) in page.lines().enumerate() {
        let step = |command: &str, expected| Step { line: number + 1, command: command.to_owned(), expected };
        match within {
            Within::Prose if line.trim() == "```console" => within = Within::Console,
            Within::Prose if line.starts_with("<!-- before") => {
                found.push(step("", None));
                within = Within::Comment;
            }
            Within::Console if line.starts_with("```") => within = Within::Prose,
            Within::Comment if line.trim() == "-->" => within = Within::Prose,
            Within::Prose => {}
            Within::Comment => {
                found.iter_mut().last().into_iter().for_each(|last| add(&mut last.command, line))
            }
            Within::Console => match (line.strip_prefix("$ "), line.strip_prefix("> "), found.last_mut()) {
                (Some(command), _, _) => found.push(step(command, Some(String::new()))),
                (None, Some(more), Some(last)) if last.expected.as_deref() == Some("") => {
                    last.command = format!("{}\n{more}", last.command);
                }
                (None, _, Some(last)) => {
                    let mut shown = last.expected.take().unwrap_or_default();
                    add(&mut shown, line);
                    last.expected = Some(shown);
                }
                (None, _, None) => {}
            },
        }
    }
    for step in &mut found {
        // A blank line between commands is for the eye.
        step.expected = step.expected.take().map(|text| text.trim_end().to_owned());
    }
    found
}

enum Within {
    Prose,
    Console,
    Comment,
}

fn add(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// The program of steps for bash: it prints, on stdout, what each step prints, and a mark behind it.
pub fn script(steps: &[Step]) -> String {
    let mut script =
        format!("exec 2>&1\ndone_with() {{ set -- $?; printf '\\n%s\\n' '{MARK}'; return $1; }}\n");
    for step in steps {
        script.push_str(&format!("{}\ndone_with\n", step.command.trim_end()));
    }
    script
}

/// What each step has printed, without blank ends, from what the script of so many has.
///
/// # Errors
/// When it ended before the last step.
pub fn outputs(printed: &str, steps: usize) -> Result<Vec<String>, String> {
    let mut outputs: Vec<String> = printed.split(MARK).map(|output| output.trim().to_owned()).collect();
    let rest = outputs.pop().unwrap_or_default();
    match outputs.len() == steps && rest.is_empty() {
        true => Ok(outputs),
        false => Err(format!("the shell ended early: {printed}")),
    }
}

/// Runs steps one after the other in one shell, in a folder; what each has printed.
///
/// # Panics
/// When no shell can be run, or it ends before the last step.
pub fn run(steps: &[Step], folder: &Path, binaries: &Path) -> Vec<String> {
    let script = script(steps);
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("bash");
    shell.current_dir(folder).env("PATH", format!("{}:{path}", binaries.display()));
    shell
        .env("HOME", folder)
        .env("BUNRAKU_NO_CONFIG", "1")
        .env("LC_ALL", "C.UTF-8")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = shell.spawn().expect("a shell starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().expect("the shell ends");
    writer.join().expect("the script is written").expect("the shell reads it");
    outputs(&String::from_utf8_lossy(&output.stdout), steps.len())
        .unwrap_or_else(|message| panic!("{message}"))
}

/// The steps that have not printed what their page shows, each with its line and what it printed.
pub fn misfits(steps: &[Step], outputs: &[String]) -> Vec<String> {
    let misfit = |(step, output): (&Step, &String)| {
        let expected = step.expected.as_ref()?;
        let told = || format!("line {}: {}\n{output}\n", step.line, step.command);
        (!fits(expected, output)).then(told)
    };
    steps.iter().zip(outputs).filter_map(misfit).collect()
}

/// Whether an output is what is expected, `…` standing for anything.
pub fn fits(expected: &str, found: &str) -> bool {
    let expected: Vec<&str> = expected.lines().collect();
    let found: Vec<&str> = found.lines().collect();
    lines_fit(&expected, &found)
}

fn lines_fit(expected: &[&str], found: &[&str]) -> bool {
    match (expected, found) {
        ([], []) => true,
        (["…", rest @ ..], _) => (0..=found.len()).any(|skipped| lines_fit(rest, &found[skipped..])),
        ([first, rest @ ..], [line, others @ ..]) => line_fits(first, line) && lines_fit(rest, others),
        _ => false,
    }
}

fn line_fits(expected: &str, found: &str) -> bool {
    let mut parts = expected.trim_end().split('…');
    let Some(mut rest) = parts.next().and_then(|first| found.trim_end().strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The page with what its steps have printed in the place of what it shows, where that does not fit.
pub fn with_outputs(page: &str, steps: &[Step], outputs: &[String]) -> String {
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    for (step, output) in steps.iter().zip(outputs).rev() {
        let Some(expected) = step.expected.as_ref().filter(|expected| !fits(expected, output)) else {
            continue;
        };
        let first = step.line - 1 + step.command.lines().count();
        let old = expected.lines().count();
        lines.splice(first..first + old, output.lines().map(str::to_owned));
    }
    lines.join("\n") + "\n"
}

/// The pages that are part of the book, by the links of its summary, sorted; and README.md.
///
/// # Panics
/// When the summary can't be read.
pub fn pages(root: &Path) -> Vec<String> {
    let summary = fs::read_to_string(root.join("docs/SUMMARY.md")).expect("the summary can be read");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    let mut pages: Vec<String> = links.map(|link| format!("docs/{link}")).collect();
    pages.push("README.md".to_owned());
    pages.sort();
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# A\n\n<!-- before\nmkdir x\n-->\n\n```console\n$ cat <<'END'\n> a\n> END\na\n\n$ true\n```\n";

    #[test]
    fn steps_are_commands_with_what_is_shown_below() {
        let wanted = [
            Step { line: 3, command: "mkdir x\n".into(), expected: None },
            Step { line: 8, command: "cat <<'END'\na\nEND".into(), expected: Some("a".into()) },
            Step { line: 13, command: "true".into(), expected: Some(String::new()) },
        ];
        assert_eq!(steps(PAGE), wanted);
    }

    #[test]
    fn dots_stand_for_anything_else_for_itself() {
        assert!(fits("a … c\n…\nd", "a b c\nx\ny\nd"));
        assert!(fits("…\nd", "d"));
        assert!(!fits("a … c", "a b"));
        assert!(!fits("a", "a\nb"));
        assert!(!fits("ab", "a"));
    }

    #[test]
    fn what_does_not_fit_is_replaced() {
        let steps = steps(PAGE);
        let outputs = ["".to_owned(), "b\nc".to_owned(), String::new()];
        assert_eq!(with_outputs(PAGE, &steps, &outputs), PAGE.replace("END\na\n", "END\nb\nc\n"));
    }
}
