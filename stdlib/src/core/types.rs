//! Functions of types: `new`, `type`, `assert_type`, `convert_to`; and calling functions by name.

use super::dig::variable;
use crate::support::text;
use bunraku_vm::budget;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::raised::TYPE_ASSERTION_ERROR;
use bunraku_vm::types::{
    Type, generalize, infer, infer_set, is_instance, mismatch, new::new_instance, parse,
};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

natives! {
    /// A new value of a type, made from the arguments.
    function "new" { dispatch new(param "Type" type, repeated_param "Any" args) [optional_block_param]; }
    /// A value made into one of a type.
    function "convert_to" {
        dispatch convert_to(param "Any" value, param "Type" type, repeated_param "Any" args)
            [optional_block_param "Callable[1,1]" block];
    }
    /// The value if it is of the type; otherwise what the block yields, or an error.
    function "assert_type" {
        dispatch assert_type(param "Type" type, param "Any" value)
            [optional_block_param "Callable[Type, Type]" block];
        dispatch assert_type_string(param "String" type_string, param "Any" value)
            [optional_block_param "Callable[Type, Type]" block];
    }
    /// The type of a value.
    function "type" {
        dispatch type_detailed(param "Any" value, optional_param "Enum[detailed]" inference_method);
        dispatch type_reduced(param "Any" value, param "Enum[reduced]" inference_method);
        dispatch type_generalized(param "Any" value, param "Enum[generalized]" inference_method);
    }
    /// Calls a function by name, or resolves a Deferred.
    function "call" {
        dispatch call(param "String" function_name, repeated_param "Any" arguments) [optional_block_param];
        dispatch call_deferred(param "Deferred" deferred);
    }
}

fn new<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Type(ty) = call.args[0] else { return Ok(Value::Undef) };
    let args = &call.args[1..];
    if let [only] = args
        && !matches!(ty, Type::Init { .. })
        && is_instance(vm, ty, *only)
    {
        return Ok(*only);
    }
    let value = new_instance(vm, ty, args)?;
    match call.block {
        Some(block) => vm.call(block, &[value]),
        None => Ok(value),
    }
}

fn convert_to<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Type(ty) = call.args[1] else { return Ok(Value::Undef) };
    let mut args = vec![call.args[0]];
    args.extend_from_slice(&call.args[2..]);
    let value = new_instance(vm, ty, &args)?;
    match call.block {
        Some(block) => vm.call(block, &[value]),
        None => Ok(value),
    }
}

fn assert_type<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Type(ty) = call.args[0] else { return Ok(Value::Undef) };
    asserted(vm, call, ty)
}

fn assert_type_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let ty = parse(vm, text(call.arg(0)))?;
    asserted(vm, call, ty)
}

fn asserted<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>, ty: &'c Type<'c>) -> Eval<'c> {
    let value = call.args[1];
    if is_instance(vm, ty, value) {
        return Ok(value);
    }
    let actual = infer_set(vm, value);
    match call.block {
        Some(block) => vm.call(block, &[Value::Type(ty), Value::Type(actual)]),
        None => Err(Flow::of_class(
            TYPE_ASSERTION_ERROR,
            mismatch::describe_mismatch(vm.arena, "assert_type():", ty, actual),
        )),
    }
}

fn type_detailed<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Type(infer_set(vm, call.args[0])))
}

fn type_reduced<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Type(infer(vm, call.args[0])))
}

fn type_generalized<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let ty = infer(vm, call.args[0]);
    Ok(Value::Type(generalize(vm.arena, ty)))
}

fn call<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    by_name(vm, &call, text(call.arg(0)), &call.args[1..])
}

fn by_name<'c>(vm: &mut Vm<'c>, call: &Call<'c, '_>, name: &str, args: &[Value<'c>]) -> Eval<'c> {
    vm.call_function(name, args, call.block, call.scope)
}

fn call_deferred<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    resolve(vm, &call, call.args[0])
}

/// A value with every Deferred in it replaced by what it stands for.
fn resolve<'c>(vm: &mut Vm<'c>, call: &Call<'c, '_>, value: Value<'c>) -> Eval<'c> {
    budget::within(1, || {
        Ok(match value {
            Value::Object(object) if object.type_name == "Deferred" => {
                let name = text(object.attributes.get_str("name"));
                let mut args = Vec::new();
                if let Some(Value::Array(given)) = object.attributes.get_str("arguments") {
                    for arg in given.items() {
                        args.push(resolve(vm, call, *arg)?);
                    }
                }
                match name.strip_prefix('$') {
                    Some(name) => {
                        args.insert(0, variable(vm, call.scope.look(), name).unwrap_or(Value::Undef));
                        by_name(vm, call, "dig", &args)?
                    }
                    None => by_name(vm, call, name, &args)?,
                }
            }
            Value::Array(items) => {
                let mut resolved = Vec::with_capacity(items.len());
                for item in items.items() {
                    resolved.push(resolve(vm, call, *item)?);
                }
                vm.array(&resolved)
            }
            Value::Hash(hash) => {
                let mut resolved = HashBuilder::new(vm.arena);
                for (key, value) in hash.entries() {
                    let value = resolve(vm, call, *value)?;
                    resolved.insert(*key, value);
                }
                Value::Hash(resolved.finish())
            }
            Value::Sensitive(hidden) => {
                let inner = resolve(vm, call, *hidden)?;
                Value::Sensitive(vm.arena.alloc(inner))
            }
            value => value,
        })
    })
}
