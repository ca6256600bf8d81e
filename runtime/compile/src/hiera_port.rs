//! Hiera in a compile: its look-ups, and what they ask of the compile around them.

use crate::compile::Compile;
use crate::inputs::Newer;
use bunraku_configuration::value::Raw;
use bunraku_hiera::data_file::DataFile;
use bunraku_hiera::query::origin::{LinesRead, Origin};
use bunraku_hiera::query::traced::Noted;
use bunraku_hiera::query::{Answer, Query};
use bunraku_hiera::{
    CertainCall, EnvironmentParts, FunctionSide, InterpolatedInto, Lookups, ModuleParts, Repeat, RestsOn,
    Surroundings,
};
use bunraku_native_ruby::MissingVariable;
use bunraku_vm::cause::Cause;
use bunraku_vm::compat::Rule;
use bunraku_vm::diagnostic::{Place, Severity};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::host::{Change, LogPort, Lookup, SettingsPort, Strict};
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{Object, Value};
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl<'c> Compile<'c> {
    fn lookups(&self) -> Lookups<'_, 'c> {
        self.hiera.lookups(self)
    }

    /// A look-up as functions and class parameters ask for it; none where nothing defines the key.
    pub(crate) fn hiera_lookup(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        lookup: &Lookup<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        self.lookups().look_up(vm, scope, lookup)
    }

    /// The same, with where each leaf of the value came from.
    pub(crate) fn traced_lookup(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        lookup: &Lookup<'c, '_>,
    ) -> Eval<'c, Option<(Value<'c>, Vec<Origin<'c>>)>> {
        self.lookups().traced(vm, scope, lookup)
    }

    /// The look-up of a class's parameter, with what is needed to tell later where its value came from.
    pub(crate) fn noted_lookup(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        key: &str,
    ) -> Eval<'c, Option<Noted<'c>>> {
        self.lookups().noted(vm, scope, key)
    }

    /// Where a value that was looked up came from, and what it went before. Nobody is told of what happens on the way.
    pub(crate) fn origins_of(
        &self,
        vm: &mut Vm<'c>,
        noted: &Noted<'c>,
        lines: &mut LinesRead,
    ) -> [Vec<Origin<'c>>; 2] {
        let before = self.journal.messages.borrow().len();
        let lookups = self.lookups();
        let origins = lookups.origins_of(noted, lines);
        let shadowed = lookups.shadowed(vm, noted, &origins, lines);
        self.journal.messages.borrow_mut().truncate(before);
        [origins, shadowed]
    }

    /// Answers a query of `bunraku lookup` as the variables of top scope stand at the end of the compile.
    pub(crate) fn answer_query(&self, vm: &mut Vm<'c>, query: &Query) -> Eval<'c, Answer> {
        self.lookups().answer_query(vm, query)
    }

    /// What a backend of Hiera that reads files gives code that calls it.
    pub(crate) fn read_for_code(&self, vm: &mut Vm<'c>, function: &str, args: &[Value<'c>]) -> Eval<'c> {
        self.lookups().read_for_code(vm, function, args)
    }

    /// `Puppet::LookupContext.new`.
    pub(crate) fn new_context(&self, vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
        self.lookups().new_context(vm, args)
    }

    /// A number for what a `Puppet::LookupContext` keeps; none for what is no such context.
    pub(crate) fn context_number(&self, object: &'c Object<'c>) -> Option<i64> {
        self.lookups().context_number(object)
    }

    /// A method of a `Puppet::LookupContext`; none if `name` is no such thing or the first argument no context.
    pub(crate) fn context_method(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        self.lookups().context_method(vm, name, call)
    }

    /// What a variable that no scope has stands for: undef, or Puppet's error or warning, as the setting `strict` says.
    /// In paths of Hiera there is a warning in place of the error, as far as the version has that.
    pub(crate) fn undefined_variable(&self, vm: &mut Vm<'c>, name: &str, into: InterpolatedInto) -> Eval<'c> {
        let in_paths = into == InterpolatedInto::Path;
        let goes_on = in_paths && !self.holds(Rule::HieraVariablesFail);
        if matches!(name, "module_name" | "caller_module_name") {
            return Ok(Value::Undef);
        }
        let MissingVariable { name: told_as, reason } = self.missing_variable(vm, name)?;
        let newer_goes_on = |newer: Newer| in_paths && !newer.compat.holds(Rule::HieraVariablesFail);
        if self.witness.newer.is_some_and(|newer| !newer_goes_on(newer)) {
            vm.witness(Change::UndefinedVariable, name);
        }
        let message = format!("Undefined variable '{told_as}'; {reason}");
        match self.options.settings.strict {
            Strict::Error if goes_on => {
                let message = format!(
                    "Interpolation failed with '{name}', but compilation continuing; {reason}\n   (file & line not available)"
                );
                self.warn_once_for(&format!("Variable: {name}"), &message);
            }
            Strict::Error => return Err(Flow::caused(Cause::UndefinedVariable(name.into()), message)),
            // Once, whoever asks for it: a template would be warned under the same key.
            Strict::Warning => {
                let message = format!("{message}\n   (file & line not available)");
                self.warn_once_for(&format!("once:Variable: {told_as}"), &message);
            }
            Strict::Off => {}
        }
        Ok(Value::Undef)
    }
}

