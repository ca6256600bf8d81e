//! Ruby in a compile: what code in Ruby asks of it, and where functions, data types and resource types in Ruby come in.

use crate::compile::Compile;
use crate::state::definitions::{Definition, DefinitionKind};
use crate::stats::Kind;
use bunraku_catalog::Resource;
use bunraku_compiler::check::syntax::{SyntaxFault, TOO_DEEP};
use bunraku_data::rich::{self, Style};
use bunraku_data::{json, names};
use bunraku_environment::units::Compiled;
use bunraku_files::reads;
use bunraku_native_ruby::{Called, Function, Journal};
use bunraku_resource_types::{Doubt, DoubtKind, LoadFailure, Pattern, Presence, ResourceType, Titles, WORDS};
use bunraku_ruby::world::{
    Beginning, CallObserver, CatalogSide, CheckerFault, CodeSide, Counted, DefinitionKind as ForRuby,
    DefinitionView, EnvironmentSide, FoundVariable, FunctionSource, NativeSide, ResourceTypeKind,
    ResourceView, SettingValue,
};
use bunraku_ruby::{DataTypeInterface, Place as RubyPlace, Talk};
use bunraku_vm::diagnostic::{Place, Severity};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::raised::PUPPET_ERROR;
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::types::Type;
use bunraku_vm::unit::UnitId;
use bunraku_vm::value::{Object, Value};
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where data types lie in a module or an environment.
const DATA_TYPES: &str = "lib/puppet/datatypes";

impl<'c> Compile<'c> {
    /// Ruby, for this compile.
    pub(crate) fn talk(&self) -> Talk<'_, 'c> {
        self.ruby.with(self)
    }

