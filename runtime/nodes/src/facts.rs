//! Facts: read from JSON or YAML, in whatever shape they come: plain, `facter --json`, `puppet facts`, PuppetDB.

use crate::{legacy_facts, psych};
use bunraku_files::read;
use serde_json::{Map, Value as Json};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// The facts of a node: its own, or those of a job, which may compile often.
#[derive(Clone, Debug)]
pub enum Facts {
    /// Its own.
    Own(Map<String, Json>),
    /// An object that others have, too.
    Shared(Arc<Json>),
}

impl Facts {
    /// The facts that a job gives, in any of the shapes that [`facts`] reads.
    ///
    /// # Errors
    /// As of [`facts`].
    pub fn of(given: &Arc<Json>) -> Result<Facts, String> {
        match &**given {
            Json::Object(map) if !is_named(map) => Ok(Facts::Shared(Arc::clone(given))),
            other => facts(other).map(Facts::Own),
        }
    }

    /// The same without legacy facts.
    pub fn without_legacy(&self) -> Facts {
        Facts::Own(legacy_facts::without_legacy(self.map()))
    }

    /// By name.
    pub fn map(&self) -> &Map<String, Json> {
        static NONE: LazyLock<Map<String, Json>> = LazyLock::new(Map::new);
        match self {
            Facts::Own(map) => map,
            Facts::Shared(json) => json.as_object().unwrap_or(&NONE),
        }
    }
}

/// Whether that is what `puppet facts` prints: the node's name, its facts under `values`.
fn is_named(map: &Map<String, Json>) -> bool {
    map.contains_key("name") && map.get("values").is_some_and(Json::is_object)
}

/// The facts a job gives: an object, a list as PuppetDB has it, or the path of a file with either. What others send
/// is read by [`shape`], which takes no paths.
///
/// # Errors
/// When the file can't be read or its content is no facts.
pub fn facts(given: &Json) -> Result<Map<String, Json>, String> {
    match given {
        Json::String(path) => of_file(Path::new(path)),
        other => shape(other.clone()),
    }
}

/// The facts of a node from a folder that holds a file for each: `NAME.yaml`, `NAME.yml` or `NAME.json`, there or
/// below `facts`, as a server keeps them.
///
/// # Errors
/// When there is none, or it can't be used.
pub fn of_node(folder: &Path, node: &str) -> Result<Map<String, Json>, String> {
    of_file(&file_of_node(folder, node)?)
}

/// The file of a node in such a folder.
///
/// # Errors
/// When there is none.
pub(crate) fn file_of_node(folder: &Path, node: &str) -> Result<PathBuf, String> {
    if node.contains(['/', '\0']) || matches!(node, "." | "..") {
        return Err(format!("Could not find facts for {node:?}: that is no node's name"));
    }
    let places = [folder.to_owned(), folder.join("facts")];
    let files: Vec<PathBuf> = places
        .iter()
        .flat_map(|place| ["yaml", "yml", "json"].map(|extension| place.join(format!("{node}.{extension}"))))
        .collect();
    if let Some(file) = files.iter().find(|file| file.is_file()) {
        return Ok(file.clone());
    }
    match files.iter().find(|file| file.is_symlink()).map(|link| (link, link.metadata())) {
        Some((link, Err(error))) => Err(format!("Could not read facts {}, a link: {error}", link.display())),
        _ => Err(format!("Could not find facts for {node} in {}", folder.display())),
    }
}

/// The nodes that such a folder has facts of, by name.
///
/// # Errors
/// When there are none.
pub fn nodes(folder: &Path) -> Result<Vec<String>, String> {
    let files =
        [folder.to_owned(), folder.join("facts")].into_iter().filter_map(|place| place.read_dir().ok());
    let paths = files.flat_map(|entries| entries.flatten().map(|entry| entry.path()));
    let facts =
        paths.filter(|path| path.extension().is_some_and(|e| e == "yaml" || e == "yml" || e == "json"));
    // What an editor or a copy has left there is hidden, and no name of a node begins so.
    let is_hidden = |name: &String| name.starts_with('.');
    let mut names: Vec<String> = facts
        .filter_map(|path| path.file_stem()?.to_str().map(str::to_owned))
        .filter(|name| !is_hidden(name))
        .collect();
    names.sort();
    names.dedup();
    match names.is_empty() {
        true => Err(format!("Could not find facts of any node in {}", folder.display())),
        false => Ok(names),
    }
}

/// The facts of a regular file.
///
/// # Errors
/// When it can't be read or its content is no facts.
pub fn of_file(path: &Path) -> Result<Map<String, Json>, String> {
    regular_data(path).and_then(|json| shaped(path, json))
}

