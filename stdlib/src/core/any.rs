//! `any` and `all`.

use crate::support::block;
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

/// Whether some element makes the block yield `wanted`.
fn find<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>, two: bool, wanted: bool) -> Eval<'c, bool> {
    let block = block(&call)?;
    let mut cursor = asserted(vm.arena, "any", call.args[0])?;
    let mut index = 0;
    while let Some(item) = cursor.next(vm.arena) {
        let answer = match (two, call.args[0], item) {
            (true, Value::Hash(_), Value::Array(pair)) => vm.call(block, &pair)?,
            (true, ..) => vm.call(block, &[Value::Int(index), item])?,
            (false, ..) => vm.call(block, &[item])?,
        };
        if answer.truthy() == wanted {
            return Ok(true);
        }
        index += 1;
    }
    Ok(false)
}

fn any_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(find(vm, call, false, true)?))
}

fn any_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(find(vm, call, true, true)?))
}

fn all_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(!find(vm, call, false, false)?))
}

fn all_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(!find(vm, call, true, false)?))
}
