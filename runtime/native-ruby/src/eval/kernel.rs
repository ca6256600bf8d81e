//! Calls without a receiver, and on objects that code has defined: its own methods first, then those that such objects
//! have, then Ruby's functions.

use super::params::Arguments;
use super::stop::Ending;
use super::{Done, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::libraries;
use crate::method::Method;
use crate::methods;
use crate::tree::{Block, Captures, Expr, FILE, LOAD_PATH, MethodCall};
use crate::value::compare;
use crate::value::object::{ClassRef, Module};
use crate::value::{Class, V};
use crate::world::WorkerState;
use bunraku_vm::value::Value;
use std::rc::Rc;

impl<'c> Run<'_, 'c> {
    /// A call without a receiver.
    #[inline(never)]
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
            ("proc", Some(Block::Body(body))) => {
                // Locals of a block around it would be those of another round when it is called.
                if body.captures == Captures::Block {
                    return Err(ForRuby("a block that uses what is a block's").into());
                }
                return Ok(V::Proc(Rc::new(self.proc_of(body, false))));
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
        if matches!(name, "rand" | "srand")
            && let Some(value) = libraries::random_of_ruby(self, Class::Kernel, name, args)?
        {
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
            ("URI", [_]) => self.parse_uri(args)?,
            ("throw", [tag]) => return Err(Unwind::throw(tag.clone(), V::Nil)),
            ("warn", _) => return Err(ForRuby("a warning on the error stream").into()),
            ("instance_variable_get", [name]) if self.is_template() => self.variable_named(name)?,
            ("throw", [tag, value]) => return Err(Unwind::throw(tag.clone(), value.clone())),
            (FILE, []) => self.this_file()?,
            ("file", []) if self.is_template() => self.file_of_template()?,
            ("classes", []) if self.is_template() => self.classes_in_catalog()?,
            (LOAD_PATH, [V::Bool(first), folder]) => self.look_for_files_in(folder, *first)?,
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
        let tag = tag.clone();
        let Block::Body(body) = block else { return Err(ForRuby("`catch` with such a block").into()) };
        self.enter(body);
        let is_undefined = matches!(tag, V::Symbol(UNDEFINED_VARIABLE));
        let result = self.space.while_catching(is_undefined, || self.run(body));
        let result = self.landed(result, call);
        result.or_else(|stop| stop.caught(|thrown| compare::equal(&tag, thrown).unwrap_or(false)))
    }

    /// A method of `self` that code has defined.
    fn own_method(
        &self,
        name: &str,
    ) -> Option<(Option<Rc<crate::value::Module<'c>>>, crate::value::object::Method<'c>)> {
        match &self.frame.this {
            V::Main if self.is_template() => {
                let found = self.outer_methods.iter().rev().find(|(known, _)| *known == name);
                let found = match (found, self.has_nested) {
                    (Some((_, method)), false) => Some(method.clone()),
                    // Which of two was defined last, nobody has noted.
                    (Some((_, method)), true) if self.of_another_template(name).is_none() => {
                        Some(method.clone())
                    }
                    (Some(_), true) => None,
                    (None, _) => self.of_another_template(name),
                };
                // Instance variables are numbered otherwise in a file.
                let outside = || self.space.defined_outside(name).filter(has_no_variables);
                found.or_else(outside).map(|method| (None, method))
            }
            this => {
                let found = this.defined_method(name).map(|(owner, method)| (Some(owner), method));
                found.or_else(|| self.space.defined_outside(name).map(|method| (None, method)))
            }
        }
    }

    /// A method that a template before this one has defined. What a worker has defined is not known, and instance variables
    /// are numbered otherwise there.
    fn of_another_template(&self, name: &str) -> Option<crate::value::object::Method<'c>> {
        if !self.is_template() || self.world.worker() != WorkerState::None {
            return None;
        }
        self.engine.defined_by_templates.method(name).filter(has_no_variables)
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
    #[inline(never)]
    pub(super) fn call_on_object(&mut self, on: V<'c>, call: &'c MethodCall) -> Done<'c> {
        on.may_be_looked_at()?;
        let name: &'c str = if call.name.is_empty() { call.method.name() } else { &call.name };
        let found = on.defined_method(name);
        if let Some((owner, method)) = found {
            may_be_called(&owner, name, call)?;
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
            may_be_called(module, name, call)?;
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
            V::Class(class) if name == "const_defined?" => self.has_constant(*class, args)?,
            V::Class(Class::Kernel | Class::Object) if name == "const_get" => match args {
                [path] => path.text().and_then(|path| self.find_constant(&format!("::{}", &*path))),
                _ => None,
            },
            V::Class(class) if name == "respond_to?" => match args {
                [V::Symbol(name)] if libraries::has(*class, name) => Some(V::Bool(true)),
                _ => None,
            },
            V::Class(Class::GlobalScope) if OF_ALL_SCOPES.contains(&name) => {
                self.method_of_compile(name, args)?
            }
            V::Class(class) => libraries::call(self, *class, name, args, (block, call.line))?,
            V::Address(address) => libraries::of_address(**address, name, args)?,
            V::Random(random) => libraries::of_random(&random.clone(), name, args)?,
            V::Error(error) => self.method_of_error(&error.clone(), name, args)?,
            V::Proc(given) if matches!(name, "call" | "()" | "===" | "yield" | "[]") => {
                let arguments = Arguments { values: args.to_vec(), keywords: call.keywords, block: None };
                return self.call_proc_with(&given.clone(), arguments);
            }
            V::Scope if self.journal.is_some() => self.method_of_scope(name, args, call)?,
            V::Object(object) => match self.method_of_included(object, name, args, (call, block))? {
                None => self.method_of_any(&on, name, args)?,
                known => known,
            },
            V::Module(_) => self.method_of_any(&on, name, args)?,
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

    /// `Puppet.debug` and `Puppet.info` with a text that needs nothing done for it: left away, and the constant is not looked for either,
    /// unless code has a `Puppet` of its own, or an error in the text a class that may have its own way to make its message.
    pub(super) fn unread(&mut self, call: &'c MethodCall, messages: bool) -> Done<'c> {
        let is_error = |slot: u32| matches!(self.local(slot), V::Error(error) if matches!(error.class, ClassRef::Builtin(_)));
        let of_error = |piece: &Expr| piece.message_of_local().is_none_or(is_error);
        let of_errors = |text: &Expr| match text {
            Expr::Join(pieces) => pieces.iter().all(of_error),
            _ => true,
        };
        if self.space.has_other_puppet() || messages && !call.args.iter().all(of_errors) {
            return self.counted_call(call);
        }
        Ok(V::Nil)
    }

    /// `const_defined?`, where it is.
    fn has_constant(&mut self, class: Class, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
        let name = match args {
            [V::Symbol(name)] => (*name).to_owned(),
            [name] => name.text().ok_or(ForRuby("a constant without a name"))?.to_string(),
            _ => return Ok(None),
        };
        let found = self.find_constant(&format!("::{}::{name}", class.name()));
        Ok(found.map(|_| V::Bool(true)))
    }

    /// A method that is not known.
    pub(super) fn unknown(&mut self, call: &'c MethodCall) -> Done<'c> {
        self.failed_at(call);
        let what = format!("the method {}", call.name);
        // A template's own may be none of any template before it: that is among its reasons.
        let program = self.frame.program;
        let known = program.reasons.iter().position(|reason| reason.line == call.line && reason.what == what);
        if let Some(number) = known {
            self.left.reason = Some(number as u32);
            self.left.reason_program = Some(program);
        }
        self.left.unknown.get_or_insert(what);
        Err(ForRuby("a method that is not known").into())
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
}

/// Whether the program of a method names no instance variables.
fn has_no_variables(method: &crate::value::object::Method<'_>) -> bool {
    match method {
        crate::value::object::Method::Body { program, .. } => program.variables.is_empty(),
        _ => false,
    }
}

/// What the scope throws where it has no variable of a name.
pub(crate) const UNDEFINED_VARIABLE: &str = "undefined_variable";

/// What scopes tell that is the same of all of them.
const OF_ALL_SCOPES: &[&str] =
    &["catalog", "compiler", "environment", "findresource", "find_hostclass", "known_resource_types"];

/// Whether code may call a method of a class or module so: what is private or protected, on `self` only; else Ruby sees to it.
fn may_be_called<'c>(owner: &Module<'c>, name: &str, call: &MethodCall) -> OrRuby<()> {
    match owner.hides(name) && !matches!(call.receiver, Some(Expr::Itself)) {
        true => Err(ForRuby("a method that is private or protected")),
        false => Ok(()),
    }
}

pub(super) fn is_send(name: &str) -> bool {
    matches!(name, "send" | "__send__")
}
