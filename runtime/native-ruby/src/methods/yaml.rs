//! `to_yaml` of plain data.

use crate::budget;
use crate::eval::Run;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::tree::Block;
use crate::value::V;
use bunraku_stdlib::module;
use bunraku_vm::value::{HashBuilder, Str, Value};
use std::collections::HashSet;
use std::rc::Rc;

/// A value as a document. Of an array or hash that stands there twice Ruby makes an anchor and aliases.
pub(crate) fn dump<'c>(
    run: &Run<'_, 'c>,
    on: &V<'c>,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> OrRuby<V<'c>> {
    const OTHER: ForRuby = ForRuby("to_yaml with other options");
    if block.is_some() {
        return Err(OTHER);
    }
    let mut options = HashBuilder::new(run.vm.arena);
    match args {
        [] => {}
        [given] => {
            for (name, value) in given.entries()?.ok_or(OTHER)? {
                let V::Symbol(name) = name else { return Err(OTHER) };
                options.insert(run.vm.string(name), value.to_value(run.vm)?);
            }
        }
        _ => return Err(OTHER),
    }
    let mut seen = HashSet::new();
    let once = match on {
        V::List(_) | V::Map(_) => made_once(on, &mut seen)?,
        on => stands_once(on.to_value(run.vm)?, &mut seen)?,
    };
    if !once {
        return Err(ForRuby("to_yaml of what is there twice"));
    }
    let mut symbols = HashSet::new();
    let value = with_symbols(run, on, &mut symbols)?;
    let is_symbol = |text: Str<'c>| symbols.contains(&text.as_str().as_ptr().addr());
    let text = module::yaml(run.vm, value, Some(options.finish()), &is_symbol);
    text.map(V::made).ok_or(ForRuby("to_yaml of such a value"))
}

/// As a value of the compile, in which symbols are strings with their colon; where those lie.
fn with_symbols<'c>(run: &Run<'_, 'c>, value: &V<'c>, symbols: &mut HashSet<usize>) -> OrRuby<Value<'c>> {
    budget::spend(1)?;
    Ok(match value {
        V::Symbol(name) => {
            let text = run.vm.string(&format!(":{name}"));
            if let Value::Str(text) = text {
                symbols.insert(text.as_str().as_ptr().addr());
            }
            text
        }
        V::List(items) => {
            let items = items.try_borrow()?;
            let items = items.iter().map(|item| with_symbols(run, item, symbols));
            run.vm.array(&items.collect::<OrRuby<Vec<_>>>()?)
        }
        V::Map(map) => {
            let map = map.try_borrow()?;
            let mut hash = HashBuilder::new(run.vm.arena);
            for (key, value) in map.iter() {
                hash.insert(with_symbols(run, key, symbols)?, with_symbols(run, value, symbols)?);
            }
            let hash = hash.finish();
            if hash.len() != map.len() {
                return Err(ForRuby("to_yaml of a symbol beside its text"));
            }
            Value::Hash(hash)
        }
        value => value.to_value(run.vm)?,
    })
}

fn stands_once(value: Value<'_>, seen: &mut HashSet<usize>) -> OrRuby<bool> {
    budget::spend(1)?;
    Ok(match value {
        Value::Array(items) => {
            let mut once = seen.insert(items.address());
            for item in items.items() {
                once = once && stands_once(*item, seen)?;
            }
            once
        }
        Value::Hash(hash) => {
            let mut once = seen.insert(hash.address());
            for (key, value) in hash.entries() {
                once = once && stands_once(*key, seen)? && stands_once(*value, seen)?;
            }
            once
        }
        _ => true,
    })
}

fn made_once(value: &V<'_>, seen: &mut HashSet<usize>) -> OrRuby<bool> {
    budget::spend(1)?;
    Ok(match value {
        V::List(list) => {
            let mut once = seen.insert(Rc::as_ptr(list) as usize);
            for item in list.try_borrow()?.iter() {
                once = once && made_once(item, seen)?;
            }
            once
        }
        V::Map(map) => {
            let mut once = seen.insert(Rc::as_ptr(map) as usize);
            for (key, value) in map.try_borrow()?.iter() {
                once = once && made_once(key, seen)? && made_once(value, seen)?;
            }
            once
        }
        V::Array(items) => stands_once(Value::Array(*items), seen)?,
        V::Hash(hash) => stands_once(Value::Hash(*hash), seen)?,
        _ => true,
    })
}
