//! Answers about classes, and includes them.

use crate::compile::Compile;
use bunraku_data::names;
use bunraku_vm::error::Eval;
use bunraku_vm::host::{ClassPort, Include};
use bunraku_vm::scope::Scope;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

impl<'c> ClassPort<'c> for Compile<'c> {
    fn class_scope(&self, name: &str) -> Option<&'c Scope<'c>> {
        self.scopes.of_classes.borrow().get(&*names::key(name)).copied()
    }

    fn class_exists(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool> {
        Ok(self.find_class(vm, name)?.is_some())
    }

    fn include(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        how: Include,
        classes: &[Value<'c>],
    ) -> Eval<'c> {
        self.include_classes(vm, scope, how, classes)
    }
}
