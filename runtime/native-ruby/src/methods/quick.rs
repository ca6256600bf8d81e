//! The calls that are met most often: answered before it is asked what else a method may be. The method is asked for first, then what
//! it is called on, so that one jump finds most.

use super::{
    array_blocks, array_items, hash, hash_blocks, hash_changes, list, pattern, string, string_changes,
    string_made, string_parts, string_patterns,
};
use crate::budget;
use crate::eval::{Done, Run};
use crate::for_ruby::OrRuby;
use crate::method::Method;
use crate::tree::Block;
use crate::value::{V, compare, entries, text};

/// Answers a call without a block, if it is one of those; as the other methods of the value would.
pub(super) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
) -> Option<Done<'c>> {
    use Method::{
        Append, Delete, Dig, Element, Fetch, Keys, Match, MatchIs, Matches, Merge, Scan, SetElement, Split,
        Sub, ToSym, Values,
    };
    match method {
        Element => match (on, args) {
            (V::Hash(_) | V::Map(_), [key @ (V::Str(_) | V::Made(_) | V::Symbol(_) | V::Int(_))]) => {
                Some(hash::element(run, on, key))
            }
            _ => alone(on, method, args).map(Ok),
        },
        SetElement | Delete => match (on, args) {
            (V::Map(_), [_, ..]) if !any_pattern(args) => {
                Some(hash_changes::call(run, on, method, args, None))
            }
            _ => None,
        },
        Append => match (on, args) {
            (V::Made(_), [arg @ (V::Str(_) | V::Made(_))]) => {
                Some(string_changes::appended(on, arg).map_err(Into::into))
            }
            (V::List(_), [_]) => Some(list::call(run, on, method, args, None)),
            _ => None,
        },
        Split | Sub | Method::Gsub | MatchIs | Scan => patterned(run, on, method, args),
        Matches | Match => matched(run, on, method, args),
        ToSym => match (on, args) {
            (V::Str(_) | V::Made(_), []) => Some(Ok(run.symbol(&on.text()?))),
            _ => None,
        },
        Keys | Values | Merge | Fetch | Dig => match on {
            V::Hash(_) | V::Map(_) if !any_pattern(args) => Some(hash::call(run, on, method, args, None)),
            _ => None,
        },
        _ => alone(on, method, args).map(Ok),
    }
}

