//! Parameters of a definition that is read: their types, which are evaluated then, and their names. What has come out
//! well in one compile and depends on nothing but files of the tree is taken on trust by the next.

use crate::compile::Compile;
use crate::state::aliases::AliasBody;
use crate::state::definitions::{Definition, Manifest};
use bunraku_environment::modules;
use bunraku_environment::snapshot::LastingAlias;
use bunraku_environment::taken;
use bunraku_files::reads::{self, PathQuestion, Reads};
use bunraku_resource_types::is_metaparameter;
use bunraku_vm::error::Eval;
use bunraku_vm::types::{self, LastingType};
use bunraku_vm::unit::{ChunkRef, DefKind};
use bunraku_vm::vm::Vm;
use std::path::Path;
use std::sync::Arc;

impl<'c> Compile<'c> {
    /// Parameters may not have the names of metaparameters; with a default they may, and get a warning.
    pub(crate) fn check_parameters(&self, vm: &mut Vm<'c>, definition: &'c Definition<'c>) -> Eval<'c, ()> {
        let Some(chunk) = definition.chunk else { return Ok(()) };
        if vm.checked_params(chunk).is_some() {
            self.types.taken_on_trust.borrow_mut().push(chunk);
            self.note_what_is_trusted(definition.manifest, chunk);
            return Ok(());
        }
        // Their types are evaluated when the definition is read, so that is when one is found to be unknown.
        let params = vm.params(chunk)?;
        for n in 0..params.len() {
            vm.param_type(chunk, n)?;
        }
        let mut harmless = true;
        for param in params.iter().filter(|param| is_metaparameter(param.name)) {
            let (name, of) = (param.name, definition.name);
            let message = taken::metaparameter(name, of, param.has_default);
            if !param.has_default {
                return Err(self.placed_error(message, None, 0));
            }
            self.warn_once(message);
            harmless = false;
        }
        if harmless && vm.learns(chunk) {
            self.learn(vm, chunk)?;
        }
        Ok(())
    }

    /// If the types of a chunk's parameters, which have been evaluated, follow from files of the tree alone, keeps
    /// them for the next compile, and the aliases they name.
    pub(crate) fn learn(&self, vm: &mut Vm<'c>, chunk: ChunkRef) -> Eval<'c, ()> {
        let mut met = Vec::new();
        for ty in vm.type_chunks(chunk)? {
            if !self.is_of_files(vm, ty, &mut met)? {
                return Ok(());
            }
        }
        for name in &met {
            let key = name.to_lowercase();
            let Some((alias, ..)) = self.types.aliases.borrow().get(key.as_str()).copied().flatten() else {
                continue;
            };
            let target = alias.target.get().and_then(|target| LastingType::of(target));
            let (Some(target), Some(files)) = (target, self.environment.type_files.get(&key)) else {
                return Ok(());
            };
            let site = self.types.sites.borrow().get(key.as_str()).copied().unwrap_or_default().to_owned();
            let reads = self.reads_of_aliases(vm, &[name])?;
            let lasting = LastingAlias { name: alias.name.to_owned(), site, target, reads };
            let _ = files.lasting[self.options.settings.strict as usize].set(Arc::new(lasting));
        }
        let mut named = Vec::new();
        for ty in vm.type_chunks(chunk)? {
            named.extend(vm.names_of_type(ty)?.into_iter().flatten());
        }
        let reads = self.reads_of_aliases(vm, &named)?;
        if let Some(file) =
            vm.unit_file(chunk.unit).and_then(|file| self.environment.modules.kept_file(Path::new(file)))
        {
            file.learned_from[self.options.settings.strict as usize].insert(chunk.chunk, Box::new(reads));
        }
        vm.learn(chunk)
    }

    /// Notes what was read when the types of a chunk's parameters were learned.
    fn note_what_is_trusted(&self, manifest: Manifest<'c>, chunk: ChunkRef) {
        if reads::is_gathered()
            && let Some(file) = manifest.kept
            && let Some(reads) = file.learned_from[self.options.settings.strict as usize].get(&chunk.chunk)
        {
            reads::take_in(reads);
        }
    }

    /// What is read to know what some aliases stand for: their files, and those of the aliases that they name.
    fn reads_of_aliases(&self, vm: &Vm<'c>, names: &[&'c str]) -> Eval<'c, Reads> {
        let (walked, reads) = reads::gather(|| {
            let (mut pending, mut seen) = (names.to_vec(), Vec::new());
            while let Some(name) = pending.pop() {
                if types::is_core(name) || seen.contains(&name) {
                    continue;
                }
                seen.push(name);
                let key = name.to_lowercase();
                let Some(files) = self.environment.type_files.get(&key) else { continue };
                // Manifests that might have had a defined type of the name.
                for file in modules::manifests(&self.environment.modules, &key).iter() {
                    self.tree().note_asked(PathQuestion::Outline, file);
                }
                files.ruby.iter().for_each(|file| self.tree().note_asked(PathQuestion::Content, file));
                for file in files.alias.iter().chain(&files.set) {
                    self.tree().note_asked(PathQuestion::Outline, file);
                }
                if let Some(lasting) = files.lasting[self.options.settings.strict as usize].get() {
                    reads::take_in(&lasting.reads);
                } else if let Some((_, _, AliasBody::Chunk(target))) =
                    self.types.aliases.borrow().get(key.as_str()).copied().flatten()
                {
                    pending.extend(vm.names_of_type(target)?.into_iter().flatten());
                }
            }
            Ok(())
        });
        walked.map(|()| reads)
    }

    /// Whether a type expression has literals, types of the language and aliases only, which are so in turn. `met` are
    /// the aliases that have been looked at.
    pub(crate) fn is_of_files(&self, vm: &Vm<'c>, chunk: ChunkRef, met: &mut Vec<&'c str>) -> Eval<'c, bool> {
        let Some(names) = vm.names_of_type(chunk)? else { return Ok(false) };
        for name in names {
            if met.contains(&name) || types::is_core(name) {
                continue;
            }
            let known = self.types.aliases.borrow().get(name.to_lowercase().as_str()).copied().flatten();
            match known {
                Some((_, DefKind::TypeAlias, AliasBody::Lasting(_))) => {}
                Some((_, DefKind::TypeAlias, AliasBody::Chunk(target))) => {
                    met.push(name);
                    if !self.is_file_of(name, vm.unit_file(target.unit))
                        || !self.is_of_files(vm, target, met)?
                    {
                        return Ok(false);
                    }
                }
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whether `file` is the one that is looked into for an alias, and reading it brings no warnings.
    pub(crate) fn is_file_of(&self, name: &str, file: Option<&str>) -> bool {
        let Some(file) = file else { return false };
        let sought = self.environment.type_files.get(name.to_lowercase().as_str());
        let unit = self.environment.modules.kept_file(Path::new(file));
        let outcome = unit.and_then(|file| file.units[self.options.settings.strict as usize].get());
        sought.and_then(|files| files.alias.as_deref()) == Some(Path::new(file))
            && outcome.is_some_and(|outcome| outcome.as_ref().is_ok_and(|unit| unit.warnings.is_empty()))
    }
}
