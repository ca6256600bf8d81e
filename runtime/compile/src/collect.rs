//! Collectors: `Type <| query |>` and `realize`. Each is asked again in every round until nothing new comes.
//! Source: puppet-specifications, "Collectors"; `Puppet::Pops::Evaluator::Collectors` for the order of effects.

use crate::compile::Compile;
use crate::declare::flatten;
use crate::query::{PreparedQuery, fitting};
use crate::state::arena::{List, Set};
use crate::state::links::{Collector, Wanted};
use crate::state::recorded::Given;
use crate::state::resources::Override;
use bumpalo::collections::CollectIn;
use bunraku_data::names;
use bunraku_data::rich;
use bunraku_vm::diagnostic::Severity;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::host::{Collect, CollectorKind, CollectorQuery, Site};
use bunraku_vm::scope::{ResourceId, Scope};
use bunraku_vm::types::Type;
use bunraku_vm::value::{Hash, Held, Object, Value};
use bunraku_vm::vm::Vm;

/// The number of the collector that a value is.
pub(crate) fn collector_number(value: Value<'_>) -> Option<usize> {
    match value {
        Value::Object(Object { held: Held::Collector(number), .. }) => usize::try_from(*number).ok(),
        _ => None,
    }
}

impl<'c> Compile<'c> {
    /// Registers the collector of an expression; its number as a value the arrows understand.
    pub(crate) fn add_collector(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        collect: &Collect<'c>,
    ) -> Eval<'c> {
        if collect.kind == CollectorKind::Exported && !self.stores_configs() {
            let message = "You cannot collect exported resources without storeconfigs being set; the collection will be ignored";
            let place = collect.at.place();
            self.log_with_place(Severity::Warning, message, place);
        }
        let name = self.collected_type(vm, collect.ty)?;
        // Nothing asks for all.
        let query = collect
            .query
            .filter(|query| !matches!(query, CollectorQuery::Lone(Value::Undef | Value::Bool(false))));
        if let Some(query) = &query {
            self.check_query(query)?;
        }
        let overrides = (!collect.attributes.is_empty())
            .then(|| (self.override_of(scope, collect.attributes, collect.at), scope.keep()));
        let type_name = self.text(&names::capitalize(&name));
        let wanted = match collect.kind {
            CollectorKind::Exported if self.options.store.is_none() => {
                Wanted::Named(List::new_in(self.arena))
            }
            CollectorKind::Exported => Wanted::Exported { type_name, query, scope },
            CollectorKind::Virtual => Wanted::Matching { type_name, query },
        };
        self.record_collector(collect.at);
        let mut collectors = self.links.collectors.borrow_mut();
        let number = collectors.len();
        collectors.push(Collector {
            wanted,
            overrides,
            collected: List::new_in(self.arena),
            has: Set::new_in(self.arena),
            seen: None,
            alternative: None,
        });
        Ok(self.seen_collector(collect.kind, type_name, number))
    }

    /// The name, in lower case, of the type that a collector is for.
    fn collected_type(&self, vm: &mut Vm<'c>, ty: Value<'c>) -> Eval<'c, String> {
        let name = match ty {
            Value::Type(Type::Resource { type_name: Some(name), .. }) => names::key(name),
            Value::Str(name) if name.eq_ignore_ascii_case("class") => {
                return Err(Flow::raw("Classes cannot be collected"));
            }
            Value::Str(name) => names::key(name.as_str()),
            other => {
                return Err(Flow::raw(format!(
                    "Resource type {} doesn't exist",
                    format::to_interpolated(other).to_lowercase()
                )));
            }
        };
        if !self.is_resource_type_name(vm, &name)? {
            return Err(Flow::raw(format!("Resource type {name} doesn't exist")));
        }
        Ok(name.into_owned())
    }

    /// What code sees of a collector: an object of the class that Puppet's Ruby has for it.
    fn seen_collector(&self, kind: CollectorKind, type_name: &str, number: usize) -> Value<'c> {
        let (name, class) = match kind {
            CollectorKind::Exported => ("Exported", "Puppet::Pops::Evaluator::Collectors::ExportedCollector"),
            CollectorKind::Virtual => ("Catalog", "Puppet::Pops::Evaluator::Collectors::CatalogCollector"),
        };
        let text = self.string_value(&format!("{name}-Collector[{type_name}]"));
        Value::Object(self.arena.alloc(Object {
            ty: Type::Runtime { runtime: Some("ruby"), name: Some(class) }.alloc(self.arena),
            type_name: class,
            attributes: Hash::from_unique(self.arena, &[]),
            held: Held::Collector(number as u32),
            data: Some(Hash::from_unique(self.arena, &[(self.string_value("to_s"), text)])),
            plain: None,
        }))
    }

    /// `realize`
    pub(crate) fn add_realization(&self, vm: &Vm<'c>, references: &[Value<'c>]) {
        self.record_collector(vm.site());
        let mut flat = Vec::new();
        references.iter().for_each(|reference| flatten(*reference, &mut flat));
        let named = flat.iter().map(|value| self.text(&rich::text_or_reference(*value)));
        let named = named.collect_in(self.arena);
        let wanted = Wanted::Named(named);
        self.links.collectors.borrow_mut().push(Collector {
            wanted,
            overrides: None,
            collected: List::new_in(self.arena),
            has: Set::new_in(self.arena),
            seen: None,
            alternative: None,
        });
    }

    /// Asks every collector once; whether any found something new.
    pub(crate) fn evaluate_collectors(&self, vm: &mut Vm<'c>) -> Eval<'c, bool> {
        let count = self.links.collectors.borrow().len();
        let mut found = false;
        for number in 0..count {
            found |= self.evaluate_collector(vm, number)?;
        }
        Ok(found)
    }

    fn evaluate_collector(&self, vm: &mut Vm<'c>, number: usize) -> Eval<'c, bool> {
        let exported = match &self.links.collectors.borrow()[number].wanted {
            Wanted::Exported { type_name, query, scope } => Some((*type_name, *query, *scope)),
            _ => None,
        };
        let matching = match exported {
            Some((type_name, query, scope)) => self.exported(vm, scope, type_name, query.as_ref())?,
            None => self.matching(number)?,
        };
        if matching.is_empty() {
            return Ok(false);
        }
        let mut fresh = Vec::new();
        let overrides = {
            let mut collectors = self.links.collectors.borrow_mut();
            let mut catalog = self.catalog.borrow_mut();
            let collector = &mut collectors[number];
            for id in matching {
                if catalog.resources[id.0 as usize].is_virtual {
                    catalog[id].is_virtual = false;
                }
                if collector.has.insert(id) {
                    fresh.push(id);
                }
            }
            collector.overrides.as_ref().filter(|_| !fresh.is_empty()).cloned()
        };
        if let Some((over, scope)) = overrides {
            self.definition(over.source).overrides.set(true);
            for id in &fresh {
                self.check_override(&over, || self.catalog.borrow()[*id].reference())?;
                let over = self.with_defaults_of_collector(vm, scope, *id, &over)?;
                self.merge(vm, *id, &over)?;
                self.record_collected(number, *id, &over);
            }
        }
        if let Some(recorded) = self.recorded {
            let site = recorded.collectors.borrow()[number];
            let mut realized = recorded.realized.borrow_mut();
            fresh.iter().for_each(|id| realized.entry(*id).or_default().push(site));
        }
        self.links.collectors.borrow_mut()[number].collected.extend(&fresh);
        Ok(!fresh.is_empty())
    }

    /// Puppet makes a resource of a collector's overrides, which has the defaults of the collector's scope like any other:
    /// they override, too.
    fn with_defaults_of_collector(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        id: ResourceId,
        over: &Override<'c>,
    ) -> Eval<'c, Override<'c>> {
        let mut over = over.clone();
        let type_name = self.catalog.borrow()[id].type_name;
        self.with_defaults(vm, scope, type_name, |defaults| {
            for default in defaults {
                if !over.params.iter().any(|param| param.name == default.name) {
                    over.params.push(*default);
                }
            }
        })?;
        Ok(over)
    }

    /// Notes where a collector stands, where somebody asks.
    fn record_collector(&self, site: Site<'c>) {
        if let Some(recorded) = self.recorded {
            recorded.collectors.borrow_mut().push(site);
        }
    }

    /// Notes that a collector has set parameters of a resource.
    fn record_collected(&self, number: usize, id: ResourceId, over: &Override<'c>) {
        let Some(recorded) = self.recorded else { return };
        let site = recorded.collectors.borrow()[number];
        over.params.iter().for_each(|param| recorded.give(id, param.name, Given::Collector(site)));
    }

    fn matching(&self, number: usize) -> Eval<'c, Vec<ResourceId>> {
        let mut collectors = self.links.collectors.borrow_mut();
        let collector = &mut collectors[number];
        match &mut collector.wanted {
            Wanted::Matching { type_name, query } => {
                let catalog = self.catalog.borrow();
                let state = catalog.state_of(type_name);
                let seen = collector.seen.replace(state);
                if seen == Some(state) {
                    return Ok(Vec::new());
                }
                let query = query.as_ref().map(|query| PreparedQuery::new(&self.tags.names, query));
                // What it has collected already stays collected, whatever has become of it.
                let asked = catalog.of_type(type_name).iter().copied();
                let asked = asked
                    .filter(|id| seen.is_none_or(|seen| catalog.has_changed_since(seen, *id)))
                    .filter(|id| !collector.has.contains(id));
                fitting(query.as_ref(), self.arena, &catalog, asked)
            }
            Wanted::Exported { .. } => Ok(Vec::new()),
            Wanted::Named(references) => {
                let mut found = Vec::new();
                let mut missing = List::new_in(self.arena);
                for reference in references.iter().copied() {
                    let Some((ty, title)) = names::split_reference(reference) else {
                        let message = format!(
                            "Puppet::Parser::Compiler failed with error ArgumentError: No title provided and {reference:?} is not a valid resource reference"
                        );
                        return Err(self.placed_error(message, None, 0));
                    };
                    match self.find_resource(ty, title) {
                        Some(id) => found.push(id),
                        None => missing.push(reference),
                    }
                }
                *references = missing;
                Ok(found)
            }
        }
    }

    /// The error for `realize`d resources that never appeared.
    pub(crate) fn fail_on_unrealized(&self) -> Eval<'c, ()> {
        let collectors = self.links.collectors.borrow();
        let left: Vec<&str> = collectors
            .iter()
            .filter_map(|collector| match &collector.wanted {
                Wanted::Named(references) => Some(references.iter().copied()),
                Wanted::Matching { .. } | Wanted::Exported { .. } => None,
            })
            .flatten()
            .collect();
        if left.is_empty() {
            return Ok(());
        }
        let message = format!("Failed to realize virtual resources {}", left.join(", "));
        Err(self.placed_error(message, None, 0))
    }
}
