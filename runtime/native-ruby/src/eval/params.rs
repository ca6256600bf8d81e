//! Arguments go to parameters: of methods and lambdas, strictly; of blocks, as many as there are.

use super::{Done, Run, Unwind};
use crate::for_ruby::ForRuby;
use crate::tree::{AssignTarget, Params};
use crate::value::object::Proc;
use crate::value::{Class, V};
use std::rc::Rc;

/// What is given to a method or lambda.
#[derive(Default)]
pub(crate) struct Arguments<'c> {
    pub values: Vec<V<'c>>,
    /// Whether the last is a hash of keywords.
    pub keywords: bool,
    pub block: Option<Rc<Proc<'c>>>,
}

impl<'c> From<Vec<V<'c>>> for Arguments<'c> {
    fn from(values: Vec<V<'c>>) -> Self {
        Arguments { values, keywords: false, block: None }
    }
}

impl<'c> Run<'_, 'c> {
    /// Gives arguments to the parameters of a method or lambda, in its frame.
    ///
    /// # Errors
    /// Ruby's `ArgumentError`, where their number is wrong.
    pub(super) fn bind(&mut self, params: &'c Params, given: Arguments<'c>) -> Done<'c, ()> {
        let Arguments { mut values, keywords, block } = given;
        let takes_keywords = !params.keywords.is_empty() || params.keyword_rest.is_some();
        let mut named = V::Nil;
        if keywords && takes_keywords {
            named = values.pop().unwrap_or(V::Nil);
        }
        let least = params.required.len() + params.after.len();
        let most = least + params.optional.len();
        if values.len() < least || values.len() > most && params.rest.is_none() {
            let wanted = match (params.rest.is_some(), most > least) {
                (true, _) => format!("{least}+"),
                (false, true) => format!("{least}..{most}"),
                (false, false) => least.to_string(),
            };
            let message = format!("wrong number of arguments (given {}, expected {wanted})", values.len());
            if takes_keywords {
                return Err(ForRuby("arguments that do not fit").into());
            }
            return Err(Unwind::error(Class::ArgumentError, message));
        }
        self.bind_positional(params, values)?;
        if takes_keywords {
            self.bind_keywords(params, &named)?;
        }
        if let Some(target) = &params.block {
            self.assign(target, block.map_or(V::Nil, V::Proc))?;
        }
        Ok(())
    }

    fn bind_positional(&mut self, params: &'c Params, values: Vec<V<'c>>) -> Done<'c, ()> {
        let behind = params.after.len();
        let mut left = values.len();
        let mut values = values.into_iter();
        for target in &params.required {
            left = left.saturating_sub(1);
            self.assign(target, values.next().unwrap_or(V::Nil))?;
        }
        for (target, default) in &params.optional {
            let value = match left > behind {
                true => {
                    left -= 1;
                    values.next().unwrap_or(V::Nil)
                }
                false => self.eval(default)?,
            };
            self.assign(target, value)?;
        }
        if let Some(rest) = &params.rest {
            let taken = left.saturating_sub(behind);
            self.assign(rest, V::list(values.by_ref().take(taken).collect()))?;
        }
        for target in &params.after {
            self.assign(target, values.next().unwrap_or(V::Nil))?;
        }
        Ok(())
    }

    fn bind_keywords(&mut self, params: &'c Params, named: &V<'c>) -> Done<'c, ()> {
        let mut left = named.entries()?.unwrap_or_default();
        for keyword in &params.keywords {
            let place =
                left.iter().position(|(key, _)| matches!(key, V::Symbol(name) if **name == *keyword.name));
            let value = match (place, &keyword.default) {
                (Some(place), _) => left.remove(place).1,
                (None, Some(default)) => self.eval(default)?,
                (None, None) => {
                    let message = format!("missing keyword: :{}", keyword.name);
                    return Err(match params.keywords.iter().filter(|one| one.default.is_none()).count() {
                        1 => Unwind::error(Class::ArgumentError, message),
                        _ => ForRuby("keywords that are missing").into(),
                    });
                }
            };
            self.assign(&keyword.target, value)?;
        }
        match &params.keyword_rest {
            Some(target) => Ok(self.assign(target, V::map(left)?)?),
            None if left.is_empty() => Ok(()),
            None => Err(ForRuby("keywords that are not known").into()),
        }
    }

    /// Gives arguments to the parameters of a block: what is missing is nil, what is too much is dropped, one array is
    /// spread where there are several parameters.
    pub(super) fn bind_block(&mut self, params: &'c Params, mut values: Vec<V<'c>>) -> Done<'c, ()> {
        if !params.keywords.is_empty() || params.keyword_rest.is_some() {
            return Err(ForRuby("keywords of a block").into());
        }
        let least = params.required.len() + params.after.len();
        let most = least + params.optional.len();
        let several = most > 1 || params.rest.is_some() && most > 0;
        if let [only] = &values[..]
            && several
            && let Some(items) = only.items()?
        {
            values = items;
        }
        values.resize(values.len().max(least), V::Nil);
        if params.rest.is_none() {
            values.truncate(most);
        }
        self.bind_positional(params, values)?;
        match &params.block {
            Some(target) => Ok(self.assign(target, V::Nil)?),
            None => Ok(()),
        }
    }

    /// The values that a method's parameters have: what `super` hands on.
    pub(super) fn values_of(&mut self, params: &'c Params) -> Done<'c, Vec<V<'c>>> {
        let mut values = Vec::new();
        let optional = params.optional.iter().map(|(target, _)| target);
        for target in params.required.iter().chain(optional) {
            match target {
                AssignTarget::Local(slot) => values.push(self.local(*slot).clone()),
                _ => return Err(ForRuby("`super` with such parameters").into()),
            }
        }
        if let Some(AssignTarget::Rest(Some(slot))) = &params.rest {
            values.extend(self.local(*slot).items()?.unwrap_or_default());
        }
        match params.after.is_empty() && params.keywords.is_empty() && params.keyword_rest.is_none() {
            true => Ok(values),
            false => Err(ForRuby("`super` with such parameters").into()),
        }
    }
}
