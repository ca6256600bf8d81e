//! What single instructions do with their operands that is too long, or too rare, to stand in the loop.

use crate::access::access;
use crate::error::{Blame, Eval, Flow};
use crate::format::interpolate::{interpolate, to_interpolated};
use crate::iterator;
use crate::loaded::LoadedUnit;
use crate::matching;
use crate::names;
use crate::scope::{Closure, Scope};
use crate::types::name::unresolved;
use crate::types::named::by_name;
use crate::types::ty::Type;
use crate::value::{HashBuilder, Str, Value};
use crate::vm::Vm;
use bumpalo::Bump;

impl<'c> Vm<'c> {
    /// The type a capitalised name means: built in, an alias, or a resource type.
    #[inline(never)]
    pub(super) fn type_name(&mut self, unit: &'c LoadedUnit<'c>, number: u32) -> Eval<'c> {
        if let Some(ty) = unit.known_type(number) {
            return Ok(Value::Type(ty));
        }
        let name = names::bare(unit.name(number));
        match by_name(self, name)? {
            // It is said as it was written.
            Type::Reference(_) => Err(Flow::issue("UNKNOWN_RESOURCE_TYPE", unresolved(unit.name(number)))),
            ty => {
                unit.keep_type(self.arena, number, ty);
                Ok(Value::Type(ty))
            }
        }
    }

    #[cold]
    pub(super) fn unmatched_selector(&mut self, value: Value<'c>) -> Box<Flow<'c>> {
        let text = to_interpolated(value);
        Flow::issue_at(
            Blame::Left,
            "UNMATCHED_SELECTOR",
            format!("No matching entry for selector parameter with value '{text}'"),
        )
    }

    /// `case` and selectors: an option `*values`.
    #[inline(never)]
    pub(super) fn matches_any(&mut self, value: Value<'c>, options: Value<'c>) -> Eval<'c, bool> {
        let mut any = false;
        for option in self.splatted(options)? {
            any = any || matching::matches_option(self, value, option)?;
        }
        Ok(any)
    }

    /// `value[key, key…]`: they stand in registers.
    #[inline(never)]
    pub(super) fn access_by_many(&mut self, scope: &'c Scope<'c>, from: usize, keys: usize) -> Eval<'c> {
        let operands = self.registers[from..=from + keys].to_vec();
        access(self, scope, operands[0], &operands[1..])
    }

    /// The elements `*value` stands for.
    #[inline(never)]
    pub(super) fn splatted(&mut self, value: Value<'c>) -> Eval<'c, Vec<Value<'c>>> {
        Ok(match value {
            Value::Undef => Vec::new(),
            Value::Array(items) => items.items().to_vec(),
            Value::Hash(hash) => {
                hash.entries().iter().map(|(k, v)| Value::array(self.arena, &[*k, *v])).collect()
            }
            Value::Iterator(iter) => iterator::collect(self.arena, iter),
            other => vec![other],
        })
    }
}

#[cold]
pub(super) fn reserved_word<'c>(word: &str) -> Box<Flow<'c>> {
    let message = format!("Use of reserved word: {word}, must be quoted if intended to be a String value");
    Flow::issue("RESERVED_WORD", message)
}

pub(super) fn array_items<'c>(value: Value<'c>) -> &'c [Value<'c>] {
    match value {
        Value::Array(items) => items.items(),
        _ => &[],
    }
}

#[inline(never)]
pub(super) fn joined<'c>(arena: &'c Bump, items: Value<'c>, more: &[Value<'c>]) -> Value<'c> {
    match items {
        Value::Array(items) => Value::Array(items.appended(arena, more)),
        _ => Value::array(arena, &[array_items(items), more].concat()),
    }
}

pub(super) fn closure_of<'c>(value: Value<'c>) -> Option<&'c Closure<'c>> {
    match value {
        Value::Closure(closure) => Some(closure),
        _ => None,
    }
}

/// The hash `start`, an empty one for any other value, with keys and values entered.
#[inline(never)]
pub(super) fn put_hash<'c>(arena: &'c Bump, start: Value<'c>, pairs: &[Value<'c>]) -> Value<'c> {
    if let Value::Hash(hash) = start {
        let pairs: Vec<_> = pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        return Value::Hash(hash.merged(arena, &pairs));
    }
    let mut builder = HashBuilder::with_capacity(arena, pairs.len() / 2);
    for pair in pairs.chunks_exact(2) {
        builder.insert(pair[0], pair[1]);
    }
    Value::Hash(builder.finish())
}

/// The strings of `parts` joined: a double-quoted string. `scratch` is empty before and after.
#[inline(never)]
pub(super) fn concat<'c>(arena: &'c Bump, scratch: &mut String, parts: &[Value<'c>]) -> Value<'c> {
    if let [Value::Str(only)] = parts {
        return Value::Str(only.again(arena));
    }
    for part in parts {
        match part {
            Value::Str(s) => scratch.push_str(s),
            // The one of the others that is met in loops.
            Value::Int(n) => scratch.push_str(itoa::Buffer::new().format(*n)),
            other => interpolate(scratch, *other),
        }
    }
    let text = Value::Str(Str::new(arena, scratch));
    scratch.clear();
    text
}
