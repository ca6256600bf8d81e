//! Which file a function in Ruby is taken from, as code of each module sees it.

use crate::compile::Compile;
use bumpalo::Bump;
use bunraku_environment::function_files::ENVIRONMENT;
use bunraku_environment::snapshot::Snapshot;
use bunraku_ruby::world::FunctionSource;
use bunraku_stdlib::module::Api;
use bunraku_vm::names::split_first;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

impl<'c> Compile<'c> {
    /// The Ruby file that code of module `from` gets for a function's name: first those of the new interface that it
    /// sees, then those of the old, which everybody sees.
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
    let first =
        |api, fits: &dyn Fn(&str) -> bool| files.iter().find(|file| file.api == api && fits(&file.owner));
    let depended =
        || modules.dependencies(from).iter().find_map(|one| first(Api::New, &|owner| owner == one));
    // The environment's own go before those of the module itself.
    let file = first(Api::New, &|owner| owner == ENVIRONMENT)
        .or_else(|| first(Api::New, &|owner| owner == from))
        .or_else(depended)
        .or_else(|| first(Api::New, &|_| true))
        .or_else(|| first(Api::Old, &|owner| owner == ENVIRONMENT))
        .or_else(|| first(Api::Old, &|_| true))?;
    Some(FunctionSource { file: &file.path, module: &file.owner, old: file.api == Api::Old })
}
