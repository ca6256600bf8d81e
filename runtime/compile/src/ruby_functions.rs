//! Which file a function in Ruby is taken from, as code of each module sees it.

use crate::compile::Compile;
use bunraku_environment::function_files::ENVIRONMENT;
use bunraku_environment::snapshot::Snapshot;
use bunraku_ruby::world::FunctionSource;
use bunraku_stdlib::module::Api;
use bunraku_vm::names::split_first;
use std::borrow::Cow;

impl<'c> Compile<'c> {
    /// The Ruby file that code of module `from` gets for a function's name: first those of the new interface that it
    /// sees, then those of the old, which everybody sees.
    pub(crate) fn find_ruby(&self, name: &str, from: &str) -> Option<FunctionSource<'c>> {
        if let Some(known) = self.definitions.functions_in_ruby.borrow().get(&(name, from)) {
            return known.clone();
        }
        let found = search(self.environment, name, from);
        self.definitions
            .functions_in_ruby
            .borrow_mut()
            .insert((self.text(name), self.text(from)), found.clone());
        found
    }
}

fn search<'c>(environment: &'c Snapshot, name: &str, from: &str) -> Option<FunctionSource<'c>> {
    let modules = &environment.modules;
    if let Some((first, _)) = split_first(name) {
        let path = Api::New.file(name);
        let (folder, module) = match first {
            ENVIRONMENT => (environment.directory.as_ref()?, ENVIRONMENT),
            _ => modules.get(first).map(|module| (&module.path, module.name.as_str()))?,
        };
        let file = Cow::Owned(folder.join(&path));
        return environment.tree().is_file(&file).then_some(FunctionSource { file, module, old: false });
    }
    let files = environment.functions(name);
    if files.is_empty() {
        return None;
    }
    let first =
        |api, fits: &dyn Fn(&str) -> bool| files.iter().find(|file| file.api == api && fits(&file.owner));
    let depended =
        || modules.dependencies(from).iter().find_map(|one| first(Api::New, &|owner| owner == one));
    let file = first(Api::New, &|owner| owner == from)
        .or_else(|| first(Api::New, &|owner| owner == ENVIRONMENT))
        .or_else(depended)
        .or_else(|| first(Api::New, &|_| true))
        .or_else(|| first(Api::Old, &|owner| owner == ENVIRONMENT))
        .or_else(|| first(Api::Old, &|_| true))?;
    Some(FunctionSource { file: Cow::Borrowed(&file.path), module: &file.owner, old: file.api == Api::Old })
}
