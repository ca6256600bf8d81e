//! `Puppet::LookupContext`: what a backend written in the Puppet language or in Ruby is given to talk to Hiera, and its
//! methods. Source: `Puppet::LookupContext`.

pub use super::context_objects::{TYPE, context_type};

use super::context_objects::BehindContext;
use super::location_cache::LocationCache;
use crate::interpolate::Functions;
use crate::invocation::Invocation;
use crate::state::Lookups;
use bumpalo::Bump;
use bunraku_vm::budget;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::types::{self, Range, Signature, Type};
use bunraku_vm::value::{Array, Hash, HashBuilder, Held, Object, Value};
use bunraku_vm::vm::Vm;
use std::path::Path;
use std::rc::Rc;

/// The code of the fault that `not_found` throws.
pub const NOT_FOUND: &str = "HIERA_NO_SUCH_KEY";

/// The type of a cache's keys.
const KEY: &str = "Optional[Scalar]";

/// What a backend gave, none if it called `not_found`.
pub(crate) fn found<'c, T>(result: Eval<'c, T>) -> Eval<'c, Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(flow) => match &*flow {
            Flow::Fault(fault) if fault.diagnostic.cause == Cause::NoSuchKey => Ok(None),
            _ => Err(flow),
        },
    }
}

/// What `not_found` throws.
pub(super) fn not_found<'c>() -> Box<Flow<'c>> {
    let thrown = Diagnostic::error("uncaught throw :no_such_key").with_code(NOT_FOUND);
    Flow::formed(thrown.because(Cause::NoSuchKey))
}

/// A value with lists and hashes of its own, however deep: Puppet makes them anew, whether or not there is something to resolve in them.
fn anew<'c>(arena: &'c Bump, value: Value<'c>) -> Value<'c> {
    budget::within(1, || match value {
        Value::Array(items) => {
            Value::Array(Array::made(arena, items.items().iter().map(|item| anew(arena, *item))))
        }
        Value::Hash(hash) => {
            let entries = hash.entries().iter();
            let entries = entries.map(|(key, value)| (anew(arena, *key), anew(arena, *value)));
            Value::Hash(Hash::made_unique(arena, entries))
        }
        other => other,
    })
}

