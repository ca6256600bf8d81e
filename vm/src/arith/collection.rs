//! `+`, `-` and `<<` on arrays, hashes and binaries.

use crate::compat::Rule;
use crate::error::{Eval, Flow};
use crate::host::Change;
use crate::value::{Array, HashBuilder, Value};
use crate::vm::Vm;

/// A hash as an array of pairs.
pub(crate) fn pairs<'c>(vm: &Vm<'c>, hash: crate::value::Hash<'c>) -> Vec<Value<'c>> {
    hash.entries().iter().map(|(k, v)| vm.array(&[*k, *v])).collect()
}

/// What an operand adds to or takes from an array.
fn elements<'c>(vm: &Vm<'c>, value: Value<'c>) -> Vec<Value<'c>> {
    match value {
        Value::Array(items) => items.to_vec(),
        Value::Hash(hash) => pairs(vm, hash),
        value => vec![value],
    }
}

pub(super) fn append<'c>(vm: &Vm<'c>, items: Array<'c>, value: Value<'c>) -> Value<'c> {
    Value::Array(items.appended(vm.arena, &[value]))
}

pub(super) fn concatenate<'c>(vm: &mut Vm<'c>, a: Value<'c>, b: Value<'c>) -> Eval<'c> {
    match (a, b) {
        (Value::Array(items), b) => {
            let tail = elements(vm, b);
            Ok(Value::Array(items.appended(vm.arena, &tail)))
        }
        (Value::Hash(hash), Value::Hash(other)) if other.is_empty() => Ok(Value::Hash(hash.again(vm.arena))),
        (Value::Hash(hash), Value::Hash(other)) => Ok(Value::Hash(hash.merged(vm.arena, other.entries()))),
        (Value::Hash(hash), Value::Array(items)) => {
            let mut merged = HashBuilder::with(vm.arena, hash);
            if !items.is_empty() && items.iter().all(|item| matches!(item, Value::Array(_))) {
                let pairs_only = vm.host.holds(Rule::AddedListsAreOfPairs);
                for (at, item) in items.iter().enumerate() {
                    let Value::Array(pair) = item else { continue };
                    match pair.items() {
                        [key, value] => merged.insert(*key, *value),
                        pair if pairs_only => {
                            let length = pair.len();
                            return Err(Flow::raw(format!(
                                "wrong array length at {at} (expected 2, was {length})"
                            )));
                        }
                        [key] => {
                            vm.witness(Change::Rule(Rule::AddedListsAreOfPairs), "");
                            merged.insert(*key, Value::Undef);
                        }
                        pair => {
                            return Err(Flow::raw(format!(
                                "invalid number of elements ({} for 1..2)",
                                pair.len()
                            )));
                        }
                    }
                }
            } else {
                if let [Value::Hash(other)] = items.items() {
                    for (key, value) in other.entries() {
                        merged.insert(*key, *value);
                    }
                    return Ok(Value::Hash(merged.finish()));
                }
                if !items.len().is_multiple_of(2) {
                    return Err(Flow::raw("odd number of arguments for Hash"));
                }
                for pair in items.chunks(2) {
                    merged.insert(pair[0], pair[1]);
                }
            }
            Ok(Value::Hash(merged.finish()))
        }
        (Value::Hash(_), _) => Err(Flow::raw("Can only append Array or Hash to a Hash")),
        (Value::Binary(bytes), Value::Binary(more)) => {
            let all: &'c [u8] = vm.arena.alloc_slice_copy(&[*bytes, *more].concat());
            Ok(Value::Binary(vm.arena.alloc(all)))
        }
        (Value::Binary(_), _) => Err(Flow::raw("Can only append Binary to a Binary")),
        (Value::Uri(base), Value::Uri(other) | Value::Str(other)) => {
            let text = crate::uri::join(&base, &other).map_err(Flow::raw)?;
            Ok(Value::Uri(crate::value::Str::new(vm.arena, &text)))
        }
        _ => Err(Flow::raw("An URI can only be merged with an URI or String")),
    }
}

/// Ruby's `==` that deletion goes by: numbers compare across integer and float.
fn equal<'c>(a: Value<'c>, b: Value<'c>) -> bool {
    match (a, b) {
        (Value::Int(x), Value::Float(y)) | (Value::Float(y), Value::Int(x)) => x as f64 == y,
        _ => a.same(b),
    }
}

pub(super) fn delete<'c>(vm: &Vm<'c>, a: Value<'c>, b: Value<'c>) -> Value<'c> {
    match a {
        Value::Hash(hash) => {
            let keys = match b {
                Value::Hash(other) => other.entries().iter().map(|(k, _)| *k).collect(),
                other => elements(vm, other),
            };
            let mut kept = HashBuilder::new(vm.arena);
            for (key, value) in hash.entries() {
                if !keys.iter().any(|k| k.same(*key)) {
                    kept.insert(*key, *value);
                }
            }
            Value::Hash(kept.finish())
        }
        Value::Array(items) => {
            let gone = elements(vm, b);
            let kept: Vec<_> =
                items.iter().filter(|item| !gone.iter().any(|g| equal(**item, *g))).copied().collect();
            vm.array(&kept)
        }
        other => other,
    }
}
