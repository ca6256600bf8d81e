//! Enumerators: methods that were called without the block they run, and what is called on those: `each_with_index.map`,
//! `map.with_index(1)`, `each_slice(2).to_a`.

use super::array_blocks::{parts, put_mapped};
use super::{array, array_sorting, number, range};
use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::methods;
use crate::tree::Block;
use crate::value::{Enumerator, V, entries, ranges};
use std::rc::Rc;

const UNKNOWN: ForRuby = ForRuby("a method of an enumerator");

/// An enumerator, where the method called without a block gives one; none otherwise.
pub(crate) fn of<'c>(on: &V<'c>, method: Method, args: &[V<'c>]) -> Option<V<'c>> {
    use Method::{
        Combination, DownTo, Each, EachByte, EachChar, EachCons, EachEntry, EachIndex, EachKey, EachLine,
        EachPair, EachSlice, EachValue, EachWithIndex, EachWithObject, FilterMap, Find, FindAll, FlatMap,
        GroupBy, Map, MaxBy, MinBy, Partition, Permutation, Reject, ReverseEach, Select, SortBy, Step, Times,
        UpTo,
    };
    if !matches!(
        method,
        Combination
            | DownTo
            | Each
            | EachByte
            | EachChar
            | EachCons
            | EachEntry
            | EachIndex
            | EachKey
            | EachLine
            | EachPair
            | EachSlice
            | EachValue
            | EachWithIndex
            | EachWithObject
            | FilterMap
            | Find
            | FindAll
            | FlatMap
            | GroupBy
            | Map
            | MaxBy
            | MinBy
            | Partition
            | Permutation
            | Reject
            | ReverseEach
            | Select
            | SortBy
            | Step
            | Times
            | UpTo
    ) {
        return None;
    }
    let collection = match method {
        Each | EachEntry | EachWithIndex | Map | FlatMap | FilterMap | Select | FindAll | Reject
        | ReverseEach | Find | GroupBy | Partition | SortBy | MinBy | MaxBy => args.is_empty(),
        EachSlice | EachCons => matches!(args, [V::Int(1..)]),
        EachWithObject => args.len() == 1,
        _ => false,
    };
    let gives = match on {
        V::Array(_) | V::List(_) => {
            collection
                || (method == EachIndex && args.is_empty())
                || matches!(method, Combination | Permutation)
        }
        V::Hash(_) | V::Map(_) => {
            collection || (matches!(method, EachPair | EachKey | EachValue) && args.is_empty())
        }
        V::Range(..) | V::Span(_) => collection || (method == Step && matches!(args, [V::Int(1..)])),
        V::Str(_) | V::Made(_) => matches!(method, EachChar | EachLine | EachByte) && args.is_empty(),
        V::Int(_) => {
            (method == Times && args.is_empty())
                || matches!((method, args), (UpTo | DownTo | Step, [V::Int(_), ..]))
        }
        _ => false,
    };
    let made = || V::Enumerator(Rc::new(Enumerator { on: on.clone(), method, args: args.to_vec() }));
    gives.then(made)
}

/// `to_enum`, of what is known to have `each`.
pub(crate) fn each_of<'c>(on: &V<'c>) -> Option<V<'c>> {
    of(on, Method::Each, &[])
}

/// What an enumerator runs its block for: several values as an array.
fn values<'c>(of: &Enumerator<'c>) -> Done<'c, Vec<V<'c>>> {
    let Enumerator { on, method, args } = of;
    let text = on.text();
    Ok(match (method, text) {
        (Method::EachChar, Some(text)) => text.chars().map(|c| V::made(c.to_string())).collect(),
        (Method::EachByte, Some(text)) => text.bytes().map(|b| V::Int(b.into())).collect(),
        (Method::EachLine, Some(text)) => super::string_patterns::lines(&text, args)?,
        (Method::Times | Method::UpTo | Method::DownTo | Method::Step, _) if matches!(on, V::Int(_)) => {
            number::counted(on, *method, args)?
        }
        (Method::Step, _) => match &args[..] {
            [V::Int(by)] => range::stepped(on, *by)?,
            _ => return Err(UNKNOWN.into()),
        },
        (Method::EachKey, _) => entries::all(on)?.into_iter().map(|(key, _)| key).collect(),
        (Method::EachValue, _) => entries::all(on)?.into_iter().map(|(_, value)| value).collect(),
        (method, _) => of_items(items(on)?, *method, args)?,
    })
}