impl<'c> Lookups<'_, 'c> {
    /// A context for the call of a backend.
    pub(super) fn context_for(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: Option<&'c str>,
        cache: &Rc<LocationCache<'c>>,
    ) -> Value<'c> {
        let module = module.map_or(Value::Undef, |module| vm.string(module));
        self.make_context(vm, module, BehindContext { inv: Some(*inv), cache: cache.clone() })
    }

    /// `Puppet::LookupContext.new`: a context of no look-up, with a cache of its own.
    ///
    /// # Errors
    /// Puppet's, for arguments that it does not take.
    pub fn new_context(&self, vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
        if args.is_empty() {
            return Err(Flow::raw("wrong number of arguments (given 0, expected 1)"));
        }
        // The name of a module may be none.
        let size = Some(Range { min: Some(0), max: Some(1) });
        let params = [("Variant[String[1], Undef]", "module_name")];
        self.check_call(vm, "new_Puppet::LookupContext", &params, size, args)?;
        Ok(self.make_context(vm, args[0], BehindContext { inv: None, cache: Rc::default() }))
    }

    fn make_context(&self, vm: &mut Vm<'c>, module: Value<'c>, behind: BehindContext<'c>) -> Value<'c> {
        let mut attributes = HashBuilder::new(self.arena);
        attributes.insert_str("environment_name", vm.string(self.around.environment().name));
        attributes.insert_str("module_name", module);
        let object = &*self.arena.alloc(Object {
            ty: context_type(vm),
            type_name: TYPE,
            attributes: attributes.finish(),
            held: Held::Here,
            data: None,
            plain: None,
        });
        self.state.context_objects.add(object, behind);
        Value::Object(object)
    }

    /// A number for what a context keeps, the same for all contexts that keep it; none for what is no context.
    pub fn context_number(&self, object: &'c Object<'c>) -> Option<i64> {
        let behind = self.state.context_objects.behind(object)?;
        Some(behind.cache.number())
    }

    /// A method of a context; none if `name` is no such thing or the first argument no context.
    ///
    /// # Errors
    /// Puppet's, for arguments that the method does not take; what `not_found` throws; those of a block.
    pub fn context_method(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(Value::Object(object)) = call.args.first() else { return Ok(None) };
        let Some(behind) = self.state.context_objects.behind(object) else { return Ok(None) };
        self.check_method(vm, name, call)?;
        let argument = call.arg(1).unwrap_or(Value::Undef);
        let value = match name {
            "not_found" => return Err(not_found()),
            "interpolate" => {
                let value =
                    self.interpolate(vm, &look_up_of(&behind, name)?, argument, Functions::Allowed)?;
                anew(vm.arena, value)
            }
            "explain" | "explain?" | "explain!" => self.explain_method(vm, name, call, &behind)?,
            "cache" | "cache_all" | "cache_has_key" | "cached_value" | "cached_entries" => {
                self.cache_method(vm, name, call, &behind.cache)?
            }
            "cached_file_data" => {
                let path = argument.as_str().unwrap_or_default();
                let text = self
                    .tree
                    .read_to_string(Path::new(path))
                    .map_err(|error| Flow::raw(format!("Could not read {path}: {error}")))?;
                let text = vm.string(&text);
                match call.block {
                    Some(block) => vm.call(block, &[text])?,
                    None => text,
                }
            }
            "environment_name" | "module_name" => object.attributes.get_str(name).unwrap_or(Value::Undef),
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// The look-up behind a context.
    ///
    /// # Errors
    /// Where it is no context, or code has made it.
    pub(super) fn look_up_behind(&self, context: Value<'c>, method: &str) -> Eval<'c, Invocation<'c>> {
        let behind = match context {
            Value::Object(object) => self.state.context_objects.behind(object),
            _ => None,
        };
        match behind {
            Some(behind) => look_up_of(&behind, method),
            None => Err(Flow::raw(format!("'{method}' is given no context"))),
        }
    }

    fn explain_method(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
        behind: &BehindContext<'c>,
    ) -> Eval<'c> {
        let explain = look_up_of(behind, name)?.explain;
        match name {
            // As Ruby asks: whether somebody reads explanations, and what it has to say.
            "explain?" => return Ok(Value::Bool(explain.is_on())),
            "explain" => {
                if let Some(block) = call.block.filter(|_| explain.is_on()) {
                    let text = vm.call(block, &[])?;
                    explain.text(|| bunraku_vm::format::to_interpolated(text));
                }
            }
            _ => {
                let text = call.arg(1).unwrap_or(Value::Undef);
                explain.text(|| bunraku_vm::format::to_interpolated(text));
            }
        }
        Ok(Value::Undef)
    }

    fn cache_method(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
        cache: &LocationCache<'c>,
    ) -> Eval<'c> {
        let own = cache.own.get().unwrap_or_else(|| HashBuilder::new(self.arena).finish());
        let argument = call.arg(1).unwrap_or(Value::Undef);
        Ok(match name {
            "cache" => {
                let value = call.arg(2).unwrap_or(Value::Undef);
                cache.own.set(Some(own.merged(self.arena, &[(argument, value)])));
                value
            }
            "cache_all" => {
                if let Value::Hash(all) = argument {
                    cache.own.set(Some(own.merged(self.arena, all.entries())));
                }
                Value::Undef
            }
            "cache_has_key" => Value::Bool(own.get(argument).is_some()),
            "cached_value" => own.get(argument).unwrap_or(Value::Undef),
            _ => self.cached_entries(vm, call, own)?,
        })
    }

    /// Calls the block with each key and value of a cache; without a block gives the cache.
    fn cached_entries(&self, vm: &mut Vm<'c>, call: Call<'c, '_>, own: Hash<'c>) -> Eval<'c> {
        let pairs: Vec<_> = own.entries().iter().map(|(k, v)| vm.array(&[*k, *v])).collect();
        let Some(block) = call.block else { return Ok(Value::Hash(own)) };
        let takes_two = vm.params(block.chunk)?.len() >= 2;
        for ((key, value), pair) in own.entries().iter().zip(pairs) {
            match takes_two {
                true => vm.call(block, &[*key, *value])?,
                false => vm.call(block, &[pair])?,
            };
        }
        Ok(Value::Undef)
    }

    /// Checks that a method's arguments are such as it takes.
    fn check_method(&self, vm: &mut Vm<'c>, name: &str, call: Call<'c, '_>) -> Eval<'c, ()> {
        let params: &[&str] = match name {
            "cache" => &[KEY, "Any"],
            "cache_has_key" | "cached_value" => &[KEY],
            "cache_all" => &["Hash[Optional[Scalar], Any]"],
            _ => return Ok(()),
        };
        let args = &call.args[1..];
        let is_key = |value: &Value<'_>| {
            matches!(value, Value::Undef | Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_))
        };
        let fits = args.len() == params.len()
            && args.first().is_none_or(|first| match params[0] {
                KEY => is_key(first),
                _ => matches!(first, Value::Hash(hash) if hash.entries().iter().all(|(key, _)| is_key(key))),
            });
        if fits {
            return Ok(());
        }
        let params: Vec<_> = params.iter().map(|ty| (*ty, "")).collect();
        self.check_call(vm, &format!("function {TYPE}[{name}]"), &params, None, args)
    }

    /// # Errors
    /// Puppet's message for arguments that do not fit these types, each with the name that messages have for it.
    #[cold]
    fn check_call(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        params: &[(&str, &'static str)],
        size: Option<Range>,
        args: &[Value<'c>],
    ) -> Eval<'c, ()> {
        let list: Vec<_> =
            params.iter().map(|(ty, _)| types::parse_with(vm, ty, &[])).collect::<Eval<'c, _>>()?;
        let Type::Callable(callable) = types::callable(self.arena, &list, size, None, None) else {
            return Ok(());
        };
        let names = params.iter().map(|(_, name)| *name).collect();
        let signature = Signature { callable: *callable, names, block_name: "block" };
        if vm.accepts(&signature, args, None)? {
            return Ok(());
        }
        Err(Flow::raw(types::mismatch::describe_arguments(vm, name, &[signature], args, None)))
    }
}

/// The look-up that a context was given out for.
///
/// # Errors
/// When code has made the context.
fn look_up_of<'c>(behind: &BehindContext<'c>, method: &str) -> Eval<'c, Invocation<'c>> {
    let message =
        || format!("the look-up that '{method}' would be part of is none: code has made this context");
    behind.inv.ok_or_else(|| Flow::raw(message()))
}
