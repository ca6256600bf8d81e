//! `step` and `reverse_each`.

use crate::support::{block, until_break};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::iterator::{Iter, IterSource, asserted, lazy};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// Every so many element, lazily or for the block.
    function "step" {
        dispatch step(param "Iterable" iterable, param "Integer[1]" step);
        dispatch step_block(param "Iterable" iterable, param "Integer[1]" step)
            [block_param "Callable[1,1]" block];
    }
    /// The elements from the last to the first, lazily or for the block.
    function "reverse_each" {
        dispatch reverse_each(param "Iterable" iterable);
        dispatch reverse_each_block(param "Iterable" iterable) [block_param "Callable[1,1]" block];
    }
}

fn sequence<'c>(vm: &mut Vm<'c>, name: &str, value: Value<'c>) -> Eval<'c, &'c Iter<'c>> {
    match lazy(vm, value) {
        Some(iter) => {
            vm.has_iterators = true;
            Ok(iter)
        }
        None => match asserted(vm.arena, name, value) {
            Err(flow) => Err(flow),
            Ok(_) => Err(Flow::raw(format!("{name}(): not iterable"))),
        },
    }
}

fn stepped<'c>(vm: &Vm<'c>, iter: &'c Iter<'c>, by: i64) -> &'c Iter<'c> {
    let Ok(by) = usize::try_from(by) else { return iter };
    if by <= 1 {
        return iter;
    }
    let source = match &iter.source {
        IterSource::Items { items, step, reverse } => {
            IterSource::Items { items, step: step.saturating_mul(by), reverse: *reverse }
        }
        IterSource::Range { from, to, step } => {
            // As in Puppet, the end moves to the last number that is met.
            let (from, to) = (*from, *to);
            let step = step.saturating_mul(by as i64);
            let size = step.saturating_abs().max(1);
            let rest = from.abs_diff(to).rem_euclid(size.unsigned_abs()) as i64;
            let to = match rest {
                0 => to,
                rest if step > 0 => to.saturating_sub(rest),
                // Counting down, Puppet moves it by what is missing, and so leaves the last number out.
                rest => to.saturating_add(size - rest),
            };
            IterSource::Range { from, to, step }
        }
        IterSource::Stepped(..) | IterSource::Reversed(_) => IterSource::Stepped(iter, by),
    };
    vm.arena.alloc(Iter { element: iter.element, source })
}

fn reversed<'c>(vm: &Vm<'c>, iter: &'c Iter<'c>) -> &'c Iter<'c> {
    let source = match &iter.source {
        IterSource::Items { items, step: 1, reverse } => {
            IterSource::Items { items, step: 1, reverse: !reverse }
        }
        IterSource::Range { from, to, step } => IterSource::Range { from: *to, to: *from, step: -step },
        IterSource::Items { .. } | IterSource::Stepped(..) | IterSource::Reversed(_) => {
            IterSource::Reversed(iter)
        }
    };
    vm.arena.alloc(Iter { element: iter.element, source })
}

fn step_size(call: &Call<'_, '_>) -> i64 {
    match call.arg(1) {
        Some(Value::Int(n)) => n,
        _ => 1,
    }
}

fn run<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>, iter: &'c Iter<'c>) -> Eval<'c> {
    let block = block(&call)?;
    let mut cursor = asserted(vm.arena, "step", Value::Iterator(iter))?;
    while let Some(item) = cursor.next(vm.arena) {
        if until_break(vm.call(block, &[item]))?.is_none() {
            break;
        }
    }
    Ok(Value::Undef)
}

fn step<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let iter = sequence(vm, "step", call.args[0])?;
    Ok(Value::Iterator(stepped(vm, iter, step_size(&call))))
}

fn step_block<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let iter = sequence(vm, "step", call.args[0])?;
    let iter = stepped(vm, iter, step_size(&call));
    run(vm, call, iter)
}

fn reverse_each<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let iter = sequence(vm, "reverse_each", call.args[0])?;
    Ok(Value::Iterator(reversed(vm, iter)))
}

fn reverse_each_block<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let iter = sequence(vm, "reverse_each", call.args[0])?;
    let iter = reversed(vm, iter);
    run(vm, call, iter)
}
