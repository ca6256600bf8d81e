//! Ruby that is run natively in a compile: what it asks of that, and what becomes of templates that were rendered. What is
//! not rendered natively goes to the Ruby worker.

use crate::compile::Compile;
use crate::stats::Kind;
use bunraku_files::tree::Tree;
use bunraku_hiera::data_file::hocon;
use bunraku_hiera::data_file::yaml::Patterns;
use bunraku_native_ruby::{
    CallSide, Changes, FileSide, Journal, Message, MissingVariable, Rendered, Replay, ReplayOf, ScopeSide,
    WorkerState, name_of,
};
use bunraku_vm::closure::Closure;
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::host::{Erb, FilePort, LogPort, ModuleFolder};
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{Object, Value};
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

impl<'c> ScopeSide<'c> for Compile<'c> {
    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c, Option<Value<'c>>> {
        Ok(self.variable_found(vm, scope, name))
    }

    fn missing_variable(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, MissingVariable> {
        self.missing_for_native(vm, name)
    }

    fn variables(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>) -> Value<'c> {
        self.variables_seen(vm, scope, None)
    }

    fn setting(&self, name: &str) -> Option<(Value<'c>, bool)> {
        self.setting_value(name).map(|(is_symbol, value)| (value, is_symbol))
    }

    fn process_variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn first_time(&self, what: &str) -> bool {
        Compile::first_time(self, what)
    }

    fn worker(&self) -> WorkerState {
        match (self.ruby.has_worker(), self.ruby.is_running()) {
            (true, _) => WorkerState::Present,
            (false, true) => WorkerState::Ended,
            (false, false) => WorkerState::None,
        }
    }

    fn needs_ruby(&self, template: &str, reason: &dyn Fn() -> String) {
        self.accounts.counter.note_reason(template, reason);
    }
}

impl<'c> FileSide<'c> for Compile<'c> {
    fn template_file(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<String>> {
        self.find_file(vm, ModuleFolder::Templates, name)
    }

    fn has_old_function(&self, name: &str) -> bool {
        self.has_file_of_old_kind(name)
    }

    fn tree(&self) -> &'c Tree {
        Compile::tree(self)
    }

    fn ruby_file(&self, name: &str) -> Option<PathBuf> {
        let name = name.strip_suffix(".rb").unwrap_or(name);
        let plain = name.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
        if !plain {
            return None;
        }
        self.environment.provided(&format!("lib/{name}.rb"))
    }

    fn old_function_file(&self, name: &str) -> Option<PathBuf> {
        let word = name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
        let relative = format!("lib/puppet/parser/functions/{name}.rb");
        word.then(|| self.environment.provided(&relative)).flatten()
    }

    fn file_text(&self, path: &str) -> Option<String> {
        let bytes = Compile::tree(self).read(Path::new(path)).ok()?;
        String::from_utf8(bytes).ok()
    }

    fn yaml(&self, text: &str, patterns: bool) -> Option<Value<'c>> {
        let patterns = if patterns { Patterns::Allowed } else { Patterns::Refused };
        let loaded = self.environment.data_files.text(text, patterns)?;
        loaded.plain_value(self.arena)
    }

    fn hocon(&self, text: &str) -> Option<Result<Value<'c>, String>> {
        Some(hocon::of_text(text)?.map(|data| data.value(self.arena)))
    }
}

