//! Values of the Puppet language: 16 bytes, `Copy`, immutable, everything large in the compile's arena.

use crate::budget;
use crate::closure::Closure;
use crate::types::Type;
use bumpalo::Bump;
use hashbrown::HashTable;
use std::cell::OnceCell;
use std::hash::{BuildHasher, Hash as _, Hasher};

/// A value. Comparison as Puppet has it (`==`, `in`, `<`) is in `compare`; [`Value::same`] is the
/// strict equality that hash keys, `unique` and catalogs use.
///
/// The tag takes a whole word: with a byte, copies are made of pieces that overlap, and reading what was just written so
/// stalls the processor.
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
    Iterator(&'c crate::iterator::Iter<'c>),
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

/// An instance of an Object type: its type and attribute values.
pub struct Object<'c> {
    /// The object type.
    pub ty: &'c Type<'c>,
    /// The type's name as printed: `Deferred`, `Error`, or a user's.
    pub type_name: &'c str,
    /// Attribute names and values in declaration order.
    pub attributes: Hash<'c>,
    /// The number the host knows it by, where it is an object of Ruby's.
    pub foreign: Option<u32>,
    /// What a catalog says of it in place of its attributes, where Ruby has readers of its own.
    pub data: Option<Hash<'c>>,
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

/// An array: one word wide. One made by appending remembers what it was made from and gathers its items when they
/// are first asked for, so that building an array in a loop costs neither time nor memory squared.
#[derive(Clone, Copy)]
pub struct Array<'c>(&'c ArrayData<'c>);

struct ArrayData<'c> {
    items: OnceCell<&'c [Value<'c>]>,
    /// Set where `items` may not be.
    from: Option<&'c Appended<'c>>,
}

struct Appended<'c> {
    base: Array<'c>,
    tail: &'c [Value<'c>],
    len: usize,
    arena: &'c Bump,
}

/// Arrays and hashes up to this size are copied when something is appended.
const SMALL: usize = 16;

impl<'c> Array<'c> {
    /// Copies `items` into the arena.
    pub fn new(arena: &'c Bump, items: &[Value<'c>]) -> Self {
        Array::wrap(arena, arena.alloc_slice_copy(items))
    }

    /// Where it lies: what tells two arrays of the same items apart.
    pub fn address(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }

    /// Items that are made one after the other, as many as said beforehand.
    pub fn made(arena: &'c Bump, items: impl ExactSizeIterator<Item = Value<'c>>) -> Self {
        Array::wrap(arena, arena.alloc_slice_fill_iter(items))
    }

    /// Items that lie in the arena already.
    pub fn wrap(arena: &'c Bump, items: &'c [Value<'c>]) -> Self {
        Array(arena.alloc(ArrayData { items: OnceCell::from(items), from: None }))
    }

    /// Another array of the same items.
    pub fn again(self, arena: &'c Bump) -> Self {
        Array::wrap(arena, self.items())
    }

    /// The array with `tail` behind its items.
    pub fn appended(self, arena: &'c Bump, tail: &[Value<'c>]) -> Self {
        let len = self.size() + tail.len();
        if len <= SMALL {
            return Array::new(arena, &[self.items(), tail].concat());
        }
        let from = arena.alloc(Appended { base: self, tail: arena.alloc_slice_copy(tail), len, arena });
        Array(arena.alloc(ArrayData { items: OnceCell::new(), from: Some(from) }))
    }

    /// Number of items; gathers nothing.
    pub fn size(self) -> usize {
        match (self.0.items.get(), self.0.from) {
            (Some(items), _) => items.len(),
            (None, Some(from)) => from.len,
            (None, None) => 0,
        }
    }

    fn same_items(self, other: Self) -> bool {
        budget::within(self.len(), || self.iter().zip(other.iter()).all(|(a, b)| a.same(*b)))
    }

    /// The items.
    pub fn items(self) -> &'c [Value<'c>] {
        self.0.items.get_or_init(|| self.0.from.map_or(&[], Appended::gather))
    }
}

