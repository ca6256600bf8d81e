//! Data files, parsed once: a file is read again when its size or time of change differs.

use super::data::Data;
use super::format::{DataFault, DataFormat};
use super::hocon;
use super::indexed::DataFile;
use super::yaml::{self, Patterns, YamlFault};
use crate::backend::kept_answers::KeptAnswers;
use crate::layer::LayerKind;
use bumpalo::Bump;
use bunraku_files::archive::{OpenArchive, SELF};
use bunraku_files::memo::{Contract, FileMemo, Memo, NEVER, SessionFiles};
use bunraku_files::reads::PathQuestion;
use bunraku_files::recent::Recent;
use bunraku_files::shared_words::SharedWords;
use bunraku_files::tree::Tree;
use bunraku_vm::archive::layout::Section;
use bunraku_vm::archive::reader::Entry;
use bunraku_vm::archive::{ArchiveFault, Read};
use bunraku_vm::value::Value;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Bit of a data part's variant: it is no value but what is wrong with the file.
pub const WRONG: u32 = 2;

/// The data of a file, or why it has none.
pub type ParsedFile = Result<Arc<DataFile>, DataFault>;

/// Data files of all snapshots of a session, in each [`DataFormat`], and texts that functions have loaded as YAML.
pub struct SessionData {
    files: Arc<SessionFiles<ParsedFile, 3>>,
    /// Texts without and with regular expressions. Key: the text. Bound: [`MOST_TEXTS`] of each, none longer than
    /// [`LONGEST_TEXT`]. Never stale. Test: `a_text_is_loaded_once`.
    texts: [Mutex<LoadedTexts>; 2],
    /// Files that are loaded so.
    loaded: Arc<SessionFiles<Option<Arc<Loaded>>, 1>>,
}

type LoadedTexts = Recent<Box<str>, Option<Arc<Loaded>>>;

/// Data as Psych loads it.
pub struct Loaded {
    data: Data,
    has_symbols: bool,
}

impl Loaded {
    fn of(text: &str, patterns: Patterns) -> Option<Arc<Loaded>> {
        let data = yaml::load(text, patterns).ok()?;
        Some(Arc::new(Loaded { has_symbols: data.has_symbols(), data }))
    }

    /// The value, symbols as texts.
    pub fn value<'c>(&self, arena: &'c Bump) -> Value<'c> {
        match self.has_symbols {
            true => self.data.clone().with_symbols_as_text().value(arena),
            false => self.data.value(arena),
        }
    }

    /// The value; none where there are symbols in it, or an object that may stand in several places.
    pub fn plain_value<'c>(&self, arena: &'c Bump) -> Option<Value<'c>> {
        (!self.has_symbols).then(|| self.data.value(arena))
    }
}

/// How many texts are kept.
const MOST_TEXTS: usize = 2000;
/// Longer ones are loaded each time.
const LONGEST_TEXT: usize = 1 << 20;

impl Default for SessionData {
    fn default() -> Self {
        SessionData {
            files: Arc::default(),
            texts: [(); 2].map(|()| Mutex::new(Recent::new(MOST_TEXTS))),
            loaded: Arc::default(),
        }
    }
}

impl SessionData {
    /// Those of a session whose environments stay as they are first seen.
    pub fn settled() -> SessionData {
        let (files, loaded) = (SessionFiles::settled().into(), SessionFiles::settled().into());
        SessionData { files, loaded, ..SessionData::default() }
    }
}

const PARSED: Contract = Contract {
    holds: "data files, parsed",
    key: "path and format",
    bound: "the files of the tree; of others, for the next snapshot, and for other archives, 50,000 in each format",
    stale: "the file is another one, or its size or times differ; of an archive, name or content",
    test: "runtime/hiera/src/data_file/cache.rs: a_file_is_read_again_when_it_has_changed",
};

const LOADED: Contract = Contract {
    holds: "files of YAML that code loads, as data; whether they can be loaded",
    key: "path",
    bound: "the files of the tree; of others, for the next snapshot, and for other archives, 50,000; none longer than 1 MiB",
    stale: "the file is another one, or its size or times differ; of an archive, name or content",
    test: "runtime/hiera/src/data_file/cache.rs: a_file_is_loaded_again_when_it_has_changed",
};

