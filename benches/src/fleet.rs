//! What `bunraku fleet compile`, `diff` and `affected` cost for a whole fleet: processes from start to end, over varied machines of the
//! control repo of which one in twenty is a web server. Times are theirs on processors, with one thread; archives are in the cache.

use crate::results::{Figures, number};
use bunraku_tests::used::{Used, used};
use bunraku_tests::{bunraku, control_repo, paths, varied};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many machines the fleet has, unless somebody says.
pub const MACHINES: usize = 500;
/// What only web servers have, and what a change makes of it.
const CHANGED: (&str, &str, &str) =
    ("site-modules/profile/manifests/web.pp", ") {\n  $workers", ") {\n  notify { 'changed': }\n  $workers");
/// The row for which nothing is known of what nodes read.
const UNKNOWN: usize = 2;
/// The rows after the first: what is done, further arguments, and whether it is of the changed tree.
const ROWS: [(&str, &[&str], bool); 4] = [
    ("`diff` of a tree and its copy, all nodes compiled from both", &["diff", "--all"], false),
    ("`diff` of a tree and its copy", &["diff"], false),
    (
        "`diff`, the profile of one node in twenty changed, nothing known yet of what nodes read",
        &["diff"],
        true,
    ),
    ("the same once that is known", &["diff"], true),
];

/// A tree, a copy of it, one with a change, and facts.
struct Site<'w> {
    work: &'w Path,
    program: PathBuf,
}

impl<'w> Site<'w> {
    fn new(work: &'w Path) -> Result<Site<'w>, String> {
        for tree in ["tree", "copy", "changed"] {
            paths::copy(&control_repo::root(), &work.join(tree));
        }
        let (file, old, new) = CHANGED;
        let file = work.join("changed").join(file);
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        match text.contains(old) {
            true => fs::write(&file, text.replacen(old, new, 1)).map_err(|error| error.to_string())?,
            false => return Err(format!("{} does not have {old}", file.display())),
        }
        Ok(Site { work, program: bunraku::binary()? })
    }

    /// Writes a snapshot of the facts of so many machines; where it lies.
    fn facts(&self, machines: usize) -> Result<String, String> {
        let folder = self.work.join(format!("facts{machines}"));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let of = |name: &'static str| (name, control_repo::facts(name));
        let others = control_repo::NODES.into_iter().filter(|name| !name.starts_with("web"));
        // Nineteen of the other four kinds, then a web server.
        let kinds: Vec<_> = others.cycle().take(19).map(of).chain([of("web01.example.com")]).collect();
        let kinds: Vec<(&str, &Path)> = kinds.iter().map(|(name, file)| (*name, file.as_path())).collect();
        varied::write(&folder, &kinds, machines, 1)?;
        let snapshot = self.work.join(format!("{machines}.facts")).display().to_string();
        let mut pull = Command::new(&self.program);
        pull.args(["facts", "pull", "-o", &snapshot, "--from"]).arg(&folder);
        match pull.status().map_err(|error| error.to_string())?.success() {
            true => Ok(snapshot),
            false => Err("the facts can't be pulled".to_owned()),
        }
    }

    fn run(&self, begin: &[&str], facts: &str, rounds: usize) -> Result<Used, String> {
        let (modules, cache) =
            (paths::modules().display().to_string(), self.work.join("cache").display().to_string());
        let own =
            ["--no-config", "--compat", "7", "--threads", "1", "--modules", &modules, "--cache", &cache];
        used(rounds, &self.program, &[begin, &own, &["--facts", facts]].concat())
    }

    fn once(&self, facts: &str, rounds: usize) -> Result<Used, String> {
        let tree = self.work.join("tree").display().to_string();
        self.run(&["fleet", "compile", &tree], facts, rounds)
    }

    /// What nodes read is not known any more.
    fn forget(&self) -> Result<(), String> {
        match fs::remove_dir_all(self.work.join("cache/reads")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.to_string()),
            _ => Ok(()),
        }
    }

    fn compared(
        &self,
        command: &[&str],
        is_changed: bool,
        facts: &str,
        rounds: usize,
    ) -> Result<Used, String> {
        let to = self.work.join(if is_changed { "changed" } else { "copy" }).display().to_string();
        let from = self.work.join("tree").display().to_string();
        self.run(&[command, &["--fail-on", "never", "--from", &from, "--to", &to]].concat(), facts, rounds)
    }
}

/// The table.
///
/// # Errors
/// When something does not compile.
pub fn fleet(work: &Path, rounds: usize, machines: usize) -> Result<String, String> {
    let work = work.join("fleet");
    fs::create_dir_all(&work).map_err(|error| error.to_string())?;
    let site = Site::new(&work)?;
    let few = (machines / 5).max(1);
    let (facts, facts_of_few) = (site.facts(machines)?, site.facts(few)?);
    // What is kept of trees and of what nodes read is made here.
    site.once(&facts, 1)?;
    for (_, command, is_changed) in ROWS {
        site.compared(command, is_changed, &facts, 1)?;
    }
    let (mut whole, mut rows) = (Figures::new(), Vec::from(ROWS.map(|_| (Figures::new(), Figures::new()))));
    // By turns: what else the machine does in the meantime is to be in all.
    for _ in 0..rounds {
        let once = site.once(&facts, 1)?.processor;
        whole.push(once);
        for (row, (times, ratios)) in rows.iter_mut().enumerate() {
            let (_, command, is_changed) = &ROWS[row];
            if row == UNKNOWN {
                site.forget()?;
            }
            let time = site.compared(command, *is_changed, &facts, 1)?.processor;
            times.push(time);
            ratios.push(time / once);
        }
    }
    let mut out = format!(
        "### Fleet\n\n| {machines} varied machines of the control repo | time on a processor | of a fleet compile | \
         memory | memory for {few} machines |\n| --- | ---: | ---: | ---: | ---: |\n"
    );
    let mut row = |name: &str, time: f64, ratio: String, memory: [f64; 2]| {
        let _ = writeln!(
            out,
            "| {name} | {} s | {ratio} | {} MiB | {} MiB |",
            number(time),
            number(memory[0]),
            number(memory[1])
        );
    };
    let memory = [site.once(&facts, 1)?.own_mib, site.once(&facts_of_few, 1)?.own_mib];
    row("`fleet compile`, without JSON", whole.median(), "1".to_owned(), memory);
    for ((name, command, is_changed), (times, ratios)) in ROWS.iter().zip(&rows) {
        let own = |facts: &str| site.compared(command, *is_changed, facts, 1).map(|used| used.own_mib);
        let memory = [own(&facts)?, own(&facts_of_few)?];
        let ratio = format!("{:.3} ({:.3}–{:.3})", ratios.median(), ratios.least(), ratios.greatest());
        row(name, times.median(), ratio, memory);
    }
    Ok(out)
}
