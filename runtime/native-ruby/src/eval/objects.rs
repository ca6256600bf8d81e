//! Methods of objects, classes and exceptions that code defines or that the prelude does: their own, what `Comparable` and
//! `Enumerable` add, and what all objects have.

use super::params::Arguments;
use super::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::method::Method;
use crate::methods;
use crate::tree::{Block, MethodCall};
use crate::value::compare;
use crate::value::object::{ErrorValue, Object};
use crate::value::{Class, V, text};
use std::cmp::Ordering;
use std::rc::Rc;

impl<'c> Run<'_, 'c> {
    /// `URI.parse`
    pub(crate) fn parse_uri(&mut self, args: &[V<'c>]) -> Done<'c> {
        match self.kept_constant("::URI::Generic") {
            Some(class @ V::Module(_)) => self.send_known(class, "parse", args.to_vec()),
            _ => Err(ForRuby("an address of a resource").into()),
        }
    }

    /// `Digest::MD5.new` and the like.
    pub(crate) fn running_digest(&mut self, class: Class) -> Done<'c> {
        let name = class.name().rsplit("::").next().unwrap_or_default();
        match self.kept_constant("::Bunraku::RunningDigest") {
            Some(V::Module(class)) => self.make(&class, Arguments::from(vec![V::Str(name)])),
            _ => Err(ForRuby("a digest of pieces").into()),
        }
    }

    /// `to_set` of arrays and hashes; none of anything else.
    pub(super) fn set_of(&mut self, items: &V<'c>) -> Done<'c, Option<V<'c>>> {
        if items.size().is_none() {
            return Ok(None);
        }
        match self.kept_constant("::Set") {
            Some(V::Module(class)) => self.make(&class, Arguments::from(vec![items.clone()])).map(Some),
            _ => Ok(None),
        }
    }

    /// `send`: a method by its name.
    pub(super) fn send_to(
        &mut self,
        on: V<'c>,
        (to, args): (&V<'c>, &[V<'c>]),
        call: &'c MethodCall,
    ) -> Done<'c> {
        let name: &'c str = match to {
            V::Symbol(name) => name,
            to => {
                let text = to.text().ok_or(ForRuby("a method by its name"))?.to_string();
                self.vm.arena.alloc_str(&text)
            }
        };
        let found = on.defined_method(name);
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

    pub(super) fn method_of_any(
        &mut self,
        on: &V<'c>,
        name: &str,
        args: &[V<'c>],
    ) -> Done<'c, Option<V<'c>>> {
        Ok(Some(match (on, name, args) {
            (_, "nil?", []) => V::Bool(false),
            (V::Object(object), "class", []) => V::Module(object.class.clone()),
            // Whose it is, its `dispatch` is told.
            (V::Module(module), "dispatcher", []) if module.is_function() => V::Class(Class::Dispatcher),
            (V::Module(module), "name", []) => {
                module.full_name.get().map_or(V::Nil, |name| V::made(name.clone()))
            }
            (V::Module(_), "to_s", []) => V::made(text::to_s(on)?),
            (V::Object(object), "instance_of?", [V::Module(module)]) => {
                V::Bool(Rc::ptr_eq(&object.class, module))
            }
            (V::Object(_), "is_a?" | "kind_of?", [V::Module(module)]) => {
                V::Bool(compare::is_own(on, module)?)
            }
            (V::Object(_), "is_a?" | "kind_of?", [V::Class(class)]) => V::Bool(compare::is_a(on, *class)?),
            (V::Module(module), "===", [subject]) => V::Bool(compare::is_own(subject, module)?),
            (V::Object(a), "equal?" | "==" | "eql?", [V::Object(b)]) => V::Bool(Rc::ptr_eq(a, b)),
            (V::Object(_), "==" | "eql?" | "equal?", [other]) if !matches!(other, V::Void) => V::Bool(false),
            (V::Object(_) | V::Module(_), "!=", [other]) => {
                let equal = self.send_known(on.clone(), "==", vec![other.clone()])?;
                V::Bool(!equal.truthy())
            }
            (V::Object(_) | V::Module(_), "!", []) => V::Bool(false),
            (V::Object(object), "respond_to?", [V::Symbol(name)]) if object.class.find(name).is_some() => {
                V::Bool(true)
            }
            _ => return Ok(None),
        }))
    }

    /// The order of two objects by their `<=>`.
    pub(crate) fn order(&mut self, a: &V<'c>, b: &V<'c>) -> Done<'c, Ordering> {
        match self.send_known(a.clone(), "<=>", vec![b.clone()])? {
            V::Int(order) => Ok(order.cmp(&0)),
            _ => Err(ForRuby("a comparison of such objects").into()),
        }
    }

    /// What `Comparable` makes of an object's `<=>`, and `Enumerable` of its `each`.
    pub(super) fn method_of_included(
        &mut self,
        object: &Rc<Object<'c>>,
        name: &'c str,
        args: &[V<'c>],
        (call, block): (&'c MethodCall, Option<&'c Block>),
    ) -> Done<'c, Option<V<'c>>> {
        let on = || V::Object(object.clone());
        if let ("<" | ">" | "<=" | ">=" | "==", [other], true) = (name, args, object.class.is_comparable()) {
            let order = match self.send_known(on(), "<=>", vec![other.clone()])? {
                V::Int(order) => order,
                V::Nil if name == "==" => return Ok(Some(V::Bool(false))),
                _ => return Err(ForRuby("a comparison of such objects").into()),
            };
            return Ok(Some(V::Bool(match name {
                "<" => order < 0,
                ">" => order > 0,
                "<=" => order <= 0,
                ">=" => order >= 0,
                _ => order == 0,
            })));
        }
        if let ("between?", [low, high], true) = (name, args, object.class.is_comparable()) {
            let above = self.order(&on(), low)?.is_ge();
            return Ok(Some(V::Bool(above && self.order(&on(), high)?.is_le())));
        }
        if object.class.is_enumerable() && call.method != Method::Other && Method::of_enumerable(call.method)
        {
            let items = self.send_known(on(), "to_a", Vec::new())?;
            return methods::call(self, items, call.method, args, block).map(Some);
        }
        Ok(None)
    }

    /// Calls a method of an object or module by its name: its own, or one that all have.
    pub(super) fn send_known(&mut self, on: V<'c>, name: &'c str, args: Vec<V<'c>>) -> Done<'c> {
        let found = on.defined_method(name);
        match found {
            Some((owner, method)) => self.call_method(on, (Some(owner), &method), Arguments::from(args)),
            None => {
                self.method_of_any(&on, name, &args)?.ok_or_else(|| ForRuby("a method by its name").into())
            }
        }
    }

    pub(super) fn method_of_error(
        &mut self,
        error: &Rc<ErrorValue<'c>>,
        name: &str,
        args: &[V<'c>],
    ) -> Done<'c, Option<V<'c>>> {
        Ok(Some(match (name, args) {
            // Puppet's errors that were made with a place tell it.
            ("message" | "to_s", []) if !error.details.is_empty() => {
                return Err(ForRuby("the message of an exception with parts of its own").into());
            }
            ("message" | "to_s", []) => error.message(),
            ("class", []) => error.class.value(),
            ("nil?", []) => V::Bool(false),
            ("is_a?" | "kind_of?", [V::Class(class)]) => V::Bool(class.covers(error.class.builtin())),
            _ => return Ok(None),
        }))
    }
}
