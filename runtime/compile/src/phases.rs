//! The phases of a compile in Puppet's order, from the node's facts to the finished catalog.

use crate::compile::{Compile, Contained, contain};
use crate::inputs::{Code, Node};
use crate::state::definitions::{Definition, DefinitionKind, NodeDefinition};
use crate::state::recorded::{Given, Led, LedHow};
use bumpalo::collections::CollectIn;
use bunraku_catalog::tags::Tags;
use bunraku_catalog::{Inherited, Kind, Param, Params};
use bunraku_compiler::{SourceFile, SourceKind};
use bunraku_data::json as data;
use bunraku_data::rich::{self, NotInJson};
use bunraku_environment::units::Compiled;
use bunraku_vm::cause::{Cause, UNCAUGHT};
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::format;
use bunraku_vm::host::Site;
use bunraku_vm::regex;
use bunraku_vm::scope::{ResourceId, ScopeKind, ScopeSpec};
use bunraku_vm::symbol::known;
use bunraku_vm::unit::{ChunkRef, DefKind, HostMatch};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::borrow::Cow;

/// Rounds of definitions and collectors after which Puppet gives up.
const MAX_ROUNDS: usize = 1000;
/// The name that the definition of all other nodes has.
const DEFAULT_NODE: &str = "default";

