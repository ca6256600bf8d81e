//! What Ruby code asks back while it runs.

use super::{Compile, text};
use crate::compile::KnownKind;
use crate::settings::Kind;
use bunraku_catalog::Param;
use bunraku_data::json as data;
use bunraku_data::names;
use bunraku_data::rich::{self, Style};
use bunraku_vm::diagnostic::{Place, Severity};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::Call;
use bunraku_vm::host::{ClassPort, FilePort, LogPort, ModuleFolder};
use bunraku_vm::iterator;
use bunraku_vm::scope::{ResourceId, Scope, ScopeKind};
use bunraku_vm::symbol::Symbol;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use bunraku_vm::{compare, matching};
use hashbrown::HashMap;
use std::path::Path;

/// Puppet's built-in variables: they exist even where they have no value.
const BUILT_IN: &[&str] = &["module_name", "caller_module_name"];

impl<'c> Compile<'c> {
    /// Answers a question of the worker.
    ///
    /// # Errors
    /// Those of what was asked for; Ruby gets them as exceptions.
    pub(super) fn answer(&self, vm: &mut Vm<'c>, what: &str, argument: Value<'c>) -> Eval<'c> {
        let args = match argument {
            Value::Array(items) => items.items(),
            _ => &[],
        };
        let arg = |n: usize| args.get(n).copied().unwrap_or(Value::Undef);
        match what {
            "function" => self.call_for_ruby(vm, args),
            "builtin" => {
                let scope = self.scope_of(arg(0))?;
                let name = arg(1).as_str().unwrap_or_default();
                let list = items(arg(2));
                if let Some(level) = level(name) {
                    let words: Vec<String> = list.iter().map(|item| format::to_interpolated(*item)).collect();
                    self.log(level, &words.join(" "), None);
                    return Ok(Value::Undef);
                }
                let block = self.block_from_ruby(vm, arg(3), scope)?;
                vm.call_function(name, list, block, scope)
            }
            "block" => match arg(0) {
                Value::Closure(closure) => vm.call(closure, items(arg(1))),
                _ => Err(Flow::raw("no lambda to call")),
            },
            "dispatch" => self.choose_for(vm, arg(0).as_str().unwrap_or_default(), items(arg(1)), arg(2)),
            "returned" => self.check_for(vm, arg(0).as_str().unwrap_or_default(), arg(1), arg(2)),
            "variable" | "set" | "changed" | "mutated" | "bound" | "variables" | "scope" | "defaults" => {
                self.answer_scope(vm, what, argument)
            }
            "resource" | "resources" | "classes" | "tags" | "definition" | "class_scope" | "reference" => {
                self.answer_catalog(vm, what, argument)
            }
            "type" | "type?" | "parts" | "type_equal" | "instance" | "assignable" | "generalize"
            | "infer" | "mismatch" | "assert" | "iterate" | "make" | "from_hash" => {
                self.answer_type(vm, what, argument)
            }
            "text" => {
                let text = format::to_interpolated(arg(0));
                Ok(vm.string(&text))
            }
            "to_data" => {
                let mut json = String::new();
                rich::value(&mut json, arg(0), Style::Plain);
                let json = serde_json::from_str(&json).map_err(|error| Flow::raw(error.to_string()))?;
                Ok(data::value(self.arena, &json))
            }
            "less" => Ok(Value::Bool(matching::compare(vm, compare::Op::Less, arg(0), arg(1))?)),
            "match" => Ok(Value::Bool(matching::match_operator(vm, arg(0), arg(1))?)),
            "context" => self.context_for_ruby(vm, args),
            "plugins" => self.extensions_for_ruby(vm),
            "syntax" => self.check_for_ruby(vm, args),
            _ => self.answer_world(vm, what, argument),
        }
    }

    fn scope_of(&self, number: Value<'c>) -> Eval<'c, &'c Scope<'c>> {
        let scope = match number {
            Value::Int(n) => self.ruby.scopes.borrow().get(n as usize).copied(),
            _ => None,
        };
        scope.ok_or_else(|| Flow::raw("Ruby names a scope there is not"))
    }

    /// `call_function`: as the function's module sees names, in the scope given.
    fn call_for_ruby(&self, vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
        let arg = |n: usize| args.get(n).copied().unwrap_or(Value::Undef);
        let scope = self.scope_of(arg(0))?;
        let name = arg(1).as_str().unwrap_or_default();
        let module = arg(2).as_str().unwrap_or_default();
        let (list, block) = (items(arg(3)), self.block_from_ruby(vm, arg(4), scope)?);
        if let Some(value) = vm.call_known(name, module, list, block, scope)? {
            return Ok(value);
        }
        scope.keep();
        if let Some(value) = self.call_ruby(vm, name, module, Call { args: list, block, scope })? {
            return Ok(value);
        }
        Err(Flow::raw(match arg(5).as_str() {
            Some(from) => format!("Function {from}(): Unknown function: '{name}'"),
            None => format!("Unknown function '{name}'"),
        }))
    }

    fn answer_scope(&self, vm: &mut Vm<'c>, what: &str, argument: Value<'c>) -> Eval<'c> {
        let args = match argument {
            Value::Array(items) => items.items(),
            _ => std::slice::from_ref(self.arena.alloc(argument)),
        };
        let arg = |n: usize| args.get(n).copied().unwrap_or(Value::Undef);
        let scope = self.scope_of(arg(0))?;
        let name = arg(1).as_str().unwrap_or_default();
        Ok(match what {
            "variable" => {
                let (found, reason) = self.variable_for_ruby(vm, scope, name)?;
                let reason = reason.map_or(Value::Undef, |reason| vm.string(&reason));
                let value = found.unwrap_or(Value::Undef);
                vm.array(&[Value::Bool(found.is_some()), value, reason])
            }
            "set" => {
                let symbol = vm.symbols.intern(name);
                let free = scope.own(symbol).is_none();
                if free {
                    scope.set(symbol, arg(2));
                }
                Value::Bool(free)
            }
            "changed" => {
                self.change_in_place(vm, scope, name, arg(2));
                self.spread_changes(vm, scope);
                Value::Undef
            }
            "mutated" => {
                self.spread_changes(vm, scope);
                Value::Undef
            }
            "bound" => {
                let symbol = vm.symbols.intern(name);
                Value::Bool(scope.own(symbol).is_some())
            }
            "variables" => self.variables_for_ruby(vm, scope, arg(1)),
            "defaults" => {
                let pair = |param: &Param<'c>| vm.array(&[vm.string(param.name), param.value]);
                self.with_defaults(scope, &names::capitalize(name), |defaults| {
                    vm.array(&defaults.iter().map(pair).collect::<Vec<_>>())
                })
            }
            _ => self.about_scope(vm, scope),
        })
    }

    /// Ruby code has changed an array or hash in place: the variable that holds it has the new value, and so has the
    /// parameter of the resource whose body the scope is.
    pub(crate) fn change_in_place(&self, vm: &Vm<'c>, scope: &'c Scope<'c>, name: &str, value: Value<'c>) {
        // A qualified name is its class's variable.
        let (scope, symbol, name) = match name.rsplit_once("::") {
            None => (scope, vm.symbols.intern(name), name),
            Some((class, own)) => {
                let class = class.strip_prefix("::").unwrap_or(class);
                let found = if class.is_empty() { Some(vm.top) } else { self.class_scope(class) };
                let Some(found) = found else { return };
                (found, vm.symbols.intern(own), own)
            }
        };
        let mut owner = Some(scope);
        while let Some(scope) = owner.filter(|scope| scope.own(symbol).is_none()) {
            owner = scope.parent;
        }
        let Some(owner) = owner else { return };
        let old = owner.own(symbol);
        owner.set(symbol, value);
        if let Some(id) = self.resource_of(owner) {
            let mut catalog = self.catalog.borrow_mut();
            for param in catalog[id].params.iter_mut().filter(|param| param.name == name) {
                if old.is_some_and(|old| old.same(param.value)) {
                    param.value = value;
                }
            }
        }
    }

    /// A variable by its simple or qualified name; else why there is none.
    pub(crate) fn variable_for_ruby(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        name: &str,
    ) -> Eval<'c, (Option<Value<'c>>, Option<String>)> {
        let bare = name.strip_prefix("::").unwrap_or(name);
        if !name.contains("::") {
            if let Some(group) = names::match_number(name) {
                return Ok((Some(vm.match_group(group)), None));
            }
            let symbol = vm.symbols.intern(name);
            let found = scope.lookup(symbol);
            let built_in = BUILT_IN.contains(&name).then_some(Value::Undef);
            return Ok((found.or(built_in), None));
        }
        if let Some(value) = vm.find_qualified(name) {
            return Ok((Some(value), None));
        }
        let Some((class, _)) = bare.rsplit_once("::") else { return Ok((None, None)) };
        let reason = if self.class_scope(class).is_some() {
            None
        } else if self.find_class(vm, class)?.is_some() {
            Some(format!("class {class} has not been evaluated"))
        } else {
            Some(format!("class {class} could not be found"))
        };
        Ok((None, reason))
    }

    /// The variables seen from a scope that have a value: all, or those of these names.
    pub(crate) fn variables_for_ruby(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        names: Value<'c>,
    ) -> Value<'c> {
        let mut hash = HashBuilder::new(self.arena);
        if let Value::Array(names) = names {
            for name in names.items() {
                let symbol = name.as_str().and_then(|name| vm.symbols.get(name));
                if let Some(value) = symbol.and_then(|symbol| scope.lookup(symbol))
                    && !value.is_undef()
                {
                    hash.insert(*name, value);
                }
            }
            return Value::Hash(hash.finish());
        }
        let mut chain = vec![scope];
        while let Some(parent) = chain.last().and_then(|scope| scope.parent) {
            chain.push(parent);
        }
        let mut all: Vec<(Symbol, Value<'c>)> = Vec::new();
        let mut places: HashMap<Symbol, usize> = HashMap::new();
        for scope in chain.iter().rev() {
            for (symbol, value) in scope.own_variables() {
                match places.get(&symbol) {
                    Some(place) => all[*place].1 = value,
                    None => {
                        places.insert(symbol, all.len());
                        all.push((symbol, value));
                    }
                }
            }
        }
        for (symbol, value) in all.into_iter().filter(|(_, value)| !value.is_undef()) {
            hash.insert_str(vm.symbols.text(symbol), value);
        }
        Value::Hash(hash.finish())
    }

    /// Resource, source, module, parent's number and kind of a scope.
    fn about_scope(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>) -> Value<'c> {
        let resource = self.resource_of(scope).map_or(Value::Undef, |id| self.resource_value(vm, id));
        let source = self.known_of(scope).map_or(Value::Undef, |known| self.known_value(vm, known));
        let module = if scope.module.is_empty() { Value::Undef } else { vm.string(scope.module) };
        let parent = scope.container().declared_in.or(scope.parent);
        let parent = parent.map_or(Value::Undef, |parent| Value::Int(self.ruby.scope_number(parent).into()));
        let kind = vm.string(match scope.container().kind {
            ScopeKind::Top => "top",
            ScopeKind::Node => "node",
            ScopeKind::Class => "class",
            ScopeKind::Define => "define",
            ScopeKind::Local => "local",
        });
        vm.array(&[resource, source, module, parent, kind])
    }

    fn known_value(&self, vm: &mut Vm<'c>, known: &'c crate::compile::Known<'c>) -> Value<'c> {
        let kind = match known.kind {
            KnownKind::Main | KnownKind::Class => "hostclass",
            KnownKind::Define => "definition",
            KnownKind::Node => "node",
        };
        let optional = |text: Option<&str>| text.map_or(Value::Undef, |text| vm.string(text));
        let parts = [
            vm.string(kind),
            vm.string(known.name),
            vm.string(known.module),
            optional(known.file),
            Value::Int(known.line.into()),
            optional(known.parent),
            Value::Undef,
        ];
        vm.array(&parts)
    }

    fn resource_value(&self, vm: &mut Vm<'c>, id: ResourceId) -> Value<'c> {
        let catalog = self.catalog.borrow();
        let resource = &catalog[id];
        let mut params = HashBuilder::new(self.arena);
        for param in &resource.params {
            params.insert_str(param.name, param.value);
        }
        let tags: Vec<_> = resource.tags.iter(&self.words).map(|tag| vm.string(tag)).collect();
        let parts = [
            vm.string(resource.type_name),
            vm.string(resource.title),
            Value::Hash(params.finish()),
            Value::Bool(resource.is_virtual),
            resource.exported.map_or(Value::Undef, Value::Bool),
            vm.array(&tags),
            resource.file.map_or(Value::Undef, |file| vm.string(file)),
            if resource.line == 0 { Value::Undef } else { Value::Int(resource.line.into()) },
        ];
        vm.array(&parts)
    }

    fn answer_catalog(&self, vm: &mut Vm<'c>, what: &str, argument: Value<'c>) -> Eval<'c> {
        let args = items(argument);
        let arg = |n: usize| args.get(n).copied().and_then(Value::as_str).unwrap_or_default();
        Ok(match what {
            "resource" => match self.find_resource(arg(0), arg(1)) {
                Some(id) => self.resource_value(vm, id),
                None => Value::Undef,
            },
            "resources" => {
                let count = self.catalog.borrow().resources.len() as u32;
                let all: Vec<_> = (0..count).map(|n| self.resource_value(vm, ResourceId(n))).collect();
                vm.array(&all)
            }
            "classes" => {
                let classes = self.catalog.borrow().classes.clone();
                let classes: Vec<_> = classes.iter().map(|name| vm.string(name)).collect();
                vm.array(&classes)
            }
            "tags" => {
                let tags: Vec<_> =
                    self.catalog.borrow().tags.tags().iter(&self.words).map(|tag| vm.string(tag)).collect();
                vm.array(&tags)
            }
            "definition" => {
                let known = match arg(0) {
                    "class" => self.find_class(vm, arg(1))?,
                    _ => self.find_define(vm, arg(1))?,
                };
                known.map_or(Value::Undef, |known| self.known_value(vm, known))
            }
            "class_scope" => {
                let scope = self.class_scope(argument.as_str().unwrap_or_default());
                scope.map_or(Value::Undef, |scope| Value::Int(self.ruby.scope_number(scope).into()))
            }
            // A reference to a resource: what `File['x']` gives.
            _ => {
                let ty = if arg(0).eq_ignore_ascii_case("class") {
                    Type::Class(Some(self.arena.alloc_str(&names::key(arg(1))))).alloc(self.arena)
                } else {
                    types::resource(self.arena, arg(0), Some(arg(1)))
                };
                Value::Type(ty)
            }
        })
    }

    fn answer_type(&self, vm: &mut Vm<'c>, what: &str, argument: Value<'c>) -> Eval<'c> {
        let args = items(argument);
        let arg = |n: usize| args.get(n).copied().unwrap_or(Value::Undef);
        let ty = |n: usize| match args.get(n) {
            Some(Value::Type(ty)) => Ok(*ty),
            _ => Err(Flow::raw("Ruby gives no type where one is needed")),
        };
        Ok(match what {
            "type" => {
                let locals = self.local_types(vm, items(arg(1)))?;
                Value::Type(types::parse_with(vm, arg(0).as_str().unwrap_or_default(), &locals)?)
            }
            "type?" => {
                let name = names::key(argument.as_str().unwrap_or_default());
                let kind = if !name.contains(':') && self.environment.types.get(&name).is_some() {
                    Some("builtin")
                } else {
                    self.find_define(vm, &name)?.map(|_| "define")
                };
                kind.map_or(Value::Undef, |kind| vm.string(kind))
            }
            "parts" => self.type_parts(vm, ty(0)?),
            "type_equal" => Value::Bool(types::equal(ty(0)?, ty(1)?)),
            "instance" => Value::Bool(types::is_instance(vm, ty(0)?, arg(1))),
            "assignable" => Value::Bool(types::is_assignable(self.arena, ty(0)?, ty(1)?)),
            "generalize" => Value::Type(types::generalize(self.arena, ty(0)?)),
            "infer" => Value::Type(match arg(1).truthy() {
                true => types::infer_set(vm, arg(0)),
                false => types::infer(vm, arg(0)),
            }),
            "mismatch" => {
                let name = format::to_interpolated(arg(0));
                let text = types::mismatch::describe_mismatch(vm.arena, &name, ty(1)?, ty(2)?);
                vm.string(&text)
            }
            "assert" => {
                let name = format::to_interpolated(arg(0));
                types::mismatch::assert_instance(vm, &name, ty(1)?, arg(2))?;
                Value::Undef
            }
            "from_hash" => types::new::from_hash(vm, ty(0)?, arg(1))?,
            "iterate" => match iterator::cursor(vm.arena, arg(0)) {
                Some(cursor) => {
                    let all = cursor.collect(vm.arena);
                    vm.array(&all)
                }
                None => Value::Undef,
            },
            _ => {
                let name = arg(0).as_str().unwrap_or_default();
                let mut list = vec![Value::Type(types::by_name(vm, name)?)];
                list.extend(items(arg(1)));
                let top = vm.top;
                vm.call_function("new", &list, None, top)?
            }
        })
    }

    fn answer_world(&self, vm: &mut Vm<'c>, what: &str, argument: Value<'c>) -> Eval<'c> {
        let args = items(argument);
        let arg = |n: usize| args.get(n).copied().unwrap_or(Value::Undef);
        let text_of = |n: usize| format::to_interpolated(arg(n));
        let own = argument.as_str().unwrap_or_default();
        Ok(match what {
            "log" => {
                self.push_log(level(&text_of(0)).unwrap_or(Severity::Notice), text_of(1), Place::default());
                Value::Undef
            }
            "warn_once" => {
                // Without a place given Puppet says that it knows none.
                let place = super::super::compile::location(
                    arg(3).as_str(),
                    match arg(4) {
                        Value::Int(line) => line as u32,
                        _ => 0,
                    },
                );
                let place = if place.is_empty() { "(file & line not available)".to_owned() } else { place };
                if self.first_time(format!("once:{}", text_of(1))) {
                    let level = level(&text_of(0)).unwrap_or(Severity::Warning);
                    self.push_log(level, format!("{}\n   {place}", text_of(2)), Place::default());
                }
                Value::Undef
            }
            "deprecation" => {
                if self.first_time(format!("deprecated:{}", text_of(0))) {
                    let message = format!("{}\n   {}", text_of(1), text_of(2));
                    self.push_log(Severity::Warning, message, Place::default());
                }
                Value::Undef
            }
            "setting" => match self.setting_value(own) {
                Some((kind, value)) => vm.array(&[Value::Bool(kind == Kind::Symbol), value]),
                None => Value::Undef,
            },
            "fact" => {
                let facts = vm.find_qualified("::facts");
                match facts {
                    Some(Value::Hash(facts)) => facts.get_str(own).unwrap_or(Value::Undef),
                    _ => Value::Undef,
                }
            }
            "facts" => vm.find_qualified("::facts").unwrap_or(Value::Undef),
            "stack" => {
                let sites = vm.call_stack();
                let sites: Vec<_> = sites
                    .iter()
                    .map(|site| {
                        let file = vm.string(site.file.unwrap_or("unknown"));
                        vm.array(&[file, Value::Int(site.line.into())])
                    })
                    .collect();
                vm.array(&sites)
            }
            "module" => match self.module_directory(own) {
                Some(folder) => vm.string(&folder),
                None => Value::Undef,
            },
            "modules" => {
                let all: Vec<_> = self
                    .environment
                    .modules
                    .iter()
                    .map(|module| vm.array(&[vm.string(&module.name), vm.string(&text(&module.path))]))
                    .collect();
                vm.array(&all)
            }
            "modulepath" => {
                let mut folders: Vec<&Path> = Vec::new();
                for module in self.environment.modules.iter() {
                    if let Some(folder) = module.path.parent().filter(|folder| !folders.contains(folder)) {
                        folders.push(folder);
                    }
                }
                let folders: Vec<_> = folders.iter().map(|folder| vm.string(&text(folder))).collect();
                vm.array(&folders)
            }
            "manifest" => match &self.environment.manifest {
                Some(manifest) => vm.string(&text(manifest)),
                None => Value::Undef,
            },
            "file" => {
                let folder =
                    if text_of(0) == "files" { ModuleFolder::Files } else { ModuleFolder::Templates };
                match self.find_file(vm, folder, &text_of(1))? {
                    Some(file) => vm.string(&file),
                    None => Value::Undef,
                }
            }
            other => return Err(Flow::raw(format!("the Ruby worker asks for '{other}'"))),
        })
    }

    /// `interpolate` and `not_found` of a look-up's context.
    fn context_for_ruby(&self, vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
        let arg = |n: usize| args.get(n).copied().unwrap_or(Value::Undef);
        let number = match arg(0) {
            Value::Int(n) => n as usize,
            _ => usize::MAX,
        };
        let object = match self.ruby.handles.borrow().get(number) {
            Some(super::Handle::Object(object)) => *object,
            _ => return Err(Flow::raw("Ruby names a look-up context there is not")),
        };
        let call_args = [Value::Object(object), arg(2)];
        let top = vm.top;
        let call = Call { args: &call_args, block: None, scope: top };
        let method = arg(1).as_str().unwrap_or_default();
        let value = self.context_method(vm, method, call)?;
        value.ok_or_else(|| Flow::raw("the look-up this context belongs to is over"))
    }
}

fn items(value: Value<'_>) -> &[Value<'_>] {
    match value {
        Value::Array(items) => items.items(),
        _ => &[],
    }
}

fn level(name: &str) -> Option<Severity> {
    use Severity::{Alert, Crit, Debug, Emerg, Err, Info, Notice, Warning};
    [Debug, Info, Notice, Warning, Err, Alert, Emerg, Crit].into_iter().find(|level| level.name() == name)
}
