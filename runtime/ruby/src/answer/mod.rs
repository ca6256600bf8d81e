//! What Ruby code asks back while it runs: one method a question, by subject.

mod catalog;
mod environment;
mod scopes;
mod types;

use super::Talk;
use super::protocol::Question;
use super::replayed::Asks;
use super::values::Handle;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::Call;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use bunraku_vm::{compare, matching};

/// The arguments of a question. Those that a question is asked without are `undef`.
#[derive(Clone, Copy)]
struct QuestionArguments<'c>(&'c [Value<'c>]);

/// Questions that only read.
const ASKED_NATIVELY: &[Question] = &[
    Question::Dispatch,
    Question::Returned,
    Question::Scope,
    Question::Defaults,
    Question::Resource,
    Question::Resources,
    Question::Titled,
    Question::Classes,
    Question::Tags,
    Question::Definition,
    Question::Type,
    Question::KindOfType,
    Question::Instance,
    Question::Assignable,
    Question::Generalize,
    Question::Infer,
    Question::Mismatch,
    Question::Text,
    Question::ToData,
    Question::Fact,
    Question::Facts,
    Question::Module,
    Question::Modules,
    Question::Modulepath,
    Question::Manifest,
    Question::File,
];

impl<'c> QuestionArguments<'c> {
    fn value(self, n: usize) -> Value<'c> {
        self.0.get(n).copied().unwrap_or(Value::Undef)
    }

    /// A string; empty for what is none.
    fn text(self, n: usize) -> &'c str {
        self.optional_text(n).unwrap_or_default()
    }

    fn optional_text(self, n: usize) -> Option<&'c str> {
        self.0.get(n).and_then(|value| value.as_str())
    }

    /// Whatever it is, as a text.
    fn as_text(self, n: usize) -> String {
        format::to_interpolated(self.value(n))
    }

    /// The elements of an array; none of what is none.
    fn list(self, n: usize) -> &'c [Value<'c>] {
        match self.value(n) {
            Value::Array(items) => items.items(),
            _ => &[],
        }
    }
}

