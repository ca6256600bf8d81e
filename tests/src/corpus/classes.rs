//! The list of the corpus's classes and manifests: `tests/corpus/classes.tsv`.
//!
//! One line a class: name, module, file within the module. Only classes that their file's place
//! lets autoload find are of use, yet all are listed: that one cannot be found is a case too.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{oracle, paths};

/// One class of the corpus.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// Its full name.
    pub name: String,
    /// The module it is in.
    pub module: String,
    /// The file, from the module's directory.
    pub file: String,
}

fn list_path() -> PathBuf {
    paths::corpus_lists().join("classes.tsv")
}

/// The committed list.
pub fn read() -> Vec<Class> {
    let text = fs::read_to_string(list_path()).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let mut fields = line.split('\t').map(str::to_owned);
            Some(Class { name: fields.next()?, module: fields.next()?, file: fields.next()? })
        })
        .collect()
}

/// Makes the list anew from what the oracle's parser finds.
pub fn list() -> Result<Vec<Class>, String> {
    let files = sources(&["pp"]);
    let manifests: Vec<&(String, String)> =
        files.iter().filter(|(_, file)| file.starts_with("manifests/")).collect();
    let jobs: Vec<Value> = manifests
        .iter()
        .map(|(module, file)| json!({"id": file, "definitions": paths::modules().join(module).join(file)}))
        .collect();
    let mut classes = Vec::new();
    for ((module, file), result) in manifests.iter().zip(oracle::collect(&jobs)) {
        for definition in result["definitions"].as_array().into_iter().flatten() {
            if definition["kind"] == "HostClassDefinition" {
                let name = definition["name"].as_str().unwrap_or_default().to_owned();
                classes.push(Class { name, module: module.clone(), file: file.clone() });
            }
        }
    }
    classes.sort();
    classes.dedup_by(|a, b| a.name == b.name);
    let text: String =
        classes.iter().map(|class| format!("{}\t{}\t{}\n", class.name, class.module, class.file)).collect();
    fs::write(list_path(), text).map_err(|error| error.to_string())?;
    Ok(classes)
}

/// Every file of the modules with one of these extensions: module and path, sorted.
pub fn sources(extensions: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(paths::modules()).into_iter().flatten().flatten() {
        let module = entry.file_name().to_string_lossy().into_owned();
        walk(&entry.path(), "", extensions, &mut |file| found.push((module.clone(), file)));
    }
    found.sort();
    found
}

fn walk(dir: &Path, prefix: &str, extensions: &[&str], each: &mut dyn FnMut(String)) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        let real =
            if prefix.is_empty() { path.is_dir() } else { entry.file_type().is_ok_and(|t| t.is_dir()) };
        if real {
            walk(&path, &format!("{name}/"), extensions, each);
        } else if path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted)) {
            each(name);
        }
    }
}
