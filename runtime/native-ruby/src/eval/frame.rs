//! The frames that are there: their locals, and the change from one to another.

use super::{LastMatch, Run};
use crate::value::{Frame, V};

/// Locals of all frames that are there, and the frames' serials, in order.
#[derive(Default)]
pub(crate) struct Stack<'c> {
    pub locals: Vec<V<'c>>,
    pub alive: Vec<u64>,
    /// The last matches of those frames. That of the frame that code runs in is not here but in the run.
    pub lasts: Vec<LastMatch<'c>>,
}

impl Stack<'_> {
    /// The place of the frame of a serial among those that are there. Most that are asked for are one of the last two.
    fn place(&self, serial: u64) -> Option<usize> {
        match *self.alive {
            [.., last] if last == serial => Some(self.alive.len() - 1),
            [.., last, _] if last == serial => Some(self.alive.len() - 2),
            _ => self.alive.binary_search(&serial).ok(),
        }
    }
}

impl<'c> Run<'_, 'c> {
    /// A local of the frame.
    #[inline]
    pub(crate) fn local(&self, slot: u32) -> &V<'c> {
        &self.stack.locals[self.frame.base + slot as usize]
    }

    #[inline]
    pub(crate) fn set_local(&mut self, slot: u32, value: V<'c>) {
        self.stack.locals[self.frame.base + slot as usize] = value;
    }

    /// A number that no frame has had.
    pub(super) fn next_serial(&mut self) -> u64 {
        self.space.next_serial()
    }

    /// Whether the frame of a serial is still there.
    pub(crate) fn is_alive(&self, serial: u64) -> bool {
        self.stack.place(serial).is_some()
    }

    /// Runs something in a new frame, with locals of its own.
    pub(crate) fn in_frame<T>(&mut self, mut frame: Frame<'c>, run: impl FnOnce(&mut Self) -> T) -> T {
        frame.base = self.stack.locals.len();
        frame.serial = self.next_serial();
        frame.returns = frame.serial;
        self.stack.locals.resize(frame.base + frame.program.slots, V::Nil);
        self.stack.alive.push(frame.serial);
        self.stack.lasts.push(LastMatch::Known(None));
        let base = frame.base;
        let outer = self.change_frame(frame);
        let result = run(self);
        self.change_frame(outer);
        self.stack.alive.pop();
        self.stack.lasts.pop();
        self.stack.locals.truncate(base);
        result
    }

    /// Lets code run in another frame, with the last match of that one; gives the frame that it ran in.
    fn change_frame(&mut self, frame: Frame<'c>) -> Frame<'c> {
        let (from, to) = (self.frame.serial, frame.serial);
        if from != to {
            for serial in [from, to] {
                if let Some(place) = self.stack.place(serial) {
                    std::mem::swap(&mut self.last, &mut self.stack.lasts[place]);
                }
            }
        }
        std::mem::replace(&mut self.frame, frame)
    }

    /// Runs something in a frame that is there already.
    pub(crate) fn back_in<T>(&mut self, frame: Frame<'c>, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.change_frame(frame);
        let result = run(self);
        self.change_frame(outer);
        result
    }
}
