//! What code asks of the compile: functions, the scope, settings, logs, values that are Puppet's own. What has effects is
//! noted in the journal.

use super::params::Arguments;
use super::{Done, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::functions::copies::Lending;
use crate::functions::definition::NewFunction;
use crate::functions::journal::{Asked, Journal};
use crate::method::Method;
use crate::methods;
use crate::prelude;
use crate::tree::MethodCall;
use crate::value::object::{ErrorValue, ProcBody};
use crate::value::{Class, V};
use crate::world::WorkerState;
use bunraku_files::reads;
use bunraku_stdlib::{Form3x, form_3x};
use bunraku_vm::cause::{Cause, UNCAUGHT};
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::raised::RaisedObject;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use std::rc::Rc;

/// Where modules have functions.
pub(super) const OF_FUNCTIONS: [&str; 2] = ["/lib/puppet/functions/", "/lib/puppet/parser/functions/"];

impl<'c> Run<'_, 'c> {
    /// What the compile gives for a question. An error of its own may be rescued.
    pub(crate) fn asked<T>(&mut self, ask: impl FnOnce(&mut Self) -> Eval<'c, T>) -> Done<'c, T> {
        ask(self).map_err(|flow| match &*flow {
            // An exception that `rescue` alone does not take.
            Flow::Fault(fault) if fault.diagnostic.code == Some(UNCAUGHT) => {
                ForRuby("an exception that is no error").into()
            }
            Flow::Fault(fault) if !matches!(fault.diagnostic.cause, Cause::NoSuchKey | Cause::NoRuby) => {
                let error = match (fault.object(), Class::by_name(fault.class())) {
                    (Some(RaisedObject::Native(number)), _) => self.engine.raised.of(number),
                    (_, Some(class)) => Some(Rc::new(ErrorValue::new(class, fault.diagnostic.to_string()))),
                    _ => None,
                };
                let Some(error) = error else { return ForRuby("an error of a class of Ruby's").into() };
                *error.carried.borrow_mut() = Some(flow);
                Unwind::raised(error)
            }
            _ => Unwind::flow(flow),
        })
    }

    /// What has been asked so far.
    fn noted_so_far(&mut self) -> &mut Journal<'c> {
        self.journal.as_mut().unwrap_or(&mut self.noted)
    }

    /// Takes note of chance: a number that nobody has seeded is about to be drawn.
    pub(crate) fn note_chance(&mut self) {
        reads::note_unknown(|| "a random number".to_owned());
        self.noted_so_far().has_drawn = true;
    }

    /// Takes note of a seed that the code gives Ruby's own generator.
    pub(crate) fn note_seed(&mut self) {
        self.noted_so_far().has_seeded = true;
    }

    /// Whether it has drawn a number that nobody has seeded.
    pub(crate) fn has_drawn(&self) -> bool {
        self.journal.as_ref().unwrap_or(&self.noted).has_drawn
    }

    /// Whether it has seeded Ruby's own generator.
    pub(crate) fn has_seeded(&self) -> bool {
        self.journal.as_ref().unwrap_or(&self.noted).has_seeded
    }

    /// Refuses to ask what may be asked otherwise by Ruby, should it do all of it from the begin: it would draw other numbers.
    /// What is asked before a number is drawn it asks, too; that functions only compute, or the catalog is looked at, does
    /// not matter.
    pub(crate) fn may_ask(&self) -> OrRuby<()> {
        if self.has_drawn() {
            return Err(ForRuby("a question behind a random number"));
        }
        // What answers may draw, too, and be Ruby's.
        if self.has_seeded() && self.engine.random.is_seeded() {
            return Err(ForRuby("a question while random numbers are seeded"));
        }
        Ok(())
    }

    /// Refuses to end with a generator that the code has seeded: what is drawn later would follow from that.
    pub(crate) fn leaves_no_seed(&self) -> OrRuby<()> {
        if self.has_seeded() && self.engine.random.is_seeded() {
            self.engine.random.release();
            return Err(ForRuby("a generator that stays seeded"));
        }
        Ok(())
    }

    /// Asks, and takes note of it in the journal.
    pub(super) fn asked_once(
        &mut self,
        asked: Asked<'c>,
        ask: impl FnOnce(&mut Self) -> Eval<'c>,
    ) -> Done<'c, Value<'c>> {
        if !asked.is_optional() {
            self.may_ask()?;
        }
        let used = self.used;
        let answer = used.apart(|| ask(self));
        if let Some(journal) = &mut self.journal {
            journal.note(asked, &answer);
        }
        self.asked(|_| answer)
    }

    /// Logs a message. A function's is logged at once.
    pub(crate) fn log_now(&mut self, level: Severity, message: String) -> OrRuby<()> {
        if self.journal.is_none() {
            self.log(level, message, false);
            return Ok(());
        }
        self.may_ask()?;
        self.vm.host.log(level, &message, None);
        self.noted_so_far().note(Asked::Log(level, message), &Ok(Value::Undef));
        Ok(())
    }

    /// Warns once of something in a compile: a function at once, a template at its end.
    pub(crate) fn tell_once(&mut self, what: String, message: String) -> OrRuby<()> {
        if self.journal.is_none() {
            self.warn_once(what, message);
            return Ok(());
        }
        self.may_ask()?;
        if self.world.first_time(&what) {
            self.vm.host.log(Severity::Warning, &message, None);
        }
        Ok(())
    }

    /// `classes`: what a template asks of the catalog. Rendered again it might see more.
    pub(super) fn classes_in_catalog(&mut self) -> Done<'c> {
        self.has_called = true;
        let answer = self.asked(|run| run.world.answer(run.vm, "classes", &[]))?;
        Ok(answer.map(V::from).ok_or(ForRuby("the classes of the catalog"))?)
    }

    /// A setting of Puppet's.
    pub(crate) fn setting(&mut self, name: &str) -> Done<'c> {
        self.rests.more = true;
        match self.world.setting(name) {
            Some((value, true)) => match value {
                Value::Str(text) => Ok(V::Symbol(text.as_str())),
                value => Ok(V::from(value)),
            },
            Some((value, false)) => Ok(V::from(value)),
            None => Err(ForRuby("a setting there is not").into()),
        }
    }

    /// What a function gives, as a value of the compile.
    pub(crate) fn result(&mut self, value: &V<'c>) -> OrRuby<Value<'c>> {
        value.to_value(self.vm)
    }

    /// Calls a function of the compile by its name.
    pub(super) fn call_puppet(
        &mut self,
        name: &str,
        args: &[V<'c>],
        call: &'c MethodCall,
        scope: &'c Scope<'c>,
    ) -> Done<'c> {
        let values = args.iter().map(|arg| arg.to_value(self.vm)).collect::<OrRuby<Vec<_>>>()?;
        let closure = match self.block_of(call)? {
            None => None,
            Some(given) => match given.body {
                ProcBody::Puppet(closure) => Some(closure),
                _ => return self.call_with_block((name, scope), values, given),
            },
        };
        let asked = Asked::Function(name.to_owned(), values.clone());
        let function = self.function.clone();
        let value = self.asked_once(asked, |run| {
            let (from, owner) = NewFunction::asking(function.as_ref());
            run.world.call_function(run.vm, (name, owner), from, (&values, closure), scope)
        })?;
        match self.copies_answers {
            true => Ok(Lending::default().lend(value, 0)?),
            false => Ok(V::from(value)),
        }
    }

    /// What functions of the 4.x interface have from the class they are in.
    pub(super) fn method_of_function(
        &mut self,
        name: &str,
        args: &[V<'c>],
        call: &'c MethodCall,
    ) -> Done<'c, Option<V<'c>>> {
        Ok(Some(match (name, args) {
            ("call_function", [name, args @ ..]) => {
                let name = match name {
                    V::Symbol(name) => (*name).to_owned(),
                    name => name.text().ok_or(ForRuby("a function without a name"))?.to_string(),
                };
                self.call_puppet(&name, args, call, self.vm.top)?
            }
            // Functions close over nothing: it is the scope at the top.
            ("closure_scope", []) if std::ptr::eq(self.scope, self.vm.top) => V::Scope,
            ("closure_scope", []) => V::Class(Class::GlobalScope),
            ("call_function_with_scope", [V::Scope, name, args @ ..]) => {
                let name = name.text().ok_or(ForRuby("a function without a name"))?.to_string();
                self.call_puppet(&name, args, call, self.scope)?
            }
            _ => return Ok(None),
        }))
    }

    /// What scopes have, which functions of the 3.x interface are methods of.
    pub(super) fn method_of_scope(
        &mut self,
        name: &'c str,
        args: &[V<'c>],
        call: &'c MethodCall,
    ) -> Done<'c, Option<V<'c>>> {
        if let Some(function) = name.strip_prefix("function_") {
            let [list] = args else { return Err(ForRuby("arguments of a function").into()) };
            return self.call_old_by_name(function, list.clone()).map(Some);
        }
        if let ("call_function", [name, list, ..]) = (name, args) {
            let name = match name {
                V::Symbol(name) => (*name).to_owned(),
                name => name.text().ok_or(ForRuby("a function without a name"))?.to_string(),
            };
            if args.len() != 2 {
                return Err(ForRuby("arguments of a function").into());
            }
            let values = list.spread()?;
            return self.call_puppet(&name, &values, call, self.scope).map(Some);
        }
        if let (Some(level), [message]) = (Severity::by_name(name), args)
            && let Some(text) = message.text()
        {
            return match level {
                Severity::Debug | Severity::Info => Ok(Some(V::Nil)),
                level if self.journal.is_some() => {
                    self.log_now(level, text.to_string())?;
                    Ok(Some(V::Nil))
                }
                _ => Err(ForRuby("a message of the scope").into()),
            };
        }
        if let ("[]=" | "setvar", [name, value]) = (name, args) {
            return self.set_in_scope(name, value).map(Some);
        }
        let method = match name {
            "[]" => Some(Method::Element),
            name => methods::of_scope(name),
        };
        match method {
            Some(method) if method != Method::SetVariable => {
                methods::of_scope_call(self, method, args).map(Some)
            }
            Some(_) => Ok(None),
            None => self.method_of_compile(name, args),
        }
    }

    /// What a scope tells of the compile beside its variables.
    pub(super) fn method_of_compile(&mut self, name: &'c str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
        match (name, args) {
            ("live_number", []) => return Ok(Some(V::Int(self.world.scope_number(self.scope)))),
            ("find_global_scope", []) if std::ptr::eq(self.scope, self.vm.top) => return Ok(Some(V::Scope)),
            ("find_global_scope", []) => return Ok(Some(V::Class(Class::GlobalScope))),
            _ => {}
        }
        let Some(V::Module(module)) = self.kept_constant(prelude::OF_SCOPE) else { return Ok(None) };
        let Some((owner, method)) = module.find(name) else { return Ok(None) };
        self.call_method(V::Scope, (Some(owner), &method), Arguments::from(args.to_vec())).map(Some)
    }

    /// `Puppet::Parser::Functions.function(:name)`: the method of the scope, or false.
    pub(crate) fn name_of_old_function(&mut self, name: &V<'c>) -> Done<'c> {
        let name = match name {
            V::Symbol(name) => (*name).to_owned(),
            name => name.text().ok_or(ForRuby("a function without a name"))?.to_string(),
        };
        if let Some(file) = self.world.old_function_file(&name) {
            self.load_file(&file)?;
            if self.space.old_function(&name).is_none() {
                return Err(ForRuby("a function that is not there").into());
            }
            return Ok(V::made(format!("function_{name}")));
        }
        Ok(match form_3x(&name) {
            Some(_) => V::made(format!("function_{name}")),
            None => V::Bool(false),
        })
    }

    /// `Puppet.deprecation_warning`: once for each key, with the place in Ruby that warns.
    pub(crate) fn warn_of_deprecation(
        &mut self,
        message: String,
        key: Option<String>,
        (line, label): (usize, &str),
    ) -> Done<'c> {
        self.may_ask()?;
        let file = self.space.file_of(self.frame.program).ok_or(ForRuby("a warning from nowhere"))?;
        // The file of a function is evaluated in the binding that a method gives.
        let outermost = match label.is_empty() || label.ends_with(' ') {
            false => "",
            true if OF_FUNCTIONS.iter().any(|folder| file.to_string_lossy().contains(folder)) => {
                "get_binding"
            }
            true => return Err(ForRuby("a warning from elsewhere").into()),
        };
        let place = format!("(location: {}:{line}:in `{label}{outermost}')", file.display());
        let key = key.unwrap_or_else(|| place.clone());
        if self.world.first_time(&format!("deprecated:{key}")) {
            self.vm.host.log(Severity::Warning, &format!("{message}\n   {place}"), None);
        }
        Ok(V::Nil)
    }

    /// Sets a variable of the scope; one that is set is Ruby's, which has the error.
    pub(super) fn set_in_scope(&mut self, name: &V<'c>, given: &V<'c>) -> Done<'c> {
        let name = name.text().ok_or(ForRuby("a variable without a name"))?.to_string();
        let value = given.to_value(self.vm)?;
        let word = !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
        let symbol = self.vm.symbols.intern(&name);
        // A worker remembers the arrays and hashes of variables that it sets; of all else it asks.
        let is_plain = !matches!(value, Value::Array(_) | Value::Hash(_));
        let worker_asks = is_plain || self.world.worker() != WorkerState::Present;
        if !word || self.scope.own(symbol).is_some() || !worker_asks {
            return Err(ForRuby("a variable to be set").into());
        }
        self.may_ask()?;
        self.scope.set(symbol, value);
        if let Some(journal) = &mut self.journal {
            journal.note(Asked::Set(name, value), &Ok(Value::Bool(true)));
        }
        Ok(given.clone())
    }

    /// `function_name([…])`: a function of the 3.x interface as a method of the scope.
    pub(super) fn call_old_by_name(&mut self, name: &str, list: V<'c>) -> Done<'c> {
        if let Some(file) = self.world.old_function_file(name) {
            self.load_file(&file)?;
            let function = self.space.old_function(name).ok_or(ForRuby("a function that is not there"))?;
            return self.call_old_function(&function, list);
        }
        let Some(items) = list.items()? else { return Err(ForRuby("arguments of a function").into()) };
        if form_3x(name) != Some(Form3x::Works) || is_left(name) {
            self.left.unknown = Some(format!("the function {name}()"));
            return Err(ForRuby("a function of Puppet's").into());
        }
        let values = items.iter().map(|arg| arg.to_value(self.vm)).collect::<OrRuby<Vec<_>>>()?;
        let asked = Asked::Function(format!("function_{name}"), values.clone());
        let value = self.asked_once(asked, |run| run.vm.call_by_method(name, &values, None, run.scope))?;
        Ok(V::from(value))
    }

    /// Methods of values that are Puppet's own: contexts of look-ups, and what hides a value.
    pub(super) fn method_of_other(
        &mut self,
        value: Value<'c>,
        name: &str,
        args: &[V<'c>],
    ) -> Done<'c, Option<V<'c>>> {
        match value {
            Value::Object(object) => self.method_of_context(object, name, args),
            Value::Type(_) => self.method_of_type(value, name, args),
            _ => Ok(None),
        }
    }

    /// Methods of types.
    pub(super) fn method_of_type(
        &mut self,
        ty: Value<'c>,
        name: &str,
        args: &[V<'c>],
    ) -> Done<'c, Option<V<'c>>> {
        let question = match (name, args) {
            ("to_s", []) => "text",
            ("instance?" | "===", [_]) => "instance",
            ("assignable?", [V::Other(Value::Type(_))]) => "assignable",
            ("generalize", []) => "generalize",
            _ => return Ok(None),
        };
        let given = args.iter().map(|arg| arg.to_value(self.vm)).collect::<OrRuby<Vec<_>>>()?;
        let given: Vec<_> = std::iter::once(ty).chain(given).collect();
        Ok(self.asked(|run| run.world.answer(run.vm, question, &given))?.map(V::from))
    }
}

/// Whether the 3.x form of a function of Puppet's is left to Ruby: it reads the world, takes a block, logs with a source of its own or
/// fails in its own way.
fn is_left(name: &str) -> bool {
    matches!(name, "fail" | "file" | "generate" | "scanf") || Severity::by_name(name).is_some()
}
