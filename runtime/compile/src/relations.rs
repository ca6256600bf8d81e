//! Relationships: the arrows, entered into `before` and `notify` once every resource is there.
//! Source: puppet-specifications, "Relationships"; `Puppet::Parser::Relationship` for what ends up in parameters.

use crate::collect::collector_number;
use crate::compile::Compile;
use crate::declare::flatten_with_undef;
use crate::state::arena::List;
use crate::state::links::{Operand, Relationship};
use crate::state::recorded::{Arrow, Given};
use bunraku_catalog::{Catalog, Param, Resource};
use bunraku_data::names;
use bunraku_data::rich;
use bunraku_vm::budget;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::{Relation, Site};
use bunraku_vm::label;
use bunraku_vm::scope::ResourceId;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{Array, Str, Value};
use bunraku_vm::vm::Vm;
use hashbrown::HashMap;

impl<'c> Operand<'c> {
    fn same(self, other: Operand<'c>) -> bool {
        match (self, other) {
            (Operand::Reference(a), Operand::Reference(b)) => types::equal(a, b),
            (Operand::Collector(a), Operand::Collector(b)) => a == b,
            _ => false,
        }
    }
}

impl<'c> Compile<'c> {
    /// `left -> right`: noted; yields what a further arrow continues from.
    pub(crate) fn add_relationship(
        &self,
        vm: &mut Vm<'c>,
        relation: Relation,
        left: Value<'c>,
        right: Value<'c>,
    ) -> Eval<'c> {
        let from = self.operands(vm, left)?;
        let to = self.operands(vm, right)?;
        let (sources, targets) = match relation {
            Relation::Before | Relation::Notify => (&from, &to),
            Relation::After | Relation::Subscribe => (&to, &from),
        };
        let notify = matches!(relation, Relation::Notify | Relation::Subscribe);
        for source in sources {
            for target in targets {
                for operand in [source, target] {
                    if let Operand::Reference(Type::Resource { type_name: Some(name), .. }) = operand {
                        self.is_resource_type_name(vm, &names::key(name))?;
                    }
                }
                let relationship = Relationship { source: *source, target: *target, notify };
                self.links.relationships.borrow_mut().push(relationship);
                if let Some(recorded) = self.recorded {
                    recorded.relationships.borrow_mut().push(vm.site());
                }
            }
        }
        if to.is_empty() {
            return Ok(self.operand_values(&from, left));
        }
        if let [Operand::Collector(number)] = to.as_slice() {
            self.links.collectors.borrow_mut()[*number].alternative =
                Some(self.arena.alloc_slice_copy(&from));
        }
        Ok(self.operand_values(&to, right))
    }

    /// Operands as the array that an arrow yields; collectors stay as they were given.
    fn operand_values(&self, operands: &[Operand<'c>], given: Value<'c>) -> Value<'c> {
        let mut flat = Vec::new();
        flatten_with_undef(given, &mut flat);
        let values: Vec<_> = operands
            .iter()
            .zip(flat)
            .map(|(operand, given)| match operand {
                Operand::Reference(ty) => Value::Type(ty),
                Operand::Collector(_) => given,
            })
            .collect();
        Value::array(self.arena, &values)
    }

    fn operands(&self, vm: &mut Vm<'c>, value: Value<'c>) -> Eval<'c, Vec<Operand<'c>>> {
        let mut flat = Vec::new();
        flatten_with_undef(value, &mut flat);
        let mut all: Vec<Operand<'c>> = Vec::new();
        for value in flat {
            let operand = self.operand(vm, value)?;
            if !all.iter().any(|o| o.same(operand)) {
                all.push(operand);
            }
        }
        Ok(all)
    }

    fn operand(&self, vm: &mut Vm<'c>, value: Value<'c>) -> Eval<'c, Operand<'c>> {
        if let Some(number) = collector_number(value) {
            return Ok(Operand::Collector(number));
        }
        let ty = match value {
            Value::Type(ty) => ty,
            Value::Str(text) => types::parse(vm, &text)?,
            other => {
                let text = label::a_an(&label::value(other));
                let message = format!(
                    "Illegal relationship operand, can not form a relationship with {text}. A Catalog type is required."
                );
                return Err(Flow::issue("ILLEGAL_RELATIONSHIP_OPERAND_TYPE", message));
            }
        };
        match ty {
            Type::Resource { .. } | Type::Class(_) => Ok(Operand::Reference(types::written(self.arena, ty))),
            Type::Type(inner) if matches!(inner, Type::Resource { .. } | Type::Class(_)) => {
                Ok(Operand::Reference(inner))
            }
            other => {
                let message = format!(
                    "Illegal relationship operand, can not form a relationship with something of type {}. A Catalog type is required.",
                    types::print(other)
                );
                Err(Flow::issue("NOT_CATALOG_TYPE", message))
            }
        }
    }

    /// Enters every noted relationship into the catalog.
    pub(crate) fn evaluate_relationships(&self) -> Eval<'c, ()> {
        let all = self.links.relationships.replace(List::new_in(self.arena));
        let mut texts = vec![None; self.catalog.borrow().resources.len()];
        let mut shared = None;
        for (number, relationship) in all.iter().enumerate() {
            let targets = self.resolved(relationship.target, false, &mut texts);
            let entered: Vec<Value<'c>> = targets.iter().map(|target| target.text).collect();
            for source in self.resolved(relationship.source, true, &mut texts) {
                self.relate(&source, &targets, &entered, relationship.notify, &mut shared)?;
                self.record_arrows(number, &source, &targets, relationship.notify);
            }
        }
        Ok(())
    }

    /// Notes where arrows of one source stand, where somebody asks.
    fn record_arrows(&self, number: usize, source: &End<'c>, targets: &[End<'c>], notify: bool) {
        let Some(recorded) = self.recorded else { return };
        let site = recorded.relationships.borrow().get(number).copied().unwrap_or(Site::NONE);
        for (from, to) in targets.iter().filter_map(|target| source.id.zip(target.id)) {
            recorded.arrows.borrow_mut().push(Arrow { from, to, notify, site });
            recorded.give(from, if notify { "notify" } else { "before" }, Given::Arrow(site));
        }
    }

    /// What an operand stands for: a collector's are what it collected or, on the left side, what stands left of it
    /// if that is nothing.
    fn resolved(&self, operand: Operand<'c>, left: bool, texts: &mut Texts<'c>) -> Vec<End<'c>> {
        match operand {
            Operand::Reference(ty) => vec![self.end(ty, texts)],
            Operand::Collector(number) => {
                let collectors = self.links.collectors.borrow();
                let collector = &collectors[number];
                if !collector.collected.is_empty() || !left {
                    return collector.collected.iter().map(|id| self.own_end(*id, texts)).collect();
                }
                let alternative = collector.alternative.into_iter().flatten();
                budget::within(1, || alternative.flat_map(|o| self.resolved(*o, true, texts)).collect())
            }
        }
    }

    /// The resource that a type names, entered as it is written.
    fn end(&self, ty: &'c Type<'c>, texts: &mut Texts<'c>) -> End<'c> {
        // Mostly that is what the resource is called.
        if let Some((type_name, title)) = rich::entry(ty) {
            let catalog = self.catalog.borrow();
            let found = catalog.find(&type_name, &title).filter(|id| catalog[*id].title == title);
            drop(catalog);
            if let Some(id) = found {
                return self.own_end(id, texts);
            }
        }
        let text = rich::reference(ty).unwrap_or_else(|| types::print(ty));
        let id = names::split_reference(&text).and_then(|(ty, title)| self.find_resource(ty, title));
        let text = if id.is_some() { self.entered_text(self.text(&text)) } else { self.string_value(&text) };
        End { id, text }
    }

    /// A resource, entered as it is called.
    fn own_end(&self, id: ResourceId, texts: &mut Texts<'c>) -> End<'c> {
        let new = || {
            let catalog = self.catalog.borrow();
            let (type_name, title) = (catalog[id].type_name, catalog[id].title);
            self.entered_text(self.joined(&[type_name, "[", title, "]"]))
        };
        let text = *texts[id.0 as usize].get_or_insert_with(new);
        End { id: Some(id), text }
    }

    /// A reference to a resource that is there, as it is entered.
    fn entered_text(&self, text: &'c str) -> Value<'c> {
        let text = Str::wrap(self.arena, text);
        self.links.entered.borrow_mut().insert(names::address(&text));
        Value::Str(text)
    }

    /// Enters the relationships of one source: its targets' texts are `entered`. Resources that share the list it
    /// was given get them, too; `shared` says which do, once that has been asked for.
    fn relate(
        &self,
        source: &End<'c>,
        targets: &[End<'c>],
        entered: &[Value<'c>],
        notify: bool,
        shared: &mut Option<SharedLists>,
    ) -> Eval<'c, ()> {
        let unknown = |which: &End<'c>, how: &str, other: &End<'c>| {
            let text = |end: &End<'c>| end.text.as_str().unwrap_or_default();
            let (which, other) = (text(which), text(other));
            Flow::raw(format!("Could not find resource '{which}' for relationship {how} '{other}'"))
        };
        let Some(first) = targets.first() else { return Ok(()) };
        let from = source.id.ok_or_else(|| unknown(source, "on", first))?;
        if let Some(target) = targets.iter().find(|target| target.id.is_none()) {
            return Err(unknown(target, "from", source));
        }
        let name = if notify { "notify" } else { "before" };
        let mut catalog = self.catalog.borrow_mut();
        let given = catalog[from].params.iter().find(|p| p.name == name);
        if let Some(Param { value: Value::Array(list), .. }) = given {
            let shared = shared.get_or_insert_with(|| SharedLists::find(&catalog.resources));
            let list = *list;
            let longer = list.appended(self.arena, entered);
            if shared.grow(&mut catalog, name, list, longer) {
                return Ok(());
            }
        }
        let resource = &mut catalog[from];
        match resource.params.iter_mut().find(|p| p.name == name) {
            Some(param) => {
                // Only a list is added to; anything else gives way to one, which no code has written.
                if !matches!(param.value, Value::Array(_)) {
                    param.at = None;
                }
                param.value = match param.value {
                    Value::Array(items) => Value::Array(items.appended(self.arena, entered)),
                    Value::Undef => Value::array(self.arena, entered),
                    one => Value::array(self.arena, &[&[one], entered].concat()),
                };
                param.append = false;
                param.source = resource.origin.source;
            }
            None => {
                let value = Value::array(self.arena, entered);
                let source = resource.origin.source;
                resource.params.push(Param { name, value, at: None, append: false, source });
            }
        }
        Ok(())
    }
}

/// Lists of relationships that several resources were given as one (`package { ['a', 'b']: before => [...] }`), by
/// where they lie.
struct SharedLists(HashMap<usize, Vec<ResourceId>>);

impl SharedLists {
    /// Goes through all resources once.
    fn find(resources: &[Resource<'_>]) -> SharedLists {
        let mut all: HashMap<usize, Vec<ResourceId>> = HashMap::new();
        for (number, resource) in resources.iter().enumerate() {
            for param in resource.params.iter().filter(|p| matches!(p.name, "before" | "notify")) {
                if let Value::Array(list) = param.value {
                    all.entry(list.address()).or_default().push(ResourceId(number as u32));
                }
            }
        }
        all.retain(|_, resources| resources.len() > 1);
        SharedLists(all)
    }

    /// Gives all that share `list` the `longer` one in its place; whether there are any.
    fn grow<'c>(
        &mut self,
        catalog: &mut Catalog<'c>,
        name: &str,
        list: Array<'c>,
        longer: Array<'c>,
    ) -> bool {
        let Some(resources) = self.0.remove(&list.address()) else { return false };
        for id in &resources {
            let resource = &mut catalog[*id];
            for param in resource.params.iter_mut().filter(|p| p.name == name) {
                param.value = Value::Array(longer);
            }
        }
        self.0.insert(longer.address(), resources);
        true
    }
}

/// The references of resources, by number: many arrows enter the same.
type Texts<'c> = Vec<Option<Value<'c>>>;

/// One end of a relationship: the resource, where there is one, and the text it is entered as.
struct End<'c> {
    id: Option<ResourceId>,
    text: Value<'c>,
}
