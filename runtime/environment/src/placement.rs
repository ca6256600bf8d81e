//! Where the files of modules lie, as checks without a compile need it: the place of a module's file says which names it may
//! define, and nothing but a module path, or what lies around the file, says which module that is.

use crate::metadata::own_name;
use crate::snapshot::own_conf;
use bunraku_compiler::check::namespace_of;
use bunraku_files::read;
use bunraku_files::tree::Tree;
use bunraku_vm::compat::Compat;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// More of a module's `metadata.json` says nothing that is asked here.
const MAX_METADATA: u64 = 4 << 20;

/// The folders of a module whose files the autoloader looks for by name.
const AUTOLOADED: &[&str] = &["manifests", "functions", "types"];

/// Where modules lie.
pub struct Placement {
    modulepath: Vec<PathBuf>,
    /// Whether files that lie below no folder of the module path are placed by what lies around them.
    around: bool,
    /// The module names of folders that were looked at, for those that are modules by what lies around them.
    seen: Mutex<HashMap<PathBuf, Option<String>>>,
}

impl Placement {
    /// Modules lie below the folders of a module path, and nowhere else. All manifests below them are held to be what the
    /// autoloader looks for, as `puppet parser validate` has it.
    pub fn of_modulepath(modulepath: &[PathBuf]) -> Placement {
        let absolute = |folder: &PathBuf| std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        Placement {
            modulepath: modulepath.iter().map(absolute).collect(),
            around: false,
            seen: Mutex::default(),
        }
    }

    /// Modules lie below the folders of a module path; in a folder `modules`, or one that the `environment.conf` of the environment
    /// around it names; and where a `metadata.json` lies, which tells the module's name. Only what is in the folders that the
    /// autoloader looks into has a place.
    pub fn with_surroundings(modulepath: &[PathBuf]) -> Placement {
        Placement { around: true, ..Placement::of_modulepath(modulepath) }
    }

    /// What names in the file `path` begin with; the inner one is none where no name fits, the outer one where any does.
    pub fn namespace(&self, path: &Path) -> Option<Option<String>> {
        let path = std::path::absolute(path).ok()?;
        if path.extension().is_none_or(|extension| extension != "pp") {
            return None;
        }
        if let Some(inner) = self.modulepath.iter().find_map(|folder| path.strip_prefix(folder).ok()) {
            let namespace = namespace_of(&inner.to_string_lossy());
            return (namespace.is_some() || !self.around).then_some(namespace);
        }
        if !self.around {
            return None;
        }
        let folders: Vec<&Path> = path.ancestors().skip(1).collect();
        // The outermost folder first: a namespace may be called `types`.
        folders.iter().rev().find_map(|folder| {
            let root = folder.parent()?;
            if !AUTOLOADED.iter().any(|known| folder.ends_with(known)) {
                return None;
            }
            let module = self.module(root)?;
            let inner = path.strip_prefix(root).ok()?;
            Some(namespace_of(&format!("{module}/{}", inner.to_string_lossy())))
        })
    }

    /// The name of the module in a folder, if one is there.
    fn module(&self, root: &Path) -> Option<String> {
        if let Ok(seen) = self.seen.lock()
            && let Some(known) = seen.get(root)
        {
            return known.clone();
        }
        let found = found(root);
        if let Ok(mut seen) = self.seen.lock() {
            seen.insert(root.to_owned(), found.clone());
        }
        found
    }
}

/// The name of the module in a folder by what lies around it: of the folder, if it is in a folder of modules, else of its metadata.
fn found(root: &Path) -> Option<String> {
    let within = root.parent()?;
    if within.ends_with("modules") || is_named(within) {
        return root.file_name()?.to_str().map(str::to_owned);
    }
    // An environment may have metadata, too, and names in its manifests are free.
    if root.join("environment.conf").is_file() {
        return None;
    }
    let text = read::regular_text(&root.join("metadata.json"), MAX_METADATA).ok()?;
    let metadata: Json = serde_json::from_str(&text).ok()?;
    Some(own_name(metadata.get("name")?.as_str()?)).filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Whether the nearest `environment.conf` above a folder has it in its module path.
fn is_named(folder: &Path) -> bool {
    let environment = folder.ancestors().find(|above| above.join("environment.conf").is_file());
    let conf = environment.and_then(|folder| own_conf(&Tree::default(), folder, Compat::default()).ok());
    let folders = conf.as_ref().and_then(|conf| conf.modulepath());
    folders.is_some_and(|all| all.iter().any(|one| Path::new(one) == folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_placed_by_what_lies_around_them() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["env/site/a/manifests", "env/other/b/manifests", "checkout/types/sub", "bare/manifests"]
        {
            fs::create_dir_all(at(path)).unwrap();
        }
        fs::write(at("env/environment.conf"), "modulepath = site:$basemodulepath\n").unwrap();
        fs::write(at("checkout/metadata.json"), r#"{"name": "us-ntp"}"#).unwrap();
        fs::write(at("env/metadata.json"), r#"{"name": "us-control"}"#).unwrap();
        let around = Placement::with_surroundings(&[]);
        let namespace = |path: &str| around.namespace(&at(path));
        assert_eq!(namespace("env/site/a/manifests/types/b.pp"), Some(Some("a::types::b".to_owned())));
        assert_eq!(namespace("env/site/a/examples/init.pp"), None);
        assert_eq!(namespace("env/other/b/manifests/init.pp"), None);
        assert_eq!(namespace("env/modules/c/functions/f.pp"), Some(Some("c::f".to_owned())));
        assert_eq!(namespace("env/manifests/site.pp"), None);
        assert_eq!(namespace("checkout/types/sub/x.pp"), Some(Some("ntp::sub::x".to_owned())));
        assert_eq!(namespace("checkout/types/sub/x.epp"), None);
        assert_eq!(namespace("bare/manifests/init.pp"), None);
        let path = Placement::of_modulepath(&[at("env/other")]);
        assert_eq!(path.namespace(&at("env/other/b/manifests/init.pp")), Some(Some("b".to_owned())));
        assert_eq!(path.namespace(&at("env/other/b/examples/init.pp")), Some(None));
        assert_eq!(path.namespace(&at("env/site/a/manifests/init.pp")), None);
    }
}
