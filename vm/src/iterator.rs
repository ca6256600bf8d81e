//! Lazy sequences: what `step`, `reverse_each` and `tree_each` yield and iteration functions consume.

pub use crate::value::{Iter, IterSource};

use crate::budget;
use crate::error::{Eval, Flow};
use crate::label;
use crate::types::build::variant;
use crate::types::context::TypeContext;
use crate::types::infer::infer_set;
use crate::types::iterable::iterable_element;
use crate::types::ty::{Range, Type, resolved};
use crate::value::Value;
use crate::vm::Vm;
use bumpalo::Bump;

/// What an iteration goes over, one value after the other.
pub enum Cursor<'c> {
    /// Items of an array, or the pairs of a hash.
    Items(&'c [Value<'c>], usize),
    /// Each `step`-th item of an array, from the back where `reverse` is set.
    Strided {
        /// The items.
        items: &'c [Value<'c>],
        /// Next position, counted from the side taken from.
        at: usize,
        /// Distance.
        step: usize,
        /// From the back.
        reverse: bool,
    },
    /// Numbers; the next one, none past the end.
    Numbers {
        /// The next number.
        next: Option<i64>,
        /// The last, included.
        to: i64,
        /// Distance.
        step: i64,
    },
    /// The characters of a string.
    Chars(std::str::Chars<'c>),
    /// Entries of a hash, each as an array of two.
    Entries(&'c [(Value<'c>, Value<'c>)], usize),
    /// Each so many of another.
    Stepped(Box<Cursor<'c>>, usize),
}

impl<'c> Cursor<'c> {
    /// The next value.
    #[inline]
    pub fn next(&mut self, arena: &'c Bump) -> Option<Value<'c>> {
        budget::spend(1);
        self.advance(arena)
    }

    fn advance(&mut self, arena: &'c Bump) -> Option<Value<'c>> {
        match self {
            Cursor::Items(items, at) => {
                let item = items.get(*at).copied();
                *at += 1;
                item
            }
            Cursor::Strided { items, at, step, reverse } => {
                let index = if *reverse { items.len().checked_sub(*at + 1)? } else { *at };
                let item = items.get(index).copied()?;
                *at += *step;
                Some(item)
            }
            Cursor::Numbers { next, to, step } => {
                let n = (*next)?;
                if (*step > 0 && n > *to) || (*step < 0 && n < *to) {
                    return None;
                }
                *next = n.checked_add(*step);
                Some(Value::Int(n))
            }
            Cursor::Chars(chars) => {
                let c = chars.next()?;
                Some(Value::str(arena, c.encode_utf8(&mut [0; 4])))
            }
            Cursor::Entries(entries, at) => {
                let (key, value) = entries.get(*at)?;
                *at += 1;
                Some(Value::array(arena, &[*key, *value]))
            }
            Cursor::Stepped(inner, step) => {
                let item = inner.next(arena)?;
                for _ in 1..*step {
                    if inner.next(arena).is_none() {
                        break;
                    }
                }
                Some(item)
            }
        }
    }

    /// How many values to make room for; where that can't be told, or they may be many, fewer than will come.
    pub fn expected(&self) -> usize {
        const MOST: usize = 1 << 20;
        match self {
            Cursor::Items(items, at) => items.len().saturating_sub(*at),
            Cursor::Numbers { next: Some(next), to, step: 1 } if next <= to => {
                usize::try_from(to.abs_diff(*next)).unwrap_or(MOST).min(MOST - 1) + 1
            }
            Cursor::Entries(entries, at) => entries.len().saturating_sub(*at),
            Cursor::Strided { .. } | Cursor::Numbers { .. } | Cursor::Chars(_) | Cursor::Stepped(..) => 0,
        }
    }

    /// The rest in an array.
    pub fn collect(mut self, arena: &'c Bump) -> Vec<Value<'c>> {
        let mut all = Vec::with_capacity(self.expected());
        while let Some(item) = self.next(arena) {
            budget::push(&mut all, item);
        }
        all
    }
}

/// A cursor over anything that can be iterated; none for what cannot.
pub fn cursor<'c>(arena: &'c Bump, value: Value<'c>) -> Option<Cursor<'c>> {
    Some(match value {
        Value::Array(items) => Cursor::Items(items.items(), 0),
        Value::Hash(hash) => Cursor::Entries(hash.entries(), 0),
        Value::Str(text) => Cursor::Chars(text.as_str().chars()),
        Value::Int(n) if n >= 0 => {
            Cursor::Numbers { next: (n > 0).then_some(0), to: n.saturating_sub(1), step: 1 }
        }
        Value::Type(ty) => match resolved(ty) {
            Type::Integer(Range { min: Some(from), max: Some(to) }) => {
                Cursor::Numbers { next: Some(*from), to: *to, step: 1 }
            }
            Type::Enum { values, .. } => {
                let items: Vec<_> = values.iter().map(|v| Value::str(arena, v)).collect();
                Cursor::Items(arena.alloc_slice_copy(&items), 0)
            }
            _ => return None,
        },
        Value::Iterator(iter) => over(arena, iter),
        _ => return None,
    })
}

fn over<'c>(arena: &'c Bump, iter: &'c Iter<'c>) -> Cursor<'c> {
    match &iter.source {
        IterSource::Items { items, step, reverse } => {
            Cursor::Strided { items, at: 0, step: (*step).max(1), reverse: *reverse }
        }
        IterSource::Range { from, to, step } => Cursor::Numbers { next: Some(*from), to: *to, step: *step },
        IterSource::Stepped(inner, step) => Cursor::Stepped(Box::new(over(arena, inner)), *step),
        IterSource::Reversed(inner) => {
            let mut items = over(arena, inner).collect(arena);
            items.reverse();
            Cursor::Items(arena.alloc_slice_copy(&items), 0)
        }
    }
}

/// All elements of a sequence.
pub fn collect<'c>(arena: &'c Bump, iter: &'c Iter<'c>) -> Vec<Value<'c>> {
    over(arena, iter).collect(arena)
}

/// A cursor, or the error of a function that was given what cannot be iterated.
///
/// # Errors
/// "NAME(): wrong argument type (CLASS; is not Iterable."
pub fn asserted<'c>(arena: &'c Bump, name: &str, value: Value<'c>) -> Eval<'c, Cursor<'c>> {
    cursor(arena, value).ok_or_else(|| {
        let class = label::ruby_class(value);
        Flow::raw(format!("{name}(): wrong argument type ({class}; is not Iterable."))
    })
}

