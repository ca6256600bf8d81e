//! The methods that templates call, by the kind of what they are called on. What is not in the tables, and what Ruby
//! would raise an error for, is Ruby's.

mod array;
mod array_blocks;
mod array_items;
mod common;
mod hash;
mod list;
mod number;
mod pattern;
mod scope;
mod string;
mod string_patterns;
mod yaml;

pub(crate) use scope::{call as of_scope_call, function, of_puppet, of_scope};

use crate::eval::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::method::Method;
use crate::tree::Block;
use crate::value::V;

/// Calls a method.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    on: V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    // Most calls by far, answered first.
    match (method, &on, args, block) {
        (Method::Element, V::Hash(_) | V::Map(_), [key @ (V::Str(_) | V::Made(_))], None) => {
            return Ok(hash::get(&on, key)?.unwrap_or(V::Nil));
        }
        (Method::Equal, V::Str(_) | V::Made(_), [other @ (V::Str(_) | V::Made(_))], None) => {
            return Ok(V::Bool(on.text() == other.text()));
        }
        (Method::Empty, V::Str(text), [], None) => return Ok(V::Bool(text.is_empty())),
        (Method::Empty, V::Array(items), [], None) => return Ok(V::Bool(items.size() == 0)),
        _ => {}
    }
    let given_pattern = args.iter().any(|arg| matches!(arg, V::Regexp(_)));
    if given_pattern || matches!(on, V::Regexp(_)) {
        // A match may backtrack for long, so the clock is read sooner.
        crate::budget::spend(64)?;
    }
    if matches!(method, Method::Matches | Method::Match)
        && let Some(value) = pattern::call(run, &on, method, args)?
    {
        return Ok(value);
    }
    if given_pattern && run.names_groups() && method != Method::MatchIs {
        run.forget_last();
    }
    if let Some(value) = common::call(&on, method, args, block)? {
        return Ok(value);
    }
    if method == Method::ToYaml {
        return Ok(yaml::dump(run, &on, args, block)?);
    }
    match &on {
        V::Str(_) | V::Made(_) => string::call(run, &on, method, args, block),
        V::Array(_) | V::List(_) => array::call(run, &on, method, args, block),
        V::Hash(_) | V::Map(_) => hash::call(run, &on, method, args, block),
        V::Int(_) | V::Float(_) => number::call(run, &on, method, args, block),
        V::Range(from, to, open) => {
            let items = number::range(*from, *to, *open)?;
            match (method, block) {
                (Method::ToA, None) => Ok(V::list(items)),
                (Method::Map | Method::Select | Method::Reject | Method::Inject, Some(_)) => {
                    array::call(run, &V::list(items), method, args, block)
                }
                (Method::Each | Method::EachWithIndex, Some(_)) => {
                    array::call(run, &V::list(items), method, args, block)?;
                    Ok(on)
                }
                _ => Err(ForRuby("a method of a range").into()),
            }
        }
        V::Match(groups) => Ok(pattern::of_match(groups, method, args)?),
        V::Scope => scope::call(run, method, args),
        _ => Err(ForRuby("a method of such a value").into()),
    }
}

/// What `respond_to?` says of a value; none for names whose answer is not known for sure.
pub(crate) fn responds(on: &V<'_>, name: &str) -> Option<bool> {
    let of = |list: &[&str]| list.contains(&name);
    const LISTS: &[&str] = &["each", "join", "map", "to_a", "include?", "empty?", "length", "size", "first"];
    const HASHES: &[&str] =
        &["each", "keys", "has_key?", "key?", "each_pair", "values", "empty?", "to_a", "map"];
    const STRINGS: &[&str] = &["to_str", "gsub", "split", "empty?", "upcase", "strip", "length", "include?"];
    let all = of(LISTS) || of(HASHES) || of(STRINGS);
    match on {
        _ if !all => None,
        V::Array(_) | V::List(_) => Some(of(LISTS)),
        V::Hash(_) | V::Map(_) => {
            Some(of(HASHES) || matches!(name, "include?" | "length" | "size" | "first"))
        }
        V::Str(_) | V::Made(_) => Some(of(STRINGS) || name == "size"),
        V::Nil => Some(name == "to_a"),
        V::Bool(_) => Some(false),
        _ => None,
    }
}
