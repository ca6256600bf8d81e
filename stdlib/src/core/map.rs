//! `map`

use crate::support::{block, until_break};
use bunraku_vm::budget;
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::iterator::asserted;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// The array of what the block yields for each element.
    function "map" {
        dispatch hash_2(param "Hash[Any, Any]" hash) [block_param "Callable[2,2]" block];
        dispatch map_1(param "Hash[Any, Any]" hash) [block_param "Callable[1,1]" block];
        dispatch map_2(param "Iterable" enumerable) [block_param "Callable[2,2]" block];
        dispatch map_1(param "Iterable" enumerable) [block_param "Callable[1,1]" block];
    }
}

fn hash_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    let Value::Hash(hash) = call.args[0] else { return Ok(Value::Undef) };
    let mut result = Vec::with_capacity(hash.len());
    for (key, value) in hash.entries() {
        match until_break(vm.call(block, &[*key, *value]))? {
            Some(value) => budget::push(&mut result, value),
            None => break,
        }
    }
    Ok(vm.array(&result))
}

fn map_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    let mut cursor = asserted(vm.arena, "map", call.args[0])?;
    let mut result = Vec::with_capacity(cursor.expected());
    while let Some(item) = cursor.next(vm.arena) {
        match until_break(vm.call(block, &[item]))? {
            Some(value) => budget::push(&mut result, value),
            None => break,
        }
    }
    Ok(vm.array(&result))
}

fn map_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    let mut cursor = asserted(vm.arena, "map", call.args[0])?;
    let mut result = Vec::with_capacity(cursor.expected());
    while let Some(item) = cursor.next(vm.arena) {
        match until_break(vm.call(block, &[Value::Int(result.len() as i64), item]))? {
            Some(value) => budget::push(&mut result, value),
            None => break,
        }
    }
    Ok(vm.array(&result))
}