/// Answers one of those that depend on nothing but the values, and change nothing. What fails is left to the other methods, which say
/// why.
pub(crate) fn alone<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> Option<V<'c>> {
    use Method::{
        Capitalize, Chomp, Compact, Downcase, Element, Empty, EndsWith, Equal, First, Flatten, Greater,
        GreaterOrEqual, HasKey, Include, IsA, Join, Last, Less, LessOrEqual, Lstrip, Minus, NilIs, NotEqual,
        Plus, Reverse, Rstrip, Size, StartsWith, Strip, ToA, ToI, ToS, Uniq, Upcase,
    };
    Some(match method {
        Equal => V::Bool(is_equal(on, args)?),
        NotEqual => V::Bool(!is_equal(on, args)?),
        Less | LessOrEqual | Greater | GreaterOrEqual => V::Bool(compared(method, on, args)?),
        Plus | Minus => match (on, args) {
            (V::Int(a), [V::Int(b)]) if method == Plus => V::Int(a.checked_add(*b)?),
            (V::Int(a), [V::Int(b)]) => V::Int(a.checked_sub(*b)?),
            (V::Str(_) | V::Made(_), [other @ (V::Str(_) | V::Made(_))]) if method == Plus => {
                joined(on, other)?
            }
            (V::Array(_) | V::List(_), [_]) => array_items::plain(on, method, args).ok()?,
            _ => return None,
        },
        Empty if args.is_empty() => V::Bool(is_empty(on)?),
        NilIs if args.is_empty() && matches!(on, V::Nil) => V::Bool(true),
        NilIs if args.is_empty() && is_plain(on) => V::Bool(false),
        Method::Not if args.is_empty() && (is_plain(on) || matches!(on, V::Nil)) => V::Bool(!on.truthy()),
        Method::Class if args.is_empty() && is_plain(on) => V::Class(on.class().ok()?),
        IsA => match args {
            [V::Class(class)] if is_plain(on) => V::Bool(compare::is_a(on, *class).ok()?),
            _ => return None,
        },
        ToS if args.is_empty() => match on {
            V::Str(_) | V::Made(_) => on.clone(),
            V::Int(_) | V::Symbol(_) | V::Nil => V::made(text::to_s(on).ok()?),
            _ => return None,
        },
        Element => match (on, args) {
            (V::Array(_) | V::List(_), [V::Int(_)]) => array_items::plain(on, method, args).ok()?,
            (V::Str(_) | V::Made(_), [V::Int(_)] | [V::Int(_), V::Int(_)] | [V::Range(..)]) => {
                string_parts::element(&on.text()?, args).ok()?
            }
            _ => return None,
        },
        Size | Method::Length => match (on, args) {
            (V::Str(_) | V::Made(_), []) => V::Int(string_parts::count(&on.text()?)),
            (V::Array(_) | V::List(_) | V::Hash(_) | V::Map(_), []) => V::Int(on.size()? as i64),
            _ => return None,
        },
        Upcase | Downcase | Capitalize | Strip | Lstrip | Rstrip | Chomp => match (on, args) {
            (V::Str(_) | V::Made(_), []) => string_made::call(&on.text()?, method, args).ok()??,
            _ => return None,
        },
        StartsWith | EndsWith | ToI => match (on, args, method) {
            (V::Str(_) | V::Made(_), [V::Str(_) | V::Made(_)], StartsWith | EndsWith)
            | (V::Str(_) | V::Made(_), [], ToI) => string::told(&on.text()?, on, method, args).ok()?,
            _ => return None,
        },
        Include | HasKey => match (on, args) {
            (V::Str(_) | V::Made(_), [other @ (V::Str(_) | V::Made(_))]) if method == Include => {
                V::Bool(on.text()?.contains(&*other.text()?))
            }
            (V::Array(_) | V::List(_), [_]) if method == Include && !any_pattern(args) => {
                array_items::plain(on, method, args).ok()?
            }
            (V::Hash(_) | V::Map(_), [key]) if !any_pattern(args) => {
                V::Bool(entries::get(on, key).ok()?.is_some())
            }
            _ => return None,
        },
        First | Last | Join | Uniq | Flatten | Compact | Reverse | ToA => match on {
            V::Array(_) | V::List(_) if !any_pattern(args) => array_items::plain(on, method, args).ok()?,
            _ => return None,
        },
        _ => return None,
    })
}

/// Answers a call with a block of an array or hash, if it is one of those that most have.
pub(super) fn call_with_block<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    (method, args): (Method, &[V<'c>]),
    block: &'c Block,
) -> Option<Done<'c>> {
    use Method::{
        AllIs, Any, Each, EachPair, EachWithIndex, EachWithObject, Find, FlatMap, Inject, Map, Reject, Select,
    };
    let is_one = match on {
        V::Array(_) | V::List(_) => matches!(
            method,
            AllIs
                | Any
                | Each
                | EachWithIndex
                | EachWithObject
                | Find
                | FlatMap
                | Inject
                | Map
                | Reject
                | Select
        ),
        V::Hash(_) | V::Map(_) => matches!(method, Each | EachPair | Map | Reject | Select),
        _ => false,
    };
    if !is_one || any_pattern(args) {
        return None;
    }
    Some(match on {
        V::Array(_) | V::List(_) => array_blocks::call(run, on, method, args, block),
        _ => hash_blocks::call(run, on, method, args, block),
    })
}

