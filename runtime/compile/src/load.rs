//! Finding definitions: loading files into the machine, the autoloader for classes, defined types, functions and
//! type aliases. Source: puppet-specifications, "Autoloading"; `Puppet::Parser::TypeLoader` for the search order.

use crate::compile::Compile;
use crate::inputs::Settings;
use crate::state::definitions::{Definition, Manifest};
use bunraku_compiler::bodies;
use bunraku_compiler::check::{CheckOptions, Location};
use bunraku_compiler::source::ILLEGAL_BOM;
use bunraku_compiler::{SourceFile, SourceKind};
use bunraku_data::names;
use bunraku_environment::function_files::ENVIRONMENT;
use bunraku_environment::modules;
use bunraku_environment::units::{Compiled, compile};
use bunraku_files::reads::{self, PathQuestion, Touch};
use bunraku_vm::closure::Closure;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::learned::Learned;
use bunraku_vm::names::split_first;
use bunraku_vm::unit::verify::Passed;
use bunraku_vm::unit::{Def, DefKind, UnitId};
use bunraku_vm::vm::Vm;
use std::borrow::Cow;
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// A unit that has been read, with the file and the module it came from.
#[derive(Clone, Copy)]
pub(crate) struct Read<'c> {
    pub unit: UnitId,
    pub manifest: Manifest<'c>,
    pub module: &'c str,
}

impl<'c> Compile<'c> {
    /// The unit of a manifest, whose definitions are not known yet.
    pub(crate) fn read_manifest(&self, vm: &mut Vm<'c>, path: &Path) -> Eval<'c, Read<'c>> {
        if let Some(file) = self.environment.modules.kept_file(path) {
            let compile = || {
                self.units().file(self.tree(), path, self.options.settings.strict, file.in_module.as_deref())
            };
            let outcome = file.unit(self.tree(), self.options.settings.strict as usize, compile);
            self.witness_file(path, file.in_module.as_deref());
            self.note_standing(path);
            let compiled = outcome.as_ref().map_err(|faults| self.faults(faults))?;
            let learned = Some(&file.learned[self.options.settings.strict as usize]);
            self.check_noted(vm, compiled.parts().0, Some(&file.path))?;
            let path = Some(&*file.path);
            let mut read = self.read_unit(vm, compiled, (compiled.parts(), learned), path, &file.module)?;
            read.manifest.kept = Some(file);
            return Ok(read);
        }
        let compiled = self.compile_manifest(path)?;
        let file = Some(self.text(&path.to_string_lossy()));
        self.check_noted(vm, compiled.parts().0, file)?;
        self.read_unit(vm, &compiled, (self.options.kept.keep(&compiled), None), file, self.module_of(path))
    }

