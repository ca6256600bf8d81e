//! Calls without a receiver, and on objects that code has defined: its own methods first, then those that such objects
//! have, then Ruby's functions.

use super::params::Arguments;
use super::stop::{BlockExit, Ending};
use super::{Done, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::functions::journal::Asked;
use crate::libraries;
use crate::method::Method;
use crate::methods;
use crate::space::Load;
use crate::tree::{Block, MethodCall, Program};
use crate::value::compare;
use crate::value::object::{ClassRef, ErrorValue, ProcBody};
use crate::value::{Class, V};
use crate::world::WorkerState;
use bunraku_vm::cause::{Cause, UNCAUGHT};
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use std::path::Path;
use std::rc::Rc;

/// Files of Ruby's library that change nothing that is run here when they are loaded.
const LIBRARY: &[&str] = &[
    "base64",
    "bigdecimal",
    "cgi",
    "date",
    "digest",
    "digest/md5",
    "digest/sha1",
    "digest/sha2",
    "erb",
    "facter",
    "ipaddr",
    "json",
    "openssl",
    "pathname",
    "psych",
    "puppet",
    "puppet/error",
    "puppet/functions",
    "puppet/parser/functions",
    "puppet/util",
    "puppet/util/package",
    "rubygems",
    "securerandom",
    "set",
    "shellwords",
    "stringio",
    "tempfile",
    "time",
    "timeout",
    "uri",
    "yaml",
    "zlib",
    "English",
    "open3",
    "fileutils",
    "etc",
    "net/http",
    "pp",
    "socket",
    "resolv",
    "openssl/digest",
    "puppet/pops",
    "puppet/file_system",
    "puppet/parser",
];

impl<'c> Run<'_, 'c> {
    /// A call without a receiver.
    pub(super) fn call_itself(&mut self, call: &'c MethodCall) -> Done<'c> {
        if call.name.is_empty() {
            let args = self.values(&call.args)?;
            return methods::function(self, call.method, &args, call.block.as_ref());
        }
        let name: &'c str = &call.name;
        if let Some((owner, method)) = self.own_method(name) {
            return self.call_found((self.frame.this.clone(), owner, method), call);
        }
        // These take their block as it stands.
        match (name, &call.block) {
            ("lambda" | "proc", Some(Block::Body(body))) => {
                return Ok(V::Proc(Rc::new(self.proc_of(body, name == "lambda"))));
            }
            ("loop", Some(block)) => return self.loop_forever(block, call),
            ("catch", Some(block)) => return self.catch(block, call),
            _ => {}
        }
        if let (V::Module(module), "new") = (&self.frame.this, name) {
            let module = module.clone();
            let (values, block) = (self.values(&call.args)?, self.block_of(call)?);
            return self.make(&module, Arguments { values, keywords: call.keywords, block });
        }
        let args = self.values(&call.args)?;
        if let Some(value) = self.word_of_module(name, &args, call)? {
            return Ok(value);
        }
        if matches!(self.frame.this, V::Class(Class::ParserFunctions)) && name == "newfunction" {
            return self.new_function(&args, call);
        }
        let result = self.function_of_self(name, &args, call);
        self.landed(result, call)
    }

    fn function_of_self(&mut self, name: &'c str, args: &[V<'c>], call: &'c MethodCall) -> Done<'c> {
        if let Some(value) = self.function_of_ruby(name, args)? {
            return Ok(value);
        }
        if let (true, [to, rest @ ..]) = (is_send(name), args) {
            return self.send_to(self.frame.this.clone(), (to, rest), call);
        }
        if matches!(self.frame.this, V::Scope)
            && let Some(value) = self.method_of_scope(name, args, call)?
        {
            return Ok(value);
        }
        if let V::Object(object) = &self.frame.this
            && object.class.is_function()
            && let Some(value) = self.method_of_function(name, args, call)?
        {
            return Ok(value);
        }
        if call.method != Method::Other && call.method.is_function() {
            return methods::function(self, call.method, args, call.block.as_ref());
        }
        if matches!(name, "is_a?" | "respond_to?" | "class") {
            return self.call_on_object(self.frame.this.clone(), call);
        }
        self.unknown(call)
    }

    /// Ruby's own functions, but for conversions.
    fn function_of_ruby(&mut self, name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
        Ok(Some(match (name, args) {
            ("raise" | "fail", args) => return Err(self.raise(args)),
            ("block_given?", []) => V::Bool(self.frame.block.is_some()),
            // Messages are not translated.
            ("_", [message]) => message.clone(),
            ("throw", [tag]) => return Err(Unwind::throw(tag.clone(), V::Nil)),
            ("throw", [tag, value]) => return Err(Unwind::throw(tag.clone(), value.clone())),
            ("__FILE__", []) => {
                let file = self.space.file_of(self.frame.program).ok_or(ForRuby("code of no file"))?;
                V::made(file.to_str().ok_or(ForRuby("a file whose name is no text"))?.to_owned())
            }
            ("require", [file]) => self.require(file)?,
            ("require_relative", [file]) => self.require_relative(file)?,
            _ => return Ok(None),
        }))
    }

    fn loop_forever(&mut self, block: &'c Block, call: &'c MethodCall) -> Done<'c> {
        loop {
            self.used.spend(1)?;
            let round = match block {
                Block::Body(body) => {
                    self.enter(body);
                    self.run(body)
                }
                _ => return Err(ForRuby("`loop` with such a block").into()),
            };
            match round {
                Ok(_) => {}
                Err(stop)
                    if stop
                        .exception()
                        .is_some_and(|error| error.class.builtin() == Class::StopIteration) =>
                {
                    return Err(ForRuby("an iteration that has come to its end").into());
                }
                Err(stop) => return self.landed(Err(stop), call),
            }
        }
    }

    fn catch(&mut self, block: &'c Block, call: &'c MethodCall) -> Done<'c> {
        let args = self.values(&call.args)?;
        let [tag] = &args[..] else { return Err(ForRuby("`catch` without a tag").into()) };
        let Block::Body(body) = block else { return Err(ForRuby("`catch` with such a block").into()) };
        self.enter(body);
        let result = self.space.while_catching(|| self.run(body));
        let result = self.landed(result, call);
        result.or_else(|stop| stop.caught(|thrown| compare::equal(tag, thrown).unwrap_or(false)))
    }

    /// A method of `self` that code has defined.
    fn own_method(
        &self,
        name: &str,
    ) -> Option<(Option<Rc<crate::value::Module<'c>>>, crate::value::object::Method<'c>)> {
        match &self.frame.this {
            V::Object(object) => object.class.find(name).map(|(owner, method)| (Some(owner), method)),
            V::Module(module) => module.find_singleton(name).map(|(owner, method)| (Some(owner), method)),
            V::Main => {
                let found = self.outer_methods.iter().rev().find(|(known, _)| *known == name);
                found.map(|(_, method)| (None, method.clone()))
            }
            _ => None,
        }
    }

    fn call_found(
        &mut self,
        (this, owner, method): (
            V<'c>,
            Option<Rc<crate::value::Module<'c>>>,
            crate::value::object::Method<'c>,
        ),
        call: &'c MethodCall,
    ) -> Done<'c> {
        let values = self.values(&call.args)?;
        let block = self.block_of(call)?;
        let given = Arguments { values, keywords: call.keywords, block };
        let result = self.call_method(this, (owner, &method), given);
        self.landed(result, call)
    }

    /// A call on an object whose methods code may have defined.
    pub(super) fn call_on_object(&mut self, on: V<'c>, call: &'c MethodCall) -> Done<'c> {
        let name: &'c str = if call.name.is_empty() { call.method.name() } else { &call.name };
        let found = match &on {
            V::Object(object) => object.class.find(name),
            V::Module(module) => module.find_singleton(name),
            _ => None,
        };
        if let Some((owner, method)) = found {
            return self.call_found((on, Some(owner), method), call);
        }
        if matches!((&on, name), (V::Class(Class::ParserFunctions), "newfunction")) {
            let args = self.values(&call.args)?;
            return self.new_function(&args, call);
        }
        if matches!((&on, name), (V::Class(Class::PuppetFunctions), "create_function")) {
            let args = self.values(&call.args)?;
            return self.create_function(&args, call);
        }
        if let (V::Module(module), "new") = (&on, name) {
            let (values, block) = (self.values(&call.args)?, self.block_of(call)?);
            return self.make(&module.clone(), Arguments { values, keywords: call.keywords, block });
        }
        let (block, passed) = self.handed(call)?;
        let result = match self.values(&call.args) {
            Ok(args) => self.call_known(on, name, &args, (call, block)),
            Err(stop) => Err(stop),
        };
        self.take_back(passed);
        self.landed(result, call)
    }

    fn call_known(
        &mut self,
        on: V<'c>,
        name: &'c str,
        args: &[V<'c>],
        (call, block): (&'c MethodCall, Option<&'c Block>),
    ) -> Done<'c> {
        if let (true, V::Object(_) | V::Module(_) | V::Scope, [to, rest @ ..]) = (is_send(name), &on, args) {
            return self.send_to(on, (to, rest), call);
        }
        let known = match &on {
            V::Class(class) if class.is_exception() && name == "new" => {
                Some(V::Error(self.new_error(ClassRef::Builtin(*class), args)?))
            }
            V::Class(class) => libraries::call(self, *class, name, args, (block, call.line))?,
            V::Address(address) => libraries::of_address(*address, name, args)?,
            V::Error(error) => self.method_of_error(&error.clone(), name, args)?,
            V::Proc(given) if matches!(name, "call" | "()" | "===" | "yield" | "[]") => {
                return self.call_proc(&given.clone(), args.to_vec());
            }
            V::Scope if self.journal.is_some() => self.method_of_scope(name, args, call)?,
            V::Object(_) | V::Module(_) => self.method_of_any(&on, name, args)?,
            V::Other(Value::Object(object)) if name == "cached_file_data" => match args {
                [path] if path.text().is_some() => {
                    let path = path.text().map(|text| text.to_string()).unwrap_or_default();
                    self.cached_file_data(object, &path, (call, block))?
                }
                _ => None,
            },
            V::Other(value) => self.method_of_other(*value, name, args)?,
            _ => None,
        };
        match known {
            Some(value) => Ok(value),
            None if call.method == Method::Other => self.unknown(call),
            None => methods::call(self, on, call.method, args, block),
        }
    }

    /// `send`: a method by its name.
    fn send_to(&mut self, on: V<'c>, (to, args): (&V<'c>, &[V<'c>]), call: &'c MethodCall) -> Done<'c> {
        let name: &'c str = match to {
            V::Symbol(name) => name,
            to => {
                let text = to.text().ok_or(ForRuby("a method by its name"))?.to_string();
                self.vm.arena.alloc_str(&text)
            }
        };
        let found = match &on {
            V::Object(object) => object.class.find(name),
            V::Module(module) => module.find_singleton(name),
            _ => None,
        };
        if let Some((owner, method)) = found {
            let block = self.block_of(call)?;
            let given = Arguments { values: args.to_vec(), keywords: call.keywords, block };
            return self.call_method(on, (Some(owner), &method), given);
        }
        let known = match &on {
            V::Scope if self.journal.is_some() => self.method_of_scope(name, args, call)?,
            V::Object(object) if object.class.is_function() => self.method_of_function(name, args, call)?,
            _ => None,
        };
        known.ok_or_else(|| ForRuby("a method by its name").into())
    }

    /// A method that is not known.
    pub(super) fn unknown(&mut self, call: &'c MethodCall) -> Done<'c> {
        self.failed_at(call);
        self.left.unknown.get_or_insert_with(|| format!("the method {}", call.name));
        Err(ForRuby("a method that is not known").into())
    }

    fn method_of_any(&mut self, on: &V<'c>, name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
        Ok(Some(match (on, name, args) {
            (_, "nil?", []) => V::Bool(false),
            (V::Object(object), "class", []) => V::Module(object.class.clone()),
            (V::Module(module), "name" | "to_s", []) => V::made(module.name.clone()),
            (V::Object(object), "is_a?" | "kind_of?", [V::Module(module)]) => {
                V::Bool(object.class.is(module))
            }
            (V::Object(object), "is_a?" | "kind_of?", [V::Class(class)]) => {
                V::Bool(class.covers(object.class.builtin()))
            }
            (V::Module(module), "===", [V::Object(object)]) => V::Bool(object.class.is(module)),
            (V::Module(module), "===", [V::Error(error)]) => {
                V::Bool(matches!(&error.class, ClassRef::Own(own) if own.is(module)))
            }
            (V::Module(_), "===", [_]) => V::Bool(false),
            (V::Object(a), "equal?", [V::Object(b)]) => V::Bool(Rc::ptr_eq(a, b)),
            (V::Object(object), "respond_to?", [V::Symbol(name)]) if object.class.find(name).is_some() => {
                V::Bool(true)
            }
            _ => return Ok(None),
        }))
    }

    fn method_of_error(
        &mut self,
        error: &Rc<ErrorValue<'c>>,
        name: &str,
        args: &[V<'c>],
    ) -> Done<'c, Option<V<'c>>> {
        Ok(Some(match (name, args) {
            ("message" | "to_s", []) => error.message(),
            ("class", []) => error.class.value(),
            ("nil?", []) => V::Bool(false),
            ("is_a?" | "kind_of?", [V::Class(class)]) => V::Bool(class.covers(error.class.builtin())),
            _ => return Ok(None),
        }))
    }

    /// What the compile gives for a question. An error of its own may be rescued.
    pub(crate) fn asked<T>(&mut self, ask: impl FnOnce(&mut Self) -> Eval<'c, T>) -> Done<'c, T> {
        ask(self).map_err(|flow| match &*flow {
            // An exception that `rescue` alone does not take.
            Flow::Fault(fault) if fault.diagnostic.code == Some(UNCAUGHT) => {
                ForRuby("an exception that is no error").into()
            }
            Flow::Fault(fault) if !matches!(fault.diagnostic.cause, Cause::NoSuchKey | Cause::NoRuby) => {
                let error = ErrorValue::new(Class::PreformattedError, fault.diagnostic.to_string());
                *error.carried.borrow_mut() = Some(flow);
                Unwind::raised(Rc::new(error))
            }
            _ => Unwind::flow(flow),
        })
    }

    /// Asks, and takes note of it in the journal.
    pub(super) fn asked_once(
        &mut self,
        asked: Asked<'c>,
        ask: impl FnOnce(&mut Self) -> Eval<'c>,
    ) -> Done<'c, Value<'c>> {
        let answer = ask(self);
        if let Some(journal) = &mut self.journal {
            journal.note(asked, &answer);
        }
        self.asked(|_| answer)
    }

    /// Logs a message. A function's is logged at once.
    pub(crate) fn log_now(&mut self, level: Severity, message: String) {
        match &mut self.journal {
            None => self.log(level, message),
            Some(journal) => {
                self.vm.host.log(level, &message, None);
                journal.note(Asked::Log(level, message), &Ok(Value::Undef));
            }
        }
    }

    /// A setting of Puppet's.
    pub(crate) fn setting(&mut self, name: &str) -> Done<'c> {
        match self.world.setting(name) {
            Some((value, true)) => match value {
                Value::Str(text) => Ok(V::Symbol(text.as_str())),
                value => Ok(V::from(value)),
            },
            Some((value, false)) => Ok(V::from(value)),
            None => Err(ForRuby("a setting there is not").into()),
        }
    }

    /// Runs the body of a file.
    pub(crate) fn load_body(&mut self, program: &'c Program, file: &Path) -> Done<'c> {
        self.file = Some(file.to_owned());
        let result = self.eval(&program.body);
        result.or_else(|stop| stop.land(BlockExit::Return(self.frame.returns)))
    }

    fn require(&mut self, file: &V<'c>) -> Done<'c> {
        let name = file.text().ok_or(ForRuby("`require` of other than a string"))?.to_string();
        if LIBRARY.contains(&&*name) {
            return Ok(V::Bool(true));
        }
        if let Some(file) = self.world.ruby_file(&name) {
            return self.load_file(&file);
        }
        self.left.unknown = Some(format!("`require '{name}'`"));
        Err(ForRuby("a file of a library").into())
    }

    fn require_relative(&mut self, file: &V<'c>) -> Done<'c> {
        let name = file.text().ok_or(ForRuby("`require_relative` of other than a string"))?.to_string();
        let folder =
            self.file.as_ref().and_then(|file| file.parent()).ok_or(ForRuby("`require_relative`"))?;
        let mut path = folder.to_owned();
        for part in name.split('/') {
            match part {
                ".." => drop(path.pop()),
                "." | "" => {}
                part => path.push(part),
            }
        }
        if path.extension().is_none_or(|extension| extension != "rb") {
            path.as_mut_os_string().push(".rb");
        }
        self.load_file(&path)
    }

    fn load_file(&mut self, file: &Path) -> Done<'c> {
        let engine = self.engine;
        match engine.load(self.world, self.vm, file) {
            Load::Done | Load::UnderWay => Ok(V::Bool(true)),
            Load::Failed => {
                self.left.unknown = Some(format!("the file {}", file.display()));
                Err(ForRuby("a file that is Ruby's").into())
            }
        }
    }

    /// Why Ruby has to do it, with the line, as far as it is known.
    pub(crate) fn why(&mut self, ending: Ending<'c>) -> String {
        if let Some(number) = self.left.reason.take()
            && let Some(reason) =
                self.left.reason_program.and_then(|program| program.reasons.get(number as usize))
        {
            return reason.to_string();
        }
        let what = match (self.left.unknown.take(), ending) {
            (Some(what), _) => what,
            (None, Ending::ForRuby(ask)) => ask.0.to_owned(),
            (None, Ending::Raised(error)) => format!("an error of the class {}", error.class.name()),
            (None, Ending::Flow(_)) => "an error of the compile".to_owned(),
        };
        match std::mem::take(&mut self.left.failed_line) {
            0 => what,
            line => format!("{what}, line {line}"),
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
        let owner = self.owner.clone();
        let value = self.asked_once(asked, |run| {
            let (world, from) = (run.world, run.function.clone());
            world.call_function(run.vm, (name, &owner), from.as_deref(), (&values, closure), scope)
        })?;
        Ok(V::from(value))
    }

    /// What functions of the 4.x interface have from the class they are in.
    fn method_of_function(
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
            ("closure_scope", []) => return Err(ForRuby("two scopes in one function").into()),
            ("call_function_with_scope", [V::Scope, name, args @ ..]) => {
                let name = name.text().ok_or(ForRuby("a function without a name"))?.to_string();
                self.call_puppet(&name, args, call, self.scope)?
            }
            _ => return Ok(None),
        }))
    }

    /// What scopes have, which functions of the 3.x interface are methods of.
    fn method_of_scope(
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
            let name = name.text().ok_or(ForRuby("a function without a name"))?.to_string();
            let values = match list.items()? {
                Some(items) if args.len() == 2 => items,
                _ => return Err(ForRuby("arguments of a function").into()),
            };
            return self.call_puppet(&name, &values, call, self.scope).map(Some);
        }
        if let (Some(level), [message]) = (Severity::by_name(name), args)
            && message.text().is_some()
        {
            return match level {
                Severity::Debug | Severity::Info => Ok(Some(V::Nil)),
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
            _ => Ok(None),
        }
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
        match OLD_OF_PUPPET.contains(&&*name) {
            true => Ok(V::made(format!("function_{name}"))),
            false => Err(ForRuby("a function of Puppet's").into()),
        }
    }

    /// `Puppet.deprecation_warning`: once for each key, with the place in Ruby that warns.
    pub(crate) fn warn_of_deprecation(&mut self, message: String, key: String, line: usize) -> Done<'c> {
        let Some((_, body)) = &self.frame.method else {
            return Err(ForRuby("a warning from elsewhere").into());
        };
        let name = &body.name;
        let file = self.space.file_of(self.frame.program).ok_or(ForRuby("a warning from nowhere"))?;
        let place = format!("(location: {}:{line}:in `{name}')", file.display());
        if self.world.first_time(&format!("deprecated:{key}")) {
            self.vm.host.log(Severity::Warning, &format!("{message}\n   {place}"), None);
        }
        Ok(V::Nil)
    }

    /// Sets a variable of the scope; one that is set is Ruby's, which has the error.
    fn set_in_scope(&mut self, name: &V<'c>, given: &V<'c>) -> Done<'c> {
        let name = name.text().ok_or(ForRuby("a variable without a name"))?.to_string();
        let value = given.to_value(self.vm)?;
        let word = !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
        let symbol = self.vm.symbols.intern(&name);
        if !word || self.scope.own(symbol).is_some() || self.world.worker() == WorkerState::Present {
            return Err(ForRuby("a variable to be set").into());
        }
        self.scope.set(symbol, value);
        if let Some(journal) = &mut self.journal {
            journal.note(Asked::Set(name, value), &Ok(Value::Bool(true)));
        }
        Ok(given.clone())
    }

    /// `function_name([…])`: a function of the 3.x interface as a method of the scope.
    fn call_old_by_name(&mut self, name: &str, list: V<'c>) -> Done<'c> {
        if let Some(file) = self.world.old_function_file(name) {
            self.load_file(&file)?;
            let function = self.space.old_function(name).ok_or(ForRuby("a function that is not there"))?;
            return self.call_old_function(&function, list);
        }
        let Some(items) = list.items()? else { return Err(ForRuby("arguments of a function").into()) };
        if !OLD_OF_PUPPET.contains(&name) {
            self.left.unknown = Some(format!("the function {name}()"));
            return Err(ForRuby("a function of Puppet's").into());
        }
        let values = items.iter().map(|arg| arg.to_value(self.vm)).collect::<OrRuby<Vec<_>>>()?;
        let asked = Asked::Function(format!("function_{name}"), values.clone());
        let value = self.asked_once(asked, |run| run.vm.call_function(name, &values, None, run.scope))?;
        Ok(V::from(value))
    }

    /// Methods of values that are Puppet's own: contexts of look-ups, and what hides a value.
    fn method_of_other(&mut self, value: Value<'c>, name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
        match value {
            Value::Object(object) => self.method_of_context(object, name, args),
            _ => Ok(None),
        }
    }
}

fn is_send(name: &str) -> bool {
    matches!(name, "send" | "__send__")
}

/// Functions of Puppet's that have a form of the 3.x interface.
const OLD_OF_PUPPET: &[&str] = &[
    "contain",
    "create_resources",
    "digest",
    "fqdn_rand",
    "include",
    "md5",
    "realize",
    "require",
    "sha1",
    "sha256",
    "shellquote",
    "sprintf",
    "tag",
    "tagged",
    "template",
    "versioncmp",
    "inline_template",
];
