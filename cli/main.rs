//! The `bunraku` command.
use std::io::{BufRead, Write};
fn main() {
    let session = bunraku_runtime::job::Session::default();
    let stdin = std::io::stdin();
    let mut out = std::io::stdout();
    for line in stdin.lock().lines() {
        let Ok(line) = line else { break };
        let _ = writeln!(out, "{}", session.answer(&line));
        let _ = out.flush();
    }
}
