//! What becomes of arrays and hashes that code in Ruby has changed in place: all variables that hold one of them hold what
//! it has become.
//!
//! Values are never changed, so what an array or hash holds is older than itself, and what was looked through before one of
//! those that have become others was ever met can't hold it. Only what is new is looked through, then.

use super::Talk;
use super::protocol::Request;
use super::talk::RequestArgument;
use super::values::Values;
use bumpalo::Bump;
use bunraku_native_ruby::Changes;
use bunraku_vm::error::Eval;
use bunraku_vm::scope::Scope;
use bunraku_vm::value::{Array, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use hashbrown::{HashMap, HashSet};

/// Deeper values are not looked into.
const MAX_NESTING: usize = 500;

impl<'c> Talk<'_, 'c> {
    /// Puts what Ruby has changed in place where it was: into the variables that the scope sees, and those of classes.
    pub(super) fn spread_changes(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>) {
        let replaced = self.ruby.values.shared.borrow_mut().take_replaced();
        self.spread_replaced(vm, scope, replaced);
    }

    /// The same of what code without Ruby has changed. The worker changes those in place that it knows.
    ///
    /// # Errors
    /// How the worker ended.
    pub fn spread(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, changed: Changes<'c>) -> Eval<'c, ()> {
        if changed.is_empty() {
            return Ok(());
        }
        if self.ruby.has_worker() {
            self.tell_changed(vm, &changed)?;
        }
        let replaced = changed.into_iter().filter_map(|(old, new)| Some((old.address()?, new)));
        self.spread_replaced(vm, scope, replaced.collect());
        Ok(())
    }

    fn tell_changed(&self, vm: &mut Vm<'c>, changed: &Changes<'c>) -> Eval<'c, ()> {
        let mut told = Vec::new();
        let mut shared = self.ruby.values.shared.borrow_mut();
        for (old, new) in changed {
            if let Some(number) = shared.number_of(*old) {
                shared.is(number, *new);
                told.push((number, *new));
            }
        }
        drop(shared);
        // All have their numbers by now: where one holds another, the worker is told of that by its number.
        for (number, new) in told {
            let arguments = [Value::Int(number.into()), new].map(RequestArgument::Value);
            self.request(vm, "A change of what Ruby knows", Request::Become, &arguments)?;
        }
        Ok(())
    }

    fn spread_replaced(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, replaced: HashMap<usize, Value<'c>>) {
        if replaced.is_empty() {
            return;
        }
        let mut scopes = vec![scope];
        while let Some(parent) = scopes.last().and_then(|scope| scope.parent) {
            scopes.push(parent);
        }
        scopes.extend(self.world.class_scopes());
        let mut seen = self.ruby.values.seen.take();
        if replaced.keys().any(|place| seen.contains(place)) {
            seen.clear();
        }
        let mut changes = Spreading {
            values: &self.ruby.values,
            arena: vm.arena,
            replaced,
            rebuilt: HashMap::new(),
            seen,
            is_whole: true,
        };
        let mut given = Vec::new();
        for scope in scopes {
            scope.each_own(|name, old| {
                // Most are neither arrays nor hashes.
                if old.address().is_some() {
                    given.extend(changes.of(old, 0).map(|value| (scope, name, value)));
                }
            });
        }
        for (scope, name, value) in given {
            self.world.change_variable(vm, scope, vm.symbols.text(name), value);
        }
        if changes.is_whole {
            self.ruby.values.seen.replace(changes.seen);
        }
    }
}

/// Replaces changed collections inside of other values.
struct Spreading<'r, 'c> {
    values: &'r Values<'c>,
    arena: &'c Bump,
    /// Those that have become others, by where they lay.
    replaced: HashMap<usize, Value<'c>>,
    /// Those that hold some of these, made anew.
    rebuilt: HashMap<usize, Value<'c>>,
    /// Where those lie that hold none of these, nor does anything in them.
    seen: HashSet<usize>,
    /// Whether all has been looked through that was met.
    is_whole: bool,
}

impl<'c> Spreading<'_, 'c> {
    /// The value in place of this one; none where it stays as it is.
    fn of(&mut self, value: Value<'c>, depth: usize) -> Option<Value<'c>> {
        let place = value.address()?;
        if self.seen.contains(&place) {
            return None;
        }
        if let Some(new) = self.replaced.get(&place) {
            return Some(*new);
        }
        if let Some(known) = self.rebuilt.get(&place) {
            return Some(*known);
        }
        if depth > MAX_NESTING {
            self.is_whole = false;
            return None;
        }
        let Some(new) = self.rebuild(value, depth) else {
            self.seen.insert(place);
            return None;
        };
        self.rebuilt.insert(place, new);
        let mut shared = self.values.shared.borrow_mut();
        if let Some(number) = shared.number_of(value) {
            shared.is(number, new);
        }
        Some(new)
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
                // To look for what may be in it is not to read it.
                let entries = hash.entries_unasked();
                let new: Vec<_> = entries.iter().map(|(_, value)| self.of(*value, depth + 1)).collect();
                new.iter().any(Option::is_some).then(|| {
                    let mut out = HashBuilder::new(arena);
                    for ((key, old), new) in hash.entries().iter().zip(new) {
                        out.insert(*key, new.unwrap_or(*old));
                    }
                    Value::Hash(out.finish())
                })
            }
            _ => None,
        }
    }
}
