//! What becomes of arrays and hashes that code in Ruby has changed in place: all variables that hold one of them hold what
//! it has become.
//!
//! Values are never changed, so what an array or hash holds is older than itself, and what was looked through before one of
//! those that have become others was ever met can't hold it. Only what is new is looked through, then: scopes whose variables are
//! as they were are not even walked.

use super::Talk;
use super::protocol::Request;
use super::talk::RequestArgument;
use super::values::Values;
use bumpalo::Bump;
use bunraku_native_ruby::Changes;
use bunraku_vm::error::Eval;
use bunraku_vm::scope::{Scope, ScopeKind};
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
        let mut seen_scopes = self.ruby.values.seen_scopes.take();
        if replaced.keys().any(|place| seen.contains(place)) {
            seen.clear();
            seen_scopes.clear();
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
            // Local scopes are used again.
            let filled = (scope.kind != ScopeKind::Local).then(|| scope.filled());
            if filled.is_some() && seen_scopes.get(&scope.id) == filled.as_ref() {
                continue;
            }
            let before = given.len();
            scope.each_own(|name, old| {
                // Most are neither arrays nor hashes.
                if old.address().is_some() {
                    given.extend(changes.of(old, 0).map(|value| (scope, name, value)));
                }
            });
            if given.len() == before {
                seen_scopes.extend(filled.map(|filled| (scope.id, filled)));
            }
        }
        for (scope, name, value) in given {
            self.world.change_variable(vm, scope, vm.symbols.text(name), value);
        }
        if changes.is_whole {
            self.ruby.values.seen.replace(changes.seen);
            self.ruby.values.seen_scopes.replace(seen_scopes);
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

    /// Whether any of what is in a value does not stay as it is; all of it is looked through.
    fn any(&mut self, inner: impl Iterator<Item = Value<'c>>, depth: usize) -> bool {
        inner.fold(false, |any, value| any | self.of(value, depth + 1).is_some())
    }

    fn rebuild(&mut self, value: Value<'c>, depth: usize) -> Option<Value<'c>> {
        let arena = self.arena;
        match value {
            Value::Array(items) => {
                let items = items.items();
                self.any(items.iter().copied(), depth).then(|| {
                    let all: Vec<_> =
                        items.iter().map(|old| self.of(*old, depth + 1).unwrap_or(*old)).collect();
                    Value::Array(Array::new(arena, &all))
                })
            }
            Value::Hash(hash) => {
                // To look for what may be in it is not to read it.
                let entries = hash.entries_unasked();
                self.any(entries.iter().map(|(_, value)| *value), depth).then(|| {
                    let mut out = HashBuilder::new(arena);
                    for (key, old) in hash.entries() {
                        out.insert(*key, self.of(*old, depth + 1).unwrap_or(*old));
                    }
                    Value::Hash(out.finish())
                })
            }
            _ => None,
        }
    }
}