impl<'c> Appended<'c> {
    fn gather(&self) -> &'c [Value<'c>] {
        let mut tails = vec![self.tail];
        let mut base = self.base;
        // From the last to the first; a loop, for there may be many.
        let front = loop {
            match (base.0.items.get(), base.0.from) {
                (Some(items), _) => break *items,
                (None, Some(from)) => {
                    tails.push(from.tail);
                    base = from.base;
                }
                (None, None) => break &[],
            }
        };
        let tails = tails.into_iter().rev().flatten();
        let mut items = bumpalo::collections::Vec::with_capacity_in(self.len, self.arena);
        items.extend(front.iter().chain(tails).copied());
        items.into_bump_slice()
    }
}

impl<'c> std::ops::Deref for Array<'c> {
    type Target = [Value<'c>];
    fn deref(&self) -> &[Value<'c>] {
        self.items()
    }
}

/// A hash: entries in insertion order, an index made on the first look-up of a large one. Like [`Array`], one made
/// by merging gathers its entries when they are first asked for.
#[derive(Clone, Copy)]
pub struct Hash<'c>(&'c HashData<'c>);

type Entries<'c> = &'c [(Value<'c>, Value<'c>)];

struct HashData<'c> {
    entries: OnceCell<Entries<'c>>,
    /// Set where `entries` may not be: the hash merged into and what was merged.
    from: Option<&'c (Hash<'c>, Entries<'c>)>,
    arena: &'c Bump,
    index: OnceCell<HashTable<u32, &'c Bump>>,
}

/// Hashes up to this size are searched from front to back.
const LINEAR: usize = 8;

impl<'c> Hash<'c> {
    /// Where it lies, as [`Array::address`].
    pub fn address(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }

    /// A hash of entries whose keys are known to differ.
    pub fn from_unique(arena: &'c Bump, entries: &[(Value<'c>, Value<'c>)]) -> Self {
        Hash::wrap(arena, arena.alloc_slice_copy(entries))
    }

    /// The same of entries that are made one after the other, as many as said beforehand.
    pub fn made_unique(
        arena: &'c Bump,
        entries: impl ExactSizeIterator<Item = (Value<'c>, Value<'c>)>,
    ) -> Self {
        Hash::wrap(arena, arena.alloc_slice_fill_iter(entries))
    }

    /// Entries that lie in the arena already, whose keys are known to differ.
    pub fn wrap(arena: &'c Bump, entries: &'c [(Value<'c>, Value<'c>)]) -> Self {
        let entries = OnceCell::from(entries);
        Hash(arena.alloc(HashData { entries, from: None, arena, index: OnceCell::new() }))
    }

    /// Another hash of the same entries.
    pub fn again(self, arena: &'c Bump) -> Self {
        Hash::wrap(arena, self.entries())
    }

    /// A hash of entries; a later one replaces the value of an earlier one with the same key, in its place.
    pub fn from_entries(arena: &'c Bump, entries: &[(Value<'c>, Value<'c>)]) -> Self {
        let mut builder = HashBuilder::new(arena);
        entries.iter().for_each(|(key, value)| builder.insert(*key, *value));
        builder.finish()
    }

    /// The hash with `entries` set in it, one after the other.
    pub fn merged(self, arena: &'c Bump, entries: &[(Value<'c>, Value<'c>)]) -> Self {
        if entries.is_empty() {
            return self;
        }
        let known = self.0.entries.get().map(|own| own.len());
        if known.is_some_and(|own| own + entries.len() <= SMALL) {
            let mut builder = HashBuilder::with(arena, self);
            entries.iter().for_each(|(key, value)| builder.insert(*key, *value));
            return builder.finish();
        }
        let from = arena.alloc((self, &*arena.alloc_slice_copy(entries)));
        Hash(arena.alloc(HashData {
            entries: OnceCell::new(),
            from: Some(from),
            arena,
            index: OnceCell::new(),
        }))
    }

