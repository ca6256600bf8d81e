//! Exceptions that functions in Ruby have raised and not rescued: how they are told to the compile, and what another
//! function in Ruby rescues of them.

use super::journal::Called;
use crate::space::Space;
use crate::value::object::ErrorValue;
use crate::value::{Class, V};
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::Flow;
use bunraku_vm::raised::{Raised, RaisedObject};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// How many exceptions are kept: what calls a function knows of its error at once, or when it has passed those between.
const KEPT: u32 = 256;

/// Exceptions that have left a function, by number: the last that have.
#[derive(Default)]
pub(crate) struct RaisedErrors<'c> {
    last: RefCell<VecDeque<Rc<ErrorValue<'c>>>>,
    /// How many there were before those.
    gone: Cell<u32>,
}

impl<'c> RaisedErrors<'c> {
    /// The exception of a number; none where it is not kept any more.
    pub fn of(&self, number: u32) -> Option<Rc<ErrorValue<'c>>> {
        let place = number.checked_sub(self.gone.get())?;
        self.last.borrow().get(place as usize).cloned()
    }

    /// Drops all that lies on the heap.
    pub fn release(&self) {
        self.last.take();
    }

    fn keep(&self, error: &Rc<ErrorValue<'c>>) -> RaisedObject {
        let mut last = self.last.borrow_mut();
        if last.len() as u32 == KEPT {
            last.pop_front();
            self.gone.set(self.gone.get() + 1);
        }
        last.push_back(error.clone());
        RaisedObject::Native(self.gone.get() + last.len() as u32 - 1)
    }

    /// How an exception that nothing has rescued is told; none where Ruby has to raise it.
    pub fn told(&self, space: &Space<'c>, error: &Rc<ErrorValue<'c>>) -> Option<Called<'c>> {
        if let Some(flow) = error.carried.take() {
            return Some(Called::Left(flow));
        }
        let class = error.class.builtin();
        if !Class::StandardError.covers(class) || Class::NameError.covers(class) {
            return None;
        }
        let message = match error.message() {
            V::Symbol(name) => name.to_owned(),
            message => message.text()?.to_string(),
        };
        let place = match &error.details[..] {
            [] => None,
            [file, line] if Class::ParseError.covers(class) => match (file.text(), line) {
                (Some(file), V::Int(line)) => {
                    let (file, line) = (Some((*file).into()), Some(u32::try_from(*line).ok()?));
                    Some(Place { file, line, column: None })
                }
                _ => return None,
            },
            _ => return None,
        };
        let flow = match place {
            Some(place) => Flow::formed(Diagnostic::error(message).at(place)),
            None if Class::LookupError.covers(class) => {
                Flow::formed(Diagnostic::error(message).because(Cause::LookUp))
            }
            None if Class::PreformattedError.covers(class) => Flow::formed(Diagnostic::error(message)),
            // Within a look-up it is that one's error.
            None if Class::PuppetError.covers(class) => Flow::raw(message),
            None => Flow::of_ruby(message),
        };
        // Of a class that code has defined the worker is told the nearest above that it knows, too.
        let at = error.raised_at.get().filter(|(_, line)| *line > 0);
        let at = at.and_then(|(program, line)| Some(format!("{}:{line}", space.file_of(program)?.display())));
        let raised = Raised {
            class: class.name().into(),
            object: Some(self.keep(error)),
            at: at.map(String::into_boxed_str),
        };
        Some(Called::Left(flow.raised_as(raised)))
    }
}