    /// Refuses a file that Ruby would wait for, or read without end. That one is missing, Ruby says in its own words.
    ///
    /// # Errors
    /// When it is neither a regular file, of a size that may be read, nor missing.
    pub(crate) fn refuse_irregular(&self, file: &Path) -> Eval<'c, ()> {
        match self.tree().stamp(file) {
            Err(error) if error.kind() == std::io::ErrorKind::Other => {
                Err(Flow::raw(format!("Could not read {}: {error}", file.display())))
            }
            _ => Ok(()),
        }
    }

    /// Calls a function in Ruby as code of module `from` sees it; none where no file would define it.
    pub(crate) fn call_ruby(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        from: &str,
        call: Call<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        self.talk().call(vm, name, from, call)
    }

    /// The Ruby file of a type (`m::user`): in the module of its name space, or in the environment. Names without a
    /// name space are everybody's.
    pub(crate) fn datatype_file(&self, key: &str) -> Option<PathBuf> {
        let relative = format!("{DATA_TYPES}/{}.rb", key.replace("::", "/"));
        let own = || self.environment.directory.as_ref().map(|directory| directory.join(&relative));
        let file = match key.split_once("::") {
            Some(("environment", _)) => own()?,
            Some((module, _)) => self.environment.modules.get(module)?.path.join(&relative),
            None => match own().filter(|file| self.tree().is_file(file)) {
                Some(file) => file,
                None => self.environment.provided(&relative)?,
            },
        };
        self.tree().is_file(&file).then_some(file)
    }

    /// The type's interface as a definition in the Puppet language.
    ///
    /// # Errors
    /// Those of the file, and of the interface's syntax.
    pub(crate) fn datatype_interface(&self, vm: &mut Vm<'c>, name: &str, file: &Path) -> Eval<'c, Compiled> {
        let DataTypeInterface { name, interface, implemented } = self.talk().data_type(vm, name, file)?;
        // Puppet parses it by itself first: that is what places in its errors are of.
        let hash = format!("{{ {interface} }}");
        self.compile_code(&hash).map_err(|flow| match *flow {
            Flow::Fault(fault) => {
                Flow::raw(format!("Data Type Load Error for type '{name}': {}", fault.diagnostic))
            }
            _ => flow,
        })?;
        let compiled = self.compile_code(&format!("type {name} = Object[{hash}]"))?;
        if implemented {
            self.talk().implements(name, file);
        }
        Ok(compiled)
    }

    /// Takes note that the type of a file has been defined: if it is implemented, its instances are Ruby's.
    pub(crate) fn note_datatype(&self, key: &str, ty: Option<&'c Type<'c>>) {
        self.talk().defined(key, ty);
    }

    /// Asks Ruby of a type that can't be read, and notes the answer for the environment: where Ruby can't tell either,
    /// the type goes on taking any parameter, and says both reasons.
    pub(crate) fn ask_resource_type(&self, vm: &mut Vm<'c>, ty: &ResourceType) {
        let types = &self.environment.types;
        self.resources.loading.borrow_mut().push(self.text(&ty.name));
        let (failure, doubts) = self.load_failure(vm, ty);
        self.resources.loading.borrow_mut().pop();
        if failure.is_some() || ty.unreadable.is_none() {
            types.tell(ResourceType { failure, doubts, presence: Presence::Present, ..ty.clone() });
            return;
        }
        let Some(file) = types.file(&ty.name) else { return };
        let told = match self.talk().resource_type(vm, &ty.name, &file) {
            Ok(None) => ResourceType { presence: Presence::Absent, doubts: Vec::new(), ..ty.clone() },
            Ok(Some(told)) => {
                told.loaded.into_iter().for_each(|file| self.tree().note(&file));
                let pattern = |(regex, attributes)| Pattern { regex, attributes };
                let titles = match told.patterns {
                    Some(patterns) => Titles::Patterns(patterns.into_iter().map(pattern).collect()),
                    None if told.namevars.len() > 1 => Titles::Unsaid,
                    None => Titles::Whole,
                };
                ResourceType {
                    namevars: told.namevars,
                    isomorphic: told.isomorphic,
                    attributes: Some(told.attributes),
                    titles,
                    ..ResourceType::new(&ty.name)
                }
            }
            Err(flow) => {
                let why = match &*flow {
                    Flow::Fault(fault) => fault.diagnostic.message.as_str(),
                    _ => "its file leaves where there is nothing to leave",
                };
                let unreadable = ty.unreadable.as_ref().map(|reason| format!("{reason}; {why}"));
                ResourceType { unreadable, doubts: Vec::new(), presence: Presence::Present, ..ty.clone() }
            }
        };
        types.tell(told);
    }

    /// Why a type can't be loaded, as Ruby says of the places where it may not, and what is still doubted. Where no Ruby can be
    /// asked, a file of Puppet's that neither a module nor Puppet has is missing all the same; all else stays in doubt.
    fn load_failure(&self, vm: &mut Vm<'c>, ty: &ResourceType) -> (Option<LoadFailure>, Vec<Doubt>) {
        let types = &self.environment.types;
        let place = |doubt: &Doubt| {
            let (kind, file, line) = (doubt.kind.name(), types.place(&doubt.file)?, doubt.line);
            let text = match doubt.kind {
                DoubtKind::Declared => WORDS.to_owned(),
                DoubtKind::Raise | DoubtKind::NoType => types.place(&doubt.text)?.to_str()?.to_owned(),
                _ => doubt.text.clone(),
            };
            Some(RubyPlace { kind, file, text, line })
        };
        let (doubts, places): (Vec<_>, Vec<_>) =
            ty.doubts.iter().filter_map(|doubt| Some((doubt, place(doubt)?))).unzip();
        for place in &places {
            self.tree().note(&place.file);
        }
        match self.talk().raised_in_loading(vm, &ty.name, &places) {
            Ok(raised) => {
                (raised.map(|(number, message)| LoadFailure::of(doubts[number], &message)), Vec::new())
            }
            Err(_) => {
                let missing = |doubt: &&Doubt| {
                    let mut begins = ["puppet/", "puppet_x/", "puppetx/", "facter/"].iter();
                    doubt.kind == DoubtKind::Require && begins.any(|begin| doubt.text.starts_with(begin))
                };
                match doubts.into_iter().find(missing) {
                    Some(doubt) => {
                        let detail = format!("cannot load such file -- {}", doubt.text);
                        (Some(LoadFailure::of(doubt, &detail)), Vec::new())
                    }
                    None => (None, ty.doubts.clone()),
                }
            }
        }
    }

    /// Says that a type can't be loaded, if it can't: each time its name is used, as long as its own file is what fails.
    ///
    /// # Errors
    /// Why it can't.
    pub(crate) fn expect_loaded(&self, vm: &mut Vm<'c>, ty: &ResourceType) -> Eval<'c, ()> {
        let types = &self.environment.types;
        if types.is_untold(ty) {
            self.ask_resource_type(vm, ty);
        }
        let Some(failure) = types.get(&ty.name).and_then(|ty| ty.failure.as_ref()) else { return Ok(()) };
        if failure.is_defined {
            let mut half_loaded = self.resources.half_loaded.borrow_mut();
            if half_loaded.contains(&ty.name.as_str()) {
                return Ok(());
            }
            half_loaded.push(self.text(&ty.name));
        }
        for message in &failure.messages {
            self.push_log(Severity::Err, message.clone(), Place::default());
        }
        let message = failure.messages.last().cloned().unwrap_or_default();
        Err(Flow::of_class(PUPPET_ERROR, message))
    }

    /// Puts Binary in the place of strings of bytes in all resources.
    pub(crate) fn make_bytes_binary(&self) {
        if !self.ruby.has_bytes() {
            return;
        }
        let mut catalog = self.catalog.borrow_mut();
        for resource in &mut catalog.resources {
            for param in resource.params.iter_mut() {
                if let Some(value) = self.ruby.with_binary(self.arena, param.value) {
                    param.value = value;
                }
            }
        }
    }

    fn resource_view(&self, resource: &Resource<'c>) -> ResourceView<'c> {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        let titled = match resource.ty.map(|ty| ty.parse_title(resource.title)) {
            Some(parts) => parts.unwrap_or_default(),
            None => vec![("name", resource.title)],
        };
        ResourceView {
            type_name: resource.type_name,
            title: resource.title,
            titled: titled.iter().map(owned).collect(),
            parameters: resource.params.iter().map(|param| (param.name, param.value)).collect(),
            is_virtual: resource.is_virtual,
            exported: resource.exported,
            tags: resource.tags.iter(&self.tags.names).collect(),
            file: resource.file,
            line: resource.line,
        }
    }

    fn view_of(&self, id: ResourceId) -> ResourceView<'c> {
        self.resource_view(&self.catalog.borrow()[id])
    }
}

impl<'c> EnvironmentSide<'c> for Compile<'c> {
    fn beginning(&self) -> Beginning {
        let modules = self.environment.modules.iter().map(|module| module.path.join("lib"));
        let own = self.environment.directory.iter().map(|directory| directory.join("lib"));
        Beginning {
            node: self.node_name().to_owned(),
            environment: self.environment.name.clone(),
            folders: own.chain(modules).chain(self.library()).filter(|folder| folder.is_dir()).collect(),
        }
    }

    fn ruby_runs(&self, subject: &str) {
        reads::note_unknown(|| subject.to_owned());
    }

    fn worker_started(&self, vm: &mut Vm<'c>) -> Eval<'c, ()> {
        self.tell_ruby_of_files(vm)
    }

    fn refuse_irregular(&self, file: &Path) -> Eval<'c, ()> {
        Compile::refuse_irregular(self, file)
    }

    fn function(&self, name: &str, from: &str) -> Option<FunctionSource<'c>> {
        self.find_ruby(name, from)
    }

    fn modules(&self) -> Vec<(&'c str, &'c Path)> {
        let modules = self.environment.modules.iter();
        modules.map(|module| (module.name.as_str(), module.path.as_path())).collect()
    }

    fn manifest(&self) -> Option<&'c Path> {
        self.environment.manifest.as_deref()
    }

    fn extensions(&self) -> &'c [(String, PathBuf)] {
        self.environment.extensions()
    }

    fn setting(&self, name: &str) -> Option<SettingValue<'c>> {
        self.setting_value(name).map(|(is_symbol, value)| match is_symbol {
            true => SettingValue::Symbol(value),
            false => SettingValue::Plain(value),
        })
    }
}

