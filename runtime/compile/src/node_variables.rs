//! The variables of top scope that a node brings with it: its facts, trusted data and parameters, and what its server says.

use crate::compile::Compile;
use crate::inputs::{Node, server_facts};
use crate::params::module_name;
use bunraku_data::json as data;
use bunraku_vm::compat::Rule;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::symbol::known;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Compile<'c> {
    /// Top-scope variables: an external classifier's, the facts, `$trusted`, `$server_facts`, `$environment`.
    ///
    /// # Errors
    /// Puppet's where one of them has a name that nothing but the compile may set.
    pub(crate) fn set_node_parameters(&self, vm: &mut Vm<'c>, node: &Node) -> Eval<'c, ()> {
        let top = vm.top;
        let mut names = node.parameters.keys().chain(node.facts.map().keys());
        if let Some(name) = names.find(|name| matches!(name.as_str(), "facts" | "server_facts")) {
            return Err(Flow::raw(format!("Attempt to assign to a reserved variable name: '{name}'")));
        }
        // An external classifier's parameters win over facts of the same name.
        let taken = |name: &str, value: &serde_json::Value, by: &serde_json::Value| {
            let is_same = by == value && self.options.settings.compat.holds(Rule::SameParameterIsNoticed);
            let level = if is_same { Severity::Notice } else { Severity::Warning };
            let (by, value) = (data::inspect(by), data::inspect(value));
            self.log_once(level, format!(
                "The node parameter '{name}' for node '{}' was already set to '{by}'. It could not be set to '{value}'",
                node.name
            ));
        };
        let others = self.without_withheld(node.facts.map());
        let given = others.as_ref().unwrap_or(node.facts.map());
        // The environment's name is a parameter of the node before anything else is.
        let own = serde_json::Value::from(&*self.environment.name);
        let parameter =
            |name: &str| if name == "environment" { Some(&own) } else { node.parameters.get(name) };
        let trusted = data::hash(self.arena, &node.trusted);
        let [facts, trusted] = self.watch_data([data::facts(self.arena, given), trusted]);
        let mut server_facts =
            node.server_facts.clone().unwrap_or_else(|| server_facts(self.options.settings.compat));
        top.reserve(given.len() + node.parameters.len() + server_facts.len() + 8);
        for ((name, json), (_, value)) in given.iter().zip(facts.entries_unasked()) {
            match parameter(name) {
                Some(by) => taken(name, json, by),
                None => top.set(vm.symbols.intern(name), *value),
            }
        }
        for (name, value) in node.parameters.iter().filter(|(name, _)| *name != "environment") {
            let symbol = vm.symbols.intern(name);
            top.set(symbol, data::value(self.arena, value));
        }
        for (name, value) in &server_facts {
            match parameter(name).or_else(|| given.get(name)) {
                Some(by) => taken(name, value, by),
                None => {
                    let symbol = vm.symbols.intern(name);
                    top.set(symbol, data::value(self.arena, value));
                }
            }
        }
        top.set(known::ENVIRONMENT, self.string_value(&self.environment.name));
        top.set(known::TRUSTED, Value::Hash(trusted));
        // A server that tells nothing does not tell its environment, either.
        if !server_facts.is_empty() {
            server_facts.insert("environment".to_owned(), own);
        }
        top.set(known::SERVER_FACTS, data::object(self.arena, &server_facts));
        self.witness.facts.set(Some(facts.address()));
        top.set(known::FACTS, Value::Hash(facts));
        top.set(known::MODULE_NAME, module_name(vm, ""));
        if self.asked_data.is_watched() {
            top.watch();
        }
        Ok(())
    }
}
