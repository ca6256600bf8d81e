//! Compiles the corpus with Bunraku and holds the outcome against the goldens.
//!
//! A class passes when the hash of its outcome is the golden's. `tests/corpus/passing/MACHINE.txt`
//! names the classes that pass; it may only grow. The report counts, for the rest, the first
//! difference by cause; it needs the whole goldens, and says only `differs` without them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::classes::{self, Class};
use super::goldens::{self, Golden};
use crate::canonical::{self, Places};
use crate::compare::{self, Difference};
use crate::{bunraku, paths};

/// Tells the classes of one section of the report.
type Kind = fn(&Golden) -> bool;

/// What came of one class.
pub struct Outcome {
    /// The class.
    pub class: String,
    /// What real Puppet made of it.
    pub golden: Golden,
    /// Whether Bunraku's catalog, or error, is the same.
    pub same: bool,
    /// Whether its logs are the same.
    pub same_logs: bool,
    /// The first difference, where there is one.
    pub difference: Option<Difference>,
}

/// What came of all classes on one machine.
pub struct Machine {
    /// The machine's name.
    pub name: &'static str,
    /// One outcome a class, in the list's order.
    pub outcomes: Vec<Outcome>,
}

/// Compiles every class for a machine.
pub fn run(machine: &'static str) -> Result<Machine, String> {
    super::write_facts().map_err(|error| error.to_string())?;
    let index = goldens::index(machine);
    let mut classes = classes::read();
    classes.retain(|class| index.contains_key(&class.name));
    let results = compile(&classes, machine)?;
    let whole = goldens::cached(machine);
    let outcomes = classes
        .iter()
        .zip(results)
        .map(|(class, result)| outcome(class, &index[&class.name], whole.get(&class.name), &result))
        .collect();
    Ok(Machine { name: machine, outcomes })
}

/// Bunraku's normalised results for these classes.
pub fn compile(classes: &[Class], machine: &str) -> Result<Vec<Value>, String> {
    compile_with(classes, machine, true)
}

/// The same, with or without native twins of modules' functions.
pub fn compile_with(classes: &[Class], machine: &str, native: bool) -> Result<Vec<Value>, String> {
    compile_as(classes, machine, |job| {
        if !native {
            job["settings"]["native_stdlib"] = Value::Bool(false);
        }
    })
}

/// The same, each job changed by `change`.
pub fn compile_as(
    classes: &[Class],
    machine: &str,
    change: impl Fn(&mut Value),
) -> Result<Vec<Value>, String> {
    let job = |class: &Class| {
        let mut job = super::job(&class.name, machine);
        change(&mut job);
        job
    };
    let jobs: Vec<Value> = classes.iter().map(job).collect();
    let places = Places::corpus();
    let mut results = bunraku::collect(&jobs)?;
    results.iter_mut().for_each(|result| canonical::normalise(result, &places));
    Ok(results)
}

fn outcome(class: &Class, golden: &Golden, whole: Option<&Value>, result: &Value) -> Outcome {
    let ok = result["ok"] == Value::Bool(true);
    let same = ok == golden.ok && canonical::outcome_hash(result) == golden.outcome;
    let first = || match whole {
        Some(want) => compare::differences(want, result).into_iter().next(),
        None => Some(without_golden(golden, result)),
    };
    Outcome {
        class: class.name.clone(),
        golden: golden.clone(),
        same,
        same_logs: canonical::logs_hash(result) == golden.logs,
        difference: if same { None } else { first() },
    }
}

fn without_golden(golden: &Golden, result: &Value) -> Difference {
    let message = result["error"]["message"].as_str().unwrap_or_default().to_owned();
    let cause = match (golden.ok, result["ok"] == Value::Bool(true)) {
        (true, true) => "catalog differs".to_owned(),
        (true, false) => format!("error: {}", compare::shape(&message)),
        (false, true) => "compiles, where Puppet does not".to_owned(),
        (false, false) => "other error".to_owned(),
    };
    Difference { cause, detail: message }
}

fn passing_path(machine: &str) -> PathBuf {
    paths::corpus_lists().join("passing").join(format!("{machine}.txt"))
}

/// The classes that passed when the list was last written.
pub fn passing(machine: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(passing_path(machine)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

impl Machine {
    /// The classes that pass now.
    pub fn passes(&self) -> BTreeSet<String> {
        self.outcomes.iter().filter(|outcome| outcome.same).map(|outcome| outcome.class.clone()).collect()
    }

    /// Writes the list of what passes.
    pub fn update(&self) -> std::io::Result<()> {
        let path = passing_path(self.name);
        fs::create_dir_all(path.parent().expect("the path has a parent"))?;
        fs::write(path, self.passes().iter().map(|class| format!("{class}\n")).collect::<String>())
    }

    /// One line: how many of which kind pass.
    pub fn summary(&self) -> String {
        let count = |test: &dyn Fn(&Outcome) -> bool| {
            let all = self.outcomes.iter().filter(|outcome| test(outcome)).count();
            let same = self.outcomes.iter().filter(|outcome| test(outcome) && outcome.same).count();
            format!("{same} of {all}")
        };
        let logs = self.outcomes.iter().filter(|outcome| outcome.same && outcome.same_logs).count();
        format!(
            "{}: {} classes as in Puppet ({} with their logs); catalogs {}; without Ruby {}; failures {}",
            self.name,
            count(&|_| true),
            logs,
            count(&|outcome| outcome.golden.ok),
            count(&|outcome| outcome.golden.ok && outcome.golden.plain()),
            count(&|outcome| !outcome.golden.ok),
        )
    }

    fn report(&self, out: &mut String) {
        let _ = writeln!(out, "## {}\n\n{}\n", self.name, self.summary());
        let kinds: [(&str, Kind); 3] = [
            ("Catalogs that need no Ruby", |golden| golden.ok && golden.plain()),
            ("Catalogs that need Ruby", |golden| golden.ok && !golden.plain()),
            ("Failures", |golden| !golden.ok),
        ];
        for (title, test) in kinds {
            let mut causes: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
            for outcome in self.outcomes.iter().filter(|outcome| test(&outcome.golden)) {
                if let Some(difference) = &outcome.difference {
                    causes.entry(&difference.cause).or_default().push(outcome);
                }
            }
            let mut rows: Vec<_> = causes.into_iter().collect();
            rows.sort_by_key(|(_, outcomes)| std::cmp::Reverse(outcomes.len()));
            let _ = writeln!(out, "### {title}\n");
            for (cause, outcomes) in rows {
                let names: Vec<&str> =
                    outcomes.iter().take(5).map(|outcome| outcome.class.as_str()).collect();
                let _ = writeln!(out, "- {} × {cause} ({})", outcomes.len(), names.join(", "));
            }
            out.push('\n');
        }
    }
}

/// Writes `target/corpus-report.md` and gives its path.
pub fn write_report(machines: &[Machine]) -> std::io::Result<PathBuf> {
    let mut out = "# The corpus: what differs from real Puppet, by first cause\n\n".to_owned();
    machines.iter().for_each(|machine| machine.report(&mut out));
    let path = paths::target().join("corpus-report.md");
    fs::write(&path, out)?;
    Ok(path)
}
