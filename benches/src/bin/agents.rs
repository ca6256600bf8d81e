//! Agents by the dozen: requests of whole runs, replayed over TLS on this machine, and what they cost the server:
//! `cargo run --release -p bunraku-benches --bin agents`. `--write` puts the report into `benches/RESULTS.md`; `--seconds N` says
//! how long each row takes.

use bunraku_benches::agents;
use bunraku_benches::results;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seconds =
        args.iter().position(|arg| arg == "--seconds").and_then(|at| args.get(at + 1)?.parse().ok());
    let done = agents::report(Duration::from_secs(seconds.unwrap_or(10))).and_then(|report| {
        print!("{report}");
        if args.iter().any(|arg| arg == "--write") { results::write("agents", &report) } else { Ok(()) }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("agents: {error}");
            ExitCode::FAILURE
        }
    }
}
