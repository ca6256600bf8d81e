//! Arrays and hashes that are one object: to Ruby it matters whether two of them are (`equal?`, anchors in YAML), and Ruby
//! may change one in place, which then all see that hold it.
//!
//! Each that passes either way has a number, by which both sides know it from then on: even ones are given here, odd ones
//! by the worker. The worker's is the object that Puppet would have; what is here is what it was when it was last told.
//! Where the worker tells of one that has become another, the other takes its place in the variables of the compile.

use super::Talk;
use super::protocol::ValueTag;
use super::values::Values;
use bumpalo::Bump;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{Array, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::collections::HashMap;

/// Deeper values are left as they are.
const MAX_NESTING: usize = 500;

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

    /// What has been received under a number: the one that is known, unless it has become another.
    pub fn received(&mut self, number: u32, fresh: Value<'c>) -> Value<'c> {
        if let Some(old) = self.value(number) {
            if is_same(old, fresh) {
                return old;
            }
            self.replaced.extend(address(old).map(|place| (place, fresh)));
        }
        self.is(number, fresh);
        fresh
    }

    fn is(&mut self, number: u32, value: Value<'c>) {
        self.by_number.insert(number, value);
        self.by_address.extend(address(value).map(|place| (place, number)));
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

fn address(value: Value<'_>) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.address()),
        Value::Hash(hash) => Some(hash.address()),
        _ => None,
    }
}

/// Whether two values are one, or texts, numbers and the like that can't be told apart.
fn is_one<'c>(a: Value<'c>, b: Value<'c>) -> bool {
    match (address(a), address(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.same(b),
        _ => false,
    }
}

/// Whether they have the same items: what of these are arrays and hashes have been compared before.
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

impl<'c> Values<'c> {
    /// Writes the number of an array or hash. Says whether what it holds has to follow: the worker does not know it yet.
    pub(super) fn put_number(
        &self,
        out: &mut Vec<u8>,
        form: ValueTag,
        place: usize,
        value: Value<'c>,
    ) -> bool {
        let mut shared = self.shared.borrow_mut();
        if let Some(number) = shared.by_address.get(&place) {
            out.push(ValueTag::Again.byte());
            super::wire::put_size(out, *number as usize);
            return false;
        }
        shared.given += 1;
        let number = shared.given * 2;
        shared.is(number, value);
        out.push(form.byte());
        super::wire::put_size(out, number as usize);
        true
    }
}

impl<'c> Talk<'_, 'c> {
    /// Puts what Ruby has changed in place where it was: into the variables that the scope sees, and those of classes.
    pub(super) fn spread_changes(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>) {
        let replaced = std::mem::take(&mut self.ruby.values.shared.borrow_mut().replaced);
        if replaced.is_empty() {
            return;
        }
        let mut scopes = vec![scope];
        while let Some(parent) = scopes.last().and_then(|scope| scope.parent) {
            scopes.push(parent);
        }
        scopes.extend(self.world.class_scopes());
        let mut changes =
            Changes { values: &self.ruby.values, arena: vm.arena, replaced, rebuilt: HashMap::new() };
        for scope in scopes {
            for (symbol, old) in scope.own_variables() {
                if let Some(value) = changes.of(old, 0) {
                    self.world.change_variable(vm, scope, vm.symbols.text(symbol), value);
                }
            }
        }
    }
}

/// What values become when some of what they hold has become another.
struct Changes<'r, 'c> {
    values: &'r Values<'c>,
    arena: &'c Bump,
    replaced: HashMap<usize, Value<'c>>,
    rebuilt: HashMap<usize, Option<Value<'c>>>,
}

impl<'c> Changes<'_, 'c> {
    /// The value in place of this one; none where it stays as it is.
    fn of(&mut self, value: Value<'c>, depth: usize) -> Option<Value<'c>> {
        let place = address(value)?;
        if let Some(new) = self.replaced.get(&place) {
            return Some(*new);
        }
        if let Some(known) = self.rebuilt.get(&place) {
            return *known;
        }
        if depth > MAX_NESTING {
            return None;
        }
        let new = self.rebuild(value, depth);
        self.rebuilt.insert(place, new);
        let mut shared = self.values.shared.borrow_mut();
        if let (Some(new), Some(number)) = (new, shared.by_address.get(&place).copied()) {
            shared.is(number, new);
        }
        new
    }

    fn rebuild(&mut self, value: Value<'c>, depth: usize) -> Option<Value<'c>> {
        let arena = self.arena;
        match value {
            Value::Array(items) => {
                let new: Vec<_> = items.items().iter().map(|item| self.of(*item, depth + 1)).collect();
                new.iter().any(Option::is_some).then(|| {
                    let all = items.items().iter().zip(new).map(|(old, new)| new.unwrap_or(*old));
                    Value::Array(Array::new(arena, &all.collect::<Vec<_>>()))
                })
            }
            Value::Hash(hash) => {
                let entries = hash.entries();
                let new: Vec<_> = entries.iter().map(|(_, value)| self.of(*value, depth + 1)).collect();
                new.iter().any(Option::is_some).then(|| {
                    let mut out = HashBuilder::new(arena);
                    for ((key, old), new) in entries.iter().zip(new) {
                        out.insert(*key, new.unwrap_or(*old));
                    }
                    Value::Hash(out.finish())
                })
            }
            _ => None,
        }
    }
}
