//! `sort` and `unique`.

use super::number::block_order;
use crate::support::text;
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::inspect;
use bunraku_vm::function::Call;
use bunraku_vm::iterator::asserted;
use bunraku_vm::label;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::cmp::Ordering;

natives! {
    /// The elements of an array, or the characters of a string, in order.
    function "sort" {
        dispatch sort_string(param "String" string_value) [optional_block_param "Callable[2,2]" block];
        dispatch sort_array(param "Array" array_value) [optional_block_param "Callable[2,2]" block];
    }
    /// The elements without repetition; of a hash, the keys by value.
    function "unique" {
        dispatch unique_string(param "String" string) [optional_block_param "Callable[String]" block];
        dispatch unique_hash(param "Hash" hash) [optional_block_param "Callable[Any]" block];
        dispatch unique_items(param "Array" array) [optional_block_param "Callable[Any]" block];
        dispatch unique_items(param "Iterable" iterable) [optional_block_param "Callable[Any]" block];
    }
}

/// Ruby's message for two values that have no order.
pub(super) fn not_comparable(a: Value<'_>, b: Value<'_>) -> String {
    let right = match b {
        Value::Undef | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Default => inspect(b),
        b => label::ruby_class(b),
    };
    format!("comparison of {} with {right} failed", label::ruby_class(a))
}

/// Ruby's `<=>`; none where there is no order.
fn ruby_order<'c>(a: Value<'c>, b: Value<'c>) -> Option<Ordering> {
    budget::within(1, || match (a, b) {
        (Value::Str(a), Value::Str(b)) => Some(a.as_str().cmp(b.as_str())),
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(b.iter()) {
                match ruby_order(*a, *b)? {
                    Ordering::Equal => {}
                    order => return Some(order),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        (
            Value::Int(_) | Value::Float(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::SemVer(_),
            Value::Int(_) | Value::Float(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::SemVer(_),
        ) => bunraku_vm::compare::order(a, b).ok().flatten(),
        (a, b) if a.same(b) => Some(Ordering::Equal),
        _ => None,
    })
}

/// A merge sort, so that a comparison can fail and need not be a total order.
fn merge_sort<'c>(
    mut items: Vec<Value<'c>>,
    order: &mut impl FnMut(Value<'c>, Value<'c>) -> Eval<'c, Ordering>,
) -> Eval<'c, Vec<Value<'c>>> {
    if items.len() < 2 {
        return Ok(items);
    }
    let right = merge_sort(items.split_off(items.len() / 2), order)?;
    let left = merge_sort(items, order)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if order(*a, *b)?.is_le() { left.next() } else { right.next() };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

fn sorted<'c>(vm: &mut Vm<'c>, call: &Call<'c, '_>, items: Vec<Value<'c>>) -> Eval<'c, Vec<Value<'c>>> {
    match call.block {
        Some(block) => merge_sort(items, &mut |a, b| block_order(vm, block, a, b)),
        None => merge_sort(items, &mut |a, b| {
            ruby_order(a, b).ok_or_else(|| Flow::caused(Cause::Incomparable, not_comparable(a, b)))
        }),
    }
}

fn chars<'c>(vm: &Vm<'c>, text: &str) -> Vec<Value<'c>> {
    text.chars().map(|c| vm.string(c.encode_utf8(&mut [0; 4]))).collect()
}

fn joined<'c>(vm: &Vm<'c>, items: &[Value<'c>]) -> Value<'c> {
    let text: String = items.iter().map(|item| text(Some(*item))).collect();
    vm.string(&text)
}

fn sort_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let items = chars(vm, text(call.arg(0)));
    let sorted = sorted(vm, &call, items)?;
    Ok(joined(vm, &sorted))
}

fn sort_array<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let items = asserted(vm.arena, "sort", call.args[0])?.collect(vm.arena);
    let sorted = sorted(vm, &call, items)?;
    Ok(vm.array(&sorted))
}

/// The first of each group of elements that the block (or the element itself) does not tell apart.
fn distinct<'c>(vm: &mut Vm<'c>, call: &Call<'c, '_>, items: Vec<Value<'c>>) -> Eval<'c, Vec<Value<'c>>> {
    let mut seen = HashBuilder::new(vm.arena);
    let mut kept = Vec::new();
    for item in items {
        let key = match call.block {
            Some(block) => vm.call(block, &[item])?,
            None => item,
        };
        if seen.get(key).is_none() {
            seen.insert(key, Value::Bool(true));
            kept.push(item);
        }
    }
    Ok(kept)
}

fn unique_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let items = chars(vm, text(call.arg(0)));
    let kept = distinct(vm, &call, items)?;
    Ok(joined(vm, &kept))
}

fn unique_items<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let items = asserted(vm.arena, "unique", call.args[0])?.collect(vm.arena);
    let kept = distinct(vm, &call, items)?;
    Ok(vm.array(&kept))
}

fn unique_hash<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Hash(hash) = call.args[0] else { return Ok(Value::Undef) };
    let mut groups: Vec<(Vec<Value<'c>>, HashBuilder<'c>)> = Vec::new();
    // Which group a value has.
    let mut numbers = HashBuilder::new(vm.arena);
    for (key, value) in hash.entries() {
        let by = match call.block {
            Some(block) => vm.call(block, &[*value])?,
            None => *value,
        };
        let at = match numbers.get(by) {
            Some(Value::Int(number)) => number as usize,
            _ => {
                numbers.insert(by, Value::Int(groups.len() as i64));
                groups.push((Vec::new(), HashBuilder::new(vm.arena)));
                groups.len() - 1
            }
        };
        let (keys, values) = &mut groups[at];
        keys.push(*key);
        if values.get(*value).is_none() {
            values.insert(*value, Value::Bool(true));
        }
    }
    let mut inverted = HashBuilder::new(vm.arena);
    for (keys, values) in groups {
        let values: Vec<_> = values.finish().entries().iter().map(|(value, _)| *value).collect();
        inverted.insert(vm.array(&keys), vm.array(&values));
    }
    Ok(Value::Hash(inverted.finish()))
}