impl<'c> CodeSide<'c> for Compile<'c> {
    fn load_code(&self, vm: &mut Vm<'c>, code: &str) -> Eval<'c, UnitId> {
        let compiled = self.compile_code(code)?;
        self.load_compiled(vm, &compiled, None, "")
    }

    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c, FoundVariable<'c>> {
        self.variable_seen(vm, scope, name)
    }

    fn render_for_variables(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        names: Option<&[&str]>,
    ) -> Eval<'c, ()> {
        Compile::render_for_variables(self, vm, scope, names)
    }

    fn variables(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, names: Option<&[Value<'c>]>) -> Value<'c> {
        self.variables_seen(vm, scope, names)
    }

    fn change_variable(&self, vm: &Vm<'c>, scope: &'c Scope<'c>, name: &str, value: Value<'c>) {
        self.change_in_place(vm, scope, name, value);
    }

    fn class_scopes(&self) -> Vec<&'c Scope<'c>> {
        self.scopes_of_classes()
    }

    fn to_data(&self, _vm: &Vm<'c>, value: Value<'c>) -> Eval<'c> {
        let mut json = String::new();
        rich::value(&mut json, value, Style::Plain);
        let parsed = serde_json::from_str(&json).map_err(|error| Flow::raw(error.to_string()))?;
        Ok(json::value(self.arena, &parsed))
    }

    fn check_text(&self, checker: &str, syntax: &str, text: &str) -> Result<(), CheckerFault> {
        self.check_natively(Some(checker), syntax, text).map_err(|fault| match fault {
            SyntaxFault::Issue { code, message, .. } => CheckerFault { code: Some(code), message },
            SyntaxFault::Misused(message) => CheckerFault { code: None, message },
            SyntaxFault::TooDeep => CheckerFault { code: None, message: TOO_DEEP.to_owned() },
        })
    }

    fn context_number(&self, object: &'c Object<'c>) -> Option<i64> {
        Compile::context_number(self, object)
    }

    fn context_method(&self, vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>> {
        Compile::context_method(self, vm, name, call)
    }

    fn first_time(&self, what: String) -> bool {
        Compile::first_time(self, &what)
    }
}

impl<'c> CatalogSide<'c> for Compile<'c> {
    fn resource(&self, type_name: &str, title: &str) -> Option<ResourceView<'c>> {
        self.find_resource(type_name, title).map(|id| self.view_of(id))
    }

    fn titled(&self, type_name: &str, title: &str) -> Eval<'c, Vec<(String, String)>> {
        let ty = self.environment.types.get(&names::capitalize(type_name));
        let parts = match ty {
            Some(ty) => ty.parse_title(title).map_err(Flow::raw)?,
            None => vec![("name", title)],
        };
        Ok(parts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
    }

    fn scope_of(&self, type_name: &str, title: &str) -> Option<&'c Scope<'c>> {
        let id = self.find_resource(type_name, title)?;
        Some(self.catalog.borrow()[id].origin.scope.container())
    }

    fn resources(&self) -> Vec<ResourceView<'c>> {
        self.catalog.borrow().resources.iter().map(|resource| self.resource_view(resource)).collect()
    }

    fn resource_of(&self, scope: &'c Scope<'c>) -> Option<ResourceView<'c>> {
        Compile::resource_of(self, scope).map(|id| self.view_of(id))
    }

    fn definition_of(&self, scope: &'c Scope<'c>) -> Option<DefinitionView<'c>> {
        self.definition_of(scope).map(definition_view)
    }

    fn class(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<DefinitionView<'c>>> {
        Ok(self.find_class(vm, name)?.map(definition_view))
    }

    fn define(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<DefinitionView<'c>>> {
        Ok(self.find_define(vm, name)?.map(definition_view))
    }

    fn resource_type(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<ResourceTypeKind>> {
        let name = names::key(name);
        if !name.contains(':')
            && let Some(ty) = self.environment.types.get(&name)
        {
            // Ruby may ask while it is asked about that.
            if ty.is_doubtful() && self.resources.loading.borrow().is_empty() {
                self.expect_loaded(vm, ty)?;
            }
            if self.environment.types.get(&name).is_some() {
                return Ok(Some(ResourceTypeKind::InRuby));
            }
        }
        Ok(self.find_define(vm, &name)?.map(|_| ResourceTypeKind::Defined))
    }

    fn defaults(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        type_name: &str,
        own: bool,
    ) -> Eval<'c, Vec<(&'c str, Value<'c>)>> {
        // The new `lookupdefaults` of a scope asks Puppet's own.
        let of_puppet = own.then_some(scope);
        let defaults = self.defaults_with_ruby(vm, scope, &names::capitalize(type_name), of_puppet)?;
        Ok(defaults.iter().map(|param| (param.name, param.value)).collect())
    }

    fn own_defaults(&self, scope: &'c Scope<'c>, type_name: &str) -> Vec<(&'c str, Value<'c>)> {
        let defaults = Compile::own_defaults(self, scope, &names::capitalize(type_name));
        defaults.iter().map(|param| (param.name, param.value)).collect()
    }

    fn set_default(&self, scope: &'c Scope<'c>, type_name: &str, name: &str, value: Value<'c>) {
        let type_name = self.text(&names::capitalize(type_name));
        Compile::set_default(self, scope, type_name, self.text(name), value);
    }

    fn defaults_are_ruby(&self, scope: &'c Scope<'c>) {
        self.note_defaults_in_ruby(scope);
    }

    fn classes(&self) -> Vec<&'c str> {
        self.catalog.borrow().classes.clone()
    }

    fn tags(&self) -> Vec<&'c str> {
        self.catalog.borrow().tags.tags().iter(&self.tags.names).collect()
    }
}

