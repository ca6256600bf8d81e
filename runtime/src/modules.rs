//! The module path: which modules there are, what they depend on, where a name's file lies.
//! Source: the specification's "Autoloading"; `Puppet::Module` for what counts as a module.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name: its folder's.
    pub name: String,
    /// Its folder, as found on the module path.
    pub path: PathBuf,
    /// Names of the modules its metadata.json lists as dependencies; none if it lists none at all, and then it sees
    /// every module.
    pub dependencies: Option<Vec<String>>,
}

/// All modules of a module path, those of earlier folders first.
#[derive(Clone, Debug, Default)]
pub struct Modules(BTreeMap<String, Module>);

impl Modules {
    /// Reads the folders of a module path. Folders that aren't there count as empty, as in Puppet.
    pub fn read(path: &[PathBuf]) -> Modules {
        let mut all = BTreeMap::new();
        for folder in path {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            for entry in entries.flatten() {
                let Ok(name) = entry.file_name().into_string() else { continue };
                if all.contains_key(&name) || !is_module_name(&name) || !entry.path().is_dir() {
                    continue;
                }
                let path = folder.join(&name);
                let dependencies = dependencies(&path);
                all.insert(name.clone(), Module { name, path, dependencies });
            }
        }
        Modules(all)
    }

    /// The module of a name.
    pub fn get(&self, name: &str) -> Option<&Module> {
        self.0.get(name)
    }

    /// All modules by name.
    pub fn iter(&self) -> impl Iterator<Item = &Module> {
        self.0.values()
    }

    /// The module a file lies in, by its path.
    pub fn containing(&self, file: &Path) -> Option<&Module> {
        self.0.values().find(|module| file.starts_with(&module.path))
    }

    /// Whether code of module `from` (empty for none) sees functions and types of module `name`.
    pub fn is_visible(&self, from: &str, name: &str) -> bool {
        if from.is_empty() || from == name {
            return true;
        }
        match self.get(from).and_then(|module| module.dependencies.as_ref()) {
            Some(dependencies) => dependencies.iter().any(|d| d == name),
            None => true,
        }
    }
}

/// Letters, digits and `_`, a lower-case letter first.
fn is_module_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn dependencies(module: &Path) -> Option<Vec<String>> {
    let text = std::fs::read(module.join("metadata.json")).ok()?;
    let metadata: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let list = metadata.get("dependencies")?.as_array()?;
    let names = list.iter().filter_map(|entry| {
        let full = entry.get("name")?.as_str()?;
        full.rsplit(['/', '-']).next().map(str::to_owned)
    });
    Some(names.collect())
}

/// Manifests that may define the class or defined type `name`, in the order Puppet reads them: the module's
/// `init.pp` comes before all others; for `a::b::c` then the file of that name, that of `a::b`.
pub fn manifests(modules: &Modules, name: &str) -> Vec<PathBuf> {
    let segments: Vec<&str> = name.split("::").collect();
    let Some(module) = segments.first().and_then(|first| modules.get(first)) else { return Vec::new() };
    let folder = module.path.join("manifests");
    let specific = (2..=segments.len())
        .rev()
        .map(|count| folder.join(segments[1..count].join("/")).with_extension("pp"));
    std::iter::once(folder.join("init.pp")).chain(specific).filter(|file| file.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_words_are_modules() {
        assert!(is_module_name("apache2_x"));
        assert!(!is_module_name("Apache"));
        assert!(!is_module_name("apache-2"));
        assert!(!is_module_name("_x"));
    }
}