const PASSED: Contract = Contract {
    holds: "configurations of Hiera that have passed their checks",
    key: "path, and for which layer",
    bound: "the hiera.yaml files of the tree",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

/// What a snapshot keeps of Hiera's files.
pub struct DataFiles {
    parsed: FileMemo<ParsedFile, 3>,
    passed: Memo<Box<OsStr>, Mutex<Vec<LayerKind>>>,
    loaded: FileMemo<Option<Arc<Loaded>>, 1>,
    /// What functions in Ruby have answered for keys.
    pub(crate) kept_answers: KeptAnswers,
    session: Arc<SessionData>,
}

impl DataFiles {
    /// Nothing read yet but what `session` has of other snapshots.
    pub fn new(session: Arc<SessionData>) -> DataFiles {
        DataFiles {
            parsed: FileMemo::new(&PARSED, session.files.clone())
                .asking(PathQuestion::Data)
                .placeless(Result::is_ok),
            loaded: FileMemo::new(&LOADED, session.loaded.clone()),
            passed: Memo::new(&PASSED),
            kept_answers: KeptAnswers::new(),
            session,
        }
    }

    /// The data of a text as Psych loads it; none where it does not, or only with classes that are not allowed.
    pub fn text(&self, text: &str, patterns: Patterns) -> Option<Arc<Loaded>> {
        if text.len() > LONGEST_TEXT {
            return Loaded::of(text, patterns);
        }
        let texts = &self.session.texts[usize::from(patterns == Patterns::Allowed)];
        let kept = texts.lock().ok().and_then(|mut texts| texts.get(text).cloned());
        if let Some(kept) = kept {
            return kept;
        }
        let loaded = Loaded::of(text, patterns);
        if let Ok(mut texts) = texts.lock() {
            texts.insert(text.into(), loaded.clone());
        }
        loaded
    }

    /// The same of a file's text; none, too, where it can't be read or is long.
    pub fn loaded(&self, tree: &Tree, path: &Path) -> Option<Arc<Loaded>> {
        let make = || {
            let bytes = tree.read(path)?;
            let text = std::str::from_utf8(&bytes).ok().filter(|text| text.len() <= LONGEST_TEXT);
            Ok(text.and_then(|text| Loaded::of(text, Patterns::Refused)))
        };
        self.loaded.get((tree, path, 0), || None, |error: std::io::Error| error, make).ok()?
    }

    /// The data of a file.
    ///
    /// # Errors
    /// Why it has none, with the file's name.
    pub fn get(&self, tree: &Tree, path: &Path, format: DataFormat) -> ParsedFile {
        let unreadable = |error: std::io::Error| {
            DataFault::Unreadable(format!("Unable to read {}: {error}", path.display()))
        };
        let archived = || {
            let data = tree.archived(path, |opened, entry| archived(opened, entry, format))?;
            Some(data.map_err(|fault| match fault {
                DataFault::Unparsable(what) => {
                    DataFault::Unparsable(what.replace(SELF, &path.to_string_lossy()))
                }
                unreadable => unreadable,
            }))
        };
        let make = || {
            if tree.is_dir(path) {
                let message = format!("Unable to read {}: it is no file", path.display());
                return Err(DataFault::Unreadable(message));
            }
            let data = parse(path, &tree.read(path).map_err(unreadable)?, format);
            let file = data.and_then(|data| match DataFile::of(&data) {
                Some(file) => Ok(Arc::new(file)),
                None => Err(format!("({}): it is too large", path.display())),
            });
            Ok(file.map_err(DataFault::Unparsable))
        };
        self.parsed.get((tree, path, format as usize), archived, unreadable, make)?
    }

    /// Whether a configuration of Hiera has passed its checks before, as that of a layer.
    pub(crate) fn config_passed(&self, path: &Path, layer: LayerKind) -> bool {
        let passed = self.passed.get(path.as_os_str()).and_then(|layers| layers.lock().ok());
        passed.is_some_and(|layers| layers.contains(&layer))
    }

    /// Notes that a configuration of Hiera has passed its checks, unless its file may change.
    pub(crate) fn pass_config(&self, tree: &Tree, path: &Path, layer: LayerKind) {
        if tree.holds(path)
            && let Ok(mut layers) = self.passed.get_or(path.as_os_str(), Mutex::default).lock()
        {
            layers.push(layer);
        }
    }
}

/// The data that an archive has of a file, or what it says is wrong with it; nothing if it was not read in that format.
fn archived(opened: &Arc<OpenArchive>, entry: &Entry<'_>, format: DataFormat) -> Read<Option<ParsedFile>> {
    let archive = opened.archive();
    for part in archive.parts(entry)? {
        if part.section != Section::Data || part.variant & !WRONG != format.variant() {
            continue;
        }
        let damaged = ArchiveFault::Cold(Section::Data);
        if part.variant & WRONG != 0 {
            let text = std::str::from_utf8(archive.part_bytes(&part)?);
            return Ok(Some(Err(DataFault::Unparsable(text.map_err(|_| damaged)?.to_owned()))));
        }
        archive.part_words(&part)?;
        let file = DataFile::new(SharedWords::Mapped(opened.clone(), part)).ok_or(damaged)?;
        return Ok(Some(Ok(Arc::new(file))));
    }
    Ok(None)
}

/// The data of a file's content.
///
/// # Errors
/// What is wrong with it, as [`DataFault::Unparsable`] has it.
pub fn parse(path: &Path, bytes: &[u8], format: DataFormat) -> Result<Data, String> {
    let place = path.display();
    let unparsable = |what: String| format!("({place}): {what}");
    let text = std::str::from_utf8(bytes).map_err(|_| unparsable("invalid byte sequence in UTF-8".into()))?;
    // Of data Puppet leaves a byte order mark out. Of a hiera.yaml it does not, and to libyaml it is a column: what is written below
    // the first line lies outside of it then, in the second document, which nobody reads.
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) if path.ends_with("hiera.yaml") => Cow::Owned(format!(" {rest}")),
        Some(rest) => Cow::Borrowed(rest),
        None => Cow::Borrowed(text),
    };
    let text = &*text;
    match format {
        DataFormat::Yaml => yaml::parse(text).map_err(|fault| match fault {
            YamlFault::Alias(_) => fault.to_string(),
            YamlFault::Syntax(_) | YamlFault::Class(_) => unparsable(fault.to_string()),
        }),
        DataFormat::Json => {
            serde_json::from_str(text).map(Data::from_json).map_err(|error| unparsable(error.to_string()))
        }
        DataFormat::Hocon => hocon::parse(text).map_err(unparsable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Puppet 7.23 and 8.10 read them: the mark makes the second line of a hiera.yaml another document.
    #[test]
    fn a_byte_order_mark_is_a_column_of_a_configuration_only() {
        let text = "\u{feff}version: 5\ndefaults: {datadir: d}\n";
        let keys = |name: &str| match parse(Path::new(name), text.as_bytes(), DataFormat::Yaml) {
            Ok(Data::Map(pairs)) => pairs.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!((keys("/e/hiera.yaml"), keys("/e/data/common.yaml")), (1, 2));
    }

    #[test]
    fn a_text_is_loaded_once() {
        let files = DataFiles::new(Arc::default());
        let load = |patterns| files.text("a: !ruby/regexp /^x/", patterns);
        let first = load(Patterns::Allowed).unwrap();
        assert!(Arc::ptr_eq(&first, &load(Patterns::Allowed).unwrap()));
        assert!(load(Patterns::Refused).is_none());
        assert_eq!(first.data, Data::Map(vec![(Data::Text("a".into()), Data::Pattern("^x".into()))]));
    }

    #[test]
    fn a_file_is_loaded_again_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("code.yaml");
        let session = Arc::new(SessionData::default());
        let loaded =
            |files: &DataFiles, tree: &Tree| files.loaded(tree, &file).map(|loaded| loaded.data.clone());
        let load = || loaded(&DataFiles::new(session.clone()), &Tree::default());
        assert_eq!(load(), None);
        std::fs::write(&file, "1\n").unwrap();
        assert_eq!(load(), Some(Data::Int(1)));
        std::fs::write(&file, "[").unwrap();
        assert_eq!(load(), None);
        std::fs::write(&file, [b'a', 0xff]).unwrap();
        assert_eq!(load(), None);
        std::fs::write(&file, "[1]").unwrap();
        let (files, tree) = (DataFiles::new(session.clone()), Tree::default());
        let list = Data::List(vec![Data::Int(1)]);
        assert_eq!(loaded(&files, &tree), Some(list.clone()));
        assert!(Arc::ptr_eq(&files.loaded(&tree, &file).unwrap(), &files.loaded(&tree, &file).unwrap()));
        std::fs::write(&file, "x".repeat(LONGEST_TEXT + 1)).unwrap();
        assert_eq!(loaded(&files, &tree), None);
    }

    #[test]
    fn a_file_is_read_again_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("common.yaml");
        let session = Arc::new(SessionData::default());
        let entries = |tree: &Tree, files: &DataFiles| {
            let parsed = files.get(tree, &file, DataFormat::Yaml);
            Arc::as_ptr(&parsed.unwrap())
        };
        let tree = || {
            let mut tree = Tree::default();
            tree.set_roots(Some(folder.path()), &[]);
            tree
        };
        std::fs::write(&file, "a: 1\n").unwrap();
        let (first, files) = (tree(), DataFiles::new(session.clone()));
        let parsed = entries(&first, &files);
        // Another snapshot takes it as long as it is the same.
        assert_eq!(entries(&tree(), &DataFiles::new(session.clone())), parsed);
        std::fs::write(&file, "a: 1\nb: 2\n").unwrap();
        assert_ne!(entries(&tree(), &DataFiles::new(session.clone())), parsed);
        // The snapshot before keeps its own.
        assert_eq!(entries(&first, &files), parsed);
        assert!(!first.is_current());
        // A file outside of the tree is looked at each time.
        let (outside, files) = (Tree::default(), DataFiles::new(session));
        let parsed = entries(&outside, &files);
        assert_eq!(entries(&outside, &files), parsed);
        std::fs::write(&file, "a: 1\nb: 2\nc: 3\n").unwrap();
        assert_ne!(entries(&outside, &files), parsed);
    }
}
