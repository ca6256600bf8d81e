//! Answers about scopes and their variables.

use super::QuestionArguments;
use crate::Talk;
use crate::replayed::Asks;
use crate::world::FoundVariable;
use bunraku_native_ruby::MissingVariable;
use bunraku_vm::error::Eval;
use bunraku_vm::scope::{Scope, ScopeKind};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> Talk<'_, 'c> {
    pub(super) fn variable(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let (scope, name) = (self.scope_of(args.value(0))?, args.text(1));
        self.render_for_variables(vm, scope, Some(&[name]))?;
        let found = match self.is_yet_to_be_set(vm, scope, name) {
            true => FoundVariable {
                value: scope.parent.and_then(|parent| parent.lookup(vm.symbols.intern(name))),
                missing: None,
            },
            false => self.world.variable(vm, scope, name)?,
        };
        let value = found.value.unwrap_or(Value::Undef);
        let (told_as, reason) = match found.missing {
            Some(MissingVariable { name, reason }) if reason.is_empty() => (vm.string(&name), Value::Undef),
            Some(MissingVariable { name, reason }) => (vm.string(&name), vm.string(&reason)),
            None => (vm.string(name), Value::Undef),
        };
        Ok(vm.array(&[Value::Bool(found.value.is_some()), value, told_as, reason]))
    }

    pub(super) fn variables(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        let names = match args.value(1) {
            Value::Array(names) => Some(names.items()),
            _ => None,
        };
        let texts: Option<Vec<_>> =
            names.map(|names| names.iter().filter_map(|name| name.as_str()).collect());
        self.render_for_variables(vm, scope, texts.as_deref())?;
        Ok(self.world.variables(vm, scope, names))
    }

    /// What templates have set without Ruby is known to it before it is asked for. What they do is no part of what is being
    /// answered from a journal.
    fn render_for_variables(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        names: Option<&[&str]>,
    ) -> Eval<'c, ()> {
        let replayed = self.ruby.replayed.take();
        let rendered = self.world.render_for_variables(vm, scope, names);
        self.ruby.replayed.replace(replayed);
        rendered
    }

    pub(super) fn set_variable(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        if let Some(answer) = self.replayed(&Asks::Set(args.text(1), args.value(2))) {
            return answer;
        }
        self.render_for_variables(vm, scope, Some(&[args.text(1)]))?;
        let symbol = vm.symbols.intern(args.text(1));
        let free = scope.own(symbol).is_none();
        if free {
            scope.set(symbol, args.value(2));
        }
        Ok(Value::Bool(free))
    }

    pub(super) fn is_bound(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        self.render_for_variables(vm, scope, Some(&[args.text(1)]))?;
        let symbol = vm.symbols.intern(args.text(1));
        Ok(Value::Bool(scope.own(symbol).is_some() && !self.is_yet_to_be_set(vm, scope, args.text(1))))
    }

    pub(super) fn variable_changed(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        self.world.change_variable(vm, scope, args.text(1), args.value(2));
        self.spread_changes(vm, scope);
        Ok(Value::Undef)
    }

    pub(super) fn values_changed(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        // What they have become has been taken note of when they were read.
        self.spread_changes(vm, scope);
        Ok(Value::Undef)
    }

    /// Resource, source, module, parent's number and kind of a scope.
    pub(super) fn scope(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        let resource = self.world.resource_of(scope).map_or(Value::Undef, |resource| resource.value(vm));
        let source = self.world.definition_of(scope).map_or(Value::Undef, |definition| definition.value(vm));
        let module = if scope.module.is_empty() { Value::Undef } else { vm.string(scope.module) };
        let parent = scope.container().declared_in.or(scope.parent);
        let parent = parent.map_or(Value::Undef, |parent| self.number_of(parent));
        let kind = vm.string(match scope.container().kind {
            ScopeKind::Top => "top",
            ScopeKind::Node => "node",
            ScopeKind::Class => "class",
            ScopeKind::Define => "define",
            ScopeKind::Local => "local",
        });
        Ok(vm.array(&[resource, source, module, parent, kind]))
    }

    pub(super) fn defaults(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        let own = matches!(args.value(2), Value::Bool(true));
        let defaults = self.world.defaults(vm, scope, args.text(1), own)?;
        Ok(pairs(vm, defaults))
    }

    pub(super) fn own_defaults(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        Ok(pairs(vm, self.world.own_defaults(scope, args.text(1))))
    }

    pub(super) fn set_default(&self, args: QuestionArguments<'c>) -> Eval<'c> {
        let scope = self.scope_of(args.value(0))?;
        self.world.set_default(scope, args.text(1), args.text(2), args.value(3));
        Ok(Value::Undef)
    }

    pub(super) fn defaults_are_ruby(&self, args: QuestionArguments<'c>) -> Eval<'c> {
        self.world.defaults_are_ruby(self.scope_of(args.value(0))?);
        Ok(Value::Undef)
    }
}

fn pairs<'c>(vm: &Vm<'c>, defaults: Vec<(&'c str, Value<'c>)>) -> Value<'c> {
    let pairs: Vec<_> =
        defaults.into_iter().map(|(name, value)| vm.array(&[vm.string(name), value])).collect();
    vm.array(&pairs)
}