impl<'c> FunctionSide<'c> for Compile<'c> {
    fn call_function(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        from: &str,
        args: &[Value<'c>],
    ) -> Eval<'c, Option<Value<'c>>> {
        if let Some(closure) = self.find_function(vm, name, from)? {
            return vm.call(closure, args).map(Some);
        }
        if self.find_ruby(name, from).is_none_or(|found| found.old) {
            return Ok(None);
        }
        let call = Call { args, block: None, scope: vm.top.into() };
        let value = self.call_ruby(vm, name, from, call)?;
        Ok(Some(value.unwrap_or(Value::Undef)))
    }

    fn take_certain(&self, context: Value<'c>) -> Option<CertainCall<'c>> {
        let call = self.erb.take_certain(context)?;
        let of = call.rests;
        let rests = RestsOn { absent: of.absent, uncached: of.uncached, cached: of.cached };
        Some(CertainCall { rests, without_key: call.without_key })
    }

    fn has_called(&self, name: &str, from: &str) -> bool {
        let found = self.options.settings.native_ruby.then(|| self.find_ruby(name, from)).flatten();
        found.is_some_and(|found| self.erb.has_called(name, found.module))
    }

    fn context_keeps(&self, context: i64, key: &str) -> bool {
        self.erb.context_keeps(context, key)
    }

    fn context_keeps_text(&self, context: i64, text: &str) -> bool {
        self.erb.context_keeps_text(context, text)
    }

    fn keep_in_context(&self, context: i64, key: &str, value: Value<'c>) {
        self.erb.keep_in_context(context, key, value);
    }
}

impl<'c> Surroundings<'c> for Compile<'c> {
    fn environment(&self) -> EnvironmentParts<'c> {
        let environment = self.environment;
        let given = || match self.options.given.get("environment_data_provider") {
            Some(Raw::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        EnvironmentParts {
            name: &environment.name,
            folder: environment.directory.as_deref(),
            hiera_config: environment.hiera_config.as_deref(),
            data_provider: environment.data_provider.as_deref().or_else(given),
        }
    }

    fn placed(&self, path: PathBuf) -> PathBuf {
        self.environment.placed(path)
    }

    fn module(&self, name: &str) -> Option<ModuleParts<'c>> {
        let modules = &self.environment.modules;
        let folder = &*modules.get(name)?.path;
        Some(ModuleParts { folder, data_provider: modules.data_provider(name) })
    }

    fn strict(&self) -> Strict {
        self.options.settings.strict
    }

    fn default_codedir(&self) -> &'c str {
        let codedir = self.setting_in_force("codedir");
        codedir.as_ref().and_then(|value| value.text()).map_or("", |text| self.text(text))
    }

    fn undefined_variable(&self, vm: &mut Vm<'c>, name: &str, into: InterpolatedInto) -> Eval<'c> {
        Compile::undefined_variable(self, vm, name, into)
    }

    fn warn(&self, repeat: Repeat<'_>, message: String) {
        let is_new = match repeat {
            Repeat::Always => true,
            Repeat::Once => self.first_time(&message),
            Repeat::OncePer(key) => self.first_time(key),
        };
        if is_new {
            self.push_log(Severity::Warning, message, Place::default());
        }
    }

    fn keep_data(&self, file: Arc<DataFile>) -> &'c DataFile {
        self.options.kept.keep_data(file)
    }

    fn file_reached(&self, path: &Path) {
        self.note_standing(path);
    }

    fn witness(&self, change: Change, file: &Path, written: &str) {
        let text = file.to_string_lossy();
        let own = || Place { file: Some((&*text).into()), ..Place::default() };
        let place = self.place_in_file(written).unwrap_or_else(own);
        self.witness_at(change, &text, place);
    }

    fn withheld_reads(&self) -> usize {
        self.witness.reads.get()
    }

    fn enter_file(&self, file: Option<&Path>) -> Option<PathBuf> {
        Compile::enter_file(self, file)
    }
}
