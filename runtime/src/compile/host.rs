//! What running code sees of the compile: the machine's `Host`, each question passed on to where it is answered.

use super::declare::flatten;
use super::{Compile, Log, query};
use crate::catalog::rich;
use crate::data;
use crate::hiera::{self, context};
use crate::names;
use crate::resource_types::is_metaparameter;
use crate::snapshot::Named;
use crate::stats::Kind;
use bumpalo::collections::Vec as List;
use bunraku_compiler::{SourceFile, SourceKind};
use bunraku_process::Errors;
use bunraku_vm::closure::Closure;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::error::{Eval, Fault, Flow, Stage};
use bunraku_vm::format;
use bunraku_vm::function::{Call, Native};
use bunraku_vm::host::{
    Attribute, Called, Collect, Declaration, Erb, Host, Include, Lookup, ModuleFolder, ObjectClass, Relation,
    Site, Strict,
};
use bunraku_vm::names::split_last;
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::types::{Signature, Type};
use bunraku_vm::unit::ChunkRef;
use bunraku_vm::value::{Array, Hash, HashBuilder, Object, Str, Value};
use bunraku_vm::vm::Vm;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

impl<'c> Compile<'c> {
    pub(crate) fn push_log(&self, level: Severity, message: String, place: Place) {
        self.logs.borrow_mut().push(Log { level, message, place });
    }

    /// Logs a message with its place behind it, as Puppet's warnings have it.
    pub(super) fn log_with_place(&self, level: Severity, message: &str, place: Place) {
        let mut diagnostic = Diagnostic::error(message).at(place);
        diagnostic.severity = level;
        self.log_diagnostic(&diagnostic);
    }

    /// Logs a diagnostic as Puppet's single line.
    pub(super) fn log_diagnostic(&self, diagnostic: &Diagnostic) {
        self.push_log(diagnostic.severity, diagnostic.to_string(), diagnostic.place.clone());
    }

