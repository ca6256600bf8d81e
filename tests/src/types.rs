//! Resource types in Ruby: signatures read from the source against signatures of loaded types.

use crate::oracle::Oracle;
use crate::{bunraku, oracle, paths};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

/// How the types compare.
pub struct Report {
    /// Types compared.
    pub total: usize,
    /// Types that differ, with how; among them those that say themselves that they can't be read.
    pub differing: Vec<(String, String)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, how) in &self.differing {
            writeln!(f, "{name}: {how}")?;
        }
        writeln!(f, "{} of {} types as in Puppet", self.total - self.differing.len(), self.total)
    }
}

/// The committed answers of Puppet.
fn golden() -> PathBuf {
    paths::corpus_lists().join("types.json")
}

/// Names of the types that the corpus' modules declare.
fn names() -> Result<BTreeSet<String>, String> {
    let mut names = BTreeSet::new();
    let modules = std::fs::read_dir(paths::modules()).map_err(|error| error.to_string())?;
    for module in modules.flatten() {
        let Ok(files) = std::fs::read_dir(module.path().join("lib/puppet/type")) else { continue };
        for file in files.flatten().map(|file| file.path()) {
            if file.extension().is_some_and(|e| e == "rb") {
                names.extend(file.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned));
            }
        }
    }
    Ok(names)
}

fn job(names: &BTreeSet<String>) -> Value {
    json!({"id": 1, "types": names, "modulepath": [paths::modules()]})
}

fn types(mut results: Vec<Value>) -> Result<Map<String, Value>, String> {
    match results.pop().map(|mut result| (result["types"].take(), result)) {
        Some((Value::Object(types), _)) => Ok(types),
        Some((_, result)) => Err(result["error"]["message"].as_str().unwrap_or("no types").to_owned()),
        None => Err("no answer".to_owned()),
    }
}

/// Writes Puppet's answers anew.
///
/// # Errors
/// When there is no Puppet 7.23 or no corpus.
pub fn regenerate() -> Result<(), String> {
    if !oracle::installed() {
        return Err("Puppet 7.23.0 is not installed".to_owned());
    }
    let types = types(oracle::collect(&[job(&names()?)]))?;
    let mut text = String::from("{\n");
    for (n, (name, ty)) in types.iter().enumerate() {
        let comma = if n + 1 < types.len() { "," } else { "" };
        text.push_str(&format!("{}: {ty}{comma}\n", json!(name)));
    }
    text.push_str("}\n");
    std::fs::write(golden(), text).map_err(|error| error.to_string())
}

/// Types that a Puppet has without any module: its own, and those of the modules that its packages bring along.
const WITHOUT_MODULES: [&str; 26] = [
    "augeas",
    "cron",
    "exec",
    "file",
    "filebucket",
    "group",
    "host",
    "mount",
    "notify",
    "package",
    "resources",
    "schedule",
    "scheduled_task",
    "selboolean",
    "selmodule",
    "service",
    "ssh_authorized_key",
    "sshkey",
    "stage",
    "tidy",
    "user",
    "whit",
    "yumrepo",
    "zfs",
    "zone",
    "zpool",
];

/// Compares the types that need no module with those of a real Puppet, by its rules; a type that only one of them has
/// differs, too.
///
/// # Errors
/// When the oracle is not there, or Bunraku does not build.
pub fn report_without_modules(oracle: Oracle) -> Result<Report, String> {
    oracle.ready()?;
    let job = json!({"id": 1, "types": WITHOUT_MODULES});
    let puppet = types(oracle.collect(std::slice::from_ref(&job)))?;
    let bunraku = types(bunraku::collect(&[bunraku::by_version(&job, oracle.number)])?)?;
    let mut differing = Vec::new();
    for (name, theirs) in &puppet {
        let how = match (bunraku[name].is_null(), theirs.is_null()) {
            (true, true) => None,
            (false, false) => difference(&bunraku[name], theirs),
            (here, _) => Some(format!("only {}", if here { "Puppet has it" } else { "here" })),
        };
        differing.extend(how.map(|how| (name.clone(), how)));
    }
    Ok(Report { total: puppet.values().filter(|ty| !ty.is_null()).count(), differing })
}

/// Compares what Bunraku reads with the committed answers.
///
/// # Errors
/// When there is no corpus, or Bunraku does not build.
pub fn report() -> Result<Report, String> {
    let text = std::fs::read_to_string(golden()).map_err(|error| error.to_string())?;
    let puppet: Map<String, Value> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let bunraku = types(bunraku::collect(&[job(&puppet.keys().cloned().collect())])?)?;
    let mut differing = Vec::new();
    for (name, theirs) in &puppet {
        if let Some(how) = difference(&bunraku[name], theirs) {
            differing.push((name.clone(), how));
        }
    }
    Ok(Report { total: puppet.len(), differing })
}

fn difference(ours: &Value, theirs: &Value) -> Option<String> {
    if let Some(why) = ours["unreadable"].as_str() {
        return Some(format!("can't be read: {why}"));
    }
    for key in ["namevars", "isomorphic"] {
        if ours[key] != theirs[key] {
            return Some(format!("{key}: {} but Puppet {}", ours[key], theirs[key]));
        }
    }
    // Whether there is a `provider` is a matter of the modules' other files: it is always taken.
    let names = |value: &Value| -> Vec<String> {
        let all = value["attributes"].as_array().into_iter().flatten().filter_map(Value::as_str);
        all.filter(|name| *name != "provider").map(str::to_owned).collect()
    };
    let (mine, other) = (names(ours), names(theirs));
    if mine != other {
        let only =
            |a: &[String], b: &[String]| a.iter().filter(|x| !b.contains(x)).cloned().collect::<Vec<_>>();
        return Some(format!(
            "attributes: only here {:?}, only Puppet {:?}",
            only(&mine, &other),
            only(&other, &mine)
        ));
    }
    (titles(ours) != titles(theirs))
        .then(|| format!("title patterns: {} but Puppet {}", ours["titles"], theirs["titles"]))
}

/// Title patterns; Ruby shows a regular expression with its options around it and its slashes escaped.
fn titles(ty: &Value) -> Vec<(String, Value)> {
    let pattern = |entry: &Value| {
        let regex = entry[0].as_str().unwrap_or_default().replace("\\/", "/");
        let regex = if regex.starts_with("(?") { regex } else { format!("(?-mix:{regex})") };
        (regex, entry[1].clone())
    };
    ty["titles"].as_array().into_iter().flatten().map(pattern).collect()
}
