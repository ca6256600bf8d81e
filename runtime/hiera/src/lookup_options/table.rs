//! Options by key and by pattern, and what a compile keeps of them.

use super::patterns::{self, common_start, literal_start};
use crate::data_file::plain_options::{FileOptions, KeyPattern};
use bumpalo::Bump;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::regex;
use bunraku_vm::value::{Hash, Value};
use hashbrown::HashMap;

/// The options that hold for certain keys; none where nothing is said of any.
pub(crate) type Options<'c> = Option<&'c OptionsTable<'c>>;

/// Options by key and by pattern.
pub(crate) enum OptionsTable<'c> {
    /// What a merge gave.
    Merged {
        /// All of them.
        all: Hash<'c>,
        /// The keys that are patterns.
        patterns: &'c [MergedPattern<'c>],
    },
    /// Those of files, of which the first that has a key counts.
    Files {
        /// The files.
        files: &'c [FileOptions<'c>],
        /// Their keys that are patterns, in the order in which a merge has them.
        patterns: &'c [KeyPattern<'c>],
        /// What every text begins with that fits one of the patterns.
        start: &'c str,
    },
}

/// A key of merged options that is a pattern.
#[derive(Clone, Copy)]
pub(crate) struct MergedPattern<'c> {
    text: &'c str,
    /// What a text begins with that fits.
    start: &'c str,
    options: Value<'c>,
}

/// What a compile keeps of `lookup_options`. They are asked for once, as in Puppet: nothing of it is ever stale.
/// Test: `spec/hiera.md`, "Which of several lookup_options counts" and "A module's lookup_options".
#[derive(Default)]
pub(crate) struct ReadOptions<'c> {
    /// Those of the global layer: outer none as long as nobody has asked, here and below.
    pub global: Option<Option<Hash<'c>>>,
    /// Those of the environment with the global ones in them.
    pub environment: Option<(Option<Hash<'c>>, Options<'c>)>,
    /// Those of both layers where these are nothing but files; inner none where there is more to them.
    pub shared_files: Option<Option<SharedOptions<'c>>>,
    /// Those for the keys of each module, those of all layers in them. Key: the module's name, empty for keys without
    /// one; bound: the first parts of keys that are looked for.
    pub by_module: HashMap<String, Options<'c>>,
    /// Those of a module's default hierarchy. Key and bound: as above.
    pub of_default_hierarchies: HashMap<String, Options<'c>>,
}

/// The options of the global layer and the environment's, where these are nothing but files.
#[derive(Clone, Copy)]
pub(crate) struct SharedOptions<'c> {
    /// As a table.
    pub table: Options<'c>,
    /// The files it was made of.
    pub files: &'c [FileOptions<'c>],
}

impl<'c> ReadOptions<'c> {
    /// The options for a module's keys; none as long as nobody has asked for them.
    pub fn of(&self, module: Option<&str>) -> Option<Options<'c>> {
        self.by_module.get(module.unwrap_or_default()).copied()
    }
}

impl<'c> OptionsTable<'c> {
    /// The table of options that a merge gave.
    ///
    /// # Errors
    /// Ruby's for a pattern that is no regular expression.
    pub fn merged(arena: &'c Bump, all: Hash<'c>) -> Eval<'c, &'c Self> {
        let keys = all.entries().iter().filter_map(|(key, value)| Some((key.as_str()?, *value)));
        let patterns = keys.filter(|(key, _)| key.starts_with('^'));
        let patterns = patterns.map(|(text, options)| {
            patterns::check(text).map_err(Flow::of_pattern)?;
            Ok(MergedPattern { text, start: literal_start(text), options })
        });
        let patterns = patterns.collect::<Eval<'c, Vec<_>>>()?;
        Ok(arena.alloc(OptionsTable::Merged { all, patterns: arena.alloc_slice_copy(&patterns) }))
    }

    /// The table of the options of files, the first of which goes before the others; none for no files.
    pub fn of_files(arena: &'c Bump, files: &[FileOptions<'c>]) -> Options<'c> {
        if files.is_empty() {
            return None;
        }
        let patterns: Vec<_> = files.iter().rev().flat_map(|file| file.patterns()).collect();
        let start = patterns.iter().map(|pattern| pattern.start).reduce(common_start).unwrap_or_default();
        let (files, patterns) = (arena.alloc_slice_copy(files), arena.alloc_slice_copy(&patterns));
        Some(arena.alloc(OptionsTable::Files { files, patterns, start }))
    }

    /// The options of a key: under its name, or under the first pattern that fits.
    ///
    /// # Errors
    /// When an archive has been changed while it is in use.
    pub fn matching(&self, hash_of_root: u64, root: &str) -> Eval<'c, Option<Hash<'c>>> {
        let found = match self {
            OptionsTable::Merged { all, patterns } => {
                let own = all.get_str(root).filter(|value| !value.is_undef());
                let fits = |pattern: &&MergedPattern<'c>| {
                    root.starts_with(pattern.start) && regex::is_match(pattern.text, root) == Ok(true)
                };
                own.or_else(|| patterns.iter().find(fits).map(|pattern| pattern.options))
            }
            OptionsTable::Files { files, patterns, start } => {
                match in_files(files, hash_of_root, root)?.filter(|value| !value.is_undef()) {
                    Some(own) => Some(own),
                    None if !root.starts_with(start) => None,
                    None => match patterns.iter().find(|pattern| pattern.fits(root)) {
                        Some(pattern) => in_files(files, pattern.hash, pattern.text)?,
                        None => None,
                    },
                }
            }
        };
        Ok(as_hash(found))
    }
}

/// What the first of some files that has a key has under it.
fn in_files<'c>(files: &[FileOptions<'c>], hash: u64, key: &str) -> Eval<'c, Option<Value<'c>>> {
    for file in files {
        if let Some(value) = file.find(hash, key)? {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// A value that is a hash.
pub(super) fn as_hash(value: Option<Value<'_>>) -> Option<Hash<'_>> {
    match value {
        Some(Value::Hash(hash)) => Some(hash),
        _ => None,
    }
}
