//! Statements, insertions and conditions: what is evaluated without a value of its own being made.

use super::{Done, Run, Unwind};
use crate::for_ruby::OrRuby;
use crate::method::Method;
use crate::methods;
use crate::tree::{Expr, MethodCall};
use crate::value::{V, text};

impl<'c> Run<'_, 'c> {
    /// Evaluates an expression for its effects.
    #[inline]
    pub(crate) fn statement(&mut self, node: &'c Expr) -> Done<'c, ()> {
        match node {
            Expr::Nil => Ok(()),
            Expr::Text(text) => Ok(self.put(text)?),
            Expr::Unread(_, false) if !self.space.has_other_puppet() => Ok(()),
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
            Expr::Call(call) => match self.matches_in_place(call) {
                Some(matches) => matches,
                None => self.call(call).map(|value| value.truthy()),
            },
            Expr::Key(on, key) => self.at_key(on, key).map(|value| value.truthy()),
            node => self.eval(node).map(|value| value.truthy()),
        };
        self.used.leave();
        truth
    }

    /// Whether a local matches another one, or a literal, where both are a text and an expression and nobody names groups: what it
    /// matches is not needed then.
    #[inline]
    fn matches_in_place(&mut self, call: &'c MethodCall) -> Option<Done<'c, bool>> {
        if !matches!(call.method, Method::Match | Method::Matches) || call.safe || call.block.is_some() {
            return None;
        }
        let (Some(Expr::Local(on)), [to]) = (&call.receiver, &*call.args) else { return None };
        let to = match to {
            Expr::Local(slot) => self.local(*slot).clone(),
            Expr::Regexp(source, _) if matches!(**source, Expr::String(_)) => match self.eval(to) {
                Ok(to) => to,
                Err(stop) => return Some(Err(stop)),
            },
            _ => return None,
        };
        let (expression, text) = match (self.local(*on), &to) {
            (V::Regexp(expression), text @ (V::Str(_) | V::Made(_)))
            | (text @ (V::Str(_) | V::Made(_)), V::Regexp(expression))
                if !self.names_groups() =>
            {
                (expression, text.text()?)
            }
            _ => return None,
        };
        if let Err(long) = methods::spend_on_match() {
            return Some(Err(long.into()));
        }
        // What fails is said by the method.
        let matches = expression.is_match(&text);
        drop(text);
        self.forget_last();
        Some(Ok(matches.ok()?))
    }

    /// Puts text of the template out.
    #[inline]
    fn put(&mut self, text: &str) -> OrRuby<()> {
        self.out.push_str(text);
        self.limit()
    }
}
