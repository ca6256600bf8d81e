//! Methods that change a string in place: what they are called for is done by the methods that give a new string.

use super::charset::Sets;
use super::string_made::is_utf8;
use super::string_parts;
use super::string_patterns::{Matches, UNKNOWN, sized};
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::succ::succ;
use crate::value::{Shared, Text, V};
use crate::{budget, methods};
use std::ops::Range;
use std::rc::Rc;

/// The method that gives a new string where this one changes the string; those give nil where nothing changes.
fn twin(method: Method) -> Option<Method> {
    Some(match method {
        Method::GsubIn => Method::Gsub,
        Method::SubIn => Method::Sub,
        Method::UpcaseIn => Method::Upcase,
        Method::DowncaseIn => Method::Downcase,
        Method::CapitalizeIn => Method::Capitalize,
        Method::SwapcaseIn => Method::Swapcase,
        Method::StripIn => Method::Strip,
        Method::LstripIn => Method::Lstrip,
        Method::RstripIn => Method::Rstrip,
        Method::ChompIn => Method::Chomp,
        Method::ChopIn => Method::Chop,
        Method::SqueezeIn => Method::Squeeze,
        Method::TrIn => Method::Tr,
        Method::TrSqueezedIn => Method::TrSqueezed,
        Method::DeleteIn => Method::Delete,
        Method::DeletePrefixIn => Method::DeletePrefix,
        Method::DeleteSuffixIn => Method::DeleteSuffix,
        _ => return None,
    })
}

/// Calls a method that changes the string it is called on; none where it is no such method.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c, Option<V<'c>>> {
    if let Some(twin) = twin(method) {
        let string = changeable(on)?;
        drop(string.try_borrow_mut()?);
        let made = methods::call(run, on.clone(), twin, args, block)?;
        let made = made.text().ok_or(UNKNOWN)?;
        let changed = *made != *string.borrow();
        if !changed && may_be_same(&string.borrow(), method, args)? {
            // Ruby says that something was replaced even if by the same text.
            return Err(ForRuby("a replacement that changes nothing").into());
        }
        return Ok(Some(if changed { set(on, &made)? } else { V::Nil }));
    }
    if block.is_some() {
        return Ok(None);
    }
    Ok(plain(on, method, args)?)
}

/// Whether something may have been replaced by the same text.
fn may_be_same(text: &str, method: Method, args: &[V<'_>]) -> OrRuby<bool> {
    Ok(match (method, args) {
        (Method::GsubIn | Method::SubIn, [pattern, ..]) => !Matches::First.find(text, pattern)?.is_empty(),
        (Method::TrIn | Method::TrSqueezedIn, [from, ..]) => {
            let sets = Sets::of(std::slice::from_ref(from))?;
            text.chars().any(|c| sets.has(c))
        }
        _ => false,
    })
}

/// The bytes of the part that arguments of `[]` stand for.
fn part<'c>(on: &V<'c>, args: &[V<'c>]) -> OrRuby<Option<Range<usize>>> {
    let string = changeable(on)?.try_borrow()?;
    string_parts::part(&string, args)
}

/// The string, where it is one that Ruby code has made. Any other may be known to others.
fn changeable<'v, 'c>(on: &'v V<'c>) -> OrRuby<&'v Rc<Shared<String>>> {
    match on {
        V::Made(string) => Ok(string),
        _ => Err(ForRuby("a change of a string of Puppet's")),
    }
}

fn set<'c>(on: &V<'c>, text: &str) -> OrRuby<V<'c>> {
    sized(text.len())?;
    budget::made(text.len());
    let mut string = changeable(on)?.try_borrow_mut()?;
    string.clear();
    string.push_str(text);
    Ok(on.clone())
}

/// The text of an argument: a copy where it is the string that is changed.
fn other<'v>(on: &V<'_>, arg: &'v V<'_>) -> OrRuby<Piece<'v>> {
    match (on, arg) {
        (V::Made(string), V::Made(same)) if Rc::ptr_eq(string, same) => {
            Ok(Piece::Copy(string.borrow().clone()))
        }
        (_, arg) => arg.text().map(Piece::Text).ok_or(UNKNOWN),
    }
}

