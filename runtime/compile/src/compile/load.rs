//! Finding definitions: loading files into the machine, the autoloader for classes, defined types, functions and
//! type aliases. Source: the specification's "Autoloading"; `Puppet::Parser::TypeLoader` for the search order.

use super::{AliasBody, Compile, Known, KnownKind};
use bunraku_compiler::check::{CheckOptions, Location};
use bunraku_compiler::{SourceFile, SourceKind};
use bunraku_data::names;
use bunraku_environment::modules;
use bunraku_environment::snapshot::TypeFiles;
use bunraku_environment::units::{Compiled, compile};
use bunraku_vm::closure::Closure;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::learned::Learned;
use bunraku_vm::names::split_first;
use bunraku_vm::regex;
use bunraku_vm::types::{self, Alias, Type, set_alias};
use bunraku_vm::unit::verify::Passed;
use bunraku_vm::unit::{ChunkRef, Def, DefKind, HostMatch, UnitId};
use bunraku_vm::vm::Vm;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::borrow::Cow;
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// A node definition and one of the names it goes by.
#[derive(Clone, Copy)]
pub(super) struct NodeDefinition<'c> {
    pub matching: HostMatch<'c>,
    pub known: &'c Known<'c>,
}

/// A unit that has been read, with the file and the module it came from.
#[derive(Clone, Copy)]
struct Read<'c> {
    unit: UnitId,
    file: Option<&'c str>,
    module: &'c str,
}

/// What is written as its bytes in the URI of a file.
const NOT_IN_URIS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b';')
    .remove(b'/')
    .remove(b'?')
    .remove(b':')
    .remove(b'@')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'$')
    .remove(b',')
    .remove(b'[')
    .remove(b']');

impl<'c> Compile<'c> {
    /// Loads a manifest: its definitions become known. Its top-level code is chunk 0 of the unit.
    fn load_manifest(&self, vm: &mut Vm<'c>, path: &Path) -> Eval<'c, UnitId> {
        let read = self.read_manifest(vm, path)?;
        self.define_all(vm, read, None)?;
        Ok(read.unit)
    }

    /// The unit of a manifest, whose definitions are not known yet.
    fn read_manifest(&self, vm: &mut Vm<'c>, path: &Path) -> Eval<'c, Read<'c>> {
        if let Some(file) = self.environment.modules.kept_file(path) {
            let compile = || self.units().file(self.tree(), path, self.check, file.in_module.as_deref());
            let outcome = file.units[self.check as usize].get_or_init(compile);
            self.note_standing(path);
            let compiled = outcome.as_ref().map_err(|faults| self.faults(faults))?;
            let learned = Some(&file.learned[self.check as usize]);
            self.check_noted(vm, compiled.parts().0, Some(&file.path))?;
            return self.read_unit(vm, compiled, (compiled.parts(), learned), Some(&file.path), &file.module);
        }
        let compiled = self.compile_manifest(path)?;
        let file = Some(self.text(&path.to_string_lossy()));
        self.check_noted(vm, compiled.parts().0, file)?;
        self.read_unit(vm, &compiled, (self.kept.keep(&compiled), None), file, self.module_of(path))
    }

    pub(super) fn compile_manifest(&self, path: &Path) -> Eval<'c, Compiled> {
        let in_module = self.environment.modules.place(path).map(|(path, _)| path);
        let outcome = self.units().file(self.tree(), path, self.check, in_module.as_deref());
        self.note_standing(path);
        outcome.map_err(|faults| self.faults(&faults))
    }