impl<'c> CallSide<'c> for Compile<'c> {
    fn call_function(
        &self,
        vm: &mut Vm<'c>,
        function: (&str, &str),
        from: Option<&str>,
        (args, block): (&[Value<'c>], Option<&'c Closure<'c>>),
        scope: &'c Scope<'c>,
    ) -> Eval<'c> {
        let call = Call { args, block, scope: scope.into() };
        self.talk().call_named(vm, function, from, call)
    }

    fn lambda(
        &self,
        vm: &mut Vm<'c>,
        (number, kinds): (i64, &str),
        scope: &'c Scope<'c>,
    ) -> Eval<'c, &'c Closure<'c>> {
        self.talk().lambda_of(vm, Value::Int(number), kinds, scope)
    }

    fn answer(&self, vm: &mut Vm<'c>, question: &str, args: &[Value<'c>]) -> Eval<'c, Option<Value<'c>>> {
        match question {
            "node" => Ok(Some(vm.string(self.options.node_name))),
            "environment" => Ok(Some(vm.string(&self.environment.name))),
            question => self.talk().answer_natively(vm, question, args),
        }
    }

    fn scope_number(&self, scope: &'c Scope<'c>) -> i64 {
        self.talk().scope_number(scope)
    }

    fn spread_changes(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, changed: Changes<'c>) -> Eval<'c, ()> {
        self.talk().spread(vm, scope, changed)
    }

    fn context_number(&self, object: &'c Object<'c>) -> Option<i64> {
        Compile::context_number(self, object)
    }

    fn context_method(&self, vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c, Option<Value<'c>>> {
        Compile::context_method(self, vm, name, call)
    }
}

impl<'c> Compile<'c> {
    /// The text of a template.
    ///
    /// # Errors
    /// Those of the Ruby worker, where the template needs it.
    pub(crate) fn render_erb(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, erb: Erb<'_>) -> Eval<'c> {
        let mut calls = Journal::default();
        if self.options.settings.native_ruby {
            let started = Instant::now();
            let render = || self.erb.render(self, vm, scope, &erb).map_err(|asked| calls = asked).ok();
            let before = self.enter_file(erb.file());
            let rendered = self.accounts.counter.attempt(Kind::ErbNative, name_of(&erb), render);
            self.enter_file(before.as_deref());
            if let Some(Rendered { text, logs, changed, .. }) = rendered {
                self.note_rendering(started.elapsed());
                self.talk().spread(vm, scope, changed)?;
                for Message { level, text, of_scope, once } in logs {
                    if once.is_some_and(|what| !self.first_time(&what)) {
                        continue;
                    }
                    match of_scope {
                        true => self.log_from(scope, level, &text),
                        false => self.log(level, &text, None),
                    }
                }
                return Ok(vm.string(&text));
            }
        }
        let text = || match erb {
            Erb::File { file, .. } => self.file_text(file),
            Erb::Text(text) => Some(text.to_owned()),
        };
        for replay in self.erb.take_definitions(text) {
            self.render_again(vm, &replay)?;
        }
        let before = self.enter_file(erb.file());
        let rendered = match erb {
            Erb::File { name, file } => {
                self.refuse_irregular(Path::new(file))?;
                self.talk().render_file(vm, scope, (name, file), calls)
            }
            Erb::Text(text) => self.talk().render_text(vm, scope, text, calls),
        };
        self.enter_file(before.as_deref());
        rendered
    }

    fn note_rendering(&self, time: Duration) {
        // Within Ruby the time is Ruby's already.
        if !self.ruby.is_running() {
            let mut spent = self.accounts.spent.get();
            spent.native_templates += time;
            self.accounts.spent.set(spent);
        }
    }

    /// Renders in Ruby what has set variables without it, where some are among those that Ruby asks for as a scope sees them.
    pub(crate) fn render_for_variables(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        names: Option<&[&str]>,
    ) -> Eval<'c, ()> {
        for replay in self.erb.take_replays(scope, names) {
            self.render_again(vm, &replay)?;
        }
        Ok(())
    }

    fn render_again(&self, vm: &mut Vm<'c>, replay: &Replay<'c>) -> Eval<'c, ()> {
        let Replay { scope, template } = replay;
        match template {
            ReplayOf::File { name, file } => {
                self.talk().render_file(vm, scope, (name, file), Journal::default())?
            }
            ReplayOf::Text(text) => self.talk().render_text(vm, scope, text, Journal::default())?,
        };
        Ok(())
    }
}
