//! Which functions of an environment's modules have a native twin: those whose own file is there, so that versions
//! of a module differ as they do in Puppet. Found once, when the environment is opened.

use crate::modules::Modules;
use bunraku_stdlib::module::{self, Api};
use bunraku_vm::function::Native;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The native twins of an environment.
#[derive(Clone, Default)]
pub struct Natives {
    by_name: HashMap<&'static str, Twin>,
    /// Twins that a module's own function of the same name hides from its code: name and module, empty for the
    /// environment's own folder, which hides them from everybody.
    hidden: HashSet<(&'static str, String)>,
}

#[derive(Clone, Copy)]
struct Twin {
    native: &'static Native,
    module: &'static str,
    api: Api,
}

impl std::fmt::Debug for Natives {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Natives({})", self.by_name.len())
    }
}

impl Natives {
    /// Looks for the files of all functions that have a twin.
    pub fn find_all(modules: &Modules, directory: Option<&Path>) -> Natives {
        let mut natives = Natives::default();
        let mut folders: HashMap<PathBuf, HashSet<String>> = HashMap::new();
        for twin in module::twins() {
            let Some(module) = modules.get(twin.module) else { continue };
            let mut is_there = |name: &str| {
                let file = module.path.join(twin.api.file(name));
                let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|n| n.to_str()))
                else {
                    return false;
                };
                folders.entry(folder.to_owned()).or_insert_with(|| names(folder)).contains(name)
            };
            let own = twin.native.name;
            if is_there(own) && (!twin.shim || is_there(&format!("{}::{own}", twin.module))) {
                let twin = Twin { native: twin.native, module: twin.module, api: twin.api };
                // A module's functions of the new kind come before those of the old.
                natives.by_name.entry(twin.native.name).or_insert(twin);
            }
        }
        if natives.by_name.is_empty() {
            return natives;
        }
        let roots = modules.iter().map(|module| (module.name.as_str(), module.path.as_path()));
        for (owner, root) in roots.chain(directory.map(|directory| ("", directory))) {
            for api in [Api::New, Api::Old] {
                for file in names(&root.join(api.folder())) {
                    let Some(name) = file.strip_suffix(".rb") else { continue };
                    if let Some((name, twin)) = natives.by_name.get_key_value(name)
                        && twin.module != owner
                    {
                        natives.hidden.insert((name, owner.to_owned()));
                    }
                }
            }
        }
        natives
    }

    /// The folders whose content decides which twins there are.
    pub fn folders<'a>(&self, modules: &'a Modules) -> impl Iterator<Item = PathBuf> + use<'a> {
        let own = module::MODULES.iter().filter_map(|name| modules.get(name));
        own.flat_map(|module| {
            [Api::New, Api::Old]
                .into_iter()
                .map(|api| module.path.join(api.folder()))
                .chain([module.path.join(Api::New.folder()).join(&module.name)])
        })
    }

    /// The twin of a function as code of module `from` sees it (empty for none): functions of the new kind only
    /// where that module depends on theirs.
    pub fn find(&self, modules: &Modules, name: &str, from: &str) -> Option<&'static Native> {
        let twin = self.by_name.get(name)?;
        let hidden = !self.hidden.is_empty()
            && [from, ""].iter().any(|owner| self.hidden.contains(&(twin.native.name, (*owner).to_owned())));
        if hidden || (twin.api == Api::New && !modules.is_visible(from, twin.module)) {
            return None;
        }
        Some(twin.native)
    }
}

/// The names of a folder's files; none where it is not there.
fn names(folder: &Path) -> HashSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Whether Puppet itself has a function of the old kind by that name.
pub fn is_old_function_of_puppet(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "create_resources",
        "defined",
        "digest",
        "epp",
        "fail",
        "file",
        "fqdn_rand",
        "generate",
        "hiera",
        "hiera_array",
        "hiera_hash",
        "hiera_include",
        "inline_epp",
        "inline_template",
        "lookup",
        "realize",
        "regsubst",
        "scanf",
        "sha1",
        "sha256",
        "shellquote",
        "split",
        "sprintf",
        "tag",
        "tagged",
        "template",
        "versioncmp",
        "md5",
        "alert",
        "crit",
        "debug",
        "emerg",
        "err",
        "info",
        "notice",
        "warning",
        "assert_type",
        "binary_file",
        "break",
        "contain",
        "dig",
        "each",
        "filter",
        "find_file",
        "include",
        "lest",
        "map",
        "match",
        "new",
        "next",
        "reduce",
        "require",
        "return",
        "reverse_each",
        "slice",
        "step",
        "strftime",
        "then",
        "type",
        "with",
    ];
    NAMES.contains(&name)
}
