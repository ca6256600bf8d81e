//! What real Puppet makes of each class: whole in the cache, as hashes in the repository.
//!
//! `tests/corpus/goldens/MACHINE.tsv` has one line a class: name, `ok` or `fail`, hash of the
//! outcome, hash of the logs, number of resources, Ruby functions of modules called, ERB
//! templates rendered. The whole results are in `.cache/corpus/goldens/MACHINE.jsonl.gz`, one
//! line a class in the list's order; `cargo run -p bunraku-tests -- goldens` makes both anew.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::classes::Class;
use crate::canonical::{self, Places};
use crate::oracle::{self, Oracle};
use crate::paths;

/// One line of the committed index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Golden {
    /// Whether the class compiles.
    pub ok: bool,
    /// Hash of the catalog or of the error.
    pub outcome: String,
    /// Hash of the logs.
    pub logs: String,
    /// How many resources the catalog has.
    pub resources: usize,
    /// How many different Ruby functions of modules were called.
    pub functions: usize,
    /// How often ERB was rendered.
    pub templates: usize,
}

impl Golden {
    /// From a normalised result of the oracle.
    pub fn of(result: &Value) -> Golden {
        let length = |value: &Value| value.as_array().map_or(0, Vec::len);
        Golden {
            ok: result["ok"] == Value::Bool(true),
            outcome: canonical::outcome_hash(result),
            logs: canonical::logs_hash(result),
            resources: length(&result["catalog"]["resources"]),
            functions: length(&result["ruby"]["functions"]),
            templates: result["ruby"]["templates"].as_u64().unwrap_or(0) as usize,
        }
    }

    /// Name and golden of a line of an index.
    pub fn parse(line: &str) -> Option<(String, Golden)> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, ok, outcome, logs, resources, functions, templates] = fields.as_slice() else {
            return None;
        };
        let golden = Golden {
            ok: *ok == "ok",
            outcome: (*outcome).to_owned(),
            logs: (*logs).to_owned(),
            resources: resources.parse().ok()?,
            functions: functions.parse().ok()?,
            templates: templates.parse().ok()?,
        };
        Some(((*name).to_owned(), golden))
    }

    /// The line of an index that [`Golden::parse`] reads.
    pub fn line(&self, name: &str) -> String {
        let Golden { ok, outcome, logs, resources, functions, templates } = self;
        let ok = if *ok { "ok" } else { "fail" };
        format!("{name}\t{ok}\t{outcome}\t{logs}\t{resources}\t{functions}\t{templates}\n")
    }

    /// Whether the compile ran none of the modules' Ruby.
    pub fn plain(&self) -> bool {
        self.functions == 0 && self.templates == 0
    }
}

fn index_path(machine: &str) -> PathBuf {
    paths::corpus_lists().join("goldens").join(format!("{machine}.tsv"))
}

fn cache_path(machine: &str) -> PathBuf {
    paths::cache().join("goldens").join(format!("{machine}.jsonl.gz"))
}

/// The committed index of a machine.
pub fn index(machine: &str) -> BTreeMap<String, Golden> {
    let text = fs::read_to_string(index_path(machine)).unwrap_or_default();
    text.lines().filter_map(Golden::parse).collect()
}

/// Asks Puppet 7 about these classes; normalised results in their order.
pub fn ask(classes: &[Class], machine: &str) -> Vec<Value> {
    ask_of(oracle::SEVEN, classes, machine)
}

/// The same of any of the oracles.
pub fn ask_of(oracle: Oracle, classes: &[Class], machine: &str) -> Vec<Value> {
    let jobs: Vec<Value> = classes.iter().map(|class| super::job(&class.name, machine)).collect();
    let places = Places::corpus();
    let results = Mutex::new(vec![Value::Null; jobs.len()]);
    let done = AtomicUsize::new(0);
    oracle.run(&jobs, &|number, mut result| {
        canonical::normalise(&mut result, &places);
        results.lock().expect("no worker panics with the lock")[number] = result;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(100) {
            eprintln!("corpus: {machine}: {done} of {}", jobs.len());
        }
    });
    results.into_inner().expect("all workers have ended")
}

/// Makes index and cache of a machine anew.
pub fn regenerate(classes: &[Class], machine: &str) -> std::io::Result<()> {
    let results = ask(classes, machine);
    fs::create_dir_all(paths::cache().join("goldens"))?;
    let mut out = GzEncoder::new(fs::File::create(cache_path(machine))?, Compression::default());
    let mut lines = String::new();
    for (class, result) in classes.iter().zip(&results) {
        writeln!(out, "{result}")?;
        lines += &Golden::of(result).line(&class.name);
    }
    out.finish()?;
    fs::create_dir_all(paths::corpus_lists().join("goldens"))?;
    fs::write(index_path(machine), lines)
}

/// Asks Puppet again about some classes, and puts its answers in the place of those that index and cache have.
pub fn renew(classes: &[Class], machine: &str) -> std::io::Result<()> {
    let results = ask(classes, machine);
    let lines: BTreeMap<&str, String> = classes
        .iter()
        .zip(&results)
        .map(|(class, result)| (&*class.name, Golden::of(result).line(&class.name)))
        .collect();
    let text = fs::read_to_string(index_path(machine))?;
    let renewed = text.lines().map(|line| {
        let name = line.split('\t').next().unwrap_or_default();
        lines.get(name).cloned().unwrap_or_else(|| format!("{line}\n"))
    });
    let renewed: String = renewed.collect();
    fs::write(index_path(machine), renewed)?;
    let mut whole = cached(machine);
    if whole.is_empty() {
        return Ok(());
    }
    whole.extend(classes.iter().zip(results).map(|(class, result)| (class.name.clone(), result)));
    let mut out = GzEncoder::new(fs::File::create(cache_path(machine))?, Compression::default());
    whole.values().try_for_each(|result| writeln!(out, "{result}"))?;
    out.finish().map(drop)
}

/// The whole results of a machine from the cache, by class; empty where there is no cache.
pub fn cached(machine: &str) -> BTreeMap<String, Value> {
    let Ok(file) = fs::File::open(cache_path(machine)) else { return BTreeMap::new() };
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_str::<Value>(&line).ok())
        .filter_map(|result| Some((result["id"].as_str()?.to_owned(), result)))
        .collect()
}
