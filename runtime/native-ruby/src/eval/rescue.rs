//! `begin`, `rescue`, `else`, `ensure`.

use super::{Done, Run, Unwind};
use crate::for_ruby::ForRuby;
use crate::tree::{Expr, Handler, Rescue};
use crate::value::object::{ClassRef, ErrorValue};
use crate::value::{Class, V};
use std::rc::Rc;

impl<'c> Run<'_, 'c> {
    pub(super) fn rescue(&mut self, rescue: &'c Rescue) -> Done<'c> {
        let stop = match self.eval(&rescue.body) {
            Ok(value) if matches!(rescue.otherwise, Expr::Nil) => return Ok(value),
            Ok(_) => return self.eval(&rescue.otherwise),
            Err(stop) => stop,
        };
        let Some(error) = stop.exception().cloned() else { return Err(stop) };
        for handler in &rescue.handlers {
            if self.takes(handler, &error)? {
                if let Some(target) = &handler.target {
                    self.assign(target, V::Error(error.clone()))?;
                }
                let outer = self.rescuing.replace(error);
                let result = self.eval(&handler.body);
                self.rescuing = outer;
                return result;
            }
        }
        Err(stop)
    }

    fn takes(&mut self, handler: &'c Handler, error: &Rc<ErrorValue<'c>>) -> Done<'c, bool> {
        if handler.classes.is_empty() {
            return Ok(Class::StandardError.covers(error.class.builtin()));
        }
        for class in self.values(&handler.classes)? {
            let takes = match &class {
                V::Class(class) => class.covers(error.class.builtin()),
                V::Module(module) => matches!(&error.class, ClassRef::Own(own) if own.is(module)),
                _ => return Err(ForRuby("`rescue` of other than a class").into()),
            };
            if takes {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn ensure(&mut self, (body, last): &'c (Expr, Expr)) -> Done<'c> {
        let result = self.eval(body);
        if matches!(&result, Err(stop) if stop.is_for_ruby()) {
            return result;
        }
        self.eval(last)?;
        result
    }

    /// `raise`, `fail`
    pub(super) fn raise(&mut self, args: &[V<'c>]) -> Unwind<'c> {
        match self.exception_of(args) {
            Ok(error) => Unwind::raised(error),
            Err(stop) => stop,
        }
    }

    fn exception_of(&mut self, args: &[V<'c>]) -> Done<'c, Rc<ErrorValue<'c>>> {
        let of = |class, message| Rc::new(ErrorValue::of(class, message, Vec::new()));
        Ok(match args {
            [] => self.rescuing.clone().ok_or(ForRuby("`raise` without an error"))?,
            [V::Error(error)] => error.clone(),
            [V::Error(error), message] if message.text().is_some() => {
                of(error.class.clone(), Some(message.clone()))
            }
            [message] if message.text().is_some() => {
                of(ClassRef::Builtin(Class::RuntimeError), Some(message.clone()))
            }
            [V::Class(class), rest @ ..] if class.is_exception() && rest.len() < 2 => {
                self.new_error(ClassRef::Builtin(*class), rest)?
            }
            [V::Module(module), rest @ ..] if module.builtin().is_exception() && rest.len() < 2 => {
                if ["new", "exception"].iter().any(|name| module.find_singleton(name).is_some()) {
                    return Err(ForRuby("an exception of a class that makes it itself").into());
                }
                match self.make(module, rest.to_vec().into())? {
                    V::Error(error) => error,
                    _ => return Err(ForRuby("`raise` of other than an exception").into()),
                }
            }
            _ => return Err(ForRuby("`raise` of other than an exception").into()),
        })
    }

    /// `new` of an exception's class.
    pub(super) fn new_error(&mut self, class: ClassRef<'c>, args: &[V<'c>]) -> Done<'c, Rc<ErrorValue<'c>>> {
        let plain = matches!(
            class.builtin(),
            Class::KeyError
                | Class::NameError
                | Class::NoMethodError
                | Class::UncaughtThrowError
                | Class::FrozenError
        ) || Class::SystemCallError.covers(class.builtin());
        if plain {
            return Err(ForRuby("an exception with parts of its own").into());
        }
        // Puppet's own take a text and nothing else.
        let takes_text = Class::PuppetError.covers(class.builtin());
        if takes_text && args.first().is_some_and(|message| message.text().is_none()) {
            return Err(ForRuby("the message of an exception").into());
        }
        let (message, details) = match args {
            [] if class.name().is_empty() || takes_text => {
                return Err(ForRuby("an exception of a class without a name, or that needs a message").into());
            }
            [] => (None, Vec::new()),
            [V::Nil] if !class.name().is_empty() => (None, Vec::new()),
            [message, details @ ..] if message.text().is_some() || matches!(message, V::Symbol(_)) => {
                (Some(message.clone()), details.to_vec())
            }
            _ => return Err(ForRuby("the message of an exception").into()),
        };
        // A place; elsewhere no more than the error that is behind it.
        let may_be = match class.builtin() {
            of if Class::ParseError.covers(of) || Class::ResourceError.covers(of) => usize::MAX,
            _ if takes_text => 1,
            _ => 0,
        };
        if details.len() > may_be {
            return Err(ForRuby("an exception with parts of its own").into());
        }
        Ok(Rc::new(ErrorValue::of(class, message, details)))
    }
}
