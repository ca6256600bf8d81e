//! The one form in which two results are compared and hashed.
//!
//! The canonical text of a catalog is its JSON, compact, keys in the order they came in, with
//! `catalog_uuid` and `version` taken out (a random number and the time) and the module path
//! written as `{modules}`; the address of a Ruby object and the number of a temporary file become
//! 0. Of an error it is the message, likewise. Of logs it is one `[level, message]` pair a line. Hashes are the first 16 hex digits of SHA-256.

use regex_lite::Regex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// Replaces a machine's own paths by names that are the same everywhere.
pub struct Places(Vec<(String, &'static str)>);

impl Places {
    /// Replaces each path by its name, the longest path first.
    pub fn new(mut places: Vec<(String, &'static str)>) -> Places {
        places.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Places(places)
    }

    /// The corpus's module path.
    pub fn corpus() -> Places {
        Places::new(vec![(crate::paths::modules().display().to_string(), "{modules}")])
    }

    fn text(&self, text: &mut String) {
        hide_addresses(text);
        hide_temporary_names(text);
        for (path, name) in &self.0 {
            if text.contains(path.as_str()) {
                *text = text.replace(path.as_str(), name);
            }
        }
    }

    /// Renames paths in every string of the value.
    pub fn apply(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply(item)),
            Value::Object(map) => {
                map.values_mut().for_each(|item| self.apply(item));
                if map.keys().any(|key| self.0.iter().any(|(path, _)| key.contains(path.as_str()))) {
                    let entries = std::mem::take(map);
                    map.extend(entries.into_iter().map(|(mut key, item)| {
                        self.text(&mut key);
                        (key, item)
                    }));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Some of Puppet's messages show a Ruby object with its address, which is another each time.
fn hide_addresses(text: &mut String) {
    let mut from = 0;
    while let Some(at) = text[from..].find(":0x").map(|at| from + at + 3) {
        let digits = text[at..].bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits == 16 {
            text.replace_range(at..at + digits, "0");
        }
        from = at;
    }
}

/// The text with the addresses of Ruby objects made 0.
pub fn without_addresses(mut text: String) -> String {
    hide_addresses(&mut text);
    text
}

/// Ruby's temporary files have the day, the process and a random number behind their names (`cmd20260102-77-x1y2z3`):
/// those become 0.
fn hide_temporary_names(text: &mut String) {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(/tmp/[A-Za-z_.]+)20[0-9]{6}-[0-9]+-[0-9a-z]{4,8}").expect("a valid expression")
    });
    if text.contains("/tmp/") {
        *text = NAME.replace_all(text, "${1}0").into_owned();
    }
}

/// Brings a result of `batch` to the canonical form, in place.
pub fn normalise(result: &mut Value, places: &Places) {
    if let Some(catalog) = result.get_mut("catalog").and_then(Value::as_object_mut) {
        catalog.shift_remove("catalog_uuid");
        catalog.shift_remove("version");
    }
    places.apply(result);
}

/// The hash of a normalised result's catalog, or of its error.
pub fn outcome_hash(result: &Value) -> String {
    if result["ok"] == Value::Bool(true) {
        hash(&result["catalog"].to_string())
    } else {
        hash(result["error"]["message"].as_str().unwrap_or_default())
    }
}

/// The hash of a normalised result's logs.
pub fn logs_hash(result: &Value) -> String {
    let logs = result["logs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines: Vec<String> =
        logs.iter().map(|log| serde_json::json!([log["level"], log["message"]]).to_string()).collect();
    hash(&lines.join("\n"))
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
