//! Programs that a test runs beside what it tests, and ports for those that serve.

use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

/// Runs a program to its end.
///
/// # Errors
/// When it does not start, or fails: with what it says.
pub fn ok(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Whether a program is there, once Debian's package with it is installed, where it was not and can be.
pub fn is_installed(program: &str, package: &str) -> bool {
    let is_there = || Command::new(program).arg("--version").output().is_ok();
    is_there() || {
        // Without apt, or rights, it is as it was.
        let _ = Command::new("apt-get")
            .args(["install", "-qq", "-y", "--no-install-recommends", package])
            .output();
        is_there()
    }
}

/// Tries until it works.
///
/// # Errors
/// The last one, where it never does within the limit.
pub fn retry(limit: Duration, mut attempt: impl FnMut() -> Result<(), String>) -> Result<(), String> {
    let begin = Instant::now();
    loop {
        match attempt() {
            Err(_) if begin.elapsed() < limit => std::thread::sleep(Duration::from_millis(250)),
            result => return result,
        }
    }
}

/// A port nobody listens on.
///
/// # Errors
/// When there is none.
pub fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    listener.local_addr().map(|address| address.port()).map_err(|error| error.to_string())
}
