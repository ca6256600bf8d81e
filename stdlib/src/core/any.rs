//! `any` and `all`.

use crate::support::{BlockArgs, block};
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::iterator::asserted;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// Whether the block is true for one element.
    function "any" {
        dispatch any_2(param "Hash[Any, Any]" hash) [block_param "Callable[2,2]" block];
        dispatch any_1(param "Hash[Any, Any]" hash) [block_param "Callable[1,1]" block];
        dispatch any_2(param "Iterable" enumerable) [block_param "Callable[2,2]" block];
        dispatch any_1(param "Iterable" enumerable) [block_param "Callable[1,1]" block];
    }
    /// Whether the block is true for every element.
    function "all" {
        dispatch all_2(param "Hash[Any, Any]" hash) [block_param "Callable[2,2]" block];
        dispatch all_1(param "Hash[Any, Any]" hash) [block_param "Callable[1,1]" block];
        dispatch all_2(param "Iterable" enumerable) [block_param "Callable[2,2]" block];
        dispatch all_1(param "Iterable" enumerable) [block_param "Callable[1,1]" block];
    }
}

/// Whether the block yields something that is `wanted` for one of the elements.
fn find<'c>(
    vm: &mut Vm<'c>,
    call: Call<'c, '_>,
    given: BlockArgs,
    wanted: fn(Value<'c>) -> bool,
) -> Eval<'c, bool> {
    let block = block(&call)?;
    let mut cursor = asserted(vm.arena, "any", call.args[0])?;
    let mut index = 0;
    while let Some(item) = cursor.next(vm.arena) {
        if wanted(given.call(vm, block, call.args[0], (index, item))?) {
            return Ok(true);
        }
        index += 1;
    }
    Ok(false)
}

fn is_false(value: Value<'_>) -> bool {
    !value.truthy()
}

fn any_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(find(vm, call, BlockArgs::One, Value::truthy)?))
}

fn any_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(find(vm, call, BlockArgs::Two, Value::truthy)?))
}

fn all_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(!find(vm, call, BlockArgs::One, is_false)?))
}

fn all_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(!find(vm, call, BlockArgs::Two, is_false)?))
}
