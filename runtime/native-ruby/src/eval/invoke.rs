//! Calls: of methods, of what the template has defined, of other templates.

use super::params::Arguments;
use super::stop::BlockExit;
use super::{Done, Rendered, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::{Block, Expr, MethodCall};
use crate::value::object::Module;
use crate::value::{Class, Frame, V};
use crate::{libraries, methods};
use std::rc::Rc;

/// How deep templates that render templates may nest.
const DEEPEST: usize = 20;

/// How deep methods that code defines may call each other.
const DEEPEST_CALL: usize = 200;

/// Whether code may have defined the methods of a value, or they are not in the tables.
#[inline]
fn has_methods_of_code(value: &V<'_>) -> bool {
    use bunraku_vm::value::Value::{Object, Type};
    matches!(
        value,
        V::Object(_)
            | V::Module(_)
            | V::Class(_)
            | V::Error(_)
            | V::Address(_)
            | V::Random(_)
            | V::Proc(_)
            | V::Main
            | V::Scope
            | V::Other(Object(_) | Type(_))
    )
}

impl<'c> Run<'_, 'c> {
    #[inline(never)]
    pub(super) fn call(&mut self, call: &'c MethodCall) -> Done<'c> {
        let receiver = match &call.receiver {
            Some(Expr::Local(slot)) => {
                if let Some(value) = self.answered_in_place(*slot, call) {
                    return Ok(value);
                }
                self.local(*slot).clone()
            }
            Some(Expr::Call(all)) if all.method == Method::Variables => {
                match self.one_of_all_variables(all, call)? {
                    Some(value) => return Ok(value),
                    None => self.counted_call(all)?,
                }
            }
            Some(receiver) => self.eval(receiver)?,
            None => return self.call_itself(call),
        };
        if call.safe && matches!(receiver, V::Nil) {
            return Ok(V::Nil);
        }
        if call.method == Method::Other || has_methods_of_code(&receiver) {
            return self.call_by_name(receiver, call);
        }
        // Most calls have one argument at most, and no block.
        let result = match (&*call.args, &call.block) {
            ([], None) => methods::call(self, receiver, call.method, &[], None),
            ([arg], None) if !matches!(arg, Expr::Splat(_)) => match self.eval(arg) {
                Ok(arg) => methods::call(self, receiver, call.method, &[arg], None),
                Err(stop) => Err(stop),
            },
            _ => return self.call_with_more(receiver, call),
        };
        match result {
            Ok(value) => Ok(value),
            failed => self.landed(failed, call),
        }
    }

    /// A call on a local, with another or a literal as its argument if any: many need no more than a look at both where they are.
    #[inline]
    fn answered_in_place(&self, slot: u32, call: &'c MethodCall) -> Option<V<'c>> {
        if call.block.is_some() || call.safe {
            return None;
        }
        let on = self.local(slot);
        match &*call.args {
            [] => methods::alone(on, call.method, &[]),
            [Expr::Local(slot)] => methods::alone(on, call.method, std::slice::from_ref(self.local(*slot))),
            [Expr::String(text)] => methods::alone(on, call.method, &[V::Str(text)]),
            [Expr::Int(n)] => methods::alone(on, call.method, &[V::Int(*n)]),
            [Expr::Symbol(name)] => methods::alone(on, call.method, &[V::Symbol(name)]),
            _ => None,
        }
    }

    /// A call whose method is in no table, or may be one that code has defined.
    #[inline(never)]
    fn call_by_name(&mut self, receiver: V<'c>, call: &'c MethodCall) -> Done<'c> {
        if has_methods_of_code(&receiver) {
            return self.call_on_object(receiver, call);
        }
        if let ("to_set", [], None) = (&*call.name, &*call.args, &call.block)
            && let Some(set) = self.set_of(&receiver)?
        {
            return Ok(set);
        }
        if let ("extend", [module], None) = (&*call.name, &*call.args, &call.block)
            && matches!(receiver, V::Map(_))
            && let V::Module(module) = self.eval(module)?
        {
            return self.extend_hash(&receiver, &module);
        }
        if let ("to_enum", [], None) = (&*call.name, &*call.args, &call.block)
            && let Some(each) = methods::each_of(&receiver)
        {
            return Ok(each);
        }
        if let ("hash", [], None) = (&*call.name, &*call.args, &call.block)
            && let Some(code) = methods::code(&receiver)?
        {
            return Ok(code);
        }
        if methods::lacks(&receiver, &call.name) {
            return Err(Unwind::unsaid(Class::NoMethodError));
        }
        self.unknown(call)
    }

    /// A call with a block or several arguments.
    #[inline(never)]
    fn call_with_more(&mut self, receiver: V<'c>, call: &'c MethodCall) -> Done<'c> {
        let (block, passed) = match &call.block {
            block @ (None | Some(Block::Body(_))) => (block.as_ref(), false),
            _ => self.handed(call)?,
        };
        let result = match &*call.args {
            [] => methods::call(self, receiver, call.method, &[], block),
            [arg] if !matches!(arg, Expr::Splat(_)) => match self.eval(arg) {
                Ok(arg) => methods::call(self, receiver, call.method, &[arg], block),
                Err(stop) => Err(stop),
            },
            [one, two] if !matches!((one, two), (Expr::Splat(_), _) | (_, Expr::Splat(_))) => {
                match self.eval(one).and_then(|one| Ok([one, self.eval(two)?])) {
                    Ok(args) => methods::call(self, receiver, call.method, &args, block),
                    Err(stop) => Err(stop),
                }
            }
            args => match self.values(args) {
                Ok(args) => methods::call(self, receiver, call.method, &args, block),
                Err(stop) => Err(stop),
            },
        };
        self.take_back(passed);
        match result {
            Ok(value) => Ok(value),
            failed => self.landed(failed, call),
        }
    }

    /// The block that a call is written with, or the one that it hands on; whether that is among the passed ones now.
    pub(super) fn handed(&mut self, call: &'c MethodCall) -> Done<'c, (Option<&'c Block>, bool)> {
        Ok(match &call.block {
            Some(Block::Given(value)) => match self.eval(value)? {
                V::Nil => (None, false),
                V::Proc(given) => {
                    self.passed.push(given);
                    (Some(&Block::Passed), true)
                }
                _ => return Err(ForRuby("a block that is no lambda").into()),
            },
            block => (block.as_ref(), false),
        })
    }

    pub(super) fn take_back(&mut self, passed: bool) {
        if passed {
            self.passed.pop();
        }
    }

    /// What a call gives: a `break` out of the block that it was written with ends here.
    pub(super) fn landed(&mut self, result: Done<'c>, call: &MethodCall) -> Done<'c> {
        match (result, &call.block) {
            (Err(stop), Some(Block::Body(body))) => {
                if stop.is_for_ruby() {
                    self.failed_at(call);
                }
                stop.land(BlockExit::Break(body.number, self.frame.serial))
            }
            (Err(stop), _) => {
                if stop.is_for_ruby() {
                    self.failed_at(call);
                }
                Err(stop)
            }
            (value, _) => value,
        }
    }

    /// Takes note of where something came up that is not known, if nothing before it has.
    pub(super) fn failed_at(&mut self, call: &MethodCall) {
        if self.left.failed_line == 0 {
            self.left.failed_line = call.line;
        }
    }

    /// The value at a key. The hash of a variable is not copied for it.
    pub(crate) fn at_key(&mut self, on: &'c Expr, key: &'c str) -> Done<'c> {
        let on = match on {
            Expr::Local(slot) => self.local(*slot),
            Expr::Variable(number) => &self.variable(*number)?,
            on => &self.eval(on)?,
        };
        if let V::Hash(hash) = on {
            return Ok(hash.get_str(key).map_or(V::Nil, V::from));
        }
        let on = on.clone();
        if let V::Object(object) = &on
            && let Some((owner, method)) = object.class.find("[]")
        {
            return self.call_method(on, (Some(owner), &method), Arguments::from(vec![V::Str(key)]));
        }
        if let V::Proc(given) = &on {
            return self.call_proc(given, vec![V::Str(key)]);
        }
        // `ENV['…']`
        if let V::Class(class) = on
            && let Some(value) = libraries::call(self, class, "[]", &[V::Str(key)], (None, 0))?
        {
            return Ok(value);
        }
        methods::call(self, on, Method::Element, &[V::Str(key)], None)
    }

    /// Calls a method that code has defined.
    pub(crate) fn call_method(
        &mut self,
        this: V<'c>,
        (owner, method): (Option<Rc<Module<'c>>>, &crate::value::object::Method<'c>),
        given: Arguments<'c>,
    ) -> Done<'c> {
        use crate::value::object::Method as Own;
        let (program, number, nesting) = match method {
            Own::Body { program, number, nesting } => (*program, *number, nesting.clone()),
            Own::Reader(name) => {
                let V::Object(object) = &this else { return Err(ForRuby("an attribute of a module").into()) };
                let variables = object.variables.borrow();
                let found = variables.iter().find(|(known, _)| known == name);
                return Ok(found.map_or(V::Nil, |(_, value)| value.clone()));
            }
            Own::Writer(name) => {
                let V::Object(object) = &this else { return Err(ForRuby("an attribute of a module").into()) };
                let value = given.values.into_iter().next().unwrap_or(V::Nil);
                object.set(name, value.clone());
                return Ok(value);
            }
        };
        if self.calls >= DEEPEST_CALL {
            return Err(ForRuby("a deep recursion").into());
        }
        let body = &program.methods[number as usize];
        let frame = Frame {
            base: 0,
            serial: 0,
            returns: 0,
            program,
            this,
            nesting,
            block: given.block.clone(),
            method: owner.map(|owner| (owner, body)),
        };
        self.calls += 1;
        let result = bunraku_vm::budget::on_grown_stack(|| {
            self.in_frame(frame, |run| {
                run.bind(&body.params, given)?;
                let returns = run.frame.returns;
                run.eval(&body.body).or_else(|stop| stop.land(BlockExit::Return(returns)))
            })
        });
        self.calls -= 1;
        result
    }

    /// The text of another template, rendered in the same scope.
    pub(crate) fn nested(&mut self, name: &str) -> OrRuby<String> {
        if self.depth > DEEPEST {
            return Err(ForRuby("templates in templates in templates"));
        }
        if self.has_changed()? {
            return Err(ForRuby("a change that another template may see"));
        }
        let rendered = self.engine.render_nested(self.world, self.vm, self.scope, (name, self.depth));
        let Rendered { text, logs, has_drawn, .. } = rendered?;
        if has_drawn {
            self.note_chance();
        }
        self.logs.extend(logs);
        self.has_nested = true;
        Ok(text)
    }
}
