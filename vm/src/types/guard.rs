//! Where walks over types turn round: aliases that refer to themselves. Source: `Puppet::Pops::Types::RecursionGuard`.
//!
//! A walk compares two sides, Puppet's `this` and `that`, and goes on until something that is open has been met again
//! on both. What was met again stays noted until the innermost alias that was not open before has been left; Puppet's
//! answers depend on that, so the states are kept as it keeps them.

use crate::types::ty::{Alias, Type};
use crate::value::Value;

/// What has been met again, as Puppet's `state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Again {
    this: bool,
    that: bool,
}

impl Again {
    /// Whether the side that is walked first has been met again.
    pub fn in_this(self) -> bool {
        self.this
    }

    /// Whether both sides have been.
    pub fn in_both(self) -> bool {
        self.this && self.that
    }
}

/// What is open, told apart without a look inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key<'c> {
    /// An alias; there is one of each name.
    Alias(&'c str),
    /// Anything else by its address, or by what it is where it has none.
    Address(u8, u64),
}

impl<'c> Key<'c> {
    /// The key of an alias.
    pub fn alias(alias: &Alias<'c>) -> Self {
        Key::Alias(alias.name)
    }

    /// The key of anything that has an address.
    pub fn of<T: ?Sized>(it: &T) -> Self {
        Key::Address(0, std::ptr::from_ref(it).addr() as u64)
    }

    /// The key of a value: the same object in Ruby has the same.
    pub fn value(value: Value<'c>) -> Self {
        match value {
            Value::Undef => Key::Address(1, 0),
            Value::Default => Key::Address(1, 1),
            Value::Bool(b) => Key::Address(1, 2 + u64::from(b)),
            Value::Int(n) => Key::Address(2, n as u64),
            Value::Float(f) => Key::Address(3, f.to_bits()),
            Value::Str(s) | Value::Regexp(s) | Value::SemVer(s) | Value::SemVerRange(s) | Value::Uri(s) => {
                Key::Address(4, s.as_str().as_ptr().addr() as u64)
            }
            Value::Array(items) => Key::Address(0, items.address() as u64),
            Value::Hash(hash) => Key::Address(0, hash.address() as u64),
            Value::Type(ty) => Key::of(ty),
            Value::Sensitive(inner) => Key::of(inner),
            Value::Closure(closure) => Key::of(closure),
            Value::Iterator(iter) => Key::of(iter),
            Value::Timestamp(n) | Value::Timespan(n) => Key::of(n),
            Value::Binary(bytes) => Key::of(bytes),
            Value::Object(object) => Key::of(object),
        }
    }
}

/// What is open on both sides of a walk.
#[derive(Default)]
pub(crate) struct Guard<'c> {
    again: Again,
    this: Vec<Key<'c>>,
    that: Vec<Key<'c>>,
    /// What has been met again on its own side.
    met: Vec<Key<'c>>,
}

/// Enters a key unless its side has been met again already; whether it is a new one, to be left again.
fn enter<'c>(again: &mut bool, open: &mut Vec<Key<'c>>, key: Key<'c>) -> bool {
    if *again {
        return false;
    }
    *again = open.contains(&key);
    if !*again {
        open.push(key);
    }
    !*again
}

impl<'c> Guard<'c> {
    /// Notes something on the other side that is never left.
    pub fn add_that(&mut self, key: Key<'c>) -> Again {
        enter(&mut self.again.that, &mut self.that, key);
        self.again
    }
}

/// A walk that may meet itself. It has no guard until it needs one, and drops it where it began to.
pub(crate) trait Guarded<'c>: Sized {
    /// The guard, if there is one by now.
    fn guard(&mut self) -> &mut Option<Box<Guard<'c>>>;

    /// Runs part of the walk with a guard, which is made for that part if there is none.
    fn with_guard<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        if self.guard().is_some() {
            return part(self);
        }
        *self.guard() = Some(Box::default());
        let result = part(self);
        *self.guard() = None;
        result
    }

    /// Runs part of the walk as if it began there.
    fn anew<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.guard().take();
        let result = part(self);
        *self.guard() = outer;
        result
    }

    /// Runs part of the walk with something open on its own side.
    fn with_this<T>(&mut self, key: Key<'c>, part: impl FnOnce(&mut Self, Again) -> T) -> T {
        self.with_guard(|walk| {
            let guard = walk.guard().get_or_insert_default();
            let before = guard.again;
            let new = enter(&mut guard.again.this, &mut guard.this, key);
            let again = guard.again;
            if again != before {
                guard.met.push(key);
            }
            let result = part(walk, again);
            if let (true, Some(guard)) = (new, walk.guard()) {
                guard.again.this = false;
                guard.this.retain(|open| *open != key);
            }
            result
        })
    }

    /// Runs part of the walk with something open on the other side.
    fn with_that<T>(&mut self, key: Key<'c>, part: impl FnOnce(&mut Self) -> T) -> T {
        self.with_guard(|walk| {
            let guard = walk.guard().get_or_insert_default();
            let new = enter(&mut guard.again.that, &mut guard.that, key);
            let result = part(walk);
            if let (true, Some(guard)) = (new, walk.guard()) {
                guard.again.that = false;
                guard.that.retain(|open| *open != key);
            }
            result
        })
    }
}

/// A walk over one side only, which ends where it has been.
#[derive(Default)]
pub(crate) struct OneSided<'c>(Option<Box<Guard<'c>>>);

impl<'c> Guarded<'c> for OneSided<'c> {
    fn guard(&mut self) -> &mut Option<Box<Guard<'c>>> {
        &mut self.0
    }
}

impl<'c> OneSided<'c> {
    /// A walk with a guard from its begin, to be asked afterwards what it has met again.
    pub fn noting() -> Self {
        OneSided(Some(Box::default()))
    }

    /// Whether something has been met again.
    pub fn has_met(&self, key: Key<'c>) -> bool {
        self.0.as_ref().is_some_and(|guard| guard.met.contains(&key))
    }

    /// What `part` makes of what an alias stands for; `otherwise` where it has been met before, or stands for nothing.
    pub fn target<T>(
        &mut self,
        alias: &Alias<'c>,
        otherwise: T,
        part: impl FnOnce(&mut Self, &'c Type<'c>) -> T,
    ) -> T {
        let Some(target) = alias.target.get() else { return otherwise };
        if !alias.is_recursive() {
            return part(self, target);
        }
        self.with_this(
            Key::alias(alias),
            |walk, again| {
                if again.in_this() { otherwise } else { part(walk, target) }
            },
        )
    }
}
