//! Answers about names of types, and passes on what is asked of instances in Ruby.

use crate::compile::Compile;
use bunraku_data::names;
use bunraku_hiera::context;
use bunraku_ruby::MadeFrom;
use bunraku_vm::closure::Closure;
use bunraku_vm::error::Eval;
use bunraku_vm::host::{ObjectClass, TypePort};
use bunraku_vm::types::Type;
use bunraku_vm::value::{Object, Value};
use bunraku_vm::vm::Vm;

impl<'c> Compile<'c> {
    /// Whether `name` (a key) is a resource type of any kind.
    pub(crate) fn is_resource_type_name(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool> {
        if let Some(ty) = self.type_name(name).ty {
            if ty.is_doubtful() {
                self.expect_loaded(vm, ty)?;
            }
            return Ok(true);
        }
        Ok(self.find_define(vm, name)?.is_some())
    }
}

impl<'c> TypePort<'c> for Compile<'c> {
    fn type_alias(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, Option<&'c Type<'c>>> {
        if name.eq_ignore_ascii_case(context::TYPE) {
            return Ok(Some(context::context_type(vm)));
        }
        self.find_alias(vm, name)
    }

    fn is_resource_type(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, bool> {
        self.is_resource_type_name(vm, &names::key(name))
    }

    fn object_class(&self, vm: &mut Vm<'c>, ty: &'c Type<'c>) -> Eval<'c, ObjectClass<'c>> {
        self.talk().class(vm, ty)
    }

    fn make_object(
        &self,
        vm: &mut Vm<'c>,
        ty: &'c Type<'c>,
        args: &[Value<'c>],
        from_hash: bool,
    ) -> Eval<'c> {
        if bunraku_vm::types::name(ty) == bunraku_hiera::context::TYPE {
            return self.new_context(vm, args);
        }
        let from = if from_hash { MadeFrom::Hash } else { MadeFrom::Arguments };
        self.talk().instance(vm, ty, args, from)
    }

    fn object_member(
        &self,
        vm: &mut Vm<'c>,
        object: &'c Object<'c>,
        name: &str,
        args: &[Value<'c>],
        block: Option<&'c Closure<'c>>,
    ) -> Eval<'c> {
        self.talk().member(vm, object, name, args, block)
    }
}
