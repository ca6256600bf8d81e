//! `each`

use crate::support::{block, until_break};
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::iterator::asserted;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// Calls the block for each element of something iterable; yields that.
    function "each" {
        dispatch hash_2(param "Hash[Any, Any]" hash) [block_param "Callable[2,2]" block];
        dispatch each_1(param "Hash[Any, Any]" hash) [block_param "Callable[1,1]" block];
        dispatch each_2(param "Iterable" enumerable) [block_param "Callable[2,2]" block];
        dispatch each_1(param "Iterable" enumerable) [block_param "Callable[1,1]" block];
    }
}

fn hash_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    let Value::Hash(hash) = call.args[0] else { return Ok(call.args[0]) };
    for (key, value) in hash.entries() {
        if until_break(vm.call(block, &[*key, *value]))?.is_none() {
            break;
        }
    }
    Ok(call.args[0])
}

fn each_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    let mut cursor = asserted(vm.arena, "each", call.args[0])?;
    while let Some(item) = cursor.next(vm.arena) {
        if until_break(vm.call(block, &[item]))?.is_none() {
            break;
        }
    }
    Ok(call.args[0])
}

fn each_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    let mut cursor = asserted(vm.arena, "each", call.args[0])?;
    let mut index = 0;
    while let Some(item) = cursor.next(vm.arena) {
        if until_break(vm.call(block, &[Value::Int(index), item]))?.is_none() {
            break;
        }
        index += 1;
    }
    Ok(call.args[0])
}
