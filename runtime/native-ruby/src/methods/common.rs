//! Methods that all values have, and all that nil, booleans, classes and hidden values have.

use super::quick::is_plain;
use super::responds::responds;
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::methods;
use crate::tree::Block;
use crate::value::compare::{self, case_equal, is_a, must_order};
use crate::value::{HashValue, V, ranges, text};
use bunraku_vm::value::Value;

/// Whether a method of a value may be one of these.
pub(super) fn may_have(on: &V<'_>, method: Method) -> bool {
    use Method::{
        Between, CaseEqual, Clamp, Class, Clone, Dup, Eql, Equal, EqualIs, Freeze, FrozenIs, Inspect,
        InstanceOf, IsA, Itself, NilIs, Not, NotEqual, NotMatches, RespondTo, Send, Tap, Then, ToS,
    };
    matches!(
        method,
        Between
            | CaseEqual
            | Clamp
            | Class
            | Clone
            | Dup
            | Eql
            | Equal
            | EqualIs
            | Freeze
            | FrozenIs
            | Inspect
            | InstanceOf
            | IsA
            | Itself
            | NilIs
            | Not
            | NotEqual
            | NotMatches
            | RespondTo
            | Send
            | Tap
            | Then
            | ToS
    ) || matches!(on, V::Bool(_))
        || !is_plain(on)
}

/// Calls a method that all values have, or one of nil, booleans, classes and the like; none for methods of the other
/// kinds.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c, Option<V<'c>>> {
    if matches!(on, V::Void) {
        return Err(ForRuby("a method of what text gives").into());
    }
    Ok(Some(match (method, args, block) {
        (Method::Tap, [], Some(block)) => {
            run.yield_one(block, on.clone())?;
            on.clone()
        }
        (Method::Then, [], Some(block)) => run.yield_one(block, on.clone())?,
        (Method::Send, [name, rest @ ..], _) => {
            let method = by_name(name)?;
            methods::call(run, on.clone(), method, rest, block)?
        }
        (Method::NotEqual | Method::NotMatches, [_], None) => {
            let method = if method == Method::NotEqual { Method::Equal } else { Method::Matches };
            V::Bool(!methods::call(run, on.clone(), method, args, None)?.truthy())
        }
        (_, _, Some(_)) => return Ok(None),
        _ => return Ok(plain(on, method, args)?),
    }))
}

/// The method that a symbol or a string names.
fn by_name(name: &V<'_>) -> OrRuby<Method> {
    let found = match name {
        V::Symbol(name) => Method::by_name(name),
        name => name.text().and_then(|name| Method::by_name(&name)),
    };
    found.filter(|method| !method.is_function()).ok_or(ForRuby("a method by its name"))
}

fn plain<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match (method, args) {
        (Method::NilIs, []) => match on {
            V::Scope => return Err(ForRuby("a method of the scope")),
            on => V::Bool(matches!(on, V::Nil)),
        },
        (Method::Not, []) => V::Bool(!on.truthy()),
        (Method::Itself, []) => on.clone(),
        (Method::Equal, [other]) => V::Bool(compare::equal(on, other)?),
        (Method::CaseEqual, [other]) => V::Bool(case_equal(on, other)?),
        (Method::Eql, [other]) => V::Bool(compare::is_eql(on, other)?),
        (Method::EqualIs, [other]) => V::Bool(is_same(on, other)?),
        (Method::IsA, [V::Class(class)]) => V::Bool(is_a(on, *class)?),
        (Method::IsA, [V::Module(module)]) => V::Bool(compare::is_own(on, module)?),
        (Method::InstanceOf, [V::Class(class)]) => V::Bool(on.class()? == *class),
        (Method::Class, []) => V::Class(on.class()?),
        (Method::ToS, []) => match on {
            V::Str(_) | V::Made(_) => on.clone(),
            on => V::made(text::to_s(on)?),
        },
        (Method::Inspect, []) => V::made(text::inspected(on)?),
        (Method::RespondTo, [name]) => {
            let known = match name {
                V::Symbol(name) => responds(on, name),
                name => name.text().and_then(|name| responds(on, &name)),
            };
            V::Bool(known.ok_or(ForRuby("`respond_to?`"))?)
        }
        (Method::Dup | Method::Clone, []) => copy(on, method)?,
        (Method::Freeze, []) => {
            freeze(on)?;
            on.clone()
        }
        (Method::FrozenIs, []) => V::Bool(is_frozen(on)?),
        (Method::Between | Method::Clamp, args) if is_ordered(on) => return limits(on, method, args),
        _ => return small(on, method, args),
    }))
}

fn is_ordered(on: &V<'_>) -> bool {
    matches!(on, V::Int(_) | V::Float(_) | V::Str(_) | V::Made(_))
}

