//! Methods that all values have, and all that nil, booleans, symbols, classes and hidden values have.

use super::responds;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;
use crate::value::compare::{self, case_equal, is_a};
use crate::value::text;
use bunraku_vm::value::Value;

/// Calls a method that all values have, or one of nil, booleans, symbols, classes and the like; none for methods of the
/// other kinds.
pub(crate) fn call<'c>(
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> OrRuby<Option<V<'c>>> {
    if block.is_some() || matches!(on, V::Void) {
        return if matches!(on, V::Void) { Err(ForRuby("a method of what text gives")) } else { Ok(None) };
    }
    Ok(Some(match (method, args) {
        (Method::NilIs, []) => match on {
            V::Scope => return Err(ForRuby("a method of the scope")),
            on => V::Bool(matches!(on, V::Nil)),
        },
        (Method::Equal, [other]) => V::Bool(compare::equal(on, other)?),
        (Method::CaseEqual, [other]) => V::Bool(case_equal(on, other)?),
        (Method::Eql, [other]) => match (on, other) {
            (V::Float(_), _) | (_, V::Float(_)) => return Err(ForRuby("`eql?` of floats")),
            _ => V::Bool(compare::is_eql(on, other)?),
        },
        (Method::IsA, [V::Class(class)]) => V::Bool(is_a(on, *class)?),
        (Method::InstanceOf, [V::Class(class)]) => V::Bool(on.class()? == *class),
        (Method::Class, []) => V::Class(on.class()?),
        (Method::ToS, []) => match on {
            V::Str(_) | V::Made(_) => on.clone(),
            V::Match(groups) => groups.first().cloned().unwrap_or(V::Nil),
            on => V::made(text::to_s(on)?),
        },
        (Method::Inspect, []) => V::made(text::inspected(on)?),
        (Method::RespondTo, [name]) => {
            let known = match name {
                V::Symbol(name) => responds(on, name),
                name => name.text().and_then(|name| responds(on, name)),
            };
            V::Bool(known.ok_or(ForRuby("`respond_to?`"))?)
        }
        (Method::Dup, []) => match on {
            V::Str(_) | V::Made(_) => V::made(text::to_s(on)?),
            V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) | V::Symbol(_) => on.clone(),
            on => match (on.items()?, on.entries()?) {
                (Some(items), _) => V::list(items),
                (_, Some(entries)) => V::map(entries),
                _ => return Err(ForRuby("a copy of such a value")),
            },
        },
        _ => return small(on, method, args),
    }))
}

fn small<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match (on, method, args) {
        (V::Nil, Method::ToA, []) => V::list(Vec::new()),
        (V::Nil, Method::ToH, []) => V::map(Vec::new()),
        (V::Nil, Method::ToI, []) => V::Int(0),
        (V::Nil, Method::ToF, []) => V::Float(0.0),
        (V::Nil, Method::Intersection, [_]) => V::Bool(false),
        (V::Nil | V::Bool(false), Method::Union, [other]) => V::Bool(other.truthy()),
        (V::Bool(false), Method::Intersection, [_]) => V::Bool(false),
        (V::Bool(true), Method::Intersection, [other]) => V::Bool(other.truthy()),
        (V::Bool(true), Method::Union, [_]) => V::Bool(true),
        (V::Nil | V::Bool(_), ..) => return Err(ForRuby("a method of nil or of a boolean")),
        (V::Symbol(_), Method::ToSym, []) => on.clone(),
        (V::Symbol(name), Method::Size, []) => V::Int(name.chars().count() as i64),
        (V::Symbol(_), Method::Compare, [V::Symbol(_)]) => match compare::order(on, &args[0])? {
            Some(order) => V::Int(order as i64),
            None => V::Nil,
        },
        (V::Symbol(_), ..) => return Err(ForRuby("a method of a symbol")),
        (V::Class(class), Method::Name, []) => V::Str(class.name()),
        (V::Class(..), ..) => return Err(ForRuby("a method of a class")),
        (V::Regexp(source), Method::MatchIs, [subject]) if subject.text().is_some() => {
            let text = subject.text().unwrap_or_default();
            V::Bool(bunraku_vm::regex::is_match(source, text).map_err(|_| ForRuby("a match"))?)
        }
        (V::Regexp(_), ..) => return Err(ForRuby("a method of a regular expression")),
        (V::Other(Value::Sensitive(inner)), Method::Unwrap, []) => V::from(**inner),
        (V::Other(_), ..) => return Err(ForRuby("a method of a value of Puppet's own")),
        _ => return Ok(None),
    }))
}

/// The order that a block's integer stands for.
pub(crate) fn order_of(value: &V<'_>) -> OrRuby<std::cmp::Ordering> {
    match value {
        V::Int(n) => Ok(n.cmp(&0)),
        _ => Err(ForRuby("an order that is no integer")),
    }
}
