//! A guard against slowness that asks no clock: how many instructions five workloads take, from the start of the
//! process to its end, by `valgrind --tool=callgrind`, beside what is committed in `benches/instructions.tsv`.
//! `cargo run -p bunraku-benches --bin instructions` fails where one takes more; `--write` sets the bounds
//! anew; `calls` counts what one call of some functions in Ruby takes, in their place. Where there is no valgrind it
//! says so.

use bunraku_benches::{callgrind, calls, cases};
use bunraku_tests::bunraku;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{ExitCode, Stdio};

/// Names of the cases, among those of `versus`.
const WORKLOADS: [&str; 5] = [
    "fib(22)",
    "map with interpolation over 100,000",
    "5,000 files by each",
    "3,000 look-ups through five levels",
    "the fixture's web01.example.com",
];
/// How often a function in Ruby is called for the count of one call.
const CALLS: usize = 2_000;
/// What other processors and versions of the toolchain may add, in percent of the committed count.
const ROOM: u64 = 10;

fn main() -> ExitCode {
    if !callgrind::is_there(&format!("instructions: {} workloads", WORKLOADS.len())) {
        return ExitCode::SUCCESS;
    }
    let given = |word: &str| std::env::args().any(|arg| arg == word);
    match run(given("--write"), given("calls")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Counts; whether all keep to their bounds.
fn run(write: bool, calls_only: bool) -> Result<bool, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = here.join("instructions.tsv");
    let bounds = std::fs::read_to_string(&file).unwrap_or_default();
    // The command as it is released.
    let binary = bunraku::built("dist")?;
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut counts = Vec::new();
    if calls_only {
        for (name, count) in one_call(&binary, work.path())? {
            let told = told(&name, count, &bounds, write);
            counts.push((name, told));
        }
    } else {
        let cases = cases::all(work.path())?;
        for name in WORKLOADS {
            let case =
                cases.iter().find(|case| case.name == name).ok_or_else(|| format!("no case '{name}'"))?;
            let count = count(&binary, &case.job.to_string(), &work.path().join("callgrind"))?;
            counts.push((name.to_owned(), told(name, count, &bounds, write)));
        }
    }
    if write {
        let kept = bounds
            .lines()
            .filter(|line| !counts.iter().any(|(name, _)| line.split('\t').next() == Some(name)));
        let mut lines: String = kept.map(|line| format!("{line}\n")).collect();
        for (name, (count, _)) in &counts {
            let _ = writeln!(lines, "{name}\t{count}");
        }
        std::fs::write(&file, lines).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(counts.iter().all(|(_, (_, good))| *good))
}

/// Prints a count beside its bound; the count, and whether it keeps to that.
fn told(name: &str, count: u64, bounds: &str, write: bool) -> (u64, bool) {
    let bound = bounds.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    let word = match bound {
        _ if write => "written",
        None => "has no bound: run this with --write",
        Some(bound) if count * 100 > bound * (100 + ROOM) => "TOO MANY",
        Some(bound) if count * 100 < bound * (100 - ROOM) => "fewer than before: run this with --write",
        Some(_) => "fine",
    };
    println!("{name}: {count} instructions, {} committed: {word}", bound.unwrap_or_default());
    (count, write || word != "TOO MANY" && bound.is_some())
}

/// Instructions of one call of each of the functions in Ruby: a loop with it, less the same loop without.
fn one_call(binary: &Path, work: &Path) -> Result<Vec<(String, u64)>, String> {
    let modules = work.join("calls-modules");
    calls::module(&modules).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for kind in calls::KINDS {
        let counted =
            |calls| count(binary, &kind.job(&modules, CALLS, calls).to_string(), &work.join("callgrind"));
        let one = counted(true)?.saturating_sub(counted(false)?) / CALLS as u64;
        all.push((format!("one call: {}", kind.name), one));
    }
    Ok(all)
}

/// Instructions of a process that runs one job.
fn count(binary: &Path, job: &str, out: &Path) -> Result<u64, String> {
    let mut child = callgrind::of(binary, out, &[])
        .arg("batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut input) = child.stdin.take() {
        writeln!(input, "{job}").map_err(|error| error.to_string())?;
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.stdout.windows(9).any(|part| part == b"\"ok\":true") {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        return Err(format!("the job failed: {out}{err}"));
    }
    let counted = std::fs::read_to_string(out).map_err(|error| error.to_string())?;
    // A line for each part; the process has one.
    let total = counted.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    total.ok_or_else(|| "callgrind counted nothing".to_owned())
}
