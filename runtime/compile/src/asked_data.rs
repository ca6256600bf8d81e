//! What a compile has asked of its node's facts and trusted data: where somebody gathers what it reads, the hashes are watched,
//! and top scope, whose variables the facts are; what they have noted is told when the compile is over.

use crate::compile::Compile;
use crate::inputs::{Node, server_facts};
use bunraku_catalog::view::View;
use bunraku_files::reads::{self, NodeData, OfValue};
use bunraku_vm::value::{Hash, Part, Value};
use bunraku_vm::vm::Vm;
use hashbrown::HashSet;
use std::cell::Cell;

/// The hashes that are watched.
#[derive(Default)]
pub(crate) struct AskedData<'c> {
    watched: Cell<Option<[Hash<'c>; 2]>>,
}

impl AskedData<'_> {
    /// Whether there are any.
    pub fn is_watched(&self) -> bool {
        self.watched.get().is_some()
    }
}

impl<'c> Compile<'c> {
    /// Facts and trusted data as code is to see them: watched, where it is wanted what is asked of them.
    pub(crate) fn watch_data(&self, both: [Hash<'c>; 2]) -> [Hash<'c>; 2] {
        if !reads::is_gathered() {
            return both;
        }
        let watched = both.map(|hash| hash.watched(self.arena));
        self.asked_data.watched.set(Some(watched));
        watched
    }

    /// Tells what was asked for. A fact that a variable of the node's takes the place of counts, too, as that is logged.
    pub(crate) fn note_asked_data(&self, vm: &Vm<'c>, node: &Node) {
        let Some([facts, trusted]) = self.asked_data.watched.get() else { return };
        for (data, hash) in [(NodeData::Facts, facts), (NodeData::Trusted, trusted)] {
            hash.tell_asked(&mut Vec::new(), &mut |path, part| {
                reads::note_value(
                    data,
                    path,
                    match part {
                        Part::Whole => OfValue::Whole,
                        Part::Form => OfValue::Form,
                    },
                );
            });
        }
        match vm.top.asked() {
            None => reads::note_value(NodeData::Facts, &[], OfValue::Whole),
            Some(names) => {
                let is_hash = |name: &str| matches!(facts.get_str_unasked(name), Some(Value::Hash(_)));
                for name in names {
                    let name = vm.symbols.text(name);
                    let part = if is_hash(name) { OfValue::Form } else { OfValue::Whole };
                    reads::note_value(NodeData::Facts, &[name], part);
                }
            }
        }
        let own = server_facts(self.options.settings.compat);
        let server = node.server_facts.as_ref().unwrap_or(&own);
        let hiding = node.parameters.keys().chain(server.keys()).map(String::as_str);
        for name in hiding.chain(["environment"]) {
            reads::note_value(NodeData::Facts, &[name], OfValue::Whole);
        }
    }

    /// Counts what a catalog holds as asked for, where it is not written.
    pub(crate) fn ask_for_values(&self, catalog: &View<'c>) {
        if !self.asked_data.is_watched() {
            return;
        }
        let mut parts = Parts::default();
        catalog.values().for_each(|value| parts.ask(value));
    }
}

/// How many parts an array or hash has at most that is looked through anyway.
const SHORT: usize = 8;

/// So many arrays and hashes that hold others are looked through without asking whether that has been done.
const FEW: usize = 4096;

/// Arrays and hashes that are asked for all they hold. Where there are many that hold others, each is looked through once, however
/// often it is a part of others.
#[derive(Default)]
struct Parts<'c> {
    pending: Vec<Value<'c>>,
    looked_through: usize,
    seen: HashSet<usize>,
}

impl<'c> Parts<'c> {
    /// Asks for all of a value.
    #[inline]
    fn ask(&mut self, value: Value<'c>) {
        if has_parts(&value) {
            self.ask_each(value);
            while let Some(value) = self.pending.pop() {
                self.ask_each(value);
            }
        }
    }

    /// Asks for the parts of a value.
    fn ask_each(&mut self, value: Value<'c>) {
        match value {
            Value::Hash(hash) => {
                let entries = hash.entries();
                self.ask_within(hash.address(), entries.iter().map(|(_, value)| value));
            }
            Value::Array(items) => self.ask_within(items.address(), items.items().iter()),
            _ => {}
        }
    }

    fn ask_within<'v>(&mut self, address: usize, parts: impl ExactSizeIterator<Item = &'v Value<'c>> + Clone)
    where
        'c: 'v,
    {
        let is_short = parts.len() <= SHORT;
        if is_short && !parts.clone().any(has_parts) {
            return;
        }
        self.looked_through += 1;
        if self.looked_through > FEW && !self.seen.insert(address) {
            return;
        }
        self.pending.extend(parts.copied().filter(has_parts));
    }
}

fn has_parts(value: &Value<'_>) -> bool {
    matches!(value, Value::Hash(_) | Value::Array(_))
}
