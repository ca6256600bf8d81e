//! Statements, insertions and conditions: what is evaluated without a value of its own being made.

use super::{Done, Run, Unwind};
use crate::for_ruby::OrRuby;
use crate::tree::Expr;
use crate::value::text;

impl<'c> Run<'_, 'c> {
    /// Evaluates an expression for its effects.
    #[inline]
    pub(crate) fn statement(&mut self, node: &'c Expr) -> Done<'c, ()> {
        match node {
            Expr::Nil => Ok(()),
            Expr::Text(text) => Ok(self.put(text)?),
            node => self.composed_statement(node),
        }
    }

    #[inline(never)]
    fn composed_statement(&mut self, node: &'c Expr) -> Done<'c, ()> {
        self.used.enter()?;
        let done = match node {
            Expr::Sequence(nodes) => nodes.iter().try_for_each(|node| self.statement(node)),
            Expr::If(parts) => {
                let (condition, then, other) = &**parts;
                match self.truth(condition) {
                    Ok(truth) => self.statement(if truth { then } else { other }),
                    Err(stop) => Err(stop),
                }
            }
            Expr::Insert(value) => self.insert(value),
            Expr::SetLocal(slot, value) => self.eval(value).map(|value| self.set_local(*slot, value)),
            Expr::Call(call) => self.call(call).map(drop),
            node => self.eval(node).map(drop),
        };
        self.used.leave();
        done
    }

    /// Puts out the text of a value.
    pub(crate) fn insert(&mut self, node: &'c Expr) -> Done<'c, ()> {
        match node {
            Expr::Variable(number) => {
                self.look_up(*number)?;
                text::put(&mut self.out, self.variables.seen[*number as usize].value())?;
            }
            Expr::Local(slot) => {
                text::put(&mut self.out, &self.stack.locals[self.frame.base + *slot as usize])?
            }
            node => {
                let value = self.eval(node)?;
                text::put(&mut self.out, &value)?;
            }
        }
        Ok(self.limit()?)
    }

    /// Whether an expression is true.
    pub(crate) fn truth(&mut self, node: &'c Expr) -> Done<'c, bool> {
        self.used.enter()?;
        let truth = match node {
            Expr::Variable(number) => {
                self.variable(*number).map(|value| value.truthy()).map_err(Unwind::from)
            }
            Expr::Local(slot) => Ok(self.local(*slot).truthy()),
            Expr::Not(value) => self.truth(value).map(|truth| !truth),
            Expr::And(pair) => match self.truth(&pair.0) {
                Ok(true) => self.truth(&pair.1),
                other => other,
            },
            Expr::Or(pair) => match self.truth(&pair.0) {
                Ok(false) => self.truth(&pair.1),
                other => other,
            },
            Expr::Call(call) => self.call(call).map(|value| value.truthy()),
            Expr::Key(on, key) => self.at_key(on, key).map(|value| value.truthy()),
            node => self.eval(node).map(|value| value.truthy()),
        };
        self.used.leave();
        truth
    }

    /// Puts text of the template out.
    #[inline]
    fn put(&mut self, text: &str) -> OrRuby<()> {
        self.out.push_str(text);
        self.limit()
    }
}
