//! The pieces that are of Hiera: files of data, their keys, entries of hierarchies. Which files are data the configurations say, those of
//! the environment and of its modules: what lies in their folders of data and is YAML, JSON or HOCON.

use super::{Piece, PieceKind, Pieces, TreeFile, Uses};
use crate::snapshot::Snapshot;
use bunraku_compiler::survey::LONGEST_NAME;
use bunraku_files::reads::{PathQuestion, Touch};
use bunraku_hiera::data_file::DataFormat;
use bunraku_hiera::data_file::cache::parse;
use bunraku_hiera::data_file::data::Data;
use bunraku_hiera::data_file::{aliased_keys, item_lines, key_lines, touch_of};
use bunraku_hiera::lookup_options::LOOKUP_OPTIONS;
use bunraku_vm::regex;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// The name of configurations.
const CONFIGURATION: &str = "hiera.yaml";
/// Where data lies unless a configuration says otherwise.
pub(crate) const DATADIR: &str = "data";
/// What entries say of where they look.
const LOCATIONS: [&str; 4] = ["path", "paths", "glob", "globs"];

/// An entry of a hierarchy.
struct Entry {
    name: String,
    line: Option<u32>,
    datadir: PathBuf,
    /// What it looks at below that; none where that is not said as paths.
    paths: Option<Vec<String>>,
}

/// A configuration.
struct Configuration<'f> {
    file: &'f TreeFile,
    folder: PathBuf,
    entries: Vec<Entry>,
}

/// Adds them to the others.
pub(super) fn add(snapshot: &Snapshot, files: &[TreeFile], pieces: &mut Pieces) {
    let mut all = Vec::new();
    for file in files.iter().filter(|file| file.inside == CONFIGURATION) {
        let bytes = snapshot.tree().read(&file.path).map_err(|error| error.to_string());
        match bytes.and_then(|bytes| configuration(file, &bytes)) {
            Ok(configuration) => all.push(configuration),
            Err(message) => pieces.unread.push((file.path.clone(), message)),
        }
    }
    let folders: HashSet<PathBuf> =
        all.iter().flat_map(|one| one.entries.iter().map(|entry| entry.datadir.clone())).collect();
    let is_data = |file: &&TreeFile| {
        format_of(&file.path).is_some() && file.path.ancestors().any(|folder| folders.contains(folder))
    };
    let data: Vec<&TreeFile> =
        files.iter().filter(|file| file.inside != CONFIGURATION).filter(is_data).collect();
    for file in &data {
        pieces.data_file(snapshot, file);
    }
    for configuration in &all {
        pieces.layers(configuration, &data);
    }
}

/// The form of a file of data, by its name.
pub(crate) fn format_of(path: &Path) -> Option<DataFormat> {
    match path.extension()?.to_str()? {
        "yaml" | "yml" | "eyaml" => Some(DataFormat::Yaml),
        "json" => Some(DataFormat::Json),
        "conf" | "hocon" => Some(DataFormat::Hocon),
        _ => None,
    }
}

pub(crate) fn get<'d>(map: &'d Data, key: &str) -> Option<&'d Data> {
    match map {
        Data::Map(pairs) => pairs.iter().find(|(own, _)| text(own) == Some(key)).map(|(_, value)| value),
        Data::Object(_, inner) => get(inner, key),
        _ => None,
    }
}

pub(crate) fn text(data: &Data) -> Option<&str> {
    match data {
        Data::Text(text) | Data::Symbol(text) => Some(text),
        Data::Object(_, inner) => text_of_object(inner),
        _ => None,
    }
}

fn text_of_object(inner: &Data) -> Option<&str> {
    if let Data::Text(text) = inner { Some(text) } else { None }
}

pub(crate) fn list(data: &Data) -> &[Data] {
    match data {
        Data::List(items) => items,
        Data::Object(_, inner) => list(inner),
        other => std::slice::from_ref(other),
    }
}

fn configuration<'f>(file: &'f TreeFile, bytes: &[u8]) -> Result<Configuration<'f>, String> {
    let folder = file.path.parent().unwrap_or(Path::new("")).to_path_buf();
    let data = parse(&file.path, bytes, DataFormat::Yaml)?;
    let default = get(&data, "defaults").and_then(|defaults| get(defaults, "datadir")).and_then(text);
    let mut entries = Vec::new();
    for key in ["hierarchy", "default_hierarchy"] {
        let lines = item_lines(&file.path, bytes, DataFormat::Yaml, key);
        for (number, entry) in get(&data, key).map(list).unwrap_or_default().iter().enumerate() {
            let Some(name) = get(entry, "name").and_then(text) else { continue };
            let datadir = get(entry, "datadir").and_then(text).or(default).unwrap_or(DATADIR);
            // A folder that is computed may be any: all below the configuration counts as data then.
            let datadir = if datadir.contains("%{") { "" } else { datadir };
            let said = |key: &&str| get(entry, key).map(|value| (value, key.starts_with("glob")));
            let paths = LOCATIONS
                .iter()
                .find_map(said)
                .map(|(value, _)| list(value).iter().filter_map(text).map(str::to_owned).collect::<Vec<_>>());
            let line = lines.get(number).copied();
            let datadir = plain(&folder.join(datadir));
            entries.push(Entry { name: name.to_owned(), line, datadir, paths });
        }
    }
    if entries.is_empty() {
        // Puppet's own hierarchy.
        let paths = Some(vec!["common.yaml".to_owned()]);
        entries.push(Entry { name: "Common".to_owned(), line: None, datadir: folder.join(DATADIR), paths });
    }
    Ok(Configuration { file, folder, entries })
}

