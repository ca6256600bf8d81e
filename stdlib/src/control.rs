//! Functions that leave: `break`, `next`, `return`, `fail`; and `call`.

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::{Call, Native, dispatch, native, optional_param, param, repeated_param};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

/// The group.
pub const FUNCTIONS: &[Native] = &[
    native("break", "Ends the innermost iteration.", &[dispatch(&[], break_)]),
    native(
        "next",
        "Ends the lambda, or what is being evaluated, with a value.",
        &[dispatch(&[optional_param("Any", "value")], next)],
    ),
    native(
        "return",
        "Leaves the function, class or defined type around the call with a value.",
        &[dispatch(&[optional_param("Any", "value")], return_)],
    ),
    native("fail", "Fails with a message.", &[dispatch(&[repeated_param("Any", "values")], fail)]),
    native(
        "call",
        "Calls the function of a given name, or resolves a Deferred.",
        &[
            dispatch(&[param("String", "function_name"), repeated_param("Any", "arguments")], call_named)
                .optional_block("Callable"),
            dispatch(&[param("Deferred", "deferred")], call_deferred),
        ],
    ),
];

fn break_<'c>(vm: &mut Vm<'c>, _: Call<'c, '_>) -> Eval<'c> {
    Err(Box::new(Flow::Break(vm.site().place())))
}

fn next<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Err(Box::new(Flow::Next(call.arg(0).unwrap_or(Value::Undef), vm.site().place())))
}

fn return_<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Err(Box::new(Flow::Return(call.arg(0).unwrap_or(Value::Undef), vm.site().place())))
}

fn fail<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let words: Vec<String> = call.args.iter().map(|value| format::to_ruby_s(*value)).collect();
    Err(Flow::raw(words.join(" ")))
}

fn call_named<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let name = call.args[0].as_str().unwrap_or_default();
    vm.call_function(name, &call.args[1..], call.block, call.scope)
}

fn call_deferred<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Object(deferred) = call.args[0] else { return Ok(Value::Undef) };
    let name = deferred.attributes.get_str("name").and_then(Value::as_str).unwrap_or_default();
    let args = match deferred.attributes.get_str("arguments") {
        Some(Value::Array(items)) => items.items(),
        _ => &[],
    };
    if let Some(variable) = name.strip_prefix('$') {
        let symbol = vm.symbols.intern(variable);
        return Ok(call.scope.lookup(symbol).unwrap_or(Value::Undef));
    }
    vm.call_function(name, args, None, call.scope)
}
