//! Configurations: a `hiera.yaml` that has been read, and what every version of it has in common. [`read`] reads one,
//! [`checks`] holds version 4 and 5 to their types, [`version3`] is all of version 3, [`resolve`] makes entries of a
//! hierarchy, [`location`] is what these look at. Source: `Puppet::Pops::Lookup::HieraConfig`.

mod checks;
pub mod location;
mod read;
mod resolve;
pub(crate) mod version3;

use crate::merge::MergeStrategy;
use bumpalo::Bump;
use bunraku_files::tree::Tree;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::Flow;
use bunraku_vm::value::{Hash, HashBuilder, Value};
use std::path::{Path, PathBuf};

/// A configuration that has passed its checks.
pub struct Config<'c> {
    /// Its file; none for the defaults.
    pub path: Option<PathBuf>,
    /// What relative paths are relative to.
    root: PathBuf,
    /// 3, 4 or 5.
    pub version: i64,
    /// What the old functions merge hashes with, if the configuration (version 3) says so.
    pub merge: Option<MergeStrategy<'c>>,
    /// What it holds, with defaults filled in.
    pub(crate) data: Hash<'c>,
    tree: &'c Tree,
}

/// Keys that name an entry's function.
const FUNCTIONS: [&str; 4] = ["data_hash", "lookup_key", "data_dig", "hiera3_backend"];
/// The same with the one that Puppet has for the data providers of old, which defaults may not have.
const FUNCTIONS_OF_ENTRIES: [&str; 5] =
    ["data_hash", "lookup_key", "data_dig", "hiera3_backend", "v4_data_hash"];
/// Keys that say what an entry looks at.
const LOCATIONS: [&str; 7] = ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];

/// The two hierarchies that a configuration may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HierarchyName {
    /// `hierarchy`
    Main,
    /// `default_hierarchy`, of modules alone
    Default,
}

impl HierarchyName {
    /// The key it stands under.
    fn key(self) -> &'static str {
        match self {
            HierarchyName::Main => "hierarchy",
            HierarchyName::Default => "default_hierarchy",
        }
    }
}

/// A text under a key.
fn text_at<'c>(hash: Hash<'c>, key: &str) -> Option<&'c str> {
    hash.get_str(key).and_then(Value::as_str)
}

impl<'c> Config<'c> {
    /// The configuration of a function that gives all data: one entry, which no file says.
    pub(crate) fn of_legacy_function(
        arena: &'c Bump,
        tree: &'c Tree,
        root: &Path,
        function: &str,
    ) -> Config<'c> {
        let mut entry = HashBuilder::new(arena);
        entry.insert_str("name", Value::str(arena, &format!("Legacy function '{function}'")));
        entry.insert_str("v4_data_hash", Value::str(arena, function));
        let mut data = HashBuilder::new(arena);
        data.insert_str("version", Value::Int(5));
        data.insert_str("hierarchy", Value::array(arena, &[Value::Hash(entry.finish())]));
        Config { path: None, root: root.to_path_buf(), version: 5, merge: None, data: data.finish(), tree }
    }

    /// An error of the configuration, at a line of it.
    pub(crate) fn fail(&self, code: &'static str, message: String, line: Option<u32>) -> Box<Flow<'c>> {
        let file = self.path.as_ref().map(|path| path.to_string_lossy().into());
        let place = Place { file, line, column: None };
        Flow::formed(Diagnostic::error(message).at(place).with_code(code))
    }

    /// The number of the first line behind `after` that `fits`, comments left out, for errors.
    pub(crate) fn line(&self, after: u32, fits: impl Fn(&str) -> bool) -> Option<u32> {
        let text = self.tree.read_to_string(self.path.as_ref()?).ok()?;
        let found = text
            .lines()
            .enumerate()
            .find(|(n, line)| *n as u32 + 1 > after && fits(line.split(" #").next().unwrap_or_default()));
        found.map(|(n, _)| n as u32 + 1)
    }

    /// Whether a module has a hierarchy that comes after everything.
    pub fn has_default_hierarchy(&self) -> bool {
        self.data.get_str("default_hierarchy").is_some()
    }

    /// The entries of a hierarchy as they are written.
    fn hierarchy(&self, key: &str) -> Vec<Hash<'c>> {
        match self.data.get_str(key) {
            Some(Value::Array(entries)) => {
                let hashes = entries.items().iter().filter_map(|entry| match entry {
                    Value::Hash(hash) => Some(*hash),
                    _ => None,
                });
                hashes.collect()
            }
            _ => Vec::new(),
        }
    }

    fn defaults(&self) -> Option<Hash<'c>> {
        match self.data.get_str("defaults") {
            Some(Value::Hash(hash)) => Some(hash),
            _ => None,
        }
    }
}

/// Whether a word stands in a line, with something before it.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        before.is_some_and(|c| !is_part(c)) && !line[start + word.len()..].starts_with(is_part)
    })
}