/// A regular expression costs more, and may leave a match behind.
fn any_pattern(args: &[V<'_>]) -> bool {
    args.iter().any(|arg| matches!(arg, V::Regexp(_)))
}

/// What looks for patterns in a text.
fn patterned<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, method: Method, args: &[V<'c>]) -> Option<Done<'c>> {
    if !matches!(on, V::Str(_) | V::Made(_)) {
        return None;
    }
    if any_pattern(args) {
        if let Err(long) = spend_on_match() {
            return Some(Err(long.into()));
        }
        if method != Method::MatchIs && run.names_groups() {
            run.forget_last();
        }
    }
    string_patterns::call(&on.text()?, method, args).map_err(Into::into).transpose()
}

/// `=~` and `match` of a text.
fn matched<'c>(run: &mut Run<'_, 'c>, on: &V<'c>, method: Method, args: &[V<'c>]) -> Option<Done<'c>> {
    let (V::Str(_) | V::Made(_), [V::Regexp(_)]) = (on, args) else { return None };
    match spend_on_match() {
        Ok(()) => pattern::call(run, on, method, args).transpose(),
        Err(long) => Some(Err(long.into())),
    }
}

/// A match may backtrack for long, so the clock is read sooner.
pub(crate) fn spend_on_match() -> OrRuby<()> {
    budget::spend(64)
}

/// `==` of values whose classes no code can change, where it needs no look into them.
fn is_equal(on: &V<'_>, args: &[V<'_>]) -> Option<bool> {
    let [other] = args else { return None };
    Some(match (on, other) {
        (V::Str(a), V::Str(b)) => a == b,
        (V::Str(_) | V::Made(_), V::Str(_) | V::Made(_)) => on.text() == other.text(),
        (V::Int(a), V::Int(b)) => a == b,
        (V::Bool(a), V::Bool(b)) => a == b,
        (V::Symbol(a), V::Symbol(b)) => a == b,
        (V::Nil, V::Nil) => true,
        (V::Nil | V::Bool(_), V::Nil | V::Bool(_) | V::Str(_) | V::Made(_) | V::Symbol(_) | V::Int(_)) => {
            false
        }
        (V::Str(_) | V::Made(_), V::Nil | V::Bool(_) | V::Symbol(_) | V::Int(_)) => false,
        (V::Symbol(_) | V::Int(_), V::Nil | V::Bool(_) | V::Str(_) | V::Made(_)) => false,
        (
            V::Array(_) | V::List(_) | V::Hash(_) | V::Map(_),
            V::Nil | V::Bool(_) | V::Str(_) | V::Made(_) | V::Symbol(_) | V::Int(_),
        ) => false,
        _ => return None,
    })
}

/// Which of two integers is less or greater.
fn compared(method: Method, on: &V<'_>, args: &[V<'_>]) -> Option<bool> {
    let (V::Int(a), [V::Int(b)]) = (on, args) else { return None };
    Some(match method {
        Method::Less => a < b,
        Method::LessOrEqual => a <= b,
        Method::Greater => a > b,
        _ => a >= b,
    })
}

/// Values whose classes no code can change, and that have no others behind them.
#[inline]
pub(crate) fn is_plain(value: &V<'_>) -> bool {
    matches!(
        value,
        V::Str(_)
            | V::Made(_)
            | V::Int(_)
            | V::Float(_)
            | V::Symbol(_)
            | V::Array(_)
            | V::List(_)
            | V::Hash(_)
            | V::Map(_)
            | V::Bool(_)
    )
}

fn is_empty(value: &V<'_>) -> Option<bool> {
    Some(match value {
        V::Str(text) => text.is_empty(),
        V::Made(text) => text.borrow().is_empty(),
        V::Array(items) => items.size() == 0,
        V::List(items) => items.try_borrow().ok()?.is_empty(),
        V::Hash(hash) => hash.len() == 0,
        V::Map(map) => map.try_borrow().ok()?.len() == 0,
        _ => return None,
    })
}

/// `+` of two texts, unless what comes out is long.
fn joined<'c>(on: &V<'c>, other: &V<'c>) -> Option<V<'c>> {
    let (on, other) = (on.text()?, other.text()?);
    string_patterns::sized(on.len() + other.len()).ok()?;
    let mut text = String::with_capacity(on.len() + other.len());
    text.push_str(&on);
    text.push_str(&other);
    Some(V::made(text))
}