impl<'c> NativeSide<'c> for Compile<'c> {
    fn describe_natively(&self, vm: &mut Vm<'c>, function: Function<'_>) -> Option<Value<'c>> {
        match self.options.settings.native_ruby {
            true => self.erb.describe(self, vm, function),
            false => None,
        }
    }

    fn call_natively(
        &self,
        vm: &mut Vm<'c>,
        (function, index): (Function<'_>, Option<usize>),
        call: Call<'c, '_>,
    ) -> Called<'c> {
        self.counted_natively(function.name, || self.erb.call_new(self, vm, (function, index), call))
    }

    fn take_required_files(&self) -> Vec<String> {
        self.erb.take_required_files()
    }

    fn call_beside_natively(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
    ) -> Option<(PathBuf, Called<'c>)> {
        let mut file = None;
        let called = self.counted_natively(name, || match self.erb.call_beside(self, vm, name, call) {
            Some((found, called)) => {
                file = Some(found);
                called
            }
            None => Called::ForRuby(Journal::default()),
        });
        file.map(|file| (file, called))
    }

    fn call_native_block(&self, vm: &mut Vm<'c>, block: (i64, &[Value<'c>])) -> Eval<'c> {
        self.erb.call_block(self, vm, block)
    }

    fn call_old_natively(&self, vm: &mut Vm<'c>, function: Function<'_>, call: Call<'c, '_>) -> Called<'c> {
        if !self.options.settings.native_ruby {
            return Called::ForRuby(Journal::default());
        }
        let called = self.counted_natively(function.name, || self.erb.call_old(self, vm, function, call));
        match self.ruby.has_worker().then(|| self.tell_ruby_of_files(vm)) {
            Some(Err(flow)) => Called::Left(flow),
            _ => called,
        }
    }
}

