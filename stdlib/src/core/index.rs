//! `index`

use crate::support::{block, text};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::iterator::asserted;
use bunraku_vm::regex;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// The index or key of the first element that equals a value or for which the block is true; the position
    /// of a text in a string.
    function "index" {
        dispatch index_2(param "Hash[Any, Any]" hash) [block_param "Callable[2,2]" block];
        dispatch index_1(param "Hash[Any, Any]" hash) [block_param "Callable[1,1]" block];
        dispatch index_2(param "Iterable" enumerable) [block_param "Callable[2,2]" block];
        dispatch index_1(param "Iterable" enumerable) [block_param "Callable[1,1]" block];
        dispatch string_index(param "String" str, param "Variant[String,Regexp]" match);
        dispatch index_value(param "Iterable" enumerable, param "Any" match);
    }
}

/// The first element that `found` says yes to; it gets the index or key and the element or value.
fn search<'c>(
    vm: &mut Vm<'c>,
    within: Value<'c>,
    mut found: impl FnMut(&mut Vm<'c>, Value<'c>, Value<'c>) -> Eval<'c, bool>,
) -> Eval<'c> {
    if let Value::Hash(hash) = within {
        for (key, value) in hash.entries() {
            if found(vm, *key, *value)? {
                return Ok(*key);
            }
        }
        return Ok(Value::Undef);
    }
    let mut cursor = asserted(vm.arena, "index", within)?;
    let mut index = 0;
    while let Some(item) = cursor.next(vm.arena) {
        if found(vm, Value::Int(index), item)? {
            return Ok(Value::Int(index));
        }
        index += 1;
    }
    Ok(Value::Undef)
}

fn index_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    search(vm, call.args[0], |vm, _, item| Ok(vm.call(block, &[item])?.truthy()))
}

fn index_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    search(vm, call.args[0], |vm, key, item| Ok(vm.call(block, &[key, item])?.truthy()))
}

fn index_value<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let wanted = call.args[1];
    search(vm, call.args[0], |_, _, item| {
        Ok(match (item, wanted) {
            (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => a as f64 == b,
            (a, b) => a.same(b),
        })
    })
}

fn string_index<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let within = text(call.arg(0));
    let at = match call.args[1] {
        Value::Regexp(source) => {
            regex::captures_from(&source, within, 0).map_err(Flow::raw)?.map(|found| found.start())
        }
        wanted => within.find(text(Some(wanted))),
    };
    Ok(at.map_or(Value::Undef, |at| Value::Int(within[..at].chars().count() as i64)))
}
