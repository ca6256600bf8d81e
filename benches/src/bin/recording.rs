//! What it costs that compiles tell what they have read (without JSON), which code has run, and where all in the catalog comes from:
//! instructions of a warm compile, with and without, by `valgrind --tool=callgrind`, for each machine of the control repo. `cargo run --profile dist -p bunraku-benches --bin recording`;
//! `--write` puts the tables into `benches/RESULTS.md`. Where there is no valgrind it says so.

use bunraku::bench::Target;
use bunraku::coverage::Watches;
use bunraku::origins::About;
use bunraku::threads::within;
use bunraku::{Compiler, Counts, Settings};
use bunraku_benches::results::{Figures, number, write_part};
use bunraku_benches::target::frozen;
use bunraku_tests::{control_repo, corpus};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// How many warm compiles are counted.
const COMPILES: usize = 10;
/// How many are where each takes ten times as long.
const FEW_COMPILES: usize = 2;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["compile", node, how, count, work] => {
            within(|| compile(node, how, count, work)).map_err(|error| error.to_string()).flatten()
        }
        _ if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() => {
            println!("SKIPPED recording: there is no valgrind");
            Ok(())
        }
        [] => tables().map(|tables| print!("{}", tables.join("\n"))),
        ["--write"] => {
            tables().and_then(|tables| tables.iter().try_for_each(|table| write_part("versus", table)))
        }
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
fn compile(node: &str, how: &str, count: &str, work: &str) -> Result<(), String> {
    let count: usize = count.parse().map_err(|_| format!("{count} is no number"))?;
    let Target { environment, node, settings } =
        frozen(&control_repo::job(node), Path::new(work), "control-repo")?;
    let counts = if how == "profile" { Counts::Stacks } else { settings.counts };
    let target =
        Target { environment, node, settings: Settings { reads: how == "reads", counts, ..settings } };
    let compiler = Compiler::new().with_fixed_environments();
    let about = match how {
        "why" => about(&compiler, &target)?,
        _ => About::All,
    };
    for _ in 0..=count {
        let done = match how {
            "plain" => compiler.trial(&target).result.map(|_| ()),
            "coverage" => compiler.covered(&target, Watches::default()).0.result.map(|_| ()),
            "origins" | "why" => compiler.origins_about(&target, about.clone()).result.map(|_| ()),
            _ => compiler.see(&target, |catalog| catalog.len()).result.map(|_| ()),
        };
        done.map_err(|error| error.message)?;
    }
    Ok(())
}

/// The question that is asked of a machine: why the file in the middle of its files is there, and what set its parameters.
fn about(compiler: &Compiler, target: &Target) -> Result<About, String> {
    let told = compiler.origins(target).result.map_err(|error| error.message)?;
    let names = (0..told.count()).map(|number| told.reference(number));
    let files: Vec<&str> = names.filter(|name| name.starts_with("File[")).collect();
    let middle = files.get(files.len() / 2).ok_or("the machine has no file")?;
    Ok(About::Resource((*middle).to_owned(), None))
}

/// What is measured: a heading, what is said below it, how it is asked for without and with, and the number of compiles.
const PARTS: [(&str, &str, [&str; 2], usize); 5] = [
    ("Recording what is read", "Instructions of a warm compile without JSON.", ["off", "reads"], COMPILES),
    (
        "Noting which code has run",
        "Instructions of a warm compile; `coverage`, `why-not`.",
        ["plain", "coverage"],
        COMPILES,
    ),
    (
        "Counting by what led there",
        "Instructions of a warm compile without JSON; `profile`, which reads the clock at the begin and end of each class, function and template.",
        ["off", "profile"],
        COMPILES,
    ),
    (
        "Telling where a resource comes from",
        "Instructions of a warm compile; `why` of a file in the middle of the machine's files, with all its parameters.",
        ["plain", "why"],
        COMPILES,
    ),
    (
        "Telling where everything comes from",
        "Instructions of a warm compile; the library's `origins`: all layers of Hiera are asked again, sources are read again.",
        ["plain", "origins"],
        FEW_COMPILES,
    ),
];

fn tables() -> Result<Vec<String>, String> {
    corpus::fetch::fetch()?;
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    // The archive is built here, so that it is in nobody's count.
    instructions(control_repo::NODES[0], "off", 0, work.path())?;
    PARTS.iter().map(|part| part_of(*part, work.path())).collect()
}

fn part_of(
    (heading, said, ways, compiles): (&str, &str, [&str; 2], usize),
    work: &Path,
) -> Result<String, String> {
    let mut out = format!(
        "### {heading}\n\n{said}\n\n| machine | without | with | more |\n| --- | ---: | ---: | ---: |\n"
    );
    let mut all = Figures::new();
    for node in control_repo::NODES {
        let [off, on] = ways.map(|how| warm((node, how, compiles), work));
        let (off, on) = (off?, on?);
        let more = (on / off - 1.0) * 100.0;
        all.push(more);
        let _ = writeln!(out, "| {node} | {} M | {} M | {more:.1} % |", number(off / 1e6), number(on / 1e6));
    }
    let _ = writeln!(out, "| the middle one | | | {:.1} % |", all.median());
    Ok(out)
}

/// Instructions of one warm compile, the mean of so many.
fn warm((node, how, compiles): (&str, &str, usize), work: &Path) -> Result<f64, String> {
    let first = instructions(node, how, 0, work)?;
    Ok((instructions(node, how, compiles, work)? - first) / compiles as f64)
}

fn instructions(node: &str, how: &str, count: usize, work: &Path) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", work.join("out").display()));
    command.arg(own).args(["compile", node, how, &count.to_string()]).arg(work);
    let output = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let counted = said.lines().find_map(|line| line.split("Collected :").nth(1)?.trim().parse().ok());
    counted.ok_or_else(|| format!("valgrind counts nothing: {said}"))
}
