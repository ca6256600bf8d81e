//! Statements, insertions and conditions: what is evaluated without a value of its own being made.

use super::super::text;
use super::super::tree::Node;
use super::super::value::Known;
use super::{Done, Renderer};

impl<'c> Renderer<'_, 'c> {
    /// Evaluates what nobody wants the value of.
    pub(super) fn statement(&mut self, node: &'c Node) -> Done<'c, ()> {
        match node {
            Node::Nil => Ok(()),
            Node::Text(text) => Ok(self.put(text)?),
            Node::Sequence(_) | Node::If(_) | Node::Insert(_) | Node::SetLocal(..) => {
                self.used.enter()?;
                let done = self.composed_statement(node);
                self.used.leave();
                done
            }
            node => self.eval(node).map(drop),
        }
    }

    fn composed_statement(&mut self, node: &'c Node) -> Done<'c, ()> {
        match node {
            Node::Sequence(nodes) => nodes.iter().try_for_each(|node| self.statement(node)),
            Node::If(parts) => {
                let (condition, then, other) = &**parts;
                let chosen = if self.truth(condition)? { then } else { other };
                self.statement(chosen)
            }
            Node::Insert(value) => self.insert(value),
            Node::SetLocal(slot, value) => {
                self.locals[*slot as usize] = self.eval(value)?;
                Ok(())
            }
            node => self.eval(node).map(drop),
        }
    }

    /// Puts out the text of a value.
    pub(super) fn insert(&mut self, node: &'c Node) -> Done<'c, ()> {
        match node {
            Node::Variable(number) => {
                self.look_up(*number)?;
                text::put(&mut self.out, self.variables[*number as usize].value())?;
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
        match node {
            Node::Variable(number) => {
                self.look_up(*number)?;
                Ok(self.variables[*number as usize].value().truthy())
            }
            Node::Local(slot) => Ok(self.locals[*slot as usize].truthy()),
            Node::Not(_) | Node::And(_) | Node::Or(_) => {
                self.used.enter()?;
                let truth = self.composed_truth(node);
                self.used.leave();
                truth
            }
            node => Ok(self.eval(node)?.truthy()),
        }
    }

    fn composed_truth(&mut self, node: &'c Node) -> Done<'c, bool> {
        match node {
            Node::Not(value) => Ok(!self.truth(value)?),
            Node::And(pair) => Ok(self.truth(&pair.0)? && self.truth(&pair.1)?),
            Node::Or(pair) => Ok(self.truth(&pair.0)? || self.truth(&pair.1)?),
            node => Ok(self.eval(node)?.truthy()),
        }
    }

    /// Puts text of the template out.
    #[inline]
    fn put(&mut self, text: &str) -> Known<()> {
        self.out.push_str(text);
        self.limit()
    }
}
