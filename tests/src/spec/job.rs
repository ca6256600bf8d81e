//! Turns a case into a job: its files written to a directory of its own, its options into fields.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::page::Case;
use crate::canonical::Places;
use crate::paths;

/// A directory with one environment directory a case, gone when dropped.
pub struct Root(PathBuf);

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Root {
    /// Writes the files of all cases.
    pub fn new(cases: &[&Case]) -> std::io::Result<Root> {
        let root = Root(paths::target().join("spec").join(std::process::id().to_string()));
        for (number, case) in cases.iter().enumerate() {
            fs::create_dir_all(root.dir(number).join("modules"))?;
            for (path, text) in &case.files {
                let path = root.dir(number).join(path);
                fs::create_dir_all(path.parent().expect("a file is in a directory"))?;
                // Paths in the options of a backend are not relative to the environment.
                fs::write(path, text.replace("$ENVIRONMENT", &root.dir(number).display().to_string()))?;
            }
        }
        Ok(root)
    }

    fn dir(&self, number: usize) -> PathBuf {
        self.0.join(number.to_string())
    }

    /// What the case's paths are called in expectations.
    pub fn places(&self, number: usize) -> Places {
        Places::new(vec![(self.dir(number).display().to_string(), "/env")])
    }

    /// The case's job, for a version of the language. Real Puppet 7 is asked with 8's strictness, so 7 is here, too.
    pub fn job(&self, number: usize, case: &Case, version: u8) -> Value {
        let dir = self.dir(number);
        let mut job = json!({
            "id": case.id,
            "node": case.option("node").unwrap_or("localhost"),
            "server_facts": {"serverversion": "7.23.0", "servername": "localhost", "serverip": "127.0.0.1"},
            "want": ["catalog", "value"],
        });
        if case.is_lookup {
            job["lookup"] = lookup(&case.code);
        }
        if !case.flag("manifests") {
            job["code"] = json!(if case.is_lookup { "undef" } else { case.code.as_str() });
        }
        if case.files.iter().all(|(path, _)| path.starts_with("modules/") || path.starts_with("store/")) {
            job["modulepath"] = json!(dir.join("modules"));
        } else {
            job["environment"] = json!(dir);
            job["environment_name"] = json!("production");
        }
        if case.files.iter().any(|(path, _)| path == "global/hiera.yaml") {
            job["hiera_config"] = json!(dir.join("global/hiera.yaml"));
        }
        if let Some(facts) = &case.facts {
            job["facts"] =
                serde_json::from_str(facts).unwrap_or_else(|error| json!({"facts": error.to_string()}));
        }
        // Fields of the job itself: `classes`, `parameters`, `trusted`, `server_facts`.
        if let Some(Ok(Value::Object(fields))) = case.node.as_deref().map(serde_json::from_str) {
            fields.into_iter().for_each(|(name, value)| job[name] = value);
        }
        let mut settings = Map::new();
        settings.insert("compat".to_owned(), json!(version));
        if case.files.iter().any(|(path, _)| path.starts_with("store/")) {
            job["storeconfigs"] = json!(dir.join("store"));
        }
        if case.flag("check-cycles") {
            job["check_cycles"] = true.into();
        }
        for name in ["strict", "strict_variables", "disable_warnings"] {
            if let Some(value) = case.option(name) {
                settings
                    .insert(name.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| json!(value)));
            }
        }
        job["settings"] = Value::Object(settings);
        job
    }
}

/// The arguments of `lookup` as a job has them. Words are parted by spaces; quotes hold them together.
fn lookup(arguments: &str) -> Value {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in arguments.chars() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let mut query = json!({"keys": []});
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let Some(name) = word.strip_prefix("--") else {
            query["keys"].as_array_mut().expect("it was made above").push(json!(word));
            continue;
        };
        let field = name.replace('-', "_");
        query[field] = match name {
            "explain" | "explain-options" | "sort-merged-arrays" | "merge-hash-arrays" => json!(true),
            _ => json!(words.next()),
        };
    }
    query
}
