//! Calls: of methods, of what the template has defined, of other templates.

use super::stop::BlockExit;
use super::{Done, LastMatch, Rendered, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::methods;
use crate::tree::{Expr, MethodCall};
use crate::value::V;

/// How deep templates that render templates may nest.
const DEEPEST: usize = 20;

/// How deep a template's own methods may call each other.
const DEEPEST_CALL: usize = 50;

impl<'c> Run<'_, 'c> {
    pub(crate) fn call(&mut self, call: &'c MethodCall) -> Done<'c> {
        let receiver = match &call.receiver {
            Some(receiver) => {
                if let Expr::Call(all) = receiver
                    && let Some(value) = self.one_of_all_variables(all, call)?
                {
                    return Ok(value);
                }
                self.eval(receiver)?
            }
            None => {
                let args = self.values(&call.args)?;
                return methods::function(self, call.method, &args, call.block.as_ref());
            }
        };
        if call.safe && matches!(receiver, V::Nil) {
            return Ok(V::Nil);
        }
        let block = call.block.as_ref();
        // Most calls have one argument at most.
        let result = match &*call.args {
            [] => methods::call(self, receiver, call.method, &[], block),
            [arg] if !matches!(arg, Expr::Splat(_)) => {
                let arg = [self.eval(arg)?];
                methods::call(self, receiver, call.method, &arg, block)
            }
            args => {
                let args = self.values(args)?;
                methods::call(self, receiver, call.method, &args, block)
            }
        };
        match result {
            Err(stop) if call.block.is_some() => stop.land(BlockExit::Break),
            other => other,
        }
    }

    /// The value at a key. The hash of a variable is not copied for it.
    pub(crate) fn at_key(&mut self, on: &'c Expr, key: &'c str) -> Done<'c> {
        let on = match on {
            Expr::Local(slot) => &self.locals[*slot as usize],
            Expr::Variable(number) => self.variable(*number)?,
            on => &self.eval(on)?,
        };
        if let V::Hash(hash) = on {
            return Ok(hash.get_str(key).map_or(V::Nil, V::from));
        }
        let on = on.clone();
        methods::call(self, on, Method::Element, &[V::Str(key)], None)
    }

    /// Calls a method that the template has defined, with locals of its own.
    pub(crate) fn call_own(&mut self, number: u32, args: &'c [Expr]) -> Done<'c> {
        let args = self.values(args)?;
        let template = self.template;
        let body = &template.methods[number as usize];
        if !self.own.defined.contains(&number) || args.len() != body.params.len() {
            return Err(ForRuby("a method that is not defined so").into());
        }
        if self.own.calls >= DEEPEST_CALL {
            return Err(ForRuby("a deep recursion").into());
        }
        let own = body.own.0 as usize..body.own.1 as usize;
        let saved = self.locals[own.clone()].to_vec();
        let last = std::mem::replace(&mut self.last, LastMatch::Known(None));
        self.enter(body);
        self.assign_many(&body.params, args)?;
        self.own.calls += 1;
        let result = self.eval(&body.body);
        self.own.calls -= 1;
        self.last = last;
        self.locals[own].clone_from_slice(&saved);
        result.or_else(|stop| stop.land(BlockExit::Return))
    }

    /// The text of another template, rendered in the same scope.
    pub(crate) fn nested(&mut self, name: &str) -> OrRuby<String> {
        if self.depth > DEEPEST {
            return Err(ForRuby("templates in templates in templates"));
        }
        if !self.changed()?.is_empty() {
            return Err(ForRuby("a change that another template may see"));
        }
        let rendered = self.engine.render_nested(self.world, self.vm, self.scope, (name, self.depth));
        let Rendered { text, logs, .. } = rendered?;
        self.logs.extend(logs);
        Ok(text)
    }
}
