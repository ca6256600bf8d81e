//! The modules of a folder, without opening its environment: where `puppet:///modules/…` leads.

use crate::compare::{Content, Sources};
use bunraku::files::read;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The module path that a folder's `environment.conf` says, or `modules`; entries that begin with a variable are the server's, and left out.
pub(super) fn own_path(folder: &Path) -> Vec<PathBuf> {
    let conf = read::regular_text(&folder.join("environment.conf"), read::MAX_FILE).unwrap_or_default();
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

/// What the files of a tree's modules hold.
///
/// Key: the source as a catalog says it. Bound: the sources that the catalogs of one run say. Stale: never, a run reads each once.
/// Test: `tests.rs` beside this.
pub struct Files {
    modulepath: Vec<PathBuf>,
    /// The same without links.
    real: Vec<PathBuf>,
    known: Mutex<HashMap<String, Option<Arc<Content>>>>,
}

impl Files {
    /// The files of a folder's modules, or of those on a path.
    pub fn of(folder: &Path, modulepath: Option<&[PathBuf]>) -> Files {
        let modulepath = modulepath.map_or_else(|| own_path(folder), <[PathBuf]>::to_vec);
        let real = modulepath.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        Files { modulepath, real, known: Mutex::default() }
    }

    fn read(&self, source: &str) -> Option<Content> {
        let (module, file) = source.strip_prefix("puppet:///modules/")?.split_once('/')?;
        if file.is_empty() || file.split('/').chain([module]).any(|part| part == "..") {
            return None;
        }
        let places = self.modulepath.iter().map(|folder| folder.join(module).join("files").join(file));
        let path = places.into_iter().find(|path| path.exists())?;
        // What a link leads out of the tree to is nobody's to show.
        let real = path.canonicalize().ok()?;
        if !self.real.iter().any(|folder| real.starts_with(folder)) {
            return None;
        }
        if path.is_dir() {
            return Some(Content::Folder);
        }
        let bytes = read::regular(&path, read::MAX_FILE).ok()?;
        Some(match String::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => Content::Text(text),
            other => {
                let bytes = other.map_or_else(|error| error.into_bytes(), String::into_bytes);
                let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
                Content::Checksum(format!("{{sha256}}{hash}"))
            }
        })
    }
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
