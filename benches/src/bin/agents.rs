//! Agents by the dozen: requests of whole runs, replayed over TLS on this machine, and what they cost the server:
//! `cargo run --profile dist -p bunraku-benches --bin agents`. `--write` puts the report into `benches/RESULTS.md`; `--seconds N` says
//! how long each row takes; `--beside N` asks the installed Puppet Server (Debian: `puppetserver`) the same, after it has answered what
//! each machine asks for N times: some hundred, until it is warm.

use bunraku_benches::agents;
use bunraku_benches::results;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)?.parse::<u64>().ok())
    };
    let beside = number("--beside").and_then(|rounds| usize::try_from(rounds).ok());
    let time = Duration::from_secs(number("--seconds").unwrap_or(10));
    let done = agents::report(time, beside).and_then(|report| {
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
