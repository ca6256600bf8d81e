//! The methods that templates call, by the kind of what they are called on. What is not in the tables, and what Ruby
//! would raise an error for, is Ruby's.

mod array;
mod array_blocks;
mod array_items;
mod array_made;
mod array_sorting;
mod bytes;
mod called;
mod charset;
mod common;
mod enumerator;
mod errors;
mod float;
mod format;
pub(crate) mod hash;
mod hash_blocks;
mod hash_changes;
mod integer;
mod kernel;
pub(crate) mod large;
mod list;
mod matched;
mod normalized;
mod number;
mod own_keys;
mod pack;
mod pattern;
mod quick;
pub(crate) mod range;
mod responds;
mod scope;
mod string;
mod string_blocks;
mod string_changes;
mod string_made;
mod string_numbers;
mod string_parts;
mod string_patterns;
mod string_split;
mod symbol;
mod unchanged;
mod yaml;

pub(crate) use array_made::to_h as pairs_to_hash;
pub(crate) use called::of_puppet;
pub(crate) use enumerator::each_of;
pub(crate) use own_keys::code;
pub(crate) use quick::{alone, is_plain, spend_on_match};
pub(crate) use responds::{lacks, responds};
pub(crate) use scope::{call as of_scope_call, function, of_scope, of_top as of_top_scope};
pub(crate) use string_patterns::sized;

use crate::eval::{Done, Run, Unwind};
use crate::for_ruby::ForRuby;
use crate::libraries::json;
use crate::method::Method;
use crate::tree::Block;
use crate::value::{Class, V};

/// Calls a method. One that Ruby's values of that kind don't have is an error that code may rescue.
#[inline]
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    let answer = match block {
        None => quick::call(run, &on, method, args),
        Some(block) => quick::call_with_block(run, &on, (method, args), block),
    };
    match answer {
        Some(Ok(value)) => Ok(value),
        failed => unanswered(run, (&on, failed), method, args, block),
    }
}

/// What a call gives that has no quick answer; that such values have no such method, where they have none.
#[inline(never)]
fn unanswered<'c>(
    run: &mut Run<'_, 'c>,
    (on, failed): (&V<'c>, Option<Done<'c>>),
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    if let ([key], Some(sealed)) = (args, &mut run.key)
        && sealed.text_of(key).is_some()
        && let (V::Hash(hash), None) = (on, block)
        && let Some(answer) = sealed.ask(*hash, method)
    {
        return Ok(answer);
    }
    args.iter().try_for_each(V::may_be_looked_at)?;
    if let (V::Map(map), [V::Object(key), ..], None) = (on, args, block)
        && let Some(answer) = own_keys::call(run, &map.clone(), &key.clone(), (method, args))?
    {
        return Ok(answer);
    }
    match failed.unwrap_or_else(|| known(run, on, method, args, block)) {
        Err(stop) if stop.is_for_ruby() && lacks(on, method.name()) => {
            Err(Unwind::unsaid(Class::NoMethodError))
        }
        result => result,
    }
}

/// What no quick answer is known to.
fn known<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    let method = known_as(on, method);
    let given_pattern = args.iter().any(|arg| matches!(arg, V::Regexp(_)));
    if given_pattern || matches!(on, V::Regexp(_)) {
        quick::spend_on_match()?;
    }
    if matches!(method, Method::Matches | Method::Match)
        && block.is_none()
        && let Some(value) = pattern::call(run, on, method, args)?
    {
        return Ok(value);
    }
    if given_pattern && run.names_groups() && method != Method::MatchIs {
        run.forget_last();
    }
    if method == Method::ToJson && args.is_empty() && block.is_none() {
        return Ok(V::made(json::generate(on)?));
    }
    if method == Method::ToYaml {
        return Ok(yaml::dump(run, on, args, block)?);
    }
    if common::may_have(on, method)
        && let Some(value) = common::call(run, on, method, args, block)?
    {
        return Ok(value);
    }
    if block.is_none()
        && (method != Method::EachPair || !run.space.has_extended())
        && let Some(made) = enumerator::of(on, method, args)
    {
        return Ok(made);
    }
    if let [other] = args
        && block.is_none()
        && matches!(on, V::Int(_) | V::Float(_) | V::Str(_) | V::Made(_))
        && let Some(error) = errors::of_operator(on, method, other)
    {
        return Err(error);
    }
    by_kind(run, on, method, args, block)
}

/// The name that a method with several names is known by here, where the value has it by this one.
fn known_as(on: &V<'_>, method: Method) -> Method {
    let list = || matches!(on, V::Array(_) | V::List(_) | V::Hash(_) | V::Map(_));
    let range = || matches!(on, V::Range(..) | V::Span(_) | V::Enumerator(_));
    match method {
        Method::Length if list() || matches!(on, V::Str(_) | V::Made(_) | V::Symbol(_) | V::Match(_)) => {
            Method::Size
        }
        Method::Member if list() || range() => Method::Include,
        Method::Entries if range() || matches!(on, V::Hash(_) | V::Map(_)) => Method::ToA,
        Method::Store if matches!(on, V::Hash(_) | V::Map(_)) => Method::SetElement,
        method => method,
    }
}

/// Calls a method that not all values have.
fn by_kind<'c>(
    run: &mut Run<'_, 'c>,
    on: &V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    match on {
        V::Str(_) | V::Made(_) => string::call(run, on, method, args, block),
        V::Bytes(bytes) if block.is_none() => Ok(bytes::call(bytes, method, args)?),
        V::Array(_) | V::List(_) => array::call(run, on, method, args, block),
        V::Hash(_) | V::Map(_) => hash::call(run, on, method, args, block),
        V::Int(_) | V::Big(_) | V::Float(_) => number::call(run, on, method, args, block),
        V::Range(..) | V::Span(_) => range::call(run, on, method, args, block),
        V::Enumerator(of) => enumerator::call(run, of, method, args, block),
        V::Symbol(name) if block.is_none() => symbol::call(run, name, method, args),
        V::Regexp(regexp) if block.is_none() => Ok(matched::of_regexp(regexp, method, args)?),
        V::Match(groups) if block.is_none() => Ok(matched::of_match(groups, method, args)?),
        V::Scope => scope::call(run, method, args),
        _ => Err(ForRuby("a method of such a value").into()),
    }
}
