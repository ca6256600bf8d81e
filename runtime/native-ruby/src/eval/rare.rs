//! Expressions that are seldom met.

use super::params::Arguments;
use super::stop::{BlockExit, Unwind};
use super::{Done, LastMatch, Run};
use crate::for_ruby::ForRuby;
use crate::method::Method;
use crate::methods;
use crate::tree::{Case, Expr, RegexpOptions};
use crate::value::compare::{case_equal, must_order};
use crate::value::text;
use crate::value::{HashValue, Regexp, V};
use std::rc::Rc;

/// Bound of a range's ends: sums with them don't overflow.
const FURTHEST: u64 = 1 << 40;

impl<'c> Run<'_, 'c> {
    /// Expressions that are seldom met.
    pub(crate) fn rare(&mut self, node: &'c Expr) -> Done<'c> {
        Ok(match node {
            Expr::Fresh(value) => {
                let value = self.eval(value)?;
                let copy = value.text().map(|text| V::made((*text).to_owned()));
                copy.unwrap_or(value)
            }
            Expr::Regexp(source, options) => self.regexp(node, source, *options)?,
            Expr::Hash(pairs) => self.hash(pairs)?,
            Expr::Range(ends, open) => match (self.eval(&ends.0)?, self.eval(&ends.1)?) {
                (V::Int(from), V::Int(to)) if from.abs_diff(0).max(to.abs_diff(0)) < FURTHEST => {
                    V::Range(from, to, *open)
                }
                (V::Int(_), V::Int(_)) => return Err(ForRuby("a range of large integers").into()),
                (
                    from @ (V::Nil | V::Int(_) | V::Float(_) | V::Str(_) | V::Made(_)),
                    to @ (V::Nil | V::Int(_) | V::Float(_) | V::Str(_) | V::Made(_)),
                ) => {
                    if !matches!((&from, &to), (V::Nil, _) | (_, V::Nil)) {
                        must_order(&from, &to)?;
                    }
                    V::Span(Rc::new((from, to, *open)))
                }
                _ => return Err(ForRuby("a range of other than integers").into()),
            },
            Expr::While(parts, wanted) => self.repeat(parts, *wanted)?,
            Expr::Case(case) => return self.case(case),
            Expr::AppendLocal(slot, value) => self.append(*slot, value)?,
            Expr::Group(number) => match &self.last {
                LastMatch::Known(groups) => {
                    groups.as_ref().and_then(|groups| groups.get(*number).cloned()).unwrap_or(V::Nil)
                }
                LastMatch::Unknown => return Err(ForRuby("groups of a match").into()),
            },
            Expr::Next(value) => return Err(Unwind::jump(BlockExit::Next, self.eval(value)?)),
            Expr::Break(value, block) => {
                let exit = BlockExit::Break(*block, self.frame.serial);
                return Err(Unwind::jump(exit, self.eval(value)?));
            }
            Expr::Return(value) => {
                let exit = BlockExit::Return(self.frame.returns);
                return Err(Unwind::jump(exit, self.eval(value)?));
            }
            Expr::Rescue(rescue) => self.rescue(rescue)?,
            Expr::Ensure(parts) => self.ensure(parts)?,
            Expr::Define(number, singleton) => match self.define(*number, *singleton)? {
                _ if self.is_template() => V::Void,
                name => name,
            },
            Expr::SetConstant(path, value) => {
                let value = self.eval(value)?;
                self.set_constant(path, value.clone())?;
                value
            }
            Expr::Module(number, class, parent) => self.module(*number, *class, parent)?,
            Expr::Singleton(number) => self.singleton(*number)?,
            Expr::Yield(args) => {
                let values = self.values(args)?;
                self.yield_to_block(values)?
            }
            Expr::Super(args) => self.super_method(args.as_deref())?,
            Expr::Lambda(body) => V::Proc(Rc::new(self.proc_of(body, true))),
            Expr::IsDefined(named) => self.is_defined(named)?,
            Expr::Splat(_) => return Err(ForRuby("a splat").into()),
            Expr::Unsupported(number) => {
                self.left.reason = Some(*number);
                self.left.reason_program = Some(self.frame.program);
                return Err(ForRuby("what is not known").into());
            }
            _ => return Err(ForRuby("an expression").into()),
        })
    }

    /// `"a#{b}"`
    pub(super) fn joined(&mut self, pieces: &'c [Expr]) -> Done<'c> {
        let mut text = String::with_capacity(32);
        for piece in pieces {
            match piece {
                Expr::String(piece) => text.push_str(piece),
                piece => {
                    let piece = self.eval(piece)?;
                    self.put_text(&mut text, &piece)?;
                }
            }
        }
        Ok(V::made(text))
    }

    /// Appends what `to_s` gives, which may be a method that code defines.
    fn put_text(&mut self, out: &mut String, value: &V<'c>) -> Done<'c, ()> {
        let V::Object(object) = value else { return Ok(text::put(out, value)?) };
        let (owner, method) = object.class.find("to_s").ok_or(ForRuby("the notation of an object"))?;
        let made = self.call_method(value.clone(), (Some(owner), &method), Arguments::default())?;
        out.push_str(&made.text().ok_or(ForRuby("a `to_s` that gives no text"))?);
        Ok(())
    }

    fn hash(&mut self, pairs: &'c [(Expr, Expr)]) -> Done<'c> {
        let mut map = HashValue::default();
        for (key, value) in pairs {
            if let Expr::Splat(hash) = key {
                let hash = self.eval(hash)?;
                for (key, value) in hash.entries()?.ok_or(ForRuby("`**` of other than a hash"))? {
                    map.set(key, value)?;
                }
                continue;
            }
            let key = self.eval(key)?;
            let value = self.eval(value)?;
            map.set(key, value)?;
        }
        Ok(V::hash(map))
    }

    /// Runs a body as long as its condition is as `wanted`.
    fn repeat(&mut self, (condition, body): &'c (Expr, Expr), wanted: bool) -> Done<'c> {
        loop {
            self.used.spend(1)?;
            if self.truth(condition)? != wanted {
                return Ok(V::Nil);
            }
            if let Err(stop) = self.statement(body) {
                return stop.land(BlockExit::Break(0, self.frame.serial));
            }
        }
    }

    fn case(&mut self, case: &'c Case) -> Done<'c> {
        let subject = case.subject.as_ref().map(|subject| self.eval(subject)).transpose()?;
        for (patterns, body) in &case.branches {
            for pattern in patterns {
                let pattern = match pattern {
                    Expr::Splat(list) => {
                        let items = self.eval(list)?.spread()?;
                        if self.any_met(&items, subject.as_ref())? {
                            return self.eval(body);
                        }
                        continue;
                    }
                    pattern => self.eval(pattern)?,
                };
                let met = match &subject {
                    Some(subject) => self.case_equal(&pattern, subject)?,
                    None => pattern.truthy(),
                };
                if met {
                    return self.eval(body);
                }
            }
        }
        self.eval(&case.otherwise)
    }

    fn any_met(&mut self, patterns: &[V<'c>], subject: Option<&V<'c>>) -> Done<'c, bool> {
        for pattern in patterns {
            let met = match subject {
                Some(subject) => self.case_equal(pattern, subject)?,
                None => pattern.truthy(),
            };
            if met {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// `<<` of a local variable: of a string that nothing else knows, or of an array.
    fn append(&mut self, slot: u32, value: &'c Expr) -> Done<'c> {
        let value = self.eval(value)?;
        let list = self.local(slot).clone();
        if let V::Object(object) = &list
            && let Some((owner, method)) = object.class.find("<<")
        {
            return self.call_method(list, (Some(owner), &method), Arguments::from(vec![value]));
        }
        methods::call(self, list, Method::Append, &[value], None)
    }

    /// `===` of `case`, which keeps the groups of a match.
    fn case_equal(&mut self, pattern: &V<'c>, subject: &V<'c>) -> Done<'c, bool> {
        if self.names_groups() && matches!(pattern, V::Regexp(_)) && subject.text().is_some() {
            let place =
                methods::call(self, pattern.clone(), Method::Matches, std::slice::from_ref(subject), None)?;
            return Ok(place.truthy());
        }
        if let V::Object(object) = pattern
            && let Some((owner, method)) = object.class.find("===")
        {
            let given = Arguments::from(vec![subject.clone()]);
            return Ok(self.call_method(pattern.clone(), (Some(owner), &method), given)?.truthy());
        }
        if let V::Proc(given) = pattern {
            return Ok(self.call_proc(given, vec![subject.clone()])?.truthy());
        }
        Ok(case_equal(pattern, subject)?)
    }

    /// A regular expression: one whose source is plain is made once, as in Ruby.
    fn regexp(&mut self, node: &'c Expr, source: &'c Expr, options: RegexpOptions) -> Done<'c> {
        let literal = matches!(source, Expr::String(_));
        if literal && let Some(made) = self.space.literals.regexp(node) {
            return Ok(V::Regexp(made));
        }
        let source = match source {
            Expr::String(text) => text.to_string(),
            Expr::Join(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    let piece = self.eval(piece)?;
                    self.put_text(&mut text, &piece)?;
                }
                text
            }
            _ => return Err(ForRuby("a regular expression").into()),
        };
        let letter = |on, letter| if on { letter } else { 0 };
        let options = letter(options.ignore_case, Regexp::IGNORE_CASE)
            | letter(options.multiline, Regexp::MULTILINE)
            | letter(options.extended, Regexp::EXTENDED);
        let regexp = Regexp::new(&source, options);
        regexp.check().map_err(|_| ForRuby("a regular expression that is not understood"))?;
        let regexp = Rc::new(regexp);
        if literal {
            self.space.literals.keep_regexp(node, &regexp);
        }
        Ok(V::Regexp(regexp))
    }
}
