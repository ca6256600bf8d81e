//! What archives cost and spare, measured: `cargo run --profile dist -p bunraku-tests --bin archive_cost` builds the command
//! and prints the table of `benches/RESULTS.md`; with `--write` it puts it there.
//!
//! Each process is measured from outside, by a copy of this program that starts it and asks the system what it used.

use bunraku_compile::job::{Job, PathList, Session};
use bunraku_environment::archive;
use bunraku_tests::used::{Used, measure, used};
use bunraku_tests::{bunraku, oracle, paths};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// The small catalog: a class with one package.
const MODULE: &str = "rsync";
const CODE: &str = "include rsync";
/// Each figure is the best of so many.
const ROUNDS: usize = 15;

type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|first| first == "measure") {
        return measure(&args[1..]);
    }
    match report() {
        Ok(report) if args.iter().any(|arg| arg == "--write") => match write(&report) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error),
    }
}

fn fail(error: &str) -> ExitCode {
    eprintln!("archive_cost: {error}");
    ExitCode::FAILURE
}

/// A tree copied, links followed, so that a file of it may be changed.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            std::fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

/// Builds, and gives what `build --format json` says of it.
fn build(binary: &Path, tree: &Path, archive: &Path, more: &[&str]) -> Outcome<Value> {
    let mut command = Command::new(binary);
    command.args(["build", "--format", "json", "-o"]).arg(archive).arg(tree).args(more);
    let out = command.output().map_err(|error| error.to_string())?;
    serde_json::from_slice(&out.stdout).map_err(|_| String::from_utf8_lossy(&out.stderr).into_owned())
}

/// The build of least time, after `before` each.
fn best_build(
    binary: &Path,
    tree: &Path,
    archive: &Path,
    before: impl Fn(usize) -> Outcome<()>,
) -> Outcome<Value> {
    let mut best: Option<Value> = None;
    for round in 0..5 {
        before(round)?;
        let built = build(binary, tree, archive, &[])?;
        if best.as_ref().is_none_or(|best| built["seconds"].as_f64() < best["seconds"].as_f64()) {
            best = Some(built);
        }
    }
    best.ok_or_else(|| "nothing was built".to_owned())
}

/// Microseconds that opening takes, and bytes that opening and one frozen compile look at.
fn opening(archive: &Path) -> Outcome<(f64, usize, usize)> {
    let mut best = f64::MAX;
    for _ in 0..200 {
        let started = Instant::now();
        let opened = archive::open(archive)?;
        best = best.min(started.elapsed().as_secs_f64() * 1e6);
        drop(opened);
    }
    let opened = archive::open(archive)?;
    let at_first = opened.archive().touched();
    let session = Session::default();
    session.add_archive(opened.clone());
    let job = Job {
        code: Some(CODE.to_owned()),
        archive: Some(archive.to_path_buf()),
        frozen: true,
        modulepath: Some(PathList::List(vec![PathBuf::from("/modules")])),
        ..Job::default()
    };
    session.run(&job).result.map_err(|diagnostic| diagnostic.message)?;
    Ok((best, at_first, opened.archive().touched()))
}

