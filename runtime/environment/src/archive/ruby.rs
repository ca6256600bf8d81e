//! What of a tree may need Ruby when a compile reaches it: functions without a native twin and ERB templates with
//! something that is not run natively, data types in Ruby, and resource types whose declaration can't be read.

use crate::function_files::ENVIRONMENT;
use crate::snapshot::Snapshot;
use crate::twins::twin_of;
use bunraku_files::tree::Tree;
use bunraku_stdlib::module::Api;
use std::path::Path;

/// Folders with code that may have templates as text.
const CODE: [&str; 2] = ["functions", "manifests"];

/// What of a module, or of an environment itself, needs Ruby.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeedsRuby {
    /// The module; `environment` for the environment's own.
    pub owner: String,
    /// Functions with something that only Ruby knows, by name, and what that is first.
    pub functions: Vec<(String, String)>,
    /// Templates with something that only Ruby knows, and what that is first: by their path below `templates`; of those that
    /// code gives to `inline_template` as text, path and line of the call, like `manifests/init.pp:3`.
    pub templates: Vec<(String, String)>,
    /// Types by name.
    pub types: Vec<String>,
}

impl NeedsRuby {
    fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.templates.is_empty() && self.types.is_empty()
    }
}

/// What is known of files: why something in them needs Ruby, first.
pub(super) struct Why<'w> {
    /// Of the ERB template, the functions or the type that a file is; none where Ruby is not needed.
    pub file: &'w dyn Fn(&Path) -> Option<String>,
    /// Of the templates that the code in a file gives as text, with their lines; none that need no Ruby.
    pub texts: &'w dyn Fn(&Path) -> Vec<(u32, String)>,
}

/// What of an environment needs Ruby, modules by name; those that need none are left out.
pub(super) fn needs(environment: &Snapshot, why: &Why<'_>) -> Vec<NeedsRuby> {
    let modules = environment.modules.iter().map(|module| (module.name.as_str(), module.path.as_path()));
    let own = environment.directory.as_deref().map(|directory| (ENVIRONMENT, directory));
    let all = modules.chain(own).map(|(owner, root)| of(environment, owner, root, why));
    all.filter(|needs| !needs.is_empty()).collect()
}

fn of(environment: &Snapshot, owner: &str, root: &Path, why: &Why<'_>) -> NeedsRuby {
    let tree = environment.tree();
    let mut needs = NeedsRuby { owner: owner.to_owned(), ..NeedsRuby::default() };
    for api in [Api::New, Api::Old] {
        for file in below(tree, &root.join(api.folder())) {
            let Some(name) = file.strip_suffix(".rb").map(|name| name.replace('/', "::")) else { continue };
            // A function of the language, or one of the new interface in front of the old, is what code gets.
            let is_hidden = bunraku_stdlib::has(&name)
                || (api == Api::Old && tree.is_file(&root.join(Api::New.file(&name))));
            let first = (why.file)(&root.join(api.folder()).join(&file));
            if let Some(first) = first
                && !is_hidden
                && twin_of(&environment.modules, &name, owner, api).is_none()
            {
                needs.functions.push((name, first));
            }
        }
    }
    needs.functions.sort();
    needs.functions.dedup();
    let folder = root.join("templates");
    for file in below(tree, &folder).into_iter().filter(|file| file.ends_with(".erb")) {
        if let Some(first) = (why.file)(&folder.join(&file)) {
            needs.templates.push((file, first));
        }
    }
    for code in CODE {
        for file in below(tree, &root.join(code)).into_iter().filter(|file| file.ends_with(".pp")) {
            let texts = (why.texts)(&root.join(code).join(&file)).into_iter();
            needs.templates.extend(texts.map(|(line, first)| (format!("{code}/{file}:{line}"), first)));
        }
    }
    let ruby_names = |folder: &str| {
        let files = below(tree, &root.join(folder));
        files.into_iter().filter_map(|file| Some(file.strip_suffix(".rb")?.replace('/', "::")))
    };
    needs.types.extend(ruby_names("lib/puppet/datatypes"));
    // What `puppet generate types` wrote goes before the file.
    let unreadable = |name: &String| environment.types.get(name).is_some_and(|ty| ty.unreadable.is_some());
    let is_in_doubt =
        |name: &String| (why.file)(&root.join("lib/puppet/type").join(format!("{name}.rb"))).is_some();
    needs.types.extend(ruby_names("lib/puppet/type").filter(|name| is_in_doubt(name) && unreadable(name)));
    needs
}

/// The files below a folder by their path within it, sorted; links to folders are not followed.
fn below(tree: &Tree, folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(at) = folders.pop() {
        for child in tree.list(&folder.join(&at)) {
            let path = if at.is_empty() { child.name } else { format!("{at}/{}", child.name) };
            match (child.is_folder, child.is_link) {
                (false, _) => files.push(path),
                (true, false) => folders.push(path),
                (true, true) => {}
            }
        }
    }
    files.sort();
    files
}