    fn gather(self) -> Entries<'c> {
        let mut merged = Vec::new();
        let mut base = self;
        let front = loop {
            match (base.0.entries.get(), base.0.from) {
                (Some(entries), _) => break *entries,
                (None, Some((next, entries))) => {
                    merged.push(*entries);
                    base = *next;
                }
                (None, None) => break &[],
            }
        };
        let mut builder = HashBuilder::new(self.0.arena);
        for (key, value) in front.iter().chain(merged.into_iter().rev().flatten()) {
            builder.insert(*key, *value);
        }
        self.0.arena.alloc_slice_copy(&builder.entries)
    }

    /// The entries in order.
    pub fn entries(self) -> Entries<'c> {
        self.0.entries.get_or_init(|| self.gather())
    }

    /// Number of entries.
    pub fn len(self) -> usize {
        self.entries().len()
    }

    /// Whether there is no entry.
    pub fn is_empty(self) -> bool {
        // What was merged from something is not empty.
        self.0.entries.get().is_some_and(|entries| entries.is_empty())
    }

    /// The value at a key.
    pub fn get(self, key: Value<'c>) -> Option<Value<'c>> {
        let entries = self.entries();
        if entries.len() <= LINEAR {
            return entries.iter().find(|(k, _)| k.same(key)).map(|(_, v)| *v);
        }
        self.index()
            .find(key.hash_code(), |at| entries[*at as usize].0.same(key))
            .map(|at| entries[*at as usize].1)
    }

    /// The value at a string key.
    pub fn get_str(self, key: &str) -> Option<Value<'c>> {
        let entries = self.entries();
        let is = |at: u32| matches!(entries[at as usize].0, Value::Str(s) if s.as_str() == key);
        if entries.len() <= LINEAR {
            return (0..entries.len() as u32).find(|at| is(*at)).map(|at| entries[at as usize].1);
        }
        self.index().find(hash_str(key), |at| is(*at)).map(|at| entries[*at as usize].1)
    }

    fn same_entries(self, other: Self) -> bool {
        budget::within(self.len(), || {
            self.entries().iter().all(|(key, value)| other.get(*key).is_some_and(|v| v.same(*value)))
        })
    }

    fn index(self) -> &'c HashTable<u32, &'c Bump> {
        self.0.index.get_or_init(|| {
            let entries = self.entries();
            let mut table = HashTable::with_capacity_in(entries.len(), self.0.arena);
            for (at, (key, _)) in entries.iter().enumerate() {
                table.insert_unique(key.hash_code(), at as u32, |at| entries[*at as usize].0.hash_code());
            }
            table
        })
    }
}

/// Builds a [`struct@Hash`] entry by entry; keeps the place of a key that is set again.
pub struct HashBuilder<'c> {
    arena: &'c Bump,
    entries: Vec<(Value<'c>, Value<'c>)>,
    /// Hash codes of the keys and their places; empty as long as there are few.
    index: HashTable<(u64, u32)>,
}

impl<'c> HashBuilder<'c> {
    /// An empty builder.
    pub fn new(arena: &'c Bump) -> Self {
        HashBuilder::with_capacity(arena, 0)
    }

    /// An empty builder with room for so many entries.
    pub fn with_capacity(arena: &'c Bump, capacity: usize) -> Self {
        HashBuilder { arena, entries: Vec::with_capacity(capacity), index: HashTable::new() }
    }

    /// A builder that starts with the entries of `hash`.
    pub fn with(arena: &'c Bump, hash: Hash<'c>) -> Self {
        let mut builder = HashBuilder::new(arena);
        builder.entries.extend_from_slice(hash.entries());
        builder
    }

    /// Sets `key`.
    pub fn insert(&mut self, key: Value<'c>, value: Value<'c>) {
        if self.entries.len() <= LINEAR {
            match self.entries.iter_mut().find(|(other, _)| other.same(key)) {
                Some(entry) => entry.1 = value,
                None => budget::push(&mut self.entries, (key, value)),
            }
            return;
        }
        self.complete_index();
        let code = key.hash_code();
        let entries = &mut self.entries;
        match self.index.find(code, |(other, at)| *other == code && entries[*at as usize].0.same(key)) {
            Some((_, at)) => entries[*at as usize].1 = value,
            None => {
                self.index.insert_unique(code, (code, entries.len() as u32), |(code, _)| *code);
                budget::push(entries, (key, value));
            }
        }
    }

