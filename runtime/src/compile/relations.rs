//! Relationships: the arrows, entered into `before` and `notify` once every resource is there.
//! Source: the specification's "Relationships"; `Puppet::Parser::Relationship` for what ends up in parameters.

use super::declare::flatten;
use super::{Compile, Relationship};
use crate::catalog::{Param, rich};
use crate::names;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::host::Relation;
use bunraku_vm::label;
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

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
        for relationship in &all {
            for source in self.resolved(relationship.source, true) {
                for target in self.resolved(relationship.target, false) {
                    self.relate(&source, &target, relationship.notify)?;
                }
            }
        }
        Ok(())
    }

    /// The references an operand stands for: a collector's are what it collected or, on the left side, what stands
    /// left of it if that is nothing.
    fn resolved(&self, operand: Operand<'c>, left: bool) -> Vec<String> {
        match operand {
            Operand::Reference(ty) => vec![rich::reference(ty).unwrap_or_else(|| types::print(ty))],
            Operand::Collector(number) => {
                let collectors = self.collectors.borrow();
                let collector = &collectors[number];
                if !collector.collected.is_empty() || !left {
                    let catalog = self.catalog.borrow();
                    return collector.collected.iter().map(|id| catalog[*id].reference()).collect();
                }
                match &collector.alternative {
                    Some(alternative) => alternative.iter().flat_map(|o| self.resolved(*o, true)).collect(),
                    None => Vec::new(),
                }
            }
        }
    }

    fn relate(&self, source: &str, target: &str, notify: bool) -> Eval<'c, ()> {
        let find = |reference: &str| {
            let (ty, title) = names::split_reference(reference)?;
            self.find_resource(ty, title)
        };
        let Some(from) = find(source) else {
            let message = format!("Could not find resource '{source}' for relationship on '{target}'");
            return Err(Flow::raw(message));
        };
        if find(target).is_none() {
            let message = format!("Could not find resource '{target}' for relationship from '{source}'");
            return Err(Flow::raw(message));
        }
        let name = if notify { "notify" } else { "before" };
        let mut catalog = self.catalog.borrow_mut();
        let mut all = match catalog[from].param(name) {
            Some(Value::Array(items)) => items.items().to_vec(),
            Some(one) => vec![one],
            None => Vec::new(),
        };
        all.push(self.string_value(target));
        let value = Value::array(self.arena, &all);
        let source = catalog[from].source;
        let old = catalog[from].params.iter().find(|p| p.name == name).copied();
        let (file, line) = old.map_or((None, 0), |p| (p.file, p.line));
        catalog[from].set(Param { name, value, file, line, append: false, source });
        Ok(())
    }
}
