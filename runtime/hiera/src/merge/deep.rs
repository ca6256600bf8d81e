//! Deep merges, as Ruby's gem `deep_merge` does them.

use crate::merge::unique;
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::inspect::{inspect, to_ruby_s};
use bunraku_vm::label::ruby_class;
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::cmp::Ordering;

/// Options of a deep merge.
#[derive(Clone, Default)]
pub struct DeepOptions<'c> {
    /// The strategy's name.
    pub name: &'static str,
    /// The options as they were given.
    pub given: Option<Hash<'c>>,
    /// A text that begins with it removes from the other value what stands behind it.
    pub knockout_prefix: Option<String>,
    /// Arrays that were merged are sorted.
    pub sort_merged_arrays: bool,
    /// Arrays of hashes are merged hash by hash.
    pub merge_hash_arrays: bool,
    /// The second value wins, not the first.
    pub reverse: bool,
    /// What can't be merged stays; only strategies of old know this one and those that follow.
    pub preserve_unmergeables: bool,
    /// Arrays are replaced.
    pub overwrite_arrays: bool,
    /// A value that is no array is added to the array it meets.
    pub extend_existing_arrays: bool,
    /// Items of arrays are joined by this text and taken apart at it.
    pub unpack_arrays: Option<String>,
}

impl<'c> DeepOptions<'c> {
    /// The options in a `merge` hash of the strategy of that name.
    ///
    /// # Errors
    /// For options that can't be.
    pub fn of(name: &'static str, given: Option<Hash<'c>>) -> Eval<'c, DeepOptions<'c>> {
        let reverse = name == "reverse_deep";
        let Some(options) = given else { return Ok(DeepOptions { name, reverse, ..DeepOptions::default() }) };
        let flag = |name: &str| options.get_str(name).is_some_and(Value::truthy);
        let knockout_prefix = options.get_str("knockout_prefix").and_then(Value::as_str).map(str::to_owned);
        let preserve_unmergeables = flag("preserve_unmergeables");
        let unpack_arrays = options.get_str("unpack_arrays").filter(|value| value.truthy());
        if unpack_arrays.is_some_and(|value| value.as_str().is_none()) {
            return Err(Flow::raw("The deep merge option 'unpack_arrays' must be a text"));
        }
        Ok(DeepOptions {
            preserve_unmergeables,
            overwrite_arrays: flag("overwrite_arrays"),
            extend_existing_arrays: flag("extend_existing_arrays"),
            unpack_arrays: unpack_arrays.and_then(Value::as_str).map(str::to_owned),
            name,
            given,
            knockout_prefix,
            sort_merged_arrays: flag("sort_merged_arrays"),
            merge_hash_arrays: flag("merge_hash_arrays"),
            reverse,
        })
    }

    /// The gem looks at what options go together when there is something to merge.
    fn check(&self) -> Eval<'c, ()> {
        if self.knockout_prefix.as_deref() == Some("") {
            return Err(Flow::of_ruby("knockout_prefix cannot be an empty string in deep_merge!"));
        }
        if self.preserve_unmergeables && self.knockout_prefix.is_some() {
            return Err(Flow::of_ruby(
                "overwrite_unmergeable must be true if knockout_prefix is specified in deep_merge!",
            ));
        }
        Ok(())
    }

    fn knocks_out(&self, value: Value<'_>) -> bool {
        match (&self.knockout_prefix, value) {
            (Some(prefix), Value::Str(text)) => text.starts_with(prefix.as_str()),
            _ => false,
        }
    }
}

/// Merges two values that were found, `source` over `dest`.
///
/// # Errors
/// The gem's, for options that don't go together; when arrays are to be sorted whose items have no order.
pub fn merge_found<'c>(
    vm: &mut Vm<'c>,
    options: &DeepOptions<'c>,
    source: Value<'c>,
    dest: Value<'c>,
) -> Eval<'c> {
    options.check()?;
    merge(vm, options, source, dest)
}

fn merge<'c>(vm: &mut Vm<'c>, options: &DeepOptions<'c>, source: Value<'c>, dest: Value<'c>) -> Eval<'c> {
    budget::within(1, || {
        if source.is_undef() {
            return Ok(dest);
        }
        if !dest.truthy() && !options.preserve_unmergeables {
            return Ok(source);
        }
        match (source, dest) {
            (Value::Hash(hash), _) => hashes(vm, options, hash, dest),
            (Value::Array(items), _) => arrays(vm, options, items.items(), dest),
            (other, Value::Array(items)) if options.extend_existing_arrays => {
                Ok(vm.array(&[items.items(), &[other]].concat()))
            }
            (other, _) => Ok(overwrite(vm, options, other, dest)),
        }
    })
}

