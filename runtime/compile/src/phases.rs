//! The phases of a compile in Puppet's order, from the node's facts to the finished catalog.

use crate::compile::{BREAK_IS_ILLEGAL, Compile, contain};
use crate::inputs::server_facts;
use crate::inputs::{Code, Finished, Inputs, Node, See};
use crate::params::module_name;
use crate::state::definitions::{Definition, DefinitionKind, Manifest, NodeDefinition};
use crate::state::recorded::{Given, Led, LedHow};
use bumpalo::{Bump, collections::CollectIn};
use bunraku_catalog::json::{self, Header, Version};
use bunraku_catalog::tags::Tags;
use bunraku_catalog::view::View;
use bunraku_catalog::{Catalog, Inherited, Kind, Param, Params};
use bunraku_compiler::{SourceFile, SourceKind};
use bunraku_data::json as data;
use bunraku_data::rich;
use bunraku_environment::units::Compiled;
use bunraku_vm::budget;
use bunraku_vm::cause::{Cause, UNCAUGHT};
use bunraku_vm::compat::Rule;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::format;
use bunraku_vm::host::Site;
use bunraku_vm::regex;
use bunraku_vm::scope::{ResourceId, ScopeKind, ScopeSpec};
use bunraku_vm::symbol::{Interner, known};
use bunraku_vm::unit::{ChunkRef, DefKind, HostMatch};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::borrow::Cow;
use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::Instant;

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
    /// Compiles a node's catalog. If it comes to its end, `see` gets it while it is in memory; what it does there counts for
    /// no limit of the compile but that of steps and nesting.
    pub fn run(inputs: Inputs<'c>, arena: &'c Bump, see: Option<&mut See<'_>>) -> Finished {
        let Inputs { environment, settings, node, code, want_value, query, report, covers, origins, .. } =
            inputs;
        let names = inputs.kept.keep_names(environment.modules.symbols().current());
        let compile = &*arena.alloc(Compile::new(inputs, arena));
        let mut vm = Vm::with_names(compile, Interner::over(arena, names));
        vm.calls.max_depth = settings.max_depth;
        vm.calls.max_calls = settings.max_calls;
        if settings.stats || settings.profile {
            vm.observer = Some(compile);
        }
        if let Some(watches) = covers {
            vm.cover(watches.clone());
        }
        let finished = budget::guarded(settings.limits, || {
            let outcome = match report {
                Some(report) => compile.process_report(&mut vm, node, report),
                None => compile.phases(&mut vm, node, code),
            };
            compile.witness_types();
            let result = outcome.map_err(|flow| compile.diagnostic(*flow));
            let value = match &result {
                Ok((_, value)) if want_value => Some(data::describe(&mut vm, *value)),
                _ => None,
            };
            let result = result.map(|(catalog, _)| catalog);
            let stored = match &result {
                Ok(_) if compile.options.wants_exported => {
                    let form = json::Form { stored: true, ..json::Form::default() };
                    Some(compile.write_catalog(node, form))
                }
                _ => None,
            };
            let lookup = match (&result, query) {
                (Ok(_), Some(query)) => {
                    Some(compile.answer_query(&mut vm, query).map_err(|flow| compile.diagnostic(*flow)))
                }
                _ => None,
            };
            let origins = origins
                .filter(|_| result.is_ok())
                .and_then(|about| compile.tell_origins(&mut vm, about, (node, code.map(|code| code.text))));
            let graph = (settings.graph && result.is_ok()).then(|| compile.catalog_graph());
            environment.modules.symbols().take_in(&vm.symbols);
            Finished { value, stored, lookup, origins, graph, ..Finished::of(result) }
        });
        let finished = finished.unwrap_or_else(|limit| {
            // Where the machine was when it was left: the innermost code that has said where it is.
            let site = vm.stack().into_iter().find(|site| site.line != 0);
            let place = site.map_or_else(Place::default, |site| site.place());
            let diagnostic = Diagnostic::error(limit.to_string()).at(place).because(Cause::Limit(limit));
            Finished::of(Err(diagnostic))
        });
        if let Some(recorded) = compile.recorded {
            recorded.release();
        }
        compile.ruby.release();
        compile.erb.release();
        compile.hiera.release();
        let catalog = compile.catalog.replace(Catalog::with_capacity(arena, 0));
        environment.resources.store(catalog.resources.len(), Ordering::Relaxed);
        compile.note_sources(&catalog);
        let finished = match see {
            Some(see) if finished.result.is_ok() => {
                let view = View::of(catalog, &compile.tags.names);
                compile.ask_for_values(&view);
                compile.note_asked_data(&vm, node);
                compile.show(view, see, finished)
            }
            _ => {
                compile.note_asked_data(&vm, node);
                finished
            }
        };
        compile.tags.release();
        let (logs, stats) = (compile.journal.messages.take(), compile.accounts.counter.take());
        let (notes, covered) = (compile.witness.take(), vm.covered());
        Finished { logs, stats, notes, covered, spent: compile.accounts.spent.get(), ..finished }
    }

    /// Shows the finished catalog to whoever wants to see it. Other compiles may run meanwhile, so no time is counted.
    fn show(&self, view: View<'c>, see: &mut See<'_>, finished: Finished) -> Finished {
        let limits = budget::Limits { time: None, memory: usize::MAX, ..self.options.settings.limits };
        let mut spent = self.accounts.spent.get();
        spent.resources = view.resources.len();
        self.accounts.spent.set(spent);
        let seen = budget::guarded(limits, || see(view));
        match seen {
            Ok(()) => finished,
            Err(limit) => {
                let diagnostic = Diagnostic::error(limit.to_string()).because(Cause::Limit(limit));
                Finished { result: Err(diagnostic), ..finished }
            }
        }
    }

    /// What a user sees of what ended the compile: ` on node NAME` behind Puppet's message.
    pub(crate) fn diagnostic(&self, flow: Flow<'c>) -> Diagnostic {
        match flow {
            Flow::Fault(fault) => {
                let mut diagnostic = fault.diagnostic;
                if fault.stage != Stage::Formed {
                    diagnostic.place = Place::default();
                }
                diagnostic
            }
            Flow::Break(place) | Flow::Next(_, place) | Flow::Return(_, place) => {
                Diagnostic::error(BREAK_IS_ILLEGAL).at(place).because(Cause::IllegalBreak)
            }
        }
    }

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
        self.prepare(vm, node)?;
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
            // What was written before is no part of it.
            rich::unwritable();
            let catalog = self.write_catalog(node, self.options.settings.form);
            if let Some(number) = rich::unwritable() {
                // Nobody adds the node's name, and the number is the oracle's, too.
                let message = format!("1000: {} not allowed in JSON", format::float_to_s(number));
                return Err(Flow::formed(Diagnostic::error(message).with_code(UNCAUGHT)));
            }
            return Ok((catalog, value));
        }
        self.make_bytes_binary();
        Ok((String::new(), value))
    }

    /// Main's place among the known, `Stage[main]` in the catalog.
    pub(crate) fn prepare(&self, vm: &mut Vm<'c>, node: &Node) -> Eval<'c, ()> {
        let main = self.add_definition(|number| Definition {
            number,
            kind: DefinitionKind::Main,
            name: "",
            chunk: None,
            parent: None,
            module: "",
            manifest: Manifest::default(),
            line: 0,
            overrides: Cell::new(false),
            is_noted: Cell::new(false),
        });
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

    /// `Class[Settings]` and its scope, whose variables are found when they are asked for (see `setting_variable`).
    pub(crate) fn create_settings(&self, vm: &mut Vm<'c>) -> Eval<'c, ()> {
        let settings = self.add_definition(|number| Definition {
            number,
            kind: DefinitionKind::Class,
            name: "settings",
            chunk: None,
            parent: None,
            module: "",
            manifest: Manifest::default(),
            line: 0,
            overrides: Cell::new(false),
            is_noted: Cell::new(false),
        });
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
            value = contain(vm, false, |vm| vm.run_body(chunk, top, &[]))?;
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

    /// The catalog as JSON, in a form.
    pub(crate) fn write_catalog(&self, node: &Node, form: json::Form) -> String {
        let (uuid, time) = *self.made.get_or_init(|| {
            let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            (uuid::Uuid::new_v4(), seconds.map_or(0, |since| since.as_secs()))
        });
        let version = self.version.borrow().map_or(Version::Time(time), Version::Text);
        let uuid = uuid.to_string();
        let environment = &self.environment.name;
        self.make_bytes_binary();
        let header =
            Header { name: &node.name, version, uuid: &uuid, environment, code_id: node.code_id.as_deref() };
        let (started, catalog) = (Instant::now(), self.catalog.borrow());
        let (text, resources) = json::write(&catalog, &self.tags.names, &header, form);
        let mut spent = self.accounts.spent.get();
        spent.json += started.elapsed();
        spent.resources = resources;
        self.accounts.spent.set(spent);
        text
    }
}
