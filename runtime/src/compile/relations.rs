//! Relationships: the arrows, entered into `before` and `notify` once every resource is there.
//! Source: the specification's "Relationships"; `Puppet::Parser::Relationship` for what ends up in parameters.

use super::declare::flatten;
use super::{Compile, Relationship};
use crate::catalog::{Param, rich};
use crate::names;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::Relation;
use bunraku_vm::label;
use bunraku_vm::scope::ResourceId;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{Str, Value};
use bunraku_vm::vm::Vm;
use hashbrown::HashMap;

/// How the value of a collector expression is marked; its number and Puppet's name for it are its name.
pub(crate) const COLLECTOR: &str = "collector";

/// What may stand beside an arrow.
#[derive(Clone, Copy)]
pub(super) enum Operand<'c> {
    /// A resource or class.
    Reference(&'c Type<'c>),
    /// A collector, by number.
    Collector(usize),
}

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
    pub(super) fn add_relationship(
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
                self.relationships.borrow_mut().push(relationship);
            }
        }
        if to.is_empty() {
            return Ok(self.operand_values(&from, left));
        }
        if let [Operand::Collector(number)] = to.as_slice() {
            self.collectors.borrow_mut()[*number].alternative = Some(from);
        }
        Ok(self.operand_values(&to, right))
    }

    /// Operands as the array that an arrow yields; collectors stay as they were given.
    fn operand_values(&self, operands: &[Operand<'c>], given: Value<'c>) -> Value<'c> {
        let mut flat = Vec::new();
        flatten(given, &mut flat);
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
        flatten(value, &mut flat);
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
            Type::Runtime { runtime: Some(COLLECTOR), name: Some(name) } => {
                let number = name.split(':').next().and_then(|n| n.parse().ok());
                Ok(Operand::Collector(number.unwrap_or_default()))
            }
            Type::Resource { .. } | Type::Class(_) => Ok(Operand::Reference(ty)),
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
    pub(super) fn evaluate_relationships(&self) -> Eval<'c, ()> {
        let all = std::mem::take(&mut *self.relationships.borrow_mut());
        let mut texts = Texts::new();
        for relationship in &all {
            let targets = self.resolved(relationship.target, false, &mut texts);
            for source in self.resolved(relationship.source, true, &mut texts) {
                for target in &targets {
                    self.relate(&source, target, relationship.notify)?;
                }
            }
        }
        Ok(())
    }

    /// What an operand stands for: a collector's are what it collected or, on the left side, what stands left of it
    /// if that is nothing.
    fn resolved(&self, operand: Operand<'c>, left: bool, texts: &mut Texts<'c>) -> Vec<End<'c>> {
        match operand {
            Operand::Reference(ty) => {
                let text = rich::reference(ty).unwrap_or_else(|| types::print(ty));
                let parts = names::split_reference(&text);
                let id = parts.and_then(|(ty, title)| self.find_resource(ty, title));
                let new = || self.entered_text(&text);
                // As it is written; mostly that is what the resource is called.
                let own = id.filter(|id| {
                    let resource = &self.catalog.borrow()[*id];
                    parts == Some((resource.type_name, resource.title))
                });
                let text = match (own, id) {
                    (Some(id), _) => *texts.entry(id).or_insert_with(new),
                    (None, Some(_)) => new(),
                    (None, None) => self.string_value(&text),
                };
                vec![End { id, text }]
            }
            Operand::Collector(number) => {
                let collectors = self.collectors.borrow();
                let collector = &collectors[number];
                if !collector.collected.is_empty() || !left {
                    let catalog = self.catalog.borrow();
                    let end = |id: &ResourceId| {
                        let own = || self.entered_text(&catalog[*id].reference());
                        End { id: Some(*id), text: *texts.entry(*id).or_insert_with(own) }
                    };
                    return collector.collected.iter().map(end).collect();
                }
                match &collector.alternative {
                    Some(alternative) => {
                        alternative.iter().flat_map(|o| self.resolved(*o, true, texts)).collect()
                    }
                    None => Vec::new(),
                }
            }
        }
    }

    /// A reference to a resource that is there, as it is entered.
    fn entered_text(&self, text: &str) -> Value<'c> {
        let text = Str::new(self.arena, text);
        self.entered.borrow_mut().insert(address(&text));
        Value::Str(text)
    }

    fn relate(&self, source: &End<'c>, target: &End<'c>, notify: bool) -> Eval<'c, ()> {
        let unknown = |which: &End<'c>, how: &str, other: &End<'c>| {
            let text = |end: &End<'c>| end.text.as_str().unwrap_or_default();
            let (which, other) = (text(which), text(other));
            Flow::raw(format!("Could not find resource '{which}' for relationship {how} '{other}'"))
        };
        let from = source.id.ok_or_else(|| unknown(source, "on", target))?;
        target.id.ok_or_else(|| unknown(target, "from", source))?;
        let name = if notify { "notify" } else { "before" };
        let mut catalog = self.catalog.borrow_mut();
        let value = match catalog[from].param(name) {
            Some(Value::Array(items)) => Value::Array(items.appended(self.arena, &[target.text])),
            Some(one) => Value::array(self.arena, &[one, target.text]),
            None => Value::array(self.arena, &[target.text]),
        };
        let source = catalog[from].source;
        let old = catalog[from].params.iter().find(|p| p.name == name).copied();
        let (file, line) = old.map_or((None, 0), |p| (p.file, p.line));
        catalog[from].set(Param { name, value, file, line, append: false, source });
        Ok(())
    }
}

/// The references of resources: many arrows enter the same.
type Texts<'c> = HashMap<ResourceId, Value<'c>>;

/// What tells a text from others wherever it is entered.
pub(super) fn address(text: &str) -> (usize, usize) {
    (text.as_ptr().addr(), text.len())
}

/// One end of a relationship: the resource, where there is one, and the text it is entered as.
struct End<'c> {
    id: Option<ResourceId>,
    text: Value<'c>,
}