fn hashes<'c>(vm: &mut Vm<'c>, options: &DeepOptions<'c>, source: Hash<'c>, dest: Value<'c>) -> Eval<'c> {
    if source.is_empty() {
        return Ok(dest);
    }
    let dest = match dest {
        Value::Hash(dest) => dest,
        Value::Array(items) if options.extend_existing_arrays => {
            // As the gem does it: once for each of the hash's keys.
            let again = vec![Value::Hash(source); source.len()];
            return Ok(vm.array(&[items.items(), &again].concat()));
        }
        _ if options.preserve_unmergeables => return Ok(dest),
        _ => return Ok(Value::Hash(source)),
    };
    let mut merged = HashBuilder::with(vm.arena, dest);
    for (key, value) in source.entries() {
        // A new key is merged into a copy of itself, which removes doubles from its arrays.
        let under = merged.get(*key).filter(|value| value.truthy()).unwrap_or(*value);
        let value = merge(vm, options, *value, under)?;
        merged.insert(*key, value);
    }
    Ok(Value::Hash(merged.finish()))
}

fn arrays<'c>(vm: &mut Vm<'c>, options: &DeepOptions<'c>, source: &[Value<'c>], dest: Value<'c>) -> Eval<'c> {
    if options.overwrite_arrays {
        return Ok(vm.array(source));
    }
    let mut source = source.to_vec();
    let mut dest = dest;
    if let Some(at) = &options.unpack_arrays {
        source = unpacked(vm, &source, at);
        if let Value::Array(items) = dest {
            let items = unpacked(vm, items.items(), at);
            dest = vm.array(&items);
        }
    }
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
        return Ok(overwrite(vm, options, source, dest));
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

/// Sorts strings, numbers or arrays of them; Ruby compares nothing else, and not one with the other.
fn sort<'c>(items: &mut Vec<Value<'c>>) -> Eval<'c, ()> {
    // One by one: what can't be compared is no order, and library sorts want one.
    let mut sorted: Vec<Value<'c>> = Vec::with_capacity(items.len());
    for item in items.iter() {
        let mut failed = None;
        let place = sorted.partition_point(|other| {
            order(*other, *item).unwrap_or_else(|| {
                failed.get_or_insert(*other);
                Ordering::Equal
            }) != Ordering::Greater
        });
        if let Some(one) = failed {
            let with = match *item {
                Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) => inspect(*item),
                other => ruby_class(other),
            };
            let message = format!("comparison of {} with {with} failed", ruby_class(one));
            return Err(Flow::caused(Cause::Incomparable, message));
        }
        sorted.insert(place, *item);
    }
    *items = sorted;
    Ok(())
}

/// Ruby's `<=>`.
fn order<'c>(one: Value<'c>, other: Value<'c>) -> Option<Ordering> {
    budget::within(1, || match (one, other) {
        (Value::Str(one), Value::Str(other)) => Some(one.as_str().cmp(other.as_str())),
        (Value::Int(one), Value::Int(other)) => Some(one.cmp(&other)),
        (Value::Float(one), Value::Float(other)) => one.partial_cmp(&other),
        (Value::Int(one), Value::Float(other)) => (one as f64).partial_cmp(&other),
        (Value::Float(one), Value::Int(other)) => one.partial_cmp(&(other as f64)),
        (Value::Array(one), Value::Array(other)) => {
            let (one, other) = (one.items(), other.items());
            for (a, b) in one.iter().zip(other) {
                match order(*a, *b)? {
                    Ordering::Equal => {}
                    unequal => return Some(unequal),
                }
            }
            Some(one.len().cmp(&other.len()))
        }
        (one, other) => one.same(other).then_some(Ordering::Equal),
    })
}

/// The items joined and taken apart again; empty ones at the end go.
fn unpacked<'c>(vm: &mut Vm<'c>, items: &[Value<'c>], at: &str) -> Vec<Value<'c>> {
    let mut joined = String::new();
    join(&mut joined, items, at, &mut true);
    let mut parts: Vec<&str> =
        if at == " " { joined.split_whitespace().collect() } else { joined.split(at).collect() };
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts.into_iter().map(|part| vm.string(part)).collect()
}

fn join(out: &mut String, items: &[Value<'_>], at: &str, is_first: &mut bool) {
    budget::room(2 * out.len());
    budget::within(items.len(), || {
        for item in items {
            match item {
                Value::Array(items) if !items.is_empty() => join(out, items.items(), at, is_first),
                other => {
                    if !std::mem::take(is_first) {
                        out.push_str(at);
                    }
                    if !matches!(other, Value::Array(_)) {
                        out.push_str(&to_ruby_s(*other));
                    }
                }
            }
        }
    })
}

/// `source` in place of `dest`, without what it knocks out.
fn overwrite<'c>(
    vm: &mut Vm<'c>,
    options: &DeepOptions<'c>,
    source: Value<'c>,
    dest: Value<'c>,
) -> Value<'c> {
    match source {
        _ if options.preserve_unmergeables => dest,
        Value::Array(items) if items.items().iter().any(|item| options.knocks_out(*item)) => {
            let kept: Vec<_> =
                items.items().iter().copied().filter(|item| !options.knocks_out(*item)).collect();
            vm.array(&kept)
        }
        text if options.knocks_out(text) => vm.string(""),
        other => other,
    }
}
