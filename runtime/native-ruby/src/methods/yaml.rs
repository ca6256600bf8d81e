//! `to_yaml` of plain data.

use crate::budget;
use crate::eval::Run;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::tree::Block;
use crate::value::V;
use bunraku_stdlib::module;
use bunraku_vm::value::{HashBuilder, Value};
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
    let text = module::yaml(run.vm, on.to_value(run.vm)?, Some(options.finish()));
    text.map(V::made).ok_or(ForRuby("to_yaml of such a value"))
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