    /// Whether `name` (a key) is a resource type of any kind.
    pub(super) fn is_resource_type_name(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool> {
        if self.type_name(name).ty.is_some() {
            return Ok(true);
        }
        Ok(self.find_define(vm, name)?.is_some())
    }

    /// Whether a resource's type has a parameter of that name.
    fn has_parameter(&self, vm: &mut Vm<'c>, id: ResourceId, name: &str) -> Eval<'c, bool> {
        if name == "name" || is_metaparameter(name) {
            return Ok(true);
        }
        let type_name = self.catalog.borrow()[id].type_name;
        if let Some(ty) = self.environment.types.get(type_name) {
            return Ok(ty.takes(name));
        }
        let title = self.catalog.borrow()[id].title;
        let known = match type_name {
            "Class" => self.find_class(vm, title)?,
            _ => self.find_define(vm, type_name)?,
        };
        match known.and_then(|known| known.chunk) {
            Some(chunk) => Ok(vm.params(chunk)?.iter().any(|param| param.name == name)),
            None => Ok(false),
        }
    }

    /// Where `module/path` lies under a module's folder.
    fn module_file(&self, folder: ModuleFolder, path: &str) -> Option<PathBuf> {
        if path.starts_with('/') {
            return Some(PathBuf::from(path));
        }
        let (module, rest) = path.split_once('/')?;
        let folder = match folder {
            ModuleFolder::Files => "files",
            ModuleFolder::Templates => "templates",
        };
        Some(self.environment.modules.get(module)?.path.join(folder).join(rest))
    }
}

impl<'c> Host<'c> for Compile<'c> {
    fn log(&self, severity: Severity, message: &str, place: Option<Place>) {
        // Puppet's default log level; what is below is for its developers.
        if severity < Severity::Notice {
            return;
        }
        match place {
            Some(place) => self.log_with_place(severity, message, place),
            None => self.push_log(severity, message.to_owned(), Place::default()),
        }
    }

    fn string_of_bytes(&self, vm: &Vm<'c>, bytes: &[u8]) -> Str<'c> {
        self.ruby.string_of_bytes(vm, bytes)
    }

    fn log_length(&self) -> usize {
        self.logs.borrow().len()
    }

    fn warn_once(&self, message: &str) {
        Compile::warn_once(self, message.to_owned());
    }

    fn warn_once_for(&self, key: &str, message: &str) -> bool {
        let new = self.warned.borrow_mut().insert(key.to_owned());
        if new {
            self.push_log(Severity::Warning, message.to_owned(), Place::default());
        }
        new
    }

    fn strict(&self) -> Strict {
        self.settings.strict
    }

    fn strict_variables(&self) -> bool {
        self.settings.strict_variables
    }

    fn native(&self, name: &str, from: &str) -> Option<&'static Native> {
        self.natives.find(name).or_else(|| self.twin(name, from))
    }

    fn call_begins(&self, callee: Called<'_>) {
        let (kind, name) = match callee {
            Called::Puppet(name) => (Kind::Puppet, name),
            Called::Epp(name) => (Kind::Epp, name),
            Called::Native(native) if self.natives.find(native.name).is_none() => (Kind::Native, native.name),
            Called::Native(native) => (Kind::Language, native.name),
        };
        self.counter.begin(kind, name);
    }

    fn call_ends(&self) {
        self.counter.end();
    }

    fn has_old_function(&self, name: &str) -> bool {
        self.has_function_of_old_kind(name)
    }

    fn manifest_function(&self, name: &str) -> Option<&'c Closure<'c>> {
        self.functions.borrow().get(name).copied().flatten().filter(|_| !name.contains("::"))
    }

    fn function(&self, vm: &mut Vm<'c>, name: &str, module: &str) -> Eval<'c, Option<&'c Closure<'c>>> {
        self.find_function(vm, name, module)
    }

    fn foreign(&self, vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>> {
        if let Some(value) = self.context_method(vm, name, call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.block_function(vm, name, call)? {
            return Ok(Some(value));
        }
        let from = vm.module();
        self.call_ruby(vm, name, from, call)
    }

    fn object_class(&self, vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, ObjectClass<'c>> {
        self.class_in_ruby(vm, ty)
    }

    fn make_object(
        &self,
        vm: &mut Vm<'c>,
        ty: &'c Type<'c>,
        args: &[Value<'c>],
        from_hash: bool,
    ) -> Eval<'c> {
        if bunraku_vm::types::name(ty) == crate::hiera::context::TYPE {
            return self.new_context(vm, args);
        }
        self.instance_in_ruby(vm, ty, args, from_hash)
    }

    fn object_member(
        &self,
        vm: &mut Vm<'c>,
        object: &'c Object<'c>,
        name: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
    ) -> Eval<'c> {
        self.member_in_ruby(vm, object, name, args, block)
    }

    fn type_alias(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Type<'c>>> {
        if name.eq_ignore_ascii_case(context::TYPE) {
            return Ok(Some(context::context_type(vm)));
        }
        self.find_alias(vm, name)
    }

    fn is_resource_type(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool> {
        self.is_resource_type_name(vm, &names::key(name))
    }

    fn class_scope(&self, name: &str) -> Option<&'c Scope<'c>> {
        self.class_scopes.borrow().get(&*names::key(name)).copied()
    }

    fn class_exists(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool> {
        Ok(self.find_class(vm, name)?.is_some())
    }

    fn exporting(&self, at: Site<'c>) {
        if !self.stores_configs() {
            let message =
                "You cannot collect exported resources without storeconfigs being set; the export is ignored";
            self.log_with_place(Severity::Warning, message, at.place());
        }
    }

    fn declare(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, declaration: &Declaration<'c>) -> Eval<'c> {
        let creation = self.creation(declaration.form, declaration.type_name, declaration.at);
        let titles = || declaration.bodies.iter().map(|body| body.titles.len()).sum();
        let mut references = declaration.asked.then(|| List::with_capacity_in(titles(), self.arena));
        for body in declaration.bodies {
            let params = self.params_of(scope, body.attributes);
            self.create(vm, scope, &creation, body.titles, params, references.as_mut())?;
        }
        let array =
            |references: List<'c, _>| Value::Array(Array::wrap(self.arena, references.into_bump_slice()));
        Ok(references.map_or(Value::Undef, array))
    }

    fn set_defaults(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        ty: Value<'c>,
        attributes: &'c [Attribute<'c>],
        _at: Site<'c>,
    ) -> Eval<'c> {
        self.define_defaults(vm, scope, ty, attributes)
    }

    fn override_resources(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        resources: Value<'c>,
        attributes: &'c [Attribute<'c>],
        at: Site<'c>,
    ) -> Eval<'c> {
        self.override_expression(vm, scope, resources, attributes, at)?;
        Ok(resources)
    }

    fn collect(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, collect: &Collect<'c>) -> Eval<'c> {
        self.add_collector(vm, scope, collect)
    }

    fn relate(
        &self,
        vm: &mut Vm<'c>,
        _scope: &'c Scope<'c>,
        relation: Relation,
        left: Value<'c>,
        right: Value<'c>,
        _at: Site<'c>,
    ) -> Eval<'c> {
        self.add_relationship(vm, relation, left, right)
    }

    fn include(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        how: Include,
        classes: &[Value<'c>],
    ) -> Eval<'c> {
        self.include_classes(vm, scope, how, classes)
    }

    fn defined(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, what: &[Value<'c>]) -> Eval<'c, bool> {
        for value in what {
            let found = match value {
                Value::Str(text) if text.starts_with('$') && text.len() > 1 => {
                    let name = &text[1..];
                    let bare = name.strip_prefix("::").unwrap_or(name);
                    // Unlike `$a::b`, this finds what is around the class, too.
                    match split_last(bare) {
                        Some((class, leaf)) => self
                            .class_scope(class)
                            .is_some_and(|scope| scope.lookup(vm.symbols.intern(leaf)).is_some()),
                        None if name.len() > bare.len() => vm.find_qualified(name).is_some(),
                        None => scope.lookup(vm.symbols.intern(name)).is_some(),
                    }
                }
                Value::Str(text) if text.is_empty() => false,
                Value::Str(text) if text.as_str() == "main" => true,
                Value::Str(text) => {
                    let name = names::key(text);
                    self.is_resource_type_name(vm, &name)? || self.find_class(vm, &name)?.is_some()
                }
                Value::Type(Type::Resource { type_name: None, .. }) => {
                    return Err(Flow::raw("The given resource type is a reference to all kind of types"));
                }
                Value::Type(Type::Resource { type_name: Some(name), title: None }) => {
                    self.is_resource_type_name(vm, &names::key(name))?
                }
                Value::Type(Type::Resource { type_name: Some(name), title: Some(title) }) => {
                    self.find_resource(name, title).is_some()
                }
                Value::Type(Type::Class(None)) => {
                    return Err(Flow::raw("The given class type is a reference to all classes"));
                }
                Value::Type(Type::Class(Some(name))) => self.find_resource("Class", name).is_some(),
                Value::Type(Type::Type(inner)) => match inner {
                    Type::Class(Some(name)) => self.find_class(vm, name)?.is_some(),
                    Type::Resource { type_name: Some(name), title: None } => {
                        self.is_resource_type_name(vm, &names::key(name))?
                    }
                    _ => false,
                },
                other => {
                    let actual = vm.type_text(*other);
                    return Err(Flow::raw(format!("Invalid argument of type '{actual}' to 'defined'")));
                }
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn realize(&self, _vm: &mut Vm<'c>, _scope: &'c Scope<'c>, references: &[Value<'c>]) -> Eval<'c> {
        self.add_realization(references);
        Ok(Value::Undef)
    }

    fn tag(&self, _vm: &mut Vm<'c>, scope: &'c Scope<'c>, tags: &[Value<'c>]) -> Eval<'c> {
        if let Some(id) = Compile::resource_of(self, scope) {
            let mut catalog = self.catalog.borrow_mut();
            for tag in tags {
                catalog.retagged += 1;
                self.tag_value(&mut catalog[id], *tag)?;
            }
        }
        Ok(Value::Undef)
    }

    fn tagged(&self, _vm: &mut Vm<'c>, scope: &'c Scope<'c>, tags: &[Value<'c>]) -> Eval<'c, bool> {
        let mut flat = Vec::new();
        tags.iter().for_each(|tag| flatten(*tag, &mut flat));
        Ok(flat.iter().all(|tag| {
            let tag = self.words.intern(&format::to_interpolated(*tag).to_lowercase());
            self.catalog.borrow().tags.has(tag)
                || Compile::resource_of(self, scope)
                    .is_some_and(|id| query::is_tagged(&self.catalog.borrow(), id, tag))
        }))
    }

    fn create_resources(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        resources: Hash<'c>,
        defaults: Option<Hash<'c>>,
    ) -> Eval<'c> {
        self.create_from_hash(vm, scope, type_name, resources, defaults)
    }

