//! `reduce` and `slice`.

use crate::support::{block, until_break};
use bunraku_vm::budget;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::iterator::asserted;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// Combines the elements two by two; `break()` yields what has been combined so far.
    function "reduce" {
        dispatch without_memo(param "Iterable" enumerable) [block_param "Callable[2,2]" block];
        dispatch with_memo(param "Iterable" enumerable, param "Any" memo) [block_param "Callable[2,2]" block];
    }
    /// Parts of so many elements each: as an array, or given to the block one by one.
    function "slice" {
        dispatch slice_hash(param "Hash[Any, Any]" hash, param "Integer[1, default]" slice_size)
            [optional_block_param];
        dispatch slice_items(param "Iterable" enumerable, param "Integer[1, default]" slice_size)
            [optional_block_param];
    }
}

fn without_memo<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut cursor = asserted(vm.arena, "reduce", call.args[0])?;
    match cursor.next(vm.arena) {
        Some(first) => fold(vm, call, cursor, first),
        None => Ok(Value::Undef),
    }
}

fn with_memo<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let cursor = asserted(vm.arena, "reduce", call.args[0])?;
    fold(vm, call, cursor, call.args[1])
}

fn fold<'c>(
    vm: &mut Vm<'c>,
    call: Call<'c, '_>,
    mut cursor: bunraku_vm::iterator::Cursor<'c>,
    mut memo: Value<'c>,
) -> Eval<'c> {
    let block = block(&call)?;
    while let Some(item) = cursor.next(vm.arena) {
        match until_break(vm.call(block, &[memo, item]))? {
            Some(value) => memo = value,
            None => break,
        }
    }
    Ok(memo)
}

fn slice_hash<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let filler = vm.array(&[]);
    slice(vm, call, filler)
}

fn slice_items<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    slice(vm, call, Value::Undef)
}

fn slice<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>, filler: Value<'c>) -> Eval<'c> {
    let size = match call.args[1] {
        Value::Int(n) => usize::try_from(n).unwrap_or(usize::MAX),
        _ => 1,
    };
    let serving = match call.block {
        None => 1,
        Some(block) => match vm.arity(block)? {
            (least, Some(most)) if least == most => most,
            _ => size,
        },
    };
    if serving == 0 {
        return Err(Flow::raw("slice(): block must define at least one parameter. Block has 0."));
    }
    if serving != 1 && serving != size {
        return Err(Flow::raw(format!(
            "slice(): block must define one parameter, or the same number of parameters as the given size of \
             the slice ({size}). Block has {serving}; "
        )));
    }
    let items = asserted(vm.arena, "slice", call.args[0])?.collect(vm.arena);
    let mut result = Vec::new();
    for part in items.chunks(size) {
        let part = match call.block {
            None => {
                budget::push(&mut result, vm.array(part));
                continue;
            }
            Some(_) if serving == 1 => vec![vm.array(part)],
            Some(_) => {
                budget::room(serving.saturating_mul(size_of::<Value<'c>>()));
                let mut part = part.to_vec();
                part.resize(serving, filler);
                part
            }
        };
        if until_break(vm.call(block(&call)?, &part))?.is_none() {
            break;
        }
    }
    Ok(if call.block.is_some() { call.args[0] } else { vm.array(&result) })
}
