//! Locals of the body that a function of the 3.x interface is defined in: its block uses them when that body has long ended.
//! They are kept as the body has left them. What a call would change of them is Ruby's, where the next call sees it.

use super::definition::OldFunction;
use crate::eval::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::tree::Captures;
use crate::value::object::ProcBody;
use crate::value::{V, compare};
use crate::world::WorkerState;
use std::rc::Rc;

const CHANGE: ForRuby = ForRuby("a local around a function that it changes");

impl<'c> Run<'_, 'c> {
    /// Takes note of a function whose block uses locals of the body that runs.
    pub(crate) fn note_around(&mut self, function: &Rc<OldFunction<'c>>) {
        if let ProcBody::Block(body) = function.body.body
            && body.captures == Captures::Method
        {
            self.defining.around.push((self.frame.serial, function.clone()));
        }
    }

    /// Keeps the locals of the body that ends here for the functions that it has defined, as far as nobody can change them.
    pub(crate) fn keep_around(&mut self) {
        let serial = self.frame.serial;
        for (_, function) in self.defining.around.extract_if(.., |(of, _)| *of == serial).collect::<Vec<_>>()
        {
            let ProcBody::Block(body) = function.body.body else { continue };
            let locals: Vec<V<'c>> = (0..body.own.0).map(|slot| self.local(slot).clone()).collect();
            if locals.iter().all(keep) {
                let _ = function.around.set(locals);
            }
        }
    }

    /// Runs the body of a function with its arguments.
    pub(crate) fn run_old_function(&mut self, function: &OldFunction<'c>, args: V<'c>) -> Done<'c> {
        let home = function.body.home.as_ref().filter(|home| !self.is_alive(home.serial));
        // A worker may have changed its own.
        let around = function.around.get().filter(|_| self.world.worker() == WorkerState::None);
        let (Some(around), Some(home)) = (around, home) else {
            return self.call_proc(&function.body, vec![args]);
        };
        self.in_frame(home.clone(), |run| {
            (0..).zip(around).for_each(|(slot, value)| run.set_local(slot, value.clone()));
            let result = run.enter_old_function(&function.body, args);
            match (0..).zip(around).all(|(slot, value)| is_as_before(value, run.local(slot))) {
                true => result,
                false => Err(CHANGE.into()),
            }
        })
    }
}

/// Lets nobody change a value; whether that can be said of it.
fn keep(value: &V<'_>) -> bool {
    match value {
        V::Nil
        | V::Bool(_)
        | V::Int(_)
        | V::Big(_)
        | V::Float(_)
        | V::Str(_)
        | V::Symbol(_)
        | V::Range(..) => true,
        V::Regexp(_) | V::Class(_) | V::Module(_) => true,
        V::Made(text) => {
            text.keep();
            true
        }
        V::List(items) => {
            items.keep();
            items.try_borrow().is_ok_and(|items| items.iter().all(keep))
        }
        V::Map(map) => {
            map.keep();
            let is_plain = map.try_borrow().is_ok_and(|map| map.default_block.is_none());
            let entries = value.entries().ok().flatten().filter(|_| is_plain);
            entries.is_some_and(|entries| entries.iter().all(|(key, value)| keep(key) && keep(value)))
        }
        _ => false,
    }
}

/// Whether a local still has the value that was kept for it.
fn is_as_before<'c>(kept: &V<'c>, now: &V<'c>) -> bool {
    if let Some(one) = compare::is_one_made(kept, now) {
        return one;
    }
    match (kept, now) {
        (V::Regexp(a), V::Regexp(b)) => Rc::ptr_eq(a, b),
        (V::Module(a), V::Module(b)) => Rc::ptr_eq(a, b),
        (V::Class(a), V::Class(b)) => a == b,
        (V::Nil, V::Nil) => true,
        (V::Bool(a), V::Bool(b)) => a == b,
        (V::Int(a), V::Int(b)) => a == b,
        (V::Big(a), V::Big(b)) => a == b,
        (V::Float(a), V::Float(b)) => a.to_bits() == b.to_bits(),
        (V::Str(a), V::Str(b)) | (V::Symbol(a), V::Symbol(b)) => a == b,
        (V::Range(a, b, open), V::Range(c, d, other)) => (a, b, open) == (c, d, other),
        _ => false,
    }
}
