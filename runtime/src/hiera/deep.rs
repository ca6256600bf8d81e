//! Deep merges, as Ruby's gem `deep_merge` does them.

use super::merge::unique;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// Options of a deep merge.
#[derive(Clone, Default)]
pub struct DeepOptions<'c> {
    /// The strategy's name.
    pub name: &'static str,
    /// The options as they were given.
    pub given: Option<Hash<'c>>,
    /// What starts with it removes what it names.
    pub knockout_prefix: Option<String>,
    /// Arrays that were merged are sorted.
    pub sort_merged_arrays: bool,
    /// Arrays of hashes are merged hash by hash.
    pub merge_hash_arrays: bool,
    /// The second value wins, not the first.
    pub reverse: bool,
}

impl<'c> DeepOptions<'c> {
    /// The options in a `merge` hash of the strategy of that name.
    pub fn of(name: &'static str, given: Option<Hash<'c>>) -> Eval<'c, DeepOptions<'c>> {
        let reverse = name == "reverse_deep";
        let Some(options) = given else { return Ok(DeepOptions { name, reverse, ..DeepOptions::default() }) };
        let flag = |name: &str| options.get_str(name).is_some_and(Value::truthy);
        let knockout_prefix = options.get_str("knockout_prefix").and_then(Value::as_str).map(str::to_owned);
        if knockout_prefix.as_deref() == Some("") {
            return Err(Flow::raw("knockout_prefix cannot be an empty string in deep_merge!"));
        }
        Ok(DeepOptions {
            name,
            given,
            knockout_prefix,
            sort_merged_arrays: flag("sort_merged_arrays"),
            merge_hash_arrays: flag("merge_hash_arrays"),
            reverse,
        })
    }

    fn knocks_out(&self, value: Value<'_>) -> bool {
        match (&self.knockout_prefix, value) {
            (Some(prefix), Value::Str(text)) => text.starts_with(prefix.as_str()),
            _ => false,
        }
    }
}

/// `source` over `dest`.
pub fn merge<'c>(vm: &mut Vm<'c>, options: &DeepOptions<'c>, source: Value<'c>, dest: Value<'c>) -> Eval<'c> {
    if source.is_undef() {
        return Ok(dest);
    }
    if !dest.truthy() {
        return Ok(source);
    }
    match source {
        Value::Hash(hash) => hashes(vm, options, hash, dest),
        Value::Array(items) => arrays(vm, options, items.items(), dest),
        other => Ok(overwrite(vm, options, other)),
    }
}

fn hashes<'c>(vm: &mut Vm<'c>, options: &DeepOptions<'c>, source: Hash<'c>, dest: Value<'c>) -> Eval<'c> {
    if source.is_empty() {
        return Ok(dest);
    }
    let Value::Hash(dest) = dest else { return Ok(Value::Hash(source)) };
    let mut merged = HashBuilder::with(vm.arena, dest);
    for (key, value) in source.entries() {
        // What is new is merged into a copy of itself: that cleans its arrays.
        let under = merged.get(*key).filter(|value| value.truthy()).unwrap_or(*value);
        let value = merge(vm, options, *value, under)?;
        merged.insert(*key, value);
    }
    Ok(Value::Hash(merged.finish()))
}

fn arrays<'c>(vm: &mut Vm<'c>, options: &DeepOptions<'c>, source: &[Value<'c>], dest: Value<'c>) -> Eval<'c> {
    let mut source = source.to_vec();
    let mut dest = dest;
    if let Some(prefix) = &options.knockout_prefix
        && source.iter().any(|item| item.as_str() == Some(prefix))
    {
        // The bare prefix empties what is there.
        source.retain(|item| item.as_str() != Some(prefix));
        dest = match dest {
            Value::Array(_) => vm.array(&[]),
            Value::Hash(_) => Value::Hash(HashBuilder::new(vm.arena).finish()),
            Value::Str(_) => vm.string(""),
            _ => Value::Undef,
        };
    }
    let Value::Array(items) = dest else {
        let source = vm.array(&source);
        return Ok(overwrite(vm, options, source));
    };
    let mut dest = items.items().to_vec();
    if let Some(prefix) = &options.knockout_prefix {
        for item in source.iter().filter(|item| options.knocks_out(**item)) {
            let text = item.as_str().unwrap_or_default();
            let named = text.strip_prefix(prefix.as_str()).unwrap_or(text);
            dest.retain(|item| !matches!(item, Value::Str(t) if t.as_str() == named || t.as_str() == text));
        }
        source.retain(|item| !options.knocks_out(*item));
    }
    let all_hashes = |items: &[Value<'c>]| items.iter().all(|item| matches!(item, Value::Hash(_)));
    let mut merged = if options.merge_hash_arrays && all_hashes(&source) && all_hashes(&dest) {
        let mut list = Vec::new();
        for (n, item) in dest.iter().enumerate() {
            list.push(match source.get(n) {
                Some(over) => merge(vm, options, *over, *item)?,
                None => *item,
            });
        }
        list.extend(source.iter().skip(dest.len()));
        list
    } else {
        match unique(vm, &[dest, source].concat()) {
            Value::Array(items) => items.items().to_vec(),
            other => vec![other],
        }
    };
    if options.sort_merged_arrays {
        sort(&mut merged)?;
    }
    Ok(vm.array(&merged))
}

/// Sorts strings or numbers; Ruby compares nothing else, and not one with the other.
fn sort<'c>(items: &mut [Value<'c>]) -> Eval<'c, ()> {
    let number = |value: &Value<'c>| match value {
        Value::Int(n) => Some(*n as f64),
        Value::Float(f) => Some(*f),
        _ => None,
    };
    if items.iter().all(|item| item.as_str().is_some()) {
        items.sort_by_key(|item| item.as_str());
    } else if items.iter().all(|item| number(item).is_some()) {
        items.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(std::cmp::Ordering::Equal));
    } else if items.len() > 1 {
        return Err(Flow::raw("comparison of values of different kinds failed while sorting merged arrays"));
    }
    Ok(())
}

fn overwrite<'c>(vm: &mut Vm<'c>, options: &DeepOptions<'c>, source: Value<'c>) -> Value<'c> {
    match source {
        Value::Array(items) if items.items().iter().any(|item| options.knocks_out(*item)) => {
            let kept: Vec<_> =
                items.items().iter().copied().filter(|item| !options.knocks_out(*item)).collect();
            vm.array(&kept)
        }
        text if options.knocks_out(text) => vm.string(""),
        other => other,
    }
}