/// The first definition whose regular expression matches a name.
fn first_match<'n, 'c>(
    nodes: &'n [NodeDefinition<'c>],
    name: &str,
) -> Eval<'c, Option<&'n NodeDefinition<'c>>> {
    for candidate in nodes {
        if let HostMatch::Regex(source) = candidate.matching
            && regex::is_match(source, name).map_err(Flow::raw)?
        {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

impl<'c> Compile<'c> {
    /// The phases, one after the other: the catalog as JSON, where that is wanted, and the value of the last expression of
    /// main.
    ///
    /// # Errors
    /// Whatever ends the compile.
    pub(crate) fn phases(
        &self,
        vm: &mut Vm<'c>,
        node: &Node,
        code: Option<Code<'_>>,
    ) -> Eval<'c, (String, Value<'c>)> {
        for warning in self.environment.warnings() {
            self.warn_once(warning.clone());
        }
        self.check_metadata()?;
        self.check_names()?;
        self.witness_environment();
        self.find_version()?;
        self.add_main_stage(vm, node)?;
        self.set_node_parameters(vm, node)?;
        self.load_main(vm, code)?;
        self.create_settings(vm)?;
        let value = self.evaluate_main(vm, node)?;
        self.evaluate_node(vm, node)?;
        self.evaluate_node_classes(vm, node)?;
        self.evaluate_generators(vm)?;
        self.finish(vm)?;
        self.fail_on_unused_overrides()?;
        self.fail_on_unrealized()?;
        self.validate_relationships()?;
        if self.options.settings.check_cycles {
            self.check_cycles()?;
        }
        self.check_late_aliases()?;
        self.tell_of_formless_data()?;
        if self.options.wants_json {
            let catalog = rich::checked(|| self.write_catalog(node, self.options.settings.form));
            let catalog = catalog.map_err(|NotInJson(number)| {
                // Nobody adds the node's name, and the number is the oracle's, too.
                let message = format!("1000: {} not allowed in JSON", format::float_to_s(number));
                Flow::formed(Diagnostic::error(message).with_code(UNCAUGHT))
            })?;
            return Ok((catalog, value));
        }
        self.make_bytes_binary();
        Ok((String::new(), value))
    }

    /// Main's place among the known, `Stage[main]` in the catalog.
    pub(crate) fn add_main_stage(&self, vm: &mut Vm<'c>, node: &Node) -> Eval<'c, ()> {
        let main = self.add_definition(|number| Definition::without_code(number, DefinitionKind::Main, ""));
        vm.top.source.set(Some(main.number));
        let mut stage = self.new_resource(vm, "Stage", "main", vm.top, Params::new_in(self.arena))?;
        stage.kind = Kind::Compilable;
        let mut catalog = self.catalog.borrow_mut();
        catalog.add(stage);
        for (name, _) in &node.classes {
            let name = self.text(name);
            // The catalog is tagged with them.
            let tagged = Tags::new(self.arena).tag(&self.tags.names, name);
            tagged.map_err(|tag| Flow::raw(format!("Invalid tag '{tag}'")))?;
            catalog.add_class(&self.tags.names, name);
        }
        Ok(())
    }

    /// Reads the main manifests, so that what they define is known.
    pub(crate) fn load_main(&self, vm: &mut Vm<'c>, code: Option<Code<'_>>) -> Eval<'c, ()> {
        let checked = |vm: &mut Vm<'c>, compiled: Eval<'c, Compiled>, file: Option<&str>| {
            let checked = compiled.and_then(|compiled| {
                self.check_noted(vm, compiled.parts().0, file)?;
                Ok(compiled)
            });
            checked.map_err(|flow| self.could_not_parse(flow))
        };
        let units = match code {
            Some(Code { text, file }) => {
                let source = SourceFile { path: file, text, kind: SourceKind::Manifest };
                let compiled = checked(vm, self.compile_source(&source), file)?;
                vec![self.load_compiled(vm, &compiled, file.map(|file| self.text(file)), "")?]
            }
            None => {
                let mut units = Vec::new();
                for file in self.environment.manifest_files() {
                    self.definitions.loaded.borrow_mut().insert(self.bytes_of(&file));
                    let path = self.text(&file.to_string_lossy());
                    let compiled = checked(vm, self.compile_manifest(&file), Some(path))?;
                    units.push(self.load_compiled(vm, &compiled, Some(path), self.module_of(&file))?);
                }
                units
            }
        };
        let chunks = units.into_iter().map(|unit| ChunkRef { unit, chunk: 0 });
        self.definitions.main_chunks.borrow_mut().extend(chunks);
        Ok(())
    }

    /// A fault of a main manifest's text.
    pub(crate) fn could_not_parse(&self, mut flow: Box<Flow<'c>>) -> Box<Flow<'c>> {
        // Where Ruby's stack ends, Puppet adds nothing.
        if let Flow::Fault(fault) = &mut *flow
            && fault.diagnostic.cause != Cause::StackTooDeep
        {
            let prefix = format!("Could not parse for environment {}: ", self.environment.name);
            fault.diagnostic.message.insert_str(0, &prefix);
        }
        flow
    }

    /// `Class[Settings]` and its scope, whose variables are found when they are asked for (see `setting_variable`).
    pub(crate) fn create_settings(&self, vm: &mut Vm<'c>) -> Eval<'c, ()> {
        let settings =
            self.add_definition(|number| Definition::without_code(number, DefinitionKind::Class, "settings"));
        self.definitions.classes.borrow_mut().insert("settings", settings);
        let mut resource = self.new_resource(vm, "Class", "Settings", vm.top, Params::new_in(self.arena))?;
        resource.progress.evaluated = true;
        let id = self.catalog.borrow_mut().add(resource);
        let top = vm.top;
        let scope = vm.new_scope(ScopeSpec {
            kind: ScopeKind::Class,
            names: &[],
            parent: Some(top),
            declared_in: Some(top),
            name: "settings",
            module: "",
        });
        scope.resource.set(Some(id));
        self.scopes.of_classes.borrow_mut().insert("settings", scope);
        self.catalog.borrow_mut().add_class(&self.tags.names, "settings");
        self.add_edge_to_stage(id)
    }

    /// The code outside all definitions, in top scope.
    pub(crate) fn evaluate_main(&self, vm: &mut Vm<'c>, node: &Node) -> Eval<'c> {
        let top = vm.top;
        let main = self.new_resource(vm, "Class", "main", top, Params::new_in(self.arena))?;
        let id = self.add_resource(top, main)?;
        top.resource.set(Some(id));
        {
            let mut catalog = self.catalog.borrow_mut();
            catalog[id].progress.evaluated = true;
            catalog[id].progress.scope_tagged = Some(Inherited::NONE);
        }
        // They are variables of this scope already where the node's facts or its classifier have them.
        let is_given = |name: &str| node.parameters.contains_key(name) || node.facts.map().contains_key(name);
        if let Some(name) = ["module_name", "title", "name"].into_iter().find(|name| is_given(name)) {
            return Err(Flow::raw(format!("Cannot reassign variable '${name}'")));
        }
        for (name, value) in [(known::TITLE, "main"), (known::NAME, "main")] {
            top.set(name, self.string_value(value));
        }
        self.add_edge_to_stage(id)?;
        let mut value = Value::Undef;
        let chunks = self.definitions.main_chunks.borrow().clone();
        for chunk in chunks {
            value = contain(vm, Contained::Main, |vm| vm.run_body(chunk, top, &[]))?;
        }
        Ok(value)
    }

    /// The node definition that fits, if there are any: by name, by regular expression, the default one.
    pub(crate) fn evaluate_node(&self, vm: &mut Vm<'c>, node: &Node) -> Eval<'c, ()> {
        let nodes = self.definitions.nodes.borrow().clone();
        if nodes.is_empty() {
            return Ok(());
        }
        let name = node.name.to_lowercase();
        let mut found = nodes.iter().find(|n| matches!(n.matching, HostMatch::Name(text) if text == name));
        if found.is_none() {
            found = first_match(&nodes, &name)?;
        }
        if found.is_none() {
            found = nodes.iter().find(|n| n.matching == HostMatch::Default);
        }
        if found.is_none() {
            // The node of this name is looked for as any other one.
            found = first_match(&nodes, DEFAULT_NODE)?;
        }
        if let Some(found) = found {
            let name = match found.matching {
                HostMatch::Name(name) => Cow::Borrowed(name),
                HostMatch::Regex(source) => Cow::Owned(format!("/{source}/")),
                HostMatch::Default => Cow::Borrowed(DEFAULT_NODE),
            };
            self.note_body(found.definition.manifest, DefKind::Node, &name);
        }
        let Some(found) = found else {
            let message = format!("Could not find node statement with name 'default' or '{}'", node.name);
            return Err(self.placed_error(message, None, 0));
        };
        if let HostMatch::Regex(source) = found.matching {
            let file = found.definition.manifest.file.map(Into::into);
            self.witness_node(source, Place { file, line: Some(found.definition.line), column: None });
        }
        if found.definition.name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            // A pattern that looks around, whose name in capitals is not found again.
            return Err(self.placed_error("Cannot find definition Node".to_owned(), None, 0));
        }
        let top = vm.top;
        let id = self.ensure_class(vm, top, found.definition, None)?;
        self.evaluate_resource(vm, id)
    }

    /// What the regular expression of a node definition captures of the node's name.
    pub(crate) fn node_groups(
        &self,
        _vm: &mut Vm<'c>,
        definition: &Definition<'c>,
    ) -> Eval<'c, Vec<Option<&'c str>>> {
        if definition.kind != DefinitionKind::Node {
            return Ok(Vec::new());
        }
        let nodes = self.definitions.nodes.borrow();
        let definition = nodes.iter().find(|n| n.definition.number == definition.number);
        let Some(HostMatch::Regex(source)) = definition.map(|n| n.matching) else { return Ok(Vec::new()) };
        let name = self.options.node_name.to_lowercase();
        let mut groups = regex::captures(source, &name).map_err(Flow::raw)?;
        if groups.is_none() {
            groups = regex::captures(source, DEFAULT_NODE).map_err(Flow::raw)?;
        }
        let groups = groups.unwrap_or_default();
        Ok(groups.into_iter().map(|group| group.map(|text| self.text(text))).collect())
    }

    /// Classes of an external node classifier: those with parameters first, in node scope if there is one.
    pub(crate) fn evaluate_node_classes(&self, vm: &mut Vm<'c>, node: &Node) -> Eval<'c, ()> {
        let scope = self.scopes.of_node.get().unwrap_or(vm.top);
        let has_params = |value: &serde_json::Value| value.as_object().is_some_and(|map| !map.is_empty());
        for (name, params) in node.classes.iter().filter(|(_, params)| has_params(params)) {
            let Some(definition) = self.find_class(vm, name)? else { return Err(self.unknown_class(name)) };
            self.record_classified(definition.name);
            let params = params.as_object().into_iter().flatten().map(|(name, value)| Param {
                name: self.text(name),
                value: data::value(self.arena, value),
                at: None,
                append: false,
                source: definition.number,
            });
            let id = self.ensure_class(vm, scope, definition, Some(params.collect_in(self.arena)))?;
            if let Some(recorded) = self.recorded {
                for param in &self.catalog.borrow()[id].params {
                    recorded.give(id, param.name, Given::Classifier);
                }
            }
        }
        for (name, _) in node.classes.iter().filter(|(_, params)| !has_params(params)) {
            let Some(definition) = self.find_class(vm, name)? else { return Err(self.unknown_class(name)) };
            self.record_classified(definition.name);
            let there = self.scopes.of_classes.borrow().contains_key(definition.name);
            if !there {
                self.ensure_class(vm, scope, definition, None)?;
            }
        }
        Ok(())
    }

    /// Notes that the classifier names a class.
    fn record_classified(&self, class: &str) {
        if let Some(recorded) = self.recorded {
            let led = Led { how: LedHow::Classifier, by: None, site: Site::NONE };
            recorded.led.borrow_mut().entry(class.to_owned()).or_default().push(led);
        }
    }

    pub(crate) fn unknown_class(&self, name: &str) -> Box<Flow<'c>> {
        self.placed_error(format!("Could not find class {name} for {}", self.options.node_name), None, 0)
    }

    /// Collectors and bodies of defined types, in rounds, until nothing new comes.
    pub(crate) fn evaluate_generators(&self, vm: &mut Vm<'c>) -> Eval<'c, ()> {
        for _ in 0..=MAX_ROUNDS {
            let collected = self.evaluate_collectors(vm)?;
            let evaluated = self.evaluate_definitions(vm)?;
            if !collected && !evaluated {
                return Ok(());
            }
        }
        let message = "Somehow looped more than 1000 times while evaluating host catalog".to_owned();
        Err(self.placed_error(message, None, 0))
    }

    /// Evaluates the defined types (and classifier's classes) that wait; those they declare wait for the next round.
    pub(crate) fn evaluate_definitions(&self, vm: &mut Vm<'c>) -> Eval<'c, bool> {
        let waiting: Vec<ResourceId> = {
            let mut catalog = self.catalog.borrow_mut();
            let mut left = std::mem::take(&mut catalog.unevaluated);
            left.retain(|id| !catalog.resources[id.0 as usize].progress.evaluated);
            catalog.unevaluated = left;
            catalog.unevaluated.iter().copied().filter(|id| !catalog[*id].is_virtual).collect()
        };
        for id in &waiting {
            self.evaluate_resource(vm, *id).map_err(|flow| self.around_definition(*id, flow))?;
        }
        Ok(!waiting.is_empty())
    }

    /// A fault in a body evaluated late is wrapped in the resource statement that declared it.
    pub(crate) fn around_definition(&self, id: ResourceId, flow: Box<Flow<'c>>) -> Box<Flow<'c>> {
        if flow.cause() == Some(&Cause::LateParameters) {
            return flow;
        }
        let Flow::Fault(fault) = *flow else { return flow };
        // Nobody catches what is no StandardError of Ruby's.
        if fault.diagnostic.code == Some(UNCAUGHT) {
            return Box::new(Flow::Fault(fault));
        }
        let catalog = self.catalog.borrow();
        let resource = &catalog[id];
        let inner = match fault.stage {
            Stage::Formed => fault.diagnostic.to_string(),
            _ => fault.diagnostic.message.clone(),
        };
        // What stops an iteration that is none keeps its place, and Puppet finds no words for what it stopped.
        let stops = fault.diagnostic.cause == Cause::IllegalBreak;
        let (what, inner) = match stops {
            true => ("an Object", fault.diagnostic.message.clone()),
            false => ("a Resource Statement", inner),
        };
        let message = format!("Evaluation Error: Error while evaluating {what}, {inner}");
        let place = match stops {
            true => fault.diagnostic.place.clone(),
            false => Place {
                file: resource.file.filter(|f| !f.is_empty()).map(Into::into),
                line: (resource.line != 0).then_some(resource.line),
                column: None,
            },
        };
        let mut diagnostic = Diagnostic::error(message).at(place).with_code("RUNTIME_ERROR");
        diagnostic.cause = fault.diagnostic.cause.around();
        diagnostic.stack = fault.diagnostic.stack;
        Flow::formed(diagnostic)
    }
}
