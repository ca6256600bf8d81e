//! Real Puppet and Bunraku side by side, in one run: `cargo run --profile dist -p bunraku-benches --bin versus` compiles small
//! programs and the machines of the control repo by turns in one warm process each, and whole processes one after the
//! other, and prints the ratios; then what grows with what.
//!
//! `--write` puts the report into `benches/RESULTS.md`, or the sections that are named alone; `--rounds N` says how often each is
//! run; a word says which sections or programs: `programs`, `ruby`, `calls`, `machines`, `cold`, `sizes`, `threads`, `diff`, `fleet`,
//! `engines`, or a part of a program's name; `--machines N` says how many the fleet has.

use bunraku::threads::within;
use bunraku_benches::cases::{self, Case};
use bunraku_benches::puppet::Puppet;
use bunraku_benches::{calls, cold, diff, engines, fleet, results, scale, warm};
use bunraku_tests::used;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often each program is run on each side.
const ROUNDS: usize = 7;
const SECTIONS: [&str; 10] =
    ["programs", "ruby", "calls", "machines", "cold", "sizes", "threads", "diff", "fleet", "engines"];

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|first| first == "measure") {
        return used::measure(&args[1..]);
    }
    let (mut rounds, mut machines) = (ROUNDS, 0);
    for (name, count) in [("--rounds", &mut rounds), ("--machines", &mut machines)] {
        let Some(at) = args.iter().position(|arg| arg == name) else { continue };
        match args.get(at + 1).and_then(|count| count.parse().ok()) {
            Some(given) if given > 0 => *count = given,
            _ => return fail(&format!("{name} takes a number")),
        }
        args.drain(at..at + 2);
    }
    let write = args.iter().any(|arg| arg == "--write");
    args.retain(|arg| arg != "--write");
    if write && args.iter().any(|word| !SECTIONS.contains(&word.as_str())) {
        return fail("what is written is the whole report, or whole sections");
    }
    // As on a server, the thread that compiles has nobody to wake.
    let report = within(|| report((rounds, machines), &args)).map_err(|error| error.to_string());
    match report.flatten() {
        Ok(parts) => {
            let report = parts.join("\n");
            print!("{report}");
            let written = || match args.is_empty() {
                true => results::write("versus", &report),
                // The first says on what machine all of it was measured.
                false => parts[1..].iter().try_for_each(|part| results::write_part("versus", part)),
            };
            match write.then(written) {
                Some(Err(error)) => fail(&error),
                _ => ExitCode::SUCCESS,
            }
        }
        Err(error) => fail(&error),
    }
}

fn fail(error: &str) -> ExitCode {
    eprintln!("versus: {error}");
    ExitCode::FAILURE
}

fn report((rounds, machines): (usize, usize), wanted: &[String]) -> Result<Vec<String>, String> {
    let section = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let program = |case: &Case| {
        section("programs")
            || wanted
                .iter()
                .any(|word| !SECTIONS.contains(&word.as_str()) && case.name.contains(word.as_str()))
    };
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let work = work.path();
    let cases = cases::all(work)?;
    let cases: Vec<&Case> = cases.iter().filter(|case| program(case)).collect();
    let mut parts = vec![machine()];
    if !cases.is_empty() {
        parts.push(warm::programs("Programs, warm", &cases, work, &mut Puppet::start()?, rounds)?);
    }
    if ["ruby", "machines", "cold", "threads", "diff", "fleet", "engines"].iter().any(|name| section(name)) {
        bunraku_tests::corpus::fetch::fetch()
            .map_err(|error| format!("the control repo needs the corpus: {error}"))?;
    }
    if section("ruby") {
        let cases = cases::ruby_heavy()?;
        let cases: Vec<&Case> = cases.iter().collect();
        let title = "Classes of the corpus that call most Ruby in Puppet, warm";
        parts.push(warm::programs(title, &cases, work, &mut Puppet::start()?, rounds)?);
    }
    if section("calls") {
        parts.push(calls::report(work, &mut Puppet::start()?)?);
    }
    if section("machines") {
        parts.push(warm::nodes(work, &mut Puppet::start()?, rounds)?);
    }
    if section("cold") {
        parts.push(cold::report(work, rounds)?);
    }
    if section("sizes") {
        parts.push(scale::sizes(rounds)?);
    }
    if section("threads") {
        parts.push(scale::threads(work, rounds)?);
    }
    if section("diff") {
        parts.push(diff::diff(work, rounds)?);
    }
    if section("fleet") {
        let machines = if machines > 0 { machines } else { fleet::MACHINES };
        parts.push(fleet::fleet(work, rounds, machines)?);
    }
    if section("engines") {
        let machines = if machines > 0 { machines } else { engines::MACHINES };
        parts.push(engines::engines(work, rounds, machines)?);
    }
    Ok(parts)
}

/// On what this is measured, and how busy that was before.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|load| load.parse::<f64>().ok()).unwrap_or(f64::NAN);
    let busy =
        if load > 0.5 { ", busy with other work besides: the times are too long, on both sides" } else { "" };
    format!("{cores} cores; the load before was {load:.1}{busy}.\n")
}