    pub(crate) fn compile_code(&self, code: &str) -> Eval<'c, Compiled> {
        self.compile_source(&SourceFile { path: None, text: code, kind: SourceKind::Manifest })
    }

    pub(super) fn compile_source(&self, source: &SourceFile<'_>) -> Eval<'c, Compiled> {
        compile(source, &self.check_options()).map_err(|faults| self.faults(&faults))
    }

    /// How code that is no module's is checked.
    pub(super) fn check_options(&self) -> CheckOptions<'static> {
        CheckOptions { strict: self.check, location: Location::Free }
    }

    pub(super) fn module_of(&self, path: &Path) -> &'c str {
        self.environment.modules.containing(path).map_or("", |module| self.text(&module.name))
    }

    pub(crate) fn load_compiled(
        &self,
        vm: &mut Vm<'c>,
        compiled: &Compiled,
        file: Option<&'c str>,
        module: &'c str,
    ) -> Eval<'c, UnitId> {
        let read = self.read_unit(vm, compiled, (self.kept.keep(compiled), None), file, module)?;
        self.define_all(vm, read, None)?;
        Ok(read.unit)
    }

    /// Reads words that live as long as the compile.
    fn read_unit(
        &self,
        vm: &mut Vm<'c>,
        compiled: &Compiled,
        ((words, passed), learned): ((&'c [u32], &'c Passed), Option<&'c Learned>),
        file: Option<&'c str>,
        module: &'c str,
    ) -> Eval<'c, Read<'c>> {
        self.log_warnings(compiled.warnings.iter());
        let unit = vm.load(words, passed, learned, file, module)?;
        Ok(Read { unit, file, module })
    }

    /// Makes known what a unit defines. A file that is loaded for the one thing it defines is itself the `origin` of that.
    fn define_all(&self, vm: &mut Vm<'c>, read: Read<'c>, origin: Option<&'c str>) -> Eval<'c, ()> {
        let unit = vm.unit(read.unit);
        for number in 0..unit.defs() {
            let def = unit.def(number).map_err(|fault| Flow::raw(fault.to_string()))?;
            self.define(vm, read, def, origin)?;
        }
        Ok(())
    }

    /// The error of a file with faults.
    fn faults(&self, faults: &[Diagnostic]) -> Box<Flow<'c>> {
        Flow::formed(self.error_of(faults))
    }

    fn define(
        &self,
        vm: &mut Vm<'c>,
        Read { unit, file, module }: Read<'c>,
        def: Def<'c>,
        origin: Option<&'c str>,
    ) -> Eval<'c, ()> {
        let chunk = ChunkRef { unit, chunk: def.chunk };
        let make = |kind| {
            self.add_known(|number| Known {
                number,
                kind,
                name: def.name,
                chunk: Some(chunk),
                parent: def.parent,
                module,
                file,
                line: def.line,
                overrides: Cell::new(false),
            })
        };
        match def.kind {
            DefKind::Class => {
                let known = make(KnownKind::Class);
                self.check_parameters(vm, known)?;
                let (class, define) = (self.class_named(def.name), self.define_named(def.name));
                let node = self.nodes_by_name.borrow().get(def.name).copied();
                self.taken(known, class, |name, at| {
                    format!("Class '{name}' is already defined{at}; cannot redefine")
                })?;
                self.taken(known, node, |name, at| {
                    format!("Node '{name}' is already defined{at}; cannot be redefined as a class")
                })?;
                self.taken(known, define, |name, at| {
                    format!("Definition '{name}' is already defined{at}; cannot be redefined as a class")
                })?;
                self.classes.borrow_mut().insert(def.name, known);
            }
            DefKind::Define => {
                let known = make(KnownKind::Define);
                let site = self.site_of_definition(file, &def, origin);
                if let Some(old) = self.define_sites.borrow_mut().insert(def.name, site) {
                    return Err(redefined("type", def.name, &format!("Originally set {old}.")));
                }
                self.check_parameters(vm, known)?;
                let (class, define) = (self.class_named(def.name), self.define_named(def.name));
                self.taken(known, class, |name, at| {
                    format!("'{name}' is already defined{at} as a class; cannot redefine as a definition")
                })?;
                self.taken(known, define, |name, at| {
                    format!("Definition '{name}' is already defined{at}; cannot be redefined")
                })?;
                self.defines.borrow_mut().insert(def.name, known);
            }
            DefKind::Node => {
                for matching in def.matches {
                    let name = match matching {
                        HostMatch::Name(name) => name,
                        HostMatch::Regex(source) => {
                            // Puppet compiles it when it reads it.
                            regex::check(source).map_err(Flow::raw)?;
                            self.text(&names::of_node_pattern(source))
                        }
                        HostMatch::Default => "default",
                    };
                    let known = self.add_known(|number| Known {
                        number,
                        kind: KnownKind::Node,
                        name,
                        chunk: Some(chunk),
                        parent: None,
                        module,
                        file,
                        line: def.line,
                        overrides: Cell::new(false),
                    });
                    let node = self.nodes_by_name.borrow().get(name).copied();
                    self.taken(known, node, |name, at| {
                        format!("Node '{name}' is already defined{at}; cannot redefine")
                    })?;
                    let class = if name.is_empty() { Some(self.known(0)) } else { self.class_named(name) };
                    self.taken(known, class, |name, at| {
                        format!("Class '{name}' is already defined{at}; cannot be redefined as a node")
                    })?;
                    self.nodes_by_name.borrow_mut().insert(name, known);
                    self.nodes.borrow_mut().push(NodeDefinition { matching, known });
                }
            }
            DefKind::Function => {
                let scope = vm.top;
                let closure = &*self.arena.alloc(Closure::new(chunk, scope, Some(def.name)));
                let site = self.site_of_definition(file, &def, origin);
                if let Some(old) = self.function_sites.borrow_mut().insert(def.name, site) {
                    return Err(redefined("function", def.name, &format!("Originally set {old}.")));
                }
                self.functions.borrow_mut().insert(def.name, Some(closure));
            }
            DefKind::TypeAlias | DefKind::ObjectType | DefKind::TypeSet => {
                if !self.seeks_type.get() || def.kind == DefKind::TypeSet {
                    self.expect_own_types(vm)?;
                }
                let key = self.text(&def.name.to_lowercase());
                if types::builtin(self.arena, def.name).is_some() {
                    return Err(redefined(
                        "type",
                        key,
                        "Originally set by Puppet-Type-System/Static-Loader.",
                    ));
                }
                if key == "node" || self.environment.types.get(key).is_some() {
                    return Err(redefined("type", key, "Set at unknown location"));
                }
                let alias = &*self.arena.alloc(Alias::new(def.name));
                // A type of a type set is found once the set has been looked at.
                if let Some(set) = def.parent {
                    self.set_types
                        .borrow_mut()
                        .entry(self.text(&set.to_lowercase()))
                        .or_default()
                        .push((key, (alias, def.kind, AliasBody::Chunk(chunk))));
                    return Ok(());
                }
                let site = self.site_of_definition(file, &def, origin);
                let old = self.alias_sites.borrow_mut().insert(key, site);
                if let Some(old) = old.or_else(|| self.define_sites.borrow().get(key).copied()) {
                    return Err(redefined("type", key, &format!("Originally set {old}.")));
                }
                self.aliases.borrow_mut().insert(key, Some((alias, def.kind, AliasBody::Chunk(chunk))));
            }
        }
        Ok(())
    }

    fn class_named(&self, name: &str) -> Option<&'c Known<'c>> {
        self.classes.borrow().get(name).copied()
    }

    fn define_named(&self, name: &str) -> Option<&'c Known<'c>> {
        self.defines.borrow().get(name).copied()
    }

    /// Fails if something else already has the name of `known`.
    fn taken(
        &self,
        known: &'c Known<'c>,
        other: Option<&'c Known<'c>>,
        message: impl Fn(&str, &str) -> String,
    ) -> Eval<'c, ()> {
        let Some(other) = other else { return Ok(()) };
        let at = super::location(other.file, other.line);
        let at = if at.is_empty() { at } else { format!(" {at}") };
        Err(self.placed_error(message(known.name, &at), known.file, known.line))
    }

    /// Where a definition stands, as Puppet's loaders name the place.
    fn site_of_definition(&self, file: Option<&str>, def: &Def<'c>, origin: Option<&'c str>) -> &'c str {
        if let Some(origin) = origin {
            return origin;
        }
        let file = match file {
            Some(path) => format!("file://{}", utf8_percent_encode(path, NOT_IN_URIS)),
            None => "string:".to_owned(),
        };
        self.text(&format!("at {file}?line={}&pos={}", def.line, def.column))
    }

    /// The type of a known alias. What it stands for is evaluated when it is first asked for, with the alias already
    /// known, so that it may refer to itself.
    fn resolve_alias(&self, vm: &mut Vm<'c>, key: &str) -> Eval<'c, Option<&'c Type<'c>>> {
        let known = self.aliases.borrow().get(key).copied().flatten();
        let Some((alias, kind, body)) = known else { return Ok(None) };
        if alias.target.get().is_none() && self.resolving.borrow_mut().insert(alias.name) {
            for (key, known) in self.set_types.borrow_mut().remove(key).unwrap_or_default() {
                self.aliases.borrow_mut().insert(key, Some(known));
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
            self.resolving.borrow_mut().remove(alias.name);
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

    /// Loads the files that may define `name` until `found` says it is known.
    fn autoload<T>(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        found: impl Fn(&Self) -> Option<T>,
    ) -> Eval<'c, Option<T>> {
        if let Some(known) = found(self) {
            return Ok(Some(known));
        }
        for file in modules::manifests(&self.environment.modules, name).iter() {
            if self.loaded.borrow().contains(file.as_os_str()) {
                continue;
            }
            self.loaded.borrow_mut().insert(file.clone().into());
            self.load_manifest(vm, file)?;
            if let Some(known) = found(self) {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// The class of a name in any case, loaded if need be.
    pub(crate) fn find_class(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Known<'c>>> {
        let name = names::key(name);
        self.autoload(vm, &name, |compile| compile.classes.borrow().get(&*name).copied())
    }

    /// The defined type of a name in any case, loaded if need be.
    pub(crate) fn find_define(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Known<'c>>> {
        let name = names::key(name);
        self.autoload(vm, &name, |compile| compile.defines.borrow().get(&*name).copied())
    }

    /// A function in the Puppet language, as code of module `from` sees it.
    pub(crate) fn find_function(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        from: &str,
    ) -> Eval<'c, Option<&'c Closure<'c>>> {
        if let Some(known) = self.functions.borrow().get(name) {
            return Ok(*known);
        }
        // Where there are both, the one in Ruby comes first, unless it is of the old kind.
        if self.find_ruby(name, from).is_some_and(|found| !found.old) {
            return Ok(None);
        }
        let file = match split_first(name) {
            Some((first, rest)) => self.namespaced_file(first, "functions", rest),
            None => self.environment_file("functions", name),
        };
        let Some(file) = file else { return Ok(None) };
        if !self.tree().is_file(&file) {
            self.functions.borrow_mut().insert(self.text(name), None);
            return Ok(None);
        }
        self.load_single(vm, &file, name, "function")?;
        Ok(self.functions.borrow().get(name).copied().flatten())
    }

    /// A type alias of a module or the environment.
    pub(super) fn find_alias(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Type<'c>>> {
        let key = name.to_lowercase();
        let known = self.aliases.borrow().contains_key(key.as_str());
        if known {
            return self.resolve_alias(vm, &key);
        }
        let first = split_first(&key).map_or(key.as_str(), |(first, _)| first);
        let environment = self.environment;
        let files = environment.type_files.get_or(key.as_str(), || self.type_files(&key));
        if let Some(lasting) = files.lasting[self.check as usize].get()
            && !vm.types.own_types
        {
            let alias = &*self.arena.alloc(Alias::new(&lasting.name));
            let known = (alias, DefKind::TypeAlias, AliasBody::Lasting(&lasting.target));
            let key = self.text(&key);
            self.alias_sites.borrow_mut().insert(key, &lasting.site);
            self.aliases.borrow_mut().insert(key, Some(known));
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
        match &files.set {
            Some(file) if !self.aliases.borrow().contains_key(first) => {
                let name = bunraku_data::names::capitalize(first);
                self.load_single(vm, file, &name, "type")?;
                self.resolve_alias(vm, first)?;
            }
            _ => {}
        }
        if !self.aliases.borrow().contains_key(key.as_str()) {
            self.aliases.borrow_mut().insert(self.text(&key), None);
        }
        self.resolve_alias(vm, &key)
    }

    /// The files that may define a type; its name in lower case.
    fn type_files(&self, key: &str) -> TypeFiles {
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

    /// Where what has a name without a namespace lies: only the environment has such.
    fn environment_file(&self, folder: &str, name: &str) -> Option<PathBuf> {
        Some(self.environment.directory.as_ref()?.join(folder).join(format!("{name}.pp")))
    }

    /// Where `module::rest` lies: under the module's folder, or for `environment::` under the environment's.
    fn namespaced_file(&self, module: &str, folder: &str, rest: &str) -> Option<PathBuf> {
        let relative = format!("{}.pp", rest.replace("::", "/"));
        if module == "environment" {
            let directory = self.environment.directory.as_ref()?;
            return Some(directory.join(folder).join("environment").join(relative));
        }
        Some(self.environment.modules.get(module)?.path.join(folder).join(relative))
    }

    /// Loads a file that must define exactly what its name says.
    fn load_single(&self, vm: &mut Vm<'c>, file: &Path, name: &str, what: &str) -> Eval<'c, UnitId> {
        let read = self.read_manifest(vm, file)?;
        let path = self.text(&file.to_string_lossy());
        let name = if what == "type" { Cow::Owned(name.to_lowercase()) } else { Cow::Borrowed(name) };
        let view = vm.unit(read.unit);
        let is_type = |kind| matches!(kind, DefKind::TypeAlias | DefKind::ObjectType | DefKind::TypeSet);
        // The types of a type set are part of it.
        let definitions = (0..view.defs()).filter_map(|n| view.def(n).ok());
        let found: Vec<Def<'c>> =
            definitions.filter(|def| !(is_type(def.kind) && def.parent.is_some())).collect();
        let message = match found.as_slice() {
            [] => format!("does not define the {what} '{name}' - it is empty."),
            [one] if (if what == "type" { is_type(one.kind) } else { one.kind == DefKind::Function }) => {
                if one.name.eq_ignore_ascii_case(&name) {
                    self.define_all(vm, read, Some(path))?;
                    return Ok(read.unit);
                }
                match what {
                    "type" => {
                        format!("produced type with the wrong name, expected '{name}', actual '{}'", one.name)
                    }
                    _ => format!("produced {what} with the wrong name, expected {name}, actual {}", one.name),
                }
            }
            [_] if what == "type" => {
                format!("does not define the type '{name}' - no type alias or type definition found.")
            }
            [_] => format!("does not define the {what} '{name}' - no {what} found."),
            _ => format!("must contain only the {what} '{name}' - it has additional definitions."),
        };
        Err(Flow::raw(format!("The code loaded from {path} {message}")))
    }
}

/// The error that a name has been defined before.
fn redefined<'c>(what: &str, name: &str, origin: &str) -> Box<Flow<'c>> {
    Flow::raw(format!(
        "Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{what}/{name}'. {origin}"
    ))
}
