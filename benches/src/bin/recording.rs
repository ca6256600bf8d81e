//! What it costs that compiles tell what they have read: instructions of a warm compile without JSON, with and without, by
//! `valgrind --tool=callgrind`, for each machine of the control repo. `cargo run --release -p bunraku-benches --bin recording`;
//! `--write` puts the table into `benches/RESULTS.md`. Where there is no valgrind it says so.

use bunraku::bench::Target;
use bunraku::threads::within;
use bunraku::{Compiler, Settings};
use bunraku_benches::results::{Figures, number, write_part};
use bunraku_benches::target::frozen;
use bunraku_tests::{control_repo, corpus};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// How many warm compiles are counted.
const COMPILES: usize = 10;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["compile", node, reads, count, work] => {
            within(|| compile(node, reads == "on", count, work)).map_err(|error| error.to_string()).flatten()
        }
        _ if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() => {
            println!("SKIPPED recording: there is no valgrind");
            Ok(())
        }
        [] => table().map(|table| print!("{table}")),
        ["--write"] => table().and_then(|table| write_part("versus", &table)),
        _ => Err("usage: recording [--write]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("recording: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles a machine so often, after a first time.
fn compile(node: &str, reads: bool, count: &str, work: &str) -> Result<(), String> {
    let count: usize = count.parse().map_err(|_| format!("{count} is no number"))?;
    let Target { environment, node, settings } =
        frozen(&control_repo::job(node), Path::new(work), "control-repo")?;
    let target = Target { environment, node, settings: Settings { reads, ..settings } };
    let compiler = Compiler::new().settled();
    for _ in 0..=count {
        let seen = compiler.see(&target, |catalog| catalog.len());
        seen.result.map_err(|error| error.message)?;
    }
    Ok(())
}

fn table() -> Result<String, String> {
    corpus::fetch::fetch()?;
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut out = String::from(
        "### Recording what is read\n\nInstructions of a warm compile without JSON.\n\n\
         | machine | without | with | more |\n| --- | ---: | ---: | ---: |\n",
    );
    let mut all = Figures::new();
    // The archive is built here, so that it is in nobody's count.
    instructions(control_repo::NODES[0], "off", 0, work.path())?;
    for node in control_repo::NODES {
        let [off, on] = ["off", "on"].map(|reads| warm(node, reads, work.path()));
        let (off, on) = (off?, on?);
        let more = (on / off - 1.0) * 100.0;
        all.push(more);
        let _ = writeln!(out, "| {node} | {} M | {} M | {more:.1} % |", number(off / 1e6), number(on / 1e6));
    }
    let _ = writeln!(out, "| the middle one | | | {:.1} % |", all.median());
    Ok(out)
}

/// Instructions of one warm compile.
fn warm(node: &str, reads: &str, work: &Path) -> Result<f64, String> {
    let first = instructions(node, reads, 0, work)?;
    Ok((instructions(node, reads, COMPILES, work)? - first) / COMPILES as f64)
}

fn instructions(node: &str, reads: &str, count: usize, work: &Path) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", work.join("out").display()));
    command.arg(own).args(["compile", node, reads, &count.to_string()]).arg(work);
    let output = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let counted = said.lines().find_map(|line| line.split("Collected :").nth(1)?.trim().parse().ok());
    counted.ok_or_else(|| format!("valgrind counts nothing: {said}"))
}