/// Puppet's message where a lazy sequence is given that is not taken.
pub const NOT_TAKEN: &str = "Use of an Iterator is not supported here";

/// Refuses a value with a lazy sequence in it, which neither resources nor functions of the old kind take.
///
/// # Errors
/// Puppet's.
pub fn refuse<'c>(vm: &Vm<'c>, value: Value<'c>) -> Eval<'c, ()> {
    if vm.has_iterators && is_in(value) {
        return Err(Flow::raw(NOT_TAKEN));
    }
    Ok(())
}

fn is_in(value: Value<'_>) -> bool {
    match value {
        Value::Iterator(_) => true,
        Value::Array(items) => budget::within(items.len(), || items.iter().any(|item| is_in(*item))),
        Value::Hash(hash) => {
            let entries = hash.entries();
            budget::within(entries.len(), || entries.iter().any(|(key, value)| is_in(*key) || is_in(*value)))
        }
        _ => false,
    }
}

/// A value as a lazy sequence, its element type inferred as Puppet does for `step` and `reverse_each`.
pub fn lazy<'c>(context: &mut dyn TypeContext<'c>, value: Value<'c>) -> Option<&'c Iter<'c>> {
    let arena = context.arena();
    let (element, source): (&'c Type<'c>, IterSource<'c>) = match value {
        Value::Iterator(iter) => return Some(iter),
        Value::Array(items) => {
            let types: Vec<_> = items.items().iter().map(|i| infer_set(context, *i)).collect();
            let element = if types.is_empty() { &Type::Unit } else { variant(arena, &types) };
            (element, IterSource::Items { items: items.items(), step: 1, reverse: false })
        }
        Value::Type(ty) if matches!(resolved(ty), Type::Integer(_)) => match resolved(ty) {
            Type::Integer(Range { min: Some(from), max: Some(to) }) => {
                (resolved(ty), IterSource::Range { from: *from, to: *to, step: 1 })
            }
            _ => return None,
        },
        Value::Int(n) if n > 0 => {
            let element = Type::Integer(Range::new(0, n - 1)).alloc(arena);
            (element, IterSource::Range { from: 0, to: n - 1, step: 1 })
        }
        value => {
            let items = cursor(arena, value)?.collect(arena);
            let ty = infer_set(context, value);
            let element = match value {
                Value::Type(ty) => resolved(ty),
                Value::Int(_) => &Type::Unit,
                _ => iterable_element(arena, ty).unwrap_or(&Type::Any),
            };
            (element, IterSource::Items { items: arena.alloc_slice_copy(&items), step: 1, reverse: false })
        }
    };
    Some(arena.alloc(Iter { element, source }))
}
