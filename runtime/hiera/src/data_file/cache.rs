//! Data files, parsed once: a file is read again when its size or time of change differs.

use crate::data_file::DataFile;
use crate::data_file::data::Data;
use crate::data_file::hocon;
use crate::data_file::yaml::{self, Fault};
use crate::layer::Place;
use bunraku_files::archive::{Opened, SELF};
use bunraku_files::memo::{Contract, FileMemo, Memo, NEVER, SessionFiles};
use bunraku_files::shared_words::SharedWords;
use bunraku_files::tree::Tree;
use bunraku_vm::archive::layout::Section;
use bunraku_vm::archive::reader::Entry;
use bunraku_vm::archive::{ArchiveFault, Read};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// YAML, as Psych reads it.
    Yaml,
    /// JSON.
    Json,
    /// HOCON, as Ruby's gem reads it.
    Hocon,
}

impl Format {
    /// The variant of its parts in archives.
    pub fn variant(self) -> u32 {
        match self {
            Format::Yaml => 0,
            Format::Json => 1,
            Format::Hocon => 4,
        }
    }
}

/// Bit of a data part's variant: it is no value but what is wrong with the file.
pub const WRONG: u32 = 2;

/// The data of a file, or why it has none.
pub type Parsed = Result<Arc<DataFile>, String>;

/// Data files of all snapshots of a session, in each [`Format`].
pub type SessionData = SessionFiles<Parsed, 3>;

const PARSED: Contract = Contract {
    holds: "data files, parsed",
    key: "path and format",
    bound: "the files of the tree; of others and for the next snapshot, 50,000 in each format",
    stale: "size or time of the file differ",
    test: "hiera::files::tests::a_file_is_read_again_when_it_has_changed",
};

const PASSED: Contract = Contract {
    holds: "configurations of Hiera that have passed their checks",
    key: "path, and for which layer",
    bound: "the hiera.yaml files of the tree",
    stale: NEVER,
    test: "runtime/tests/learned.rs: what_was_learned_changes_nothing",
};

/// What a snapshot keeps of Hiera's files.
pub struct DataFiles {
    parsed: FileMemo<Parsed, 3>,
    passed: Memo<Box<OsStr>, Mutex<Vec<Place>>>,
}

impl DataFiles {
    /// Nothing read yet but what `session` has of other snapshots.
    pub fn new(session: Arc<SessionData>) -> DataFiles {
        DataFiles { parsed: FileMemo::new(&PARSED, session), passed: Memo::new(&PASSED) }
    }

    /// The data of a file.
    ///
    /// # Errors
    /// Why it has none, with the file's name.
    pub fn get(&self, tree: &Tree, path: &Path, format: Format) -> Parsed {
        let unreadable = |error: std::io::Error| format!("Unable to read {}: {error}", path.display());
        let archived = || {
            let data = tree.archived(path, |opened, entry| archived(opened, entry, format))?;
            Some(data.map_err(|message| message.replace(SELF, &path.to_string_lossy())))
        };
        let make = || {
            if tree.is_dir(path) {
                return Err(format!("Unable to read {}: it is no file", path.display()));
            }
            let data = parse(path, &tree.read(path).map_err(unreadable)?, format);
            Ok(data.and_then(|data| match DataFile::of(&data) {
                Some(file) => Ok(Arc::new(file)),
                None => Err(format!("Unable to parse ({}): it is too large", path.display())),
            }))
        };
        self.parsed.get((tree, path, format as usize), archived, unreadable, make)?
    }

    /// Whether a configuration of Hiera has passed its checks before, as that of a layer.
    pub(crate) fn config_passed(&self, path: &Path, place: Place) -> bool {
        let passed = self.passed.get(path.as_os_str()).and_then(|places| places.lock().ok());
        passed.is_some_and(|places| places.contains(&place))
    }

    /// Notes that a configuration of Hiera has passed its checks, unless its file may change.
    pub(crate) fn pass_config(&self, tree: &Tree, path: &Path, place: Place) {
        if tree.holds(path)
            && let Ok(mut places) = self.passed.get_or(path.as_os_str(), Mutex::default).lock()
        {
            places.push(place);
        }
    }
}

/// The data that an archive has of a file, or what it says is wrong with it; nothing if it was not read in that format.
fn archived(opened: &Arc<Opened>, entry: &Entry<'_>, format: Format) -> Read<Option<Parsed>> {
    let archive = opened.archive();
    for part in archive.parts(entry)? {
        if part.section != Section::Data || part.variant & !WRONG != format.variant() {
            continue;
        }
        let damaged = ArchiveFault::Cold(Section::Data);
        if part.variant & WRONG != 0 {
            let text = std::str::from_utf8(archive.part_bytes(&part)?);
            return Ok(Some(Err(text.map_err(|_| damaged)?.to_owned())));
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
/// What is wrong with it, with the path.
pub fn parse(path: &Path, bytes: &[u8], format: Format) -> Result<Data, String> {
    let place = path.display();
    let text = std::str::from_utf8(bytes)
        .map_err(|_| format!("Unable to parse ({place}): invalid byte sequence in UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Yaml => yaml::parse(text).map_err(|fault| match fault {
            Fault::Syntax(what) => format!("Unable to parse ({place}): {what}"),
            Fault::Alias(name) => format!("Unable to parse Unknown alias: {name}"),
            Fault::Class(class) => {
                format!("Unable to parse ({place}): Tried to load unspecified class: {class}")
            }
        }),
        Format::Json => serde_json::from_str(text)
            .map(Data::from_json)
            .map_err(|error| format!("Unable to parse ({place}): {error}")),
        Format::Hocon => hocon::parse(text).map_err(|what| format!("Unable to parse ({place}): {what}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("common.yaml");
        let session = Arc::new(SessionData::default());
        let entries = |tree: &Tree, files: &DataFiles| {
            let parsed = files.get(tree, &file, Format::Yaml);
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
