//! Finding definitions: loading files into the machine, the autoloader for classes, defined types, functions and
//! type aliases. Source: the specification's "Autoloading"; `Puppet::Parser::TypeLoader` for the search order.

use super::{Compile, Known, KnownKind};
use crate::modules;
use crate::names;
use crate::units::{Compiled, compile};
use bunraku_compiler::check::{CheckOptions, Location};
use bunraku_compiler::{SourceFile, SourceKind};
use bunraku_vm::closure::Closure;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::types::{Alias, Type, set_alias};
use bunraku_vm::unit::{ChunkRef, Def, DefKind, HostMatch, UnitId};
use bunraku_vm::vm::Vm;
use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};

/// A node definition and one of the names it goes by.
#[derive(Clone, Copy)]
pub(super) struct NodeDefinition<'c> {
    pub matching: HostMatch<'c>,
    pub known: &'c Known<'c>,
}

impl<'c> Compile<'c> {
    /// Loads a manifest: its definitions become known. Its top-level code is chunk 0 of the unit.
    pub(super) fn load_manifest(&self, vm: &mut Vm<'c>, path: &Path) -> Eval<'c, UnitId> {
        let in_module = self.environment.modules.containing(path).and_then(|module| {
            let rest = path.strip_prefix(&module.path).ok()?;
            Some(format!("{}/{}", module.name, rest.to_string_lossy()))
        });
        let compiled =
            self.units.file(path, self.check, in_module.as_deref()).map_err(|faults| self.faults(&faults))?;
        let module = self.module_of(path);
        self.load_compiled(vm, &compiled, Some(self.text(&path.to_string_lossy())), module)
    }

    /// Loads code given as text.
    pub(super) fn load_code(&self, vm: &mut Vm<'c>, code: &str) -> Eval<'c, UnitId> {
        let source = SourceFile { path: None, text: code, kind: SourceKind::Manifest };
        let compiled = compile(&source, &self.check_options()).map_err(|faults| self.faults(&faults))?;
        self.load_compiled(vm, &compiled, None, "")
    }

    /// How code that is no module's is checked.
    pub(super) fn check_options(&self) -> CheckOptions<'static> {
        CheckOptions { strict: self.check, location: Location::Free }
    }

    pub(super) fn module_of(&self, path: &Path) -> &'c str {
        self.environment.modules.containing(path).map_or("", |module| self.text(&module.name))
    }

