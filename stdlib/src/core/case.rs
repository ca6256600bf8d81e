//! Upper and lower case.

use crate::support::text;
use bunraku_vm::budget;
use bunraku_vm::error::Eval;
use bunraku_vm::format;
use bunraku_vm::function::Call;
use bunraku_vm::iterator::asserted;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

natives! {
    /// The text in upper case; arrays and hashes in depth.
    function "upcase" {
        local_types { "StringData = Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]" }
        dispatch upcase(param "Numeric" arg);
        dispatch upcase(param "String" arg);
        dispatch upcase(param "Array[StringData]" arg);
        dispatch upcase(param "Hash[StringData, StringData]" arg);
    }
    /// The text in lower case; arrays and hashes in depth.
    function "downcase" {
        local_types { "StringData = Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]" }
        dispatch downcase(param "Numeric" arg);
        dispatch downcase(param "String" arg);
        dispatch downcase(param "Array[StringData]" arg);
        dispatch downcase(param "Hash[StringData, StringData]" arg);
    }
    /// The text with its first letter in upper case and the rest in lower case.
    function "capitalize" {
        dispatch capitalize(param "Numeric" arg);
        dispatch capitalize(param "String" arg);
        dispatch capitalize(param "Iterable[Variant[String, Numeric]]" arg);
    }
    /// The words between underscores capitalised and joined.
    function "camelcase" {
        dispatch camelcase(param "Numeric" arg);
        dispatch camelcase(param "String" arg);
        dispatch camelcase(param "Iterable[Variant[String, Numeric]]" arg);
    }
}

/// Changes every string of a value in depth.
fn deep<'c>(vm: &Vm<'c>, value: Value<'c>, change: fn(&str) -> String) -> Value<'c> {
    budget::within(1, || match value {
        Value::Str(text) => vm.string(&change(&text)),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| deep(vm, *item, change)).collect();
            vm.array(&items)
        }
        Value::Hash(hash) => {
            let mut changed = HashBuilder::new(vm.arena);
            for (key, value) in hash.entries() {
                changed.insert(deep(vm, *key, change), deep(vm, *value, change));
            }
            Value::Hash(changed.finish())
        }
        value => value,
    })
}

/// Changes a string, or each string of something iterable; numbers stay.
pub(super) fn shallow<'c>(
    vm: &mut Vm<'c>,
    name: &str,
    value: Value<'c>,
    change: fn(&str) -> String,
) -> Eval<'c> {
    let one = |vm: &Vm<'c>, value: Value<'c>| match value {
        Value::Str(_) => vm.string(&change(text(Some(value)))),
        value => value,
    };
    match value {
        Value::Str(_) | Value::Int(_) | Value::Float(_) => Ok(one(vm, value)),
        value => {
            let items = asserted(vm.arena, name, value)?.collect(vm.arena);
            let items: Vec<_> = items.into_iter().map(|item| one(vm, item)).collect();
            Ok(vm.array(&items))
        }
    }
}

fn upcase<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(deep(vm, call.args[0], str::to_uppercase))
}

fn downcase<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(deep(vm, call.args[0], str::to_lowercase))
}

fn capitalize<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    shallow(vm, "capitalize", call.args[0], format::capitalize)
}

fn camelcase<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    shallow(vm, "camelcase", call.args[0], |text| text.split('_').map(format::capitalize).collect())
}