/// `between?` and `clamp`.
fn limits<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let (low, high) = match args {
        [low, high] => (low.clone(), high.clone()),
        [range] if method == Method::Clamp => match ranges::ends(range) {
            Some((low, high, false)) => (low, high),
            _ => return Err(ForRuby("`clamp`")),
        },
        _ => return Err(ForRuby("`clamp`")),
    };
    if method == Method::Between {
        return Ok(Some(V::Bool(must_order(on, &low)?.is_ge() && must_order(on, &high)?.is_le())));
    }
    let open = matches!(low, V::Nil) || matches!(high, V::Nil);
    if !open && must_order(&low, &high)?.is_gt() {
        return Err(ForRuby("`clamp` between what is the wrong way round"));
    }
    if !matches!(low, V::Nil) && must_order(on, &low)?.is_lt() {
        return Ok(Some(low));
    }
    if !matches!(high, V::Nil) && must_order(on, &high)?.is_gt() {
        return Ok(Some(high));
    }
    Ok(Some(on.clone()))
}

/// Whether both are one object.
fn is_same<'c>(a: &V<'c>, b: &V<'c>) -> OrRuby<bool> {
    if let Some(one) = compare::is_one_made(a, b) {
        return Ok(one);
    }
    Ok(match (a, b) {
        (V::Array(a), V::Array(b)) => a.address() == b.address(),
        (V::Hash(a), V::Hash(b)) => a.address() == b.address(),
        (V::Nil | V::Bool(_) | V::Int(_) | V::Symbol(_), b) => compare::is_eql(a, b)?,
        (a, V::Nil | V::Bool(_) | V::Int(_) | V::Symbol(_)) => compare::is_eql(a, b)?,
        (a, b) if a.class()? != b.class()? => false,
        _ => return Err(ForRuby("`equal?`")),
    })
}

/// `dup` and `clone`; the latter of what is frozen is frozen.
fn copy<'c>(on: &V<'c>, method: Method) -> OrRuby<V<'c>> {
    let made = match on {
        V::Str(_) | V::Made(_) => V::made(text::to_s(on)?),
        V::Nil | V::Bool(_) | V::Int(_) | V::Big(_) | V::Float(_) | V::Symbol(_) | V::Range(..) => {
            return Ok(on.clone());
        }
        V::Map(map) => {
            let mut made = HashValue::of(on.entries()?.unwrap_or_default())?;
            made.default = map.try_borrow()?.default.clone();
            made.default_block = map.try_borrow()?.default_block.clone();
            V::hash(made)
        }
        on => match (on.items()?, on.entries()?) {
            (Some(items), _) => V::list(items),
            (_, Some(entries)) => V::map(entries)?,
            _ => return Err(ForRuby("a copy of such a value")),
        },
    };
    let made_here = match on {
        V::Made(text) => !text.is_kept(),
        on => matches!(on, V::List(_) | V::Map(_)),
    };
    if method == Method::Clone && made_here && is_frozen(on)? {
        freeze(&made)?;
    }
    Ok(made)
}

fn freeze(on: &V<'_>) -> OrRuby<()> {
    match on {
        V::Made(text) if !text.is_kept() => text.freeze(),
        V::List(list) => list.freeze(),
        V::Map(map) => map.freeze(),
        // Nothing changes these.
        V::Nil
        | V::Bool(_)
        | V::Int(_)
        | V::Big(_)
        | V::Float(_)
        | V::Symbol(_)
        | V::Regexp(_)
        | V::Range(..) => {}
        V::Str(_) | V::Array(_) | V::Hash(_) => {}
        _ => return Err(ForRuby("`freeze`")),
    }
    Ok(())
}

fn is_frozen(on: &V<'_>) -> OrRuby<bool> {
    Ok(match on {
        V::Made(text) if !text.is_kept() => text.is_frozen(),
        V::List(list) => list.is_frozen(),
        V::Map(map) => map.is_frozen(),
        V::Nil | V::Bool(_) | V::Int(_) | V::Big(_) | V::Float(_) | V::Symbol(_) | V::Range(..) => true,
        _ => return Err(ForRuby("`frozen?`")),
    })
}

fn small<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(Some(match (on, method, args) {
        (V::Nil, Method::ToA, []) => V::list(Vec::new()),
        (V::Nil, Method::ToH, []) => V::hash(HashValue::default()),
        (V::Nil, Method::ToI, []) => V::Int(0),
        (V::Nil, Method::ToF, []) => V::Float(0.0),
        (V::Nil, Method::Matches, [_]) => V::Nil,
        (V::Nil | V::Bool(_), Method::Compare, [other]) => match compare::equal(on, other)? {
            true => V::Int(0),
            false => V::Nil,
        },
        (V::Nil | V::Bool(false), Method::Intersection, [_]) => V::Bool(false),
        (V::Nil | V::Bool(false), Method::Union | Method::BitXor, [other]) => V::Bool(other.truthy()),
        (V::Bool(true), Method::Intersection, [other]) => V::Bool(other.truthy()),
        (V::Bool(true), Method::Union, [_]) => V::Bool(true),
        (V::Bool(true), Method::BitXor, [other]) => V::Bool(!other.truthy()),
        (V::Nil | V::Bool(_), ..) => return Err(ForRuby("a method of nil or of a boolean")),
        (V::Class(class), Method::Name, []) => V::Str(class.name()),
        (V::Class(..), ..) => return Err(ForRuby("a method of a class")),
        (V::Other(Value::Sensitive(inner)), Method::Unwrap, []) => V::from(**inner),
        (V::Other(_), ..) => return Err(ForRuby("a method of a value of Puppet's own")),
        _ => return Ok(None),
    }))
}
