//! `left[keys]`: elements and slices of strings, arrays and hashes, parameters of types.
//! Rules: puppet-specifications, "Access Expression"; what it leaves open is the oracle's.

use crate::arith;
use crate::cause::Cause;
use crate::error::{Blame, Eval, Flow};
use crate::label;
use crate::scope::Scope;
use crate::types::access::access as access_type;
use crate::value::{Array, Str, Value, flatten};
use crate::vm::Vm;

/// Evaluates an access expression.
///
/// # Errors
/// Wrong number or type of keys, a left side that has no `[]`, in Puppet's words.
#[inline(never)]
pub fn access<'c>(vm: &mut Vm<'c>, scope: &'c Scope<'c>, left: Value<'c>, keys: &[Value<'c>]) -> Eval<'c> {
    match left {
        Value::Hash(hash) => match keys {
            [] => Err(Flow::issue_at(
                Blame::Left,
                "BAD_HASH_SLICE_ARITY",
                "Hash supports [] with one or more arguments. Got 0",
            )),
            [key] => Ok(hash.get(*key).unwrap_or_else(|| vm.missing_key(hash, *key))),
            many => {
                let found: Vec<_> =
                    many.iter().filter_map(|k| hash.get(*k)).filter(|v| !v.is_undef()).collect();
                Ok(vm.array(&found))
            }
        },
        Value::Array(items) => array(vm, items, &flat(keys)),
        Value::Str(text) => string(vm, text, &flat(keys)),
        Value::Type(ty) => access_type(vm, scope, ty, keys),
        Value::Binary(bytes) => {
            let length = bytes.len();
            let (start, count) = match numbers(vm, &flat(keys), "String", true)?.as_slice() {
                [at] => (absolute(*at, length), 1),
                [from, count] => slice(*from, *count, length),
                _ => return Err(arity("String", keys.len())),
            };
            Ok(Value::Binary(vm.arena.alloc(cut(bytes, start, count))))
        }
        other => {
            let label = label::value(other);
            let message = format!("Operator '[]' is not applicable to {} {label}.", label::article(&label));
            let flow = Flow::issue_at(Blame::Left, "OPERATOR_NOT_APPLICABLE", message);
            Err(if other.is_undef() { flow.because(Cause::UndefAccessed) } else { flow })
        }
    }
}

fn flat<'c>(keys: &[Value<'c>]) -> Vec<Value<'c>> {
    let mut all = Vec::new();
    flatten(keys, &mut all);
    all
}

fn array<'c>(vm: &mut Vm<'c>, items: Array<'c>, keys: &[Value<'c>]) -> Eval<'c> {
    let length = items.len();
    match numbers(vm, keys, "Array", false)?.as_slice() {
        [at] => {
            let at = absolute(*at, length);
            Ok(usize::try_from(at).ok().and_then(|at| items.get(at)).copied().unwrap_or(Value::Undef))
        }
        [from, count] => {
            let (start, count) = slice(*from, *count, length);
            Ok(Value::Array(Array::wrap(vm.arena, cut(items.items(), start, count))))
        }
        _ => Err(arity("Array", keys.len())),
    }
}

fn string<'c>(vm: &mut Vm<'c>, text: Str<'c>, keys: &[Value<'c>]) -> Eval<'c> {
    let length = text.chars().count();
    let (start, count) = match numbers(vm, keys, "String", true)?.as_slice() {
        [at] => (absolute(*at, length), 1),
        [from, count] => slice(*from, *count, length),
        _ => return Err(arity("String", keys.len())),
    };
    let chars: Vec<char> = text.chars().collect();
    let part: String = cut(&chars, start, count).iter().collect();
    Ok(vm.string(&part))
}

#[cold]
fn arity<'c>(kind: &str, actual: usize) -> Box<Flow<'c>> {
    let code = if kind == "Array" { "BAD_ARRAY_SLICE_ARITY" } else { "BAD_STRING_SLICE_ARITY" };
    Flow::issue_at(Blame::Left, code, format!("{kind} supports [] with one or two arguments. Got {actual}"))
}

/// One or two keys as integers; any other number of keys passes through for the caller to refuse.
fn numbers<'c>(vm: &mut Vm<'c>, keys: &[Value<'c>], kind: &str, substring: bool) -> Eval<'c, Vec<i64>> {
    if keys.is_empty() || keys.len() > 2 {
        return Ok(vec![0; keys.len()]);
    }
    let mut all = Vec::new();
    for key in keys {
        let number = if substring {
            key.as_str().and_then(arith::to_number).unwrap_or(*key)
        } else {
            arith::coerce(vm, *key, Blame::Key(all.len()))?
        };
        match number {
            Value::Int(n) => all.push(n),
            other => {
                let actual = vm.type_text(other);
                return Err(if substring {
                    let message = format!(
                        "A substring operation does not accept {} {actual} as a character index. Expected an Integer",
                        label::article(&actual)
                    );
                    Flow::issue_at(Blame::Key(all.len()), "BAD_STRING_SLICE_KEY_TYPE", message)
                } else {
                    let message = format!("An {kind}[] cannot use {actual} where Integer is expected");
                    Flow::issue_at(Blame::Key(all.len()), "BAD_SLICE_KEY_TYPE", message)
                });
            }
        }
    }
    Ok(all)
}

fn absolute(at: i64, length: usize) -> i64 {
    if at < 0 { at.saturating_add(length as i64) } else { at }
}

/// Start and count of `[from, count]`: negative numbers count from the end.
fn slice(from: i64, count: i64, length: usize) -> (i64, i64) {
    let length = length as i64;
    let start = if from < 0 { from.saturating_add(length) } else { from };
    let count =
        if count < 0 { length.saturating_sub(start).saturating_add(count).saturating_add(1) } else { count };
    if start < 0 { (0, count.saturating_add(start)) } else { (start, count) }
}

fn cut<T>(items: &[T], start: i64, count: i64) -> &[T] {
    let (Ok(start), Ok(count)) = (usize::try_from(start), usize::try_from(count)) else { return &[] };
    if start >= items.len() {
        return &[];
    }
    &items[start..items.len().min(start.saturating_add(count))]
}
