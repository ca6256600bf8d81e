//! Which requests are signed at once: all, none, those of a file's names, or those that a program takes. Source: Puppet Server
//! 7.9.5.

use crate::fault::Fault;
use bunraku::files::read;
use bunraku::process::{Errors, Limits, run_with};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Bytes of a file of names, at most.
const MAX_NAMES: u64 = 16 << 20;
/// What a program may use: it is asked once for each request that comes.
const LIMITS: Limits = Limits { bytes: 1 << 20, time: Duration::from_secs(60) };

/// The setting `autosign`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Autosign {
    /// `true`
    All,
    /// `false`
    None,
    /// A file: of names, or a program where it may be run.
    File(PathBuf),
}

/// What came of asking, with what is to be told of that: levels as Puppet has them, and words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether to sign.
    pub signs: bool,
    /// What is to be told.
    pub told: Vec<(&'static str, String)>,
}

impl Autosign {
    /// What a setting's text means.
    pub fn of(text: &str) -> Autosign {
        match text {
            "true" => Autosign::All,
            "false" | "" => Autosign::None,
            path => Autosign::File(PathBuf::from(path)),
        }
    }

    /// Whether the request of a name is signed at once. A program gets the name and, on stdin, the request.
    ///
    /// # Errors
    /// When a file can't be read, or a program not be run or not end in time: then nothing is signed.
    pub fn decide(&self, name: &str, request: &str) -> Result<Decision, Fault> {
        match self {
            Autosign::All => Ok(Decision { signs: true, told: Vec::new() }),
            Autosign::None => Ok(Decision::default()),
            Autosign::File(path) => match std::fs::metadata(path) {
                Err(_) => Ok(Decision::default()),
                Ok(found) if found.permissions().mode() & 0o111 != 0 => by_program(path, name, request),
                Ok(_) => {
                    let text = read::regular_text(path, MAX_NAMES).map_err(|error| {
                        Fault::Failed(format!("{} can't be read: {error}", path.display()))
                    })?;
                    Ok(by_names(path, &text, name))
                }
            },
        }
    }
}

fn by_program(path: &Path, name: &str, request: &str) -> Result<Decision, Fault> {
    let shown = path.display();
    let failed =
        |why: String| Fault::Failed(format!("Autosign command '{shown}' for '{name}' failed: {why}"));
    let input = || {
        let mut file = tempfile::tempfile()?;
        file.write_all(request.as_bytes())?;
        file.seek(SeekFrom::Start(0))?;
        Ok(Stdio::from(file))
    };
    let input = input().map_err(|error: std::io::Error| failed(error.to_string()))?;
    let begun = Instant::now();
    let ended = run_with(Command::new(path).arg(name), input, Errors::Joined, LIMITS);
    let ended = ended.map_err(|error| {
        let late = begun.elapsed() >= LIMITS.time;
        failed(if late {
            format!("it ran for more than {} seconds", LIMITS.time.as_secs())
        } else {
            error.to_string()
        })
    })?;
    let mut decision = Decision { signs: ended.status.success(), told: Vec::new() };
    let output = String::from_utf8_lossy(&ended.output);
    if !output.trim().is_empty() {
        decision
            .told
            .push(("debug", format!("Autosign command '{shown} {name}' output: {}", output.trim_end())));
    }
    if !decision.signs {
        let status = ended.status.code().map_or_else(|| ended.status.to_string(), |code| code.to_string());
        decision.told.push((
            "warning",
            format!(
                "Autosign command '{shown}' rejected certificate '{name}' because the exit code was {status}, not zero"
            ),
        ));
    }
    Ok(decision)
}

/// Each line is a name, `*`, or `*.` and a domain; empty ones and those that begin with `#` count nothing.
fn by_names(path: &Path, text: &str, name: &str) -> Decision {
    let mut decision = Decision::default();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        if line.contains(['#', ' ']) {
            let told = format!("Invalid pattern '{line}' found in {}", path.display());
            decision.told.push(("err", told));
            continue;
        }
        let fits = match line.strip_prefix('*') {
            Some("") => true,
            Some(_) => is_below(line, name),
            None => line == name,
        };
        if fits {
            decision.signs = true;
            break;
        }
    }
    decision
}

/// Whether a name lies in the domain behind a pattern's first dot, or is it.
fn is_below(pattern: &str, name: &str) -> bool {
    let parts = |name: &str| -> Vec<String> {
        name.trim_end_matches('.').to_lowercase().split('.').rev().map(str::to_owned).collect()
    };
    let (mut domain, name) = (parts(pattern), parts(name));
    domain.pop();
    name.starts_with(&domain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn signs(text: &str, name: &str) -> bool {
        by_names(Path::new("autosign.conf"), text, name).signs
    }

    #[test]
    fn names_and_domains_are_signed() {
        let text = "# nodes\n\nweb01.example.com\n*.Lab.example.com\n";
        for name in ["web01.example.com", "a.lab.example.com", "b.a.lab.example.com", "lab.example.com"] {
            assert!(signs(text, name), "{name}");
        }
        for name in ["web02.example.com", "a.lab.example.org", "xlab.example.com", "example.com"] {
            assert!(!signs(text, name), "{name}");
        }
        assert!(
            signs("*\n", "any") && !signs("#*\n", "any") && !signs("", "any") && !signs("web *\n", "web")
        );
        let told = by_names(Path::new("f"), "a b\n", "a").told;
        assert_eq!(told, [("err", "Invalid pattern 'a b' found in f".to_owned())]);
    }

    #[test]
    fn programs_decide_by_their_status() {
        let work = tempfile::tempdir().unwrap();
        let (program, seen) = (work.path().join("decide"), work.path().join("seen"));
        let script =
            format!("#!/bin/sh\ncat > {}\n[ \"$1\" = good ] || {{ echo no; exit 3; }}\n", seen.display());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let autosign = Autosign::File(program.clone());
        let request = "x".repeat(200_000);
        assert!(autosign.decide("good", &request).unwrap().signs);
        assert_eq!(fs::read_to_string(&seen).unwrap(), request);
        let refused = autosign.decide("bad", "r").unwrap();
        assert!(!refused.signs);
        assert!(
            refused.told[1].1.ends_with("rejected certificate 'bad' because the exit code was 3, not zero")
        );
        // Nothing is no consent.
        assert!(!Autosign::File(work.path().join("none")).decide("good", "r").unwrap().signs);
        assert_eq!(Autosign::of("true"), Autosign::All);
        assert_eq!(Autosign::of("false"), Autosign::None);
    }
}
