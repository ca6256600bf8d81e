//! Expressions that are seldom met.

use super::stop::{Jump, Stop};
use super::{Done, LARGEST, Last, Renderer};
use crate::compare::case_equal;
use crate::methods::{self, Method};
use crate::tree::{Node, Options};
use crate::value::{Ask, Map, V};
use crate::{budget, text};
use bunraku_vm::regex;
use std::cell::RefCell;
use std::rc::Rc;

/// Ranges go no further, so that their ends can be added to.
const FURTHEST: u64 = 1 << 40;

impl<'c> Renderer<'_, 'c> {
    /// Expressions that are seldom met.
    pub(super) fn rare(&mut self, node: &'c Node) -> Done<'c> {
        Ok(match node {
            Node::Fresh(value) => {
                let value = self.eval(value)?;
                match value.text() {
                    Some(text) => V::made(text.to_owned()),
                    None => value,
                }
            }
            Node::Join(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    let piece = self.eval(piece)?;
                    text::put(&mut text, &piece)?;
                }
                V::made(text)
            }
            Node::Regexp(source, options) => self.regexp(source, *options)?,
            Node::Array(items) => V::list(self.values(items)?),
            Node::Hash(pairs) => {
                let mut map = Map::default();
                for (key, value) in pairs {
                    let key = self.eval(key)?;
                    let value = self.eval(value)?;
                    map.set(key, value)?;
                }
                V::Map(Rc::new(RefCell::new(map)))
            }
            Node::Range(ends, open) => match (self.eval(&ends.0)?, self.eval(&ends.1)?) {
                (V::Int(from), V::Int(to)) if from.abs_diff(0).max(to.abs_diff(0)) < FURTHEST => {
                    V::Range(from, to, *open)
                }
                _ => return Err(Ask("a range of other than integers").into()),
            },
            Node::While(parts, wanted) => {
                let (condition, body) = &**parts;
                loop {
                    self.used.spend(1)?;
                    if self.truth(condition)? != *wanted {
                        break V::Nil;
                    }
                    if let Err(stop) = self.statement(body) {
                        break stop.land(Jump::Break)?;
                    }
                }
            }
            Node::Case(case) => {
                let subject = case.subject.as_ref().map(|subject| self.eval(subject)).transpose()?;
                for (patterns, body) in &case.branches {
                    for pattern in patterns {
                        let pattern = self.eval(pattern)?;
                        let met = match &subject {
                            Some(subject) => self.case_equal(&pattern, subject)?,
                            None => pattern.truthy(),
                        };
                        if met {
                            return self.eval(body);
                        }
                    }
                }
                self.eval(&case.otherwise)?
            }
            Node::AppendLocal(slot, value) => {
                let value = self.eval(value)?;
                let slot = *slot as usize;
                if let V::Made(text) = &mut self.locals[slot] {
                    let added = value.text().ok_or(Ask("`<<` of other than a string"))?;
                    // Only where nothing else knows the string.
                    let text = Rc::get_mut(text).ok_or(Ask("a change of a string that others know"))?;
                    budget::made(added.len());
                    if text.len() + added.len() > LARGEST {
                        return Err(Ask("much text").into());
                    }
                    text.push_str(added);
                    return Ok(V::Void);
                }
                let list = self.locals[slot].clone();
                methods::call(self, list, Method::Append, &[value], None)?
            }
            Node::Group(number) => match &self.last {
                Last::Known(groups) => {
                    groups.as_ref().and_then(|groups| groups.get(*number).cloned()).unwrap_or(V::Nil)
                }
                Last::Unknown => return Err(Ask("groups of a match").into()),
            },
            Node::Next(value) => return Err(Stop::jump(Jump::Next, self.eval(value)?)),
            Node::Break(value) => return Err(Stop::jump(Jump::Break, self.eval(value)?)),
            Node::Return(value) => return Err(Stop::jump(Jump::Return, self.eval(value)?)),
            Node::Rescue(parts, slot) => match self.eval(&parts.0) {
                Err(stop) if stop.is_raise() => {
                    if let Some(slot) = slot {
                        self.locals[*slot as usize] = V::Void;
                    }
                    self.eval(&parts.1)?
                }
                other => other?,
            },
            Node::Define(number) => {
                self.own.defined.push(*number);
                V::Void
            }
            Node::CallOwn(number, args) => self.call_own(*number, args)?,
            Node::Splat(_) => return Err(Ask("a splat").into()),
            Node::Ask(number) => {
                self.reason = Some(*number);
                return Err(Ask("what is not known").into());
            }
            _ => return Err(Ask("an expression").into()),
        })
    }

    /// `===` of `case`, which keeps the groups of a match.
    fn case_equal(&mut self, pattern: &V<'c>, subject: &V<'c>) -> Done<'c, bool> {
        if self.names_groups() && matches!(pattern, V::Regexp(_)) && subject.text().is_some() {
            let place =
                methods::call(self, pattern.clone(), Method::Matches, std::slice::from_ref(subject), None)?;
            return Ok(place.truthy());
        }
        Ok(case_equal(pattern, subject)?)
    }

    fn regexp(&mut self, source: &'c Node, options: Options) -> Done<'c> {
        let source = match source {
            Node::String(text) => text.to_string(),
            Node::Join(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    let piece = self.eval(piece)?;
                    text::put(&mut text, &piece)?;
                }
                text
            }
            _ => return Err(Ask("a regular expression").into()),
        };
        let source = regex::with_options(&source, options.ignore_case, options.multiline, options.extended);
        regex::check(&source).map_err(|_| Ask("a regular expression that is not understood"))?;
        Ok(V::Regexp(source.into()))
    }
}
