//! Lambdas and blocks as values: made, called, handed on.

use super::params::Arguments;
use super::stop::BlockExit;
use super::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::functions::journal::Asked;
use crate::methods;
use crate::tree::{Block, BlockBody, Captures, MethodCall};
use crate::value::V;
use crate::value::object::{Proc, ProcBody};
use bunraku_vm::value::Value;
use std::rc::Rc;

impl<'c> Run<'_, 'c> {
    /// A lambda or block as a value, made where it stands.
    pub(crate) fn proc_of(&mut self, body: &'c BlockBody, lambda: bool) -> Proc<'c> {
        Proc { body: ProcBody::Block(body), lambda, home: Some(self.frame.clone()), within: None }
    }

    /// The block of a call of a method that code has defined, for the frame of that call.
    pub(super) fn block_of(&mut self, call: &'c MethodCall) -> Done<'c, Option<Rc<Proc<'c>>>> {
        Ok(match &call.block {
            None => None,
            Some(Block::Body(body)) => {
                let mut made = self.proc_of(body, false);
                // What it uses of a block around it is there only as long as that one's round goes on.
                made.within = (body.captures == Captures::Block).then_some(self.space.last_serial() + 1);
                Some(Rc::new(made))
            }
            Some(Block::Method(method)) => Some(Rc::new(Proc {
                body: ProcBody::Method(*method),
                lambda: true,
                home: None,
                within: None,
            })),
            Some(Block::Given(value)) => match self.eval(value)? {
                V::Nil => None,
                V::Proc(given) => Some(given),
                _ => return Err(ForRuby("a block that is no lambda").into()),
            },
            Some(Block::Passed) => self.passed.last().cloned(),
        })
    }

    /// Runs the block that was handed on last.
    pub(super) fn yield_passed(&mut self, values: Vec<V<'c>>) -> Done<'c> {
        let given = self.passed.last().cloned().ok_or(ForRuby("a block that is not there"))?;
        self.call_proc(&given, values)
    }

    /// `yield`
    pub(super) fn yield_to_block(&mut self, values: Vec<V<'c>>) -> Done<'c> {
        let block = self.frame.block.clone().ok_or(ForRuby("`yield` without a block"))?;
        self.call_proc(&block, values)
    }

    /// Calls a lambda or block.
    pub(crate) fn call_proc(&mut self, given: &Rc<Proc<'c>>, values: Vec<V<'c>>) -> Done<'c> {
        self.call_proc_with(given, Arguments::from(values))
    }

    /// Calls it with arguments the last of which may be keywords.
    pub(super) fn call_proc_with(&mut self, given: &Rc<Proc<'c>>, arguments: Arguments<'c>) -> Done<'c> {
        let body = match given.body {
            ProcBody::Block(body) => body,
            ProcBody::Method(method) => {
                let mut values = arguments.values.into_iter();
                let on = values.next().ok_or(ForRuby("a method without a receiver"))?;
                return methods::call(self, on, method, &values.collect::<Vec<_>>(), None);
            }
            ProcBody::Puppet(closure) => {
                let values: OrRuby<Vec<Value<'c>>> =
                    arguments.values.iter().map(|value| value.to_value(self.vm)).collect();
                let values = values?;
                let asked = Asked::Block(values.clone());
                return self.asked_once(asked, |run| run.vm.call(closure, &values)).map(V::from);
            }
        };
        let home = given.home.clone().ok_or(ForRuby("a block from nowhere"))?;
        if given.within.is_some_and(|within| !self.is_alive(within)) {
            return Err(ForRuby("a block that is called later").into());
        }
        if self.is_alive(home.serial) {
            // What it has of its own may be in use, where it calls itself.
            let own = home.base + body.own.0 as usize..home.base + body.own.1 as usize;
            let saved = self.stack.locals[own.clone()].to_vec();
            let result = self.back_in(home, |run| run.enter_proc(given, body, arguments));
            for (local, value) in self.stack.locals[own].iter_mut().zip(saved) {
                *local = value;
            }
            return result;
        }
        match body.captures {
            Captures::Nothing => self.in_frame(home, |run| run.enter_proc(given, body, arguments)),
            Captures::Method | Captures::Block => Err(ForRuby("locals of a method that has ended").into()),
        }
    }

    /// Runs the block of a function of the 3.x interface in the frame that has the locals around it.
    pub(crate) fn enter_old_function(&mut self, given: &Rc<Proc<'c>>, args: V<'c>) -> Done<'c> {
        let ProcBody::Block(body) = given.body else {
            return Err(ForRuby("a function that is made otherwise").into());
        };
        self.enter_proc(given, body, vec![args].into())
    }

    fn enter_proc(
        &mut self,
        given: &Rc<Proc<'c>>,
        body: &'c BlockBody,
        arguments: Arguments<'c>,
    ) -> Done<'c> {
        if !given.lambda {
            self.give_all(body, arguments.values)?;
            return self.run(body);
        }
        self.enter(body);
        match &body.full {
            Some(params) => self.bind(params, arguments)?,
            None if body.params.len() == arguments.values.len() => {
                self.assign_many(&body.params, arguments.values)?;
            }
            None => return Err(ForRuby("arguments of a lambda").into()),
        }
        let returns = self.next_serial();
        self.frame.returns = returns;
        self.run(body).or_else(|stop| stop.land(BlockExit::Return(returns)))
    }
}
