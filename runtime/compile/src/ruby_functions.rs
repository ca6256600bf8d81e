//! Which file a function in Ruby is taken from, as code of each module sees it.

use crate::compile::Compile;
use bumpalo::Bump;
use bunraku_environment::function_files::{ENVIRONMENT, FunctionFile};
use bunraku_environment::modules::Modules;
use bunraku_environment::snapshot::Snapshot;
use bunraku_ruby::world::FunctionSource;
use bunraku_stdlib::module::Api;
use bunraku_vm::names::split_first;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

impl<'c> Compile<'c> {
    /// The Ruby file that code of module `from` gets for a function's name: the environment's, its own, one of a module that it
    /// depends on, one of the others; of each that of the new interface before that of the old.
    pub(crate) fn find_ruby(&self, name: &str, from: &str) -> Option<FunctionSource<'c>> {
        if let Some(known) = self.definitions.functions_in_ruby.borrow().get(&(name, from)) {
            return *known;
        }
        let found = search(self.environment, self.arena, name, from);
        self.definitions.functions_in_ruby.borrow_mut().insert((self.text(name), self.text(from)), found);
        found
    }
}

fn search<'c>(
    environment: &'c Snapshot,
    arena: &'c Bump,
    name: &str,
    from: &str,
) -> Option<FunctionSource<'c>> {
    let modules = &environment.modules;
    if let Some((first, _)) = split_first(name) {
        let path = Api::New.file(name);
        let (folder, module) = match first {
            ENVIRONMENT => (environment.directory.as_ref()?, ENVIRONMENT),
            _ => modules.get(first).map(|module| (&module.path, module.name.as_str()))?,
        };
        let file = folder.join(&path);
        if !environment.tree().is_file(&file) {
            return None;
        }
        let file = Path::new(OsStr::from_bytes(arena.alloc_slice_copy(file.as_os_str().as_bytes())));
        return Some(FunctionSource { file, module, old: false });
    }
    let files = environment.functions(name);
    if files.is_empty() {
        return None;
    }
    let loaded = || files.iter().filter(|file| is_loaded(modules, file));
    let of_owner = |owner: &str| loaded().filter(|file| file.owner == owner).min_by_key(|file| rank(file));
    let depended = || modules.dependencies(from).iter().find_map(|one| of_owner(one));
    let folder_of =
        |file: &FunctionFile| modules.path().iter().position(|folder| file.path.starts_with(folder));
    let others = || loaded().min_by_key(|file| (folder_of(file), &file.owner, rank(file)));
    // The environment's own go before those of the module itself. What is in no module everybody sees, by its old kind.
    let file = of_owner(ENVIRONMENT)
        .or_else(|| of_owner(from))
        .or_else(depended)
        .or_else(others)
        .or_else(|| files.iter().find(|file| file.api == Api::Old))?;
    Some(FunctionSource { file: &file.path, module: &file.owner, old: file.api == Api::Old })
}

/// Functions of the new interface go before those of the old one, within a module.
fn rank(file: &FunctionFile) -> bool {
    file.api == Api::Old
}

/// Whether a file is looked for in the module, or environment, that it names, rather than in a folder that is none.
fn is_loaded(modules: &Modules, file: &FunctionFile) -> bool {
    file.api == Api::New
        || file.owner == ENVIRONMENT
        || modules.get(&file.owner).is_some_and(|module| file.path.starts_with(&module.path))
}