    fn resource_parameter(
        &self,
        vm: &mut Vm<'c>,
        _scope: &'c Scope<'c>,
        type_name: &str,
        title: &str,
        parameter: &str,
    ) -> Eval<'c, Option<Value<'c>>> {
        match self.find_resource(type_name, title) {
            Some(id) if self.has_parameter(vm, id, parameter)? => Ok(self.parameter_of(id, parameter)),
            Some(id) => {
                let catalog = self.catalog.borrow();
                let ty = catalog[id].type_name;
                let title = if ty == "Class" { title } else { catalog[id].title };
                let message =
                    format!("The resource {ty}['{title}'] does not have a parameter called '{parameter}'");
                Err(Flow::issue("UNKNOWN_RESOURCE_PARAMETER", message))
            }
            None => Err(self.unknown_resource(type_name, title)),
        }
    }

    fn titles(&self, type_name: &str) -> Vec<&'c str> {
        let catalog = self.catalog.borrow();
        catalog.resources.iter().filter(|r| r.type_name == type_name).map(|r| r.title).collect()
    }

    fn declared(
        &self,
        vm: &mut Vm<'c>,
        type_name: &str,
        title: &str,
    ) -> Eval<'c, Option<(&'c str, &'c str, Hash<'c>)>> {
        let Some(id) = self.find_resource(type_name, title) else { return Ok(None) };
        let catalog = self.catalog.borrow();
        let resource = &catalog[id];
        let mut parameters = HashBuilder::new(vm.arena);
        for param in &resource.params {
            parameters.insert_str(param.name, param.value);
        }
        parameters.insert_str("title", self.string_value(resource.title));
        Ok(Some((resource.type_name, resource.title, parameters.finish())))
    }

    fn resource_of(&self, scope: &'c Scope<'c>) -> Option<(&'c str, &'c str)> {
        let id = Compile::resource_of(self, scope)?;
        let catalog = self.catalog.borrow();
        Some((catalog[id].type_name, catalog[id].title))
    }

    fn read_file(&self, _vm: &mut Vm<'c>, folder: ModuleFolder, path: &str) -> Eval<'c, Option<Vec<u8>>> {
        let Some(file) = self.module_file(folder, path) else { return Ok(None) };
        match self.tree().read(&file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Flow::raw(format!("Could not read {}: {error}", file.display()))),
        }
    }

    fn find_file(&self, _vm: &mut Vm<'c>, folder: ModuleFolder, path: &str) -> Eval<'c, Option<String>> {
        if let Some(known) = self.found_files.borrow().get(&(folder, path)) {
            return Ok(known.clone());
        }
        let search = || self.module_file(folder, path).filter(|file| self.tree().exists(file));
        let file = self.environment.named_files.find(self.tree(), (Named::In(folder), path), search);
        let file = file.map(Cow::into_owned);
        // Outside of the tree a file may come while the compile runs.
        if !path.starts_with('/') {
            self.found_files.borrow_mut().insert((folder, self.text(path)), file.clone());
        }
        Ok(file)
    }

    fn module_directory(&self, name: &str) -> Option<String> {
        Some(self.environment.modules.get(name)?.path.to_string_lossy().into_owned())
    }

    fn template(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, ChunkRef> {
        if let Some(known) = self.named_templates.borrow().get(name) {
            return Ok(*known);
        }
        let file = |name: &str| self.module_file(ModuleFolder::Templates, name);
        let there = |file: &PathBuf| self.tree().is_file(file);
        let search = || file(name).filter(there).or_else(|| file(&format!("{name}.epp")).filter(there));
        let Some(file) = self.environment.named_files.find(self.tree(), (Named::Epp, name), search) else {
            let name = if name.ends_with(".epp") { name.to_owned() } else { format!("{name}.epp") };
            return Err(Flow::raw(format!("Could not find template '{name}'")));
        };
        let known = self.templates.borrow().get(&*file).copied();
        if let Some(chunk) = known {
            return Ok(chunk);
        }
        let path = Path::new(&*file);
        let compile = || self.units().file(self.tree(), path, self.check, None);
        let unit = match self.environment.modules.kept_file(path) {
            Some(kept) => {
                let outcome = kept.units[self.check as usize].get_or_init(compile).as_ref();
                self.note_standing(path);
                let (words, passed) = outcome.map_err(|faults| self.invalid_epp("epp", faults))?.parts();
                self.check_template(vm, "epp", words, &kept.path)?;
                let learned = Some(&kept.learned[self.check as usize]);
                vm.load(words, passed, learned, Some(&kept.path), &kept.module)?
            }
            None => {
                let outcome = compile();
                self.note_standing(path);
                let compiled = outcome.map_err(|faults| self.invalid_epp("epp", &faults))?;
                let (words, passed) = self.kept.keep(&compiled);
                self.check_template(vm, "epp", words, &file)?;
                vm.load(words, passed, None, Some(self.text(&file)), self.module_of(path))?
            }
        };
        let chunk = ChunkRef { unit, chunk: 0 };
        self.templates.borrow_mut().insert(file.into_owned(), chunk);
        if !name.starts_with('/') {
            self.named_templates.borrow_mut().insert(self.text(name), chunk);
        }
        Ok(chunk)
    }

    fn inline_template(&self, vm: &mut Vm<'c>, text: &str) -> Eval<'c, ChunkRef> {
        // One text is often rendered many times. What its names mean depends on the module it is rendered for.
        let module = vm.module();
        let known = self.inline_templates.borrow().get(text).copied();
        if let Some((_, chunk)) = known.filter(|(known, _)| *known == module) {
            return Ok(chunk);
        }
        let source = SourceFile { path: Some("inlined-epp-text"), text, kind: SourceKind::Epp };
        let compiled = crate::units::compile(&source, &self.check_options())
            .map_err(|faults| self.invalid_epp("inline_epp", &faults))?;
        let (words, passed) = self.kept.keep(&compiled);
        self.check_template(vm, "inline_epp", words, "inlined-epp-text")?;
        let unit = vm.load(words, passed, None, Some("inlined-epp-text"), module)?;
        let chunk = ChunkRef { unit, chunk: 0 };
        self.inline_templates.borrow_mut().insert(text.to_owned(), (module, chunk));
        Ok(chunk)
    }

    fn check_syntax(&self, vm: &mut Vm<'c>, syntax: &str, text: &str, place: Place) -> Eval<'c, ()> {
        self.check_text(vm, syntax, text, place)
    }

    fn erb(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, template: Erb<'_>) -> Eval<'c> {
        self.render_erb(vm, scope, template)
    }

    fn lookup(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        lookup: &Lookup<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        self.counter.count(Kind::Hiera, lookup.key, || self.hiera_lookup(vm, scope, lookup))
    }

    fn generate(&self, command: &[String]) -> Result<String, String> {
        let Some((program, args)) = command.split_first() else { return Ok(String::new()) };
        let failed = |detail: String| format!("Failed to execute generator {program}: {detail}");
        let folder = std::path::Path::new(program).parent().unwrap_or(std::path::Path::new("/"));
        let mut started = std::process::Command::new(program);
        let ended =
            bunraku_process::run(started.args(args).current_dir(folder), Errors::Joined, self.settings.exec)
                .map_err(|error| failed(error.to_string()))?;
        let text = String::from_utf8_lossy(&ended.output).into_owned();
        match ended.status.code() {
            Some(0) => Ok(text),
            Some(code) => {
                Err(failed(format!("Execution of '{}' returned {code}: {text}", command.join(" "))))
            }
            None => Err(failed(format!("Execution of '{}' was ended by a signal", command.join(" ")))),
        }
    }

    fn setting(&self, name: &str) -> Option<Value<'c>> {
        self.setting_variable(name)
    }

    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c> {
        if let Some(group) = names::match_number(name) {
            return Ok(vm.match_group(group));
        }
        let found =
            if name.contains("::") { vm.find_qualified(name) } else { scope.lookup(vm.symbols.intern(name)) };
        match found {
            Some(value) => Ok(value),
            None => self.undefined_variable(vm, name),
        }
    }

    fn parse_json(&self, vm: &Vm<'c>, text: &str) -> Option<Value<'c>> {
        Some(data::value(vm.arena, &serde_json::from_str(text).ok()?))
    }

    fn parse_yaml(&self, vm: &Vm<'c>, text: &str, name: &str) -> Result<Value<'c>, String> {
        match hiera::yaml::parse(text) {
            Ok(found) => Ok(found.with_symbols_as_text().value(vm.arena)),
            Err(hiera::yaml::Fault::Syntax(why)) => Err(format!("({name}): {why}")),
            Err(hiera::yaml::Fault::Alias(name)) => Err(format!("Unknown alias: {name}")),
            Err(hiera::yaml::Fault::Class(class)) => Err(format!("Tried to load unspecified class: {class}")),
        }
    }

    fn parse_hocon(&self, vm: &Vm<'c>, text: &str) -> Result<Value<'c>, String> {
        Ok(hiera::hocon::parse(text)?.value(vm.arena))
    }

    fn foreign_signatures(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<Vec<Signature<'c>>>> {
        self.ruby_signatures(vm, name)
    }

    fn is_plain_yaml_text(&self, text: &str) -> bool {
        hiera::is_plain_text(text)
    }

    fn plain_data(&self, vm: &Vm<'c>, value: Value<'c>) -> Value<'c> {
        let mut json = String::new();
        rich::value(&mut json, value, rich::Style::Plain);
        self.parse_json(vm, &json).unwrap_or(Value::Undef)
    }

    fn glob(&self, pattern: &str) -> Result<Vec<String>, String> {
        let found = hiera::glob(self.tree(), pattern)?;
        Ok(found.iter().map(|path| path.to_string_lossy().into_owned()).collect())
    }

    fn environment(&self) -> &'c str {
        &self.environment.name
    }
}

impl<'c> Compile<'c> {
    /// Checks the constant texts of a template: one that a module's checker does not take is as one that can't be
    /// parsed.
    fn check_template(&self, vm: &mut Vm<'c>, function: &str, words: &[u32], file: &str) -> Eval<'c, ()> {
        self.check_noted(vm, words, Some(file)).map_err(|flow| match *flow {
            Flow::Fault(Fault { diagnostic, stage: Stage::Formed, .. }) => {
                self.invalid_epp(function, &[diagnostic])
            }
            _ => flow,
        })
    }

    fn invalid_epp(&self, function: &str, faults: &[Diagnostic]) -> Box<Flow<'c>> {
        Flow::raw(format!("{function}(): Invalid EPP: {}", self.error_of(faults)))
    }
}
