//! Type aliases, Object types and type sets: where they are looked for, and what they stand for.
//! Source: puppet-specifications, "Autoloading"; `Puppet::Pops::Loader` for the search order.

use crate::compile::Compile;
use crate::state::aliases::AliasBody;
use crate::state::arena::List;
use bunraku_environment::snapshot::TypeFiles;
use bunraku_files::reads;
use bunraku_vm::error::Eval;
use bunraku_vm::names::split_first;
use bunraku_vm::types::{self, Alias, Type, set_alias};
use bunraku_vm::unit::DefKind;
use bunraku_vm::vm::Vm;
use std::path::PathBuf;

impl<'c> Compile<'c> {
    /// A type alias of a module or the environment.
    pub(crate) fn find_alias(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Type<'c>>> {
        let key = name.to_lowercase();
        let known = self.types.aliases.borrow().contains_key(key.as_str());
        if known {
            return self.resolve_alias(vm, &key);
        }
        // Puppet looks for a defined type of this name first, and reads the manifests that may have one; none where a resource
        // type in Ruby has the name.
        if self.type_entry(&key).ty.is_none() && self.find_define(vm, &key)?.is_some() {
            return Ok(None);
        }
        if self.types.aliases.borrow().contains_key(key.as_str()) {
            return self.resolve_alias(vm, &key);
        }
        let first = split_first(&key).map_or(key.as_str(), |(first, _)| first);
        let environment = self.environment;
        let files = environment.type_files.get_or(key.as_str(), || self.type_files(&key));
        if let Some(lasting) = files.lasting[self.options.settings.strict as usize].get()
            && !vm.types.own_types
        {
            reads::take_in(&lasting.reads);
            let alias = &*self.arena.alloc(Alias::new(&lasting.name));
            let known = (alias, DefKind::TypeAlias, AliasBody::Lasting(&lasting.target));
            let key = self.text(&key);
            self.types.sites.borrow_mut().insert(key, &lasting.site);
            self.types.aliases.borrow_mut().insert(key, Some(known));
            return self.resolve_alias(vm, key);
        }
        if let Some(file) = &files.ruby {
            let interface = self.datatype_interface(vm, name, file)?;
            self.seeking_type(|| self.load_compiled(vm, &interface, None, self.text(first)))?;
            let resolved = self.resolve_alias(vm, &key);
            self.note_datatype(&key, resolved.as_ref().ok().copied().flatten());
            return resolved;
        }
        if let Some(file) = &files.alias {
            self.seeking_type(|| self.load_single(vm, file, name, "type"))?;
            return self.resolve_alias(vm, &key);
        }
        if self.load_sets_around(vm, name, &key)? {
            return self.resolve_alias(vm, &key);
        }
        match &files.set {
            Some(file) if !self.types.aliases.borrow().contains_key(first) => {
                let name = bunraku_data::names::capitalize(first);
                self.load_single(vm, file, &name, "type")?;
                self.resolve_alias(vm, first)?;
            }
            _ => {}
        }
        if !self.types.aliases.borrow().contains_key(key.as_str()) {
            self.types.aliases.borrow_mut().insert(self.text(&key), None);
        }
        self.resolve_alias(vm, &key)
    }