enum Piece<'v> {
    Text(Text<'v>),
    Copy(String),
}

impl std::ops::Deref for Piece<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Piece::Text(text) => text,
            Piece::Copy(text) => text,
        }
    }
}

fn plain<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let given = || -> OrRuby<String> {
        let mut text = String::new();
        for arg in args {
            text.push_str(&other(on, arg)?);
        }
        Ok(text)
    };
    Ok(Some(match (method, args) {
        (Method::Append, [V::Int(code)]) => {
            let c = u32::try_from(*code).ok().and_then(char::from_u32).ok_or(UNKNOWN)?;
            append(on, c.encode_utf8(&mut [0; 4]))?
        }
        (Method::Append, [arg]) => appended(on, arg)?,
        (Method::Concat, args) if args.iter().all(|arg| arg.text().is_some()) => append(on, &given()?)?,
        (Method::Prepend, _) => insert(on, 0, &given()?)?,
        (Method::Replace, [arg]) => {
            let text = other(on, arg)?.to_owned();
            set(on, &text)?
        }
        (Method::Clear, []) => set(on, "")?,
        (Method::ForceEncoding, [encoding]) if is_utf8(encoding) => {
            drop(changeable(on)?.try_borrow_mut()?);
            on.clone()
        }
        (Method::Insert, [V::Int(n), arg]) => {
            let text = other(on, arg)?.to_owned();
            insert(on, *n, &text)?
        }
        (Method::ReverseIn, []) => {
            let text: String = changeable(on)?.borrow().chars().rev().collect();
            set(on, &text)?
        }
        (Method::SuccIn, []) => {
            let text = succ(&changeable(on)?.borrow())?;
            set(on, &text)?
        }
        (Method::SliceIn, args) => return slice(on, args).map(Some),
        (Method::SetElement, [at @ .., value]) => {
            let range = part(on, at)?.ok_or(ForRuby("a part of a string there is not"))?;
            let text = other(on, value)?.to_owned();
            let mut string = changeable(on)?.try_borrow_mut()?;
            sized(string.len() + text.len())?;
            string.replace_range(range, &text);
            drop(string);
            value.clone()
        }
        _ => return Ok(None),
    }))
}

/// `<<` of a text.
pub(super) fn appended<'c>(on: &V<'c>, arg: &V<'c>) -> OrRuby<V<'c>> {
    append(on, &other(on, arg)?)
}

/// Appends in place.
fn append<'c>(on: &V<'c>, text: &str) -> OrRuby<V<'c>> {
    budget::made(text.len());
    let mut string = changeable(on)?.try_borrow_mut()?;
    sized(string.len() + text.len())?;
    string.push_str(text);
    Ok(on.clone())
}

/// Inserts before a character, or behind one that is counted from the end.
fn insert<'c>(on: &V<'c>, at: i64, text: &str) -> OrRuby<V<'c>> {
    budget::made(text.len());
    let mut string = changeable(on)?.try_borrow_mut()?;
    sized(string.len() + text.len())?;
    let count = string.chars().count() as i64;
    let at = if at < 0 { count + at + 1 } else { at };
    if !(0..=count).contains(&at) {
        return Err(ForRuby("an index out of a string"));
    }
    let place = string.char_indices().nth(at as usize).map_or(string.len(), |(place, _)| place);
    string.insert_str(place, text);
    Ok(on.clone())
}

/// `slice!`: the part is taken out and given.
fn slice<'c>(on: &V<'c>, args: &[V<'c>]) -> OrRuby<V<'c>> {
    let string = changeable(on)?;
    drop(string.try_borrow_mut()?);
    let Some(range) = part(on, args)? else { return Ok(V::Nil) };
    let taken = V::made(string.borrow()[range.clone()].to_owned());
    string.try_borrow_mut()?.replace_range(range, "");
    Ok(taken)
}