    pub(crate) fn compile_manifest(&self, path: &Path) -> Eval<'c, Compiled> {
        let in_module = self.environment.modules.place(path).map(|(path, _)| path);
        let outcome =
            self.units().file(self.tree(), path, self.options.settings.strict, in_module.as_deref());
        self.witness_file(path, in_module.as_deref());
        self.note_standing(path);
        outcome.map_err(|faults| self.faults(&faults))
    }

    pub(crate) fn compile_code(&self, code: &str) -> Eval<'c, Compiled> {
        self.compile_source(&SourceFile { path: None, text: code, kind: SourceKind::Manifest })
    }

    pub(crate) fn compile_source(&self, source: &SourceFile<'_>) -> Eval<'c, Compiled> {
        compile(source, &self.check_options()).map_err(|faults| self.faults(&faults))
    }

    /// How code that is no module's is checked.
    pub(crate) fn check_options(&self) -> CheckOptions<'static> {
        let Settings { strict, compat, .. } = self.options.settings;
        CheckOptions { strict, compat, location: Location::Free }
    }

    pub(crate) fn module_of(&self, path: &Path) -> &'c str {
        self.environment.modules.containing(path).map_or("", |module| self.text(&module.name))
    }

    pub(crate) fn load_compiled(
        &self,
        vm: &mut Vm<'c>,
        compiled: &Compiled,
        file: Option<&'c str>,
        module: &'c str,
    ) -> Eval<'c, UnitId> {
        let read = self.read_unit(vm, compiled, (self.options.kept.keep(compiled), None), file, module)?;
        self.define_all(vm, read, None)?;
        Ok(read.unit)
    }

    /// Reads words that live as long as the compile.
    pub(crate) fn read_unit(
        &self,
        vm: &mut Vm<'c>,
        compiled: &Compiled,
        ((words, passed), learned): ((&'c [u32], &'c Passed), Option<&'c Learned>),
        file: Option<&'c str>,
        module: &'c str,
    ) -> Eval<'c, Read<'c>> {
        self.log_warnings(compiled.warnings.iter());
        let unit = vm.load(words, passed, learned, file, module)?;
        Ok(Read { unit, manifest: Manifest { file, kept: None }, module })
    }

    /// Makes known what a unit defines. A file that is loaded for the one thing it defines is itself the `origin` of that.
    pub(crate) fn define_all(
        &self,
        vm: &mut Vm<'c>,
        read: Read<'c>,
        origin: Option<&'c str>,
    ) -> Eval<'c, ()> {
        let unit = vm.unit(read.unit);
        for number in 0..unit.defs() {
            let def = unit.def(number).map_err(|fault| Flow::raw(fault.to_string()))?;
            self.define(vm, read, &def, origin)?;
        }
        Ok(())
    }

    /// The error of a file with faults. Ruby's own ends what asked for the file, whose place it has then, and so does a byte order mark.
    pub(crate) fn faults(&self, faults: &[Diagnostic]) -> Box<Flow<'c>> {
        let error = self.error_of(faults);
        if is_of_ruby(&error) || error.code == Some(ILLEGAL_BOM) {
            Flow::raw(error.message)
        } else {
            Flow::formed(error)
        }
    }

    /// Loads the files that may define `name` until `found` says it is known.
    pub(crate) fn autoload<T>(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        found: impl Fn(&Self) -> Option<T>,
    ) -> Eval<'c, Option<T>> {
        if let Some(definition) = found(self) {
            return Ok(Some(definition));
        }
        for file in modules::manifests(&self.environment.modules, name).iter() {
            if self.definitions.loaded.borrow().contains(file.as_os_str().as_encoded_bytes()) {
                continue;
            }
            self.definitions.loaded.borrow_mut().insert(self.bytes_of(file));
            let read = self.read_manifest(vm, file).inspect_err(|_| {
                // Whoever goes on in spite of that reads it again.
                self.definitions.loaded.borrow_mut().remove(file.as_os_str().as_encoded_bytes());
            })?;
            self.define_all(vm, read, None)?;
            if let Some(definition) = found(self) {
                return Ok(Some(definition));
            }
        }
        Ok(None)
    }

    /// The class of a name in any case, loaded if need be.
    pub(crate) fn find_class(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Definition<'c>>> {
        let name = names::key(name);
        let found =
            self.autoload(vm, &name, |compile| compile.definitions.classes.borrow().get(&*name).copied())?;
        found.inspect(|definition| {
            self.note_once(&definition.is_noted, definition.manifest, DefKind::Class, definition.name)
        });
        Ok(found)
    }

    /// The defined type of a name in any case, loaded if need be.
    pub(crate) fn find_define(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Definition<'c>>> {
        let name = names::key(name);
        let found =
            self.autoload(vm, &name, |compile| compile.definitions.defines.borrow().get(&*name).copied())?;
        found.inspect(|definition| {
            self.note_once(&definition.is_noted, definition.manifest, DefKind::Define, definition.name)
        });
        Ok(found)
    }

    /// Notes for those who gather what is read that code gets at the body of a definition of a manifest.
    pub(crate) fn note_body(&self, manifest: Manifest<'c>, kind: DefKind, name: &str) {
        let outline = || match manifest.kept {
            Some(kept) => Some(kept.outline(self.tree())),
            None => Some(self.tree().question(PathQuestion::Outline, Path::new(manifest.file?))),
        };
        if reads::is_gathered()
            && let Some(outline) = outline()
        {
            reads::note(|| Touch::of_body(outline, (bodies::before_name(kind), name)));
        }
    }

    /// The same of what code gets at again and again, which remembers whether that has been noted.
    #[inline]
    fn note_once(&self, is_noted: &Cell<bool>, manifest: Manifest<'c>, kind: DefKind, name: &str) {
        if reads::is_gathered() && !is_noted.replace(true) {
            self.note_body(manifest, kind, name);
        }
    }

    /// The function of a name in the Puppet language that is known already; none inside where it is known that there is none.
    pub(crate) fn known_function(&self, name: &str) -> Option<Option<&'c Closure<'c>>> {
        let definition = *self.definitions.functions.borrow().get(name)?;
        Some(definition.map(|definition| {
            self.note_once(&definition.is_noted, definition.manifest, DefKind::Function, name);
            definition.closure
        }))
    }

    /// A function in the Puppet language, as code of module `from` sees it.
    pub(crate) fn find_function(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        from: &str,
    ) -> Eval<'c, Option<&'c Closure<'c>>> {
        if let Some(known) = self.known_function(name) {
            return Ok(known);
        }
        // Where a module or the environment has both, the one in Ruby comes first, unless it is of the old kind.
        let is_beside = |module: &str| name.contains("::") || module == ENVIRONMENT;
        if self.find_ruby(name, from).is_some_and(|found| !found.old && is_beside(found.module)) {
            return Ok(None);
        }
        let file = match split_first(name) {
            Some((first, rest)) => self.namespaced_file(first, "functions", rest),
            None => self.environment_file("functions", name),
        };
        let Some(file) = file else { return Ok(None) };
        if !self.tree().is_file(&file) {
            self.definitions.functions.borrow_mut().insert(self.text(name), None);
            return Ok(None);
        }
        self.load_single(vm, &file, name, "function")?;
        Ok(self.known_function(name).flatten())
    }

    /// Where what has a name without a namespace lies: only the environment has such.
    pub(crate) fn environment_file(&self, folder: &str, name: &str) -> Option<PathBuf> {
        Some(self.environment.directory.as_ref()?.join(folder).join(format!("{name}.pp")))
    }

    /// Where `module::rest` lies: under the module's folder, or for `environment::` under the environment's.
    pub(crate) fn namespaced_file(&self, module: &str, folder: &str, rest: &str) -> Option<PathBuf> {
        let relative = format!("{}.pp", rest.replace("::", "/"));
        if module == "environment" {
            let directory = self.environment.directory.as_ref()?;
            return Some(directory.join(folder).join("environment").join(relative));
        }
        Some(self.environment.modules.get(module)?.path.join(folder).join(relative))
    }

    /// Loads a file that must define exactly what its name says.
    pub(crate) fn load_single(
        &self,
        vm: &mut Vm<'c>,
        file: &Path,
        name: &str,
        what: &str,
    ) -> Eval<'c, UnitId> {
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

/// Whether an error of a file is none of Puppet's but Ruby's, of a regular expression: it names no place.
pub(crate) fn is_of_ruby(error: &Diagnostic) -> bool {
    error.code.is_none() && error.place == Place::default()
}
