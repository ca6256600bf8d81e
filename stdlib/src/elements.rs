//! The elements of anything iterable, one after another.

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::iterator;
use bunraku_vm::types::{Range, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// A running iteration.
pub(crate) enum Elements<'c> {
    /// Over values that are there.
    Slice(std::slice::Iter<'c, Value<'c>>),
    /// Over the entries of a hash, as arrays of key and value.
    Entries(std::slice::Iter<'c, (Value<'c>, Value<'c>)>),
    /// Over integers, both ends included.
    Integers(i64, i64),
    /// Over values made for it.
    Owned(std::vec::IntoIter<Value<'c>>),
}

impl<'c> Elements<'c> {
    /// The elements of a value.
    ///
    /// # Errors
    /// When it is not iterable, or a range has no end.
    pub fn of(vm: &mut Vm<'c>, function: &str, value: Value<'c>) -> Eval<'c, Self> {
        Ok(match value {
            Value::Array(items) => Elements::Slice(items.items().iter()),
            Value::Hash(hash) => Elements::Entries(hash.entries().iter()),
            Value::Int(count) if count >= 0 => Elements::Integers(0, count - 1),
            Value::Str(text) => {
                let chars: Vec<_> = text.chars().map(|c| vm.string(c.encode_utf8(&mut [0; 4]))).collect();
                Elements::Owned(chars.into_iter())
            }
            Value::Iterator(iter) => Elements::Owned(iterator::collect(vm, iter)?.into_iter()),
            Value::Type(Type::Integer(Range { min: Some(from), max: Some(to) })) => {
                Elements::Integers(*from, *to)
            }
            Value::Type(ty) => match iterator::of_type(vm, ty)? {
                Some(items) => Elements::Owned(items.into_iter()),
                None => return Err(not_iterable(function, vm, value)),
            },
            other => return Err(not_iterable(function, vm, other)),
        })
    }

    /// The next element.
    pub fn next(&mut self, vm: &mut Vm<'c>) -> Option<Value<'c>> {
        match self {
            Elements::Slice(items) => items.next().copied(),
            Elements::Entries(entries) => entries.next().map(|(key, value)| vm.array(&[*key, *value])),
            Elements::Integers(from, to) if *from <= *to => {
                let value = Value::Int(*from);
                // Past the greatest integer there is nothing more.
                match from.checked_add(1) {
                    Some(next) => *from = next,
                    None => *to = i64::MIN,
                }
                Some(value)
            }
            Elements::Integers(..) => None,
            Elements::Owned(items) => items.next(),
        }
    }

    /// All of them.
    pub fn all(mut self, vm: &mut Vm<'c>) -> Vec<Value<'c>> {
        let mut items = Vec::new();
        while let Some(item) = self.next(vm) {
            items.push(item);
        }
        items
    }
}

#[cold]
fn not_iterable<'c>(function: &str, vm: &mut Vm<'c>, value: Value<'c>) -> Box<Flow<'c>> {
    let actual = bunraku_vm::types::generalized_name(vm, value);
    Flow::raw(format!("{function}(): wrong argument type ({actual}; is not Iterable."))
}