    /// Enters what was set while there were few.
    fn complete_index(&mut self) {
        for at in self.index.len()..self.entries.len() {
            let code = self.entries[at].0.hash_code();
            self.index.insert_unique(code, (code, at as u32), |(code, _)| *code);
        }
    }

    /// Sets a string key.
    pub fn insert_str(&mut self, key: &str, value: Value<'c>) {
        self.insert(Value::str(self.arena, key), value);
    }

    /// The value at a key so far.
    pub fn get(&mut self, key: Value<'c>) -> Option<Value<'c>> {
        if self.entries.len() <= LINEAR {
            return self.entries.iter().find(|(other, _)| other.same(key)).map(|(_, value)| *value);
        }
        self.complete_index();
        let code = key.hash_code();
        let is = |(other, at): &(u64, u32)| *other == code && self.entries[*at as usize].0.same(key);
        self.index.find(code, is).map(|(_, at)| self.entries[*at as usize].1)
    }

    /// Number of entries so far.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was set.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The hash.
    pub fn finish(self) -> Hash<'c> {
        Hash::from_unique(self.arena, &self.entries)
    }
}

/// Levels of arrays in arrays that a hash code tells apart.
const HASHED_LEVELS: u32 = 6;

/// Appends values, of arrays their items, however deep: Ruby's `flatten`.
pub fn flatten<'c>(values: &[Value<'c>], into: &mut Vec<Value<'c>>) {
    budget::within(values.len(), || {
        for value in values {
            match value {
                Value::Array(items) => flatten(items, into),
                other => budget::push(into, *other),
            }
        }
    });
}

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
            (Array(a), Array(b)) => std::ptr::eq(a.0, b.0) || a.len() == b.len() && a.same_items(b),
            (Hash(a), Hash(b)) => std::ptr::eq(a.0, b.0) || a.len() == b.len() && a.same_entries(b),
            (Type(a), Type(b)) => crate::types::equal(a, b),
            (Regexp(a), Regexp(b))
            | (SemVer(a), SemVer(b))
            | (SemVerRange(a), SemVerRange(b))
            | (Uri(a), Uri(b)) => a.as_str() == b.as_str(),
            (Sensitive(a), Sensitive(b)) => std::ptr::eq(a, b) || budget::within(1, || a.same(*b)),
            (Closure(a), Closure(b)) => std::ptr::eq(a, b),
            (Iterator(a), Iterator(b)) => std::ptr::eq(a, b),
            (Timestamp(a), Timestamp(b)) | (Timespan(a), Timespan(b)) => a == b,
            (Binary(a), Binary(b)) => a == b,
            (Object(a), Object(b)) => {
                std::ptr::eq(a, b) || budget::within(a.attributes.len(), || crate::types::object::same(a, b))
            }
            _ => false,
        }
    }

    /// Whether both are one value, told without a look inside: what is equal may still be told apart.
    pub fn identical(self, other: Value<'c>) -> bool {
        use Value::*;
        match (self, other) {
            (Str(a), Str(b)) => std::ptr::eq(a.as_str(), b.as_str()),
            (Array(a), Array(b)) => std::ptr::eq(a.0, b.0),
            (Hash(a), Hash(b)) => std::ptr::eq(a.0, b.0),
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
            Value::Str(s) | Value::Regexp(s) | Value::SemVer(s) | Value::SemVerRange(s) | Value::Uri(s) => {
                s.as_str().hash(state);
            }
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
            Value::Type(ty) => crate::types::feed(ty, state),
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
        let file = |type_name, title| of(Type::Resource { type_name: Some(type_name), title: Some(title) });
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
