//! Ruby's values as templates see them. Those of the compile are borrowed and never changed; those made by the
//! template lie on the heap, shared as Ruby shares them.

pub(crate) mod address;
pub(crate) mod circle;
pub(crate) mod class;
pub(crate) mod compare;
pub(crate) mod entries;
mod frame;
mod hash;
pub(crate) mod large;
pub(crate) mod object;
pub(crate) mod ranges;
mod regexp;
pub(crate) mod sealed;
mod shared;
pub(crate) mod succ;
pub(crate) mod text;

pub(crate) use address::Address;
pub(crate) use class::Class;
pub(crate) use frame::Frame;
pub(crate) use object::{ClassRef, ErrorValue, Module, Object, Proc};

use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::method::Method;
use crate::random::Generator;
use bunraku_vm::types::object::symbol_text;
use bunraku_vm::value::{Array, Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use num_bigint::BigInt;
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) use hash::{HashValue, hash_of};
pub(crate) use regexp::{Matched, Regexp};
pub(crate) use shared::{Shared, Text};

const UNKNOWN: ForRuby = ForRuby("a value that the compile does not know");

/// A value.
#[derive(Clone)]
pub(crate) enum V<'c> {
    /// What code that puts text out gives. Looking at it is left to Ruby.
    Void,
    Nil,
    Bool(bool),
    Int(i64),
    /// An integer of more than 64 bits.
    Big(Rc<BigInt>),
    Float(f64),
    /// A string of the compile or of the template's source.
    Str(&'c str),
    /// A string made by Ruby code, which may change it.
    Made(Rc<Shared<String>>),
    /// A string of bytes that are no text, as digests give them: Ruby's encoding of it is binary.
    Bytes(Rc<Vec<u8>>),
    Symbol(&'c str),
    /// An array of the compile.
    Array(Array<'c>),
    /// An array made by the template.
    List(Rc<Shared<Vec<V<'c>>>>),
    /// A hash of the compile.
    Hash(Hash<'c>),
    /// A hash made by the template.
    Map(Rc<Shared<HashValue<'c>>>),
    /// First and last integer; true where the last does not belong to it (`...`).
    Range(i64, i64, bool),
    /// First and last of any other range, one of them nil where it is open-ended.
    Span(Rc<(V<'c>, V<'c>, bool)>),
    Regexp(Rc<Regexp>),
    Match(Rc<Matched<'c>>),
    /// What `hash` gives: a number that nobody knows, to be compared.
    Code(u64),
    /// An `IPAddr`.
    Address(Rc<Address>),
    /// A generator of random numbers whose seed is known.
    Random(Rc<RefCell<Generator>>),
    /// An enumerator: a method that was called without its block.
    Enumerator(Rc<Enumerator<'c>>),
    /// A class or module that is there without being defined.
    Class(Class),
    /// A class or module that code has defined.
    Module(Rc<Module<'c>>),
    /// An instance of such a class.
    Object(Rc<Object<'c>>),
    /// An exception.
    Error(Rc<ErrorValue<'c>>),
    /// A lambda, or a block that was taken as a value.
    Proc(Rc<Proc<'c>>),
    /// What code outside of all definitions runs as.
    Main,
    Scope,
    /// A value of the compile that only Ruby knows how to treat.
    Other(Value<'c>),
}

/// A method that was called without its block.
pub(crate) struct Enumerator<'c> {
    pub on: V<'c>,
    pub method: Method,
    pub args: Vec<V<'c>>,
}

impl<'c> From<Value<'c>> for V<'c> {
    fn from(value: Value<'c>) -> Self {
        match value {
            Value::Undef => V::Nil,
            Value::Bool(b) => V::Bool(b),
            Value::Int(n) => V::Int(n),
            Value::Float(n) => V::Float(n),
            Value::Str(s) => V::Str(s.as_str()),
            Value::Array(items) => V::Array(items),
            Value::Hash(hash) => V::Hash(hash),
            Value::Default => V::Symbol("default"),
            Value::Regexp(source) if !regexp::may_have_options(source.as_str()) => {
                V::Regexp(Regexp::of_compile(source.as_str()))
            }
            Value::Object(object) => match symbol_text(object) {
                Some(name) => V::Symbol(name),
                None => V::Other(value),
            },
            other => V::Other(other),
        }
    }
}

impl<'c> V<'c> {
    #[inline]
    pub fn made(text: String) -> V<'c> {
        budget::made(text.len() + 40);
        V::Made(Rc::new(Shared::new(text)))
    }

    /// A string without an encoding. It stays one even where it is plain ASCII: catalogs have it as Binary.
    pub fn bytes(bytes: Vec<u8>) -> V<'c> {
        budget::made(bytes.len() + 40);
        V::Bytes(Rc::new(bytes))
    }

    #[inline]
    pub fn list(items: Vec<V<'c>>) -> V<'c> {
        budget::made(items.len() * size_of::<V<'_>>() + 60);
        V::List(Rc::new(Shared::new(items)))
    }

    /// A hash of entries; of those with the same key the last one's value.
    pub fn map(entries: impl IntoIterator<Item = (V<'c>, V<'c>)>) -> OrRuby<V<'c>> {
        Ok(V::hash(HashValue::of(entries)?))
    }

    pub fn hash(hash: HashValue<'c>) -> V<'c> {
        V::Map(Rc::new(Shared::new(hash)))
    }

    pub fn pair(key: V<'c>, value: V<'c>) -> V<'c> {
        V::list(vec![key, value])
    }

    pub fn address(address: Address) -> V<'c> {
        V::Address(Rc::new(address))
    }

    #[inline]
    pub fn truthy(&self) -> bool {
        !matches!(self, V::Nil | V::Bool(false))
    }

    /// The text of a string.
    #[inline]
    pub fn text(&self) -> Option<Text<'_>> {
        match self {
            V::Str(text) => Some(Text::Known(text)),
            V::Made(text) => Some(Text::Made(text.borrow())),
            _ => None,
        }
    }

    /// The class of the value.
    pub fn class(&self) -> OrRuby<Class> {
        Ok(match self {
            V::Nil => Class::Nil,
            V::Bool(true) => Class::True,
            V::Bool(false) => Class::False,
            V::Int(_) | V::Big(_) => Class::Integer,
            V::Float(_) => Class::Float,
            V::Str(_) | V::Made(_) => Class::String,
            V::Symbol(_) => Class::Symbol,
            V::Array(_) | V::List(_) => Class::Array,
            V::Hash(_) | V::Map(_) => Class::Hash,
            V::Range(..) | V::Span(_) => Class::Range,
            V::Regexp(_) => Class::Regexp,
            V::Class(class) if class.is_module() => Class::Module,
            V::Class(_) => Class::OfClasses,
            V::Match(_) => Class::MatchData,
            V::Proc(_) => Class::Proc,
            V::Error(error) => match error.class {
                ClassRef::Builtin(class) => class,
                ClassRef::Own(_) => return Err(ForRuby("the class of a value")),
            },
            V::Other(Value::Sensitive(_)) => Class::Sensitive,
            V::Other(Value::Regexp(_)) => Class::Regexp,
            V::Enumerator(_) => Class::Enumerator,
            V::Address(_) => Class::IpAddr,
            V::Void
            | V::Code(_)
            | V::Bytes(_)
            | V::Random(_)
            | V::Module(_)
            | V::Object(_)
            | V::Main
            | V::Scope
            | V::Other(_) => {
                return Err(ForRuby("the class of a value"));
            }
        })
    }

    /// Items of an array: a copy.
    pub fn items(&self) -> OrRuby<Option<Vec<V<'c>>>> {
        budget::spend(1 + self.size().unwrap_or_default() as u64 / 8)?;
        Ok(match self {
            V::Array(items) => Some(items.items().iter().map(|item| V::from(*item)).collect()),
            V::List(items) => Some(items.try_borrow()?.clone()),
            _ => None,
        })
    }

    /// The item of an array at a place. Nothing else is copied.
    pub fn item(&self, at: usize) -> OrRuby<Option<V<'c>>> {
        Ok(match self {
            V::Array(items) => items.items().get(at).copied().map(V::from),
            V::List(items) => items.try_borrow()?.get(at).cloned(),
            _ => None,
        })
    }

    /// What `*value` stands for: the items of an array or a range, the pairs of a hash, nothing for nil, and what has no `to_a`
    /// itself.
    pub fn spread(&self) -> OrRuby<Vec<V<'c>>> {
        match self {
            V::Nil => Ok(Vec::new()),
            V::Bool(_) | V::Int(_) | V::Big(_) | V::Float(_) | V::Str(_) | V::Made(_) | V::Symbol(_) => {
                Ok(vec![self.clone()])
            }
            V::Hash(_) | V::Map(_) => {
                let entries = self.entries()?.unwrap_or_default();
                Ok(entries.into_iter().map(|(key, value)| V::pair(key, value)).collect())
            }
            V::Range(..) | V::Span(_) => ranges::items(self),
            list => list.items()?.ok_or(ForRuby("a splat of other than an array or a range")),
        }
    }

    /// Entries of a hash: a copy.
    pub fn entries(&self) -> OrRuby<Option<Vec<(V<'c>, V<'c>)>>> {
        budget::spend(1 + self.size().unwrap_or_default() as u64 / 8)?;
        Ok(match self {
            V::Hash(hash) => Some(hash.entries().iter().map(|(k, v)| (V::from(*k), V::from(*v))).collect()),
            V::Map(map) => {
                let map = map.try_borrow()?;
                Some(map.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
            }
            _ => None,
        })
    }

    /// How many items or entries; none for what is neither array nor hash.
    pub fn size(&self) -> Option<usize> {
        Some(match self {
            V::Array(items) => items.size(),
            V::List(items) => items.borrow().len(),
            V::Hash(hash) => hash.len(),
            V::Map(map) => map.borrow().len(),
            _ => return None,
        })
    }

    /// Whether it may be handed to what would look at it.
    ///
    /// # Errors
    /// For a key of a look-up at which nobody may.
    pub fn may_be_looked_at(&self) -> OrRuby<()> {
        match self {
            V::Other(value) => sealed::may_look_at(value),
            _ => Ok(()),
        }
    }

    /// As a value of the compile.
    pub fn to_value(&self, vm: &Vm<'c>) -> OrRuby<Value<'c>> {
        budget::spend(1)?;
        Ok(match self {
            V::Nil => Value::Undef,
            V::Bool(b) => Value::Bool(*b),
            V::Int(n) => Value::Int(*n),
            V::Float(n) => Value::Float(*n),
            V::Str(text) => vm.string(text),
            V::Made(text) => vm.string(&text.borrow()),
            // It may be a character that has been given as a byte (`0.chr`).
            V::Bytes(bytes) if bytes.len() == 1 && bytes.is_ascii() => return Err(UNKNOWN),
            V::Bytes(bytes) => Value::Str(vm.host.string_of_bytes(vm, bytes)),
            V::Array(items) => Value::Array(*items),
            V::Hash(hash) => Value::Hash(*hash),
            V::Other(value) => {
                sealed::may_look_at(value)?;
                *value
            }
            V::Symbol("default") => Value::Default,
            V::Regexp(regexp) if regexp.options == 0 => match vm.string(regexp.source()) {
                Value::Str(source) => Value::Regexp(source),
                _ => return Err(UNKNOWN),
            },
            V::List(items) => {
                let items =
                    items.borrow().iter().map(|item| item.to_value(vm)).collect::<OrRuby<Vec<_>>>()?;
                vm.array(&items)
            }
            V::Map(map) => {
                let mut hash = HashBuilder::new(vm.arena);
                for (key, value) in map.borrow().iter() {
                    hash.insert(key.to_value(vm)?, value.to_value(vm)?);
                }
                Value::Hash(hash.finish())
            }
            V::Object(object) => object.to_value(vm)?,
            // Functions of the 3.x interface give it for nil.
            V::Symbol(name) if *name != "undef" => Value::Object(vm.host.named_in_ruby(vm, "Symbol", name)),
            V::Class(class) if class.is_always_there() => {
                let kind = if class.is_module() { "Module" } else { "Class" };
                Value::Object(vm.host.named_in_ruby(vm, kind, class.name()))
            }
            _ => return Err(UNKNOWN),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::V;
    use crate::eval::Done;

    /// Values are moved all the time.
    #[test]
    fn a_value_is_three_words() {
        assert_eq!(size_of::<V<'_>>(), 24);
        assert_eq!(size_of::<Done<'_>>(), 24);
    }
}
