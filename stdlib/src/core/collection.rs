//! Sizes, keys, values, flattening and joining.

use crate::support::{deprecated_here, text};
use bunraku_vm::budget;
use bunraku_vm::error::Eval;
use bunraku_vm::format::to_ruby_s;
use bunraku_vm::function::Call;
use bunraku_vm::value::{Array, Value, flatten as flat_of};
use bunraku_vm::vm::Vm;

natives! {
    /// Whether there is nothing in a collection, a string or a binary.
    function "empty" {
        dispatch empty(param "Collection" coll);
        dispatch empty(param "Sensitive[String]" str);
        dispatch empty(param "String" str);
        dispatch empty_number(param "Numeric" num);
        dispatch empty(param "Binary" bin);
        dispatch empty(param "Undef" x);
    }
    /// The number of elements, characters or bytes.
    function "length" {
        dispatch length(param "Collection" arg);
        dispatch length(param "String" arg);
        dispatch length(param "Binary" arg);
    }
    /// The number of elements, characters or bytes.
    function "size" { dispatch length(param "Variant[Collection, String, Binary]" arg); }
    /// The keys of a hash.
    function "keys" { dispatch keys(param "Hash" hsh); }
    /// The values of a hash.
    function "values" { dispatch values(param "Hash" hsh); }
    /// Its arguments, and what is in arrays among them, in one array.
    function "flatten" { dispatch flatten(repeated_param "Any" args); }
    /// The elements of an array as one text.
    function "join" { dispatch join(param "Array" arg, optional_param "String" delimiter); }
}

fn empty<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    fn is_empty(value: Value<'_>) -> bool {
        match value {
            Value::Array(items) => items.is_empty(),
            Value::Hash(hash) => hash.is_empty(),
            Value::Str(text) => text.is_empty(),
            Value::Binary(bytes) => bytes.is_empty(),
            Value::Sensitive(hidden) => is_empty(*hidden),
            _ => true,
        }
    }
    Ok(Value::Bool(is_empty(call.args[0])))
}

fn empty_number<'c>(vm: &mut Vm<'c>, _: Call<'c, '_>) -> Eval<'c> {
    deprecated_here(vm, "Calling function empty() with Numeric value is deprecated.");
    Ok(Value::Bool(false))
}

fn length<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Int(match call.args[0] {
        Value::Array(items) => items.len(),
        Value::Hash(hash) => hash.len(),
        Value::Str(text) => text.chars().count(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    } as i64))
}

fn keys<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Hash(hash) = call.args[0] else { return Ok(Value::Undef) };
    let keys: Vec<_> = hash.entries().iter().map(|(key, _)| *key).collect();
    Ok(vm.array(&keys))
}

fn values<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Hash(hash) = call.args[0] else { return Ok(Value::Undef) };
    let values: Vec<_> = hash.entries().iter().map(|(_, value)| *value).collect();
    Ok(vm.array(&values))
}

fn flatten<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut flat = Vec::new();
    flat_of(call.args, &mut flat);
    Ok(vm.array(&flat))
}

/// What Ruby's `Array#join` gives: arrays within are joined alike.
pub(super) fn joined(items: Array<'_>, delimiter: &str) -> String {
    fn add(out: &mut String, items: Array<'_>, delimiter: &str) {
        budget::within(items.len(), || {
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    budget::push_str(out, delimiter);
                }
                match item {
                    Value::Array(inner) => add(out, *inner, delimiter),
                    item => budget::push_str(out, &to_ruby_s(*item)),
                }
            }
        });
    }
    let mut out = String::new();
    add(&mut out, items, delimiter);
    out
}

fn join<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Array(items) = call.args[0] else { return Ok(Value::Undef) };
    Ok(vm.string(&joined(items, text(call.arg(1)))))
}
