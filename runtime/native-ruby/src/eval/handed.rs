//! Blocks that code hands to functions of Puppet's: `call_function('map', list) { |x| … }`. The run waits for the function
//! then, and a call of the block goes on where it waits, with its locals.

use super::{Beginning, Done, LastMatch, Run, Stack, Unwind};
use crate::erb::templating::Templating;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::functions::definition::NewFunction;
use crate::functions::journal::{Asked, Journal};
use crate::tree::{AssignTarget, BlockBody};
use crate::value::object::{Proc, ProcBody};
use crate::value::{Frame, V};
use crate::world::NativeWorld;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::rc::Rc;

/// A run that waits.
pub(crate) struct Waiting<'c> {
    given: Rc<Proc<'c>>,
    scope: &'c Scope<'c>,
    frame: Frame<'c>,
    stack: Stack<'c>,
    journal: Option<Journal<'c>>,
    function: Option<Rc<NewFunction<'c>>>,
    /// How the block has ended, if it gave no value.
    ended: Option<Unwind<'c>>,
}

/// Functions of Puppet's that do nothing but call the block, so that they may be called again from the begin.
const ITERATING: &[&str] = &[
    "all",
    "any",
    "each",
    "filter",
    "group_by",
    "index",
    "lest",
    "map",
    "partition",
    "reduce",
    "reverse_each",
    "slice",
    "stdlib::rewrap_sensitive_data",
    "step",
    "then",
    "tree_each",
    "with",
];

/// The kinds of a block's parameters, each a letter: `?` optional, `*` the rest.
fn kinds(body: &BlockBody) -> OrRuby<String> {
    if body.full.is_some() {
        return Err(ForRuby("a block with such parameters for a function"));
    }
    Ok(body
        .params
        .iter()
        .map(|param| if matches!(param, AssignTarget::Rest(_)) { '*' } else { '?' })
        .collect())
}

impl<'c> Run<'_, 'c> {
    /// Calls a function of Puppet's with a block of Ruby's.
    pub(super) fn call_with_block(
        &mut self,
        (name, scope): (&str, &'c Scope<'c>),
        args: Vec<Value<'c>>,
        given: Rc<Proc<'c>>,
    ) -> Done<'c> {
        let ProcBody::Block(body) = given.body else {
            return Err(ForRuby("a block of another form for a function").into());
        };
        if !ITERATING.contains(&name) {
            return Err(ForRuby("a block of Ruby for such a function").into());
        }
        let kinds = kinds(body)?;
        self.may_ask()?;
        let number = self.engine.waiting.borrow().len() as i64;
        let closure = self.asked(|run| run.world.lambda(run.vm, (number, &kinds), scope))?;
        if let Some(journal) = &mut self.journal {
            journal.note(Asked::Begun(name.to_owned(), args.clone()), &Ok(Value::Undef));
        }
        self.engine.waiting.borrow_mut().push(Waiting {
            given,
            scope: self.scope,
            frame: self.frame.clone(),
            stack: std::mem::take(&mut self.stack),
            journal: self.journal.take(),
            function: self.function.clone(),
            ended: None,
        });
        let function = self.function.clone();
        let (from, owner) = NewFunction::asking(function.as_ref());
        let used = self.used;
        let answer = used
            .apart(|| self.world.call_function(self.vm, (name, owner), from, (&args, Some(closure)), scope));
        let waited = self.engine.waiting.borrow_mut().pop().ok_or(ForRuby("a run that is gone"))?;
        self.stack = waited.stack;
        self.journal = waited.journal;
        // The block may have matched something.
        self.last = LastMatch::Unknown;
        match waited.ended {
            Some(stop) => Err(stop),
            None => self.asked(|_| answer).map(V::from),
        }
    }
}

impl<'c> Waiting<'c> {
    /// What a block of the run goes on with; what it is to have again afterwards is taken out.
    fn take(&mut self) -> Waiting<'c> {
        Waiting {
            given: self.given.clone(),
            scope: self.scope,
            frame: self.frame.clone(),
            stack: std::mem::take(&mut self.stack),
            journal: self.journal.take(),
            function: self.function.clone(),
            ended: None,
        }
    }
}

impl<'c> Templating<'c> {
    /// Calls the block of a run that waits, by its number.
    ///
    /// # Errors
    /// A stand-in for whatever the block ends with that is no value: the run goes on with that when the function that it
    /// waits for has ended.
    pub fn call_block(
        &self,
        world: &dyn NativeWorld<'c>,
        vm: &mut Vm<'c>,
        (number, args): (i64, &[Value<'c>]),
    ) -> Eval<'c> {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        let gone = || Flow::raw("a block of a function that has ended");
        let Some(taken) = self.waiting.borrow_mut().get_mut(place).map(Waiting::take) else {
            return Err(gone());
        };
        let Waiting { given, scope, frame, stack, journal, function, ended: _ } = taken;
        let program = frame.program;
        let begin = Beginning { engine: self, world, vm, scope, program, this: frame.this.clone(), journal };
        super::run(begin, |run| {
            run.frame = frame;
            run.stack = stack;
            run.function = function;
            run.last = LastMatch::Unknown;
            let values = args.iter().map(|arg| V::from(*arg)).collect();
            let result = run.call_proc(&given, values).and_then(|value| Ok(run.result(&value)?));
            let mut waiting = self.waiting.borrow_mut();
            let Some(waiting) = waiting.get_mut(place) else { return Err(gone()) };
            waiting.stack = std::mem::take(&mut run.stack);
            waiting.journal = run.journal.take();
            result.map_err(|stop| {
                waiting.ended = Some(stop);
                Flow::raw("a block has ended")
            })
        })
    }
}