/// The facts of a file that the user has named, which may be a pipe.
///
/// # Errors
/// As [`of_file`].
pub fn given(path: &Path) -> Result<Map<String, Json>, String> {
    given_data(path).and_then(|json| shaped(path, json))
}

/// What is in a regular file of facts, whatever its shape.
///
/// # Errors
/// When it can't be read or parsed.
pub(crate) fn regular_data(path: &Path) -> Result<Json, String> {
    data(read::regular_text(path, read::MAX_FILE), &named(path))
}

/// The same of a file that the user has named, which may be a pipe.
///
/// # Errors
/// As [`regular_data`].
pub(crate) fn given_data(path: &Path) -> Result<Json, String> {
    data(read::given_text(path, read::MAX_FILE), &named(path))
}

/// What messages call a file of facts.
fn named(path: &Path) -> String {
    format!("facts {}", path.display())
}

fn shaped(path: &Path, json: Json) -> Result<Map<String, Json>, String> {
    shape(json).map_err(|error| format!("Could not use {}: {error}", named(path)))
}

/// The object in a JSON or YAML file that the user has named; `what` says in messages what it was to be.
///
/// # Errors
/// When it can't be read or is no object.
pub fn object(path: &Path, what: &str) -> Result<Map<String, Json>, String> {
    let what = format!("{what} {}", path.display());
    match data(read::given_text(path, read::MAX_FILE), &what)? {
        Json::Object(map) => Ok(map),
        _ => Err(format!("Could not use {what}: it is not an object")),
    }
}

fn data(text: io::Result<String>, what: &str) -> Result<Json, String> {
    let text = text.map_err(|error| format!("Could not read {what}: {error}"))?;
    // Every JSON text is nearly YAML; a file that begins like JSON is told what is wrong with it as JSON.
    let parsed = if text.trim_start().starts_with(['{', '[']) {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    } else {
        psych::of_facts(&text)
    };
    parsed.map_err(|error| format!("Could not parse {what}: {error}"))
}

/// The facts in data: an object, plain or as `puppet facts` has it, or a list as PuppetDB has it.
///
/// # Errors
/// When it is neither.
pub fn shape(json: Json) -> Result<Map<String, Json>, String> {
    match json {
        Json::Object(mut map) if is_named(&map) => match map.remove("values") {
            Some(Json::Object(values)) => Ok(values),
            _ => Ok(Map::new()),
        },
        Json::Object(map) => Ok(map),
        // PuppetDB: a list of names and values.
        Json::Array(items) => {
            let fact =
                |item: &Json| Some((item.get("name")?.as_str()?.to_owned(), item.get("value")?.clone()));
            items
                .iter()
                .map(fact)
                .collect::<Option<Map<_, _>>>()
                .ok_or_else(|| "Facts are neither an object nor a list of names and values".to_owned())
        }
        _ => Err("Facts are neither an object nor a list of names and values".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn facts_come_in_several_shapes() {
        let plain = json!({"os": {"family": "Debian"}, "uptime": 3});
        let puppet = json!({"name": "a.example.com", "values": plain, "timestamp": "now"});
        let database = json!([
            {"certname": "a", "name": "os", "value": {"family": "Debian"}},
            {"certname": "a", "name": "uptime", "value": 3},
        ]);
        for given in [&plain, &puppet, &database] {
            assert_eq!(Json::Object(facts(given).unwrap()), plain);
        }
        assert!(facts(&json!(3)).is_err());
        assert!(facts(&json!(["os"])).is_err());
    }

    #[test]
    fn yaml_that_puppet_has_kept_is_read_as_puppet_reads_it() {
        let text = "--- !ruby/object:Puppet::Node::Facts\nname: a.example.com\nvalues:\n  serialnumber: 7e21\n  gitrev: 12e3456\n  \
                    board: 0o17\n  mode: 0644\n  flag: N\ntimestamp: 2026-11-28 10:00:00.000000000 +00:00\n";
        let wanted =
            json!({"serialnumber": "7e21", "gitrev": "12e3456", "board": "0o17", "mode": 420, "flag": "N"});
        assert_eq!(Json::Object(shape(psych::of_facts(text).unwrap()).unwrap()), wanted);
    }

    #[test]
    fn yaml_is_read_as_json_is() {
        let folder = std::env::temp_dir().join(format!("bunraku-facts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("facts.yaml");
        std::fs::write(&file, "--- !ruby/object:Puppet::Node::Facts\nname: a.example.com\nvalues:\n  os:\n    family: Debian\n  b: 'no'\n  n: 1\n").unwrap();
        let read = of_file(&file).unwrap();
        assert_eq!(Json::Object(read), json!({"os": {"family": "Debian"}, "b": "no", "n": 1}));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
