//! `Puppet::LookupContext`: what a backend written in the Puppet language is given to talk to Hiera.

use crate::backend::data_source::Source;
use crate::explain::Explain;
use crate::invocation::Invocation;
use crate::state::Lookups;
use bunraku_vm::cause::Cause;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::types::{self, Range, Signature, Type};
use bunraku_vm::value::{Hash, HashBuilder, Held, Object, Value};
use bunraku_vm::vm::Vm;
use hashbrown::HashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The type's name.
pub const TYPE: &str = "Puppet::LookupContext";
/// The code of the fault that `not_found` throws.
pub const NOT_FOUND: &str = "HIERA_NO_SUCH_KEY";

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

/// A context given out, and the look-up it was given out for; none for one that code has made.
pub type Given<'c> = (&'c Object<'c>, Option<Invocation<'c>>, Rc<Context<'c>>);

/// The type.
pub fn context_type<'c>(vm: &Vm<'c>) -> &'c Type<'c> {
    Type::Object { name: Some(TYPE), parent: None, definition: None }.alloc(vm.arena)
}

/// The value a backend gave, none if it called `not_found`.
pub fn found<'c, T>(result: Eval<'c, T>) -> Eval<'c, Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(flow) => match &*flow {
            Flow::Fault(fault) if fault.diagnostic.cause == Cause::NoSuchKey => Ok(None),
            _ => Err(flow),
        },
    }
}

impl<'c> Lookups<'_, 'c> {
    /// A context for a call.
    pub(crate) fn make_context(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: Option<&'c str>,
        context: &Rc<Context<'c>>,
    ) -> Eval<'c> {
        let module = module.map_or(Value::Undef, |module| vm.string(module));
        Ok(self.give_context(vm, module, Some(*inv), context))
    }

    /// `Puppet::LookupContext.new`: a context of no look-up, with a cache of its own.
    pub fn new_context(&self, vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
        if args.is_empty() {
            return Err(Flow::raw("wrong number of arguments (given 0, expected 1)"));
        }
        self.check_call(
            vm,
            "new_Puppet::LookupContext",
            &[("Variant[String[1], Undef]", "module_name")],
            args,
        )?;
        Ok(self.give_context(vm, args[0], None, &Rc::default()))
    }

    /// # Errors
    /// Puppet's message for arguments that do not fit these types, each with the name that messages have for it.
    #[cold]
    fn check_call(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        params: &[(&str, &'static str)],
        args: &[Value<'c>],
    ) -> Eval<'c, ()> {
        let list: Vec<_> =
            params.iter().map(|(ty, _)| types::parse_with(vm, ty, &[])).collect::<Eval<'c, _>>()?;
        // The name of a module may be none.
        let size = name.starts_with("new_").then_some(Range { min: Some(0), max: Some(1) });
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

    fn give_context(
        &self,
        vm: &mut Vm<'c>,
        module: Value<'c>,
        inv: Option<Invocation<'c>>,
        context: &Rc<Context<'c>>,
    ) -> Value<'c> {
        let mut attributes = HashBuilder::new(self.arena);
        attributes.insert_str("environment_name", vm.string(self.around.environment().name));
        attributes.insert_str("module_name", module);
        let object = &*self.arena.alloc(Object {
            ty: context_type(vm),
            type_name: TYPE,
            attributes: attributes.finish(),
            held: Held::Here,
            data: None,
        });
        self.state.contexts.borrow_mut().push((object, inv, context.clone()));
        Value::Object(object)
    }

    /// A number for what a context keeps, the same for all contexts that keep it; none for what is no context.
    pub fn context_number(&self, object: &'c Object<'c>) -> Option<i64> {
        let contexts = self.state.contexts.borrow();
        let (.., context) = contexts.iter().rev().find(|(given, ..)| std::ptr::eq(*given, object))?;
        Some(Rc::as_ptr(context).addr() as i64)
    }

    /// A method of a context; none if `name` is no such thing or the first argument no context.
    pub fn context_method(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        call: Call<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>> {
        let Some(Value::Object(object)) = call.args.first() else { return Ok(None) };
        let given =
            self.state.contexts.borrow().iter().rev().find(|(o, ..)| std::ptr::eq(*o, *object)).cloned();
        let Some((_, inv, context)) = given else { return Ok(None) };
        let cache = context.cache.get().unwrap_or_else(|| HashBuilder::new(self.arena).finish());
        let argument = call.arg(1).unwrap_or(Value::Undef);
        self.check_method(vm, name, call)?;
        let live = || {
            let message =
                format!("the look-up that '{name}' would be part of is none: code has made this context");
            inv.ok_or_else(|| Flow::raw(message))
        };
        Ok(Some(match name {
            "not_found" => {
                let error = Diagnostic::error("uncaught throw :no_such_key").with_code(NOT_FOUND);
                return Err(Flow::formed(error.because(Cause::NoSuchKey)));
            }
            "explain" => {
                let explain = live()?.explain;
                if let (Explain(Some(_)), Some(block)) = (explain, call.block) {
                    let text = vm.call(block, &[])?;
                    explain.text(|| bunraku_vm::format::to_interpolated(text));
                }
                Value::Undef
            }
            // As Ruby asks: whether somebody reads explanations, and what it has to say.
            "explain?" => Value::Bool(matches!(live()?.explain, Explain(Some(_)))),
            "explain!" => {
                live()?.explain.text(|| bunraku_vm::format::to_interpolated(argument));
                Value::Undef
            }
            "interpolate" => self.interpolate(vm, &live()?, argument, true)?,
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
                        let takes_two = vm.params(block.chunk)?.len() >= 2;
                        for ((key, value), pair) in cache.entries().iter().zip(pairs) {
                            match takes_two {
                                true => vm.call(block, &[*key, *value])?,
                                false => vm.call(block, &[pair])?,
                            };
                        }
                        Value::Undef
                    }
                    None => Value::Hash(cache),
                }
            }
            "cached_file_data" => {
                let path = argument.as_str().unwrap_or_default();
                let text = self
                    .tree
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

    /// Whether a method's arguments are such as it takes.
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
        self.check_call(vm, &format!("function {TYPE}[{name}]"), &params, args)
    }
}

/// The type of a cache's keys.
const KEY: &str = "Optional[Scalar]";
