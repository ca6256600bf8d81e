//! Statements, insertions and conditions: what is evaluated without a value of its own being made.

use super::{Done, Renderer, Stop};
use crate::text;
use crate::tree::Node;
use crate::value::{Known, V};

impl<'c> Renderer<'_, 'c> {
    /// Evaluates what nobody wants the value of.
    #[inline]
    pub(super) fn statement(&mut self, node: &'c Node) -> Done<'c, ()> {
        match node {
            Node::Nil => Ok(()),
            Node::Text(text) => Ok(self.put(text)?),
            node => self.composed_statement(node),
        }
    }

    #[inline(never)]
    fn composed_statement(&mut self, node: &'c Node) -> Done<'c, ()> {
        self.used.enter()?;
        let done = match node {
            Node::Sequence(nodes) => nodes.iter().try_for_each(|node| self.statement(node)),
            Node::If(parts) => {
                let (condition, then, other) = &**parts;
                match self.truth(condition) {
                    Ok(truth) => self.statement(if truth { then } else { other }),
                    Err(stop) => Err(stop),
                }
            }
            Node::Insert(value) => self.insert(value),
            Node::SetLocal(slot, value) => self.eval(value).map(|value| self.locals[*slot as usize] = value),
            Node::Call(call) => self.call(call).map(drop),
            node => self.eval(node).map(drop),
        };
        self.used.leave();
        done
    }

    /// Puts out the text of a value.
    pub(super) fn insert(&mut self, node: &'c Node) -> Done<'c, ()> {
        match node {
            Node::Variable(number) => {
                self.look_up(*number)?;
                text::put(&mut self.out, self.variables.seen[*number as usize].value())?;
            }
            Node::Local(slot) => text::put(&mut self.out, &self.locals[*slot as usize])?,
            node => {
                let value = self.eval(node)?;
                text::put(&mut self.out, &value)?;
            }
        }
        Ok(self.limit()?)
    }

    /// Whether an expression is true.
    pub(super) fn truth(&mut self, node: &'c Node) -> Done<'c, bool> {
        self.used.enter()?;
        let truth = match node {
            Node::Variable(number) => self.variable(*number).map(V::truthy).map_err(Stop::from),
            Node::Local(slot) => Ok(self.locals[*slot as usize].truthy()),
            Node::Not(value) => self.truth(value).map(|truth| !truth),
            Node::And(pair) => match self.truth(&pair.0) {
                Ok(true) => self.truth(&pair.1),
                other => other,
            },
            Node::Or(pair) => match self.truth(&pair.0) {
                Ok(false) => self.truth(&pair.1),
                other => other,
            },
            Node::Call(call) => self.call(call).map(|value| value.truthy()),
            Node::Key(on, key) => self.at_key(on, key).map(|value| value.truthy()),
            node => self.eval(node).map(|value| value.truthy()),
        };
        self.used.leave();
        truth
    }

    /// Puts text of the template out.
    #[inline]
    fn put(&mut self, text: &str) -> Known<()> {
        self.out.push_str(text);
        self.limit()
    }
}
