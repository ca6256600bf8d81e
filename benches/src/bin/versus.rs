//! Real Puppet and Bunraku side by side: `cargo run --release -p bunraku-benches --bin versus` runs the same programs
//! alternately in one warm process each, and whole processes one after the other, and prints the ratios;
//! `--write` puts the table into `benches/RESULTS.md`, `--rounds N` says how often each is run.

use bunraku_benches::cases::{self, Case};
use bunraku_benches::puppet::Puppet;
use bunraku_benches::results::{self, Figures};
use bunraku_runtime::job::{Job, Session};
use std::fmt::Write as _;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often each program is run on each side.
const ROUNDS: usize = 7;

type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rounds = args.iter().position(|arg| arg == "--rounds").and_then(|at| args.get(at + 1)?.parse().ok());
    let named: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    let named: Vec<&String> = named.into_iter().filter(|arg| arg.parse::<usize>().is_err()).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|part| name.contains(part.as_str()));
    match report(rounds.unwrap_or(ROUNDS), &wanted) {
        Ok(report) => {
            print!("{report}");
            if args.iter().any(|arg| arg == "--write")
                && let Err(error) = results::write("versus", &report)
            {
                eprintln!("versus: {error}");
                return ExitCode::FAILURE;
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("versus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn report(rounds: usize, wanted: &dyn Fn(&str) -> bool) -> Outcome<String> {
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let cases = cases::all(work.path())?;
    let mut puppet = Puppet::start()?;
    let session = Session::default();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "Warm, in one process each, run by turns ({rounds} rounds): from the node to the JSON an agent is sent. The \
         ratio is the median of the rounds' own, with the least and the greatest.\n\n| program | resources | Puppet \
         7.23 | Bunraku | ratio |\n| --- | ---: | ---: | ---: | ---: |"
    );
    for case in cases.iter().filter(|case| wanted(&case.name)) {
        let row = compare(&mut puppet, &session, case, rounds)
            .map_err(|error| format!("{}: {error}", case.name))?;
        let _ = writeln!(out, "{row}");
        eprintln!("{row}");
    }
    Ok(out)
}

/// Milliseconds of one warm compile of ours: of several, where one is too short for the clock.
fn ours(session: &Session, job: &Job, times: usize) -> Outcome<f64> {
    let started = Instant::now();
    for _ in 0..times {
        black_box(session.run(job).result.map_err(|diagnostic| diagnostic.message)?);
    }
    Ok(started.elapsed().as_secs_f64() * 1e3 / times as f64)
}

fn compare(puppet: &mut Puppet, session: &Session, case: &Case, rounds: usize) -> Outcome<String> {
    puppet.add(&case.name, &case.job)?;
    let job: Job = serde_json::from_value(case.job.clone()).map_err(|error| error.to_string())?;
    // The first of each reads the code.
    let resources = puppet.run(&case.name)?.resources;
    ours(session, &job, 1)?;
    let times = (20.0 / ours(session, &job, 1)?).clamp(1.0, 200.0) as usize;
    let (mut theirs, mut mine, mut ratios) = (Figures::new(), Figures::new(), Figures::new());
    for _ in 0..rounds {
        let (a, b) = (puppet.run(&case.name)?.milliseconds, ours(session, &job, times)?);
        theirs.push(a);
        mine.push(b);
        ratios.push(a / b);
    }
    Ok(format!(
        "| {} | {resources} | {} ms | {} ms | {:.0} ({:.0}–{:.0}) |",
        case.name,
        results::number(theirs.median()),
        results::number(mine.median()),
        ratios.median(),
        ratios.least(),
        ratios.greatest()
    ))
}