impl<'c> Talk<'_, 'c> {
    /// Answers a question of the worker.
    ///
    /// # Errors
    /// Those of what was asked for; Ruby gets them as exceptions.
    pub(super) fn answer(&self, vm: &mut Vm<'c>, question: Question, arguments: Value<'c>) -> Eval<'c> {
        let args = match arguments {
            Value::Array(items) if items.size() == question.row().arguments.len() => {
                QuestionArguments(items.items())
            }
            _ => {
                return Err(Flow::raw(format!(
                    "the Ruby worker asks '{}' in another form",
                    question.row().name
                )));
            }
        };
        if let Some(answer) = self.replayed_read(question.row().name, args.0) {
            return Ok(answer);
        }
        match question {
            Question::Function => self.call_for_ruby(vm, args),
            Question::Builtin => self.call_builtin(vm, args),
            Question::Block => match (self.replayed(&Asks::Block(args.list(1))), args.value(0)) {
                (Some(answer), _) => answer,
                (None, Value::Closure(closure)) => vm.call(closure, args.list(1)),
                (None, _) => Err(Flow::raw("no lambda to call")),
            },
            Question::Dispatch => {
                self.choose_for(vm, (args.text(0), args.text(1)), args.list(2), args.value(3))
            }
            Question::Returned => {
                self.check_for(vm, (args.text(0), args.text(1)), args.value(2), args.value(3))
            }
            Question::Variable => self.variable(vm, args),
            Question::Variables => self.variables(vm, args),
            Question::Set => self.set_variable(vm, args),
            Question::Bound => self.is_bound(vm, args),
            Question::Changed => self.variable_changed(vm, args),
            Question::Mutated => self.values_changed(vm, args),
            Question::Scope => self.scope(vm, args),
            Question::Defaults => self.defaults(vm, args),
            Question::OwnDefaults => self.own_defaults(vm, args),
            Question::SetDefault => self.set_default(args),
            Question::DefaultsAreRuby => self.defaults_are_ruby(args),
            Question::Titled => self.titled(vm, args),
            Question::ResourceScope => Ok(self.resource_scope(args)),
            Question::Resource => Ok(self.resource(vm, args)),
            Question::Resources => Ok(self.resources(vm)),
            Question::Classes => Ok(texts(vm, self.world.classes())),
            Question::Tags => Ok(texts(vm, self.world.tags())),
            Question::Definition => self.definition(vm, args),
            Question::ClassScope => Ok(self.class_scope(vm, args)),
            Question::Reference => Ok(reference(vm, args)),
            Question::Type => types::parsed(vm, args),
            Question::KindOfType => self.kind_of_type(vm, args),
            Question::TypeParts => types::parts(vm, args),
            Question::TypeEqual => types::equal(args),
            Question::Instance => types::is_instance(vm, args),
            Question::Assignable => types::is_assignable(vm, args),
            Question::Generalize => types::generalized(vm, args),
            Question::Infer => Ok(types::inferred(vm, args)),
            Question::Mismatch => types::mismatch(vm, args),
            Question::Assert => types::assert(vm, args),
            Question::Iterate => Ok(types::elements(vm, args)),
            Question::Make => types::made(vm, args),
            Question::FromHash => types::made_from_hash(vm, args),
            Question::Text => Ok(vm.string(&args.as_text(0))),
            Question::ToData => self.world.to_data(vm, args.value(0)),
            Question::Less => Ok(Value::Bool(matching::compare(
                vm,
                compare::Comparison::Less,
                args.value(0),
                args.value(1),
            )?)),
            Question::Match => Ok(Value::Bool(matching::match_operator(vm, args.value(0), args.value(1))?)),
            Question::Context => self.context_method(vm, args),
            Question::Plugins => self.extensions(vm),
            Question::Syntax => Ok(self.check_natively(vm, [args.text(0), args.text(1), args.text(2)])),
            Question::Log => self.log(vm, args),
            Question::WarnOnce => Ok(self.warn_once(vm, args)),
            Question::Deprecation => Ok(self.deprecation(vm, args)),
            Question::Setting => Ok(self.setting(vm, args)),
            Question::Fact => Ok(environment::fact(vm, args)),
            Question::Facts => Ok(environment::facts(vm)),
            Question::Stack => Ok(environment::stack(vm)),
            Question::Module => Ok(environment::module(vm, args)),
            Question::Modules => Ok(self.modules(vm)),
            Question::Modulepath => Ok(self.modulepath(vm)),
            Question::Manifest => Ok(self.manifest(vm)),
            Question::File => environment::file(vm, args),
            Question::FunctionKnown => {
                let name = args.text(0).trim_start_matches("::");
                let in_ruby = self.world.function(name, args.text(1)).is_some();
                Ok(Value::Bool(in_ruby || vm.knows_function(name, args.text(1))?))
            }
            Question::Compute => vm.call_function(args.text(0), args.list(1), None, vm.top),
        }
    }

    /// Answers a question that code without Ruby asks, by its name; none where it does not ask that: questions that change
    /// something, and those about what only Ruby holds.
    ///
    /// # Errors
    /// Those of what was asked for.
    pub fn answer_natively(
        &self,
        vm: &mut Vm<'c>,
        question: &str,
        args: &[Value<'c>],
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(question) = Question::of_name(question).filter(|question| ASKED_NATIVELY.contains(question))
        else {
            return Ok(None);
        };
        let arguments = vm.array(args);
        self.answer(vm, question, arguments).map(Some)
    }

    fn scope_of(&self, number: Value<'c>) -> Eval<'c, &'c Scope<'c>> {
        let scope = match number {
            Value::Int(n) => self.ruby.values.scope_of(n as usize),
            _ => None,
        };
        scope.ok_or_else(|| Flow::raw("Ruby names a scope there is not"))
    }

    /// `call_function`: as the function's module sees names, in the scope given.
    fn call_for_ruby(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        let (name, module, list) = (args.text(1), args.text(2), args.list(3));
        if let Some(answer) = self.replayed(&Asks::Function(name, list)) {
            return answer;
        }
        let block = self.block_from_ruby(vm, args.value(4), scope)?;
        let call = Call { args: list, block, scope: scope.into() };
        self.call_named(vm, (name, module), args.optional_text(5), call)
    }

    /// Calls a function of whatever kind by its name, as code of a module sees it; `from` is the function that does.
    ///
    /// # Errors
    /// Those of the function; that there is none.
    pub fn call_named(
        &self,
        vm: &mut Vm<'c>,
        (name, module): (&str, &str),
        from: Option<&str>,
        call: Call<'c, '_>,
    ) -> Eval<'c> {
        if let Some(value) = vm.call_known(name, module, call.args, call.block, call.scope)? {
            return Ok(value);
        }
        if let Some(value) = self.call(vm, name, module, call)? {
            return Ok(value);
        }
        // What the host itself has.
        if let Some(value) = vm.host.foreign(vm, name, call)? {
            return Ok(value);
        }
        Err(Flow::raw(match from {
            Some(from) => format!("Function {from}(): Unknown function: '{name}'"),
            None => format!("Unknown function '{name}'"),
        }))
    }

    fn call_builtin(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        let (name, list) = (args.text(1), args.list(2));
        if let Some(answer) = self.replayed(&Asks::Function(&format!("function_{name}"), list)) {
            return answer;
        }
        if let Some(level) = Severity::by_name(name) {
            let words: Vec<String> = list.iter().map(|item| format::to_interpolated(*item)).collect();
            vm.host.log_from(scope, level, &words.join(" "));
            return Ok(Value::Undef);
        }
        let block = self.block_from_ruby(vm, args.value(3), scope)?;
        vm.call_by_method(name, list, block, scope)
    }

    /// `interpolate` and `not_found` of a look-up's context.
    fn context_method(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let number = match args.value(0) {
            Value::Int(n) => n as usize,
            _ => usize::MAX,
        };
        let Some(Handle::Object(object)) = self.ruby.values.handle_of(number) else {
            return Err(Flow::raw("Ruby names a look-up context there is not"));
        };
        let call_args = [Value::Object(object), args.value(2)];
        let call = Call { args: &call_args, block: None, scope: vm.top.into() };
        let value = self.world.context_method(vm, args.text(1), call)?;
        value.ok_or_else(|| Flow::raw("the look-up this context belongs to is over"))
    }

    fn log(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let (level, message) =
            (Severity::by_name(&args.as_text(0)).unwrap_or(Severity::Notice), args.as_text(1));
        if let Some(answer) = self.replayed(&Asks::Log(level, &message)) {
            return answer;
        }
        vm.host.log(level, &message, None);
        Ok(Value::Undef)
    }

    fn warn_once(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
        if self.world.first_time(format!("once:{}", args.as_text(1))) {
            let place = args.optional_text(3).map(|place| format!("\n   {place}")).unwrap_or_default();
            let level = Severity::by_name(&args.as_text(0)).unwrap_or(Severity::Warning);
            vm.host.log(level, &format!("{}{place}", args.as_text(2)), None);
        }
        Value::Undef
    }

    fn deprecation(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
        if self.world.first_time(format!("deprecated:{}", args.as_text(0))) {
            let message = format!("{}\n   {}", args.as_text(1), args.as_text(2));
            vm.host.log(Severity::Warning, &message, None);
        }
        Value::Undef
    }
}

/// An array of texts.
fn texts<'c>(vm: &Vm<'c>, all: Vec<&'c str>) -> Value<'c> {
    let all: Vec<_> = all.into_iter().map(|text| vm.string(text)).collect();
    vm.array(&all)
}

/// A reference to a resource, as a parameter holds it.
fn reference<'c>(vm: &Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
    let reference = bunraku_vm::types::reference(vm.arena, args.text(0), args.text(1));
    bunraku_vm::types::held(vm.arena, Value::Type(reference))
}