/// A path without `.` and `..`.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = plain.pop(),
            other => plain.push(other),
        }
    }
    plain
}

/// What a path with interpolations and wildcards may be, as a regular expression.
fn pattern(path: &str) -> String {
    let mut pattern = String::from("\\A");
    let mut rest = path;
    while let Some(c) = rest.chars().next() {
        if let Some(end) = rest.strip_prefix("%{").and_then(|inner| inner.find('}')) {
            pattern.push_str(".*");
            rest = &rest[end + 3..];
            continue;
        }
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' | ',' => pattern.push_str(".*"),
            c => pattern.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
        rest = &rest[c.len_utf8()..];
    }
    pattern + "\\z"
}

impl Pieces {
    fn data_file(&mut self, snapshot: &Snapshot, file: &TreeFile) {
        let Some(format) = format_of(&file.path) else { return };
        let [data, content, kind] = [PathQuestion::Data, PathQuestion::Content, PathQuestion::Kind]
            .map(|asked| Touch::of(asked, &file.name));
        self.push(file, PieceKind::Data, file.inside.clone(), Uses::Any(vec![data, content, kind]));
        let bytes = snapshot.tree().read(&file.path).map_err(|error| error.to_string());
        let parsed = bytes.and_then(|bytes| Ok((parse(&file.path, &bytes, format)?, bytes)));
        let (parsed, bytes) = match parsed {
            Ok(parsed) => parsed,
            Err(message) => return self.unread.push((file.path.clone(), message)),
        };
        texts(&parsed, &mut self.texts);
        let aliased = aliased_keys(&bytes, format);
        for (key, line) in key_lines(&file.path, &bytes, format) {
            if key == LOOKUP_OPTIONS {
                continue;
            }
            self.all.push(Piece {
                kind: PieceKind::Key,
                uses: match resting_on(&key, &aliased) {
                    Some(keys) => Uses::Key(data, keys.into_iter().map(touch_of).collect(), content),
                    None => Uses::Any(vec![data, content]),
                },
                name: key,
                file: file.path.clone(),
                line: Some(line),
                module: file.module.clone(),
                loaded: vec![data, content, kind],
            });
        }
    }

    /// Entries all of whose files are of a tree: those that could lead to one that is read are used.
    fn layers(&mut self, configuration: &Configuration<'_>, data: &[&TreeFile]) {
        for entry in &configuration.entries {
            let (Some(paths), Some(line)) = (&entry.paths, entry.line) else { continue };
            // Elsewhere nobody has asked for files by names of the tree.
            if !entry.datadir.starts_with(&configuration.folder)
                || paths.iter().any(|path| path.contains(".."))
            {
                continue;
            }
            let patterns: Vec<String> = paths.iter().map(|path| pattern(path)).collect();
            let fits = |file: &&&TreeFile| {
                let Ok(below) = file.path.strip_prefix(&entry.datadir) else { return false };
                let below = below.to_string_lossy();
                patterns.iter().any(|pattern| {
                    let with_ending = below.rsplit_once('.').map_or(&*below, |(stem, _)| stem);
                    regex::is_match(pattern, &below).unwrap_or(true)
                        || regex::is_match(pattern, with_ending).unwrap_or(true)
                })
            };
            let touches = data.iter().filter(fits).flat_map(|file| {
                [PathQuestion::Data, PathQuestion::Content].map(|asked| Touch::of(asked, &file.name))
            });
            self.all.push(Piece {
                kind: PieceKind::Layer,
                name: entry.name.clone(),
                file: configuration.file.path.clone(),
                line: Some(line),
                module: configuration.file.module.clone(),
                uses: Uses::AnyOf(touches.collect()),
                loaded: Vec::new(),
            });
        }
    }
}

/// A key and those that rest on it, by what says which key names another; none where all of the file does.
fn resting_on<'k>(key: &'k str, aliased: &'k [(String, Option<String>)]) -> Option<Vec<&'k str>> {
    let mut all = vec![key];
    let mut looked_at = 0;
    while let Some(owner) = all.get(looked_at).copied() {
        looked_at += 1;
        for (_, user) in aliased.iter().filter(|(of, _)| of == owner) {
            let user = user.as_deref()?;
            if !all.contains(&user) {
                all.push(user);
            }
        }
    }
    Some(all)
}

/// The texts of a file of data, of a length that names have: values, and keys that are no keys of Hiera's.
fn texts(data: &Data, all: &mut HashSet<String>) {
    let mut open: Vec<&Data> = match data {
        Data::Map(pairs) => pairs.iter().map(|(_, value)| value).collect(),
        other => vec![other],
    };
    while let Some(next) = open.pop() {
        match next {
            Data::Text(text) if text.len() <= LONGEST_NAME => _ = all.insert(text.clone()),
            Data::List(items) => open.extend(items),
            Data::Map(pairs) => open.extend(pairs.iter().flat_map(|(key, value)| [key, value])),
            Data::Object(_, inner) => open.push(inner),
            _ => {}
        }
    }
}