fn of_items<'c>(items: Vec<V<'c>>, method: Method, args: &[V<'c>]) -> OrRuby<Vec<V<'c>>> {
    let numbered = |(at, item)| V::pair(item, V::Int(at as i64));
    Ok(match (method, args) {
        (Method::EachWithIndex, _) => items.into_iter().enumerate().map(numbered).collect(),
        (Method::EachIndex, _) => (0..items.len() as i64).map(V::Int).collect(),
        (Method::EachWithObject, [object]) => {
            items.into_iter().map(|item| V::pair(item, object.clone())).collect()
        }
        (Method::ReverseEach, _) => items.into_iter().rev().collect(),
        (Method::EachSlice | Method::EachCons | Method::Combination | Method::Permutation, args) => {
            parts(items, method, args)?
        }
        _ => items,
    })
}

fn items<'c>(on: &V<'c>) -> Done<'c, Vec<V<'c>>> {
    Ok(match on {
        V::Array(_) | V::List(_) => on.items()?.ok_or(UNKNOWN)?,
        V::Hash(_) | V::Map(_) => entries::pairs(on)?.items()?.ok_or(UNKNOWN)?,
        V::Range(..) | V::Span(_) => ranges::items(on)?,
        V::Enumerator(inner) => values(inner)?,
        _ => return Err(UNKNOWN.into()),
    })
}

/// Calls a method of an enumerator.
pub(crate) fn call<'c>(
    run: &mut Run<'_, 'c>,
    of: &Rc<Enumerator<'c>>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    match (method, args, block) {
        (Method::Each, [], Some(_)) => methods::call(run, of.on.clone(), of.method, &of.args, block),
        (Method::Each, [], None) => Ok(V::Enumerator(Rc::clone(of))),
        (Method::WithIndex, [], Some(block)) => with_index(run, of, 0, block),
        (Method::WithIndex, [V::Int(first)], Some(block)) => with_index(run, of, *first, block),
        (Method::EachWithIndex, [], Some(block)) => with_index(run, of, 0, block),
        (Method::WithObject | Method::EachWithObject, [object], Some(block)) if walks(of.method) => {
            for value in values(of)? {
                run.yield_two(block, value, object.clone())?;
            }
            Ok(object.clone())
        }
        (Method::WithIndex | Method::EachWithIndex, first, None)
            if walks(of.method) || of.method == Method::Map =>
        {
            let first = match first {
                [] => 0,
                [V::Int(first)] => *first,
                _ => return Err(UNKNOWN.into()),
            };
            let numbered = |(at, value)| V::pair(value, V::Int(first + at as i64));
            let on = V::list(values(of)?.into_iter().enumerate().map(numbered).collect());
            let method = if of.method == Method::Map { Method::Map } else { Method::Each };
            Ok(V::Enumerator(Rc::new(Enumerator { on, method, args: Vec::new() })))
        }
        (Method::WithIndex, ..) | (Method::Size, ..) => Err(UNKNOWN.into()),
        _ if method.changes() => Err(UNKNOWN.into()),
        _ if method.of_all_collections() => array::call(run, &V::list(values(of)?), method, args, block),
        _ => Err(UNKNOWN.into()),
    }
}

/// Whether the method gives its block each value and then what it was called on.
fn walks(method: Method) -> bool {
    use Method::{
        Each, EachByte, EachChar, EachCons, EachEntry, EachIndex, EachKey, EachLine, EachPair, EachSlice,
        EachValue, EachWithIndex, ReverseEach, Times,
    };
    matches!(
        method,
        Each | EachByte
            | EachChar
            | EachCons
            | EachEntry
            | EachIndex
            | EachKey
            | EachLine
            | EachPair
            | EachSlice
            | EachValue
            | EachWithIndex
            | ReverseEach
            | Times
            | Method::UpTo
            | Method::DownTo
            | Method::Step
    )
}

/// Runs the block with each value and its number, and does with what it gives as the method does.
fn with_index<'c>(run: &mut Run<'_, 'c>, of: &Enumerator<'c>, first: i64, block: &'c Block) -> Done<'c> {
    let of_hash = matches!(of.on, V::Hash(_) | V::Map(_));
    let mut mapped = Vec::new();
    let mut keyed = Vec::new();
    for (at, value) in values(of)?.into_iter().enumerate() {
        let number = V::Int(first.checked_add(at as i64).ok_or(UNKNOWN)?);
        let given = run.yield_two(block, value.clone(), number)?;
        match of.method {
            Method::Map | Method::FlatMap | Method::FilterMap => put_mapped(&mut mapped, of.method, given)?,
            Method::Find if given.truthy() => return Ok(value),
            method if !walks(method) => keyed.push((given, value)),
            _ => {}
        }
    }
    match of.method {
        Method::Map | Method::FlatMap | Method::FilterMap => Ok(V::list(mapped)),
        Method::Find => Ok(V::Nil),
        Method::Select | Method::FindAll | Method::Reject if !of_hash => {
            let wanted = of.method != Method::Reject;
            let chosen = keyed.into_iter().filter(|(given, _)| given.truthy() == wanted);
            Ok(V::list(chosen.map(|(_, value)| value).collect()))
        }
        // Their value depends on Ruby's version.
        Method::EachSlice | Method::EachCons => Ok(V::Void),
        method if walks(method) => Ok(of.on.clone()),
        method if array_sorting::is_by_key(method) => Ok(array_sorting::by_key(keyed, method)?),
        _ => Err(UNKNOWN.into()),
    }
}