fn report() -> Outcome<String> {
    if !paths::modules().is_dir() {
        return Err("the corpus is not there; `cargo run -p bunraku-tests -- fetch` gets it".to_owned());
    }
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let binary = bunraku::binary()?;
    let (tree, one) = (work.path().join("modules"), work.path().join("one"));
    copy(&paths::modules(), &tree).map_err(|error| error.to_string())?;
    copy(&paths::modules().join(MODULE), &one.join(MODULE)).map_err(|error| error.to_string())?;
    let (all, single) = (work.path().join("all.bnr"), work.path().join("one.bnr"));
    let remove = |path: &Path| _ = std::fs::remove_file(path);
    let cold = best_build(&binary, &tree, &all, |_| {
        remove(&all);
        Ok(())
    })?;
    let same = best_build(&binary, &tree, &all, |_| Ok(()))?;
    let init = tree.join(MODULE).join("manifests/init.pp");
    let source = std::fs::read_to_string(&init).map_err(|error| error.to_string())?;
    let changed = best_build(&binary, &tree, &all, |round| {
        std::fs::write(&init, format!("{source}# {round}\n")).map_err(|error| error.to_string())
    })?;
    std::fs::write(&init, &source).map_err(|error| error.to_string())?;
    build(&binary, &tree, &all, &[])?;
    build(&binary, &one, &single, &[])?;
    let embedded = build(&binary, &tree, &work.path().join("embedded.bnr"), &["--embed"])?;
    let building = used(3, &binary, &["build", "-o", text(&work.path().join("memory.bnr")), text(&tree)])?;

    let mut out = String::new();
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or_default();
    let mb = |value: &Value, key: &str| number(value, key) / 1e6;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let _ = writeln!(
        out,
        "Debian's modules: {} files, {:.1} MB; of these {} manifests and templates, {:.1} MB. {cores} cores, files in the page cache; the best of some runs.\n",
        cold["files"],
        mb(&cold, "bytes"),
        number(&cold, "compiled") + number(&cold, "unchanged"),
        mb(&cold, "code_bytes")
    );
    let _ = writeln!(
        out,
        "| build of all modules | time | compiled | MB/s of manifests and templates |\n| --- | ---: | ---: | ---: |"
    );
    for (name, built) in [("from nothing", &cold), ("one file changed", &changed), ("nothing changed", &same)]
    {
        let seconds = number(built, "seconds");
        let _ = writeln!(
            out,
            "| {name} | {:.0} ms | {} | {:.0} |",
            seconds * 1e3,
            built["compiled"],
            mb(built, "code_bytes") / seconds
        );
    }
    let _ = writeln!(
        out,
        "\nPeak memory of the build: {:.0} MiB. The archive has {:.1} MB, with `--embed` {:.1} MB.\n",
        building.mib,
        mb(&cold, "archive_bytes"),
        mb(&embedded, "archive_bytes")
    );

    let _ = writeln!(
        out,
        "| archive of | size | opening | bytes read by opening | … and by the catalog of `{CODE}` | page faults of that process |\n| --- | ---: | ---: | ---: | ---: | ---: |"
    );
    let facts = ["--node", "node1.example.com", "-e", CODE];
    for (name, archive) in [("all modules", &all), ("one module", &single)] {
        let size = std::fs::metadata(archive).map_err(|error| error.to_string())?.len();
        let (micros, first, touched) = opening(archive)?;
        let args = [&["compile", "--frozen", "--archive", text(archive)], &facts[..]].concat();
        let frozen = used(ROUNDS, &binary, &args)?;
        let _ = writeln!(
            out,
            "| {name} | {:.2} MB | {micros:.0} µs | {first} | {touched} | {} |",
            size as f64 / 1e6,
            frozen.faults
        );
    }

    let _ = writeln!(
        out,
        "\n| the catalog of `{CODE}`, whole process | time | peak memory | page faults |\n| --- | ---: | ---: | ---: |"
    );
    let modulepath = ["--modulepath", text(&tree)];
    let (all, manifest) = (text(&all), work.path().join("site.pp"));
    let from = |more: &[&'static str]| [&["compile"], &modulepath[..], &facts[..], more].concat();
    let archived = |more: &[&'static str]| [&from(more)[..], &["--archive", all]].concat();
    let mut row = |name: &str, used: Used| {
        let _ = writeln!(
            out,
            "| {name} | {:.1} ms | {:.1} MiB | {} |",
            used.seconds * 1e3,
            used.mib,
            used.faults
        );
    };
    row("from source", used(ROUNDS, &binary, &from(&[]))?);
    row("from the archive, sources compared", used(ROUNDS, &binary, &archived(&[]))?);
    row("from the archive, `--frozen`", used(ROUNDS, &binary, &archived(&["--frozen"]))?);
    if oracle::installed() {
        std::fs::write(&manifest, CODE).map_err(|error| error.to_string())?;
        let (conf, var) = (work.path().join("conf"), work.path().join("var"));
        let args = [
            "catalog",
            "compile",
            "node1.example.com",
            "--modulepath",
            text(&tree),
            "--manifest",
            text(&manifest),
            "--confdir",
            text(&conf),
            "--vardir",
            text(&var),
        ];
        row("`puppet catalog compile`, Puppet 7.23", used(3, Path::new("puppet"), &args)?);
    } else {
        out.push_str("| `puppet catalog compile` | not installed here | | |\n");
    }
    Ok(out)
}

const BEGIN: &str =
    "<!-- archives: made by `cargo run --profile dist -p bunraku-tests --bin archive_cost -- --write` -->\n";
const END: &str = "<!-- end of archives -->\n";

/// Puts the report into `benches/RESULTS.md`, in place of the one before.
fn write(report: &str) -> Outcome<()> {
    let path = paths::root().join("benches/RESULTS.md");
    let page = std::fs::read_to_string(&path).unwrap_or_else(|_| "# Measured\n".to_owned());
    let section = format!("{BEGIN}{report}{END}");
    let page = match (page.find(BEGIN), page.find(END)) {
        (Some(from), Some(to)) => format!("{}{section}{}", &page[..from], &page[to + END.len()..]),
        _ => format!("{page}\n## Archives\n\n{section}"),
    };
    std::fs::write(path, page).map_err(|error| error.to_string())
}
