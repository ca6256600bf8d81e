//! `to_yaml` of plain data.

use crate::budget;
use crate::eval::Run;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::tree::Block;
use crate::value::V;
use bunraku_vm::value::{HashBuilder, Str, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A value as a document.
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
    let mut known = Known::default();
    let value = with_symbols(run, on, &mut known)?;
    let is_symbol = |text: Str<'c>| known.symbols.contains(&text.as_str().as_ptr().addr());
    let text = run.vm.host.yaml(value, Some(options.finish()), &is_symbol);
    text.map(V::made).ok_or(ForRuby("to_yaml of such a value"))
}

/// What has been met in a value.
#[derive(Default)]
struct Known<'c> {
    /// Where the texts of symbols lie.
    symbols: HashSet<usize>,
    /// What has become of arrays and hashes that code has made, by where they lie: what was one object stays one.
    made: HashMap<usize, Value<'c>>,
    /// How many of them are around what is looked at.
    depth: usize,
}

/// Deeper values are Ruby's, which gives up at some depth.
const DEEPEST: usize = 500;

/// As a value of the compile, in which symbols are strings with their colon.
fn with_symbols<'c>(run: &Run<'_, 'c>, value: &V<'c>, known: &mut Known<'c>) -> OrRuby<Value<'c>> {
    budget::spend(1)?;
    let at = match value {
        V::Symbol(name) => {
            let text = run.vm.string(&format!(":{name}"));
            if let Value::Str(text) = text {
                known.symbols.insert(text.as_str().as_ptr().addr());
            }
            return Ok(text);
        }
        V::List(items) => Rc::as_ptr(items).addr(),
        V::Map(map) => Rc::as_ptr(map).addr(),
        value => return value.to_value(run.vm),
    };
    if let Some(made) = known.made.get(&at) {
        return Ok(*made);
    }
    known.depth += 1;
    if known.depth > DEEPEST {
        return Err(ForRuby("a deep value"));
    }
    let made = match value {
        V::List(items) => {
            let items = items.try_borrow()?;
            let items = items.iter().map(|item| with_symbols(run, item, known));
            run.vm.array(&items.collect::<OrRuby<Vec<_>>>()?)
        }
        V::Map(map) => {
            let map = map.try_borrow()?;
            let mut hash = HashBuilder::new(run.vm.arena);
            for (key, value) in map.iter() {
                hash.insert(with_symbols(run, key, known)?, with_symbols(run, value, known)?);
            }
            let hash = hash.finish();
            if hash.len() != map.len() {
                return Err(ForRuby("to_yaml of a symbol beside its text"));
            }
            Value::Hash(hash)
        }
        value => value.to_value(run.vm)?,
    };
    known.depth -= 1;
    known.made.insert(at, made);
    Ok(made)
}
