//! Arrays and hashes that are one object: to Ruby it matters whether two of them are (`equal?`, anchors in YAML), and Ruby
//! may change one in place, which then all see that hold it.
//!
//! Each that passes either way has a number, by which both sides know it from then on: even ones are given here, odd ones
//! by the worker. The worker's is the object that Puppet would have; what is here is what it was when it was last told.
//! Where the worker tells of one that has become another, the other takes its place in the variables of the compile.

use bunraku_vm::value::Value;
use hashbrown::HashMap;

/// The arrays and hashes that both sides know.
#[derive(Default)]
pub(super) struct Shared<'c> {
    by_address: HashMap<usize, u32>,
    by_number: HashMap<u32, Value<'c>>,
    given: u32,
    /// Those that have become others since, by where they lay.
    replaced: HashMap<usize, Value<'c>>,
}

impl<'c> Shared<'c> {
    /// The value of a number.
    pub fn value(&self, number: u32) -> Option<Value<'c>> {
        self.by_number.get(&number).copied()
    }

    /// Takes a value received under a number. Gives the one that is known by it, unless the items differ.
    pub fn received(&mut self, number: u32, fresh: Value<'c>) -> Value<'c> {
        if let Some(old) = self.value(number) {
            if is_same(old, fresh) {
                return old;
            }
            self.replaced.extend(old.address().map(|place| (place, fresh)));
        }
        self.is(number, fresh);
        fresh
    }

    /// The number of an array or hash; none where the worker does not know it.
    pub fn number_of(&self, value: Value<'c>) -> Option<u32> {
        self.by_address.get(&value.address()?).copied()
    }

    /// Gives an array or hash a number.
    pub fn give(&mut self, value: Value<'c>) -> u32 {
        self.given += 1;
        let number = self.given * 2;
        self.is(number, value);
        number
    }

    /// Takes those that have become others since they were last taken, by where they lay.
    pub fn take_replaced(&mut self) -> HashMap<usize, Value<'c>> {
        std::mem::take(&mut self.replaced)
    }

    /// From now on a number is that of this array or hash.
    pub fn is(&mut self, number: u32, value: Value<'c>) {
        self.by_number.insert(number, value);
        self.by_address.extend(value.address().map(|place| (place, number)));
    }

    /// How many numbers have been given.
    pub fn mark(&self) -> u32 {
        self.given
    }

    /// Takes numbers back that have been given since: the message that told of them was never sent.
    pub fn take_back(&mut self, mark: u32) {
        if self.given != mark {
            let is_kept = |number: u32| number % 2 == 1 || number <= mark * 2;
            self.by_address.retain(|_, number| is_kept(*number));
            self.by_number.retain(|number, _| is_kept(*number));
            self.given = mark;
        }
    }
}

/// Whether two values are one object, or equal values without an identity.
fn is_one<'c>(a: Value<'c>, b: Value<'c>) -> bool {
    match (a.address(), b.address()) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.same(b),
        _ => false,
    }
}

/// Whether two collections have identical items. Inner collections have been received before, so identity is enough.
fn is_same<'c>(a: Value<'c>, b: Value<'c>) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.size() == b.size() && a.items().iter().zip(b.items()).all(|(a, b)| is_one(*a, *b))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            let mut both = a.entries().iter().zip(b.entries());
            a.len() == b.len() && both.all(|(a, b)| is_one(a.0, b.0) && is_one(a.1, b.1))
        }
        _ => false,
    }
}
