//! Hierarchies with their variables resolved: they stand for as long as those are what they were, and an index of the
//! keys of their files says which locations a key has to be looked for at.

use crate::answered::Variable;
use crate::backend::data_source::Source;
use crate::data_file as file;
use crate::explain::Explain;
use crate::hierarchy::entry::{Entry, Kind};
use crate::invocation::Invocation;
use crate::key::Key;
use crate::layer::Layer;
use crate::state::Lookups;
use bunraku_vm::error::Eval;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use hashbrown::HashTable;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// Hierarchies resolved for certain values of variables.
pub(crate) struct Resolved<'c> {
    pub entries: Vec<Entry<'c>>,
    /// Of the default hierarchy.
    pub last: Vec<Entry<'c>>,
    variables: Vec<(Key<'c>, Value<'c>)>,
    /// What those variables are parts of, and what that was.
    roots: Vec<Variable<'c>>,
    /// The scope, by number, in which they can no longer become anything else.
    settled_in: Cell<Option<u32>>,
    /// Where in `entries` a key may be found, once their files are read.
    index: OnceCell<Index>,
}

/// Which locations may have a key: a bit each, counted through all entries.
struct Index {
    /// By the hashes of keys: who is told to ask a location finds out whether it has the key.
    keys: HashTable<(u64, u64)>,
    /// Those that have to be asked whatever the key.
    always: u64,
}

impl Index {
    /// The index of entries; none while a file is unread, or where there are too many locations.
    fn of(entries: &[Entry<'_>]) -> Option<Index> {
        if entries.iter().map(|entry| entry.contexts.len()).sum::<usize>() > 64
            || !entries.iter().all(Entry::is_read)
        {
            return None;
        }
        let mut index = Index { keys: HashTable::new(), always: 0 };
        let mut bit = 1;
        for entry in entries {
            for (n, context) in entry.contexts.iter().enumerate() {
                if entry.kind != Kind::DataHash {
                    index.always |= bit;
                } else if entry.exists(n) {
                    match context.data.get()? {
                        Source::File(file) => index.add(file.hashes(), bit),
                        Source::Hash(hash) => {
                            let keys = hash.entries().iter().filter_map(|(key, _)| key.as_str());
                            index.add(keys.map(file::hash_of), bit);
                        }
                    }
                }
                bit <<= 1;
            }
        }
        Some(index)
    }

    fn add(&mut self, hashes: impl Iterator<Item = u64>, bit: u64) {
        self.keys.reserve(hashes.size_hint().0, |(hash, _)| *hash);
        for hash in hashes {
            match self.keys.find_mut(hash, |(other, _)| *other == hash) {
                Some((_, bits)) => *bits |= bit,
                None => _ = self.keys.insert_unique(hash, (hash, bit), |(hash, _)| *hash),
            }
        }
    }
}

impl Resolved<'_> {
    /// The locations of `entries` that may have a key of this hash.
    pub fn places(&self, hash: u64) -> u64 {
        if self.index.get().is_none()
            && let Some(index) = Index::of(&self.entries)
        {
            let _ = self.index.set(index);
        }
        let Some(index) = self.index.get() else { return u64::MAX };
        let found = index.keys.find(hash, |(other, _)| *other == hash);
        index.always | found.map_or(0, |(_, bits)| *bits)
    }
}

/// Whether a variable that a scope finds stays what it is there: of top scope, or one that code can't assign.
fn is_settled(name: &str) -> bool {
    matches!(name, "facts" | "trusted") || name.strip_prefix("::").is_some_and(|name| !name.contains("::"))
}

impl<'c> Lookups<'_, 'c> {
    /// Whether all variables in which hierarchies name something are what they were when those were resolved.
    pub(crate) fn stands(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>, kept: &Resolved<'c>) -> bool {
        let is_plain = !inv.old_scope;
        if is_plain && kept.settled_in.get() == Some(inv.scope.id) {
            kept.roots.iter().for_each(|root| self.state.memos.asked(*root));
            return true;
        }
        if !kept.roots.iter().all(|root| self.is_unchanged(vm, inv, root)) {
            return false;
        }
        let settled = |root: &Variable<'c>| root.value.is_some() && is_settled(vm.symbols.text(root.name));
        if is_plain && kept.roots.iter().all(settled) {
            kept.settled_in.set(Some(inv.scope.id));
        }
        true
    }

    pub(crate) fn resolve(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        layer: &Layer<'c>,
    ) -> Eval<'c, Rc<Resolved<'c>>> {
        if let Some(kept) = layer.resolved() {
            if self.stands(vm, inv, &kept) {
                return Ok(kept);
            }
            if kept.variables.iter().all(|(key, value)| self.variable_now(vm, inv, key).same(*value)) {
                return Ok(kept);
            }
            inv.explain.text(|| {
                "Hiera configuration recreated due to change of scope variables used in interpolation expressions"
                    .to_owned()
            });
        }
        // Configurations are resolved with the scope alone, and nobody explains it.
        let explain = Explain::default();
        let plain = Invocation { overrides: None, defaults: None, explain, ..*inv };
        let outer = self.state.record();
        let entries = self.resolve_entries(vm, &plain, &layer.config, "hierarchy");
        let last = match &entries {
            Ok(_) => self.resolve_entries(vm, &plain, &layer.config, "default_hierarchy"),
            Err(_) => Ok(Vec::new()),
        };
        let variables = self.state.recorded(outer).into_iter();
        let variables: Vec<(Key<'c>, Value<'c>)> = variables
            .filter_map(|(name, value)| Some((Key::split(self.arena.alloc_str(&name))?, value)))
            .collect();
        let mut roots: Vec<Variable<'c>> = Vec::new();
        for (key, _) in &variables {
            let name = vm.symbols.intern(&key.root);
            if !roots.iter().any(|root| root.name == name) {
                let value = self.find_variable(vm, inv, &key.root);
                roots.push(Variable { name, is_qualified: key.root.contains("::"), value });
            }
        }
        let (entries, last) = (entries?, last?);
        let resolved = Rc::new(Resolved {
            entries,
            last,
            variables,
            roots,
            settled_in: Cell::new(None),
            index: OnceCell::new(),
        });
        *layer.resolved.borrow_mut() = Some(resolved.clone());
        Ok(resolved)
    }
}
