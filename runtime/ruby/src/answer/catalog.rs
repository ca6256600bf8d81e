//! Answers about the catalog: resources, classes, defined types.

use super::QuestionArguments;
use crate::Talk;
use crate::world::{DefinitionKind, DefinitionView, ResourceTypeKind, ResourceView};
use bunraku_vm::error::Eval;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

impl<'c> ResourceView<'c> {
    /// The resource as Ruby takes it.
    pub(super) fn value(self, vm: &Vm<'c>) -> Value<'c> {
        let mut parameters = HashBuilder::new(vm.arena);
        for (name, value) in self.parameters {
            // A resource has texts of its own, as `types::held` makes them.
            let value = match value {
                Value::Str(text) => Value::Str(text.again(vm.arena)),
                value => value,
            };
            parameters.insert_str(name, value);
        }
        let mut titled = HashBuilder::new(vm.arena);
        for (name, text) in self.titled {
            titled.insert(vm.string(&name), vm.string(&text));
        }
        let parts = [
            vm.string(self.type_name),
            vm.frozen_string(self.title),
            Value::Hash(titled.finish()),
            Value::Hash(parameters.finish()),
            Value::Bool(self.is_virtual),
            self.exported.map_or(Value::Undef, Value::Bool),
            super::texts(vm, self.tags),
            self.file.map_or(Value::Undef, |file| vm.string(file)),
            if self.line == 0 { Value::Undef } else { Value::Int(self.line.into()) },
        ];
        vm.array(&parts)
    }
}

impl<'c> DefinitionView<'c> {
    /// The definition as Ruby takes it.
    pub(super) fn value(self, vm: &Vm<'c>) -> Value<'c> {
        let kind = match self.kind {
            DefinitionKind::Class => "hostclass",
            DefinitionKind::Define => "definition",
            DefinitionKind::Node => "node",
        };
        let optional = |text: Option<&str>| text.map_or(Value::Undef, |text| vm.string(text));
        let parts = [
            vm.string(kind),
            vm.string(self.name),
            vm.string(self.module),
            optional(self.file),
            Value::Int(self.line.into()),
            optional(self.parent),
            Value::Undef,
        ];
        vm.array(&parts)
    }
}

impl<'c> Talk<'_, 'c> {
    pub(super) fn resource(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
        let found = self.world.resource(args.text(0), args.text(1));
        found.map_or(Value::Undef, |resource| resource.value(vm))
    }

    pub(super) fn titled(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let mut titled = HashBuilder::new(vm.arena);
        for (name, text) in self.world.titled(args.text(0), args.text(1))? {
            titled.insert(vm.string(&name), vm.string(&text));
        }
        Ok(Value::Hash(titled.finish()))
    }

    pub(super) fn resource_scope(&self, args: QuestionArguments<'c>) -> Value<'c> {
        let scope = self.world.scope_of(args.text(0), args.text(1));
        scope.map_or(Value::Undef, |scope| self.number_of(scope))
    }

    pub(super) fn resources(&self, vm: &mut Vm<'c>) -> Value<'c> {
        let all: Vec<_> = self.world.resources().into_iter().map(|resource| resource.value(vm)).collect();
        vm.array(&all)
    }

    pub(super) fn definition(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let found = match args.text(0) {
            "class" => self.world.class(vm, args.text(1))?,
            _ => self.world.define(vm, args.text(1))?,
        };
        Ok(found.map_or(Value::Undef, |definition| definition.value(vm)))
    }

    pub(super) fn class_scope(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
        let scope = vm.host.class_scope(args.text(0));
        scope.map_or(Value::Undef, |scope| self.number_of(scope))
    }

    pub(super) fn kind_of_type(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let kind = self.world.resource_type(vm, args.text(0))?;
        Ok(kind.map_or(Value::Undef, |kind| {
            vm.string(match kind {
                ResourceTypeKind::InRuby => "builtin",
                ResourceTypeKind::Defined => "define",
            })
        }))
    }
}
