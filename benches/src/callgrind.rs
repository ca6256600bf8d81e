//! Programs under `valgrind --tool=callgrind`, which counts what they run.

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether there is valgrind; where there is none, what is left out is said.
pub fn is_there(left_out: &str) -> bool {
    let there = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !there {
        println!("SKIPPED {left_out}, since there is no valgrind");
    }
    there
}

/// A command that runs a program, whose arguments are to be added, and writes the counts to a file.
pub fn of(program: &Path, counts: &Path, options: &[&str]) -> Command {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "-q"]).args(options);
    command.arg(format!("--callgrind-out-file={}", counts.display())).arg(program);
    command
}
