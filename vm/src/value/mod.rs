//! Values of the Puppet language: 16 bytes, `Copy`, immutable, everything large in the compile's arena.

mod collection;
mod watch;

pub use collection::{Array, Hash, HashBuilder, flatten};
pub use watch::Part;

use crate::budget;
use crate::scope::Closure;
use crate::semver;
use crate::types::ty::Type;
use crate::types::{definition, equal};
use bumpalo::Bump;
use std::hash::{BuildHasher, Hash as _, Hasher};

/// A value. Comparison as Puppet has it (`==`, `in`, `<`) is in `compare`; [`Value::same`] is the
/// strict equality that hash keys, `unique` and catalogs use.
///
/// The tag takes a whole word: with a byte, copies are made of pieces that overlap, and reading what was just written
/// so stalls the processor.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum Value<'c> {
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// `true`, `false`
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    Str(Str<'c>),
    /// An array.
    Array(Array<'c>),
    /// A hash, in insertion order.
    Hash(Hash<'c>),
    /// A type, resource references included.
    Type(&'c Type<'c>),
    /// A regular expression, by its source.
    Regexp(Str<'c>),
    /// A value hidden from logs.
    Sensitive(&'c Value<'c>),
    /// A lambda, or a function seen as a value.
    Closure(&'c Closure<'c>),
    /// A lazy sequence (`Iterator[T]`, `Iterable`).
    Iterator(&'c Iter<'c>),
    /// Nanoseconds since the epoch, UTC.
    Timestamp(&'c i128),
    /// Nanoseconds.
    Timespan(&'c i128),
    /// A semantic version, by its text (`1.2.3-rc1+b2`), already validated.
    SemVer(Str<'c>),
    /// A range of semantic versions, by its text as written, already validated.
    SemVerRange(Str<'c>),
    /// Bytes.
    Binary(&'c &'c [u8]),
    /// A URI, by its text.
    Uri(Str<'c>),
    /// An instance of an Object type: `Deferred`, `Error`, types made with `Object[{…}]`.
    Object(&'c Object<'c>),
}

/// Where the state of an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// In its attributes.
    Here,
    /// In Ruby, by the number of the object there.
    InRuby(u32),
    /// In the compile: a collector, by its number. Only [`ResourcePort::collect`](crate::host::ResourcePort::collect)
    /// makes these; no code in the language or in Ruby can.
    Collector(u32),
}

/// An instance of an Object type: its type and attribute values.
pub struct Object<'c> {
    /// The object type.
    pub ty: &'c Type<'c>,
    /// The type's name as printed: `Deferred`, `Error`, or a user's.
    pub type_name: &'c str,
    /// Attribute names and values in declaration order.
    pub attributes: Hash<'c>,
    /// Where its state is.
    pub held: Held,
    /// What a catalog says of it in place of its attributes, where Ruby has readers of its own.
    pub data: Option<Hash<'c>>,
    /// What Ruby says of it, where its class is none of Puppet's objects: a catalog has its text in its place.
    pub plain: Option<PlainObject<'c>>,
}

/// An instance of an object type whose class in Ruby is not marked as one of Puppet's objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PlainObject<'c> {
    /// The name of its class.
    pub class: &'c str,
    /// What it is as text.
    pub text: &'c str,
}

/// A string: one word wide, the text in the arena, in a unit or static.
#[derive(Clone, Copy)]
pub struct Str<'c>(pub &'c &'c str);

impl<'c> Str<'c> {
    /// Copies `text` into the arena.
    pub fn new(arena: &'c Bump, text: &str) -> Self {
        Str::wrap(arena, arena.alloc_str(text))
    }

    /// Text that lives long enough already.
    pub fn wrap(arena: &'c Bump, text: &'c str) -> Self {
        Str(arena.alloc(text))
    }

    /// Another string of the same text: Ruby can tell them apart.
    pub fn again(self, arena: &'c Bump) -> Self {
        Str::wrap(arena, self.as_str())
    }

    /// Where it lies: its identity, which tells it apart from others of the same text.
    pub fn address(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }

    /// The text.
    pub fn as_str(self) -> &'c str {
        self.0
    }
}

impl std::ops::Deref for Str<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        self.0
    }
}

/// A sequence that is computed as it is consumed.
pub struct Iter<'c> {
    /// Type of the elements.
    pub element: &'c Type<'c>,
    /// Where the elements come from.
    pub source: IterSource<'c>,
}

/// Kinds of sequence.
pub enum IterSource<'c> {
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

/// Levels of arrays in arrays that a hash code tells apart.
const HASHED_LEVELS: u32 = 6;

fn hasher() -> impl Hasher {
    // A fixed seed: no order depends on it, and runs stay reproducible.
    foldhash::fast::FixedState::with_seed(0).build_hasher()
}

fn hash_str(text: &str) -> u64 {
    let mut state = hasher();
    state.write_u8(b's');
    text.hash(&mut state);
    state.finish()
}

impl<'c> Value<'c> {
    /// A string value, copied into the arena.
    pub fn str(arena: &'c Bump, text: &str) -> Self {
        Value::Str(Str::new(arena, text))
    }

    /// An array value, copied into the arena.
    pub fn array(arena: &'c Bump, items: &[Value<'c>]) -> Self {
        Value::Array(Array::new(arena, items))
    }

    /// The text of a string value.
    pub fn as_str(self) -> Option<&'c str> {
        match self {
            Value::Str(s) => Some(s.as_str()),
            _ => None,
        }
    }

    /// Whether this is `undef`.
    pub fn is_undef(self) -> bool {
        matches!(self, Value::Undef)
    }

    /// Puppet's truth: everything but `undef` and `false`.
    pub fn truthy(self) -> bool {
        !matches!(self, Value::Undef | Value::Bool(false))
    }

    /// The value as evaluating its literal again would make it: an array or hash is another one each time, and so are
    /// those in it.
    #[inline]
    pub fn again(self, arena: &'c Bump) -> Value<'c> {
        match self {
            Value::Array(_) | Value::Hash(_) => self.made_again(arena),
            value => value,
        }
    }

    fn made_again(self, arena: &'c Bump) -> Value<'c> {
        let is_list = |value: &Value<'c>| matches!(value, Value::Array(_) | Value::Hash(_));
        match self {
            Value::Array(items) if items.items().iter().any(is_list) => {
                let all: Vec<_> = items.items().iter().map(|item| item.again(arena)).collect();
                Value::Array(Array::new(arena, &all))
            }
            Value::Array(items) => Value::Array(items.again(arena)),
            Value::Hash(hash) if hash.entries().iter().any(|(_, value)| is_list(value)) => {
                let all: Vec<_> =
                    hash.entries().iter().map(|(key, value)| (*key, value.again(arena))).collect();
                Value::Hash(Hash::from_unique(arena, &all))
            }
            Value::Hash(hash) => Value::Hash(hash.again(arena)),
            value => value,
        }
    }

    /// Strict equality: same kind, same content, strings by case. Integers and floats of the same number
    /// differ here, as hash keys do in Puppet.
    pub fn same(self, other: Value<'c>) -> bool {
        use Value::*;
        match (self, other) {
            (Undef, Undef) | (Default, Default) => true,
            (Bool(a), Bool(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (Float(a), Float(b)) => a == b,
            (Str(a), Str(b)) => a.as_str() == b.as_str(),
            (Array(a), Array(b)) => a.address() == b.address() || a.len() == b.len() && a.same_items(b),
            (Hash(a), Hash(b)) => a.address() == b.address() || a.len() == b.len() && a.same_entries(b),
            (Type(a), Type(b)) => equal::equal(a, b),
            (Regexp(a), Regexp(b)) | (SemVer(a), SemVer(b)) | (Uri(a), Uri(b)) => a.as_str() == b.as_str(),
            (SemVerRange(a), SemVerRange(b)) => semver::same_range(&a, &b),
            (Sensitive(a), Sensitive(b)) => std::ptr::eq(a, b) || budget::within(1, || a.same(*b)),
            (Closure(a), Closure(b)) => std::ptr::eq(a, b),
            (Iterator(a), Iterator(b)) => std::ptr::eq(a, b),
            (Timestamp(a), Timestamp(b)) | (Timespan(a), Timespan(b)) => a == b,
            (Binary(a), Binary(b)) => a == b,
            (Object(a), Object(b)) => {
                std::ptr::eq(a, b) || budget::within(a.attributes.len(), || definition::same(a, b))
            }
            _ => false,
        }
    }

    /// Where an array or hash lies: its identity, which tells it apart from others with the same items. None for another value.
    pub fn address(self) -> Option<usize> {
        match self {
            Value::Array(items) => Some(items.address()),
            Value::Hash(hash) => Some(hash.address()),
            _ => None,
        }
    }

    /// Whether both are one value, told without a look inside: what is equal may still be told apart.
    pub fn identical(self, other: Value<'c>) -> bool {
        use Value::*;
        match (self, other) {
            (Str(a), Str(b)) => std::ptr::eq(a.as_str(), b.as_str()),
            (Array(a), Array(b)) => a.address() == b.address(),
            (Hash(a), Hash(b)) => a.address() == b.address(),
            (Undef, Undef) | (Default, Default) => true,
            (Bool(a), Bool(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            _ => false,
        }
    }

    /// A hash code that agrees with [`Value::same`].
    pub fn hash_code(self) -> u64 {
        if let Value::Str(s) = self {
            return hash_str(s.as_str());
        }
        let mut state = hasher();
        self.feed(&mut state, HASHED_LEVELS);
        state.finish()
    }

    /// Feeds what lies within so many levels: what is further down may differ for one and the same code.
    fn feed(self, state: &mut impl Hasher, levels: u32) {
        std::mem::discriminant(&self).hash(state);
        match self {
            Value::Bool(b) => b.hash(state),
            Value::Int(i) => i.hash(state),
            Value::Float(f) => (if f == 0.0 { 0.0f64 } else { f }).to_bits().hash(state),
            Value::Str(s) | Value::Regexp(s) | Value::SemVer(s) | Value::Uri(s) => s.as_str().hash(state),
            Value::SemVerRange(range) => semver::inspect_range(&range).hash(state),
            Value::Array(items) => {
                items.len().hash(state);
                if levels > 0 {
                    budget::spend(items.len());
                    items.iter().for_each(|item| item.feed(state, levels - 1));
                }
            }
            // Equal hashes may differ in order, so only what no order changes counts.
            Value::Hash(hash) => hash.len().hash(state),
            Value::Sensitive(inner) => {
                if levels > 0 {
                    inner.feed(state, levels - 1);
                }
            }
            Value::Timestamp(n) | Value::Timespan(n) => n.hash(state),
            Value::Binary(bytes) => bytes.hash(state),
            // What makes instances equal is for their type to say.
            Value::Object(_) => {}
            Value::Type(ty) => equal::feed(ty, state),
            Value::Undef | Value::Default | Value::Closure(_) | Value::Iterator(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_sixteen_bytes() {
        assert_eq!(size_of::<Value>(), 16);
        // Slots and results have no tag of their own.
        assert_eq!(size_of::<Option<Value>>(), 16);
        assert_eq!(size_of::<crate::error::Eval>(), 16);
    }

    #[test]
    fn types_as_keys_are_told_apart_by_their_hashes() {
        let arena = Bump::new();
        let of = |ty| Value::Type(Type::alloc(ty, &arena)).hash_code();
        let file = |type_name, title| {
            of(Type::Resource { type_name: Some(type_name), title: Some(title), held: false })
        };
        assert_eq!(file("File", "/a"), file("file", "/a"));
        assert_ne!(file("File", "/a"), file("File", "/b"));
        assert_ne!(of(Type::Class(Some("a"))), of(Type::Class(Some("b"))));
        let member = |name| of(Type::Optional(Type::StringValue(name).alloc(&arena)));
        assert_eq!(member("a"), member("a"));
        assert_ne!(member("a"), member("b"));
    }

    #[test]
    fn what_is_built_by_appending_takes_memory_in_proportion() {
        let arena = Bump::new();
        let mut array = Array::new(&arena, &[]);
        let mut hash = Hash::from_unique(&arena, &[]);
        for n in 0..20_000 {
            array = array.appended(&arena, &[Value::Int(n)]);
            hash = hash.merged(&arena, &[(Value::Int(n % 10_000), Value::Int(n))]);
        }
        assert_eq!(array.len(), 20_000);
        assert!(matches!(array[19_999], Value::Int(19_999)));
        assert_eq!(hash.len(), 10_000);
        assert!(matches!(hash.get(Value::Int(1)), Some(Value::Int(10_001))));
        assert!(matches!(hash.entries()[1], (Value::Int(1), _)));
        assert!(arena.allocated_bytes() < 16 << 20, "{}", arena.allocated_bytes());
    }

    #[test]
    fn a_large_hash_finds_its_keys() {
        let arena = Bump::new();
        let mut builder = HashBuilder::new(&arena);
        for n in 0..100 {
            builder.insert_str(&format!("k{n}"), Value::Int(n));
        }
        builder.insert(Value::Int(1), Value::Bool(true));
        let hash = builder.finish();
        assert!(matches!(hash.get_str("k42"), Some(Value::Int(42))));
        assert!(matches!(hash.get(Value::Int(1)), Some(Value::Bool(true))));
        assert!(hash.get(Value::Float(1.0)).is_none());
        assert_eq!(hash.len(), 101);
    }
}
