//! `Puppet::LookupContext`: what a backend written in the Puppet language is given to talk to Hiera.

use super::Invocation;
use super::explain::Explain;
use super::file::Reader;
use crate::compile::Compile;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::types::Type;
use bunraku_vm::value::{Hash, HashBuilder, Object, Value};
use bunraku_vm::vm::Vm;
use hashbrown::HashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The type's name.
pub const TYPE: &str = "Puppet::LookupContext";
/// The code of the fault that `not_found` throws.
const NOT_FOUND: &str = "HIERA_NO_SUCH_KEY";

/// The data of one location.
#[derive(Clone, Copy)]
pub enum Source<'c> {
    /// A file.
    File(Reader<'c>),
    /// What a function gave.
    Hash(Hash<'c>),
}

/// What is kept for one location of an entry.
#[derive(Default)]
pub struct Context<'c> {
    /// All its data.
    pub data: Cell<Option<Source<'c>>>,
    /// Answers by key.
    pub answers: RefCell<HashMap<String, Value<'c>>>,
    /// The function's own cache.
    cache: Cell<Option<Hash<'c>>>,
}

/// A context given out, and the look-up it was given out for.
pub type Given<'c> = (&'c Object<'c>, Invocation<'c>, Rc<Context<'c>>);

/// The type.
pub fn context_type<'c>(vm: &Vm<'c>) -> &'c Type<'c> {
    Type::Object { name: Some(TYPE), parent: None, definition: None }.alloc(vm.arena)
}

/// The value a backend gave, none if it called `not_found`.
pub fn found<'c>(result: Eval<'c>) -> Eval<'c, Option<Value<'c>>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(flow) => match &*flow {
            Flow::Fault(fault) if fault.diagnostic.code == Some(NOT_FOUND) => Ok(None),
            _ => Err(flow),
        },
    }
}

impl<'c> Compile<'c> {
    /// A context for a call.
    pub(super) fn make_context(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: Option<&'c str>,
        context: &Rc<Context<'c>>,
    ) -> Eval<'c> {
        let mut attributes = HashBuilder::new(self.arena);
        attributes.insert_str("environment_name", vm.string(&self.environment.name));
        attributes.insert_str("module_name", module.map_or(Value::Undef, |module| vm.string(module)));
        let object = &*self.arena.alloc(Object {
            ty: context_type(vm),
            type_name: TYPE,
            attributes: attributes.finish(),
            foreign: None,
            data: None,
        });
        self.hiera.contexts.borrow_mut().push((object, *inv, context.clone()));
        Ok(Value::Object(object))
    }

    /// A number for what a context keeps, the same for all contexts that keep it; none for what is no context.
    pub(crate) fn context_number(&self, object: &'c Object<'c>) -> Option<i64> {
        let contexts = self.hiera.contexts.borrow();
        let (.., context) = contexts.iter().rev().find(|(given, ..)| std::ptr::eq(*given, object))?;
        Some(Rc::as_ptr(context).addr() as i64)
    }

    /// A method of a context; none if `name` is no such thing or the first argument no context.
    pub(crate) fn context_method(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(Value::Object(object)) = call.args.first() else { return Ok(None) };
        let given =
            self.hiera.contexts.borrow().iter().rev().find(|(o, ..)| std::ptr::eq(*o, *object)).cloned();
        let Some((_, inv, context)) = given else { return Ok(None) };
        let cache = context.cache.get().unwrap_or_else(|| HashBuilder::new(self.arena).finish());
        let argument = call.arg(1).unwrap_or(Value::Undef);
        Ok(Some(match name {
            "not_found" => {
                return Err(Flow::formed(Diagnostic::error("no such key").with_code(NOT_FOUND)));
            }
            "explain" => {
                if let (Explain(Some(_)), Some(block)) = (inv.explain, call.block) {
                    let text = vm.call(block, &[])?;
                    inv.explain.text(|| bunraku_vm::format::to_interpolated(text));
                }
                Value::Undef
            }
            "interpolate" => self.interpolate(vm, &inv, argument, true)?,
            "cache" => {
                let value = call.arg(2).unwrap_or(Value::Undef);
                context.cache.set(Some(cache.merged(self.arena, &[(argument, value)])));
                value
            }
            "cache_all" => {
                if let Value::Hash(all) = argument {
                    context.cache.set(Some(cache.merged(self.arena, all.entries())));
                }
                Value::Undef
            }
            "cache_has_key" => Value::Bool(cache.get(argument).is_some()),
            "cached_value" => cache.get(argument).unwrap_or(Value::Undef),
            "cached_entries" => {
                let pairs: Vec<_> = cache.entries().iter().map(|(k, v)| vm.array(&[*k, *v])).collect();
                match call.block {
                    Some(block) => {
                        for pair in pairs {
                            vm.call(block, &[pair])?;
                        }
                        Value::Undef
                    }
                    None => vm.array(&pairs),
                }
            }
            "cached_file_data" => {
                let path = argument.as_str().unwrap_or_default();
                let text = self
                    .tree()
                    .read_to_string(std::path::Path::new(path))
                    .map_err(|error| Flow::raw(format!("Could not read {path}: {error}")))?;
                let text = vm.string(&text);
                match call.block {
                    Some(block) => vm.call(block, &[text])?,
                    None => text,
                }
            }
            "environment_name" | "module_name" => object.attributes.get_str(name).unwrap_or(Value::Undef),
            _ => return Ok(None),
        }))
    }
}