impl<'c> Compile<'c> {
    /// Has a worker load what was loaded without it, where it would not find it by itself.
    fn tell_ruby_of_files(&self, vm: &mut Vm<'c>) -> Eval<'c, ()> {
        let files = self.erb.take_files_for_ruby();
        files.iter().try_for_each(|file| self.talk().load_beside(vm, file))
    }

    fn counted_natively(&self, name: &str, run: impl FnOnce() -> Called<'c>) -> Called<'c> {
        let mut journal = Journal::default();
        let called = self.accounts.counter.attempt(Kind::RubyNative, name, || match run() {
            Called::ForRuby(asked) => {
                journal = asked;
                None
            }
            called => Some(called),
        });
        called.unwrap_or(Called::ForRuby(journal))
    }
}

impl CallObserver for Compile<'_> {
    fn begins(&self, what: Counted, name: &str) {
        self.accounts.counter.begin(
            match what {
                Counted::Start => Kind::Start,
                Counted::Function => Kind::Ruby,
                Counted::Template => Kind::Erb,
            },
            name,
        );
    }

    fn ends(&self) {
        self.accounts.counter.end();
    }

    fn spent(&self, what: Counted, time: Duration) {
        let mut spent = self.accounts.spent.get();
        match what {
            Counted::Template => spent.templates += time,
            Counted::Function | Counted::Start => spent.functions += time,
        }
        self.accounts.spent.set(spent);
    }
}

fn definition_view<'c>(definition: &'c Definition<'c>) -> DefinitionView<'c> {
    DefinitionView {
        kind: match definition.kind {
            DefinitionKind::Main | DefinitionKind::Class => ForRuby::Class,
            DefinitionKind::Define => ForRuby::Define,
            DefinitionKind::Node => ForRuby::Node,
        },
        name: definition.name,
        module: definition.module,
        file: definition.manifest.file,
        line: definition.line,
        parent: definition.parent,
    }
}
