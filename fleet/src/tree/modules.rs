//! The modules of a folder, without opening its environment: where `puppet:///modules/…` leads.

use crate::compare::{Content, Sources};
use bunraku::archive::Contents;
use bunraku::files::read;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Where the files lie.
enum Place {
    /// On the disk, below these folders, which have no links in them.
    Disk(Vec<PathBuf>),
    /// In an archive, which has what links of the tree led to.
    Archive(Box<Contents>),
}

impl Place {
    fn exists(&self, path: &Path) -> bool {
        match self {
            Place::Disk(_) => path.exists(),
            Place::Archive(contents) => contents.exists(path),
        }
    }

    fn is_dir(&self, path: &Path) -> bool {
        match self {
            Place::Disk(_) => path.is_dir(),
            Place::Archive(contents) => contents.is_dir(path),
        }
    }

    /// The names of what lies in a folder, sorted.
    fn names(&self, folder: &Path) -> Vec<String> {
        match self {
            Place::Disk(_) => {
                let entries = folder.read_dir().into_iter().flatten().flatten();
                let mut names: Vec<String> =
                    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
                names.sort();
                names
            }
            Place::Archive(contents) => contents
                .list(folder)
                .unwrap_or_default()
                .into_iter()
                .map(|child| child.name.to_string())
                .collect(),
        }
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        match self {
            Place::Disk(_) => read::regular(path, read::MAX_FILE).ok(),
            Place::Archive(contents) => contents.read(path).ok(),
        }
    }

    /// What a link leads out of the tree to is nobody's to show.
    fn may_show(&self, path: &Path) -> bool {
        match self {
            Place::Disk(folders) => {
                path.canonicalize().is_ok_and(|real| folders.iter().any(|folder| real.starts_with(folder)))
            }
            Place::Archive(_) => true,
        }
    }
}

/// The module path that a folder's `environment.conf` says, or `modules`; entries that begin with a variable are the server's, and left out.
pub(super) fn own_path(folder: &Path) -> Vec<PathBuf> {
    let conf = read::regular_text(&folder.join("environment.conf"), read::MAX_FILE).unwrap_or_default();
    path_said(folder, &conf)
}

fn path_said(folder: &Path, conf: &str) -> Vec<PathBuf> {
    let said = conf.lines().rev().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "modulepath").then(|| value.trim())
    });
    let entries = said.unwrap_or("modules").split(':').map(str::trim);
    entries
        .filter(|entry| !entry.is_empty() && !entry.starts_with('$'))
        .map(|entry| folder.join(entry))
        .collect()
}

/// The folder of a tree's module path that is not there, where the tree's Puppetfile names modules that are to be put there.
pub fn unfetched(folder: &Path) -> Option<PathBuf> {
    let missing = own_path(folder).into_iter().find(|folder| !folder.is_dir());
    missing.filter(|_| in_puppetfile(folder).is_ok_and(|modules| !modules.is_empty()))
}

/// The names of the modules in a tree's Puppetfile, as their folders are called: `mod 'puppetlabs-ntp', '1.0.0'` is `ntp`.
///
/// # Errors
/// When it can't be read, or there is none.
pub fn in_puppetfile(folder: &Path) -> std::io::Result<BTreeSet<String>> {
    let text = read::regular_text(&folder.join("Puppetfile"), read::MAX_FILE)?;
    let named = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("mod")?;
        let rest = rest.trim_start_matches([' ', '\t', '(']);
        let quote = rest.chars().next().filter(|sign| ['\'', '"'].contains(sign))?;
        let (whole, _) = rest[1..].split_once(quote)?;
        let name = whole.rsplit(['-', '/']).next()?;
        (!name.is_empty()).then(|| name.to_owned())
    });
    Ok(named.collect())
}

/// What the files of a tree's modules hold.
///
/// Key: the source as a catalog says it. Bound: the sources that the catalogs of one run say. Stale: never, a run reads each once.
/// Test: `tests.rs` beside this.
pub struct Files {
    modulepath: Vec<PathBuf>,
    place: Place,
    known: Mutex<HashMap<String, Option<Arc<Content>>>>,
}

impl Files {
    /// The files of a folder's modules, or of those on a path.
    pub fn of(folder: &Path, modulepath: Option<&[PathBuf]>) -> Files {
        let modulepath = modulepath.map_or_else(|| own_path(folder), <[PathBuf]>::to_vec);
        let real = modulepath.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        Files { modulepath, place: Place::Disk(real), known: Mutex::default() }
    }

    /// The same out of an archive with all files, for a tree that lay there: nothing of the disk is looked at.
    ///
    /// # Errors
    /// When the archive can't be opened, or has no files.
    pub fn archived(archive: &Path, folder: &Path, modulepath: Option<&[PathBuf]>) -> Result<Files, String> {
        let modulepath = match modulepath {
            Some(path) => path.to_vec(),
            None => {
                let conf = Contents::open(archive, folder, &[])?.read(&folder.join("environment.conf"));
                let conf = conf.ok().and_then(|conf| String::from_utf8(conf).ok());
                path_said(folder, &conf.unwrap_or_default())
            }
        };
        // Folders of it may lie elsewhere: the archive holds them all.
        let contents = Contents::open(archive, folder, &modulepath)?;
        Ok(Files { modulepath, place: Place::Archive(Box::new(contents)), known: Mutex::default() })
    }

    fn read(&self, source: &str) -> Option<Content> {
        let (module, file) = source.strip_prefix("puppet:///modules/")?.split_once('/')?;
        if file.is_empty() || file.split('/').chain([module]).any(|part| part == "..") {
            return None;
        }
        let places = self.modulepath.iter().map(|folder| folder.join(module).join("files").join(file));
        let path = places.into_iter().find(|path| self.place.exists(path))?;
        if !self.place.may_show(&path) {
            return None;
        }
        if self.place.is_dir(&path) {
            let mut all = Sha256::new();
            self.add_folder(&path, "", &mut all);
            return Some(Content::Folder(checksum(all)));
        }
        let bytes = self.place.read(&path)?;
        Some(match String::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => Content::Text(text),
            other => {
                let bytes = other.map_or_else(|error| error.into_bytes(), String::into_bytes);
                Content::Checksum(checksum(Sha256::new_with_prefix(&bytes)))
            }
        })
    }

    /// Adds the names and contents of what lies below a folder, `below` being its name; what can't be read, by its name alone.
    fn add_folder(&self, folder: &Path, below: &str, all: &mut Sha256) {
        for name in self.place.names(folder) {
            let (path, name) = (folder.join(&name), format!("{below}/{name}"));
            all.update(name.as_bytes());
            all.update([0]);
            match (self.place.may_show(&path), self.place.is_dir(&path)) {
                (true, true) if name.matches('/').count() < DEEPEST => self.add_folder(&path, &name, all),
                (true, false) => all.update(Sha256::digest(self.place.read(&path).unwrap_or_default())),
                _ => {}
            }
        }
    }
}

/// Folders in folders are followed so deep: a link may lead back.
const DEEPEST: usize = 50;

fn checksum(of: Sha256) -> String {
    let hash: String = of.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{{sha256}}{hash}")
}

impl Sources for Files {
    fn content(&self, source: &str) -> Option<Arc<Content>> {
        if let Some(known) = self.known.lock().ok().and_then(|known| known.get(source).cloned()) {
            return known;
        }
        let content = self.read(source).map(Arc::new);
        if let Ok(mut known) = self.known.lock() {
            known.insert(source.to_owned(), content.clone());
        }
        content
    }
}
