//! Compiles that others' test suites ask for: recorded from modules' own rspec suites (`tests/foreign/record.sh`),
//! made by real Puppet and by Bunraku, and compared.
//!
//! The modules are not ours and not committed; a file of recorded jobs is what this starts from. Puppet's results are
//! kept beside it, by the hash of the job.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::bunraku;
use crate::canonical::{self, Places};
use crate::compare::{self, Difference};
use crate::oracle::Oracle;

/// The jobs of a recording, each with what real Puppet makes of it.
pub struct Recording {
    /// Jobs as `batch` takes them.
    pub jobs: Vec<Value>,
    oracle: Oracle,
    path: PathBuf,
}

/// What came of the jobs.
pub struct Outcome {
    /// How many jobs were run.
    pub jobs: usize,
    /// The jobs whose results are not Puppet's, by number, each with all that differs.
    pub different: Vec<(usize, Vec<Difference>)>,
}

impl Recording {
    /// Reads a recording; of jobs with the same code at most `most` are kept (they differ in facts alone), spread
    /// evenly over those there are. They are compared with one of the Puppets, and run by its version of the language.
    ///
    /// # Errors
    /// When the file can't be read or holds what is no job; when that Puppet is not here.
    pub fn read(path: &Path, most: usize, oracle: Oracle) -> Result<Recording, String> {
        oracle.ready()?;
        let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = fs::File::open(path).map_err(|error| fault(&error))?;
        let mut by_code: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in BufReader::new(file).lines() {
            let line = line.map_err(|error| fault(&error))?;
            let job: Value = serde_json::from_str(&line).map_err(|error| fault(&error))?;
            by_code.entry(job["code"].to_string()).or_default().push(job);
        }
        let mut jobs = Vec::new();
        for same in by_code.into_values() {
            let step = same.len().div_ceil(most.max(1));
            jobs.extend(same.into_iter().step_by(step));
        }
        jobs.iter_mut().enumerate().for_each(|(number, job)| job["id"] = number.into());
        Ok(Recording { jobs, oracle, path: path.to_owned() })
    }

    /// Compiles all jobs with Bunraku and compares each with Puppet's result.
    ///
    /// # Errors
    /// When Bunraku does not build, or Puppet's results can't be kept.
    pub fn run(&self) -> Result<Outcome, String> {
        let want = self.wanted()?;
        let jobs: Vec<Value> =
            self.jobs.iter().map(|job| bunraku::by_version(job, self.oracle.number)).collect();
        let got = bunraku::collect(&jobs)?;
        let places = Places::new(Vec::new());
        let mut different = Vec::new();
        for (number, (mut want, mut got)) in want.into_iter().zip(got).enumerate() {
            canonical::normalise(&mut want, &places);
            canonical::normalise(&mut got, &places);
            let found = differences(&self.jobs[number], &want, &got);
            if !found.is_empty() {
                different.push((number, found));
            }
        }
        Ok(Outcome { jobs: self.jobs.len(), different })
    }

    /// Puppet's results in the jobs' order: those kept from an earlier run, the rest asked for and kept.
    fn wanted(&self) -> Result<Vec<Value>, String> {
        let path = self.path.with_extension(format!("puppet{}.jsonl", self.oracle.number));
        let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut kept = read_kept(&path);
        let keys: Vec<String> = self.jobs.iter().map(key).collect();
        let missing: Vec<usize> = (0..keys.len()).filter(|at| !kept.contains_key(&keys[*at])).collect();
        if !missing.is_empty() {
            let jobs: Vec<Value> = missing.iter().map(|at| self.jobs[*at].clone()).collect();
            let file = fs::OpenOptions::new().create(true).append(true).open(&path);
            let file = Mutex::new(file.map_err(|error| fault(&error))?);
            let new = Mutex::new(Vec::new());
            self.oracle.run(&jobs, &|number, result| {
                let key = &keys[missing[number]];
                let line = format!("{}\n", serde_json::json!([key, result]));
                // What is not written is asked for again next time; so is what somebody has ended.
                if result["died"] != true {
                    let _ = file.lock().expect("no worker panics with the lock").write_all(line.as_bytes());
                }
                new.lock().expect("no worker panics with the lock").push((key.clone(), result));
            });
            kept.extend(new.into_inner().expect("all workers have ended"));
        }
        Ok(keys.iter().map(|key| kept.get(key).cloned().unwrap_or(Value::Null)).collect())
    }
}

fn read_kept(path: &Path) -> HashMap<String, Value> {
    let Ok(file) = fs::File::open(path) else { return HashMap::new() };
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_str::<(String, Value)>(&line).ok()).collect()
}

fn key(job: &Value) -> String {
    let mut job = job.clone();
    if let Some(job) = job.as_object_mut() {
        job.shift_remove("id");
    }
    Sha256::digest(job.to_string().as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

fn differences(job: &Value, want: &Value, got: &Value) -> Vec<Difference> {
    let wants_value = job["want"].as_array().is_some_and(|want| want.iter().any(|what| what == "value"));
    let mut found = compare::differences(want, got);
    if wants_value && want["ok"] == true && got["ok"] == true && want["repr"] != got["repr"] {
        let detail = format!("- {}\n+ {}", want["repr"], got["repr"]);
        found.push(Difference { cause: "value differs".to_owned(), detail });
    }
    let (wanted, came) = (logs(want), logs(got));
    if wanted != came {
        let missing = wanted.iter().filter(|line| !came.contains(line)).map(|line| format!("- {line}"));
        let extra = came.iter().filter(|line| !wanted.contains(line)).map(|line| format!("+ {line}"));
        let detail: Vec<String> = missing.chain(extra).collect();
        let first = detail.first().cloned().unwrap_or_else(|| "order or number".to_owned());
        let cause = format!("logs: {}", compare::shape(&first));
        found.push(Difference { cause, detail: detail.join("\n") });
    }
    found
}

fn logs(result: &Value) -> Vec<String> {
    let logs = result["logs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    logs.iter().map(|log| format!("{}: {}", text(&log["level"]), text(&log["message"]))).collect()
}

impl Outcome {
    /// Equal results of a hundred.
    pub fn rate(&self) -> f64 {
        100.0 * (self.jobs - self.different.len()) as f64 / self.jobs.max(1) as f64
    }

    /// The first difference of each job, counted by cause, the most frequent first, each with a job that shows it.
    pub fn report(&self) -> String {
        let mut causes: BTreeMap<&str, (usize, usize, &str)> = BTreeMap::new();
        for (number, found) in &self.different {
            let cause = causes.entry(&found[0].cause).or_insert((0, *number, &found[0].detail));
            cause.0 += 1;
        }
        let mut causes: Vec<_> = causes.into_iter().collect();
        causes.sort_by_key(|(_, (count, ..))| std::cmp::Reverse(*count));
        let equal = self.jobs - self.different.len();
        let mut out = format!("{equal} of {} results are Puppet's ({:.2} %)\n", self.jobs, self.rate());
        for (cause, (count, number, detail)) in causes {
            let detail: String = detail.chars().take(600).collect();
            out += &format!("{count} × {cause} (job {number})\n    {}\n", detail.replace('\n', "\n    "));
        }
        out
    }
}
