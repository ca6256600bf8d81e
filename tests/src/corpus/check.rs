//! The verdict on every manifest and template of the corpus.
//!
//! `tests/corpus/goldens/check.tsv` has one line for each file that real Puppet finds fault with:
//! module, file, the first message. Every other file is without fault.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::classes;
use crate::canonical::Places;
use crate::{bunraku, oracle, paths};

fn list_path() -> PathBuf {
    paths::corpus_lists().join("goldens").join("check.tsv")
}

fn faulty() -> BTreeMap<(String, String), String> {
    let text = fs::read_to_string(list_path()).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let mut fields = line.splitn(3, '\t').map(str::to_owned);
            Some(((fields.next()?, fields.next()?), fields.next()?))
        })
        .collect()
}

/// Asks the oracle about every file.
pub fn regenerate() -> Result<(), String> {
    let files = classes::sources(&["pp", "epp"]);
    let path = |(module, file): &(String, String)| paths::modules().join(module).join(file);
    let jobs: Vec<Value> = files.iter().map(|file| json!({"id": file.1, "check": path(file)})).collect();
    let places = Places::corpus();
    let mut lines = String::new();
    for ((module, file), mut result) in files.iter().zip(oracle::collect(&jobs)) {
        places.apply(&mut result);
        if result["ok"] != Value::Bool(true) {
            let message = result["errors"][0]["message"].as_str().unwrap_or_default();
            lines += &format!("{module}\t{file}\t{}\n", message.replace('\n', "\\n"));
        }
    }
    println!("{} files, {} with faults", files.len(), lines.lines().count());
    fs::write(list_path(), lines).map_err(|error| error.to_string())
}

/// Compares `bunraku check`'s exit status with the verdicts, file by file.
pub fn compare() -> Result<(), String> {
    let binary = bunraku::binary()?;
    let faulty = faulty();
    let files = classes::sources(&["pp", "epp"]);
    let mut differ = 0;
    for key in &files {
        let path = paths::modules().join(&key.0).join(&key.1);
        let output = Command::new(&binary)
            .arg("check")
            .arg(&path)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        let said = match output.status.code() {
            Some(0) => true,
            Some(1) => false,
            other => return Err(format!("{}: exit status {other:?}", path.display())),
        };
        let golden = faulty.get(key);
        if said != golden.is_none() {
            differ += 1;
            println!("{}/{}: Puppet says {}", key.0, key.1, golden.map_or("nothing", String::as_str));
            if !said {
                println!("    {}", String::from_utf8_lossy(&output.stderr).trim().replace('\n', "\n    "));
            }
        }
    }
    println!("{} files, {differ} verdicts differ", files.len());
    if differ == 0 { Ok(()) } else { Err("verdicts differ".to_owned()) }
}