    fn load_compiled(
        &self,
        vm: &mut Vm<'c>,
        compiled: &Compiled,
        file: Option<&'c str>,
        module: &'c str,
    ) -> Eval<'c, UnitId> {
        for warning in compiled.warnings.iter() {
            self.log_diagnostic(warning);
        }
        let words = &*self.arena.alloc_slice_copy(&compiled.words);
        let id = vm.load(words, file, module)?;
        let unit = vm.unit(id);
        for number in 0..unit.defs() {
            let def = unit.def(number).map_err(|fault| Flow::raw(fault.to_string()))?;
            self.define(vm, id, def, file, module)?;
        }
        Ok(id)
    }

    /// The error of a file with faults: Puppet reports each and gives up with the first, or with their number.
    pub(super) fn faults(&self, faults: &[Diagnostic]) -> Box<Flow<'c>> {
        match faults {
            [one] => Flow::formed(one.clone()),
            many => {
                for fault in many {
                    self.log_diagnostic(fault);
                }
                let count = many.len();
                Flow::formed(Diagnostic::error(format!(
                    "Language validation logged {count} errors. Giving up"
                )))
            }
        }
    }

    fn define(
        &self,
        vm: &mut Vm<'c>,
        unit: UnitId,
        def: Def<'c>,
        file: Option<&'c str>,
        module: &'c str,
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
                let other = self.classes.borrow().get(def.name).copied();
                self.taken("Class", other, known)?;
                let other = self.defines.borrow().get(def.name).copied();
                self.redefined(other, "a definition", "a class", known)?;
                self.classes.borrow_mut().insert(def.name, known);
            }
            DefKind::Define => {
                let known = make(KnownKind::Define);
                let other = self.classes.borrow().get(def.name).copied();
                self.redefined(other, "a class", "a definition", known)?;
                let other = self.defines.borrow().get(def.name).copied();
                self.taken("Definition", other, known)?;
                self.defines.borrow_mut().insert(def.name, known);
            }
            DefKind::Node => {
                let known = make(KnownKind::Node);
                for matching in def.matches {
                    let name = match matching {
                        HostMatch::Name(name) => name,
                        HostMatch::Regex(_) => def.name,
                        HostMatch::Default => "default",
                    };
                    let known = if name == def.name {
                        known
                    } else {
                        self.add_known(|number| Known {
                            number,
                            kind: KnownKind::Node,
                            name,
                            chunk: Some(chunk),
                            parent: None,
                            module,
                            file,
                            line: def.line,
                            overrides: Cell::new(false),
                        })
                    };
                    let other = self.nodes.borrow().iter().find(|n| n.known.name == name).map(|n| n.known);
                    self.taken("Node", other, known)?;
                    self.nodes.borrow_mut().push(NodeDefinition { matching, known });
                }
            }
            DefKind::Function => {
                let scope = vm.top;
                let closure = &*self.arena.alloc(Closure { chunk, scope, name: Some(def.name) });
                self.functions.borrow_mut().insert(def.name, Some(closure));
            }
            DefKind::TypeAlias => {
                self.add_alias(vm, def.name, chunk)?;
            }
        }
        Ok(())
    }

    fn taken(&self, what: &str, other: Option<&'c Known<'c>>, known: &'c Known<'c>) -> Eval<'c, ()> {
        let Some(other) = other else { return Ok(()) };
        let at = super::location(other.file, other.line);
        let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
        let message = format!("{what} '{}' is already defined{at}; cannot redefine", known.name);
        Err(self.placed_error(message, known.file, known.line))
    }

    fn redefined(
        &self,
        other: Option<&'c Known<'c>>,
        was: &str,
        is: &str,
        known: &'c Known<'c>,
    ) -> Eval<'c, ()> {
        let Some(other) = other else { return Ok(()) };
        let at = super::location(other.file, other.line);
        let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
        let (name, was) = (known.name, was.trim_start_matches("a "));
        let is = is.trim_start_matches("a ");
        let message = match is {
            "class" => format!("Class '{name}' is already defined{at} as a {was}; cannot redefine as a {is}"),
            _ => format!(
                "Definition '{name}' is already defined{at} as a {was}; cannot be redefined as a {is}"
            ),
        };
        Err(self.placed_error(message, known.file, known.line))
    }

    /// Makes an alias known, then evaluates what it stands for: so it may refer to itself.
    fn add_alias(&self, vm: &mut Vm<'c>, name: &'c str, chunk: ChunkRef) -> Eval<'c, &'c Type<'c>> {
        let alias = &*self.arena.alloc(Alias { name, target: OnceCell::new() });
        let ty = &*self.arena.alloc(Type::Alias(alias));
        let key = self.text(&name.to_lowercase());
        self.aliases.borrow_mut().insert(key, Some(ty));
        let target = vm.evaluate_type(chunk)?;
        set_alias(self.arena, alias, target)?;
        Ok(ty)
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
        for file in modules::manifests(&self.environment.modules, name) {
            if !self.loaded.borrow_mut().insert(file.clone()) {
                continue;
            }
            let unit = self.load_manifest(vm, &file)?;
            let _ = unit;
            if let Some(known) = found(self) {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// The class of a name in any case, loaded if need be.
    pub(super) fn find_class(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Known<'c>>> {
        let name = names::key(name);
        self.autoload(vm, &name, |compile| compile.classes.borrow().get(name.as_str()).copied())
    }

    /// The defined type of a name in any case, loaded if need be.
    pub(super) fn find_define(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Known<'c>>> {
        let name = names::key(name);
        self.autoload(vm, &name, |compile| compile.defines.borrow().get(name.as_str()).copied())
    }

    /// A function in the Puppet language, as code of module `from` sees it.
    pub(super) fn find_function(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        from: &str,
    ) -> Eval<'c, Option<&'c Closure<'c>>> {
        if let Some(known) = self.functions.borrow().get(name) {
            let visible = name
                .split_once("::")
                .is_none_or(|(module, _)| self.environment.modules.is_visible(from, module));
            return Ok(known.filter(|_| visible));
        }
        let Some((first, rest)) = name.split_once("::") else { return Ok(None) };
        if !self.environment.modules.is_visible(from, first) {
            return Ok(None);
        }
        let Some(file) = self.namespaced_file(first, "functions", rest) else { return Ok(None) };
        if !file.is_file() {
            self.functions.borrow_mut().insert(self.text(name), None);
            return Ok(None);
        }
        let unit = self.load_single(vm, &file, name, "function")?;
        let _ = unit;
        Ok(self.functions.borrow().get(name).copied().flatten())
    }

    /// A type alias of a module or the environment, as code of module `from` sees it.
    pub(super) fn find_alias(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        from: &str,
    ) -> Eval<'c, Option<&'c Type<'c>>> {
        let key = name.to_lowercase();
        if let Some(known) = self.aliases.borrow().get(key.as_str()) {
            return Ok(*known);
        }
        let Some((first, rest)) = key.split_once("::") else { return Ok(None) };
        if !self.environment.modules.is_visible(from, first) {
            return Ok(None);
        }
        let file = self.namespaced_file(first, "types", rest).filter(|file| file.is_file());
        let Some(file) = file else {
            self.aliases.borrow_mut().insert(self.text(&key), None);
            return Ok(None);
        };
        self.load_single(vm, &file, name, "type")?;
        Ok(self.aliases.borrow().get(key.as_str()).copied().flatten())
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
        let unit = self.load_manifest(vm, file)?;
        let view = vm.unit(unit);
        let defines = (0..view.defs()).filter_map(|n| view.def(n).ok());
        let names: Vec<&str> = defines.map(|def| def.name).collect();
        let path = file.display();
        let capital = if what == "function" { "Function" } else { "Type" };
        let message = match names.as_slice() {
            [] => format!(
                "The code loaded from {path} does not seem to be a Puppet {what} definition - it is empty"
            ),
            [one] if one.eq_ignore_ascii_case(name) => return Ok(unit),
            [one] => format!(
                "The code loaded from {path} produced {what} with the wrong name, expected {}, actual {}",
                if what == "function" { name.to_owned() } else { name.to_lowercase() },
                if what == "function" { (*one).to_owned() } else { one.to_lowercase() },
            ),
            _ => format!(
                "The code loaded from {path} must contain only the {what} '{name}' - it has additional definitions."
            ),
        };
        let _ = capital;
        Err(Flow::raw(message))
    }
}