    /// Loads the type sets of files of their own that a type may be in by its name, the innermost first, until one has it: `M::T` of
    /// `M::T::Port`. Whether one has; `key` is the name in lower case.
    fn load_sets_around(&self, vm: &mut Vm<'c>, name: &str, key: &str) -> Eval<'c, bool> {
        let mut around = name;
        while let Some((set, _)) = around.rsplit_once("::").filter(|(set, _)| set.contains("::")) {
            around = set;
            let set_key = set.to_lowercase();
            if !self.types.aliases.borrow().contains_key(set_key.as_str()) {
                let files =
                    self.environment.type_files.get_or(set_key.as_str(), || self.type_files(&set_key));
                let Some(file) = files.alias.as_ref().filter(|_| files.ruby.is_none()) else { continue };
                self.seeking_type(|| self.load_single(vm, file, set, "type"))?;
            }
            let known = self.types.aliases.borrow().get(set_key.as_str()).copied().flatten();
            if known.is_some_and(|(_, kind, _)| kind == DefKind::TypeSet) {
                self.resolve_alias(vm, &set_key)?;
                if self.types.aliases.borrow().contains_key(key) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The files that may define a type; its name in lower case.
    pub(crate) fn type_files(&self, key: &str) -> TypeFiles {
        let is_file = |file: &PathBuf| self.tree().is_file(file);
        let mut files = TypeFiles { ruby: self.datatype_file(key), ..TypeFiles::default() };
        if files.ruby.is_none() {
            let (module, file) = match split_first(key) {
                Some((module, rest)) => (module, self.namespaced_file(module, "types", rest)),
                None => (key, self.environment_file("types", key)),
            };
            files.alias = file.filter(is_file);
            if files.alias.is_none() {
                // A module's type set has the module's name.
                files.set = self.namespaced_file(module, "types", "init_typeset").filter(is_file);
            }
        }
        files
    }

    /// The type of a known alias. What it stands for is evaluated when it is first asked for, with the alias already
    /// known, so that it may refer to itself.
    pub(crate) fn resolve_alias(&self, vm: &mut Vm<'c>, key: &str) -> Eval<'c, Option<&'c Type<'c>>> {
        let known = self.types.aliases.borrow().get(key).copied().flatten();
        let Some((alias, kind, body)) = known else { return Ok(None) };
        if alias.target.get().is_none() && self.types.resolving.borrow_mut().insert(alias.name) {
            for (key, known) in self.types.set_types.borrow_mut().remove(key).into_iter().flatten() {
                self.types.aliases.borrow_mut().insert(key, Some(known));
            }
            vm.types.resolving += 1;
            let target = match (body, kind) {
                (AliasBody::Chunk(chunk), DefKind::ObjectType) => vm
                    .evaluate_definition("object initializer", chunk)
                    .and_then(|init| types::object::define(vm, Some(alias.name), init))
                    .map(|ty| &*self.arena.alloc(ty)),
                (AliasBody::Chunk(chunk), DefKind::TypeSet) => vm
                    .evaluate_definition("TypeSet initializer", chunk)
                    .and_then(|init| types::object::define_set(vm, Some(alias.name), init))
                    .map(|ty| &*self.arena.alloc(ty)),
                (AliasBody::Chunk(chunk), _) => vm.evaluate_type(chunk),
                (AliasBody::Lasting(ty), _) => ty.make(vm),
            };
            vm.types.resolving -= 1;
            self.types.resolving.borrow_mut().remove(alias.name);
            let target = target?;
            match (body, kind) {
                (AliasBody::Chunk(_), DefKind::TypeAlias) => set_alias(self.arena, alias, target)?,
                (_, DefKind::TypeAlias) => {
                    alias.target.set(Some(target));
                    types::settle(self.arena, alias);
                }
                _ => alias.target.set(Some(target)),
            }
        }
        // An Object type has its name itself; only in its own definition it is an alias.
        match alias.target.get() {
            Some(target) if kind != DefKind::TypeAlias => Ok(Some(target)),
            _ => Ok(Some(self.arena.alloc(Type::Alias(alias)))),
        }
    }

    /// Says that a type is about to be defined that nobody has looked for by its name. It may be one that has been taken
    /// on trust: what was is evaluated now, as it would have been before, and nothing is from then on.
    pub(crate) fn expect_own_types(&self, vm: &mut Vm<'c>) -> Eval<'c, ()> {
        for chunk in self.types.taken_on_trust.replace(List::new_in(self.arena)) {
            for n in 0..vm.params(chunk)?.len() {
                vm.param_type(chunk, n)?;
            }
        }
        vm.types.own_types = true;
        Ok(())
    }

    /// Loads what defines a type that is looked for.
    pub(crate) fn seeking_type<T>(&self, load: impl FnOnce() -> T) -> T {
        let outer = self.types.is_sought.replace(true);
        let loaded = load();
        self.types.is_sought.set(outer);
        loaded
    }
}
