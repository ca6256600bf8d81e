//! The store as a folder: a catalog for each node, `NAME.json`, replaced whole.

use super::{Exported, Filter, Store};
use bunraku_files::found::Stamp;
use bunraku_files::read;
use bunraku_files::write::{self, Access};
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What a file exports, and the stamp that the file had when it was read.
type Known = (Option<Stamp>, Arc<Vec<Exported>>);

/// A folder of catalogs.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    known: Mutex<HashMap<PathBuf, Known>>,
}

impl Files {
    /// The store in a folder; it is made when the first catalog is saved.
    pub fn new(folder: &Path) -> Files {
        Files { folder: folder.to_owned(), known: Mutex::default() }
    }

    fn catalogs(&self) -> Result<Vec<PathBuf>, String> {
        let unreadable = |error| format!("Could not read {}: {error}", self.folder.display());
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|e| e == "json") {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    fn read(&self, file: &Path) -> Result<Arc<Vec<Exported>>, String> {
        let stamp = Stamp::look(file);
        let known = self.known.lock().ok().and_then(|known| known.get(file).cloned());
        if let Some((_, exported)) = known.filter(|(then, _)| *then == stamp && stamp.is_some()) {
            return Ok(exported);
        }
        let failed = |error: String| format!("Could not read the catalog {}: {error}", file.display());
        let bytes = read::regular(file, read::MAX_FILE).map_err(|error| failed(error.to_string()))?;
        let catalog: Json = serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))?;
        let certname = catalog.get("name").and_then(Json::as_str).unwrap_or_default();
        let resources = catalog.get("resources").and_then(Json::as_array).into_iter().flatten();
        let exported = resources
            .filter(|resource| resource.get("exported") == Some(&Json::Bool(true)))
            .filter_map(|resource| Exported::read(certname, resource));
        let exported = Arc::new(exported.collect::<Vec<_>>());
        if let Ok(mut known) = self.known.lock() {
            known.insert(file.to_owned(), (stamp, exported.clone()));
        }
        Ok(exported)
    }
}

impl Store for Files {
    fn exported(
        &self,
        type_name: &str,
        node: &str,
        filter: Option<&Filter>,
    ) -> Result<Vec<Exported>, String> {
        let mut found = Vec::new();
        for file in self.catalogs()? {
            let all = self.read(&file)?;
            let fits = |resource: &&Exported| {
                resource.certname != node
                    && resource.type_name == type_name
                    && filter.is_none_or(|filter| resource.fits(filter))
            };
            found.extend(all.iter().filter(fits).cloned());
        }
        Ok(found)
    }

    fn facts(&self, _node: &str) -> Result<Option<Map<String, Json>>, String> {
        Ok(None)
    }

    fn save(&self, node: &str, catalog: &Json) -> Result<(), String> {
        if node.contains(['/', '\0']) || node.starts_with('.') {
            return Err(format!("Could not store the catalog of {node:?}: that is no name of a file"));
        }
        let file = self.folder.join(format!("{node}.json"));
        let failed = |error: std::io::Error| format!("Could not store {}: {error}", file.display());
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        // Others see the old catalog or the new one, never a part.
        write::replace(&file, catalog.to_string().as_bytes(), Access::Kept).map_err(failed)
    }
}
