//! Lazy sequences: what `step`, `reverse_each` and `tree_each` yield and iteration functions consume.

use crate::budget;
use crate::error::{Eval, Flow};
use crate::types::{Range, Type, resolved, variant};
use crate::value::Value;
use crate::vm::Vm;

/// A sequence that is computed as it is consumed.
pub struct Iter<'c> {
    /// Type of the elements.
    pub element: &'c Type<'c>,
    /// Where the elements come from.
    pub source: Source<'c>,
}

/// Kinds of sequence.
pub enum Source<'c> {
    /// The items of an array, from `start`, each `step`-th.
    Items {
        /// The items.
        items: &'c [Value<'c>],
        /// Distance between two that are taken.
        step: usize,
        /// Whether taken from the back.
        reverse: bool,
    },
    /// An integer range.
    Range {
        /// First.
        from: i64,
        /// Last, included.
        to: i64,
        /// Distance; negative to count down.
        step: i64,
    },
    /// Each `step`-th element of another sequence.
    Stepped(&'c Iter<'c>, usize),
    /// Another sequence from its end to its start.
    Reversed(&'c Iter<'c>),
}

/// What an iteration goes over, one value after the other.
pub enum Cursor<'c> {
    /// Items of an array, or the pairs of a hash.
    Items(&'c [Value<'c>], usize),
    /// The same, each so many, from the back where the flag is set.
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
    pub fn next(&mut self, vm: &Vm<'c>) -> Option<Value<'c>> {
        budget::spend(1);
        self.advance(vm)
    }

    fn advance(&mut self, vm: &Vm<'c>) -> Option<Value<'c>> {
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
                Some(vm.string(c.encode_utf8(&mut [0; 4])))
            }
            Cursor::Entries(entries, at) => {
                let (key, value) = entries.get(*at)?;
                *at += 1;
                Some(vm.array(&[*key, *value]))
            }
            Cursor::Stepped(inner, step) => {
                let item = inner.next(vm)?;
                for _ in 1..*step {
                    if inner.next(vm).is_none() {
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
    pub fn collect(mut self, vm: &Vm<'c>) -> Vec<Value<'c>> {
        let mut all = Vec::with_capacity(self.expected());
        while let Some(item) = self.next(vm) {
            budget::push(&mut all, item);
        }
        all
    }
}

/// A cursor over anything that can be iterated; none for what cannot.
pub fn cursor<'c>(vm: &Vm<'c>, value: Value<'c>) -> Option<Cursor<'c>> {
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
                let items: Vec<_> = values.iter().map(|v| vm.string(v)).collect();
                Cursor::Items(vm.arena.alloc_slice_copy(&items), 0)
            }
            _ => return None,
        },
        Value::Iterator(iter) => over(vm, iter),
        _ => return None,
    })
}

fn over<'c>(vm: &Vm<'c>, iter: &'c Iter<'c>) -> Cursor<'c> {
    match &iter.source {
        Source::Items { items, step, reverse } => {
            Cursor::Strided { items, at: 0, step: (*step).max(1), reverse: *reverse }
        }
        Source::Range { from, to, step } => Cursor::Numbers { next: Some(*from), to: *to, step: *step },
        Source::Stepped(inner, step) => Cursor::Stepped(Box::new(over(vm, inner)), *step),
        Source::Reversed(inner) => {
            let mut items = over(vm, inner).collect(vm);
            items.reverse();
            Cursor::Items(vm.arena.alloc_slice_copy(&items), 0)
        }
    }
}

/// All elements of a sequence.
///
/// # Errors
/// None at present; sequences are finite.
pub fn collect<'c>(vm: &Vm<'c>, iter: &'c Iter<'c>) -> Eval<'c, Vec<Value<'c>>> {
    Ok(over(vm, iter).collect(vm))
}

/// A cursor, or the error of a function that was given what cannot be iterated.
///
/// # Errors
/// "NAME(): wrong argument type (CLASS; is not Iterable."
pub fn asserted<'c>(vm: &Vm<'c>, name: &str, value: Value<'c>) -> Eval<'c, Cursor<'c>> {
    cursor(vm, value).ok_or_else(|| {
        let class = crate::label::ruby_class(value);
        Flow::raw(format!("{name}(): wrong argument type ({class}; is not Iterable."))
    })
}

/// A value as a lazy sequence, its element type inferred as Puppet does for `step` and `reverse_each`.
pub fn lazy<'c>(vm: &mut Vm<'c>, value: Value<'c>) -> Option<&'c Iter<'c>> {
    let arena = vm.arena;
    let (element, source): (&'c Type<'c>, Source<'c>) = match value {
        Value::Iterator(iter) => return Some(iter),
        Value::Array(items) => {
            let types: Vec<_> = items.items().iter().map(|i| crate::types::infer_set(vm, *i)).collect();
            let element = if types.is_empty() { &Type::Unit } else { variant(arena, &types) };
            (element, Source::Items { items: items.items(), step: 1, reverse: false })
        }
        Value::Type(ty) if matches!(resolved(ty), Type::Integer(_)) => match resolved(ty) {
            Type::Integer(Range { min: Some(from), max: Some(to) }) => {
                (resolved(ty), Source::Range { from: *from, to: *to, step: 1 })
            }
            _ => return None,
        },
        Value::Int(n) if n > 0 => {
            let element = Type::Integer(Range::new(0, n - 1)).alloc(arena);
            (element, Source::Range { from: 0, to: n - 1, step: 1 })
        }
        value => {
            let items = cursor(vm, value)?.collect(vm);
            let ty = crate::types::infer_set(vm, value);
            let element = match value {
                Value::Type(ty) => resolved(ty),
                Value::Int(_) => &Type::Unit,
                _ => crate::types::iterable_element(arena, ty).unwrap_or(&Type::Any),
            };
            (element, Source::Items { items: arena.alloc_slice_copy(&items), step: 1, reverse: false })
        }
    };
    Some(arena.alloc(Iter { element, source }))
}
