//! Answers about names of types, and passes on what is asked of instances in Ruby.

use crate::compile::Compile;
use crate::state::resources::TypeEntry;
use bunraku_data::names;
use bunraku_hiera::context;
use bunraku_resource_types::ResourceType;
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
        let found = self.certain_type(vm, name)?;
        self.warn_if_absent(found);
        Ok(found.ty.is_some() || self.find_define(vm, name)?.is_some())
    }

    /// What is known of a type's name, once it is sure that the type can be loaded.
    fn certain_type(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, &'c TypeEntry<'c>> {
        let found = self.type_entry(name);
        match found.ty.is_some_and(ResourceType::is_doubtful) {
            true => self.loaded_type(vm, name),
            false => Ok(found),
        }
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
        let key = names::key(name);
        let found = self.certain_type(vm, &key)?;
        if found.ty.is_some() || self.find_define(vm, &key)?.is_some() {
            return Ok(true);
        }
        // Puppet looks for the type by its loaders first, which find defined types, too, and then again by itself.
        self.warn_if_absent(found);
        self.warn_if_absent(found);
        Ok(false)
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
