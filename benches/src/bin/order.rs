//! Which functions lie first in the released program: those that a compile runs. `cargo run -p bunraku-benches --bin order` compiles the
//! machines of the control repo under `valgrind --tool=callgrind`, from an archive and from source, and fails where more than a fifth
//! of the functions that run are not named in `packaging/order.ld`; `--write` writes that script for the linker anew.
//!
//! Programs may be named, in which names of functions are left; else it is that of `--profile dist`, built now. The script is written of
//! the released one, as `packaging/binary` leaves it where it builds, and that of `--profile dist`, in which other functions are inlined.
//!
//! Functions lie in a program in the order of their crates, and a compile runs a sixth of them, all over it. The kernel brings in
//! sixteen pages around each one that is touched: nearly the whole program. Side by side, what runs is a third of that.

use bunraku_benches::{callgrind, cold};
use bunraku_tests::{bunraku, control_repo};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

/// How many percent of the functions that run have to be in the list.
const LISTED: usize = 80;

fn main() -> ExitCode {
    if !callgrind::is_there("order") {
        return ExitCode::SUCCESS;
    }
    let (options, programs): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|arg| arg == "--write");
    match run(!options.is_empty(), programs.into_iter().map(PathBuf::from).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("order: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Finds out what runs, and writes the list or holds it against that one; whether it is good enough.
fn run(write: bool, mut programs: Vec<PathBuf>) -> Result<bool, String> {
    let file = script_path();
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    if programs.is_empty() {
        programs.push(bunraku::built("dist")?);
    }
    let ran = ran(&programs, work.path())?;
    if write {
        std::fs::write(&file, script(&ran)).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{}: {} functions", file.display(), ran.len());
        return Ok(true);
    }
    let listed = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let listed: BTreeSet<&str> = listed.lines().filter_map(name_in_script).collect();
    let known = ran.keys().filter(|name| listed.contains(name.as_str())).count();
    let good = known * 100 >= ran.len() * LISTED;
    let word = if good { "fine" } else { "TOO FEW: run this with --write" };
    println!("{known} of the {} functions that run are in the list: {word}", ran.len());
    Ok(good)
}

fn script_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/order.ld")
}

/// In how many of a program's compiles something runs: from an archive, and from source.
type Runs = [usize; 2];

/// The functions that the machines' compiles run, as patterns of their names, each with its runs in each of the programs.
fn ran(programs: &[PathBuf], work: &Path) -> Result<BTreeMap<String, Vec<Runs>>, String> {
    let mut all = BTreeMap::new();
    for (place, program) in programs.iter().enumerate() {
        let archive = cold::archive(program, work)?;
        for (kind, from) in [Some(archive.as_path()), None].into_iter().enumerate() {
            for node in control_repo::NODES {
                for name in functions_of(program, &cold::arguments(node, from), &work.join("callgrind"))? {
                    let runs = all.entry(name).or_insert_with(|| vec![Runs::default(); programs.len()]);
                    runs[place][kind] += 1;
                }
            }
        }
    }
    Ok(all)
}

/// The functions of the program that one process runs.
fn functions_of(binary: &Path, arguments: &[String], out: &Path) -> Result<BTreeSet<String>, String> {
    let status = callgrind::of(binary, out, &["--demangle=no"])
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("{} {}: {status}", binary.display(), arguments.join(" ")));
    }
    let counted = std::fs::read_to_string(out).map_err(|error| error.to_string())?;
    let (mut objects, mut functions) = (BTreeMap::new(), BTreeMap::new());
    let mut ran = BTreeSet::new();
    let mut is_ours = false;
    for line in counted.lines() {
        // Names are written once, with numbers that stand for them afterwards; the first `c` is for what is called.
        let Some((key, name)) = line.split_once('=') else { continue };
        match key {
            "ob" => is_ours = named(name, &mut objects).ends_with("/bunraku"),
            "cob" => _ = named(name, &mut objects),
            "cfn" => _ = named(name, &mut functions),
            "fn" => {
                let name = named(name, &mut functions);
                if is_ours {
                    ran.extend(pattern(name));
                }
            }
            _ => {}
        }
    }
    Ok(ran)
}

/// The name that `(12) name` introduces or `(12)` stands for.
fn named<'a>(text: &'a str, known: &mut BTreeMap<&'a str, &'a str>) -> &'a str {
    let (number, name) = text.split_once(' ').unwrap_or((text, ""));
    if !name.is_empty() {
        known.insert(number, name.trim_end());
    }
    known.get(number).copied().unwrap_or_default()
}

/// A pattern for the name of a function without what changes with each version of the compiler: the hashes of crates, `Cs…_`, and the places
/// of earlier parts of the name, `B…_`, of which a hash of another length moves some. None for code without a name.
fn pattern(name: &str) -> Option<String> {
    // A function within its own calls has the depth behind its name, a copy of one a number or a word and a number: another one with each
    // version, and of a small function there are many, so all of them.
    let name = name.split('\'').next().unwrap_or(name);
    let (name, copy) = name.split_once('.').map_or((name, ""), |(name, _)| (name, ".*"));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_plain) || name.starts_with("0x") {
        return None;
    }
    if !name.starts_with("_R") {
        return Some(format!("{name}{copy}"));
    }
    let mut pattern = String::new();
    let mut rest = name;
    while let Some(at) = rest.find(['C', 'B']) {
        pattern.push_str(&rest[..=at]);
        let behind = &rest[at + 1..];
        let digits = behind.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(behind.len());
        let ends = behind[digits..].starts_with('_');
        rest = match &rest[at..=at] {
            "C" if ends && digits > 1 && behind.starts_with('s') => {
                pattern.push_str("s*");
                &behind[digits..]
            }
            "B" if ends && digits < 4 => {
                pattern.extend(std::iter::repeat_n('?', digits));
                &behind[digits..]
            }
            _ => behind,
        };
    }
    pattern.push_str(rest);
    pattern.push_str(copy);
    Some(pattern)
}

/// The script: what most compiles of the first program from an archive run comes first.
fn script(ran: &BTreeMap<String, Vec<Runs>>) -> String {
    let mut names: Vec<_> = ran.iter().collect();
    names.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
    let mut script = String::from(
        "/* What the linker puts first in the released program: the functions that a compile runs.\n   \
         Written by `cargo run -p bunraku-benches --bin order -- --write`; given to the linker by build.rs. */\n\
         SECTIONS\n{\n  .text :\n  {\n",
    );
    for (name, _) in names {
        // `.text.NAME`, or `.text.unlikely.NAME` where the compiler thinks so.
        let _ = writeln!(script, "    *(.text*.{name})");
    }
    // All others; and what has no place of its own.
    script.push_str("    *(.text .text.*)\n  }\n}\nINSERT BEFORE .init;\n");
    script
}

/// The pattern that a line of the script has.
fn name_in_script(line: &str) -> Option<&str> {
    line.trim().strip_prefix("*(.text*.")?.strip_suffix(')')
}
