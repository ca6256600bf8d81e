//! A guard against slowness that asks no clock: how many instructions five workloads take, from the start of the
//! process to its end, by `valgrind --tool=callgrind`, beside what is committed in `benches/instructions.tsv`, for two
//! builds of the command: as it is released, and with `dev` as the tests have built it. What made a compile slower
//! shows in both, and the second costs CI no build.
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
    // The command as it is released, unless the other is asked for.
    let profile = if given("dev") { "dev" } else { "dist" };
    match run(profile, given("--write"), given("calls")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Counts what a profile's build takes; whether all keep to their bounds.
fn run(profile: &str, write: bool, calls_only: bool) -> Result<bool, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = here.join("instructions.tsv");
    let bounds = std::fs::read_to_string(&file).unwrap_or_default();
    let binary = bunraku::built(profile)?;
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut counts = Vec::new();
    if calls_only {
        for (name, count) in one_call(&binary, work.path())? {
            counts.push((key(profile, &name), count));
        }
    } else {
        let cases = cases::all(work.path())?;
        for name in WORKLOADS {
            let case =
                cases.iter().find(|case| case.name == name).ok_or_else(|| format!("no case '{name}'"))?;
            let count = count(&binary, &case.job.to_string(), &work.path().join("callgrind"))?;
            counts.push((key(profile, name), count));
        }
    }
    let mut good = true;
    for (key, count) in &counts {
        good &= told(key, *count, &bounds, write);
    }
    if write {
        let kept = bounds.lines().filter(|line| !counts.iter().any(|(key, _)| bound(line, key).is_some()));
        let mut lines: String = kept.map(|line| format!("{line}\n")).collect();
        for (key, count) in &counts {
            let _ = writeln!(lines, "{key}\t{count}");
        }
        std::fs::write(&file, lines).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(good)
}

/// What a workload's bound stands under: a line is the profile, the workload's name and the count, between tabs.
fn key(profile: &str, name: &str) -> String {
    format!("{profile}\t{name}")
}

/// The bound that a line gives for a key.
fn bound(line: &str, key: &str) -> Option<u64> {
    line.strip_prefix(key)?.strip_prefix('\t')?.parse().ok()
}

/// Prints a count beside its bound; whether it keeps to that.
fn told(key: &str, count: u64, bounds: &str, write: bool) -> bool {
    let bound = bounds.lines().find_map(|line| bound(line, key));
    let word = match bound {
        _ if write => "written",
        None => "has no bound: run this with --write",
        Some(bound) if count * 100 > bound * (100 + ROOM) => "TOO MANY",
        Some(bound) if count * 100 < bound * (100 - ROOM) => "fewer than before: run this with --write",
        Some(_) => "fine",
    };
    let key = key.replace('\t', ", ");
    println!("{key}: {count} instructions, {} committed: {word}", bound.unwrap_or_default());
    write || word != "TOO MANY" && bound.is_some()
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
