//! `filter`, `partition` and `group_by`.

use crate::support::{BlockArgs, block, until_break};
use bunraku_vm::budget;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::Eval;
use bunraku_vm::function::Call;
use bunraku_vm::iterator::asserted;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

natives! {
    /// The elements for which the block is true: a hash of a hash, an array of anything else.
    function "filter" {
        dispatch filter_hash_2(param "Hash[Any, Any]" hash) [block_param "Callable[2,2]" block];
        dispatch filter_hash_1(param "Hash[Any, Any]" hash) [block_param "Callable[1,1]" block];
        dispatch filter_2(param "Iterable" enumerable) [block_param "Callable[2,2]" block];
        dispatch filter_1(param "Iterable" enumerable) [block_param "Callable[1,1]" block];
    }
    /// Two arrays: the elements for which the block is true, and the others.
    function "partition" {
        dispatch partition_1(param "Collection" collection) [block_param "Callable[1,1]" block]
            -> "Tuple[Array, Array]";
        dispatch partition_2(param "Array" array) [block_param "Callable[2,2]" block] -> "Tuple[Array, Array]";
        dispatch partition_2(param "Collection" collection) [block_param "Callable[2,2]" block]
            -> "Tuple[Array, Array]";
    }
    /// A hash of what the block yields to the elements it yields that for.
    function "group_by" {
        dispatch group_by_1(param "Collection" collection) [block_param "Callable[1,1]" block] -> "Hash";
        dispatch group_by_2(param "Array" array) [block_param "Callable[2,2]" block] -> "Hash";
        dispatch group_by_2(param "Collection" collection) [block_param "Callable[2,2]" block] -> "Hash";
    }
}

/// The entries for which `call_block` yields something true.
fn filter_hash<'c>(
    vm: &mut Vm<'c>,
    call: Call<'c, '_>,
    call_block: fn(&mut Vm<'c>, &'c Closure<'c>, Value<'c>, Value<'c>) -> Eval<'c>,
) -> Eval<'c> {
    let block = block(&call)?;
    let Value::Hash(hash) = call.args[0] else { return Ok(Value::Undef) };
    let mut kept = HashBuilder::new(vm.arena);
    for (key, value) in hash.entries() {
        if call_block(vm, block, *key, *value)?.truthy() {
            kept.insert(*key, *value);
        }
    }
    Ok(Value::Hash(kept.finish()))
}

fn filter_hash_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    filter_hash(vm, call, |vm, block, key, value| {
        let pair = vm.array(&[key, value]);
        vm.call(block, &[pair])
    })
}

fn filter_hash_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    filter_hash(vm, call, |vm, block, key, value| vm.call(block, &[key, value]))
}

fn filter_items<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>, given: BlockArgs) -> Eval<'c> {
    let block = block(&call)?;
    let mut cursor = asserted(vm.arena, "filter", call.args[0])?;
    let mut kept = Vec::new();
    let mut index = 0;
    while let Some(item) = cursor.next(vm.arena) {
        let args = [Value::Int(index), item];
        let args = if given == BlockArgs::Two { &args[..] } else { &args[1..] };
        match until_break(vm.call(block, args))? {
            Some(wanted) if wanted.truthy() => budget::push(&mut kept, item),
            Some(_) => {}
            None => break,
        }
        index += 1;
    }
    Ok(vm.array(&kept))
}

fn filter_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    filter_items(vm, call, BlockArgs::One)
}

fn filter_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    filter_items(vm, call, BlockArgs::Two)
}

/// Elements of a collection with what the block yields for each; with two parameters it gets the index or
/// the key first.
fn tested<'c>(
    vm: &mut Vm<'c>,
    call: Call<'c, '_>,
    given: BlockArgs,
) -> Eval<'c, Vec<(Value<'c>, Value<'c>)>> {
    let block = block(&call)?;
    let mut cursor = asserted(vm.arena, "partition", call.args[0])?;
    let mut all = Vec::new();
    while let Some(item) = cursor.next(vm.arena) {
        let index = all.len() as i64;
        let answer = given.call(vm, block, call.args[0], (index, item))?;
        budget::push(&mut all, (item, answer));
    }
    Ok(all)
}

fn partition<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>, given: BlockArgs) -> Eval<'c> {
    let (yes, no): (Vec<_>, Vec<_>) =
        tested(vm, call, given)?.into_iter().partition(|(_, answer)| answer.truthy());
    let items =
        |pairs: Vec<(Value<'c>, Value<'c>)>| -> Vec<_> { pairs.into_iter().map(|(i, _)| i).collect() };
    let parts = [vm.array(&items(yes)), vm.array(&items(no))];
    Ok(vm.array(&parts))
}

fn partition_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    partition(vm, call, BlockArgs::One)
}

fn partition_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    partition(vm, call, BlockArgs::Two)
}

fn group_by<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>, given: BlockArgs) -> Eval<'c> {
    let mut groups: Vec<(Value<'c>, Vec<Value<'c>>)> = Vec::new();
    // Which group a key has.
    let mut numbers = HashBuilder::new(vm.arena);
    for (item, key) in tested(vm, call, given)? {
        match numbers.get(key) {
            Some(Value::Int(number)) => groups[number as usize].1.push(item),
            _ => {
                numbers.insert(key, Value::Int(groups.len() as i64));
                groups.push((key, vec![item]));
            }
        }
    }
    let mut hash = HashBuilder::new(vm.arena);
    for (key, items) in groups {
        hash.insert(key, vm.array(&items));
    }
    Ok(Value::Hash(hash.finish()))
}

fn group_by_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    group_by(vm, call, BlockArgs::One)
}

fn group_by_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    group_by(vm, call, BlockArgs::Two)
}
